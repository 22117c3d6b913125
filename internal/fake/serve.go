package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"loci"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

// ServeHTTP answers both protocols, and llama-server's /props.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left while it was asking
	}
	// Everything is noted before it is answered, also what is refused.
	m.mu.Lock()
	m.paths = append(m.paths, r.Method+" "+r.URL.Path)
	m.mu.Unlock()
	dialect := loci.OpenAI
	if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/" {
		dialect = loci.Ollama
	}
	switch {
	case m.Only != "" && m.Only != dialect:
		http.NotFound(w, r)
	case m.Key != "" && r.Header.Get("Authorization") != "Bearer "+m.Key:
		m.fail(w, dialect, http.StatusUnauthorized, "invalid key")
	case r.Method == http.MethodPost && generates(r.URL.Path):
		m.generate(w, r, dialect, body)
	default:
		m.tell(w, r, body)
	}
}

// generates reports whether a request to this path is answered from the script.
func generates(path string) bool {
	switch path {
	case "/v1/chat/completions", "/v1/completions", "/api/chat", "/api/generate":
		return true
	}
	return false
}

// fail sends an error in the shape of the protocol.
func (m *Model) fail(w http.ResponseWriter, dialect loci.Dialect, status int, message string) {
	e := &loci.Error{Code: loci.Internal, Message: message}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if dialect == loci.Ollama {
		_, _ = w.Write(ollama.EncodeError(e))
		return
	}
	_, _ = w.Write(openai.EncodeError(e))
}

// generate answers a call from the script. The request counts as arrived even
// when it is refused, so that a test sees what was wrong with it.
func (m *Model) generate(w http.ResponseWriter, r *http.Request, dialect loci.Dialect, body []byte) {
	req := &Request{
		Dialect: dialect, Path: r.URL.Path, Header: r.Header.Clone(), Body: body,
		Arrived: time.Now(), done: make(chan struct{}),
	}
	includeUsage, err := req.decode()
	req.Purpose = loci.Purpose(r.Header.Get("X-Loci-Purpose"))
	m.arrived(req)
	out := &answer{model: m, w: w, r: r}
	// Deferred, as a cut reply leaves by a panic.
	defer func() {
		req.canceled = r.Context().Err() != nil && !out.complete
		close(req.done)
	}()
	if err != nil {
		m.fail(w, dialect, http.StatusBadRequest, err.Error())
		return
	}
	if status, message := m.refuse(req); status != 0 {
		m.fail(w, dialect, status, message)
		return
	}
	out.send(req, m.next(req), includeUsage)
}

// decode fills the request from its body with the product's own decoders, so a
// test compares what was meant, not how it was written.
func (r *Request) decode() (includeUsage bool, err error) {
	switch r.Path {
	case "/v1/chat/completions":
		c, err := openai.DecodeChat(r.Body)
		r.Model, r.Messages, r.Tools, r.ToolChoice, r.Options, r.Stream = c.Model, c.Messages, c.Tools, c.ToolChoice, c.Options, c.Stream
		return c.IncludeUsage, err
	case "/v1/completions":
		c, err := openai.DecodeCompletion(r.Body)
		r.Model, r.Prompt, r.Options, r.Stream = c.Model, c.Prompt, c.Options, c.Stream
		return c.IncludeUsage, err
	case "/api/chat":
		c, err := ollama.DecodeChat(r.Body)
		r.Model, r.Messages, r.Tools, r.ToolChoice, r.Options, r.Stream = c.Model, c.Messages, c.Tools, c.ToolChoice, c.Options, c.Stream
		return false, err
	}
	c, err := ollama.DecodeGenerate(r.Body)
	r.Model, r.Prompt, r.Options, r.Stream = c.Model, c.Prompt, c.Options, c.Stream
	return false, err
}

// refuse says no where Ollama says no.
func (m *Model) refuse(r *Request) (status int, message string) {
	switch {
	case strings.TrimSuffix(r.Model, ":latest") != m.Name:
		return http.StatusNotFound, fmt.Sprintf("model '%s' not found", r.Model)
	case m.NoTools && len(r.Tools) > 0:
		return http.StatusBadRequest, fmt.Sprintf("registry.ollama.ai/library/%s:latest does not support tools", m.Name)
	case !m.Thinking && r.Dialect == loci.Ollama && len(r.Options.Think) > 0 && string(r.Options.Think) != "false":
		return http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", m.Name)
	}
	return 0, ""
}

// An answer is a reply on its way. As a writer it counts, flushes and cuts.
type answer struct {
	model    *Model
	w        http.ResponseWriter
	r        *http.Request
	cutAt    int
	sent     int
	complete bool
}

// errLeft ends a reply that nobody waits for any more.
var errLeft = errors.New("the client left or the test is over")

