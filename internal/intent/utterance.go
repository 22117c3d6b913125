package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"loci"
)

// The tools that the rules know, by name: this package does not import them, and
// a tool that is not offered is simply not called.
const (
	listDir       = "list_dir"
	readFile      = "read_file"
	searchFiles   = "search_files"
	systemInfo    = "system_info"
	listProcesses = "list_processes"
	currentTime   = "current_time"
	calculate     = "calculate"
	writeFile     = "write_file"
	editFile      = "edit_file"
	moveFile      = "move_file"
	deleteFile    = "delete_file"
	runCommand    = "run_command"
	queryDB       = "query_db"
	mediaControl  = "media_control"
	openApp       = "open_app"
	changeDB      = "change_db"
)

// utterance is what a person said, made ready for the rules.
type utterance struct {
	loci.Situation
	said  string  // the words as they are, but for spaces and the marks at their end
	whole string  // the words without politeness before them; the end is as it is
	core  string  // the words without politeness at both ends
	signs *naming // the same with signs for what is named, once it is asked for
}

// offers tells whether a tool may be called.
func (u *utterance) offers(tool string) bool {
	return slices.ContainsFunc(u.Tools, func(t loci.ToolSpec) bool { return t.Name == tool })
}

// politeness is what people put before and after a request. Taking it off first
// keeps the rules free of every way to say please.
type politeness struct{ before, after pattern }

// newPoliteness makes the two patterns. What is left is in the part rest.
func newPoliteness() politeness {
	return politeness{
		before: newPattern(`^(?:(?:hey|hi|hello|please|ok|okay|so|well|now|then|and|also|just|quickly|can you|could you|would you|will you|i'd like you to|i would like you to|i want you to|tell me|let me know|do you know|could i|can i|let me|let's|loci` +
			`|prosím tě|prosím|můžeš|můžeš mi říct|mohl bys|mohla bys|řekni mi|víš|ahoj)[,!:]? )+(?P<rest>\S.*)$` +
			`|^(?:请问|请|帮我|麻烦你?|你能|能不能|可以|告诉我|能否)+[，, ]*(?P<rest>\S.*)$`),
		after: newPattern(`^(?P<rest>.*?\S)(?: (?:please|pls|for me|right now|now|at the moment|currently|thanks|thank you|prosím|teď|díky)|[，, ]*(?:好吗|可以吗|行吗|谢谢|吗|呢))$`),
	}
}

// understand prepares the words of a situation: one Unicode form, single spaces,
// no politeness. "Could you please read notes.md for me?" is then "read notes.md".
func (r *Router) understand(s loci.Situation) *utterance {
	core := norm.NFC.String(strings.Join(strings.Fields(s.Text), " "))
	core = strings.ReplaceAll(core, "’", "'")
	u := &utterance{Situation: s, said: trimEnd(core), whole: core}
	if m, ok := r.polite.before.match(core); ok {
		u.whole = m["rest"]
	}
	u.core = r.polite.trim(core)
	return u
}

// trim takes politeness off both ends of words.
func (p politeness) trim(words string) string {
	for range 6 {
		words = trimEnd(words)
		m, ok := p.before.match(words)
		if !ok {
			if m, ok = p.after.match(words); !ok {
				break
			}
		}
		words = m["rest"]
	}
	return words
}

// trimEnd takes the marks off the end of a sentence.
func trimEnd(s string) string {
	if strings.HasSuffix(s, " ..") || strings.HasSuffix(s, "/..") {
		return s // the folder above
	}
	return strings.TrimRight(s, " ?!.。？！=,，;…")
}

// captures are the named parts of a match. They are spans of the person's own
// words: arguments are never made up.
type captures map[string]string

// pattern is a regular expression that is compiled when it is first used: there
// are hundreds of them, and most programs that start need none.
type pattern struct {
	compiled func() *regexp.Regexp
	chinese  bool // it takes nothing without Chinese letters
}

// accents are the letters that Czechs leave their marks off when in a hurry: a
// pattern with soubory ve složce takes slozce too.
var accents = strings.NewReplacer(
	"á", "[áa]", "č", "[čc]", "ď", "[ďd]", "é", "[ée]", "ě", "[ěe]", "í", "[íi]", "ň", "[ňn]",
	"ó", "[óo]", "ř", "[řr]", "š", "[šs]", "ť", "[ťt]", "ú", "[úu]", "ů", "[ůu]", "ý", "[ýy]", "ž", "[žz]",
)

// newPattern compiles an expression that knows no case and takes Czech letters
// with or without their marks.
func newPattern(expr string) pattern {
	return pattern{compiled: sync.OnceValue(func() *regexp.Regexp { return compile(expr) })}
}

// compile makes an expression that takes words as newPattern says. Most have no Czech
// letters, and to look for each of them costs more than to compile what has none.
func compile(expr string) *regexp.Regexp {
	if strings.ContainsFunc(expr, func(r rune) bool { return r >= 'á' && r <= 'ž' }) {
		expr = accents.Replace(expr)
	}
	return regexp.MustCompile(`(?is)` + expr)
}

// newPatterns makes several.
func newPatterns(exprs ...string) []pattern {
	all := make([]pattern, len(exprs))
	for i, e := range exprs {
		all[i] = newPattern(e)
	}
	return all
}

// match gives the named parts. A name may occur more than once in alternatives.
func (p pattern) match(s string) (captures, bool) {
	if p.chinese && !isChinese(s) {
		return nil, false
	}
	re := p.compiled()
	found := re.FindStringSubmatch(s)
	if found == nil {
		return nil, false
	}
	m := captures{}
	for i, name := range re.SubexpNames() {
		if name != "" && found[i] != "" {
			m[name] = strings.TrimSpace(found[i])
		}
	}
	return m, true
}

// has tells whether the pattern occurs.
func (p pattern) has(s string) bool {
	return (!p.chinese || isChinese(s)) && p.compiled().MatchString(s)
}

// isChinese tells whether a text has a Chinese letter.
func isChinese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// endsInQuestion tells whether the words, as they were typed, end in a question mark.
func (u *utterance) endsInQuestion() bool {
	return strings.HasSuffix(strings.TrimSpace(u.Text), "?")
}
