package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/lang"
)

// report is the goal of counting the lines with a word, of one day, for each value
// of a field, and of writing the table to a file. It is a plan of several calls:
// list the folder, look at some of the lines, count them, write, read back, tell.
// Where it stands is told by the results so far.
//
// Where there are no such lines, nothing is written: a person who reads "there are
// none" in the chat needs no file that says so too, and an old report stays.
type report struct {
	where  string    // a file or folder; empty: everywhere
	logs   bool      // where is only a guess of where the logs are
	text   string    // what the lines have in them; empty: anything
	field  string    // such as module
	day    time.Time // zero: all days
	file   string    // where the table goes; empty: the chat
	byName bool      // sort by name instead of number
}

// first is the tool that counts.
func (report) first() string { return searchFiles }

// next is the move after the calls that were done.
func (g report) next(u *utterance, done []loci.ToolResult) loci.Move {
	if i := slices.IndexFunc(done, func(r loci.ToolResult) bool { return r.Call.Name == writeFile }); i > 0 {
		return g.written(u, done[i-1], done[i], done[i+1:])
	}
	var listing listResult
	if g.where != "" && !isFile(g.where) && u.offers(listDir) {
		if len(done) == 0 {
			return call(listDir, arguments{"path": g.where})
		}
		switch failed := done[0].Err != nil; {
		case failed && g.logs && !done[0].Refused:
			g.where = "" // there is no folder of that name: all the logs are meant
		case failed:
			return say(u, done[0])
		}
		listing, done = decode[listResult](done[0]), done[1:]
	}
	return g.search(u, g.attempts(listing), done)
}

// search looks for the lines, from the strictest reading of them to the loosest,
// until there are any; and then counts them.
func (g report) search(u *utterance, attempts []arguments, done []loci.ToolResult) loci.Move {
	for i, r := range done {
		result := decode[searchResult](r)
		switch {
		case r.Err != nil || result.Lines == nil:
			return say(u, r)
		case *result.Lines > 0:
			return g.count(u, attempts[min(i, len(attempts)-1)], result, done[i:])
		}
	}
	if len(done) < len(attempts) {
		sample := attempts[len(done)]
		if g.field == "file" {
			sample["count"], sample["limit"] = true, mostRows
		}
		return call(searchFiles, sample)
	}
	none := noneToCount.In(u.Lang, g.title(u, ""))
	if g.file != "" {
		none += " " + notWritten.In(u.Lang, g.file)
	}
	if note := decode[searchResult](done[len(done)-1]).Note; note != "" {
		none += " " + note
	}
	return loci.Move{Say: none}
}

// mostRows is how many values a table has at most.
const mostRows = 200

// count counts the lines that were found for each value of the field, if they tell
// it, or else for each file; done begins with the lines that were found.
func (g report) count(u *utterance, found arguments, sample searchResult, done []loci.ToolResult) loci.Move {
	if len(done) == 1 && g.field != "file" {
		found["limit"] = mostRows
		if expr := fieldIn(g.field, g.text, sample); expr != "" {
			found["group_by"] = expr
		} else {
			found["count"] = true
		}
		return call(searchFiles, found)
	}
	counted := done[len(done)-1]
	t := g.tally(u, counted)
	switch {
	case t.total == 0:
		return say(u, counted)
	case g.file == "":
		return loci.Move{Say: t.inChat(u)}
	case !u.offers(writeFile):
		return loci.Move{Say: t.inChat(u) + "\n" + cannotChange.In(u.Lang)}
	}
	return changing(writeFile, arguments{"path": g.file, "content": t.markdown(u)})
}