// send writes the reply, with what the script says about its head first.
func (a *answer) send(req *Request, reply Reply, includeUsage bool) {
	a.cutAt = reply.CutAt
	if a.hold(reply.Wait) != nil {
		return
	}
	for name, values := range reply.Header {
		a.w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	if reply.Status != 0 && reply.Raw == "" {
		a.model.fail(a.w, req.Dialect, reply.Status, reply.Error)
		a.complete = true
		return
	}
	usage := a.model.usage(req, reply)
	a.w.Header().Set("Content-Type", contentType(req))
	if reply.Status != 0 {
		a.w.WriteHeader(reply.Status)
	}
	a.complete = a.body(req, reply, usage, includeUsage) == nil
}

// contentType is what each protocol calls its replies. Clients look at it to
// tell a stream from a whole reply.
func contentType(req *Request) string {
	switch {
	case !req.Stream:
		return "application/json"
	case req.Dialect == loci.Ollama:
		return "application/x-ndjson"
	}
	return "text/event-stream"
}

// body writes the reply's text in the form of the path that was asked. It goes
// through the product's own writers: their bytes are what its clients will meet.
func (a *answer) body(req *Request, reply Reply, usage loci.Usage, includeUsage bool) error {
	if reply.Raw != "" {
		_, err := io.WriteString(a, reply.Raw)
		return err
	}
	whole := loci.Chunk{Text: reply.text(), Reasoning: reply.Reasoning, ToolCalls: reply.Calls, Finish: reply.finish(), Usage: &usage}
	var b []byte
	switch {
	case req.Stream && req.Path == "/v1/chat/completions":
		return reply.stream(openai.NewStream(a, req.Model, includeUsage), usage, a.hold)
	case req.Stream && req.Path == "/v1/completions":
		return reply.stream(openai.NewCompletionStream(a, req.Model, includeUsage), usage, a.hold)
	case req.Stream && req.Path == "/api/chat":
		return reply.stream(ollama.NewStream(a, req.Model), usage, a.hold)
	case req.Stream:
		return reply.stream(ollama.NewGenerateStream(a, req.Model), usage, a.hold)
	case req.Path == "/v1/chat/completions":
		b = openai.EncodeReply(req.Model, whole)
	case req.Path == "/v1/completions":
		b = openai.EncodeCompletionReply(req.Model, whole)
	case req.Path == "/api/chat":
		b = ollama.EncodeReply(req.Model, whole, req.Arrived)
	default:
		b = ollama.EncodeGenerateReply(req.Model, whole, req.Arrived)
	}
	// A whole reply has no first piece: it is held before it is sent.
	if err := a.hold(reply.Hold); err != nil {
		return err
	}
	_, err := a.Write(b)
	return err
}

// hold waits for the channel, or until nobody is waiting for the reply.
func (a *answer) hold(c <-chan struct{}) error {
	if c == nil {
		return nil
	}
	select {
	case <-c:
		return nil
	case <-a.r.Context().Done():
	case <-a.model.stopping:
	}
	return errLeft
}

// Write sends a piece at once. At the byte where the reply shall be cut it
// breaks the connection, as a server does that dies.
func (a *answer) Write(b []byte) (int, error) {
	cut := a.cutAt > 0 && a.sent+len(b) >= a.cutAt
	if cut {
		b = b[:a.cutAt-a.sent]
	}
	n, err := a.w.Write(b)
	a.sent += n
	if err == nil {
		err = http.NewResponseController(a.w).Flush()
	}
	if cut {
		panic(http.ErrAbortHandler) // net/http's way to break a connection
	}
	return n, err
}

// tell answers what is not a call of the model: what a client asks to find out
// what is there, and embeddings.
func (m *Model) tell(w http.ResponseWriter, r *http.Request, body []byte) {
	info := m.info()
	var b []byte
	switch r.URL.Path {
	case "/":
		b = []byte("Ollama is running")
	case "/health":
		b = []byte(`{"status":"ok"}`)
	case "/props":
		b = m.props()
	case "/v1/models":
		b = openai.EncodeModels([]loci.ModelInfo{info})
	case "/v1/embeddings":
		req, err := openai.DecodeEmbed(body)
		if err == nil {
			b = openai.EncodeEmbedReply(req, Embedder{}.vectors(req.Input), len(req.Input))
		}
	case "/api/version":
		b = ollama.EncodeVersion(m.Version)
	case "/api/tags":
		b = ollama.EncodeTags([]loci.ModelInfo{info})
	case "/api/ps":
		b = ollama.EncodePs([]ollama.Running{{Model: info, Expires: time.Now().Add(5 * time.Minute), Window: m.Window}})
	case "/api/show":
		b = ollama.EncodeShow(ollama.NewShow(info, m.Window, m.Params, m.capabilities()...))
	case "/api/embed":
		req, err := ollama.DecodeEmbed(body)
		if err == nil {
			b = ollama.EncodeEmbedReply(req.Model, Embedder{}.vectors(req.Input), len(req.Input), time.Millisecond)
		}
	}
	if b == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b)
}

// info is the model as the lists show it.
func (m *Model) info() loci.ModelInfo {
	return loci.ModelInfo{
		ID: m.Name, Size: m.Params / 2, Digest: strings.Repeat("5e", 32), Format: "gguf", Family: m.Family,
		Modified: loci.Time{Time: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}, Quantization: "Q4_K_M",
		Parameters: fmt.Sprintf("%.1fB", float64(m.Params)/1e9),
	}
}

// capabilities are what /api/show tells about the model.
func (m *Model) capabilities() []string {
	list := []string{"completion"}
	if !m.NoTools {
		list = append(list, "tools")
	}
	if m.Vision {
		list = append(list, "vision")
	}
	if m.Thinking {
		list = append(list, "thinking")
	}
	return list
}

// props is the part of llama-server's answer that tells about the model.
func (m *Model) props() []byte {
	b, err := json.Marshal(map[string]any{
		"default_generation_settings": map[string]any{"n_ctx": m.Window},
		"total_slots":                 m.Slots,
		"model_path":                  "/models/" + m.Name + ".gguf",
		"modalities":                  map[string]any{"vision": m.Vision, "audio": false},
		"chat_template_caps":          map[string]any{"supports_tools": !m.NoTools, "supports_tool_calls": !m.NoTools},
	})
	if err != nil { // maps of strings and numbers always marshal
		return nil
	}
	return b
}
