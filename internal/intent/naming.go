package intent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// naming is what a person said, with a sign in the place of each thing that it names:
// "bin ‹file1›, it's empty". How people ask can then be told from what they ask about,
// and a pattern for it need not know how names are written.
type naming struct {
	of     string // the words as they were said
	words  string
	things map[string]string // by sign: as the person wrote it, without quotation marks
	files  []string          // signs, in the order of the words
	texts  []string          // signs of what is in quotation marks and no file
}

// Signs for things that are named. A thing has one sign, however often it is named.
const (
	fileSign   = "file"
	folderSign = "folder"
	textSign   = "text"
	pageSign   = "page"
)

var (
	anySign = regexp.MustCompile(`‹(?:file|folder|text|page)\d+›`)
	webPage = regexp.MustCompile(`(?i)(?:https?://|www\.)[^\s"'“”<>，。、（）]+`)
	quoted  = newPattern(inQuotes)
	// spacedMark is a mark that lost the word before it.
	spacedMark = regexp.MustCompile(` ([,;?.!])`)
	// aList is a file whose name has a word before it, as people name lists; the word
	// is none that stands before a name.
	aList = newPattern(`(?:^|\s)(?P<name>\pL[\pL-]{3,} list\.[a-z]\w{1,4})\b`)
	// notInName are words before a name that are no part of it.
	notInName = newPattern(`^(?:the|this|that|your|from|into|onto|with|open|read|show|delete|remove|trash|erase|move|rename|print|view|check|edit|change|update|file|document|onto|called|named|over|inside|under|about|what|does|list|please|append|also|and|then) `)
	// namedFolder are folders by the words that call them so, by their form, or because
	// everybody has them.
	namedFolder = []pattern{
		newPattern(`\b(?:(?:the|my|our|a|that|this|your) )*(?:[\w-]+ )??(?:folder|directory|dir) (?:called |named )?(?P<name>[\w./~-]*[\w/~])(?:$|[,.;:?!])`),
		newPattern(`\b(?:(?:the|my|our|that|this|your) )*(?P<name>[\w./~-]*[\w/~])(?:'s)? (?:folder|directory|dir|subfolder)\b`),
		newPattern(`(?:^|\s)(?P<name>~?(?:[\w.-]*/)+[\w.-]*)(?:$|[\s,;:?!])`),
		newPattern(`\b(?:in|into|inside|to|from|under|within|through|of|on) (?:(?:the|my|our) )?(?P<name>downloads?|documents|desktop|pictures|photos|music|videos)\b`),
		newPattern(`(?P<name>[\w./~-]+)\s*(?:这个)?(?:文件夹|目录)`),
		newPattern(`(?:složk\pL+|složce|adresář\pL*) (?P<name>[\pL\d./~_-]*[\pL\d/~_])`),
	}
	// noFolderName stands before the word folder and names none.
	noFolderName = newPattern(`^(?:the|a|an|my|this|that|same|whole|entire|current|other|another|new|old|right|empty|which|what|any|every|each|all|some|parent|home|working|source|main|first|or|and|of|in|is|are|it|same|one|still|now|please|then|too|again|already|here|there|instead|anyway|for|with|that|what|have|has|do|i|we|you|to|at|on|today|yesterday|exactly|right)$`)
)

// named are the words of the request with signs, made once.
func (u *utterance) named() naming {
	if u.signs == nil || u.signs.of != u.core {
		n := u.naming(u.core)
		u.signs = &n
	}
	return *u.signs
}

// Words that name something have one of these in them. Most have none, and the patterns
// need not be tried.
const signsOfNames = "./~\\\"'“„«「『‘`"

var wordsOfNames = strings.Fields("folder dir download document desktop picture photo music video readme makefile dockerfile changelog icen slož sloz adres 文件夹 目录")

