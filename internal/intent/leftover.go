package intent

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"loci/internal/intent/fill"
	"loci/internal/lang"
)

// What a client's tool does cannot be taken back, and the client may run it without
// asking. So one with effects is called only where each word of the request is accounted
// for: by its verb, by its own words, or by an argument. What is left over says
// something that nobody understood: "Transfer 500 to Bob? No way!"

// harmless are words that change nothing about a request.
var harmless = wordSet(`a an the this that these those of for in on at to from by with and as into my our your his her their its it's it is be
	i we i'd we'd i'll me us you would like want need have please pls kindly just now some also then ok okay hey hi hello there here
	thanks thank for could can will right away id number no. nr named called titled name degree degrees percent new one another`)

// denying are words that take a request back, or are told of one that is not meant.
var denying = wordSet(`no not never don't dont cannot can't won't wouldn't shouldn't didn't doesn't isn't nope nah neither nor none nobody nothing without
	unless except instead kidding joking joke rather if avoid refuse wait`)

// ofMail are words for the same thing.
var ofMail = wordSet(`mail email`)

// nobodys are values that name nobody and nothing.
var nobodys = wordSet(`it this that them they him her he she everyone everybody everything someone somebody something anyone anybody anything nobody
	nothing none all any one each`)

// antonyms are words of which a tool that does one does not do the other.
var antonyms = pairs(`on off open close add remove add delete create delete insert remove lock unlock enable disable start stop increase decrease raise lower
	up down play pause play stop show hide mute unmute connect disconnect install uninstall subscribe unsubscribe follow unfollow block unblock archive unarchive
	buy sell send cancel book cancel accept reject accept decline approve reject allow deny allow block deposit withdraw lend borrow push pull import export
	upload download arm disarm activate deactivate attach detach pin unpin publish unpublish login logout engage disengage
	heat cool warm cool enter leave join leave`)

// pairs reads words two by two, and gives to each its opposites, as stems.
func pairs(words string) map[string][]string {
	opposite := map[string][]string{}
	all := strings.Fields(words)
	for i := 0; i+1 < len(all); i += 2 {
		a, b := fill.Stem(all[i]), fill.Stem(all[i+1])
		opposite[a], opposite[b] = append(opposite[a], b), append(opposite[b], a)
	}
	return opposite
}

