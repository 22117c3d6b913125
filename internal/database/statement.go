package database

import (
	"strings"
	"unicode/utf8"
)

// dialect says how a database's text is taken apart where the two differ.
type dialect struct {
	postgres bool // nested comments, $tag$ texts, E'\'' texts
}

// kind is what a token is.
type kind int

const (
	word       kind = iota // a keyword or a name without quotes, in upper case
	name                   // a name in quotes, without them
	literal                // a text
	symbol                 // anything else
	unfinished             // a text, name or comment without an end
)

// token is a piece of a statement. Comments and white space are none.
type token struct {
	kind  kind
	text  string
	start int // bytes before it
	end   int // and with it
}

// tokens takes a statement apart. It never fails: what has no end is a token of its
// own kind, which no statement may have.
func (d dialect) tokens(sql string) []token {
	var all []token
	for i := 0; i < len(sql); {
		end, k := d.next(sql, i)
		if k >= 0 {
			t := token{k, sql[i:end], i, end}
			switch k {
			case word:
				t.text = strings.ToUpper(t.text)
			case name:
				t.text = strings.ReplaceAll(t.text[1:len(t.text)-1], t.text[:1]+t.text[:1], t.text[:1])
			}
			all = append(all, t)
		}
		i = end
	}
	return all
}

// next finds where what begins at i ends, and what it is; -1: it is nothing.
func (d dialect) next(sql string, i int) (end int, k kind) {
	rest := sql[i:]
	switch c := rest[0]; {
	case strings.IndexByte(" \t\n\r\f", c) >= 0:
		return i + 1, -1
	case strings.HasPrefix(rest, "--"):
		ends := "\n"
		if d.postgres {
			ends = "\n\r"
		}
		if n := strings.IndexAny(rest, ends); n >= 0 {
			return i + n + 1, -1
		}
		return len(sql), -1
	case strings.HasPrefix(rest, "/*"):
		return d.comment(sql, i)
	case c == '\'':
		return quoted(sql, i, '\'', literal, false)
	case c == '"':
		return quoted(sql, i, '"', name, false)
	case c == '`' && !d.postgres:
		return quoted(sql, i, '`', name, false)
	case c == '[' && !d.postgres:
		if n := strings.IndexByte(rest, ']'); n >= 0 {
			return i + n + 1, name
		}
		return len(sql), unfinished
	case d.postgres && (c == 'e' || c == 'E') && len(rest) > 1 && rest[1] == '\'':
		return quoted(sql, i+1, '\'', literal, true)
	case d.postgres && c == '$':
		return dollar(sql, i)
	case isName(c):
		n := 1
		for n < len(rest) && (isName(rest[n]) || rest[n] == '$' || '0' <= rest[n] && rest[n] <= '9') {
			n++
		}
		return i + n, word
	case '0' <= c && c <= '9': // with what is written against it
		n := 1
		for n < len(rest) && (isName(rest[n]) || rest[n] == '.' || '0' <= rest[n] && rest[n] <= '9') {
			n++
		}
		return i + n, symbol
	}
	_, n := utf8.DecodeRuneInString(rest)
	return i + n, symbol
}

// isName tells whether a byte may begin a name; all beyond ASCII may.
func isName(c byte) bool { return c == '_' || c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' }

// quoted finds the end of what stands in quotes, which are doubled inside it.
func quoted(sql string, i int, quote byte, k kind, backslash bool) (int, kind) {
	for j := i + 1; j < len(sql); j++ {
		switch {
		case backslash && sql[j] == '\\':
			j++
		case sql[j] == quote && j+1 < len(sql) && sql[j+1] == quote:
			j++
		case sql[j] == quote:
			return j + 1, k
		}
	}
	return len(sql), unfinished
}

// comment finds the end of a comment. In SQLite one without an end reaches to the
// end of the text; in PostgreSQL they are nested.
func (d dialect) comment(sql string, i int) (int, kind) {
	depth := 0
	for j := i; j < len(sql); {
		switch {
		case strings.HasPrefix(sql[j:], "/*") && (d.postgres || depth == 0):
			depth++
			j += 2
		case strings.HasPrefix(sql[j:], "*/"):
			depth--
			j += 2
		default:
			j++
		}
		if depth == 0 {
			return j, -1
		}
	}
	return len(sql), unfinished
}

// dollar finds the end of a text like $tag$…$tag$, or of a lone dollar.
func dollar(sql string, i int) (int, kind) {
	n := i + 1
	for n < len(sql) && (isName(sql[n]) || n > i+1 && '0' <= sql[n] && sql[n] <= '9') {
		n++
	}
	if n == len(sql) || sql[n] != '$' {
		return i + 1, symbol
	}
	tag := sql[i : n+1]
	if end := strings.Index(sql[n+1:], tag); end >= 0 {
		return n + 1 + end + len(tag), literal
	}
	return len(sql), unfinished
}

// single gives the one statement that a text holds, without what follows its end.
func (d dialect) single(sql string) (statement string, parts []token, err error) {
	switch {
	case len(sql) > maxSQL:
		return "", nil, refuse("Write a shorter one.", "The statement has %d bytes; at most %d are taken.", len(sql), maxSQL)
	case !utf8.ValidString(sql) || strings.ContainsRune(sql, 0):
		return "", nil, refuse("Write it as plain text.", "The statement has bytes in it that are no text.")
	}
	sql = strings.TrimPrefix(sql, "\ufeff") // a byte order mark
	parts = d.tokens(sql)
	first := len(parts)
	for i, t := range parts {
		switch {
		case t.kind == unfinished:
			return "", nil, refuse("Close the quote or the comment.", "A quote or a comment in the statement has no end: %s.", quote(t.text))
		case t.kind == symbol && t.text == ";":
			first = min(first, i)
		case first < i:
			return "", nil, refuse("Make one call for each statement.", "There is more than one statement in %s; only one is run at a time. Nothing was done.", quote(sql))
		}
	}
	if first == 0 {
		return "", nil, refuse("Write one SELECT, or leave query out to see the tables.", "There is no statement in %s.", quote(sql))
	}
	parts = parts[:first]
	return sql[parts[0].start:parts[first-1].end], parts, nil
}
