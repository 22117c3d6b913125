package fill

import (
	"slices"
	"strings"
)

// Words after which somebody's own words stand, as they are and up to the end.
var (
	saying      = strings.Fields("saying says")
	bodyNouns   = strings.Fields("body message text content")
	headNouns   = strings.Fields("subject title")
	connections = strings.Fields("with and the a an its as")
)

// readSaid reads those words, "saying that the build is green", and what is searched
// for: "for the best pizza in Naples".
func (s *sentence) readSaid(i int) {
	start := i + 1
	if start >= len(s.words) {
		return
	}
	quoted := strings.ContainsAny(s.words[start].text[:1], `"[`) || strings.HasPrefix(s.words[start].text, "“")
	w := s.lower(i)
	if (w == "for" || w == "about") && !quoted {
		end := start + 1
		for end < len(s.words) && !s.words[end-1].ends {
			end++
		}
		s.add(aText|aRest, s.joined(start, end), start, end)
	}
	noun := slices.Contains(bodyNouns, w) || slices.Contains(headNouns, w)
	says := slices.Contains(saying, w) || s.words[i].colon || noun && s.introduced(i) && !s.words[i].ends
	if !says || quoted && !slices.Contains(saying, w) {
		return
	}
	if noun && !s.words[i].colon && slices.Contains([]string{"to", "for", "from", "that", "saying", "says", "of"}, s.lower(start)) {
		return
	}
	if s.lower(start) == "that" && start+1 < len(s.words) {
		start++
	}
	s.ownWords(i, start)
}

// introduced tells whether a word stands after with or and: "with the body".
func (s *sentence) introduced(i int) bool {
	for i--; i > 0 && slices.Contains([]string{"the", "a", "an", "its"}, s.lower(i)); i-- {
	}
	return i > 0 && slices.Contains([]string{"with", "and"}, s.lower(i))
}

// ownWords reads words as they are: a body up to the end or to the subject, and a subject
// up to the body.
func (s *sentence) ownWords(cue, start int) {
	others := headNouns
	if slices.Contains(headNouns, s.lower(cue)) {
		others = slices.Concat(bodyNouns, saying)
	}
	end := len(s.words)
	for k := start + 1; k < len(s.words); k++ {
		if w := s.lower(k); slices.Contains(others, w) && (s.words[k].colon || s.introduced(k) || slices.Contains(saying, w)) {
			end = k
			for end > start+1 && slices.Contains(connections, s.lower(end-1)) {
				end--
			}
			break
		}
	}
	to := len(s.text)
	if end < len(s.words) {
		to = s.words[end].at
	}
	text := strings.TrimRight(s.text[s.words[start].at:to], " ,;")
	if end == len(s.words) && s.after != "" && !strings.HasPrefix(s.after, " ") { // what goes on without a mark is politeness
		text += s.after
	}
	if n := len(text); n > 2 && strings.ContainsRune(`"'`, rune(text[0])) && text[n-1] == text[0] {
		text = text[1 : n-1]
	}
	if text == "" {
		return
	}
	s.add(aText|aQuote|aSaid, text, start, end).cue = cue
}

// writes tells whether a parameter takes somebody's own words: of a body those of a body,
// and of a subject those of a subject.
func (s *sentence) writes(p parameter, sp span) bool {
	names := nameWords(p.name)
	of := func(words []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(words, n) })
	}
	if slices.Contains(headNouns, s.lower(sp.cue)) {
		return of(headNouns)
	}
	return of(bodyNouns)
}

// leads tells whether a span is nothing but a word after which somebody's own words stand.
func (s *sentence) leads(sp span) bool {
	return sp.kind == aText && sp.end == sp.start+1 && slices.ContainsFunc(s.spans, func(o span) bool { return o.kind&aSaid != 0 && o.cue == sp.start })
}

// take marks words that chose a value.
func (s *sentence) take(start, end int) {
	for i := start; i < end; i++ {
		s.taken[i] = true
	}
}

// left are the words that nothing was taken from, and the units of numbers.
func (s *sentence) left() (words []string) {
	for i, w := range s.words {
		if !s.taken[i] {
			words = append(words, w.text)
		}
	}
	for _, sp := range s.spans {
		if sp.unit != "" && s.taken[sp.start] {
			words = append(words, sp.unit)
		}
	}
	return words
}
