// Package openai converts between the OpenAI wire format and loci's own types,
// in both directions: what a client sends and reads, and what a model server
// reads and sends. It does no I/O beyond the reader or writer it is handed and
// keeps no state between calls.
//
// For each kind of message there are up to four functions. The request of a
// client is read with DecodeChat and that to a model server made with
// EncodeChat; the server's reply is read with DecodeStream or DecodeReply and
// that to the client made with a Stream or EncodeReply. Completions, embeddings,
// models and errors go by the same names.
//
// The book is OpenAI's API reference; a stream of it looks like this:
//
//	data: {"id":…,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
//	data: {"id":…,"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
//	data: {"id":…,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
//	data: {"id":…,"choices":[],"usage":{"prompt_tokens":19,…}}
//	data: [DONE]
//
// No two servers keep to it alike, so what is read is read leniently: every
// deviation that is accepted is named where it is, with the reason. What is
// written keeps to the letter.
package openai
