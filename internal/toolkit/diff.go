package toolkit

import (
	"fmt"
	"strings"
)

const (
	maxEdits    = 400 // lines that differ, above which they are not matched any more
	diffContext = 2   // equal lines shown around what differs
)

// span is a run of lines that differ: those of the old text from a to b were
// replaced by those of the new one from c to d.
type span struct{ a, b, c, d int }

// unified writes the difference of two texts as a unified diff, without the two
// lines that name the files. Texts that differ too much are told by their lines,
// first all old ones, then all new ones.
func unified(before, after string) []string {
	a, b := splitLines(before), splitLines(after)
	var out []string
	spans := compare(a, b)
	for len(spans) > 0 {
		n := 1 // spans in this hunk
		for n < len(spans) && spans[n].a-spans[n-1].b <= 2*diffContext {
			n++
		}
		out = append(out, hunk(a, b, spans[:n])...)
		spans = spans[n:]
	}
	return out
}

// hunk writes spans that are close together, with the lines around them.
func hunk(a, b []string, spans []span) []string {
	first, last := spans[0], spans[len(spans)-1]
	lead := min(diffContext, first.a)
	tail := min(diffContext, len(a)-last.b)
	out := []string{fmt.Sprintf("@@ -%s +%s @@", lineRange(first.a-lead, last.b+tail), lineRange(first.c-lead, last.d+tail))}
	at := first.a - lead
	for _, s := range spans {
		out = mark(out, " ", a[at:s.a])
		out = mark(out, "-", a[s.a:s.b])
		out = mark(out, "+", b[s.c:s.d])
		at = s.b
	}
	return mark(out, " ", a[at:at+tail])
}

// mark appends lines with what they are in front.
func mark(out []string, sign string, lines []string) []string {
	for _, l := range lines {
		out = append(out, sign+l)
	}
	return out
}

// lineRange writes lines from a to b, counted from 0, as a diff does.
func lineRange(a, b int) string {
	if a == b {
		return fmt.Sprintf("%d,0", a)
	}
	return fmt.Sprintf("%d,%d", a+1, b-a)
}

// splitLines gives the lines of a text. A last line without an end is told apart
// from one that has it.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	last := len(lines) - 1
	if lines[last] == "" {
		return lines[:last]
	}
	lines[last] += " (no line end)"
	return lines
}

// compare finds what differs between two texts: the fewest lines, unless that
// takes too long.
func compare(a, b []string) []span {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	x, y := a[start:len(a)-end], b[start:len(b)-end]
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	ids := map[string]int{}
	spans, ok := shortest(number(x, ids), number(y, ids))
	if !ok {
		spans = []span{{0, len(x), 0, len(y)}}
	}
	for i, s := range spans {
		spans[i] = span{s.a + start, s.b + start, s.c + start, s.d + start}
	}
	return spans
}

// number gives equal lines equal numbers, which compare faster.
func number(lines []string, ids map[string]int) []int {
	out := make([]int, len(lines))
	for i, l := range lines {
		id, ok := ids[l]
		if !ok {
			id = len(ids)
			ids[l] = id
		}
		out[i] = id
	}
	return out
}

// shortest finds the shortest way from one text to the other by the greedy
// algorithm of E. Myers (1986); false when more than maxEdits lines differ. Its
// time grows with the lines times maxEdits, its memory with maxEdits squared.
func shortest(a, b []int) ([]span, bool) {
	var trail [][]int // for each number of edits: how far down a each diagonal came
	far := make([]int, 2*maxEdits+3)
	mid := maxEdits + 1
	for d := 0; d <= maxEdits; d++ {
		for k := -d; k <= d; k += 2 {
			x := far[mid+k-1] + 1 // a line of a is left out
			if k == -d || k != d && far[mid+k-1] < far[mid+k+1] {
				x = far[mid+k+1] // a line of b is put in
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			if far[mid+k] = x; x >= len(a) && x-k >= len(b) {
				return walkBack(trail, len(a), len(b)), true
			}
		}
		trail = append(trail, append([]int(nil), far[mid-d:mid+d+1]...))
	}
	return nil, false
}

// walkBack reads the way from the trail, from its end.
func walkBack(trail [][]int, x, y int) []span {
	var spans []span // from the last to the first
	for d := len(trail); d > 0; d-- {
		before := trail[d-1] // diagonals -(d-1) to d-1
		at := func(k int) int {
			if k < -(d-1) || k > d-1 {
				return -1
			}
			return before[k+d-1]
		}
		k := x - y
		step := span{}
		if k == -d || k != d && at(k-1) < at(k+1) {
			px := at(k + 1)
			py := px - (k + 1)
			step = span{px, px, py, py + 1}
			x, y = px, py
		} else {
			px := at(k - 1)
			py := px - (k - 1)
			step = span{px, px + 1, py, py}
			x, y = px, py
		}
		if n := len(spans); n > 0 && spans[n-1].a == step.b && spans[n-1].c == step.d {
			spans[n-1].a, spans[n-1].c = step.a, step.c
		} else {
			spans = append(spans, step)
		}
	}
	for i, j := 0, len(spans)-1; i < j; i, j = i+1, j-1 {
		spans[i], spans[j] = spans[j], spans[i]
	}
	return spans
}
