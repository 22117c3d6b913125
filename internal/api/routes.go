package api

import (
	"net/http"
	"slices"
	"strings"

	"loci"
)

// handler serves one route. It returns an error instead of writing it, which
// is only possible as long as it has written nothing else.
type handler func(w http.ResponseWriter, r *http.Request) error

// What a route needs where it is none of the rights.
const (
	open   loci.Right = ""    // nothing: it is for everybody
	anyKey loci.Right = "any" // a valid key, whatever it may; the handler looks further
)

// route is one address.
type route struct {
	pattern string
	needs   loci.Right
	handle  handler
}

// table is all addresses.
func (s *server) table() []route {
	const chat, approve, admin = loci.RightChat, loci.RightApprove, loci.RightAdmin
	return []route{
		// What people and monitors look at, without a key.
		{"GET /{$}", open, s.root},
		{"GET /healthz", open, s.health},
		{"GET /readyz", open, s.ready},

		// The OpenAI door.
		{"GET /v1/models", chat, s.openaiModels},
		{"GET /v1/models/{id...}", chat, s.openaiModel},
		{"POST /v1/chat/completions", chat, s.openaiChat},
		{"POST /v1/completions", chat, s.openaiCompletion},
		{"POST /v1/embeddings", chat, s.openaiEmbed},

		// The Ollama door. What manages models there is below.
		{"GET /api/version", chat, s.ollamaVersion},
		{"GET /api/tags", chat, s.ollamaTags},
		{"GET /api/ps", chat, s.ollamaPs},
		{"POST /api/show", chat, s.ollamaShow},
		{"POST /api/chat", chat, s.ollamaChat},
		{"POST /api/generate", chat, s.ollamaGenerate},
		{"POST /api/embed", chat, s.ollamaEmbed},
		{"POST /api/embeddings", chat, s.ollamaEmbeddings},

		// The agent's own door. It shows tools and their results, and whole
		// sessions: each key those of its own principal, and the chat key none.
		{"POST /api/agent/chat", chat, s.agentChat},
		{"GET /api/agent/tools", chat, s.agentTools},
		{"GET /api/agent/models", chat, s.agentModels},
		{"POST /api/agent/models/probe", admin, s.agentProbe},
		{"GET /api/agent/debug", chat, s.agentDebug},
		{"GET /api/agent/events", chat, s.agentEvents},
		{"GET /api/agent/ws", anyKey, s.agentSocket},
		{"GET /api/agent/approvals", approve, s.agentApprovals},
		{"POST /api/agent/approvals/{id}", anyKey, s.agentAnswer}, // a no is open to every key
		{"GET /api/agent/changes", chat, s.agentChanges},
		{"POST /api/agent/changes/{id}/undo", loci.RightWriteTools, s.agentUndo},
		{"GET /api/agent/grants", approve, s.agentGrants},
		{"DELETE /api/agent/grants/{id}", approve, s.agentRevoke},
		{"GET /api/agent/audit", admin, s.agentAudit},
		{"GET /api/agent/audit/verify", admin, s.agentAuditVerify},
		{"GET /api/agent/sessions", chat, s.agentSessions},
		{"GET /api/agent/sessions/{id}", chat, s.agentSession},
		{"PATCH /api/agent/sessions/{id}", chat, s.agentRename},
		{"DELETE /api/agent/sessions/{id}", chat, s.agentDelete},
		{"POST /api/agent/sessions/{id}/stop", chat, s.agentStop},
		{"POST /api/agent/sessions/{id}/fork", chat, s.agentFork},
		{"GET /api/agent/keys", admin, s.agentKeys},
		{"POST /api/agent/keys", admin, s.agentAddKey},
		{"DELETE /api/agent/keys/{name}", admin, s.agentRevokeKey},
		{"POST /api/agent/keys/{name}/rotate", admin, s.agentRotateKey},
	}
}

