package fill

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// spanKind is what a span can be a value of.
type spanKind int

const (
	aNumber spanKind = 1 << iota
	aText
	aName // a text in capitals: of a person, a place, a work
	aQuote
	aDate
	aRest // of the sentence, after a word such as for: what is searched for
	aSaid // of the sentence, after a word such as saying: what is to be written
)

// span is a part of a sentence that may be a value.
type span struct {
	index      int // in the sentence's list
	kind       spanKind
	text       string // without quotation marks
	start, end int    // words that it covers: start is the first, end is after the last
	cue        int    // where the words begin that led to it
	number     float64
	unit       string // the letters at the end of a number: kg
	percent    bool
	written    bool // it is a number in words
}

func (a span) overlaps(b span) bool { return a.start < b.end && b.start < a.end }

// sentence is what a person said, in words and in spans.
type sentence struct {
	text     string
	after    string // what follows the text: marks, politeness
	words    []word
	spans    []span
	used     []bool // by word: a value was taken from it
	taken    []bool // by word: it is used, led to a value, or chose an option
	numbered int    // where the last number ends
}

// word is a word with its place in the text.
type word struct {
	text, stem string
	ends       bool // a mark that ends a phrase follows
	colon      bool // and that mark is a colon
	at         int  // where it begins in the text
}

var (
	wordForm   = regexp.MustCompile(`"[^"]+"|“[^”]+”|'[^'\s][^']*'(?:\s|[.,;:?!]|$)|\[(?:[^\[\]]|\[[^\]]*\])*\]|[^\s"“”\[\]]+`)
	numberForm = regexp.MustCompile(`^[$€£]?(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+,\d{1,2}|-?\d*\.?\d+(?:e-?\d+)?)(%|st|nd|rd|th|[a-zA-Zµ°/^]{1,6}\d?)?$`)
	dateForm   = regexp.MustCompile(`^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}:\d{2}(?:[ap]m)?)$`)
)

// assigned is a name with its value: a=2.
var assigned = regexp.MustCompile(`\b(\w+) ?=\s*`)

// titles end in a full stop that ends nothing.
var titles = strings.Fields("Mr. Mrs. Ms. Dr. St. Prof.")

var months = strings.Fields("january february march april may june july august september october november december")

var days = strings.Fields("monday tuesday wednesday thursday friday saturday sunday today tomorrow tonight")

// newSentence finds the words and the spans of a text.
func newSentence(text, after string) *sentence {
	s := &sentence{text: text, after: after}
	blank := func(m string) string { return strings.ReplaceAll(m, "=", " ") }
	for _, at := range wordForm.FindAllStringIndex(assigned.ReplaceAllStringFunc(text, blank), -1) {
		w := strings.TrimSpace(text[at[0]:at[1]])
		w = strings.TrimSuffix(w, "=")
		open := strings.TrimRight(w, ".,;:?!)")
		bare := strings.TrimLeft(open, "(")
		if signed, ok := cutSign(bare); ok {
			bare = "-" + signed
		}
		if bare != "" {
			s.words = append(s.words, word{bare, stem(strings.ToLower(bare)), open != w && !slices.Contains(titles, w), strings.HasSuffix(w, ":"), at[0]})
		}
	}
	s.used, s.taken = make([]bool, len(s.words)), make([]bool, len(s.words))
	for i := range s.words {
		s.readNumber(i)
		s.readQuote(i)
		s.readDate(i)
		s.readName(i)
		s.readSaid(i)
		s.readPhrase(i)
	}
	return s
}

// cutSign cuts a minus sign that is no hyphen from a number.
func cutSign(w string) (string, bool) {
	for _, sign := range []string{"−", "–"} {
		if n, ok := strings.CutPrefix(w, sign); ok && numberForm.MatchString(n) {
			return n, true
		}
	}
	return w, false
}

func (s *sentence) add(kind spanKind, text string, start, end int) *span {
	s.spans = append(s.spans, span{index: len(s.spans), kind: kind, text: text, start: start, end: end, cue: start})
	return &s.spans[len(s.spans)-1]
}

