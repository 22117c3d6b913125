package intent

import (
	"regexp"
	"slices"
	"strings"
)

// People say one thing in many ways, and say why. Where no rule knows the words as
// they were said, the same rules are tried on other wordings of them: in plainer
// verbs, without the reason that was given, or only the clause that asks. Each
// wording is made of the person's own words, but for the verb.

// plainer puts the beginning of a request in plainer words.
var plainer = rewritten("wording/plainer")

// verbs are what requests begin with. One that is misspelt is put right.
var verbs = strings.Fields("delete remove rename move replace change show list read open search find create write append calculate convert pause resume play skip launch start execute print what's which where how many")

// wellSpelt are words that a misspelt verb is not to be taken for.
var wellSpelt = strings.Fields("love more most rode mode code mean lead real ready road head dead lost last fine mind kind fund line live opens pen sport share shower slow snow know now shop shoe plan plat clay pray place slip ship skin starts stars state smart prince paint point wheat while witch whole there here were hot had hit low row cow man any money mary range chance charge white wrote writes whose whom deleted removed renamed moved replaced changed showed listed opened searched found")

// wordings are other wordings of what was said, the nearest to it first.
func (r *Router) wordings(u *utterance) []wording {
	var all []wording
	add := func(words, aside string, cut bool) {
		words = r.polite.trim(strip(words, tellMeThen))
		for _, w := range []string{words, r.polite.trim(plain(words))} {
			if w != "" && w != u.core && !slices.ContainsFunc(all, func(o wording) bool { return o.words == w }) {
				all = append(all, wording{w, aside, cut})
			}
		}
	}
	add(u.core, "", false)
	if m, ok := givenReason.match(u.core); ok {
		add(m["rest"], "", true)
	}
	clauses := clausesOf(u.core)
	if len(clauses) < 2 || len(clauses) > 4 {
		return all
	}
	if w := withName(clauses); w != "" {
		add(w, "", false)
	}
	if len(u.filesNamed()) > 1 { // a list, perhaps
		return all
	}
	last := len(clauses) - 1
	if m, ok := pointsTo.match(clauses[last]); ok && isKnownFile(m["file"]) {
		add(clauses[0]+" in "+m["file"], "", false)
	}
	add(clauses[last], strings.Join(clauses[:last], ", "), false)
	add(clauses[0], strings.Join(clauses[1:], ", "), true)
	if last > 1 {
		add(clauses[1], clauses[0]+", "+strings.Join(clauses[2:], ", "), true)
	}
	return all
}

// wording is a part of what was said, in words that the rules know.
type wording struct {
	words string
	aside string // the rest, which may take it back
	cut   bool   // the end is left out, which may belong to a text
}

// plain puts the beginning of a request in plainer words.
func plain(words string) string {
	words = plainer.of(words)
	first, rest, ok := strings.Cut(words, " ")
	if ok && len(first) > 3 && !slices.Contains(verbs, strings.ToLower(first)) && !slices.Contains(wellSpelt, strings.ToLower(first)) {
		for _, v := range verbs {
			if oneSlip(strings.ToLower(first), v) {
				return v + " " + rest
			}
		}
	}
	return words
}

// oneSlip tells whether a word is another but for one letter: left out, doubled,
// struck wrongly, or two that changed places. The first letter is seldom the one.
func oneSlip(word, of string) bool {
	a, b := []rune(word), []rune(of)
	if len(b) < 4 || a[0] != b[0] {
		return false
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) == len(b)+1:
		return string(a[i+1:]) == string(b[i:])
	case len(a) != len(b) || i == len(a):
		return false
	case string(a[i+1:]) == string(b[i+1:]):
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && string(a[i+2:]) == string(b[i+2:])
}

var (
	givenReason = wordsOf("wording/with a reason")
	unneeded    = patternFor("wording/not needed")
	pointsTo    = wordsOf("wording/points to a file")
	endsInFile  = wordsOf("wording/ends in a file")
	takesBack   = wordsOf("wording/takes it back")
	itsOrder    = wordsOf("wording/order about it")
	// clauseBreak is between two clauses.
	clauseBreak = regexp.MustCompile(`\s*(?:[.!?;:…]+|,|，|。|！|？|；|：)\s+|[，。！？；：]|\s+[-–—]+\s+|\.{2,}\s*`)
)

// clausesOf are the clauses of a sentence. What is in quotes is one word.
func clausesOf(words string) []string {
	hidden := anyQuoted.compiled().ReplaceAllStringFunc(words, func(s string) string { return strings.Repeat("x", len(s)) })
	var clauses []string
	from := 0
	for _, at := range clauseBreak.FindAllStringIndex(hidden, -1) {
		if c := strings.TrimSpace(words[from:at[0]]); c != "" {
			clauses = append(clauses, c)
		}
		from = at[1]
	}
	if c := strings.TrimSpace(words[from:]); c != "" {
		clauses = append(clauses, c)
	}
	return clauses
}

// withName puts the file that one clause names into the place of the pronoun in
// another: "a.txt can go, remove it". It gives nothing where it is not plain which.
func withName(clauses []string) string {
	for i, c := range clauses {
		m, ok := itsOrder.match(c)
		if !ok {
			continue
		}
		others := utterance{core: strings.Join(slices.Delete(slices.Clone(clauses), i, i+1), " , ")}
		if file := others.fileNamed(); file != "" && !takesBack.has(unneeded.compiled().ReplaceAllString(strings.Replace(others.core, file, "", 1), " ")) {
			return strings.TrimSpace(m["before"] + " " + quoteName(file) + " " + m["after"])
		}
	}
	return ""
}

// reworded gives the goal of the first other wording that a rule knows. What would
// change, run or send something must not be taken back by the rest of the words.
func (r *Router) reworded(u *utterance) goal {
	if (asksHow.has(u.core) || talkOpening.has(u.core) || ownToDo.has(u.core)) && u.path() == "" { // no other words for it are a request
		return nil
	}
	var weak goal
	for _, w := range r.wordings(u) {
		other := *u
		other.core, other.whole = w.words, w.words
		g := r.plainly(&other)
		if g == nil || isShrug(g) {
			continue
		}
		switch {
		case !acts(g):
		case takesBack.has(w.aside), !u.asked(g, u.named()), !endsInOrder(u, w), w.cut && g.first() == writeFile && !endsInFile.has(w.words):
			continue
		}
		if g == (contents{}) && w.aside != "" { // "list the files" says less than what was before
			weak = g
			continue
		}
		return g
	}
	return weak
}

// endsInOrder tells that a part of the words may be taken for an order: a sentence
// that ends in a question asks for something only in the part that it ends in.
func endsInOrder(u *utterance, w wording) bool {
	return w.aside == "" || !u.endsInQuestion() || strings.HasSuffix(strings.TrimRight(u.Text, " ?!."), w.words)
}

// actors are the tools that change, run or send something.
var actors = slices.Concat(changers, []string{runCommand, openApp, mediaControl, changeDB})

// changers are those of them that change files.
var changers = []string{writeFile, editFile, moveFile, deleteFile}

var (
	notAsked  = wordsOf("wording/not asked")
	ownToDo   = wordsOf("wording/own to do")
	reassures = wordsOf("wording/reassures")
)

// acts tells whether a goal changes, runs or sends something.
func acts(g goal) bool { return slices.Contains(actors, g.first()) }

// shrug is an honest sentence about words that look like a request and were not
// understood. Another wording of them may be.
type shrug struct{ saying }

func isShrug(g goal) bool { _, ok := g.(shrug); return ok }
