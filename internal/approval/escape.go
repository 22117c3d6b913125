package approval

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"loci/internal/text"
)

// What comes from a model or a file is shown so that the person sees all of it
// and takes none of it for the question: nothing hides, nothing overwrites what
// stands beside it, and nothing ends the place it is shown in.

const (
	maxMarks  = 4  // combining marks on a letter: more paint over the lines around it
	maxBlanks = 60 // blanks in a row within a line: more push the rest out of sight
)

// visible escapes the characters of a text for which odd says so, by the ones
// before and after, and combining marks that pile up.
func visible(s string, odd func(last, r, next rune) bool) string {
	var b strings.Builder
	marks, last := 0, rune(0)
	for i, r := range s {
		if unicode.IsMark(r) {
			marks++
		} else {
			marks = 0
		}
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if marks > maxMarks || odd(last, r, next) {
			b.WriteString(text.Escape(r))
		} else {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// quote shows a text on one line, as code: as it is where that is clear, else in
// quotation marks with escapes. It tells whether the text was cut.
func quote(s string, most int) (shown string, cut bool) {
	s = strings.ToValidUTF8(s, "\ufffd")
	head := text.First(s, most)
	cut = len(head) < len(s)
	rest := ""
	if cut {
		rest = "…"
	}
	shown = visible(head, activeInLine)
	if shown != head || head == "" || head[0] == '"' || strings.Trim(head+rest, " ") != head+rest {
		// Backslashes and quotation marks of the text are told from ours.
		own := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(head)
		shown = `"` + visible(own, activeInLine) + `"`
	}
	return "`" + shown + rest + "`", cut
}

// activeInLine tells whether a character could end or leave the code on a line:
// chat windows look for tags and formulas before they look for code. Blanks that
// would be drawn as one are told apart.
func activeInLine(last, r, next rune) bool {
	switch r {
	case '`', '$', '◁':
		return true
	case '<':
		return unicode.IsLetter(next) || strings.ContainsRune("/!?|", next)
	case '(', '[':
		return last == '\\'
	case ' ':
		return last == ' '
	case '\u3000': // the blank of Chinese texts
		return false
	}
	return text.Hidden(r) || unicode.Is(unicode.Zs, r)
}

// lookalikes take the place of the characters that Markdown, HTML and formulas
// give a meaning. Backslashes would not do: with a bracket, one begins a formula.
var lookalikes = strings.NewReplacer("`", "'", "*", "＊", "<", "＜", ">", "＞", "[", "［", "]", "］",
	"$", "＄", `\`, "＼", "~", "～", "|", "｜", "#", "＃", "&", "＆", "◁", "＜")

// prose shows a sentence as running text on one line.
func prose(s string, most int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	head := text.First(s, most)
	shown := visible(lookalikes.Replace(head), func(_, r, _ rune) bool { return text.Hidden(r) })
	if len(head) < len(s) {
		shown += "…"
	}
	return shown
}

var (
	// folding are the tags that chat windows fold away wherever they stand, code
	// included, because models think aloud in them.
	folding = regexp.MustCompile(`(?i)[<◁](?:/?(?:think|thinking|thought|reason|reasoning|details|summary|code_interpreter)\b|/?\|)`)
	// blanks is a gap within a line.
	blanks = regexp.MustCompile(fmt.Sprintf(`[\t\p{Zs}]{%d,}[^\n\t\p{Zs}]`, maxBlanks))
	// runs are what ends a block if it is as long as what began it.
	runs = regexp.MustCompile("`+|~+")
)

// fenced shows a text as a block of code that it cannot end, and tells how many
// characters were left out at its end.
func fenced(s string, most int) (block string, cut int) {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n")
	s = strings.TrimRight(s, "\n")
	head := text.First(s, most)
	cut = utf8.RuneCountInString(s[len(head):])
	shown := visible(head, func(_, r, _ rune) bool { return r != '\n' && r != '\t' && text.Hidden(r) })
	shown = folding.ReplaceAllStringFunc(shown, func(tag string) string {
		r, size := utf8.DecodeRuneInString(tag)
		return text.Escape(r) + tag[size:]
	})
	shown = blanks.ReplaceAllStringFunc(shown, func(gap string) string {
		_, size := utf8.DecodeLastRuneInString(gap)
		return fmt.Sprintf(`%s{%d}%s`, text.Escape(' '), utf8.RuneCountInString(gap)-1, gap[len(gap)-size:])
	})
	fence := "```"
	for _, run := range runs.FindAllString(shown, -1) {
		if len(run) >= len(fence) {
			fence = strings.Repeat("`", len(run)+1)
		}
	}
	kind := ""
	if isDiff(head) {
		kind = "diff"
	}
	return fence + kind + "\n" + shown + "\n" + fence, cut
}

// hunk is how the parts of a diff begin.
var hunk = regexp.MustCompile(`(?m)^@@ |^--- .*\n\+\+\+ `)

// isDiff tells whether a preview looks like a diff: it has the head of one, or
// only lines that stay, go and come, and of the last two both.
func isDiff(s string) bool {
	if hunk.MatchString(s) {
		return true
	}
	var goes, comes bool
	for line := range strings.Lines(s) {
		switch line[0] {
		case '-':
			goes = true
		case '+':
			comes = true
		case ' ', '\n':
		default:
			return false
		}
	}
	return goes && comes
}
