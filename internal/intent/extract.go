package intent

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keySentences picks the sentences of a text that say most of what it says, in
// their order, each once: those whose words come up most often in all of it (Luhn, "The
// Automatic Creation of Literature Abstracts", 1958), the first one with a head
// start. It invents nothing, which a model of a hundred million weights does.
func keySentences(text string, most int) []string {
	all := sentences(text)
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
	if len(all) <= most {
		return all
	}
	count := map[string]float64{}
	for _, s := range all {
		for _, w := range contentWords(s) {
			count[w]++
		}
	}
	score := make([]float64, len(all))
	order := make([]int, len(all))
	for i, s := range all {
		order[i] = i
		words := contentWords(s)
		for _, w := range words {
			score[i] += count[w]
		}
		score[i] /= math.Sqrt(float64(len(words) + 1)) // long ones do not win by length alone
	}
	score[0] *= 1.5
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	order = order[:most]
	slices.Sort(order)
	picked := make([]string, most)
	for i, n := range order {
		picked[i] = all[n]
	}
	return picked
}

// sentences splits a text at the ends of sentences and lines. List markers and
// headings lose their marks.
func sentences(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), "#*->• \t")
		for line != "" {
			end := sentenceEnd(line)
			if s := strings.TrimSpace(line[:end]); strings.IndexFunc(s, unicode.IsLetter) >= 0 {
				all = append(all, s)
			}
			line = strings.TrimSpace(line[end:])
		}
	}
	return all
}

// sentenceEnd gives where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i, r := range line {
		end := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？':
			return end
		case '.', '!', '?':
			if end < len(line) && line[end] == ' ' && !abbreviation(line[:i]) {
				return end
			}
		}
	}
	return len(line)
}

// abbreviation tells whether the full stop after a text may not end a sentence:
// after a single letter, a number, or a title.
func abbreviation(before string) bool {
	word := before[strings.LastIndexByte(before, ' ')+1:]
	last := word[strings.LastIndexByte(word, '.')+1:] // the m of p.m.
	return utf8.RuneCountInString(last) < 2 || strings.Trim(word, "0123456789") == "" ||
		slices.Contains([]string{"Mr", "Mrs", "Ms", "Dr", "St", "e.g", "i.e", "etc", "Ing", "např", "tj"}, word)
}

// contentWords gives the words of a sentence that carry meaning: longer than
// three letters, or pairs of Chinese characters.
func contentWords(s string) []string {
	var words []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		r := []rune(w)
		if !unicode.Is(unicode.Han, r[0]) {
			if len(r) > 3 {
				words = append(words, w)
			}
			continue
		}
		for i := range len(r) - 1 {
			words = append(words, string(r[i:i+2]))
		}
	}
	return words
}
