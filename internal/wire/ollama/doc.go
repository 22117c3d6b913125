// Package ollama converts between Ollama's wire format and loci's own types, in
// both directions: what a client sends and reads, and what a model server
// reads and sends. It does no I/O beyond the reader or writer it is handed and
// keeps no state between calls. The functions are named as in
// [loci/internal/wire/openai].
//
// The book is docs/api.md of Ollama together with what a real server, 0.17.4,
// answered (testdata). A stream of it looks like this:
//
//	{"model":"m","created_at":…,"message":{"role":"assistant","content":"Hello"},"done":false}
//	{"model":"m","created_at":…,"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":8,…}
//
// /api/chat and /api/generate differ in little but where the text is: the one
// has a message, the other a response.
package ollama