// readQuote reads a word or words in quotation marks.
func (s *sentence) readQuote(i int) {
	if t := s.words[i].text; len(t) > 2 && strings.ContainsRune(`"'“`, []rune(t)[0]) {
		s.add(aText|aQuote, strings.Trim(t, `"'“”`), i, i+1)
	} else if len(t) > 1 && strings.ContainsRune("#@", rune(t[0])) { // marked as a name, too
		s.add(aText|aQuote, t, i, i+1)
	}
}

// readDate reads 2026-11-30, May 5, 2026 and a month.
func (s *sentence) readDate(i int) {
	if w := strings.ToLower(s.words[i].text); dateForm.MatchString(w) || slices.Contains(days, w) {
		s.add(aText|aDate, s.words[i].text, i, i+1)
	}
	if !slices.Contains(months, strings.ToLower(s.words[i].text)) || s.words[i].text == "may" {
		return
	}
	end := i + 1
	for end < len(s.words) && end < i+3 && numberForm.MatchString(strings.ToLower(s.words[end].text)) {
		end++
	}
	if end > i+1 {
		s.add(aText|aDate, s.joined(i, end), i, end) // before the month by itself, since it says more
	}
	s.add(aText|aDate, s.words[i].text, i, i+1)
}

// joined is the text of words, with commas where phrases end inside.
func (s *sentence) joined(start, end int) string {
	var b strings.Builder
	for i := start; i < end; i++ {
		b.WriteString(s.words[i].text)
		if i+1 < end {
			if s.words[i].ends {
				b.WriteByte(',')
			}
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// inNames are small words inside names.
var inNames = strings.Fields("of the de la van von and &")

// readName reads the longest run of words in capitals from a word on: New York,
// University of Oxford, San Jose, CA.
func (s *sentence) readName(i int) {
	if !capital(s.words[i].text) || i > 0 && capital(s.words[i-1].text) && !s.words[i-1].ends && i > 1 {
		return
	}
	if i == 0 && (len(s.words) == 1 || !capital(s.words[1].text)) {
		return // every sentence begins like that
	}
	if i == 0 {
		return
	}
	end := i + 1
	for end < len(s.words) && (!s.words[end-1].ends || state(s.words[end].text)) {
		w := s.words[end].text
		if capital(w) || end > i && numberedName(w) {
			end++
			continue
		}
		if end+1 < len(s.words) && slices.Contains(inNames[:6], w) && capital(s.words[end+1].text) {
			end += 2
			continue
		}
		break
	}
	text := strings.TrimSuffix(strings.TrimSuffix(s.joined(i, end), "'s"), "’s")
	s.add(aText|aName, text, i, end)
}

func numberedName(w string) bool { return len(w) < 4 && strings.Trim(w, "IVX") == "" }

// state tells whether a word can follow the name of a city after a comma.
func state(w string) bool {
	return len(w) == 2 && strings.ToUpper(w) == w && unicode.IsLetter(rune(w[0]))
}

func capital(w string) bool {
	r := []rune(w)
	return len(r) > 0 && unicode.IsUpper(r[0]) && !slices.Contains(asking, strings.ToLower(w)) && w != "I"
}

// asking are words that begin requests and are no names.
var asking = strings.Fields("what who where when which how find get give show tell calculate compute i i'm i'd can could please is are do does will")

// leading are the words after which a value stands.
var leading = strings.Fields("through of for in on at from to into about by with as named called titled between near against using like")

// naming are those of leading after which a name stands, in capitals or not.
var naming = strings.Fields("named called titled")

// stopping are words that no phrase goes over.
var stopping = slices.Concat(leading, strings.Fields("the a an and or that which who is are was were be has have had if when where while given during than since until over under per i me my you your it its can do does please what how then but not without within including"))

// readPhrase reads the words after a leading word, up to where the phrase ends: "of the
// human heart". Single words in other places are spans of their own.
func (s *sentence) readPhrase(i int) {
	w := strings.ToLower(s.words[i].text)
	if i >= s.numbered && !slices.Contains(stopping, w) && len(w) > 2 && !numberForm.MatchString(w) && !strings.ContainsAny(w[:1], `"'“[`) {
		s.add(aText, s.words[i].text, i, i+1)
	}
	if !slices.Contains(leading, w) || s.words[i].ends {
		return
	}
	start := i + 1
	for start < len(s.words) && slices.Contains([]string{"the", "a", "an", "this", "my"}, strings.ToLower(s.words[start].text)) {
		start++
	}
	end := start
	for end < len(s.words) && end < start+5 && !slices.Contains(stopping, strings.ToLower(s.words[end].text)) {
		if end > start && capital(s.words[start].text) && !capital(s.words[end].text) && !slices.Contains(naming, w) {
			break // the name is over
		}
		end++
		if s.words[end-1].ends {
			break
		}
	}
	if end > start+1 || end > start && capital(s.words[start].text) {
		kind := aText
		if slices.Contains(naming, w) {
			kind |= aQuote // it is as sure as one
		}
		s.add(kind, strings.TrimSuffix(s.joined(start, end), "'s"), start, end)
	}
}

// free are the spans of a kind that no value was taken from yet.
func (s *sentence) free(kind spanKind) []span {
	var all []span
	for _, sp := range s.spans {
		if sp.kind&kind != 0 && !slices.Contains(s.used[sp.start:sp.end], true) {
			all = append(all, sp)
		}
	}
	return all
}

func (s *sentence) use(sp span) {
	for i := sp.cue; i < sp.end; i++ {
		s.used[i], s.taken[i] = s.used[i] || i >= sp.start, true
	}
}

// near is how near the words of a parameter stand to a span; 0: nowhere near. A word
// right before the span, or between them only small ones, counts in full.
func (s *sentence) near(p parameter, sp span) float64 {
	const reach = 6
	best := 0.0
	for i := max(0, sp.start-reach); i < min(len(s.words), sp.end+reach-2); i++ {
		if i >= sp.start && i < sp.end {
			continue
		}
		distance := float64(sp.start - i)
		if i >= sp.end {
			distance = float64(i-sp.end) + 1.2 // what follows is less often meant
		}
		if s.crosses(i, sp) {
			distance += 2
		}
		for _, c := range p.cues {
			if alike(c.word, s.words[i].stem) {
				best = max(best, c.weight*(1-distance/(reach+4)))
			}
		}
	}
	return best
}

// crosses tells whether another number or the end of a phrase is between a word and a
// span.
func (s *sentence) crosses(i int, sp span) bool {
	from, to := i, sp.start
	if i >= sp.end {
		from, to = sp.end-1, i
	}
	for k := from; k < to && k < len(s.words); k++ {
		if s.words[k].ends || i >= sp.end && k > from && s.words[k].text == "and" || k != i && (k < sp.start || k >= sp.end) && numberForm.MatchString(strings.ToLower(s.words[k].text)) {
			return true
		}
	}
	return false
}

// numberFits scores a number for a parameter.
func (s *sentence) numberFits(p parameter, sp span) float64 {
	v := 0.5 + s.near(p, sp)
	about := p.name + " " + strings.ToLower(p.form.Description)
	year := sp.number >= 1000 && sp.number <= 2100 && sp.number == float64(int(sp.number)) && !strings.Contains(sp.text, ",")
	switch asksYear := strings.Contains(strings.ToLower(p.name), "year") && !strings.Contains(strings.ToLower(p.name), "years"); {
	case asksYear && year:
		v += 2
	case asksYear:
		v -= 1
	}
	if sp.percent && (strings.Contains(about, "rate") || strings.Contains(about, "percent")) {
		v += 2
	}
	if sp.number != float64(int64(sp.number)) && p.form.Kind == "integer" && !sp.percent {
		return 0
	}
	if sp.end < len(s.words) && !s.words[sp.start].ends && slices.ContainsFunc(strings.FieldsFunc(about, notLetter), func(w string) bool { return alike(stem(w), s.words[sp.end].stem) }) {
		v += 1.5
	}
	if sp.written {
		v -= 0.4 // the two sides, one of them
	}
	return v
}

// numberFor is the number as a parameter wants it: 8% is 0.08, unless percents are
// asked for or only whole numbers are taken.
func (sp span) numberFor(p parameter) any {
	n := sp.number
	if sp.percent && p.form.Kind == "number" && !strings.Contains(strings.ToLower(p.name+p.form.Description), "percent") {
		n, _ = strconv.ParseFloat(fmt.Sprintf("%.10g", n/100), 64)
	}
	return json.Number(strconv.FormatFloat(n, 'f', -1, 64))
}
