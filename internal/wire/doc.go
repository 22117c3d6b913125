// Package wire frames what model servers and clients say to each other:
// server-sent events, lines of JSON, and the few members of a JSON object that
// can be read without parsing the rest. It knows bytes, not conversations; the
// two protocols on top of it are in [loci/internal/wire/openai] and
// [loci/internal/wire/ollama], and both ends of loci use the same functions.
//
// It also holds what the two protocols share because model servers go wrong in
// the same ways in both, and clients too: what to make of a tool call's arguments
// ([Arguments]), of the tools that a request offers ([DecodeTools],
// [DecodeToolChoice]), of calls and results without ids ([Messages]),
// of an error in whatever shape it comes ([ServerError]), and of a request with
// a fault in it ([Decode], which names the field).
//
// Everything read here comes from outside, so every size has a bound, and
// nothing that was cut on the way is ever taken for whole.
package wire
