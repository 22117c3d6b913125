package server

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"loci"
	"loci/internal/redact"
	"loci/internal/wire"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

// The headers of the contract.
const (
	instanceHeader = "X-Loci-Instance"
	purposeHeader  = "X-Loci-Purpose"
)

// Bounds of what a server may send in one piece, in bytes.
const (
	maxHeader = 64 << 10
	maxReply  = 16 << 20 // a list of models, embeddings, a reply that is not streamed
	maxError  = 64 << 10
)

const (
	// The sizes of a connection's buffers, in bytes: for a short reply or a streamed
	// token with what goes around it, and for the head of a request. What is larger
	// goes past them, so more would only be held, once for each stream.
	readBuffer  = 2 << 10
	writeBuffer = 1 << 10
	// idleConns is how many connections are kept for the next calls. After a crowd
	// the rest goes at once; a new one to this machine takes a tenth of a
	// millisecond.
	idleConns = 16
)

var errTooLong = errors.New("the answer is too long")

// Timeouts limit how long a model server may be silent. There is no limit on a
// whole generation. A zero field has its default.
type Timeouts struct {
	Connect   time.Duration // to open a connection; default 5 s
	FirstByte time.Duration // from the request to the first byte of the reply; default 120 s
	Idle      time.Duration // between two pieces of a reply; default 60 s
}

func (t Timeouts) orDefault() Timeouts {
	set := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	set(&t.Connect, 5*time.Second)
	set(&t.FirstByte, 120*time.Second)
	set(&t.Idle, 60*time.Second)
	return t
}

// Config is what a Client is made of.
type Config struct {
	Backend  Backend
	Timeouts Timeouts
	Instance string // id of this loci; a backend that answers with it is loci itself
	// Window gives the context length to ask Ollama for, in tokens, by the model's name
	// on the server; 0: the server's own. Nil: always that.
	Window func(model string) int
	Logger *slog.Logger // nil: no log
	// Hide masks what servers say went wrong, since they may repeat their key, and
	// the secrets in what goes beyond this machine; nil: nothing.
	Hide *redact.Redactor
}

// Client talks to one model server. It is safe for concurrent use.
type Client struct {
	config    Config
	transport *http.Transport

	mu         sync.Mutex
	backend    Backend // learns its dialect and kind
	identified bool    // the server was asked what it is
}

// New makes a Client. It does not connect: the backend may come up later.
// It has connections of its own, so that what one server does to them (stale
// ones, one that hangs) is no concern of another.
func New(c Config) *Client {
	c.Timeouts = c.Timeouts.orDefault()
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	t := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: c.Timeouts.Connect}).DialContext,
		TLSHandshakeTimeout:    c.Timeouts.Connect,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        c.Backend.idleTimeout(),
		ReadBufferSize:         readBuffer,
		WriteBufferSize:        writeBuffer,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // a stream that is packed arrives in lumps
		ForceAttemptHTTP2:      true,
	}
	if !c.Backend.Loopback() {
		t.Proxy = http.ProxyFromEnvironment
	}
	return &Client{config: c, transport: t, backend: c.Backend}
}

// idleTimeout is how long a connection is kept that nobody uses. To this machine
// it is quickly made anew, and servers drop theirs early (llama-server after 5 s).
func (b Backend) idleTimeout() time.Duration {
	if b.Loopback() {
		return 4 * time.Second
	}
	return 90 * time.Second
}

// Backend is the server as far as it is known by now.
func (c *Client) Backend() Backend {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.backend
}

// Close drops the connections that are not in use.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Chat streams one reply of a model. Stopping the iteration or cancelling ctx
// ends the request at once. A reply that breaks off ends with an error of code
// [loci.Truncated]; without an error the last chunk has Finish set.
func (c *Client) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	return func(yield func(loci.Chunk, error) bool) {
		g, resp, err := c.openChat(ctx, req)
		if err != nil {
			yield(loci.Chunk{}, err)
			return
		}
		defer g.Close()
		finished := false
		for chunk, err := range decode(g, resp.Header) {
			if err != nil {
				yield(loci.Chunk{}, g.fault(err, req))
				return
			}
			finished = finished || chunk.Finish != ""
			if !yield(chunk, nil) {
				return
			}
		}
		if !finished {
			yield(loci.Chunk{}, g.fault(io.ErrUnexpectedEOF, req))
			return
		}
		g.drain()
	}
}

// openChat starts a chat and returns its successful response. A model that
// refuses to think is asked again without: many clients ask every model to, and
// the person wants an answer.
func (c *Client) openChat(ctx context.Context, req loci.Request) (*guard, *http.Response, error) {
	b, err := c.settle(ctx)
	if err != nil {
		return nil, nil, err
	}
	for {
		body, path, err := c.encode(b, req)
		if err != nil {
			return nil, nil, err
		}
		g, resp, err := c.open(ctx, call{method: http.MethodPost, url: b.URL + path, body: body, purpose: req.Purpose}, true)
		if err != nil {
			return nil, nil, err
		}
		if resp.StatusCode == http.StatusOK {
			return g, resp, nil
		}
		e := g.refusal(resp, req)
		if e.Err != errNoThink { // after one retry thinking is no longer asked for
			return nil, nil, e
		}
		c.config.Logger.Debug("asking again without thinking", "model", req.Model)
		req.Options.Think = nil
	}
}

