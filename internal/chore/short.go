package chore

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"loci/internal/lang"
)

// general is the tag for what has no better one.
var general = lang.Words{EN: "General", ZH: "综合", CS: "Obecné"}

// Short is the answer to a chore without a model; false where only a model can
// answer, and where it would say nothing. Whatever it says is safe to show.
func (c Chore) Short() (string, bool) {
	values, ok := c.short()
	if !ok {
		return "", false
	}
	answer := c.Answer(values...)
	return answer, answer != ""
}

// short are the values of that answer.
func (c Chore) short() (values []string, ok bool) {
	first, last := spoken(c.Talk)
	switch c.Kind {
	case Title:
		title := heading(first)
		return []string{title}, title != ""
	case Tags:
		return []string{general.In(lang.Of(first))}, true
	case FollowUps:
		return nil, true
	case Queries:
		// With an empty list Open WebUI would search for nothing, and the person
		// who has switched the search on wants one.
		return search(last), true
	case Autocomplete:
		return []string{""}, true
	case Emoji:
		return []string{"🙂"}, true
	}
	return nil, false
}

// search is what to search for to answer a message: its beginning, if it says
// anything.
func search(said string) []string {
	const most = 200
	said = strings.Join(strings.Fields(said), " ")
	if runes := []rune(said); len(runes) > most {
		said = string(runes[:most])
	}
	if said == "" {
		return nil
	}
	return []string{said}
}

// heading makes a short title of what somebody said.
func heading(said string) string {
	const words, letters, wide = 6, 50, 16
	var line string
	for l := range strings.Lines(said) {
		if line = strings.TrimSpace(strings.TrimLeft(l, "#>*-`\"' \t")); line != "" {
			break
		}
	}
	fields := strings.Fields(strings.NewReplacer("**", "", "`", "").Replace(line))
	line = strings.Join(fields[:min(len(fields), words)], " ")
	most := letters
	if len(fields) == 1 && len(line) > 2*utf8.RuneCountInString(line) { // written without spaces, in wide letters
		most = wide
	}
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most])
		if i := strings.LastIndexByte(line, ' '); i > 0 {
			line = line[:i] // not half a word
		}
	}
	line = strings.TrimRightFunc(line, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) || r == '`' })
	first, size := utf8.DecodeRuneInString(line)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + line[size:]
}
