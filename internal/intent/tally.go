package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// searches are the results of the searches of a report by what they are for.
type searches struct {
	sample  loci.ToolResult // the lines that were found
	counted loci.ToolResult // for each value of the field
	others  loci.ToolResult // those of other levels, for each file
	undated loci.ToolResult // lines without a date
	failed  loci.ToolResult
}

// sift tells the results apart by what was asked for.
func sift(done []loci.ToolResult) (s searches) {
	for _, r := range done {
		asked := decode[searchArguments](loci.ToolResult{Data: r.Call.Arguments})
		switch {
		case r.Call.Name != searchFiles:
		case asked.GroupBy == noDate:
			s.undated = r
		case r.Err != nil:
			s.failed = r
		case asked.GroupBy == "":
			s.sample = r
		case slices.ContainsFunc(levelNames, func(l string) bool { return asked.GroupBy == ofOtherLevel(l) }):
			s.others = r
		default:
			s.counted = r
		}
	}
	return s
}

// othersThan tells whether a folder has logs besides the files that were found.
func othersThan(found searchResult, listing listResult) bool {
	for _, e := range listing.Entries {
		isFound := slices.ContainsFunc(found.Matches, func(m foundFile) bool { return baseName(m.Path) == e.Name })
		if e.Type == "file" && !isFound && (!isFile(e.Name) || logName.has(e.Name)) {
			return true
		}
	}
	return false
}

// logName is the name of what may be a log.
var logName = newPattern(`\.(?:log|out|err|txt|json|jsonl)$`)

// named tells whether any line told its module.
func named(r searchResult, level string) bool {
	return slices.ContainsFunc(r.Groups, func(g foundPart) bool { return nameOf(g.Value, level) != "" })
}

// tally is what was counted.
type tally struct {
	title    string
	head     string // what the rows are
	rows     []foundPart
	total    int    // lines
	files    int    // 0: not known
	missing  string // the field that the lines do not tell, so that files are counted
	word     string // what is looked for
	inText   int    // lines that have the word, but are of another level
	unknown  bool   // whether some lines are of no form that is known
	undated  int    // lines without a date
	leftOut  string
	sortName bool
}

// tally makes the table from the results of the searches.
func (g report) tally(u *utterance, s searches) tally {
	form, level := levels.of(g.text)
	t := tally{word: shownWord(g.text), sortName: g.byName, head: fieldTitle(u, g.field)}
	for _, part := range decode[searchResult](s.undated).Groups {
		if part.Value == "" { // others have a month
			t.undated += part.Lines
		}
	}
	counted := decode[searchResult](s.counted)
	by := g.field
	switch {
	case s.sample.Call.Name == "":
		return t
	case len(counted.Groups) > 0 && s.others.Call.Name == "":
		t.group(counted, form)
	default:
		by = "file"
		if g.field != "file" {
			t.missing = fieldTitle(u, g.field)
		}
		t.head = fieldTitle(u, "file")
		t.perFile(decode[searchResult](s.sample), decode[searchResult](s.others))
	}
	if level {
		t.unknown = t.unknown || unknownIn(decode[searchResult](s.sample), form)
	}
	t.sort(u)
	t.title = g.title(u, by)
	return t
}

// group takes the rows of a search that grouped lines. Of a report of a level,
// those of other levels are no rows.
func (t *tally) group(r searchResult, level string) {
	if r.Lines != nil {
		t.total = *r.Lines
	}
	t.files, t.leftOut = r.Files, r.Note
	for _, row := range r.Groups {
		if level != "" {
			other, known := formOf(row.Value, level)
			if other != "" {
				t.inText += row.Lines
				t.files = 0 // of some only these lines were found
				continue
			}
			t.unknown = t.unknown || !known
			row.Value = nameOf(row.Value, level)
		}
		if i := slices.IndexFunc(t.rows, func(p foundPart) bool { return p.Value == row.Value }); i >= 0 {
			t.rows[i].Lines += row.Lines
			continue
		}
		t.rows = append(t.rows, row)
	}
	t.total -= t.inText
}

// perFile takes the files of the lines that were found, without those of other
// levels.
func (t *tally) perFile(found, others searchResult) {
	t.leftOut = found.Note
	if len(found.Matches) == found.Files {
		t.leftOut = "" // only that not all lines are shown
	}
	for _, m := range found.Matches {
		lines := m.Lines
		for _, o := range others.Matches {
			if o.Path == m.Path {
				lines -= o.Lines
				t.inText += o.Lines
			}
		}
		if lines > 0 {
			t.rows = append(t.rows, foundPart{Value: m.Path, Lines: lines})
		}
	}
	if found.Lines != nil {
		t.total = *found.Lines - t.inText
	}
	t.files = len(t.rows)
}

// unknownIn tells whether a line that was seen is of no form that is known.
func unknownIn(sample searchResult, level string) bool {
	for _, l := range linesIn(sample) {
		if _, known := formOf(valueIn(l, level), level); !known {
			return true
		}
	}
	return false
}

