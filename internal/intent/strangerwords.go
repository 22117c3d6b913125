package intent

import (
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
var looking = wordSet(`get fetch list search find view read look lookup query show check retrieve calculate compute convert translate
	describe tell count estimate determine identify return give obtain display provide predict analyze analyse detect solve evaluate
	compare summarize summarise extract measure recommend suggest explain access recall`)

// sameVerbs are verbs that people say for one another. Each word counts for itself in
// any case.
var sameVerbs = []map[string]bool{
	wordSet("turn switch set put"), wordSet("delete remove erase forget drop discard"), wordSet("cancel delete call"),
	wordSet("create add make open enter schedule set start new note register file"), wordSet("send mail email message text shoot"),
	wordSet("book reserve order"), wordSet("update change edit replace modify set rename"), wordSet("play start put"),
	wordSet("save store remember keep add"), wordSet("run execute"), wordSet("post publish share"), wordSet("buy purchase order"),
}

// wordSet makes a set of the stems of words.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[fill.Stem(w)] = true
	}
	return set
}

// idle are words that tell no tool from another.
var idle = wordSet(`a an the of for in on at to from by with and or is are be it its this that any some one given specified specific current
	latest new certain user person people client tool function use used using which what how when where who all more each their them they you your
	i me my not no if so can will do does as into about between optional only number`)

// wordsOf are the words of a text that say something, as stems.
func wordsOf(text string) (stems []string) {
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
}

func saidBy(t loci.ToolSpec) said {
	return said{name: wordsOf(t.Name), rest: wordsOf(firstWords(t))}
}

// verbs are the words that it does its work by: the first of its name and of its
// description.
func (s said) verbs() (verbs []string) {
	for _, words := range [][]string{s.name, s.rest} {
		if len(words) > 0 {
			verbs = append(verbs, words[0])
		}
	}
	return verbs
}

// looks tells whether a stranger only looks: its first word, of name or description,
// says so, and none says otherwise.
func (s said) looks() bool {
	verbs := s.verbs()
	for _, v := range verbs {
		if acting[v] {
			return false
		}
	}
	return slices.ContainsFunc(verbs, func(v string) bool { return looking[v] })
}

// acting are verbs of effects.
var acting = wordSet(`set turn switch put delete remove erase forget drop cancel create add make open enter schedule start send mail email post publish
	book reserve order update change edit replace modify rename play stop pause save store remember write run execute buy purchase pay transfer
	invite share upload download install close lock unlock move copy generate book submit apply enable disable roll`)

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
	for _, verb := range s.verbs() {
		if head == verb || slices.ContainsFunc(sameVerbs, func(same map[string]bool) bool { return same[head] && same[verb] }) {
			return true
		}
	}
	return false
}

// named tells whether a text has a word of the stranger that is not its verb.
func (s said) named(stems []string) bool {
	verbs := s.verbs()
	return slices.ContainsFunc(slices.Concat(s.name, s.rest), func(w string) bool {
		return !slices.Contains(verbs, w) && !looking[w] && slices.Contains(stems, w)
	})
}
