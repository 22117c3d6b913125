package jsonrepair

import (
	"strings"
	"unicode/utf8"
)

// narrow makes the commas and colons of Chinese and Japanese keyboards JSON's, where
// they separate: outside of texts, next to what only a separator can stand beside. In
// words without quotes they belong to the words.
func narrow(s string) string {
	if !strings.ContainsAny(s, "，：、") {
		return s
	}
	var b strings.Builder
	done := 0
	token := "" // what stands before i: a bracket, a text, or a word without quotes
	for i := 0; i < len(s); {
		if n := Quoted(s, i); n > 0 {
			token = `"`
			i += n
			continue
		}
		c, n := utf8.DecodeRuneInString(s[i:])
		mark := byte(0)
		switch c {
		case '：':
			mark = ':'
		case '，', '、':
			mark = ','
		}
		switch {
		case mark == ':' && (token == `"` || isWord(token)), mark == ',' && (ended(token) || elementAhead(s[i+n:])):
			b.WriteString(s[done:i])
			b.WriteByte(mark)
			done, token = i+n, ""
		case strings.ContainsRune("{}[](),:", c):
			token = s[i : i+n]
		case c > ' ':
			if len(token) > window || strings.ContainsAny(token, `"{}[](),:`) {
				token = ""
			}
			token += s[i : i+n]
		}
		i += n
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

// ended tells whether nothing can be added to what stands before a comma.
func ended(token string) bool {
	return token == `"` || token == "}" || token == "]" || settled(token)
}

// elementAhead tells whether a text in quotes comes next, or a name and a colon.
func elementAhead(s string) bool {
	s = strings.TrimLeft(s[:min(len(s), window)], " \t\r\n")
	if quotesAt(s) != nil {
		return true
	}
	i := 0
	for i < len(s) && wordByte(s[i]) && s[i] < utf8.RuneSelf {
		i++
	}
	rest := strings.TrimLeft(s[i:], " \t")
	return i > 0 && (strings.HasPrefix(rest, "：") || strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "://"))
}
