package toolkit

import (
	"fmt"
	"strings"
)

const (
	maxEdits    = 400     // lines that differ, above which they are not matched any more
	maxCompared = 100_000 // lines of both texts, above which they are not matched either
	diffContext = 2       // equal lines shown around what differs
)

// span is a run of lines that differ: those of the old text from a to b were
// replaced by those of the new one from c to d.
type span struct{ a, b, c, d int }

// diffLine is a line of a difference.
type diffLine struct {
	sign string // what it is: " ", "-" or "+"; empty: the line says so itself
	text string // with its end, if it has one
	twin string // the line in its place on the other side, where it was replaced by one
}

// difference is what differs between two texts, as a unified diff without the two
// lines that name the files.
type difference struct {
	lines []diffLine // at most so many as were asked for
	all   int        // how many there are
}

// add appends a line, if it is still asked for.
func (d *difference) add(l diffLine, most int) {
	if len(d.lines) < most {
		d.lines = append(d.lines, l)
	}
	d.all++
}

// unified compares two texts, and gives at most so many lines of the difference:
// what is equal at both ends is left out before anything is cut into lines. Texts
// that differ too much are told by their lines, first all old ones, then all new
// ones.
func unified(before, after string, most int) (d difference) {
	if before == after {
		return d
	}
	start := commonHead(before, after)
	end := commonTail(before[start:], after[start:])
	for range diffContext {
		start = strings.LastIndexByte(before[:max(start-1, 0)], '\n') + 1
	}
	for range diffContext {
		end -= lineLength(before[len(before)-end:])
	}
	skipped := strings.Count(before[:start], "\n")
	x, y := before[start:len(before)-end], after[start:len(after)-end]
	if n, m := countLines(x), countLines(y); n+m > maxCompared {
		d.add(diffLine{text: fmt.Sprintf("@@ -%s +%s @@", lineRange(skipped, skipped+n), lineRange(skipped, skipped+m))}, most)
		d.side("-", x, n, most)
		d.side("+", y, m, most)
		return d
	}
	a, b := splitLines(x), splitLines(y)
	spans := compare(a, b)
	for len(spans) > 0 {
		n := 1 // spans in this hunk
		for n < len(spans) && spans[n].a-spans[n-1].b <= 2*diffContext {
			n++
		}
		d.hunk(a, b, spans[:n], skipped, most)
		spans = spans[n:]
	}
	return d
}

// commonHead is how many bytes of whole lines two texts begin with alike.
func commonHead(a, b string) int {
	return strings.LastIndexByte(a[:alike(a, b)], '\n') + 1
}

// alike is how many bytes two texts begin with alike.
func alike(a, b string) (n int) {
	const step = 4096
	a, b = a[:min(len(a), len(b))], b[:min(len(a), len(b))]
	for n+step <= len(a) && a[n:n+step] == b[n:n+step] {
		n += step
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// commonTail is how many bytes of whole lines two texts end with alike.
func commonTail(a, b string) int {
	n := alikeAtEnd(a, b)
	if startsLine(a, len(a)-n) && startsLine(b, len(b)-n) {
		return n
	}
	return n - lineLength(a[len(a)-n:])
}

// alikeAtEnd is how many bytes two texts end with alike.
func alikeAtEnd(a, b string) (n int) {
	const step = 4096
	short := min(len(a), len(b))
	for n+step <= short && a[len(a)-n-step:len(a)-n] == b[len(b)-n-step:len(b)-n] {
		n += step
	}
	for n < short && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// startsLine tells whether a line begins at a byte of a text.
func startsLine(s string, at int) bool { return at == 0 || s[at-1] == '\n' }

// lineLength is the length of the first line of a text, with its end.
func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n + 1
	}
	return len(s)
}

// side adds the lines of one side alone. They are counted already.
func (d *difference) side(sign, s string, count, most int) {
	all := d.all + count
	for l := range strings.Lines(s) {
		if len(d.lines) == most {
			break
		}
		d.add(diffLine{sign: sign, text: l}, most)
	}
	d.all = all
}

// hunk adds spans that are close together, with the lines around them. before is
// how many lines lie before those.
func (d *difference) hunk(a, b []string, spans []span, before, most int) {
	first, last := spans[0], spans[len(spans)-1]
	lead := min(diffContext, first.a)
	tail := min(diffContext, len(a)-last.b)
	d.add(diffLine{text: fmt.Sprintf("@@ -%s +%s @@", lineRange(before+first.a-lead, before+last.b+tail), lineRange(before+first.c-lead, before+last.d+tail))}, most)
	at := first.a - lead
	for _, s := range spans {
		d.run(" ", a[at:s.a], nil, most)
		d.run("-", a[s.a:s.b], b[s.c:s.d], most)
		d.run("+", b[s.c:s.d], a[s.a:s.b], most)
		at = s.b
	}
	d.run(" ", a[at:at+tail], nil, most)
}

// run adds lines of one kind, with those in their places on the other side.
func (d *difference) run(sign string, lines, twins []string, most int) {
	for i, l := range lines {
		twin := ""
		if i < len(twins) {
			twin = twins[i]
		}
		d.add(diffLine{sign, l, twin}, most)
	}
}

// lineRange writes lines from a to b, counted from 0, as a diff does.
func lineRange(a, b int) string {
	if a == b {
		return fmt.Sprintf("%d,0", a)
	}
	return fmt.Sprintf("%d,%d", a+1, b-a)
}

// splitLines gives the lines of a text, with their ends: the last one need not
// have one, and is then another line than with it.
func splitLines(s string) []string {
	lines := make([]string, 0, countLines(s))
	for l := range strings.Lines(s) {
		lines = append(lines, l)
	}
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
