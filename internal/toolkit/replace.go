package toolkit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/text"
)

const (
	maxPlaces  = 100_000 // places that an edit may change, or find
	listPlaces = 10      // lines that are named
)

// change is a text in which something was replaced.
type change struct {
	text  string
	count int
	lines []int // of the first places, in the new text, from 1
}

// replace replaces the text that the arguments tell, exactly and in one place
// only, or in every place if they say so. Line ends are no part of the
// comparison: those of the file stay, and new lines get the ends of the lines
// around them.
func replace(ctx context.Context, content string, f form, args editArgs) (change, error) {
	old, now := unixEnds(args.Old), unixEnds(args.New)
	shown := oneLine(text.Clip(args.Path, 200))
	switch {
	case old == "":
		return change{}, fail("Give the exact text that is to be replaced as old_text; to write a whole file use write_file.", "The text to replace is empty.")
	case old == now:
		return change{}, fail("Nothing need be done; tell the person what is there.", "The text to replace and the new text are the same.")
	}
	plain, ends := parseEnds(content)
	found := positions(ctx, plain, old, 1)
	inside := within(found, len(old), positions(ctx, plain, now, 1), len(now))
	switch {
	case ctx.Err() != nil:
		return change{}, ctx.Err()
	case len(found) == 0:
		return change{}, errAbsent(shown, plain, old, now)
	case inside == len(found):
		return change{}, errThere(shown, linesOf(plain, found))
	case len(found) > 1 && !args.Replace:
		return change{}, &loci.ToolError{
			Message:    fmt.Sprintf("The text to replace is in %s %d times: %s. Nothing was changed.", shown, len(found), inLines(linesOf(plain, found))),
			Suggestion: "Give more of the text around the place that is meant, so that it is there only once; or set replace_all to change every place.",
			ForPerson:  "Say which one, or that all are meant.",
		}
	case inside > 0:
		return change{}, fail("Edit the other places one by one, with more of the text around each.",
			"%d of %d places in %s lie inside the new text already. Nothing was changed.", inside, len(found), shown)
	}
	if args.Replace {
		found = positions(ctx, plain, old, len(old))
	}
	switch {
	case ctx.Err() != nil:
		return change{}, ctx.Err()
	case slices.ContainsFunc(found, func(at int) bool { return f.splits(plain, at) }):
		return change{}, advise("Convert the file to UTF-8 first, or choose a text that does not follow a letter of that encoding.",
			"%s is not in UTF-8, and the text to replace may be half of a letter there. Nothing was changed.", shown)
	case len(found) > maxPlaces:
		return change{}, fail("Tell the person.", "There are too many places in %s: more than %d.", shown, maxPlaces)
	case len(content)+len(found)*(len(now)-len(old)) > sandbox.MaxText:
		return change{}, errTooLong(shown)
	}
	return apply(plain, ends, found, old, now), nil
}

// errThere is the error for a text that is found only as a part of what should
// take its place: the change was made already, or another one is meant.
func errThere(shown, lines string) *loci.ToolError {
	return &loci.ToolError{
		Message:    fmt.Sprintf("The new text is in %s already, in line %s, and the text to replace is there only as a part of it. Nothing was changed.", shown, lines),
		Suggestion: "If that is the change, go on. If this is meant as another change, give more of the text around it, in old_text and in new_text.",
		ForPerson:  "If another change is meant, say more exactly which.",
	}
}

// errTooLong is the error for a file that would become too large to be looked at
// again.
func errTooLong(shown string) *loci.ToolError {
	return advise("Write less, or several files.", "%s would become too long: more than %d MB. Nothing was changed.", shown, sandbox.MaxText>>20)
}

// parseEnds takes a text with one kind of line ends, and for each end whether it
// had a carriage return.
func parseEnds(content string) (plain string, ends []bool) {
	for i := 0; ; i++ {
		n := strings.IndexByte(content[i:], '\n')
		if n < 0 {
			return unixEnds(content), ends
		}
		i += n
		ends = append(ends, i > 0 && content[i-1] == '\r')
	}
}

// positions is where a text occurs, each found by looking on so many bytes
// after the one before; one more than maxPlaces at most, and no more once the
// context ends.
func positions(ctx context.Context, s, sub string, step int) (at []int) {
	if sub == "" {
		return nil
	}
	for i := 0; len(at) <= maxPlaces && (len(at)%64 > 0 || ctx.Err() == nil); {
		n := strings.Index(s[i:], sub)
		if n < 0 {
			break
		}
		at = append(at, i+n)
		i += n + step
	}
	return at
}

// within counts the places that lie inside others. Both are in order.
func within(found []int, size int, around []int, width int) (n int) {
	i := -1
	for _, at := range found {
		for i+1 < len(around) && around[i+1] <= at {
			i++
		}
		if i >= 0 && at+size <= around[i]+width {
			n++
		}
	}
	return n
}

// apply makes the replacements and gives every line its end back.
func apply(plain string, ends []bool, found []int, old, now string) change {
	c := change{count: len(found)}
	var b strings.Builder
	var after []bool
	height, grown := strings.Count(old, "\n"), strings.Count(now, "\n")
	from, line := 0, 0 // in the old text
	for _, at := range found {
		b.WriteString(plain[from:at])
		n := strings.Count(plain[from:at], "\n")
		after = append(after, ends[line:line+n]...)
		line += n
		if here := len(after) + 1; len(c.lines) < listPlaces && (len(c.lines) == 0 || c.lines[len(c.lines)-1] != here) {
			c.lines = append(c.lines, here)
		}
		b.WriteString(now)
		for i := range grown {
			after = append(after, endLike(ends, line, height, i))
		}
		line += height
		from = at + len(old)
	}
	b.WriteString(plain[from:])
	after = append(after, ends[line:]...)
	c.text = withEnds(b.String(), after)
	return c
}

// endLike is the end of the i-th new line that replaces some old lines: that of
// the old line in its place, otherwise that of the nearest one.
func endLike(ends []bool, line, height, i int) bool {
	switch {
	case height > 0:
		return ends[line+min(i, height-1)]
	case line < len(ends):
		return ends[line]
	case line > 0:
		return ends[line-1]
	}
	return false
}

// withEnds puts the carriage returns back.
func withEnds(plain string, ends []bool) string {
	if !slices.Contains(ends, true) {
		return plain
	}
	var b strings.Builder
	b.Grow(len(plain) + len(ends))
	i := 0
	for line := range strings.Lines(plain) {
		body, ended := strings.CutSuffix(line, "\n")
		b.WriteString(body)
		if ended && ends[i] {
			b.WriteByte('\r')
		}
		if ended {
			b.WriteByte('\n')
		}
		i++
	}
	return b.String()
}

// inLines puts the word before the numbers of lines.
func inLines(numbers string) string {
	if strings.Contains(numbers, " ") {
		return "lines " + numbers
	}
	return "line " + numbers
}

// linesOf names the lines of the first places, each once.
func linesOf(plain string, found []int) string {
	var lines []int
	from, line, more := 0, 1, ""
	for _, at := range found {
		line += strings.Count(plain[from:at], "\n")
		from = at
		if n := len(lines); n > 0 && lines[n-1] == line {
			continue
		}
		if len(lines) == listPlaces {
			more = " and more"
			break
		}
		lines = append(lines, line)
	}
	return numberList(lines) + more
}

// numberList writes numbers with commas between them.
func numberList(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}
