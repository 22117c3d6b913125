package toolcall

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// brackets finds where a value ends whose brackets are its only end. It reads each
// byte once, whatever the cuts between pieces. It knows quotes, but not all that
// models make of them, so what it finds is a place to try and not more.
type brackets struct {
	at    int  // how far it has read
	depth int  // open brackets
	quote rune // that opened the text it is in, or 0
	last  int  // behind the last closing bracket, whether in a text or not
}

// next is the place behind the next bracket that closes all before it. More says
// that text may follow, so that the last bytes of b need not be decided.
func (s *brackets) next(b []byte, more bool) (end int, ok bool) {
	for s.at < len(b) {
		c, n := rune(b[s.at]), 1
		switch {
		case c == 0xEF: // fullwidth brackets begin so
			if more && !utf8.FullRune(b[s.at:]) {
				return 0, false
			}
			c, n = utf8.DecodeRune(b[s.at:])
		case c >= utf8.RuneSelf:
			c = utf8.RuneError
		}
		if more && s.at+1 == len(b) && (c == '\\' || c == '\'') {
			return 0, false // the next byte tells
		}
		switch {
		case s.quote != 0 && c == '\\':
			n = min(2, len(b)-s.at)
		case s.quote != 0 && c == s.quote:
			if c == '"' || !betweenLetters(b, s.at) {
				s.quote = 0
			}
		case s.quote == 0 && (c == '"' || c == '\'' && (s.at == 0 || !letterByte(b[s.at-1]))):
			s.quote = c
		}
		s.at += n
		switch {
		case strings.ContainsRune(")]}）］｝", c) && c != utf8.RuneError:
			if s.last = s.at; s.quote != 0 {
				continue
			}
			if s.depth = max(0, s.depth-1); s.depth == 0 {
				return s.at, true
			}
		case s.quote == 0 && strings.ContainsRune("([{（［｛", c) && c != utf8.RuneError:
			s.depth++
		}
	}
	return 0, false
}

// betweenLetters tells whether the quote at i is an apostrophe.
func betweenLetters(b []byte, i int) bool {
	return i > 0 && i+1 < len(b) && letterByte(b[i-1]) && letterByte(b[i+1])
}

// letterByte tells whether c is, or is part of, a letter. Other scripts count as
// letters.
func letterByte(c byte) bool {
	return c >= utf8.RuneSelf || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// end finds the next place in buf where the markup may end: the close begins at i and
// has n bytes.
func (m *markup) end(buf []byte, final bool) (i, n int, ok bool) {
	b := buf[:min(len(buf), maxMarkup)]
	if mark := m.dialect.close; mark != "" {
		i = bytes.Index(b[m.from:], []byte(mark))
		if i < 0 {
			m.from = max(m.from, len(b)-len(mark)+1)
			return 0, 0, false
		}
		return m.from + i, len(mark), true
	}
	if end, ok := m.scan.next(b, !final && len(buf) < maxMarkup); ok {
		return end, 0, true
	}
	if final && m.scan.last > m.from { // the quotes were other than they seemed
		i, m.scan.last = m.scan.last, 0
		return i, 0, true
	}
	return 0, 0, false
}
