package intent

import (
	"path/filepath"
	"slices"
	"strings"

	"loci"
)

// document is the goal of reading one text, to show it or to sum it up. Which
// one is given by path, or by its place: the newest file, or the nth of a list.
type document struct {
	path      string
	newest    bool
	nth       int // from 1; -1 is the last
	summarise bool
	ask       string // a question about the text; empty: none
	called    string // what the person calls it, where path is only a guess of its name
}

// maxTries is how many files are tried, where the newest are no texts. A turn has
// a dozen calls in all.
const maxTries = 8

// first is the tool that finds the text, or reads it if it is named.
func (g document) first() string {
	switch {
	case g.newest:
		return searchFiles
	case g.path == "":
		return listDir
	}
	return readFile
}

// next goes on from where the turn stands. A text that is named is read at once;
// one that is given by its place is looked up first, as is one that is not where
// it was said to be. Of what a look-up found, one file after the other is tried.
func (g document) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return g.begin()
	}
	last := done[len(done)-1]
	if last.Call.Name == readFile && last.Err == nil {
		return g.finish(u, last, done)
	}
	if i := slices.IndexFunc(done, func(r loci.ToolResult) bool { return r.Call.Name == readFile && r.Err == nil }); i >= 0 {
		return g.searched(u, decode[readResult](done[i]), last)
	}
	lookup := slices.IndexFunc(done, func(r loci.ToolResult) bool { return r.Call.Name != readFile })
	if lookup < 0 {
		return g.elsewhere(u, last)
	}
	return g.tryNext(u, done[:lookup+1], done[lookup+1:])
}

// begin is the first move.
func (g document) begin() loci.Move {
	switch {
	case g.newest:
		return call(searchFiles, arguments{"type": "file", "sort": "newest", "limit": 6 * maxTries})
	case g.path == "":
		return call(listDir, nil)
	}
	return call(readFile, arguments{"path": g.path})
}

// elsewhere is the move after a path could not be read: if it is a name alone,
// the file may be in another folder; otherwise it may be a folder itself.
func (g document) elsewhere(u *utterance, failed loci.ToolResult) loci.Move {
	switch {
	case failed.Refused:
	case !hasSeparator(g.path) && u.offers(searchFiles):
		name := g.path
		if i := strings.LastIndexByte(name, ' '); i >= 0 {
			name = name[i+1:] // the words before may not belong to the name
		}
		return call(searchFiles, arguments{"name": name, "type": "file", "limit": 10})
	case !isFile(g.path) && !g.summarise && u.offers(listDir):
		return call(listDir, arguments{"path": g.path})
	}
	return say(u, failed)
}

// tryNext is the move after a look-up, the last of the first calls, and after
// those of its files that were tried and could not be read.
func (g document) tryNext(u *utterance, first, tried []loci.ToolResult) loci.Move {
	places := g.candidates(first[len(first)-1])
	switch {
	case g.path != "" && len(places) > 1:
		return loci.Move{Say: whichOne.In(u.Lang, filepath.Base(g.path), len(places), strings.Join(places, "\n"))}
	case len(tried) < min(len(places), maxTries):
		return call(readFile, arguments{"path": places[len(tried)]})
	}
	return g.giveUp(u, first, tried)
}

// giveUp says why nothing was read: what is wrong with the file that was tried
// last; or else, of a path, why it could not be read in the first place, unless
// it is a folder, which was listed instead.
func (g document) giveUp(u *utterance, first, tried []loci.ToolResult) loci.Move {
	lookup := first[len(first)-1]
	switch {
	case len(tried) > 0:
		return say(u, tried[len(tried)-1])
	case g.called != "" && lookup.Err == nil:
		return loci.Move{Say: noPaper.In(u.Lang, g.called)}
	case g.path != "" && (lookup.Call.Name == searchFiles || lookup.Err != nil):
		return say(u, first[0])
	}
	return say(u, lookup)
}

// candidates are the files that a look-up found, best first.
func (g document) candidates(lookup loci.ToolResult) []string {
	switch {
	case lookup.Call.Name == searchFiles:
		return g.matching(decode[searchResult](lookup))
	case lookup.Call.Name == listDir && g.path == "":
		files := decode[listResult](lookup).files()
		if i := nthIndex(g.nth, len(files)); i >= 0 {
			return files[i : i+1]
		}
	}
	return nil
}

// matching are the files of a search. If some have the whole name that was given,
// those that have it in their name do not count; nor do those that programs
// write, where the newest is wanted.
func (g document) matching(result searchResult) []string {
	var all, exact []string
	for _, m := range result.Matches {
		name := filepath.Base(m.Path)
		if m.Type != "file" || g.newest && byProgram.has(filepath.ToSlash(m.Path)) {
			continue
		}
		all = append(all, m.Path)
		if strings.EqualFold(name, g.path) || strings.EqualFold(strings.TrimSuffix(name, filepath.Ext(name)), g.path) {
			exact = append(exact, m.Path)
		}
	}
	if g.newest {
		return byPeople(result, all)
	}
	if len(exact) > 0 {
		return exact
	}
	return all
}

