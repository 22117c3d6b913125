package intent

import (
	"cmp"
	"strings"

	"loci"
	"loci/internal/lang"
)

// comparison is the goal of telling which of two files is larger, or older.
type comparison struct {
	a, b  string
	word  string // larger, smaller, newer or older
	yesNo bool   // whether a is so, not which of them
}

var (
	// comparatives are the words for a comparison, by what is compared.
	comparatives = newLexicon(map[string]string{
		"bigger": "larger", "larger": "larger", "longer": "larger", "heavier": "larger", "greater": "larger", "smaller": "smaller", "shorter": "smaller", "lighter": "smaller",
		"newer": "newer", "younger": "newer", "more recent": "newer", "later": "newer", "older": "older",
		"大": "larger", "长": "larger", "小": "smaller", "短": "smaller", "新": "newer", "旧": "older", "老": "older",
		"větší": "larger", "delší": "larger", "menší": "smaller", "kratší": "smaller", "novější": "newer", "starší": "older",
	})
	yesWord   = lang.Words{EN: "Yes.", ZH: "是的。", CS: "Ano."}
	noWord    = lang.Words{EN: "No.", ZH: "不是。", CS: "Ne."}
	neither   = lang.Words{EN: "They are equal in that.", ZH: "两者相同。", CS: "V tom jsou stejné."}
	thatIsThe = lang.Words{EN: "That is %s.", ZH: "是 %s。", CS: "Je to %s."}
)

const (
	comparative   = `(?P<word>bigger|larger|longer|heavier|greater|smaller|shorter|lighter|newer|younger|more recent|later|older)`
	comparativeCS = `(?P<word>větší|delší|menší|kratší|novější|starší)`
)

// compareRules ask how two files stand to each other. What their texts have in
// common is not told, but both are shown.
func compareRules() []rule {
	return []rule{
		{newPatterns(
			`^(?P<is>is|was)(?: the)?(?: file)? (?P<a>\S.*?) `+comparative+` than(?: the)?(?: file)? (?P<b>\S.*)$`,
			`^(?:which|what)(?: one| file| of them)?(?: is|'s)(?: the)? `+comparative+`(?: one| file)?[,:;]? (?P<a>\S.*?),? or (?P<b>\S.*)$`,
			`^(?P<a>\S+?)\s*(?P<is>比)\s*(?P<b>\S+?)\s*(?P<word>大|长|小|短|新|旧|老)(?:吗)?$`,
			`^(?P<is>je)(?: soubor)? (?P<a>\S+) `+comparativeCS+` než(?: soubor)? (?P<b>\S+)$`, `^(?:který|co)(?: soubor)? je `+comparativeCS+`[,:]? (?P<a>\S+?),? nebo (?P<b>\S+)$`,
		), func(_ *utterance, m captures) goal {
			a, b, ok := twoFiles(m)
			if !ok {
				return nil
			}
			return comparison{a, b, comparatives.or(m["word"], ""), m["is"] != ""}
		}},
		{newPatterns(
			`^(?:are|is)(?: the)?(?: files)? (?P<a>\S.*?) (?:and|or|to) (?P<b>\S.*?) (?:both )?(?:(?:exactly )?the same|identical|equal|different|alike|similar|duplicates|copies)(?: .*)?$`,
			`^(?:is|are) (?P<a>\S.*?)(?: a)? (?:(?:the )?same as|identical to|equal to|different (?:from|to|than)|similar to|(?:copy|duplicate) of) (?P<b>\S.*)$`,
			`^(?:do|does) (?P<a>\S.*?) (?:and|or) (?P<b>\S.*?) (?:differ|match|agree|have the same .+|say the same(?: .*)?)$`, `^does (?P<a>\S.*?) (?:differ from|match) (?P<b>\S.*)$`,
			`^(?:what are|is there|are there|what(?:'s| is))(?: the| a| any)* differences? between (?P<a>\S.*?) and (?P<b>\S.*)$`, `^how (?:does|do|is|are) (?P<a>\S.*?) (?:and|differ from|different from|compared? to) (?P<b>\S.*?)(?: differ| different)?$`,
			`^(?P<a>\S+?)\s*(?:和|与|跟)\s*(?P<b>\S+?)\s*(?:一样|相同|是否相同|是否一样|有(?:什么)?(?:区别|不同|差别))(?:吗)?$`,
			`^(?:jsou|je)(?: soubory)? (?P<a>\S+) (?:a|jako|se?) (?P<b>\S+) (?:stejné|stejný|totožné|shodné|odlišné|různé)$`, `^(?:jaký|v čem) je rozdíl mezi (?P<a>\S+) a (?P<b>\S+)$`,
		), func(_ *utterance, m captures) goal {
			a, b, ok := twoFiles(m)
			if !ok {
				return nil
			}
			read := func(path string) oneCall { return oneCall{tool: readFile, args: arguments{"path": path}} }
			return calls{bothHere, []oneCall{read(a), read(b)}}
		}},
	}
}

// twoFiles are the two files that are compared, if both are surely files.
func twoFiles(m captures) (a, b string, ok bool) {
	a, _ = unquote(m["a"])
	b, _ = unquote(m["b"])
	return a, b, isKnownFile(a) && isKnownFile(b)
}

// first is the tool that knows sizes and dates.
func (comparison) first() string { return searchFiles }

// next looks both up, and tells with the sizes and dates of both.
func (g comparison) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) < 2 {
		return call(searchFiles, arguments{"path": []string{g.a, g.b}[len(done)], "type": "file"})
	}
	a, b := decode[searchResult](done[0]).Matches, decode[searchResult](done[1]).Matches
	for i, found := range [][]foundFile{a, b} {
		if len(found) != 1 {
			return say(u, done[i])
		}
	}
	order := cmp.Compare(a[0].Size, b[0].Size)
	if g.word == "newer" || g.word == "older" {
		order = a[0].Modified.Compare(b[0].Modified.Time)
	}
	if g.word == "smaller" || g.word == "older" {
		order = -order
	}
	return loci.Move{Say: strings.Join([]string{g.verdict(u, order), sizeAndTime(u, done[0]), sizeAndTime(u, done[1])}, "\n")}
}

// verdict is the answer in short; order is above 0 if a is what was asked for.
func (g comparison) verdict(u *utterance, order int) string {
	switch {
	case g.yesNo && order > 0:
		return yesWord.In(u.Lang)
	case g.yesNo:
		return noWord.In(u.Lang)
	case order == 0:
		return neither.In(u.Lang)
	case order > 0:
		return thatIsThe.In(u.Lang, g.a)
	}
	return thatIsThe.In(u.Lang, g.b)
}
