package offer

import (
	"math"
	"strings"
	"unicode"

	"loci"
)

// document is the words by which a tool is found.
type document struct {
	count  map[string]float64
	length float64
}

const (
	nameWeight = 3    // a word of the name counts like so many of the description
	mostWords  = 2000 // bytes of each text that words are taken from
)

// newDocument takes the words of a tool's name and description.
func newDocument(t loci.ToolSpec) document {
	d := document{count: map[string]float64{}}
	d.add(t.Name, nameWeight)
	d.add(t.Description, 1)
	return d
}

func (d *document) add(s string, weight float64) {
	for _, w := range terms(s[:min(len(s), mostWords)]) {
		d.length += weight
		for _, k := range keys(w) {
			d.count[k] += weight
		}
	}
}

// keys are what a word is looked up by: itself and, if it is long, how it begins.
// Languages that change the ends of words keep their beginnings, and what is typed
// without accents is meant with them.
func keys(w string) []string {
	r := []rune(plain.Replace(w))
	if len(r) < 4 {
		return []string{string(r)}
	}
	return []string{string(r), string(r[:4]) + "…"}
}

// plain takes the accents off the letters of Czech and of its neighbours.
var plain = strings.NewReplacer("á", "a", "č", "c", "ď", "d", "é", "e", "ě", "e", "í", "i", "ň", "n", "ó", "o", "ř", "r",
	"š", "s", "ť", "t", "ú", "u", "ů", "u", "ý", "y", "ž", "z", "ä", "a", "ö", "o", "ü", "u", "ľ", "l", "ł", "l", "ą", "a", "ę", "e")

// withoutNames leaves the names of files, paths, addresses and numbers out of an
// example: they are somebody's, and say nothing about the tool.
func withoutNames(example string) string {
	var kept []string
	for _, w := range strings.Fields(example) {
		if !strings.ContainsAny(strings.Trim(w, ".,;:!?()"), "./~@0123456789") {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// score measures how near each document is to a query, by the words that they
// share: the rarer a word, the more it counts (Okapi BM25, Robertson and others,
// 1994). Nothing in common is 0.
func score(documents []document, query string) []float64 {
	const saturation, lengths = 1.2, 0.5 // k1 and b
	scores := make([]float64, len(documents))
	var average float64
	for _, d := range documents {
		average += d.length / float64(len(documents))
	}
	var wanted []string
	seen := map[string]bool{}
	for _, w := range terms(bothEnds(query)) {
		if !seen[w] {
			seen[w] = true
			wanted = append(wanted, keys(w)...)
		}
	}
	clear(seen)
	for _, w := range wanted {
		if seen[w] {
			continue
		}
		seen[w] = true
		with := 0
		for _, d := range documents {
			if d.count[w] > 0 {
				with++
			}
		}
		rarity := math.Log(1 + (float64(len(documents)-with)+0.5)/(float64(with)+0.5))
		for i, d := range documents {
			if n := d.count[w]; n > 0 {
				scores[i] += rarity * n * (saturation + 1) / (n + saturation*(1-lengths+lengths*d.length/average))
			}
		}
	}
	return scores
}

// bothEnds clips a long message to its beginning and its end: what is wanted
// stands at one of them, before or after what was pasted.
func bothEnds(s string) string {
	if len(s) <= 2*mostWords {
		return s
	}
	return s[:mostWords] + " " + s[len(s)-mostWords:]
}

// terms takes a text apart into words: at whatever is no letter or digit, where
// small letters turn to capital ones, and, in scripts without spaces, into pairs
// of characters.
func terms(s string) []string {
	var list []string
	var word, pairs []rune
	flush := func() {
		if w := strings.ToLower(string(word)); w != "" && !common[w] {
			list = append(list, stem(w))
		}
		for i := range pairs {
			if i+1 < len(pairs) || i == 0 {
				list = append(list, string(pairs[i:min(i+2, len(pairs))]))
			}
		}
		word, pairs = word[:0], pairs[:0]
	}
	var before rune
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			if len(word) > 0 {
				flush()
			}
			pairs = append(pairs, r)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if len(pairs) > 0 || unicode.IsUpper(r) && unicode.IsLower(before) {
				flush()
			}
			word = append(word, r)
		default:
			flush()
		}
		before = r
	}
	flush()
	return list
}

// stem takes the commonest endings off an English word, so that notes are found
// by note and searching by search. Other languages mostly keep their words.
func stem(w string) string {
	if len(w) < 5 {
		return strings.TrimSuffix(strings.TrimSuffix(w, "s"), "e")
	}
	switch {
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ing"):
		return w[:len(w)-3]
	case strings.HasSuffix(w, "ed"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		w = w[:len(w)-1]
	}
	return strings.TrimSuffix(w, "e")
}

// common are words that say nothing about what a tool is for, however rare they
// are among a few tools.
var common = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a an and any are as at be but by can could do does for from get give had has have
		he hello her hi him his how i if in into is it its just let like make may me more my no not of on one or our out
		please she so some tell thank that the their them then there these they this to tool up us use user using want was we
		were what when where which who why will with would you your`) {
		m[w] = true
	}
	return m
}()