// written reads back what was written, and tells what is in it. All of it comes
// from the results: the yes may have come on another day.
func (g report) written(u *utterance, counted, write loci.ToolResult, after []loci.ToolResult) loci.Move {
	meant := decode[writeArguments](loci.ToolResult{Data: write.Call.Arguments})
	title, _, _ := strings.Cut(strings.TrimPrefix(meant.Content, "# "), "\n")
	t := g.tally(u, counted)
	t.title = title
	switch {
	case write.Err != nil: // or the person said no
		return loci.Move{Say: strings.TrimSpace(sayChange(write).Say + "\n" + t.inChat(u))}
	case len(after) == 0 && u.offers(readFile):
		return call(readFile, arguments{"path": cmp.Or(decode[writeResult](write).Path, g.file)})
	}
	if len(after) > 0 {
		switch page := decode[readResult](after[0]); {
		case after[0].Err != nil:
			return loci.Move{Say: notReadBack.In(u.Lang, g.file, sayChange(after[0]).Say)}
		case page.Text == "" || !strings.HasPrefix(meant.Content, page.Text):
			return loci.Move{Say: otherThanMeant.In(u.Lang, g.file)}
		}
	}
	return loci.Move{Say: isWritten.In(u.Lang, g.file, title, t.inShort(u))}
}

// tally is what was counted.
type tally struct {
	title  string
	head   string // what the rows are
	rows   []foundPart
	total  int // lines
	files  int
	byFile bool   // for each file, because the lines do not tell the field
	note   string // what was left out
}

// tally reads the result of the search that counted.
func (g report) tally(u *utterance, r loci.ToolResult) tally {
	result := decode[searchResult](r)
	t := tally{rows: result.Groups, files: result.Files, note: result.Note, head: fieldTitle(u, g.field)}
	if result.Lines != nil {
		t.total = *result.Lines
	}
	by := g.field
	if len(result.Groups) == 0 {
		t.byFile, by = g.field != "file", "file"
		t.head = fieldTitle(u, "file")
		for _, m := range result.Matches {
			t.rows = append(t.rows, foundPart{Value: m.Path, Lines: m.Lines})
		}
	}
	rest := t.total
	for i, row := range t.rows {
		rest -= row.Lines
		if row.Value == "" {
			t.rows[i].Value = withoutField.In(u.Lang, strings.ToLower(t.head))
		}
	}
	slices.SortFunc(t.rows, func(a, b foundPart) int {
		if g.byName {
			return strings.Compare(a.Value, b.Value)
		}
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), strings.Compare(a.Value, b.Value))
	})
	if rest > 0 && len(t.rows) > 0 { // of values that are too many to be told
		t.rows = append(t.rows, foundPart{Value: otherRows.In(u.Lang), Lines: rest})
	}
	t.title = g.title(u, by)
	return t
}

// title says what is counted.
func (g report) title(u *utterance, by string) string {
	what := linesAny.In(u.Lang)
	if g.text != "" {
		what = linesWith.In(u.Lang, shownWord(g.text))
	}
	if !g.day.IsZero() {
		what = ofDay.In(u.Lang, what, g.day.Format(time.DateOnly))
	}
	if g.where != "" {
		what = inPlace.In(u.Lang, what, g.where)
	}
	if by != "" {
		what = byField.In(u.Lang, what, strings.ToLower(fieldTitle(u, by)))
	}
	return what
}

// markdown is the table as a text of its own.
func (t tally) markdown(u *utterance) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n| %s | %s |\n|---|---:|\n", t.title, t.head, linesHead.In(u.Lang))
	escape := strings.NewReplacer("|", `\|`, "\r", " ", "\n", " ")
	for _, row := range t.rows {
		fmt.Fprintf(&b, "| %s | %d |\n", escape.Replace(row.Value), row.Lines)
	}
	fmt.Fprintf(&b, "\n%s\n", t.sum(u))
	for _, note := range t.notes(u) {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}

// inChat is the table as lines of a chat.
func (t tally) inChat(u *utterance) string {
	parts := []string{t.title + lang.Words{EN: ":", ZH: "："}.In(u.Lang)}
	for _, row := range t.rows {
		parts = append(parts, fmt.Sprintf("%s: %d", row.Value, row.Lines))
	}
	parts = append(parts, t.sum(u))
	return strings.Join(append(parts, t.notes(u)...), "\n")
}

