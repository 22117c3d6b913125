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

// routes is the table of all addresses.
func (s *server) routes() http.Handler {
	table := []struct {
		pattern string
		needs   scope
		handle  handler
	}{
		// What people and monitors look at, without a key.
		{"GET /{$}", scopeNone, s.root},
		{"GET /healthz", scopeNone, s.health},
		{"GET /readyz", scopeNone, s.ready},

		// The OpenAI door.
		{"GET /v1/models", scopeChat, s.openaiModels},
		{"GET /v1/models/{id...}", scopeChat, s.openaiModel},
		{"POST /v1/chat/completions", scopeChat, s.openaiChat},
		{"POST /v1/completions", scopeChat, s.openaiCompletion},
		{"POST /v1/embeddings", scopeChat, s.openaiEmbed},

		// The Ollama door. What manages models there is below.
		{"GET /api/version", scopeChat, s.ollamaVersion},
		{"GET /api/tags", scopeChat, s.ollamaTags},
		{"GET /api/ps", scopeChat, s.ollamaPs},
		{"POST /api/show", scopeChat, s.ollamaShow},
		{"POST /api/chat", scopeChat, s.ollamaChat},
		{"POST /api/generate", scopeChat, s.ollamaGenerate},
		{"POST /api/embed", scopeChat, s.ollamaEmbed},
		{"POST /api/embeddings", scopeChat, s.ollamaEmbeddings},

		// The agent's own door, for the owner alone: it shows tools and their
		// results, and whole sessions.
		{"POST /api/agent/chat", scopeOwner, s.agentChat},
		{"GET /api/agent/tools", scopeOwner, s.agentTools},
		{"GET /api/agent/debug", scopeOwner, s.agentDebug},
		{"GET /api/agent/events", scopeOwner, s.agentEvents},
		{"GET /api/agent/approvals", scopeOwner, s.agentApprovals},
		{"POST /api/agent/approvals/{id}", scopeOwner, s.agentAnswer},
		{"GET /api/agent/changes", scopeOwner, s.agentChanges},
		{"POST /api/agent/changes/{id}/undo", scopeOwner, s.agentUndo},
		{"GET /api/agent/grants", scopeOwner, s.agentGrants},
		{"DELETE /api/agent/grants/{id}", scopeOwner, s.agentRevoke},
		{"GET /api/agent/audit", scopeOwner, s.agentAudit},
		{"GET /api/agent/audit/verify", scopeOwner, s.agentAuditVerify},
		{"GET /api/agent/sessions", scopeOwner, s.agentSessions},
		{"GET /api/agent/sessions/{id}", scopeOwner, s.agentSession},
		{"PATCH /api/agent/sessions/{id}", scopeOwner, s.agentRename},
		{"DELETE /api/agent/sessions/{id}", scopeOwner, s.agentDelete},
		{"POST /api/agent/sessions/{id}/stop", scopeOwner, s.agentStop},
		{"POST /api/agent/sessions/{id}/fork", scopeOwner, s.agentFork},
	}
	mux := http.NewServeMux()
	methods := map[string][]string{} // path → what the table has for it
	for _, e := range table {
		mux.Handle(e.pattern, s.door(e.needs, e.handle))
		method, path, _ := strings.Cut(e.pattern, " ")
		methods[path] = append(methods[path], method)
	}
	// A pattern without a method catches what the table did not.
	for path, allow := range methods {
		mux.Handle(path, s.door(scopeChat, wrongMethod(allow)))
	}
	for _, path := range []string{"pull", "push", "create", "copy", "delete", "blobs/{digest}"} {
		mux.Handle("/api/"+path, s.door(scopeChat, noManagement))
	}
	for _, path := range []string{"responses", "messages"} {
		mux.Handle("/v1/"+path, s.door(scopeChat, otherProtocol))
		mux.Handle("/v1/"+path+"/", s.door(scopeChat, otherProtocol))
	}
	mux.Handle("/", s.door(scopeChat, nowhere))
	return mux
}

// door lets a request in if its sender may use the route, and turns a handler's
// error into a reply.
func (s *server) door(needs scope, handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r)
		x.route = r.Pattern
		if err := s.enter(r, x, needs); err != nil {
			s.fail(w, r, err)
			return
		}
		if err := handle(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

// enter finds out who asks and whether they may.
func (s *server) enter(r *http.Request, x *exchange, needs scope) error {
	// A key in the path is checked even where none is needed.
	if needs == scopeNone && x.via == "" {
		return nil
	}
	c, err := s.authenticate(r)
	if err != nil {
		return err
	}
	x.caller = c
	if c.scope < needs {
		return loci.Errorf(loci.Forbidden, "This address is for the owner alone.").
			WithHint("It takes the key in the file \"key\" beside the configuration; the chat key can only chat.")
	}
	return nil
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
