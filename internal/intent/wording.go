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

// plainer are the words that begin requests, and the plain ones for them. They are
// applied in order, so that one may prepare the next.
var plainer = []struct {
	pattern pattern
	word    string
}{
	{newPattern(`^(?:(?:i(?:'d| would) (?:like|love) (?:you )?to|i (?:want|need|have|wanna) (?:you )?to|i(?:'ll| will) need you to|i was wondering if you could|would you mind|do you mind|be so kind (?:and|as to)|go ahead and|feel free to|make sure to|be a dear and|help me(?: to)?|would it be possible to|is it possible to|any chance you could|mind|just|please|kindly|can we|could we|shall we|maybe|so|well|hm+|um+|oh|ah|right|sorry|dude|mate|man|buddy|yo|now|pls|plz),? )+`), ""},
	{newPattern(`^(know|find out|see|check|figure out|learn) (what|which|how|where|who|when|whether|if)\b`), "$2"},
	{newPattern(`^(?:whats|what s|wats|wat is|wut is)\b`), "what's"},
	{newPattern(`^(where|who|how|when)(?:s| s) `), "$1's "},
	{newPattern(`^(?:gimme|gime|giv me) `), "give me "},
	{newPattern(`^(?:lemme|let me) (?:see|read|look at|view) `), "show me "},
	{newPattern(`^(?:get rid of|chuck(?: out| away)?|throw (?:out|away)|toss(?: out| away)?|bin|dump|ditch|scrap|wipe|nuke|discard|dispose of|zap|destroy|clear away|unlink|del|rm(?: -\w+)?|put in the trash) `), "delete "},
	{newPattern(`^(throw|put|move|send|toss) (\S+) (?:away|out|(?:in|into|to) the (?:trash|bin|recycle bin|rubbish))$`), "delete $2"},
	{newPattern(`^(\S+\.\w+) (?:belongs|should (?:be|go|live)|goes|needs to go) (?:in|into|to|under) (.+?),? (?:so )?(?:please )?(?:move|put) it there$`), "move $1 to $2"},
	{newPattern(`^(?:take|grab|get) (\S+\.\w+) and (?:put|move|stick|place|drop) it (?:in|into|to|under|inside) (.+)$`), "move $1 to $2"},
	{newPattern(`^(move \S+) from here `), "$1 "},
	{newPattern(`^(?:give|change) (?:the )?(?:file )?(\S+\.\w+) (?:a|the) (?:new|different|another) name[:,]? (?:to )?(\S+\.\w+)$`), "rename $1 to $2"},
	{newPattern(`^do (?:a|an|the) ((?:git|npm|make|cargo|docker|pip) .+)$`), "run $1"},
	{newPattern(`^(?:launch|start|kick off|fire off|do|perform) ((?:git|npm|make|cargo|docker|pip3?|pytest|python3?|go) .+)$`), "run $1"},
	{newPattern(`^change (?:the )?(?:file ?name|name)(?: of)?(?: the file)? (\S+\.\w+) (?:to|into) (\S+\.\w+)$`), "rename $1 to $2"},
	{newPattern(`^mv (\S+) (\S+)$`), "move $1 to $2"},
	{newPattern(`^(?:stick|put|shift|relocate|transfer|drop|drag|stash|tuck|bring|pop|throw|take|store) (.+? (?:to|into|in|inside|under) (?:the |my )?\S+(?: folder| directory)?)$`), "move $1"},
	{newPattern(`^(move \S+) (?:over to|inside of|down to|up to|across to|back to|out to|over into) `), "$1 to "},
	{newPattern(`^(?:call|name|retitle|relabel) (\S+\.\w+) (\S+\.\w+)(?: from now on| instead| now)?$`), "rename $1 to $2"},
	{newPattern(`^(?:call|name|rename|retitle) (\S+\.\w+)(?: (?:to|as|into|as in|->|=>))? (\S+\.\w+)(?: from now on| instead| now)?$`), "rename $1 to $2"},
	{newPattern(`^(?:give|change) (?:the )?(?:file )?(\S+\.\w+) (?:the|its|a) (?:new )?name (?:to )?(\S+\.\w+)$`), "rename $1 to $2"},
	{newPattern(`^change (?:the )?(?:file ?)?name (?:of )?(?:the file )?(\S+\.\w+) (?:to|into) (\S+\.\w+)$`), "rename $1 to $2"},
	{newPattern(`^(\S+\.\w+) should (?:now )?be (?:called|named) (\S+\.\w+)$`), "rename $1 to $2"},
	{newPattern(`^(?:append|add|tack|put|write|insert|jot)(?: down)?(?: an?| the| one)?(?: new| extra| more)* (?:line|item|entry|note|sentence|task|row|todo)(?:,? (?:saying|that says|reading|with(?: the text)?|containing|which says))?:? (.+?),? (?:to|at|on|onto|in|into)(?: the (?:end|bottom|very end)(?: of)?)?(?: the)?(?: file)? (\S+\.\w+)$`), "add $1 to $2"},
	{newPattern(`^(?:tack|stick|jot|put|write|insert)(?: down)? (.+?),? (?:to|at|on|onto|in|into) the (?:end|bottom|very end)(?: of)?(?: the)?(?: file)? (\S+\.\w+)$`), "add $1 to $2"},
	{newPattern(`^(?:have|take|having|taking|get) (?:a |another )?(?:quick )?(?:look|peek|glance) (?:at|into|in|inside|through) `), "look in "},
	{newPattern(`^(?:peek|glance|go|dig|dive) (?:at|into|in|inside|through) `), "look in "},
	{newPattern(`^(?:check out|pull up|bring up|open up|dig up|grab|fetch|get|display|dump|print(?: out)?|output|view|cat|type out|spit out|hand me|give me|let's see|let me have)(?: me)? `), "show me "},
	{newPattern(`^(show me .+?) (?:to|on) (?:the |my )?(?:screen|terminal|console)$`), "$1"},
	{newPattern(`^(?:fire up|boot up|bring up|start up|kick off|pull up|load up|spin up|run|launch|begin|open up|switch on|turn on) `), "start "},
}

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
	for _, p := range plainer {
		words = p.pattern.compiled().ReplaceAllString(words, p.word)
	}
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
	// givenReason ends a request with why it is made.
	givenReason = newPattern(`^(?P<rest>.{4,}?)(?:,|;| -| –|[.!]+| because| since| cause| cuz| as) ?(?:(?:because|since|as|cause|so) )?(?:it(?:'s| is|s| was| has| takes| contains)|that(?:'s| is|s| was)|they(?:'re| are)|i (?:don't|do not|dont|no longer|never|really don't|won't|just|have|am|can't|think it) |i(?:'m|'ve|m) |we (?:don't|no longer|have) |there(?:'s| is|s) |nobody |no one |thanks|thank you|cheers|so (?:that )?(?:i|we) |to (?:save|free|make|keep|clean) |in case |if (?:you can|possible|that's ok)|when you (?:can|have)|would you|will you|ok|okay|right|dear|mate|buddy|my friend|而且|因为|už (?:ho|ji|to|je) ).*$|^(?P<rest>.{4,}?),? (?:would you|will you|can you|could you|if you can|if possible|permanently|for good|forever|completely|entirely|and don't ask(?: me)?|without asking|for ever|asap|right away|real quick|quickly|a bit|a little|immediately|once more|again|for a (?:sec|second|moment|while|minute)|from now on|at once|this instant|will ya|ta|thx)$`)
	// unneeded is a reason to take something away, in spite of its no.
	unneeded = newPattern(`\b(?:i |we |you |is|nobody |it'?s? |it is )*(?:don't|do not|dont|no longer|isn't|is not|not|won't|never) (?:need|want|use|require)\w*|\b(?:no longer|any ?more|not) (?:needed|used|useful|wanted)|už (?:ho|ji|to)? ?nepotřebuj\pL*`)
	// pointsTo is a clause that says which file another one is about.
	pointsTo   = newPattern(`^(?:it's|it is|that's|that is|see|it's in|it is in|look in|look at|in|from|the file is|i mean|it's called|check|that would be|namely)(?: the)?(?: file)? (?P<file>\S+\.\w+)$`)
	endsInFile = newPattern(`\.[a-z]\w{0,7}["”]?$`)
	// clauseBreak is between two clauses.
	clauseBreak = regexp.MustCompile(`\s*(?:[.!?;:…]+|,|，|。|！|？|；|：)\s+|[，。！？；：]|\s+[-–—]+\s+|\.{2,}\s*`)
	// takesBack are words by which an order is none.
	takesBack = newPattern(`\b(?:don't|do not|dont|never|not|no|if|would|wouldn't|should|shouldn't|suppose|imagine|maybe|wonder\w*|said|says|told|asked|think|used to|why|how|what if|joke|joking|kidding|story|book|film|movie|he|she|they|yesterday)\b|[?]|不|别|如果|假如|(?:^| )(?:ne|kdyby|pokud|jestli|nechci|včera)(?: |$)|(?:^| )ne\pL{4,}`)
	// itsOrder is an order about what another clause names.
	itsOrder = newPattern(`^(?P<before>(?:please )?(?:delete|remove|erase|trash|bin|get rid of|throw|rename|move|read|show(?: me)?|open|print|smaž|přečti|ukaž|přesuň|přejmenuj)) (?:it|this|that|that one|the file|ho|jej|to)(?P<after>$| .*$)`)
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
			return strings.TrimSpace(m["before"] + " " + quoteName(file) + m["after"])
		}
	}
	return ""
}

