package fill

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Kinds of texts that parameters ask for, by the words of their names.
var (
	placeWords   = strings.Fields("location city country state place region address town area destination origin venue")
	whenWords    = strings.Fields("date day time month when start end deadline birthday departure arrival")
	messageWords = strings.Fields("body message text content")
	queryWords   = strings.Fields("query q question search keywords keyword topic term terms")
	labelWords   = strings.Fields("label reason purpose")
	fromWords    = strings.Fields("from source origin start base departure")
	toWords      = strings.Fields("to target destination end arrival")
)

// textFits scores a text for a parameter.
func (s *sentence) textFits(p parameter, sp span) float64 {
	names := nameWords(p.name)
	isOf := func(words []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(words, n) })
	}
	before := ""
	if sp.start > 0 {
		before = strings.ToLower(s.words[sp.start-1].text)
	}
	if slices.ContainsFunc([]string{"the", "a", "an", "that"}, func(a string) bool { return a == before }) && sp.start > 1 {
		before = strings.ToLower(s.words[sp.start-2].text)
	}
	v := s.near(p, sp)
	single := sp.end == sp.start+1 && sp.kind == aText
	if shape := shapeOf(p); shape != nil && sp.kind&aQuote == 0 {
		if !shape.MatchString(sp.text) {
			return 0
		}
		return 4 + v
	}
	if sp.kind&aText == 0 || sp.kind&aSaid != 0 && !s.writes(p, sp) || single && isOf(messageWords) {
		return 0
	}
	if single && (isOf(placeWords) && slices.Contains([]string{"in", "near"}, before) || p.required && s.closes(sp) && slices.Contains([]string{"for", "with", "about", "of"}, before)) {
		v = max(v, 1.5) // in boston; for boston; of anna
	}
	switch {
	case sp.kind&aRest != 0 && isOf(queryWords):
		return v + 3
	case sp.kind&aRest != 0 && isOf(labelWords):
		return v + 2
	case sp.kind&aRest != 0, s.leads(sp):
		return 0
	case s.onlyCues(p, sp):
		return 0
	case mentions(p.form.Description, sp.text):
		v += 3
	case single && v < 1.5:
		return 0 // a word like any other
	}
	if sp.kind&aQuote != 0 {
		v += 1.5
	}
	if sp.kind&aName != 0 {
		v += 1
	}
	switch date := sp.kind&aDate != 0; {
	case date && isOf(whenWords):
		v += 2.5
	case date:
		v -= 1.5
	case isOf(whenWords) && sp.kind&aName != 0:
		v -= 1
	}
	if isOf(placeWords) && sp.kind&aName != 0 && slices.Contains([]string{"in", "at", "near", "from", "to", "of", "for"}, before) {
		v += 1.5
	}
	if sp.kind&aSaid != 0 {
		v += 4
	}
	if isOf([]string{"currency", "unit"}) { // 50 GBP in USD
		counted := numberForm.MatchString(before)
		switch {
		case counted && isOf(fromWords), before == "in" && isOf(toWords):
			v += 2
		case counted && isOf(toWords), before == "in" && isOf(fromWords):
			return 0
		}
	}
	switch {
	case before == "from" && isOf(fromWords), (before == "to" || before == "into") && isOf(toWords):
		v += 2
	case before == "from" && isOf(toWords), (before == "to" || before == "into") && isOf(fromWords):
		return 0
	}
	if slices.Contains([]string{"of", "for", "about", "named", "called", "by"}, before) {
		v += 0.5
	}
	if p.required {
		v += 0.3
	}
	return v
}

// closes tells whether a span is the last of its phrase.
func (s *sentence) closes(sp span) bool {
	return sp.end == len(s.words) || s.words[sp.end-1].ends
}

// shapes are what some values look like, whatever words are near.
var shapes = []struct{ of, value *regexp.Regexp }{
	{regexp.MustCompile(`(?:^| )u?u?id$`), regexp.MustCompile(`\d`)},
	{regexp.MustCompile(`(?:^| )(?:url|uri|link)$`), regexp.MustCompile(`\S\.\S`)},
	{regexp.MustCompile(`(?:^| )e ?mail$|\be-?mail address`), regexp.MustCompile(`^\S+@\S+\.\S+$`)},
}