// inShort tells the sum and the first rows.
func (t tally) inShort(u *utterance) string {
	const top = 3
	var rows []string
	for _, row := range t.rows[:min(top, len(t.rows))] {
		rows = append(rows, fmt.Sprintf("%s: %d", row.Value, row.Lines))
	}
	if more := len(t.rows) - len(rows); more > 0 {
		rows = append(rows, andMore.In(u.Lang, more))
	}
	short := rowsAndSum.In(u.Lang, t.head, len(t.rows), strings.Join(rows, lang.Words{EN: ", ", ZH: "，"}.In(u.Lang)), t.sum(u))
	return strings.Join(append([]string{short}, t.notes(u)...), " ")
}

// sum is how many lines there are in all.
func (t tally) sum(u *utterance) string {
	return inAll.In(u.Lang, linesWord.In(u.Lang, t.total), filesWord.In(u.Lang, t.files))
}

// notes say what is not as it was asked for.
func (t tally) notes(u *utterance) []string {
	var notes []string
	if t.byFile {
		notes = append(notes, countedByFile.In(u.Lang))
	}
	if t.note != "" {
		notes = append(notes, leftOut.In(u.Lang, t.note))
	}
	return notes
}

// The words of a report.
var (
	linesAny       = lang.Words{EN: "Lines", ZH: "行数", CS: "Řádky"}
	linesWith      = lang.Words{EN: "%s lines", ZH: "%s 行", CS: "Řádky %s"}
	ofDay          = lang.Words{EN: "%s of %s", ZH: "%[2]s 的 %[1]s", CS: "%s ze dne %s"}
	inPlace        = lang.Words{EN: "%s in %s", ZH: "%[2]s 中 %[1]s", CS: "%s v %s"}
	byField        = lang.Words{EN: "%s, by %s", ZH: "%s（按%s）", CS: "%s podle: %s"}
	linesHead      = lang.Words{EN: "Lines", ZH: "行数", CS: "Řádků"}
	inAll          = lang.Words{EN: "Total: %s in %s.", ZH: "合计：%s，%s。", CS: "Celkem: %s, %s."}
	withoutField   = lang.Words{EN: "(no %s)", ZH: "（无%s）", CS: "(bez údaje: %s)"}
	otherRows      = lang.Words{EN: "(others)", ZH: "（其他）", CS: "(ostatní)"}
	countedByFile  = lang.Words{EN: "The lines do not tell it, so they are counted by file.", ZH: "日志行中没有这一项，因此按文件统计。", CS: "Z řádků se to nepozná, proto jsou spočítány podle souborů."}
	leftOut        = lang.Words{EN: "Not all was searched: %s", ZH: "未全部搜索：%s", CS: "Neprohledalo se vše: %s"}
	noneToCount    = lang.Words{EN: "There are none: %s: 0.", ZH: "没有找到：%s：0。", CS: "Žádné tu nejsou: %s: 0."}
	notWritten     = lang.Words{EN: "I have not written %s.", ZH: "没有写入 %s。", CS: "Soubor %s jsem proto nezapsal."}
	isWritten      = lang.Words{EN: "%s is written: %s. %s", ZH: "已写入 %s：%s。%s", CS: "Soubor %s je zapsán: %s. %s"}
	rowsAndSum     = lang.Words{EN: "%s: %d (%s). %s", ZH: "%s：%d（%s）。%s", CS: "%s: %d (%s). %s"}
	andMore        = lang.Words{EN: "%d more", ZH: "另有 %d 项", CS: "a dalších %d"}
	notReadBack    = lang.Words{EN: "%s was written, but I could not read it back: %s", ZH: "%s 已写入，但无法读回：%s", CS: "Soubor %s byl zapsán, ale nejde zpětně přečíst: %s"}
	otherThanMeant = lang.Words{EN: "%s does not hold what I wrote to it. Look at it before you rely on it.", ZH: "%s 中的内容与写入的不同。使用前请先检查。", CS: "V souboru %s není to, co jsem do něj zapsal. Než se na něj spolehnete, podívejte se do něj."}
)
