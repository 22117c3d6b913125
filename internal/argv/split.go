// Package argv judges commands before they run: it reads a command line that was
// written as one text, and decides whether a command is one of those that a person
// lets run unasked.
//
// A command is a list of words, the program's name first; there is no shell that
// could make something else of it. [Split] makes the list of a text, but only of one
// in which a shell would have nothing to do but take off quotes; for any other it
// says what stands in the way.
//
// [Rules.Unasked] goes by what a command can do, not by how it looks. A listed
// prefix permits only programs of the system, only words that are equal, and beyond
// the prefix only options of which it is known here that they just read (see
// profiles.go). Whatever is not known asks. That the paths among the words stay in
// the allowed folders is checked by their text here, which makes a question of what
// is bound to fail; what makes it so is the sandbox.
package argv

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Syntax is an error: a text needs a shell to be read.
type Syntax struct {
	What string // such as "a pipe (|)"
}

// Error says what was found.
func (s *Syntax) Error() string { return "it has shell syntax: " + s.What }

// operators are the characters that mean something to a shell outside of quotes.
var operators = map[rune]string{
	'|': "a pipe (|)", '&': "an & (a second command, or one in the background)", ';': "a ; (a second command)",
	'<': "a redirection (<)", '>': "a redirection (>)", '(': "parentheses", ')': "parentheses",
	'*': "a pattern for file names (*)", '?': "a pattern for file names (?)", '[': "a pattern for file names ([)",
	'$': "an expansion ($)", '`': "a command in backquotes", '\n': "a line end", '\r': "a line end",
}

// reserved are words that begin something else than a command.
var reserved = strings.Fields("if then else elif fi case esac for select while until do done in function time coproc [[ ]] ! . source eval exec alias export set unset trap cd read builtin command let declare local readonly umask ulimit wait jobs bg fg")

// Split splits a command line at its blanks and takes off the quotes, as sh does. It
// is a *Syntax error if a shell would do anything else with it: run a second
// command, redirect, expand a variable, a pattern, a ~ or braces, set a variable, skip
// a comment, recall an earlier line, or obey a word of its own.
func Split(line string) ([]string, error) {
	s := splitter{rest: line}
	if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
		return nil, &Syntax{"bytes that are no characters"}
	}
	for s.next() {
	}
	switch {
	case s.fault != "":
		return nil, &Syntax{s.fault}
	case len(s.words) == 0:
		return nil, &Syntax{"nothing to run"}
	case slices.Contains(reserved, s.words[0]):
		return nil, &Syntax{fmt.Sprintf("the shell's own word %q", s.words[0])}
	}
	return s.words, nil
}

// splitter reads a line from its beginning to its end, or to the first fault.
type splitter struct {
	rest  string
	words []string
	fault string
}

// take takes one character off the rest.
func (s *splitter) take() rune {
	r, n := utf8.DecodeRuneInString(s.rest)
	s.rest = s.rest[n:]
	return r
}

// next reads one word; there is none after the last, nor after a fault.
func (s *splitter) next() bool {
	s.rest = strings.TrimLeft(s.rest, " \t")
	if s.rest == "" {
		return false
	}
	s.fault = s.beginning()
	var word strings.Builder
	plain := true // no quote so far
	for s.rest != "" && s.fault == "" && s.rest[0] != ' ' && s.rest[0] != '\t' {
		switch r := s.take(); {
		case operators[r] != "":
			s.fault = operators[r]
		case r == '\'':
			plain = false
			s.single(&word)
		case r == '"':
			plain = false
			s.double(&word)
		case r == '\\':
			plain = false
			s.escape(&word)
		case r == '=' && plain && len(s.words) == 0 && variable(word.String()):
			s.fault = "a variable that is set (" + word.String() + "=)"
		case r == '~' && plain && (strings.HasSuffix(word.String(), "=") || strings.HasSuffix(word.String(), ":")):
			s.fault = "a ~ for a home folder"
		default:
			word.WriteRune(r)
		}
	}
	if text := word.String(); plain && s.fault == "" && strings.ContainsAny(text, "{}") && text != "{}" {
		s.fault = "braces"
	}
	if s.fault == "" {
		s.words = append(s.words, word.String())
	}
	return s.fault == ""
}

// beginning finds what counts at the beginning of a word only.
func (s *splitter) beginning() string {
	switch {
	case s.rest[0] == '~':
		return "a ~ for a home folder"
	case s.rest[0] == '#':
		return "a comment (#)"
	case s.rest[0] == '!' && len(s.rest) > 1 && !strings.ContainsRune(" \t=", rune(s.rest[1])):
		return "an earlier command (!)"
	case s.rest[0] == '^' && len(s.words) == 0:
		return "an earlier command (^)"
	}
	return ""
}

// single reads to the end of single quotes: all in them is as it is.
func (s *splitter) single(word *strings.Builder) {
	text, rest, ok := strings.Cut(s.rest, "'")
	if !ok {
		s.fault = "a quote that is not closed"
		return
	}
	word.WriteString(text)
	s.rest = rest
}

// double reads to the end of double quotes, in which $ and ` keep their meaning.
func (s *splitter) double(word *strings.Builder) {
	for s.rest != "" {
		switch r := s.take(); r {
		case '"':
			return
		case '$', '`':
			s.fault = operators[r]
			return
		case '\\':
			if next, n := utf8.DecodeRuneInString(s.rest); strings.ContainsRune("$`\"\\\n", next) && n > 0 {
				if next == '\n' {
					s.fault = operators[next]
					return
				}
				s.rest = s.rest[n:]
				r = next
			}
			word.WriteRune(r)
		default:
			word.WriteRune(r)
		}
	}
	s.fault = "a quote that is not closed"
}

// escape reads the character after a backslash outside of quotes.
func (s *splitter) escape(word *strings.Builder) {
	if s.rest == "" {
		s.fault = "a backslash at the end"
		return
	}
	r := s.take()
	if r == '\n' || r == '\r' {
		s.fault = operators[r]
		return
	}
	word.WriteRune(r)
}

// variable tells whether a text can be the name of one.
func variable(name string) bool {
	for i, r := range name {
		if r != '_' && (r|0x20 < 'a' || r|0x20 > 'z') && (i == 0 || r < '0' || r > '9') && r != '+' {
			return false
		}
	}
	return name != ""
}