// shapeOf is what the values of a parameter look like; nil: like anything.
func shapeOf(p parameter) *regexp.Regexp {
	name := strings.Join(nameWords(p.name), " ")
	for _, s := range shapes {
		if s.of.MatchString(name) || s.of.MatchString(strings.ToLower(p.form.Description)) {
			return s.value
		}
	}
	return nil
}

// onlyCues tells whether a span is nothing but the parameter's own name.
func (s *sentence) onlyCues(p parameter, sp span) bool {
	for i := sp.start; i < sp.end; i++ {
		if !slices.ContainsFunc(p.cues, func(c cue) bool { return c.weight > 1 && c.word == s.words[i].stem }) {
			return false
		}
	}
	return true
}

// mentions tells whether a description gives a text as an example: after e.g., like or
// such as, or in quotation marks.
func mentions(description, text string) bool {
	if len(text) < 3 {
		return false
	}
	for _, m := range examplesIn.FindAllString(description, -1) {
		for part := range strings.FieldsFuncSeq(m, func(r rune) bool { return strings.ContainsRune(`,."'()`, r) }) {
			part = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), "or "))
			if strings.EqualFold(part, text) {
				return true
			}
		}
	}
	return false
}

var examplesIn = regexp.MustCompile(`(?i)(?:e\.g\.?,?|such as|like|for example,?|examples?:) .*|'[^']+'|"[^"]+"`)

// option is the member of an enumeration that is mentioned; the longest of several.
func (s *sentence) option(enum []any) (any, bool) {
	for _, exactly := range []bool{true, false} {
		var best string
		for _, e := range enum {
			if text, ok := e.(string); ok && len(text) > len(best) && s.mentioned(text, exactly, false) {
				best = text
			}
		}
		if best != "" {
			s.mentioned(best, exactly, true)
			return best, true
		}
	}
	for _, e := range enum {
		n, isNumber := e.(float64)
		if i := slices.IndexFunc(s.spans, func(sp span) bool { return sp.kind == aNumber && sp.number == n }); isNumber && i >= 0 {
			s.take(s.spans[i].start, s.spans[i].end)
			return json.Number(strconv.FormatFloat(n, 'f', -1, 64)), true
		}
	}
	return nil, false
}

// options are all members of an enumeration that are mentioned.
func (s *sentence) options(enum []any) (all []any) {
	for _, e := range enum {
		if text, ok := e.(string); ok && s.mentioned(text, false, true) {
			all = append(all, e)
		}
	}
	return all
}

// mentioned tells whether the words of a text come one after the other, in the same or
// in any form, and may take them.
func (s *sentence) mentioned(text string, exactly, take bool) bool {
	words := nameWords(text)
	if len(words) == 0 {
		return false
	}
	for i := 0; i+len(words) <= len(s.words); i++ {
		all := true
		for k, w := range words {
			all = all && (strings.EqualFold(w, s.words[i+k].text) || !exactly && alike(stem(w), s.words[i+k].stem))
		}
		if all {
			if take {
				s.take(i, i+len(words))
			}
			return true
		}
	}
	return false
}

// unsaid are words of the names of switches that people do not say.
var unsaid = strings.Fields("is include includes including get want wants show use has with should return allow enable only flag the be need needs round require required")

// said tells whether a switch is spoken of, and whether it is wanted.
func (s *sentence) said(p parameter) (value, ok bool) {
	for i, w := range s.words {
		for _, n := range nameWords(p.name) {
			if slices.Contains(unsaid, n) || !alike(stem(n), w.stem) {
				continue
			}
			s.take(i, i+1)
			for k := max(0, i-3); k < i; k++ {
				if slices.Contains([]string{"no", "not", "without", "exclude", "excluding", "don't", "except", "non"}, s.lower(k)) {
					s.take(k, k+1)
					return false, true
				}
			}
			return true, true
		}
	}
	return false, false
}

// list reads values that are listed: in brackets, or one after the other.
func (s *sentence) list(p parameter, item form) ([]any, bool) {
	for i, w := range s.words {
		if strings.HasPrefix(w.text, "[") && !s.used[i] {
			var values []any
			d := json.NewDecoder(strings.NewReader(w.text))
			d.UseNumber()
			if d.Decode(&values) == nil {
				s.used[i] = true
				s.take(i, i+1)
				return values, true
			}
			s.take(i, i+1)
			return bracketed(w.text, item), true
		}
	}
	switch item.Kind {
	case "number", "integer":
		return s.numbers(p)
	case "string", "":
		return s.listed(p)
	}
	return nil, false
}