// routes serves the table.
func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{} // path → what the table has for it
	for _, e := range s.table() {
		mux.Handle(e.pattern, s.door(e))
		method, path, _ := strings.Cut(e.pattern, " ")
		methods[path] = append(methods[path], method)
	}
	refuse := func(path string, h handler) { mux.Handle(path, s.door(route{path, anyKey, h})) }
	// A pattern without a method catches what the table did not.
	for path, allow := range methods {
		refuse(path, wrongMethod(allow))
	}
	for _, path := range []string{"pull", "push", "create", "copy", "delete", "blobs/{digest}"} {
		refuse("/api/"+path, noManagement)
	}
	for _, path := range []string{"responses", "messages"} {
		refuse("/v1/"+path, otherProtocol)
		refuse("/v1/"+path+"/", otherProtocol)
	}
	refuse("/", nowhere)
	return mux
}

// door lets a request in if its sender may use the route, and turns a handler's
// error into a reply.
func (s *server) door(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r)
		x.route = to.pattern
		// A key in the path is checked even where none is needed.
		if to.needs != open || x.via != "" {
			if err := s.enter(r, x, to); err != nil {
				s.fail(w, r, err)
				return
			}
			// Who loses the key is put out.
			held, release := s.Keys.Hold(r.Context(), x.caller.key)
			defer release()
			r = r.WithContext(held)
		}
		if err := to.handle(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

// enter finds out who asks and whether they may.
func (s *server) enter(r *http.Request, x *exchange, to route) error {
	if err := s.paces.guesser(r); err != nil {
		return err
	}
	c, err := s.authenticate(r)
	if err != nil {
		s.paces.guessed(r, err)
		return err
	}
	x.caller = c
	if err := s.paces.take(c); err != nil {
		return err
	}
	if c.guest && strings.Contains(to.pattern, "/api/agent/") {
		return loci.Errorf(loci.Forbidden, "This address is for the owner alone.").
			WithHint("It takes the key in the file \"key\" beside the configuration, or one made with loci keys add; the chat key can only chat.")
	}
	return c.needs(to.needs)
}

// needs is an error if the caller lacks a right.
func (c caller) needs(right loci.Right) error {
	if right == open || right == anyKey || c.principal.May(right) {
		return nil
	}
	return loci.Errorf(loci.Forbidden, "This needs a key with the right %s, which the key %s lacks.", right, c.key.Name).
		WithHint("loci keys list shows the keys with their rights; loci keys add makes one.")
}

// wrongMethod answers 405 and names the right methods.
func wrongMethod(allow []string) handler {
	if slices.Contains(allow, http.MethodGet) {
		allow = append(allow, http.MethodHead)
	}
	slices.Sort(allow)
	list := strings.Join(allow, ", ")
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", list)
		return &statusError{http.StatusMethodNotAllowed, loci.Errorf(loci.Invalid, "This address only takes %s.", list)}
	}
}

// noManagement answers Ollama's calls that change the models on disk. They are
// not for clients of an assistant, and some had grave holes (CVE-2026-7482).
func noManagement(http.ResponseWriter, *http.Request) error {
	return &statusError{http.StatusNotImplemented,
		loci.Errorf(loci.Refused, "loci does not manage models.").WithHint("Use the model server itself for that.")}
}

// otherProtocol answers the calls of two protocols that clients may be set to
// use and that loci does not speak: OpenAI's Responses and Anthropic's Messages.
func otherProtocol(http.ResponseWriter, *http.Request) error {
	return loci.Errorf(loci.NotFound, "loci does not speak this protocol.").
		WithHint("Set the client to chat completions: POST /v1/chat/completions.")
}

// nowhere answers for all other addresses. Only a valid key gets so far, so
// nobody else learns which addresses there are.
func nowhere(_ http.ResponseWriter, r *http.Request) error {
	err := loci.Errorf(loci.NotFound, "There is nothing at this address.")
	switch r.URL.Path {
	case "/chat/completions", "/completions", "/embeddings", "/models": // of a client whose base URL lacks it
		return err.WithHint("The base URL of OpenAI clients ends in /v1.")
	}
	return err
}
