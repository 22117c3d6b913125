// Package api is the HTTP handler: it speaks each client's protocol, finds out
// who asks, and renders the events of a turn as the reply that client expects.
//
// There are three doors on one port. The OpenAI door (openai.go) and the Ollama
// door (ollama.go) decode a request, hand it to the engine as a turn, and
// encode what comes back; both render through the same sequence of chunks
// (turn.go), so a reply that broke off looks broken in either. What a client asks
// for by itself, such as a title, is told apart from a turn by package chore and
// answered in chores.go. For models that the person wants bare, and for embeddings,
// a request is only looked at (target.go) and the bytes are relayed (relay.go),
// with an eye on whether the reply comes to its end (ending.go). The agent's own
// door (agent.go) shows the events themselves.
//
// Start reading at routes.go: every address, and the right it needs, is there.
// A request passes the middleware listed in New: exchange.go gives it an id and
// a log line, guard.go checks where it comes from, auth.go whose key it
// carries. No handler writes an error; it returns it, and errors.go puts it into
// the shape of the door.
//
// The package holds no state. It decides what is a turn, and who answers what is
// none; in which conversation a turn goes on, and how, is not its business. The
// interfaces in engine.go are all it knows of the parts that do the work.
package api
