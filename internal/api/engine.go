package api

import (
	"context"
	"iter"
	"net/http"

	"loci"
	"loci/internal/wire/ollama"
)

// Engine runs turns that belong to a request: they end when the client leaves,
// since the chat protocols know no way to come back to a reply.
type Engine interface {
	// Turn runs one turn. Cancelling ctx or stopping the iteration interrupts
	// it. An error in the sequence means that the turn could not begin or go on.
	// Events carry their payload as one of the structs beside loci.Event, and
	// the last one is turn.finished, or turn.waiting where the turn stopped at
	// questions.
	Turn(ctx context.Context, req loci.TurnRequest) iter.Seq2[loci.Event, error]
}

// Aside finds the conversation that a model has in its cache.
type Aside interface {
	// Aside gives the call that puts a question to its end, without changing it, if it
	// is one of p's in which they said this last. The call has to end with the context.
	Aside(ctx context.Context, p loci.Principal, model, thread string, quoted []string, question string) (context.Context, loci.Request, bool)
}

// Sessions runs turns that belong to their session: they end by themselves or
// by Stop, whoever listens.
type Sessions interface {
	// Start begins a turn and gives the event that says so.
	Start(ctx context.Context, req loci.TurnRequest) (begun loci.Event, err error)
	// Follow gives the session's events after number after: first the stored
	// ones, then those that happen, with deltas in between. It ends with ctx.
	Follow(ctx context.Context, p loci.Principal, session string, after int64) iter.Seq2[loci.Event, error]
	// Stop interrupts the turn that runs in a session, if any does, and withdraws
	// the questions that wait there.
	Stop(ctx context.Context, p loci.Principal, session string) error
}

// Questions is what waits for a principal's yes or no.
type Questions interface {
	// Approvals lists those that are open, oldest first.
	Approvals(ctx context.Context, p loci.Principal) ([]loci.Approval, error)
	// Answer settles one and returns when that is stored; the turn goes on by itself.
	// A yes holds for a span; empty: once.
	Answer(ctx context.Context, p loci.Principal, id string, yes bool, span loci.GrantSpan) (loci.Approval, error)
	// Grants lists the yeses that hold on, and Revoke takes one back.
	Grants(ctx context.Context, p loci.Principal) ([]loci.Grant, error)
	Revoke(ctx context.Context, p loci.Principal, id string) error
}

// KeyEditor makes and takes back keys, on behalf of somebody who may.
type KeyEditor interface {
	// Keys lists them, the two that everybody has first.
	Keys() []loci.Key
	// Add makes one; its secret is told this once.
	Add(ctx context.Context, by loci.Principal, name string, rights []loci.Right) (k loci.Key, secret string, err error)
	// Revoke makes one invalid and ends what is open with it: it stops the turns of all
	// who come with the key and withdraws their questions, also where it cannot be stored.
	Revoke(ctx context.Context, by loci.Principal, name string) (loci.Key, error)
	// Rotate gives one another secret, and ends what is open with the old one.
	Rotate(ctx context.Context, by loci.Principal, name string) (k loci.Key, secret string, err error)
}

// Changes is what was done to files, and the way back.
type Changes interface {
	// Changes lists what a principal may see, newest first; an empty session is all.
	Changes(ctx context.Context, p loci.Principal, session string, limit int) ([]loci.Change, error)
	// Undo takes one back and gives the change that this is, or says why it cannot.
	Undo(ctx context.Context, p loci.Principal, id string) (loci.Change, error)
}

// Library reads the sessions of a principal. What belongs to somebody else is
// not found.
type Library interface {
	// Sessions lists them, newest first.
	Sessions(ctx context.Context, p loci.Principal) ([]loci.Session, error)
	// Session gives one of them.
	Session(ctx context.Context, p loci.Principal, id string) (loci.Session, error)
}

// Editor changes the sessions of a principal.
type Editor interface {
	// Rename gives a session a title and returns it as it is then.
	Rename(ctx context.Context, p loci.Principal, id, title string) (loci.Session, error)
	// Delete removes a session, after stopping what runs in it.
	Delete(ctx context.Context, p loci.Principal, id string) error
	// Fork copies a session up to and including a turn; empty: all of it.
	Fork(ctx context.Context, p loci.Principal, id, turn string) (loci.Session, error)
}

// Inspector shows what a turn works with.
type Inspector interface {
	// Tools lists what the principal's turns may use.
	Tools(ctx context.Context, p loci.Principal) ([]loci.ToolSpec, error)
	// Debug gives the exact context of the session's last model call, ready to
	// be encoded as JSON.
	Debug(ctx context.Context, p loci.Principal, session string) (any, error)
}

// Audit is the log of what tools did and people decided, everybody's.
type Audit interface {
	// Audit gives the rows that a filter lets through, oldest first; where it follows,
	// those to come as well, until ctx ends.
	Audit(ctx context.Context, f loci.AuditFilter) iter.Seq2[loci.AuditEntry, error]
	// VerifyAudit reads the whole log and reports what was changed in it.
	VerifyAudit(ctx context.Context) (loci.AuditReport, error)
}

// Models is what is known about the models of all backends.
type Models interface {
	// Models lists them under the names that clients use.
	Models(ctx context.Context) []loci.ModelInfo
	// Profile tells how a model can be used.
	Profile(ctx context.Context, model string) (loci.Profile, error)
	// Running lists those that are loaded, as far as their servers tell.
	Running(ctx context.Context) []ollama.Running
	// Embed gives one vector for each text, in their order, and the length of
	// all texts together in tokens; 0 where nobody tells.
	Embed(ctx context.Context, model string, texts []string) (vectors [][]float32, tokens int, err error)
}

// Prober finds out how models can be used.
type Prober interface {
	// States lists the models of all backends with what is known about them by now.
	States(ctx context.Context) []loci.ModelState
	// Probe tries one out now; empty: the default model.
	Probe(ctx context.Context, model string) (loci.Profile, error)
}

// Backends reaches the model servers without an agent in between.
type Backends interface {
	// Route finds the backend of a model; empty: the default model.
	Route(ctx context.Context, model string) (Route, error)
	// Chat makes one call of a model. Request.Model is the name that clients use.
	Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error]
	// Job makes one call for a client's chore when it is in no chat's
	// way, and gives the whole reply.
	Job(ctx context.Context, req loci.Request) (loci.Chunk, error)
}

// Route is the way to a model's backend.
type Route struct {
	Dialect loci.Dialect // what the backend speaks
	// Model is as the backend lists it, its name included. Passthrough says that
	// the person wants it bare here: no agent. It is told also where no backend answers.
	Model loci.ModelInfo
	// Forward posts a request to a path of the backend's protocol, such as
	// /v1/chat/completions, and returns its reply, whatever the status; the
	// caller closes the body. The body goes out as it is; of the client's headers
	// no key and no word about the person do.
	Forward func(ctx context.Context, path string, header http.Header, body []byte, why loci.Purpose) (*http.Response, error)
}