// nthIndex is the index of the nth of count things, or -1.
func nthIndex(nth, count int) int {
	switch {
	case nth < 0:
		return count - 1
	case nth > count:
		return -1
	}
	return nth - 1
}

// Words that name a text by its place: in time, or in a list.
var (
	newestWords = newPattern(`^(?:what|everything|the thing|the text|the file|the note|that|whatever)(?: that)? (?:i|i've|i have)(?: just| last| recently)* (?:wrote|written|typed|saved|finished|edited|changed|worked on)(?: last| today| down)*$` +
		`|^(?:my |the )?(?:newest|latest|last|most recent|most recently changed)(?: text)? (?:file|note|document|text|one)$` +
		// Chinese
		`|^我?(?:刚|刚才|刚刚|最近|最后)(?:写|编辑|保存|修改|改)(?:好|完)?的?(?:东西|内容|文件|文章|笔记|那个文件)?$|^最新的?(?:那个)?(?:文件|笔记|文档)$` +
		// Czech
		`|^co jsem(?: teď| právě| naposledy| zrovna)* (?:na)?psala?(?: naposledy)?$|^(?:můj |ten )?(?:nejnovější|poslední) (?:soubor|dokument|poznámk\pL+)$`)
	nthWords = newPattern(`^(?:the |that )?(?P<n>first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|last)(?: one| file| document| of them)$` +
		// Chinese
		`|^第(?P<n>[一二三四五12345])个(?:文件)?$` +
		// Czech
		`|^(?:ten )?(?P<n>první|druhý|třetí|čtvrtý|pátý)(?: soubor| dokument)$`)
)

// ordinals are the numbers of places; the last is -1.
var ordinals = newLexicon(map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "last": -1,
	"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5,
	"první": 1, "druhý": 2, "třetí": 3, "čtvrtý": 4, "pátý": 5,
})

// document reads which text is meant out of words. It returns nil if they name none.
func (u *utterance) document(words string, summarise bool) goal {
	m, counted := nthWords.match(words)
	nth := ordinals.or(m["n"], 0)
	listed := u.listed()
	switch i := nthIndex(nth, len(listed)); {
	case counted && i >= 0:
		return document{path: listed[i], summarise: summarise}
	case newestWords.has(words):
		return document{newest: true, summarise: summarise}
	case counted:
		return document{nth: nth, summarise: summarise}
	}
	if name, ok := u.file(words); ok {
		return document{path: name, summarise: summarise}
	}
	if g, ok := u.paper(words); ok {
		g.summarise = summarise
		return g
	}
	return nil
}

// readRules ask for the text of a file. They come last, because what is shown or
// opened may also be a folder, a list or a search.
func readRules() []rule {
	return []rule{{newPatterns(
		`^what (?:does|do|did) (?P<what>.+?) (?:say|contain|read)$`,
		`^what(?:'s| is| was)(?: written| saved| stored| said)? (?:in|inside|on) (?P<what>.+)$`,
		`^(?:read|open|show|display|print|view|cat|type|see|look at|look into|get|less|more)(?: me| us)?(?: out)?(?: aloud)?(?: what's in| what is in| what is written in)? (?P<what>.+)$`,
		`^(?:i'd like|i would like|i want|i need) to (?:see|read|know|open)(?: what is| what's)?(?: written)?(?: in)? (?P<what>.+)$`,
		`^(?:the )?(?:contents?|text) of (?P<what>.+)$`,
		// Chinese
		`^(?:读一下|读取|读出|读|打开|看看|看一下|查看|显示|念一下|念)\s*(?P<what>.+?)\s*(?:的内容)?(?:给我看看|给我看)?$`,
		`^(?P<what>.+?)\s*(?:里面|里|中|上)?(?:都)?(?:写了|写着|写的是|说了|讲了|有|的内容是)(?:些)?(?:什么|啥)(?:内容)?$`,
		// Czech
		`^co (?:je|stojí|se píše)(?: napsáno| napsané| psáno)? (?:v|ve|uvnitř) (?P<what>.+)$`, `^co (?:říká|obsahuje) (?P<what>.+)$`,
		`^(?:přečti|otevři|ukaž|zobraz|vypiš|přečíst|otevřít)(?: mi| nám)? (?P<what>.+)$`,
	), func(u *utterance, m captures) goal {
		return u.document(m["what"], false)
	}}}
}