// naming puts signs into words.
func (u *utterance) naming(words string) naming {
	n := naming{of: words, words: words, things: map[string]string{}}
	low := strings.ToLower(words)
	if !strings.ContainsAny(words, signsOfNames) && !slices.ContainsFunc(wordsOfNames, func(w string) bool { return strings.Contains(low, w) }) {
		return n
	}
	n.words = quoted.compiled().ReplaceAllStringFunc(n.words, func(s string) string {
		inner, ok := literal(s)
		if !ok || strings.TrimSpace(inner) == "" {
			return s
		}
		if isKnownFile(strings.TrimSpace(inner)) {
			return n.sign(fileSign, strings.TrimSpace(inner))
		}
		return n.sign(textSign, inner)
	})
	n.words = webPage.ReplaceAllStringFunc(n.words, func(s string) string {
		end := strings.TrimRight(s, ".,;:!?)")
		return n.sign(pageSign, end) + s[len(end):]
	})
	n.each(aList, func(name string) string {
		if notInName.has(name) {
			return ""
		}
		return n.sign(fileSign, name)
	})
	n.words = nameInText.compiled().ReplaceAllStringFunc(n.words, func(w string) string {
		name := strings.TrimRight(w, ".?!'")
		if anySign.MatchString(name) || !isKnownFile(name) && !(hasSeparator(name) && isFile(name)) {
			return w
		}
		return n.sign(fileSign, name) + w[len(name):]
	})
	for _, p := range namedFolder {
		n.each(p, func(name string) string {
			if noFolderName.has(name) || anySign.MatchString(name) || slashWords.MatchString(name) {
				return ""
			}
			return n.sign(folderSign, name)
		})
	}
	return n
}

// each puts a sign in the place of what a pattern captures as a name, with the words
// around it that the pattern takes to be a part of it. No sign leaves it as it is.
func (n *naming) each(p pattern, sign func(name string) string) {
	re := p.compiled()
	at := re.SubexpIndex("name")
	var b strings.Builder
	from := 0
	for _, m := range re.FindAllStringSubmatchIndex(n.words, -1) {
		name := n.words[m[2*at]:m[2*at+1]]
		s := sign(name)
		if s == "" {
			continue
		}
		whole := n.words[m[0]:m[1]]
		lead, tail := "", ""
		if p := prepositions.FindString(whole); p != "" {
			lead = p
		}
		if t := strings.TrimLeft(whole[strings.LastIndex(whole, name)+len(name):], " "); t != "" && strings.ContainsAny(t[len(t)-1:], ",.;:?! ") {
			tail = t[len(t)-1:]
		} else if strings.HasSuffix(whole, " ") {
			tail = " "
		}
		b.WriteString(n.words[from:m[0]] + lead + s + tail)
		from = m[1]
	}
	b.WriteString(n.words[from:])
	n.words = b.String()
}

// prepositions lead to a folder, or a space does.
var prepositions = regexp.MustCompile(`(?i)^(?:(?:in|into|inside|to|from|under|within|through|of|on) |\s)`)

// sign gives the sign of a thing, a new one if it was not named before.
func (n *naming) sign(kind, thing string) string {
	for s, t := range n.things {
		if t == thing && strings.HasPrefix(s, "‹"+kind) {
			return s
		}
	}
	s := fmt.Sprintf("‹%s%d›", kind, len(n.things)+1)
	n.things[s] = thing
	switch kind {
	case fileSign:
		n.files = append(n.files, s)
	case textSign:
		n.texts = append(n.texts, s)
	}
	return s
}

// said puts the things back into words.
func (n naming) said(words string) string {
	return anySign.ReplaceAllStringFunc(words, func(s string) string { return n.things[s] })
}

// without takes a thing out of the words, with what leads to it: "in ‹file1›, change a
// to b" is then "change a to b".
func (n naming) without(sign string) string {
	q := regexp.QuoteMeta(sign)
	for _, form := range []string{
		`(?i),? ?\b(?:in|inside|within|from|of|to|on|at|for|with)(?: (?:the|my|our|this|that|file|document|list|text))* ` + q,
		`(?i)(?:在|从|把|将)?\s*` + q + `\s*(?:这个)?(?:文件)?(?:里面的?|里的?|中的?|的)?`,
		`(?i)(?:^|\s)(?:v|ve|z|ze|do)(?: souboru)? ` + q,
		q,
	} {
		re := regexp.MustCompile(form)
		if re.MatchString(n.words) {
			out := re.ReplaceAllString(n.words, " ")
			return strings.Trim(spacedMark.ReplaceAllString(strings.Join(strings.Fields(out), " "), "$1"), " ,;:-–")
		}
	}
	return n.words
}

// only tells whether exactly one file is named, and which.
func (n naming) only() (string, bool) {
	if len(n.files) != 1 {
		return "", false
	}
	return n.things[n.files[0]], true
}

// names tells whether words have one of some kinds of things in them.
func (n naming) names(kinds ...string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return strings.Contains(n.words, "‹"+k) })
}

// first is the first thing of a kind that is named, or none.
func (n naming) first(kind string) string {
	at := strings.Index(n.words, "‹"+kind)
	if at < 0 {
		return ""
	}
	return n.things[anySign.FindString(n.words[at:])]
}
