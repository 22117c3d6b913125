package toolkit

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"loci"
)

const (
	nearLines  = 10        // lines shown of what is there instead
	nearRunes  = 120       // characters of each of them
	nearBytes  = 400       // of a line that are compared
	nearText   = 256 << 10 // bytes of the text that are looked through
	nearWanted = 200       // lines of what was to be replaced that are looked for
)

// errAbsent is the error for a text that is not there. It shows what is there
// instead, so that the next try can be a right one.
func errAbsent(shown, plain, old, now string) *loci.ToolError {
	e := &loci.ToolError{Message: fmt.Sprintf("The text to replace is not in %s. Nothing was changed.", shown)}
	wanted := strings.SplitN(strings.Trim(old, "\n"), "\n", nearWanted+1)
	wanted = wanted[:min(len(wanted), nearWanted)]
	part, before := around(plain, wanted)
	lines := strings.Split(part, "\n")
	first, same := spaced(lines, wanted)
	if at := strings.Index(plain, now); at >= 0 && strings.TrimSpace(now) != "" {
		e.Message = fmt.Sprintf("The text to replace is not in %s, but the new text is, in line %s: the change may have been made already. Nothing was changed.", shown, linesOf(plain, []int{at}))
	} else if same {
		e.Message = fmt.Sprintf("The text to replace is not in %s like that: line %d differs in spaces, tabs or empty lines. Nothing was changed.", shown, before+first+1)
	}
	if !same {
		first = nearest(lines, wanted)
	}
	e.Suggestion = "Copy old_text exactly from what is there: " + excerptOf(lines, first, len(wanted), before)
	return e
}

// around is the part of a text that is looked through: all of a short one, of a
// long one what lies around the longest wanted line if that is somewhere, else
// the beginning. It tells how many lines come before.
func around(plain string, wanted []string) (part string, before int) {
	if len(plain) <= nearText {
		return plain, 0
	}
	from := 0
	if line := strings.TrimSpace(wanted[longest(wanted)]); line != "" {
		from = max(strings.Index(plain, line)-nearText/2, 0)
	}
	if from > 0 {
		from = strings.LastIndexByte(plain[:from], '\n') + 1
	}
	part = plain[from:min(from+nearText, len(plain))]
	return part, strings.Count(plain[:from], "\n")
}

// longest is the index of the line with the most in it.
func longest(lines []string) (index int) {
	most := 0
	for i, l := range lines {
		if n := len(squash(l)); n > most {
			index, most = i, n
		}
	}
	return index
}

// squash takes the white space out of a line.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// spaced finds lines that are the wanted ones but for white space.
func spaced(lines, wanted []string) (first int, ok bool) {
	var want []string
	for _, w := range wanted {
		if w = squash(w); w != "" {
			want = append(want, w)
		}
	}
	if len(want) == 0 {
		return 0, false
	}
	var have []string // of lines with something in them
	var where []int
	for i, l := range lines {
		if l = squash(l); l != "" {
			have, where = append(have, l), append(where, i)
		}
	}
	last := len(want) - 1
	for i := 0; i+last < len(have); i++ {
		fits := strings.HasSuffix(have[i], want[0]) && strings.HasPrefix(have[i+last], want[last])
		if last == 0 {
			fits = strings.Contains(have[i], want[0])
		}
		for j := 1; fits && j < last; j++ {
			fits = have[i+j] == want[j]
		}
		if fits {
			return where[i], true
		}
	}
	return 0, false
}

// nearest finds the line that is most like the longest of the wanted ones, and
// counts from there to the first; 0 where none is like it.
func nearest(lines, wanted []string) int {
	from := longest(wanted)
	want := pairs(wanted[from])
	best, found := 0.35, from // anything less is chance
	for i, l := range lines {
		if s := likeness(want, pairs(l)); s > best {
			best, found = s, i
		}
	}
	return max(found-from, 0)
}

// pairs counts the pairs of bytes that follow each other in a line.
func pairs(line string) map[string]int {
	line = strings.ToLower(squash(line[:min(len(line), nearBytes)]))
	count := map[string]int{}
	for i := 0; i+1 < len(line); i++ {
		count[line[i:i+2]]++
	}
	return count
}

// likeness is the share of pairs that two lines have in common, from 0 to 1
// (L. Dice, 1945).
func likeness(a, b map[string]int) float64 {
	common, all := 0, 0
	for p, n := range a {
		common += min(n, b[p])
		all += n
	}
	for _, n := range b {
		all += n
	}
	return 2 * float64(common) / float64(cmp.Or(all, 1))
}

// excerptOf shows the lines around some, with their numbers. before is how many
// come before the lines.
func excerptOf(lines []string, first, count, before int) string {
	from := max(first-2, 0)
	to := min(from+min(count+4, nearLines), len(lines))
	var parts []string
	for i := from; i < to; i++ {
		parts = append(parts, fmt.Sprintf("\n%d: %s", before+i+1, clipRunes(visible(clipRunes(lines[i], nearRunes)), nearRunes)))
	}
	return strings.Join(parts, "")
}
