package intent

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"loci"
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
	old    bool      // the day is of more than a year ago
	byName bool      // sort by name instead of number
	vague  bool      // a level is counted, but not all of the words are understood
}

// first is the tool that counts.
func (report) first() string { return searchFiles }

// next is the move after the calls that were done.
func (g report) next(u *utterance, done []loci.ToolResult) loci.Move {
	if i := slices.IndexFunc(done, func(r loci.ToolResult) bool { return r.Call.Name == writeFile }); i > 0 {
		return g.written(u, sift(done[:i]), done[i], done[i+1:])
	}
	var listing listResult
	if g.where != "" && !isFile(g.where) && u.offers(listDir) {
		if len(done) == 0 {
			return call(listDir, arguments{"path": g.where})
		}
		switch failed := done[0].Err != nil; {
		case failed && done[0].Refused:
			return say(u, done[0])
		case failed && g.logs:
			g.where = "" // there is no folder of that name: all the logs are meant
		}
		listing, done = decode[listResult](done[0]), done[1:]
	}
	return g.search(u, listing, done)
}

// search looks for the lines, from the strictest reading of them to the loosest,
// until there are any; and then counts them.
func (g report) search(u *utterance, listing listResult, done []loci.ToolResult) loci.Move {
	attempts := g.attempts(listing)
	for i, r := range done[:min(len(done), len(attempts))] {
		result := decode[searchResult](r)
		switch {
		case r.Err != nil || result.Lines == nil:
			return say(u, r)
		case *result.Lines > 0:
			return g.count(u, listing, attempts[i], done[i:])
		}
	}
	if len(done) < len(attempts) {
		return call(searchFiles, attempts[len(done)])
	}
	undated := g.undated()
	if len(done) == len(attempts) && undated != nil {
		return call(searchFiles, undated)
	}
	return g.none(u, searches{undated: done[len(done)-1]}, decode[searchResult](done[len(attempts)-1]).Note)
}

// none says that there are no such lines, and why perhaps.
func (g report) none(u *utterance, s searches, note string) loci.Move {
	parts := []string{noneToCount.In(u.Lang, g.title(u, ""))}
	t := g.tally(u, s)
	t.missing = ""
	parts = append(parts, t.notes(u)...)
	if note != "" {
		parts = append(parts, note)
	}
	if g.file != "" {
		parts = append(parts, notWritten.In(u.Lang, g.file))
	}
	return loci.Move{Say: strings.Join(parts, " ")}
}

// mostRows is how many values a table has at most.
const mostRows = 200

// count counts the lines that were found for each value of the field, if they tell
// it, or else for each file; done begins with the lines that were found. Where some
// logs have no line of the day, it is looked for lines without a date first.
func (g report) count(u *utterance, listing listResult, found arguments, done []loci.ToolResult) loci.Move {
	s := sift(done)
	undated := g.undated()
	if s.undated.Call.Name == "" && undated != nil && found["name"] == "" && othersThan(decode[searchResult](s.sample), listing) {
		return call(searchFiles, undated)
	}
	if expr := g.countedBy(s); expr != "" {
		found["group_by"], found["limit"] = expr, mostRows
		return call(searchFiles, found)
	}
	t := g.tally(u, s)
	switch {
	case s.failed.Call.Name != "":
		return say(u, s.failed)
	case t.total == 0:
		return g.none(u, s, "")
	case g.file == "":
		return loci.Move{Say: t.inChat(u)}
	case !u.offers(writeFile):
		return loci.Move{Say: t.inChat(u) + "\n" + cannotChange.In(u.Lang)}
	}
	return changing(writeFile, arguments{"path": g.file, "content": t.markdown(u)})
}

// countedBy is the expression of the next search that counts; empty if none is
// needed any more.
func (g report) countedBy(s searches) string {
	form, level := levels.of(g.text)
	module := slices.Contains(likeModule, g.field)
	var expr string
	switch {
	case s.failed.Call.Name != "":
	case level && module && s.counted.Call.Name == "":
		return byModule(form)
	case level && module && s.others.Call.Name == "" && !named(decode[searchResult](s.counted), form):
		return ofOtherLevel(form)
	case level && g.field == "file" && s.others.Call.Name == "":
		return ofOtherLevel(form)
	case module && level || g.field == "file" || s.counted.Call.Name != "" || s.others.Call.Name != "":
	case level:
		if expr = fieldIn(g.field, g.text, decode[searchResult](s.sample)); expr == "" {
			return ofOtherLevel(form)
		}
		return ofOtherLevel(form) + "|" + expr
	default:
		expr = fieldIn(g.field, g.text, decode[searchResult](s.sample))
	}
	return expr
}

// undated is the search for lines that have the word and no date; nil where no day
// is asked for.
func (g report) undated() arguments {
	word := wordForm(g.text, false)
	if g.day.IsZero() || word == "" {
		return nil
	}
	return arguments{"path": g.where, "content": word, "regexp": true, "case": true, "group_by": noDate, "limit": 20}
}

// written reads back what was written, and tells what is in it. All of it comes
// from the results: the yes may have come on another day.
func (g report) written(u *utterance, s searches, write loci.ToolResult, after []loci.ToolResult) loci.Move {
	meant := decode[writeArguments](loci.ToolResult{Data: write.Call.Arguments})
	title, _, _ := strings.Cut(strings.TrimPrefix(meant.Content, "# "), "\n")
	t := g.tally(u, s)
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
