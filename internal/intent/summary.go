package intent

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/lang"
)

const (
	// maxSummary is how many characters of a text a small model is given: about
	// 1,000 tokens, which fits beside the prompt into the smallest window in use
	// (2,048). Chinese takes about a token for each character.
	maxSummary   = 3500
	maxSummaryZH = 900
	// ownWords is the number of weights from which a model is trusted to sum up
	// in its own words. A smaller one is spared: the text's own sentences tell.
	ownWords = 300_000_000
	maxKey   = 3 // of those sentences

	wholeLines = 8   // a text of so few lines needs no summary
	wholeText  = 600 // and bytes
)

// finish is the move when the text is there. A text is shown as it is, without
// the model, which would change it; only a summary may be the model's to write.
func (g document) finish(u *utterance, read loci.ToolResult, done []loci.ToolResult) loci.Move {
	page := decode[readResult](read)
	switch {
	case g.ask != "":
		return g.answer(u, read)
	case !g.summarise || strings.TrimSpace(page.Text) == "":
		return say(u, read)
	case isLog.has(page.Path) && u.offers(searchFiles):
		return call(searchFiles, arguments{"path": page.Path, "group_by": fieldForms["level"], "count": true})
	}
	return g.sumUp(u, page, done)
}

// isLog is the path of a log, of which sentences say nothing.
var isLog = newPattern(`\.log$`)

// searched is the move when the text of a file was searched after it was read: for
// the words of a question, or for the levels of a log.
func (g document) searched(u *utterance, page readResult, search loci.ToolResult) loci.Move {
	if g.ask != "" {
		return g.quote(u, page, best(hits(search), askedWords(g.ask)))
	}
	result := decode[searchResult](search)
	if len(result.Groups) == 0 {
		return g.sumUp(u, page, nil)
	}
	levels := make([]string, len(result.Groups))
	for i, p := range result.Groups {
		levels[i] = fmt.Sprintf("%s: %d", p.Value, p.Lines)
	}
	return loci.Move{Say: logLevels.In(u.Lang, filepath.Base(page.Path), strings.Join(levels, ", "))}
}

// sumUp makes the summary. What is short is shown whole, and a model that would
// make things up has no part in it.
func (g document) sumUp(u *utterance, page readResult, done []loci.ToolResult) loci.Move {
	text := []rune(strings.TrimSpace(page.Text))
	limit := maxSummary
	if lang.Of(page.Text) == lang.Chinese {
		limit = maxSummaryZH
	}
	head := filepath.Base(page.Path)
	if when := changedAt(u, page.Path, done); when != "" {
		head += " (" + when + ")"
	}
	if len(text) > limit || page.Pages > 1 {
		text = text[:min(len(text), limit)]
		head += beginningOnly.In(u.Lang)
	}
	if (u.Params == 0 || u.Params >= ownWords) && u.speaks(lang.Of(page.Text)) {
		return loci.Move{Talk: &loci.Talk{Instruction: summariseThis.In(u.Lang, string(text)), Lead: head + ":\n"}}
	}
	if strings.Count(string(text), "\n") < wholeLines && len(string(text)) <= wholeText {
		return loci.Move{Say: head + ":\n" + string(text)}
	}
	key := keySentences(string(text), maxKey)
	return loci.Move{Say: head + keyOnly.In(u.Lang) + "\n" + strings.Join(key, "\n")}
}

// changedAt is when a file that was searched for was changed, in words.
func changedAt(u *utterance, path string, done []loci.ToolResult) string {
	var result searchResult
	for _, r := range done {
		if r.Call.Name == searchFiles {
			result = decode[searchResult](r)
		}
	}
	for _, m := range result.Matches {
		if t := m.Modified.In(u.Now.Location()); filepath.Base(m.Path) == filepath.Base(path) && !t.IsZero() {
			if t.Format(time.DateOnly) == u.Now.Format(time.DateOnly) {
				return todayAt.In(u.Lang, t.Format("15:04"))
			}
			return t.Format("2006-01-02 15:04")
		}
	}
	return ""
}

// byProgram are files that programs write, not people: logs, what is hidden, and
// what a build leaves.
var byProgram = newPattern(`(?:^|/)(?:\.|(?:node_modules|__pycache__|target|dist|build|out|obj|bin|vendor)/)|\.(?:log|out|tmp|lock|pyc|o|a|so|class|exe|dll|swp)$|~$`)

// writing are the endings of texts that people write.
var writing = newPattern(`\.(?:txt|md|markdown|rst|tex|rtf|docx?|odt|org)$`)

// byPeople puts texts that people write before other files of the same second.
func byPeople(result searchResult, paths []string) []string {
	second := map[string]int64{}
	for _, m := range result.Matches {
		second[m.Path] = m.Modified.Unix()
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		switch {
		case second[a] != second[b]:
			return cmp.Compare(second[b], second[a])
		case writing.has(a) && !writing.has(b):
			return -1
		case writing.has(b) && !writing.has(a):
			return 1
		}
		return 0
	})
	return paths
}

// summaryRules ask for a short form of a text. Without a text that can be named
// there is nothing to read, and the model may know the subject.
func summaryRules() []rule {
	return []rule{{newPatterns(
		`^(?:summari[sz]e|sum up|shrň|give me a summary of|read|show me)(?: me)? (?:all|every|each|all of|všechny)(?: of)?(?: my| the| these)? (?:files?|documents?|notes|soubory)(?: .*)?$`, `^(?:总结|概括)(?:一下)?(?:我的)?所有(?:的)?文件$`,
	), func(*utterance, captures) goal {
		return calls{oneAtATime, []oneCall{{tool: listDir}}}
	}}, {newPatterns(
		`^(?:summari[sz]e|sum up|tl;?dr(?: of)?|recap|(?:give me|write|make|i need|get me) (?:a |the )?(?:short |brief |quick )*(?:summary|gist|overview) of|what(?:'s| is) the (?:gist|summary) of|(?:short |brief )?summary of) (?P<what>.+)$`,
		// Chinese
		`^(?:总结|概括|归纳|概述)(?:一下)?\s*(?P<what>.+?)\s*(?:的内容)?$`, `^(?P<what>.+?)的(?:摘要|总结|概要)$`,
		// Czech
		`^(?:shrň|shrnout|sesumarizuj|stručně shrň|udělej(?: mi)? souhrn)(?: mi)?,? (?P<what>.+)$`,
	), func(u *utterance, m captures) goal { return u.document(strip(m["what"], shortly), true) }}}
}

// shortly is how a summary shall be, which the words for the text do not need.
var shortly = newPattern(`^(?P<rest>.*?\S)(?:,)? (?:in (?:one|a|1|two|2|three|3|a few|few|\d+) (?:sentences?|words?|lines?|paragraphs?|bullet points)|briefly|shortly|in short|quickly|v jedné větě|stručně|jednou větou)$`)
