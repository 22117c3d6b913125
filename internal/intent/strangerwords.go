package intent

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"loci"
	"loci/internal/intent/fill"
)

// What the words of a request and of a stranger have in common. Meaning alone is too
// vague for what cannot be taken back: "Do you have a good memory?" is near to a tool
// that deletes memories.

// looking are the verbs of tools that only look, or work something out.
var looking = stemSet(`get fetch list search find view read look lookup query show check retrieve calculate compute convert translate
	describe tell count estimate determine identify return give obtain display provide predict analyze analyse detect solve evaluate
	compare summarize summarise extract measure recommend suggest explain access recall verify locate assess`)

// acting are verbs of effects.
var acting = stemSet(`set turn switch put delete remove erase forget drop cancel create add make open enter schedule start send mail email post publish
	book reserve order update change edit replace modify rename play stop pause save store remember write run execute buy purchase pay transfer
	invite share upload download install close lock unlock move copy generate submit apply enable disable roll
	control toggle trigger manage`)

// sameVerbs are verbs that people say for one another; so are all that look.
var sameVerbs = []map[string]bool{
	looking,
	stemSet("turn switch set put"), stemSet("delete remove erase forget drop discard"), stemSet("cancel delete call"),
	stemSet("create add make generate open enter schedule set start new note register file"), stemSet("send mail email message text shoot"),
	stemSet("book reserve order"), stemSet("update change edit replace modify set rename"), stemSet("play start put"),
	stemSet("save store remember keep add"), stemSet("run execute"), stemSet("post publish share"), stemSet("buy purchase order"),
}

// stemSet makes a set of the stems of words.
func stemSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[fill.Stem(w)] = true
	}
	return set
}

// idle are words that tell no tool from another.
var idle = stemSet(`a an the of for in on at to from by with and or is are be it its this that any some one given specified specific current
	latest new certain user person people client tool function use used using which what how when where who all more each their them they you your
	i me my not no if so can will do does as into about between optional only number`)

// stemsOf are the words of a text that say something, as stems.
func stemsOf(text string) (stems []string) {
	for w := range strings.FieldsFuncSeq(splitName(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if s := fill.Stem(strings.ToLower(w)); s != "" && !idle[s] {
			stems = append(stems, s)
		}
	}
	return stems
}

var humps = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// splitName parts the words of fromCurrency.
func splitName(s string) string { return humps.ReplaceAllString(s, "$1 $2") }

// said is what a stranger says of itself, by words.
type said struct {
	name, rest []string // stems of its name and of the first sentence of its description
	all        []string // and of what is read of that
}

func saidBy(t loci.ToolSpec) said {
	return said{name: stemsOf(t.Name), rest: stemsOf(firstWords(t)), all: stemsOf(t.Description[:min(len(t.Description), mostWords)])}
}

// verbs are the words that it does its work by, as far as they are known as verbs: one of
// its name, and the first of its description.
func (s said) verbs() (verbs []string) {
	isVerb := func(w string) bool { return looking[w] || acting[w] }
	if i := slices.IndexFunc(s.name, isVerb); i >= 0 {
		verbs = append(verbs, s.name[i])
	}
	if len(s.rest) > 0 && isVerb(s.rest[0]) {
		verbs = append(verbs, s.rest[0])
	}
	return verbs
}

// looks tells whether a stranger only looks: its verbs say so, or where it has none it
// speaks of looking and of no effect. What nobody can tell has effects.
func (s said) looks() bool {
	words := s.verbs()
	if len(words) == 0 {
		words = s.all
	}
	return shares(words, slices.Collect(maps.Keys(looking))) && !shares(words, slices.Collect(maps.Keys(acting)))
}

// wanting begins a wish that is an order all the same.
var wanting = newPattern(`^(?:i|we)(?:'d like| would like| want| need| have)(?: you)? to (?P<rest>\S.*)$`)

// orders tells whether a request begins with a verb of the stranger, as an order does.
func (s said) orders(core string) bool {
	if m, ok := wanting.match(core); ok {
		core = m["rest"]
	}
	first, _, _ := strings.Cut(core, " ")
	head := fill.Stem(strings.ToLower(first))
	if slices.Contains(s.name, head) {
		return true
	}
	verbs := s.verbs()
	return slices.ContainsFunc(verbs, func(verb string) bool { return alikeVerbs(head, verb) }) || len(verbs) == 0 && looking[head] && s.looks()
}

// tellsTool names a tool as whoever tries it does: "use the add tool to …".
var tellsTool = newPattern(`\b(?:use|call|using|invoke|run|with) (?:the |your )?(?P<name>\S+(?: \S+){0,3}?) (?:tool|function)\b`)

// asked tells whether a request says by name that the stranger is to be used.
func (s said) asked(core string) bool {
	m, ok := tellsTool.match(core)
	return ok && slices.Equal(stemsOf(m["name"]), s.name)
}

// shares tells whether two lists have a word in common.
func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// named tells whether a text has a word of the stranger that is none of its verbs.
func (s said) named(stems []string) bool {
	verbs := s.verbs()
	return slices.ContainsFunc(slices.Concat(s.name, s.rest), func(w string) bool {
		return !slices.Contains(verbs, w) && !looking[w] && slices.Contains(stems, w)
	})
}

// shared is, without meanings, how much of a stranger is in a text: its name, or most of
// it, and then what else it says of itself. It is made to be held against the same bounds.
func (s said) shared(stems []string) float64 {
	here, of, verbs := 0.0, 0.0, s.verbs()
	for _, w := range s.name {
		if looking[w] && len(s.name) > 1 {
			continue
		}
		of++
		if slices.ContainsFunc(stems, func(t string) bool { return t == w || slices.Contains(verbs, w) && alikeVerbs(t, w) }) {
			here++
		}
	}
	if of == 0 || here == 0 {
		return 0
	}
	score := 0.45 * here / of
	for _, w := range s.rest {
		if slices.Contains(stems, w) && !slices.Contains(s.name, w) {
			score += 0.05
		}
	}
	return min(score, 1)
}

// alikeVerbs tells whether people say one verb for another.
func alikeVerbs(a, b string) bool {
	return a == b || slices.ContainsFunc(sameVerbs, func(same map[string]bool) bool { return same[a] && same[b] })
}

// wishWords are the words by which a goal says that loci does not do something.
func wishWords(g goal) []string {
	var text string
	switch g := g.(type) {
	case saying:
		text = g.text
	case shrug:
		text = g.text
	}
	if !strings.HasPrefix(text, "I cannot ") && !strings.HasPrefix(text, "I do not know ") {
		return nil
	}
	text, _, _ = strings.Cut(text, ":")
	text, _, _ = strings.Cut(text, ", because")
	return stemsOf(text)
}
