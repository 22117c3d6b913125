// Package loci is the vocabulary of the program: the few types that every
// other package speaks, and nothing else. It imports only the standard library.
//
// # The tour
//
// loci stands between a chat window and a model server on the same machine.
// One conversation turn flows down through four layers; the folder names under
// internal/ are the architecture:
//
//	access     door, api, keyring,   let clients in, speak their protocols, find out who
//	           chore                 asks, tell a turn from what a chat UI wants for itself
//	engine     agent, transcript,    one turn: place it in its transcript, ask the
//	           prompt, offer,        model, run the tools, record, repeat
//	           approval, receipt
//	abilities  tool, gate, toolkit,  what a turn can use, each behind an interface
//	           toolkit/arith,        of a few methods that the engine declares; what
//	           database, desktop,    may run, and how it is taken back
//	           undo, model,
//	           model/server, intent
//	ground     store, audit, config, files, bytes, texts and processes; these know
//	           secret, redact,       nothing of each other's work
//	           wire, toolcall,
//	           jsonrepair, jsontree,
//	           wire/openai,
//	           wire/ollama, sandbox,
//	           confine, argv,
//	           embedded,
//	           embedded/gguf,
//	           lang, text, where, heap,
//	           intent/fill,
//	           intent/phrase
//
// Two packages stand above these, as wiring. Package app is the only one that
// knows all others: it builds the program from its configuration, and holds one
// line for each interface that a lower package satisfies for a higher one.
// Package cli has the commands, which cmd/loci runs: they start an app, or talk over
// HTTP to one that runs. Package fake, a model with a script, is for tests. The import picture is
// a table in layout_test.go; a new arrow is a deliberate edit there.
//
// To follow a question from a chat window, read in this order: the route table
// in [loci/internal/api], [loci/internal/transcript] (which conversation is
// this?), the phases in [loci/internal/agent], then [loci/internal/tool] (what
// every call passes), [loci/internal/gate] (who decides about it) and
// [loci/internal/toolkit] (the tools).
//
// # Two ideas that shape everything
//
// The prefix never moves. What was sent to a model once is stored byte for
// byte and sent again unchanged, so the server's KV cache stays warm: see
// [Node].
//
// A turn is a stream of [Event]s. Terminal, HTTP streams and the stored
// timeline are renderings of that one stream; an event is stored before it is
// shown, so any client can fall behind and resume by number.
package loci
