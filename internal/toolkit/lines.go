package toolkit

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"loci/internal/text"
)

const (
	maxPattern = 1_000   // bytes of a regular expression or text to find
	maxProgram = 1_000   // instructions that a regular expression is compiled to
	longLine   = 4 << 10 // bytes that any expression gets through in some 50 ms
	lineBuffer = 1 << 20 // bytes of a line that are searched at once
	hitRunes   = 200     // characters of a line that are shown
	maxGroups  = 10_000  // different captured texts
)

// fold makes names comparable: one Unicode form, no case.
func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// lines searches the text of files, line by line.
type lines struct {
	find  finder         // nil: every line fits
	group *regexp.Regexp // nil: no grouping
	show  bool           // keep lines to show
	every bool           // count how often the text occurs in a line
	left  int64          // bytes that may still be read

	total  int
	times  int
	shown  int
	counts map[string]int
	buf    *bufio.Reader
}

// finder finds a text in a line: where the first match is, or nil.
type finder func(ctx context.Context, line []byte) []int

// newLines reads the part of the arguments that is about text; nil if none is.
func newLines(args searchArgs) (*lines, error) {
	if args.Content == "" && args.GroupBy == "" {
		return nil, nil
	}
	l := &lines{show: !args.Count && args.GroupBy == "", every: args.Count && args.Content != "" && !strings.HasPrefix(args.Content, "^"), counts: map[string]int{}, buf: bufio.NewReaderSize(nil, lineBuffer)}
	var err error
	if args.Content != "" {
		if l.find, err = newFinder(args); err != nil {
			return nil, err
		}
	}
	if args.GroupBy != "" {
		l.group, err = compile(args.GroupBy)
	}
	return l, err
}

// compile reads a regular expression of a model. Those of Go take a time that is
// linear in the text, but also in the size of what they are compiled to, which
// (a{100}){10} makes much larger than it looks.
func compile(pattern string) (*regexp.Regexp, error) {
	if len(pattern) <= maxPattern {
		if re, err := regexp.Compile(pattern); err == nil && programSize(pattern) <= maxProgram {
			return re, nil
		}
	}
	return nil, advise("Write it shorter and in the syntax of RE2, or search for plain text without regexp.",
		"The regular expression %q cannot be used.", text.Clip(pattern, 100))
}

// programSize is the number of instructions that a valid expression takes.
func programSize(pattern string) int {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

// newFinder makes the test for one line. Plain text is looked for in both Unicode
// forms. Case counts if asked for, or if the text has capital letters: who
// searches for ERROR does not mean "no errors".
func newFinder(args searchArgs) (finder, error) {
	text := args.Content
	if args.Regexp {
		if !args.Case && !strings.ContainsFunc(escapes.ReplaceAllString(text, ""), unicode.IsUpper) {
			text = "(?i:" + text + ")"
		}
		re, err := compile(text)
		if err != nil {
			return nil, err
		}
		return matcher(re), nil
	}
	if len(text) > maxPattern {
		return nil, advise("Search for a shorter part of it.", "The text to find is too long: %d bytes, at most %d are possible.", len(text), maxPattern)
	}
	exact := args.Case || strings.ContainsFunc(text, unicode.IsUpper)
	switch {
	case exact && norm.NFC.IsNormalString(text) && norm.NFD.IsNormalString(text):
		return exactly(text), nil
	case !exact && isASCII(text):
		return anyCase(text), nil
	}
	both := regexp.QuoteMeta(norm.NFC.String(text)) + "|" + regexp.QuoteMeta(norm.NFD.String(text))
	if !exact {
		both = "(?i:" + both + ")"
	}
	re, err := regexp.Compile(both)
	if err != nil { // quoted text always compiles
		return nil, err
	}
	return matcher(re), nil
}

// exactly finds text as it is.
func exactly(text string) finder {
	want := []byte(text)
	return func(_ context.Context, line []byte) []int {
		if i := bytes.Index(line, want); i >= 0 {
			return []int{i, i + len(want)}
		}
		return nil
	}
}

// matcher finds what an expression matches.
func matcher(re *regexp.Regexp) finder {
	return func(ctx context.Context, line []byte) []int {
		switch {
		case len(line) <= longLine:
			return re.FindIndex(line)
		case !mayMatch(re, line):
			return nil
		}
		return re.FindReaderIndex(&stoppable{ctx: ctx, text: line})
	}
}

// submatch is a match with its groups.
func submatch(ctx context.Context, re *regexp.Regexp, line []byte) []int {
	switch {
	case len(line) <= longLine:
		return re.FindSubmatchIndex(line)
	case !mayMatch(re, line):
		return nil
	}
	return re.FindReaderSubmatchIndex(&stoppable{ctx: ctx, text: line})
}

// mayMatch is a quick test for long lines.
func mayMatch(re *regexp.Regexp, line []byte) bool {
	prefix, _ := re.LiteralPrefix()
	return bytes.Contains(line, []byte(prefix))
}

// stoppable reads a long line character by character, which is slower than to
// match it at once but stops with the context.
type stoppable struct {
	ctx   context.Context
	text  []byte
	count int
}

// ReadRune implements io.RuneReader.
func (s *stoppable) ReadRune() (r rune, size int, err error) {
	if s.count++; len(s.text) == 0 || s.count%256 == 0 && s.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRune(s.text)
	s.text = s.text[size:]
	return r, size, nil
}

// anyCase finds ASCII text without regard to case, ten times as fast as a
// regular expression does.
func anyCase(text string) finder {
	want := bytes.ToLower([]byte(text))
	var low []byte // the line; its length stays the same, unlike with other letters
	return func(_ context.Context, line []byte) []int {
		low = append(low[:0], line...)
		for i, c := range low {
			if 'A' <= c && c <= 'Z' {
				low[i] = c | 0x20
			}
		}
		if i := bytes.Index(low, want); i >= 0 {
			return []int{i, i + len(want)}
		}
		return nil
	}
}

// isASCII reports whether s is nothing but ASCII.
func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// escapes are the classes of regular expressions that are spelled with letters.
var escapes = regexp.MustCompile(`\\(?:[pP]\{?\^?\w+\}?|.)`)

// search reads the files and returns those that have matching lines.
func (l *lines) search(ctx context.Context, matches []match, skip *skipped) []match {
	kept := matches[:0]
	for _, m := range matches {
		if ctx.Err() != nil {
			skip.note(skippedTime)
			break
		}
		if l.left <= 0 {
			skip.note(skippedText)
			break
		}
		before := l.total
		l.file(ctx, &m, skip)
		if m.Lines = l.total - before; m.Lines > 0 {
			kept = append(kept, m)
		}
	}
	if ctx.Err() != nil { // in the last file
		skip.note(skippedTime)
	}
	if l.show && l.shown < l.total {
		skip.note(skippedLines, l.shown, l.total)
	}
	return kept
}

// file searches one file.
func (l *lines) file(ctx context.Context, m *match, skip *skipped) {
	f, info, err := m.entry.Open()
	if err != nil {
		skip.unreadable++
		return
	}
	defer f.Close() // opened for reading: closing loses nothing
	r, err := openText(io.LimitReader(f, l.left), info)
	if err != nil {
		skip.binary++
		return
	}
	l.left -= info.Size()
	l.buf.Reset(r)
	matched := false // in this line already: a long one comes in pieces
	unchecked := 0   // bytes since the context was looked at
	for number := 1; ; {
		if unchecked >= longLine {
			unchecked = 0
			if ctx.Err() != nil {
				return
			}
		}
		line, more, err := l.buf.ReadLine()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				skip.unreadable++
			}
			return
		}
		unchecked += len(line) + 1
		if !matched {
			matched = l.line(ctx, m, number, line)
		}
		if more {
			skip.note(skippedLong, text.Clip(m.Path, 200))
			continue
		}
		number++
		matched = false
	}
}

