package secret

import (
	"errors"
	"strings"
)

// words takes a command apart into its arguments. Single and double quotes hold
// one together; a backslash takes the meaning from a blank, a quote or another
// backslash, and is a letter before anything else, as in the paths of Windows. It
// is no shell: nothing is expanded, and there are no pipes.
func words(s string) ([]string, error) {
	var all []string
	var b strings.Builder
	open, mark := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case mark != 0 && c == mark:
			mark = 0
		case mark == 0 && (c == '\'' || c == '"'):
			mark, open = c, true
		case c == '\\' && mark != '\'' && i+1 < len(s) && strings.IndexByte(" '\"\\", s[i+1]) >= 0 && (mark == 0 || s[i+1] == mark || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
			open = true
		case mark == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if open {
				all = append(all, b.String())
				b.Reset()
			}
			open = false
		default:
			b.WriteByte(c)
			open = true
		}
	}
	if mark != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if open {
		all = append(all, b.String())
	}
	return all, nil
}
