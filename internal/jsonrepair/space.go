package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// window is how far is looked ahead, in bytes. A name or a comment longer than
// that is still read, but decides nothing before it is.
const window = 256

// space skips white space and comments.
func (p *parser) space() {
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			p.i++
		case c == '/' && p.at("//"), c == '#' && p.hash(p.i):
			p.skipTo("\n")
		case c == '/' && p.at("/*"):
			p.skipTo("*/")
		case c >= utf8.RuneSelf:
			n := wideSpace(p.s[p.i:])
			if n == 0 {
				return
			}
			p.i += n
		default:
			return
		}
	}
}

// skipTo steps behind the next end, or to the end of the input.
func (p *parser) skipTo(end string) {
	if j := strings.Index(p.s[p.i:], end); j >= 0 {
		p.i += j + len(end)
	} else {
		p.i = len(p.s)
	}
}

// hash tells whether the # at i begins a comment. #fff is a colour and #12 the
// number of something.
func (p *parser) hash(i int) bool {
	return i+1 >= len(p.s) || strings.IndexByte(" \t\r\n#!", p.s[i+1]) >= 0
}

// wideSpace is the length of a space outside ASCII that s begins with, or 0.
func wideSpace(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case '\uFEFF', '\u180E', '\u200B', '\u2060': // these take no room, and are no spaces to Unicode
		return n
	}
	if unicode.IsSpace(r) {
		return n
	}
	return 0
}

// skip is where the next token begins at or behind i, over space and comments, at
// most a window on.
func (p *parser) skip(i int) int {
	for limit := min(len(p.s), i+window); i < limit; {
		c := p.s[i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case c == '/' && strings.HasPrefix(p.s[i:], "//"), c == '#' && p.hash(i):
			i = p.ahead(i, "\n")
		case c == '/' && strings.HasPrefix(p.s[i:], "/*"):
			i = p.ahead(i, "*/")
		case c >= utf8.RuneSelf:
			n := wideSpace(p.s[i:])
			if n == 0 {
				return i
			}
			i += n
		default:
			return i
		}
	}
	return i
}

// ahead is where the input goes on behind the next end, at most a window on.
func (p *parser) ahead(i int, end string) int {
	limit := min(len(p.s), i+window)
	if j := strings.Index(p.s[i:limit], end); j >= 0 {
		return i + j + len(end)
	}
	return limit
}

// newline tells whether there is a line break between i and j.
func (p *parser) newline(i, j int) bool { return strings.IndexByte(p.s[i:j], '\n') >= 0 }

// Space is the length of the white space and comments that s begins with.
func Space(s string) int {
	p := parser{s: s}
	p.space()
	return p.i
}