// bracketed reads a list of words in brackets.
func bracketed(text string, item form) (values []any) {
	for part := range strings.SplitSeq(strings.Trim(text, "[]"), ",") {
		part = strings.Trim(strings.TrimSpace(part), `"'`)
		if n := json.Number(part); item.Kind == "number" || item.Kind == "integer" {
			if _, err := n.Float64(); err == nil {
				values = append(values, n)
			}
			continue
		}
		values = append(values, part)
	}
	return values
}

// numbers are the longest row of numbers with nothing but "and" between them.
func (s *sentence) numbers(p parameter) ([]any, bool) {
	var best, row []span
	for _, sp := range s.free(aNumber) {
		if len(row) > 0 && !s.joins(row[len(row)-1].end, sp.start) {
			row = nil
		}
		row = append(row, sp)
		if len(row) > len(best) {
			best = slices.Clone(row)
		}
	}
	if len(best) == 0 || len(best) == 1 && !p.required || !p.required && s.near(p, best[0]) < 1 {
		return nil, false
	}
	var values []any
	for _, sp := range best {
		values = append(values, sp.numberFor(parameter{form: form{Kind: "number", Description: "percent"}}))
		s.use(sp)
	}
	return values, true
}

// joins tells whether only a comma or a small word is between two values.
func (s *sentence) joins(end, start int) bool {
	for i := end; i < start; i++ {
		if !slices.Contains([]string{"and", "or", "&", "then", "to", "the", "a"}, strings.ToLower(s.words[i].text)) {
			return false
		}
	}
	return true
}

// listed are texts with commas or "and" between them, those that fit best.
func (s *sentence) listed(p parameter) ([]any, bool) {
	spans := s.free(aText)
	var best, row []span
	weight := -1.0
	for i := range spans {
		row = []span{spans[i]}
		for _, next := range spans[i+1:] {
			last := row[len(row)-1]
			if next.start >= last.end && s.joins(last.end, next.start) && (s.words[last.end-1].ends || next.start > last.end) && next.kind&(aName|aQuote) == last.kind&(aName|aQuote) {
				row = append(row, next)
			}
		}
		v := s.near(p, row[0])
		if row[0].kind&(aName|aQuote) != 0 {
			v += 1
		}
		if len(row) > 1 {
			v += 1.5
		}
		if s.onlyCues(p, row[0]) {
			continue
		}
		if v > weight {
			best, weight = row, v
		}
	}
	if weight < 1 || !p.required && weight < sure {
		return nil, false
	}
	var values []any
	for _, sp := range best {
		values = append(values, sp.text)
		s.use(sp)
	}
	return values, true
}

// Alike tells whether two stems are of one word: kg and kilogram.
func Alike(a, b string) bool { return alike(a, b) }

// Stem is an English word without the ending that tells one form of it from another.
func Stem(w string) string { return stem(w) }

// stem cuts the endings that tell one form of an English word from another.
func stem(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
	for _, end := range []string{"ies", "ing", "ed", "es", "s"} {
		if cut, ok := strings.CutSuffix(w, end); ok && len(cut) > 2 {
			if end == "ies" {
				return cut + "y"
			}
			return strings.TrimSuffix(cut, "e")
		}
	}
	return strings.TrimSuffix(w, "e")
}

// alike tells whether two stems are of one word: annual and annually, kg and kilogram.
func alike(a, b string) bool {
	if a == b {
		return a != ""
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 3 && strings.HasPrefix(b, a) || len(a) > 4 && len(b) > 4 && a[:4] == b[:4] && len(b)-len(a) < 4 || units[a] != "" && units[a] == b || units[b] != "" && units[b] == a
}

// units are short forms.
var units = map[string]string{"kg": "kilogram", "km": "kilomet", "m": "met", "cm": "centimet", "min": "minut", "hr": "hour", "mph": "mil", "lb": "pound", "temp": "temperatur", "num": "number"}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