// sort puts the rows in order, and adds what they leave out.
func (t *tally) sort(u *utterance) {
	rest := t.total
	for i, row := range t.rows {
		rest -= row.Lines
		if row.Value == "" {
			t.rows[i].Value = withoutField.In(u.Lang, strings.ToLower(t.head))
		}
	}
	slices.SortFunc(t.rows, func(a, b foundPart) int {
		if t.sortName {
			return strings.Compare(a.Value, b.Value)
		}
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), strings.Compare(a.Value, b.Value))
	})
	if rest > 0 && len(t.rows) > 0 { // of values that are too many to be told
		t.rows = append(t.rows, foundPart{Value: otherRows.In(u.Lang), Lines: rest})
	}
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

// inShort tells the first rows and the sum.
func (t tally) inShort(u *utterance) string {
	const top = 3
	var rows []string
	for _, row := range t.rows[:min(top, len(t.rows))] {
		rows = append(rows, fmt.Sprintf("%s: %d", row.Value, row.Lines))
	}
	if more := len(t.rows) - len(rows); more > 0 {
		rows = append(rows, andMore.In(u.Lang, more))
	}
	short := strings.Join(rows, lang.Words{EN: ", ", ZH: "，"}.In(u.Lang)) + lang.Words{EN: ". ", ZH: "。"}.In(u.Lang) + t.sum(u)
	return strings.Join(append([]string{short}, t.notes(u)...), " ")
}

// sum is how many lines there are in all.
func (t tally) sum(u *utterance) string {
	if t.files == 0 {
		return inAllLines.In(u.Lang, linesWord.In(u.Lang, t.total))
	}
	return inAll.In(u.Lang, linesWord.In(u.Lang, t.total), filesWord.In(u.Lang, t.files))
}

// notes say what is not as it was asked for, or may be taken otherwise.
func (t tally) notes(u *utterance) []string {
	var notes []string
	if t.missing != "" {
		notes = append(notes, countedByFile.In(u.Lang, strings.ToLower(t.missing)))
	}
	if t.unknown {
		notes = append(notes, formUnknown.In(u.Lang, t.word))
	}
	if t.inText > 0 {
		notes = append(notes, onlyInText.In(u.Lang, linesWord.In(u.Lang, t.inText), t.word))
	}
	if t.undated > 0 {
		notes = append(notes, withoutDate.In(u.Lang, linesWord.In(u.Lang, t.undated), t.word))
	}
	if t.leftOut != "" {
		notes = append(notes, leftOut.In(u.Lang, t.leftOut))
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
	inAllLines     = lang.Words{EN: "Total: %s.", ZH: "合计：%s。", CS: "Celkem: %s."}
	withoutField   = lang.Words{EN: "(no %s)", ZH: "（无%s）", CS: "(bez údaje: %s)"}
	otherRows      = lang.Words{EN: "(others)", ZH: "（其他）", CS: "(ostatní)"}
	countedByFile  = lang.Words{EN: "The lines do not tell the %s, so they are counted by file.", ZH: "日志行中没有“%s”这一项，因此按文件统计。", CS: "Z řádků se nepozná %s, proto jsou spočítány podle souborů."}
	formUnknown    = lang.Words{EN: "Some of the lines are in a form that I do not know; they are counted because they have the word %s.", ZH: "有些行的格式无法识别；因为其中有 %s 这个词，所以计算在内。", CS: "Tvar některých řádků neznám; započítány jsou, protože obsahují slovo %s."}
	onlyInText     = lang.Words{EN: "Not counted: %s of another level with the word %s in the text.", ZH: "未计入：级别不同、但文字中有 %[2]s 的 %[1]s。", CS: "Nezapočteno: %s jiné úrovně se slovem %s v textu."}
	withoutDate    = lang.Words{EN: "Not counted: %s with the word %s that have no date, so it cannot be told of which day they are.", ZH: "未计入：含 %[2]s 但没有日期的 %[1]s，无法判断是哪一天的。", CS: "Nezapočteno: %s se slovem %s bez data, takže se nepozná, ze kterého jsou dne."}
	leftOut        = lang.Words{EN: "Not all was searched: %s", ZH: "未全部搜索：%s", CS: "Neprohledalo se vše: %s"}
	noneToCount    = lang.Words{EN: "There are none: %s: 0.", ZH: "没有找到：%s：0。", CS: "Žádné tu nejsou: %s: 0."}
	notWritten     = lang.Words{EN: "I have not written %s.", ZH: "没有写入 %s。", CS: "Soubor %s jsem proto nezapsal."}
	isWritten      = lang.Words{EN: "%s is written: %s. %s", ZH: "已写入 %s：%s。%s", CS: "Soubor %s je zapsán: %s. %s"}
	andMore        = lang.Words{EN: "and %d more in the file", ZH: "文件中另有 %d 项", CS: "v souboru ještě dalších %d"}
	notReadBack    = lang.Words{EN: "%s was written, but I could not read it back: %s", ZH: "%s 已写入，但无法读回：%s", CS: "Soubor %s byl zapsán, ale nejde zpětně přečíst: %s"}
	otherThanMeant = lang.Words{EN: "%s does not hold what I wrote to it. Look at it before you rely on it.", ZH: "%s 中的内容与写入的不同。使用前请先检查。", CS: "V souboru %s není to, co jsem do něj zapsal. Než se na něj spolehnete, podívejte se do něj."}
)