// encode gives the body of a chat request and its path below the base URL.
func (c *Client) encode(b Backend, req loci.Request) (body []byte, path string, err error) {
	if b.Dialect == loci.OpenAI {
		body, err = openai.EncodeChat(req, true)
		return body, "/chat/completions", err
	}
	if window := c.window(req.Model); window > 0 {
		req.Options = ollama.WithWindow(req.Options, window)
	}
	req.Options = ollama.Uncut(req.Options)
	body, err = ollama.EncodeChat(req, true)
	return body, "/api/chat", err
}

// window is the context length to ask Ollama for; 0: the server's own.
func (c *Client) window(model string) int {
	if c.config.Window == nil {
		return 0
	}
	return c.config.Window(model)
}

// decode reads the chunks of a chat reply in whatever form the server chose.
func decode(g *guard, h http.Header) iter.Seq2[loci.Chunk, error] {
	if g.backend.Dialect != loci.OpenAI {
		return ollama.DecodeStream(g)
	}
	// Some servers ignore "stream" and send the reply whole.
	if kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")); kind != "application/json" {
		return openai.DecodeStream(g, g.hurry)
	}
	return func(yield func(loci.Chunk, error) bool) {
		body, err := g.whole(maxReply)
		if err != nil {
			yield(loci.Chunk{}, err)
			return
		}
		yield(openai.DecodeReply(body))
	}
}

// call is one request to the backend.
type call struct {
	method  string
	url     string
	header  http.Header // what a relayed request brought along; may be nil
	body    []byte
	purpose loci.Purpose
}

// send makes one attempt at a call. The response's body is the guard, so
// closing either ends the request.
func (c *Client) send(ctx context.Context, r call) (*guard, *http.Response, error) {
	b := c.Backend()
	g := watch(ctx, b, c.config.Timeouts)
	g.secrets = c.config.Hide
	if g.secrets != nil && !b.Loopback() {
		r.body = g.secrets.Known().JSON(r.body)
	}
	req, err := http.NewRequestWithContext(g.ctx, r.method, r.url, nil)
	if err != nil {
		_ = g.Close() // has no body that could fail to close
		return nil, nil, b.garbled(err)
	}
	req, sent := attach(req, r.body)
	defer sent.drop()
	if r.header != nil {
		req.Header = r.header.Clone()
	}
	if len(r.body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if b.Key != "" {
		req.Header.Set("Authorization", "Bearer "+b.Key)
	}
	if c.config.Instance != "" {
		req.Header.Set(instanceHeader, c.config.Instance)
	}
	if r.purpose != "" && b.Loopback() {
		req.Header.Set(purposeHeader, string(r.purpose))
	}
	// Not through an http.Client: a redirect is never followed, so no key and
	// no conversation can be led elsewhere.
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		err = g.reason(err)
		_ = g.Close()
		return nil, nil, err
	}
	g.body, resp.Body = resp.Body, g
	if id := resp.Header.Get(instanceHeader); id != "" && id == c.config.Instance {
		_ = g.Close() // the reply is of no interest
		return nil, nil, b.loop()
	}
	return g, resp, nil
}

// whole reads the rest of a response of at most most bytes.
func (g *guard) whole(most int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(g, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > most {
		return nil, errTooLong
	}
	return body, nil
}

// refusal reads and closes a response that is not a success, and says why.
func (g *guard) refusal(resp *http.Response, req loci.Request) *loci.Error {
	defer g.Close()
	if to, err := resp.Location(); err == nil && resp.StatusCode < 400 {
		return g.backend.moved(to)
	}
	body, err := io.ReadAll(io.LimitReader(g, maxError))
	if err != nil && len(body) == 0 {
		return loci.AsError(g.fault(err, req))
	}
	body = g.mask(body) // before it is cut for a sentence, which could leave half a key
	decode := openai.DecodeError
	if g.backend.Dialect == loci.Ollama {
		decode = ollama.DecodeError
	}
	e := g.backend.describe(decode(resp.StatusCode, body), req)
	if wait, ok := retryAfter(resp.Header); ok && e.Code == loci.Overloaded {
		e = e.WithHint("%s asks to try again in %v s.", g.backend, wait.Seconds())
		e.RetryAfter = wait
	}
	return e
}

// call sends a call and returns the body of its successful response. req is
// what the call is about, for the words of an error.
func (c *Client) call(ctx context.Context, r call, req loci.Request) ([]byte, error) {
	g, resp, err := c.open(ctx, r, r.method == http.MethodPost)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, g.refusal(resp, req)
	}
	defer g.Close()
	body, err := g.whole(maxReply)
	if err != nil {
		return nil, g.fault(err, req)
	}
	return body, nil
}

// moved is the error of a server that redirects.
func (b Backend) moved(to *url.URL) *loci.Error {
	return loci.Errorf(loci.Refused, "%s answered with a redirect.", b).
		WithHint("Redirects are not followed. If you trust it, set the backend's address to %s", wire.Clip(to.Redacted()))
}

// loop is the error of a backend that is this very program.
func (b Backend) loop() *loci.Error {
	return loci.Errorf(loci.Refused, "The backend %s is loci itself.", b.root()).
		WithHint("Set the backend to the address of a model server.")
}
