package sandbox

import "strings"

// closest finds the word that a misspelled one was meant to be: equal but for
// case or ending, or at most a third of the letters apart. ok is false when
// none is near.
func closest(word string, among []string) (found string, ok bool) {
	low := strings.ToLower(word)
	best := max(1, len([]rune(low))/3) + 1
	for _, c := range among {
		d := distance(low, strings.ToLower(c), best)
		if stem, _, dot := strings.Cut(c, "."); dot && strings.EqualFold(stem, word) {
			d = 1
		}
		if d < best {
			best, found, ok = d, c, true
		}
	}
	return found, ok
}

// distance is the number of letters to insert, delete or change to get from a
// to b, or at least limit when it is that much (V. Levenshtein, 1965).
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= limit || len(y)-len(x) >= limit {
		return limit
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			cost := diagonal
			if r != s {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