// bareStems are all words of a text as stems, small ones too.
func bareStems(text string) (stems []string) {
	for w := range strings.FieldsFuncSeq(splitName(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		stems = append(stems, fill.Stem(strings.ToLower(w)))
	}
	return stems
}

// speaks finds the words by which a stranger says what it does and takes, and the names
// of what it takes as texts.
func (k *known) speaks() (own, takes []string) {
	var schema struct {
		Properties map[string]struct {
			Type        any
			Description string
		}
	}
	own = slices.Concat(bareStems(k.Name), bareStems(firstWords(k.ToolSpec)))
	if json.Unmarshal(k.Parameters, &schema) != nil {
		return own, nil
	}
	for name, p := range schema.Properties {
		own = append(own, slices.Concat(bareStems(name), bareStems(p.Description))...)
		if p.Type == "string" {
			takes = append(takes, strings.ToLower(name))
		}
	}
	return own, takes
}

// several tells whether a word is the plural of what a stranger takes one of, by a name:
// "the accounts of inactive users".
func several(w string, takes []string) bool {
	one, ok := strings.CutSuffix(w, "s")
	return ok && slices.Contains(takes, one)
}

// leftOver are the words of a request that a stranger does not account for.
func (k *known) leftOver() (over []string) {
	own, takes := k.speaks()
	verbs := k.verbs()
	for i, w := range k.left {
		w = strings.ReplaceAll(strings.ToLower(w), "-", "")
		s := fill.Stem(w)
		switch {
		case denying[w], several(w, takes):
			over = append(over, w)
		case harmless[w], slices.ContainsFunc(own, func(o string) bool { return o == s || len(o) > 3 && fill.Alike(o, s) || shortFor(o, s) }):
		case i < 2 && slices.ContainsFunc(verbs, func(v string) bool { return alikeVerbs(v, s) }):
		case slices.ContainsFunc(own, func(o string) bool { return ofMail[o] && ofMail[s] }):
		case bareWord(w) == "": // a mark between words
		default:
			over = append(over, w)
		}
	}
	return over
}

// shortFor tells whether one is short for the other.
func shortFor(a, b string) bool { return (len(a) < 4 || len(b) < 4) && fill.Alike(a, b) }

// bareWord is a word without marks.
func bareWord(w string) string {
	return strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// denied tells whether a request says that something is not to be done.
func (k *known) denied() bool {
	return slices.ContainsFunc(k.left, func(w string) bool {
		w = bareWord(strings.ToLower(w))
		return denying[w] || strings.HasSuffix(w, "n't")
	})
}

// opposed tells whether a request asks for the opposite of what a stranger does.
func (k *known) opposed() bool {
	own := slices.Concat(bareStems(k.Name), bareStems(firstWords(k.ToolSpec)))
	for _, w := range k.left {
		s := fill.Stem(strings.ToLower(w))
		if slices.Contains(own, s) {
			continue
		}
		if slices.ContainsFunc(antonyms[s], func(o string) bool { return slices.Contains(own, o) }) && !(harmless[strings.ToLower(w)] && !k.particle(s)) {
			return true
		}
	}
	return false
}

// particle tells whether a small word belongs to the verb of a stranger: on, of "turn on",
// where the stranger is one that turns off.
func (k *known) particle(s string) bool {
	return slices.ContainsFunc(antonyms[s], func(o string) bool { return slices.Contains(bareStems(k.Name), o) })
}

// vague tells whether an argument names nobody and nothing.
func (k *known) vague() bool {
	for _, v := range k.args {
		if text, ok := v.(string); ok && nobodys[strings.ToLower(text)] {
			return true
		}
	}
	return false
}

// givingBack are verbs of tools that give back something new, and change nothing.
var givingBack = stemSet(`generate`)

// makes tells whether a stranger only makes something to give back.
func (s said) makes() bool {
	verbs := s.verbs()
	return len(verbs) > 0 && !slices.ContainsFunc(verbs, func(v string) bool { return !givingBack[v] })
}

// sure tells whether nothing of a request speaks against a call. Of what only looks, not
// all needs to be understood.
func (k *known) sure(u *utterance) bool {
	switch {
	case k.opposed():
		return false
	case k.asked(u.core):
		return !k.denied()
	case k.looks():
		return true
	case k.makes():
		return !k.denied()
	}
	return !k.vague() && len(k.leftOver()) == 0
}

var stillNeeded = lang.Words{
	EN: "For %s I still need: %s.",
	ZH: "要使用 %s，我还需要：%s。",
	CS: "Pro %s ještě potřebuji: %s.",
}

var notUnderstood = lang.Words{
	EN: "I did not call %s, because I am not sure what “%s” means for it. Please say it in one plain sentence.",
	ZH: "我没有调用 %s，因为我不确定“%s”对它意味着什么。请用一句简单的话说明。",
	CS: "Nástroj %s jsem nezavolal, protože nevím, co pro něj znamená „%s“. Řekněte to prosím jednou prostou větou.",
}

// question asks for what a stranger needs that is clearly meant, or says what of the words
// stands in the way; "": it is not meant.
func (k *known) question(u *utterance) string {
	if k.bad || k.score < ordered || k.denied() || k.opposed() || !k.orders(u.core) {
		return ""
	}
	over := k.leftOver()
	if !k.named(stemsOf(maskNames(u.core))) && len(k.name) != 1 && (len(k.args) == 0 || len(over) > 0) {
		return ""
	}
	switch {
	case len(k.missing) > 0 && (len(over) == 0 || k.wish > 0):
		return stillNeeded.In(u.Lang, k.Name, strings.Join(k.missing, ", "))
	case len(k.missing) == 0 && len(over) > 0 && len(over) <= len(k.left)/2 && !k.looks() && len(k.args) > 0:
		return notUnderstood.In(u.Lang, k.Name, strings.Join(over, " "))
	}
	return ""
}
