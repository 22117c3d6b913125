package secret

import (
	"fmt"
	"strings"
)

// variables reads the text of an .env file: lines of NAME=value, with export in
// front if one likes, and comments behind a #. A value may stand in quotes and
// then go over several lines: in single ones and in backticks it is taken as it
// is, in double ones \n, \r and \t are a line end, a return and a tab, and a
// backslash takes the meaning from a quote, a $ or another backslash. A $ alone
// is a letter like any other: passwords have it. Of two lines for a name the later
// one counts. An error has the number of a line, and nothing of what stands there.
func variables(s string) (map[string]string, error) {
	all := map[string]string{}
	s = strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n")
	for line := 1; s != ""; {
		head, rest, _ := strings.Cut(s, "\n")
		trimmed := strings.TrimSpace(head)
		if trimmed == "" || trimmed[0] == '#' {
			s, line = rest, line+1
			continue
		}
		after, exported := strings.CutPrefix(trimmed, "export")
		if exported = exported && strings.TrimLeft(after, " \t") != after; exported {
			trimmed = strings.TrimSpace(after)
		}
		name, _, ok := strings.Cut(trimmed, "=")
		if name = strings.TrimRight(name, " \t"); !isVariable(name) || !ok && !exported {
			return nil, fmt.Errorf("line %d is not of the form NAME=value", line)
		}
		if !ok { // export NAME alone says nothing of its value
			s, line = rest, line+1
			continue
		}
		value, used, err := envValue(s[strings.IndexByte(s, '=')+1:])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		all[name] = value
		used += strings.IndexByte(s, '=') + 1
		line += strings.Count(s[:used], "\n") + 1
		s = strings.TrimPrefix(s[used:], "\n")
	}
	return all, nil
}

// envValue reads the value at the beginning of a text, and gives how much of the
// text it and what follows on its line take.
func envValue(s string) (value string, used int, err error) {
	body := strings.TrimLeft(s, " \t")
	blank := len(s) - len(body)
	if body == "" || strings.IndexByte("'\"`", body[0]) < 0 {
		line, _, _ := strings.Cut(s, "\n")
		return strings.TrimSpace(uncomment(line)), len(line), nil
	}
	value, end, ok := unquote(body)
	if !ok {
		return "", 0, fmt.Errorf("the quote is not closed")
	}
	after, _, _ := strings.Cut(body[end:], "\n")
	if strings.TrimSpace(uncomment(" "+after)) != "" {
		return "", 0, fmt.Errorf("something follows behind the closing quote")
	}
	return value, blank + end + len(after), nil
}

// uncomment cuts a comment off a line: a # behind a blank.
func uncomment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// unquote reads a quoted text, and gives the place behind it.
func unquote(s string) (value string, end int, ok bool) {
	mark := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == mark:
			return b.String(), i + 1, true
		case c == '\\' && mark == '"' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case '"', '\\', '$', '`', '\'':
				b.WriteByte(s[i])
			default:
				b.WriteString(s[i-1 : i+1])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

// isVariable tells whether a text can be the name of a variable.
func isVariable(s string) bool {
	for i, r := range s {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r == '_':
		case i > 0 && (r >= '0' && r <= '9' || r == '.' || r == '-'):
		default:
			return false
		}
	}
	return s != ""
}
