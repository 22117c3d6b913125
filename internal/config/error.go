package config

import (
	"fmt"
	"strings"

	"loci"
	"loci/internal/text"
)

// Error says what is wrong with the configuration, and where. Commands that
// get one end with exit code 3.
type Error struct {
	File   string // empty where the setting does not come from a file
	Line   int    // from 1; 0 where it is not known
	Column int    // from 1
	Field  string // such as timeouts.connect; empty when the file cannot be read at all
	Err    *loci.Error
}

// Error gives the sentence and the hint.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the loci.Error, so that it is shown like any other.
func (e *Error) Unwrap() error { return e.Err }

// Warning is something in the configuration that has no effect, or not the one
// that was probably meant.
type Warning struct {
	File         string
	Line, Column int // 0 where they are not known
	Text         string
}

// String gives the place and the text.
func (w Warning) String() string { return position(w.File, w.Line, w.Column) + ": " + w.Text }

// position writes a place the way editors and compilers do.
func position(file string, line, column int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", file, line, max(column, 1))
}

// echo quotes a text from outside for an error, at most 200 bytes of it.
func echo(s string) string {
	const limit = 200
	return fmt.Sprintf("%q", text.Clip(s, limit))
}

// closest finds the candidate that a mistyped word was probably meant to be,
// or "" when none is near.
func closest(word string, candidates []string) string {
	const longest = 64 // bytes; no key of ours is near so long a word
	if len(word) > longest {
		return ""
	}
	near := max(2, len(word)/3) // two edits: a swap of neighbours
	if len(word) < 4 {
		near = 1
	}
	best, distance := "", near+1
	for _, c := range candidates {
		last := c[strings.LastIndexByte(c, '.')+1:]
		for _, form := range []string{c, last} {
			if d := text.Distance(strings.ToLower(word), form); d < distance {
				best, distance = c, d
			}
		}
	}
	return best
}