// line counts one line if it matches.
func (l *lines) line(ctx context.Context, m *match, number int, line []byte) bool {
	at := []int{0, 0}
	if l.find != nil {
		at = l.find(ctx, line)
	}
	if at == nil {
		return false
	}
	if l.group != nil {
		groups := submatch(ctx, l.group, line)
		if groups == nil {
			return false
		}
		key := capture(line, groups)
		if _, known := l.counts[key]; known || len(l.counts) < maxGroups {
			l.counts[key]++
		}
	}
	l.total++
	if l.every {
		l.times += l.occurrences(ctx, line, at)
	}
	if l.show && len(m.Hits) < fileHits && l.shown < allHits {
		m.Hits = append(m.Hits, hit{number, excerpt(line, at[0], at[1])})
		l.shown++
	}
	return true
}

// occurrences counts the matches of a line, from the first on. One that is empty
// counts once.
func (l *lines) occurrences(ctx context.Context, line []byte, at []int) int {
	n := 0
	for at != nil && ctx.Err() == nil {
		n++
		if at[1] == at[0] {
			break
		}
		line = line[at[1]:]
		at = l.find(ctx, line)
	}
	return n
}

// capture is the text of the first group that had a part in the match, so that
// alternatives can have a group each, or of the whole match where there is no
// group, at most 200 bytes of it.
func capture(line []byte, groups []int) string {
	i := min(2, len(groups)-2)
	for groups[i] < 0 && i+2 < len(groups) {
		i += 2
	}
	if groups[i] < 0 { // none of them
		return ""
	}
	match := line[groups[i]:groups[i+1]]
	return text.Clip(string(match[:min(len(match), 201)]), 200)
}

// groups lists the captured texts, the most frequent first.
func (l *lines) groups(limit int, skip *skipped) []group {
	if l.group == nil {
		return nil
	}
	groups := make([]group, 0, len(l.counts))
	for value, n := range l.counts {
		groups = append(groups, group{value, n})
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Value, b.Value))
	})
	if len(groups) == maxGroups {
		skip.note(skippedValues, maxGroups)
	}
	if len(groups) > limit {
		skip.note(skippedGroups, limit, len(groups))
		groups = groups[:limit]
	}
	return groups
}

// excerpt is the line, or the part of it around the match.
func excerpt(line []byte, start, end int) string {
	line = bytes.TrimRight(line, "\r")
	if len(line) > 16*hitRunes { // do not decode a huge line for a few characters
		from, to := max(0, start-4*hitRunes), min(len(line), max(end, start+4*hitRunes))
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
		line, start = line[from:min(to, from+8*hitRunes)], start-from
	}
	text := strings.ToValidUTF8(string(line), "�")
	runes := []rune(text)
	if len(runes) <= hitRunes {
		return text
	}
	before := utf8.RuneCount(line[:min(start, len(line))])
	from := max(0, min(before-hitRunes/4, len(runes)-hitRunes))
	return string(runes[from : from+hitRunes])
}
