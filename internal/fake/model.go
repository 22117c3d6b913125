package fake

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"loci"
)

// A Model is a model server that answers from a script. It is an
// [http.Handler]; Start, OpenAI and Ollama put it on the network. Set its
// fields before the first request; the methods may be called at any time, from
// any goroutine.
//
// Whatever a script leaves open is answered as a healthy server would: the
// lists name one model, a reply has a usage, embeddings are an [Embedder]'s.
type Model struct {
	Name     string       // the one chat model it has
	Family   string       // such as llama
	Version  string       // of /api/version
	Window   int          // context length in tokens
	Params   int64        // number of weights
	Slots    int          // of llama-server's /props; 0: it does not tell
	Vision   bool         // whether it takes pictures
	Thinking bool         // whether think is allowed
	NoTools  bool         // a request that offers tools is refused with 400, as Ollama does
	Only     loci.Dialect // speak just this one, with 404 for the rest; empty: both
	Key      string       // wanted as a bearer token; empty: none
	// ToolsLast has the chat template write the tools into the newest message of the
	// user and nowhere else, as Ollama's for llama3.1 does. Otherwise they are in front.
	ToolsLast bool

	// Answer, if set, is asked first; without ok the script goes on.
	Answer func(r *Request) (reply Reply, ok bool)

	mu       sync.Mutex
	server   *httptest.Server
	stopping chan struct{} // closed when the test ends: nothing hangs any longer
	scripts  map[loci.Purpose][]Reply
	requests []*Request
	paths    []string
	more     chan struct{} // closed and replaced when a request arrives
	cache    cache
}

// NewModel makes a model that gives these replies, one a call, in order. They
// are for calls that say they are part of a chat, or say nothing; see On.
func NewModel(replies ...Reply) *Model {
	return &Model{
		Name:     "fake",
		Family:   "llama",
		Version:  "0.17.4",
		Window:   8192,
		Params:   8_000_000_000,
		Slots:    1,
		stopping: make(chan struct{}),
		scripts:  map[loci.Purpose][]Reply{loci.PurposeChat: replies},
		more:     make(chan struct{}),
	}
}

// Add appends replies to the script.
func (m *Model) Add(replies ...Reply) { m.On(loci.PurposeChat, replies...) }

// On scripts the calls with this purpose (header X-Loci-Purpose) apart from the
// conversation, so that work in the background does not use up its replies.
// Calls with a purpose other than chat and step that has no script left are
// answered "ok".
func (m *Model) On(p loci.Purpose, replies ...Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[p] = append(m.scripts[p], replies...)
}

// Start puts the model on a port of its own until the test ends, and returns
// its base URL without a path. Later calls return the same.
func (m *Model) Start(t testing.TB) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.server == nil {
		m.server = httptest.NewServer(m)
		t.Cleanup(func() {
			close(m.stopping)
			m.server.CloseClientConnections()
			m.server.Close()
		})
	}
	return m.server.URL
}

// OpenAI starts the model and returns its base URL for that protocol.
func (m *Model) OpenAI(t testing.TB) string { return m.Start(t) + "/v1" }

// Ollama starts the model and returns its base URL for that protocol.
func (m *Model) Ollama(t testing.TB) string { return m.Start(t) }

// A Request is a call of the model that arrived: its decoded form, what it
// asked for, and when it was over.
type Request struct {
	loci.Request // Purpose is that of the header; empty without one
	Dialect      loci.Dialect
	Path         string
	Stream       bool
	Prompt       string // of /api/generate and /v1/completions, which have no messages
	Header       http.Header
	Body         []byte
	Arrived      time.Time

	done     chan struct{}
	canceled bool
}

// Done is closed when the reply is over, whole or not.
func (r *Request) Done() <-chan struct{} { return r.done }

// Canceled waits until the reply is over and reports whether the client left
// before its end.
func (r *Request) Canceled() bool {
	<-r.done
	return r.canceled
}

// Requests returns the calls so far of a chat or completion, oldest first.
func (m *Model) Requests() []*Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*Request(nil), m.requests...)
}

// Last returns the newest call, or nil.
func (m *Model) Last() *Request {
	all := m.Requests()
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// Turn returns the calls so far that belong to a conversation: those without a
// purpose, or with the purpose chat or step.
func (m *Model) Turn() []*Request {
	var list []*Request
	for _, r := range m.Requests() {
		if inChat(r.Purpose) {
			list = append(list, r)
		}
	}
	return list
}

// Paths returns "METHOD /path" of everything that was asked, oldest first.
func (m *Model) Paths() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.paths...)
}

// Left returns how many replies of the conversation's script are unused.
func (m *Model) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.scripts[loci.PurposeChat])
}

// Await returns the call number n, counted from 1, as soon as it arrives. It
// fails the test after ten seconds.
func (m *Model) Await(t testing.TB, n int) *Request {
	t.Helper()
	late := time.After(10 * time.Second)
	for {
		m.mu.Lock()
		more, have := m.more, len(m.requests)
		var r *Request
		if have >= n {
			r = m.requests[n-1]
		}
		m.mu.Unlock()
		if r != nil {
			return r
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("the model was called %d times, waiting for %d", have, n)
		}
	}
}

// inChat reports whether a call with this purpose is part of a conversation.
func inChat(p loci.Purpose) bool {
	return p == "" || p == loci.PurposeChat || p == loci.PurposeStep
}

// arrived notes a call.
func (m *Model) arrived(r *Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, r)
	close(m.more)
	m.more = make(chan struct{})
}

// next takes the reply for a call from the script.
func (m *Model) next(r *Request) Reply {
	if m.Answer != nil {
		if reply, ok := m.Answer(r); ok {
			return reply
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := r.Purpose
	if inChat(p) {
		p = loci.PurposeChat
	}
	script := m.scripts[p]
	switch {
	case len(script) > 0:
		m.scripts[p] = script[1:]
		return script[0]
	case p == loci.PurposeChat:
		return Reply{Status: http.StatusInternalServerError, Error: "the script has no reply left"}
	}
	return Reply{Text: "ok"}
}