// reworded gives the goal of the first other wording that a rule knows. What would
// change, run or send something must not be taken back by the rest of the words.
func (r *Router) reworded(u *utterance) goal {
	if (asksHow.has(u.core) || talkOpening.has(u.core)) && u.path() == "" { // no other words for it are a request
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
		case takesBack.has(w.aside), !endsInOrder(u, w), w.cut && g.first() == writeFile && !endsInFile.has(w.words):
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
	return w.aside == "" || !strings.HasSuffix(strings.TrimSpace(u.Text), "?") || strings.HasSuffix(strings.TrimRight(u.Text, " ?!."), w.words)
}

// actors are the tools that change, run or send something.
var actors = []string{writeFile, editFile, moveFile, deleteFile, runCommand, openApp, mediaControl, changeDB}

var (
	// notAsked begins what forbids something, or only thinks of it.
	notAsked = newPattern(`^(?:(?:please|but|and|no|so|well)[, ]+)*(?:don't|do not|dont|never|let's not|nobody|no one|how (?:would|do|does|did|should|can|could) (?:i|we|you|one|people|they|someone)|should (?:i|we|one)|would (?:i|we|it|you mind if)|what (?:if|happens|would happen|about if)|if (?:i|we|you|he|she|they|someone|it) |imagine|suppose|pretend|why (?:would|do|does|did|should|not)|i (?:don't|do not|didn't|won't|never|wouldn't) )|^(?:请)?(?:不要|别|不用|如果|假如|为什么|怎么)|^(?:ne\pL{3,}|kdyby\pL*|proč|jak bych|co když) `)
	// reassures begins with a no that forbids nothing.
	reassures = newPattern(`^(?:don't|do not|dont|never) (?:worry|mind|bother|forget to|hesitate)|^(?:i (?:don't|do not|dont|no longer|never|didn't|won't) (?:like|need|want|use|care|enjoy|have|know|think|mind|hear|remember)|nevím|nemám|nechci|nelíbí) `)
)

// acts tells whether a goal changes, runs or sends something.
func acts(g goal) bool { return slices.Contains(actors, g.first()) }

// shrug is an honest sentence about words that look like a request and were not
// understood. Another wording of them may be.
type shrug struct{ saying }

func isShrug(g goal) bool { _, ok := g.(shrug); return ok }
