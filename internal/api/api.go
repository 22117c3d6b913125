package api

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"loci"
)

// Config is what the handler is made of. All interfaces are needed; the other
// fields may be left zero unless they say otherwise.
type Config struct {
	Engine    Engine    // turns of the OpenAI and Ollama doors
	Sessions  Sessions  // turns of the agent's own door
	Library   Library   // reading sessions
	Editor    Editor    // changing them
	Questions Questions // what waits for an answer
	Changes   Changes   // what was done to files
	Inspect   Inspector // tools, and the debug view
	Audit     Audit     // the audit log
	Models    Models    // lists, profiles, embeddings
	Prober    Prober    // trying models out
	Backends  Backends  // pass-through, and clients' chores
	Aside     Aside     // chores at the end of a conversation; nil: none

	// Keys is asked for every request, so a changed key holds at once.
	Keys      Keyring
	KeyEditor KeyEditor // making and revoking keys
	// OwnerName is how to call the person who runs loci.
	OwnerName string
	// AllowedHosts are further values of the Host header, next to the loopback
	// names with the listening port. Without a port, any port is meant.
	AllowedHosts []string
	// AllowedOrigins are web origins, such as https://chat.example, whose pages
	// may call loci from a browser.
	AllowedOrigins []string
	// ClientJobs is how to answer what chat UIs ask for besides the
	// conversation, such as its title; empty: JobsAuto.
	ClientJobs JobMode
	// OpenWebUI says whether clients are to be taken for Open WebUI: "on", "off",
	// or by their headers.
	OpenWebUI string
	// Instance tells this process from other instances; it is in every reply.
	Instance string
	// Version is loci's own version, shown on the page.
	Version string
	// Ready tells whether the program can serve; nil: always.
	Ready  func(context.Context) error
	Logger *slog.Logger // nil: no logs
	// Mask hides secrets in the words of errors; nil: there are none.
	Mask   func(string) string
	Limits Limits
}

// Limits bound what a client can make the server wait for or hold. A zero
// field means the default that is named beside it.
type Limits struct {
	Body      int64         // bytes of a request body: 64 MiB
	BodyIdle  time.Duration // without a byte of the body: 30 s
	Unwanted  time.Duration // for a body that nobody reads, as without a key: 5 s
	Write     time.Duration // for one write to a client that reads slowly: 30 s
	Hold      time.Duration // before a stream's headers go out without an answer: 1 s
	KeepAlive time.Duration // of silence before a sign of life: 15 s
	Frame     int64         // bytes of a message on a WebSocket: 1 MiB
	Follows   int           // sessions that one WebSocket follows: 32
	OwnRate   int           // requests a second with a key of the owner's: 2,000
	KeyRate   int           // with another key, and of a forwarded user: 50
}

// New makes the handler. It needs no listener, so a test can call it directly.
func New(c Config) http.Handler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Limits = c.Limits.withDefaults()
	s := &server{Config: c, started: loci.Now(), paces: newPaces(c.Limits)}
	return chain(s.routes(), s.observe, s.contain, s.openPath, s.checkOrigin, s.checkHost)
}

// Server wraps the handler in a server with limits for slow clients. It has no
// WriteTimeout, which would cut long streams; the handler sets a deadline for
// every single write instead. Requests end with ctx.
func Server(ctx context.Context, h http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// server is the handler's state: all of it but the paces is fixed when it is made.
type server struct {
	Config
	started loci.Time // stands in for models whose date nobody knows
	paces   *paces
}

// withDefaults fills in what was left zero.
func (l Limits) withDefaults() Limits {
	l.Body = cmp.Or(l.Body, 64<<20)
	l.BodyIdle = cmp.Or(l.BodyIdle, 30*time.Second)
	l.Unwanted = cmp.Or(l.Unwanted, 5*time.Second)
	l.Write = cmp.Or(l.Write, 30*time.Second)
	l.Hold = cmp.Or(l.Hold, time.Second)
	l.KeepAlive = cmp.Or(l.KeepAlive, 15*time.Second)
	l.Frame = cmp.Or(l.Frame, 1<<20)
	l.Follows = cmp.Or(l.Follows, 32)
	l.OwnRate = cmp.Or(l.OwnRate, 2000)
	l.KeyRate = cmp.Or(l.KeyRate, 50)
	return l
}
