package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"loci"
)

// Kind is what a server is for. llama.cpp serves one model for one purpose.
type Kind string

// The kinds of server.
const (
	Chat  Kind = "chat"
	Embed Kind = "embed"
)

// ServerConfig describes one server. Only Kind is needed.
type ServerConfig struct {
	Kind    Kind
	Window  int // tokens; 0 is what the chat model was trained with. The embedder always has 512.
	Threads int // 0 leaves it to the engine: one for each physical core

	// OnRestart hears the URL after each restart, because it may have changed.
	// It may be nil, and must not call Close.
	OnRestart func(url string)
	// OnGiveUp hears why the server will not come back. The same conditions.
	OnGiveUp func(*loci.Error)
}

// patience holds the durations of the supervisor; tests have less of it.
type patience struct {
	ready  time.Duration // from the start of a process to its first healthy answer
	tick   time.Duration // between two looks at something that is awaited
	settle time.Duration // a process that lived this long was well
	pause  time.Duration // before the first restart, doubling up to maxPause
	tries  int           // failures in a row until it is given up
}

// maxPause is where doubling ends: a person who repaired something should not
// wait long for the next try.
const maxPause = 15 * time.Second

var defaultPatience = patience{
	ready:  30 * time.Second,
	tick:   100 * time.Millisecond,
	settle: time.Minute,
	pause:  250 * time.Millisecond,
	tries:  6,
}

// after is the pause after so many failures in a row.
func (p patience) after(failures int) time.Duration {
	return min(p.pause<<min(failures-1, 16), maxPause) // 16: no overflow
}

// Server is a supervised llama.cpp server. Its methods may be called at any
// time from any goroutine.
type Server struct {
	engine *Engine
	conf   ServerConfig
	task   task // port is the supervisor's, guarded by mu
	out    *logFile
	cancel context.CancelFunc
	done   chan struct{} // closed when the supervisor has returned

	mu    sync.Mutex
	fatal *loci.Error
}

// Start starts a server and returns when it answers, which takes about half a
// second. A first process that dies is tried twice more, in case its port was
// taken; a later one as patience says. ctx bounds the start only; the server
// runs until Close or until loci ends. Errors are *loci.Error, or ctx's.
func (e *Engine) Start(ctx context.Context, conf ServerConfig) (*Server, error) {
	if len(e.missing()) > 0 {
		return nil, unable("The embedded model is not installed.").WithHint("Run loci up, which fetches it, or %s", elsewhere)
	}
	t, err := e.task(conf, rand.Text())
	if err != nil {
		return nil, loci.Wrap(loci.Internal, err, "The folder for prompt caches %s cannot be made.", e.conf.SlotDir).
			WithHint("Make its parent writable for you, or set LOCI_HOME to another folder.")
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{
		engine: e,
		conf:   conf,
		task:   t,
		out:    openLog(filepath.Join(e.conf.LogDir, "engine-"+string(conf.Kind)+".log"), e.log),
		cancel: cancel,
		done:   make(chan struct{}),
	}
	ready := make(chan struct{})
	go s.supervise(life, ready)
	select {
	case <-ready:
		return s, nil
	case <-s.done:
		return nil, s.err()
	case <-ctx.Done():
		s.Close()
		return nil, ctx.Err()
	}
}

// URL is the base address of the OpenAI-compatible API, ending in /v1. It stays
// the same over a restart unless the port was taken meanwhile.
func (s *Server) URL() string { return s.address() + "/v1" }

// Key is the bearer token that the server asks for. It lasts as long as s.
func (s *Server) Key() string { return s.task.key }

// Model is the name of the model that the server answers for.
func (s *Server) Model() string { return s.task.alias }

// Digest is that of the model and the engine: another one, and what was found out
// about the model counts no more. It is made of the digests of their packages, which
// were checked when they were fetched; an engine that was found on this machine tells
// of itself.
func (s *Server) Digest() string {
	p := chatPackage
	if s.task.embed {
		p = embedPackage
	}
	if s.engine.llamaServer != "" {
		return p.SHA256[:16]
	}
	return p.SHA256[:16] + "-" + enginePackage.Version
}

// Kind is what the server is for.
func (s *Server) Kind() Kind { return s.conf.Kind }

// err says why the server was given up; nil while it is being looked after, and
// after Close.
func (s *Server) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fatal == nil {
		return nil
	}
	return s.fatal
}

// Close stops the process, within two seconds.
func (s *Server) Close() error {
	s.cancel()
	<-s.done
	return nil
}

// address is the server's root, without /v1.
func (s *Server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(s.task.port))
}

// supervise keeps one process running until ctx ends or it fails too often in a
// row, and closes ready when the first one answers.
func (s *Server) supervise(ctx context.Context, ready chan<- struct{}) {
	defer close(s.done)
	defer s.out.close()
	patience := s.engine.patience
	running := false // whether any process has answered yet
	for failures := 0; ; {
		begin := time.Now()
		c, err := s.launch(ctx)
		if err == nil {
			if !running { // the first one: Start returns
				running = true
				close(ready)
			} else if s.conf.OnRestart != nil {
				s.conf.OnRestart(s.URL())
			}
			err = s.attend(ctx, c)
		}
		if ctx.Err() != nil { // Close
			return
		}
		// A process that lived long enough starts the count anew: one crash a
		// day is no reason to stop, six in a row are.
		if time.Since(begin) >= patience.settle {
			failures = 0
		}
		if failures++; failures > 1 {
			s.setPort(0) // the port may be the trouble
		}
		limit := patience.tries
		if !running {
			limit = min(limit, 3) // someone is waiting for the answer
		}
		if failures >= limit {
			s.giveUp(running, err)
			return
		}
		pause := patience.after(failures)
		s.engine.log.Warn("the engine ended and is started again", "kind", s.conf.Kind, "error", err, "pause", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// attend waits for the end of c, or brings it about when ctx ends.
func (s *Server) attend(ctx context.Context, c *child) error {
	select {
	case <-c.done:
		return s.ended(c)
	case <-ctx.Done():
		c.stop()
		return ctx.Err()
	}
}

// ended tells why c, which is gone, ended. What the process said last explains
// more than its exit status.
func (s *Server) ended(c *child) error {
	if why := s.out.reason(); why != "" {
		return errors.New(why)
	}
	if c.err != nil {
		return c.err
	}
	return errors.New("it ended by itself")
}

// launch starts one process and waits until it answers. The port of the last
// one is tried first, so that clients keep a valid address.
func (s *Server) launch(ctx context.Context) (*child, error) {
	if err := s.choosePort(); err != nil {
		return nil, err
	}
	cmd, line, err := s.engine.command(ctx, s.task)
	if err != nil {
		return nil, err
	}
	c, err := startChild(cmd, line, s.out)
	if err == nil {
		if err = s.await(ctx, c); err == nil {
			return c, nil
		}
		c.stop()
	}
	s.setPort(0) // it may have been taken meanwhile
	return nil, err
}

// choosePort asks the kernel for a free port, if there is none yet. Another
// program can take it before the engine does; then the next try gets another.
func (s *Server) choosePort() error {
	if s.task.port != 0 {
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.setPort(l.Addr().(*net.TCPAddr).Port)
	return l.Close()
}

// setPort is for the supervisor, the only one who writes the port.
func (s *Server) setPort(port int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.task.port = port
}

// await returns when c answers that it is healthy. llama.cpp's server listens
// before the model is loaded and answers 503 until then; /health needs no key.
func (s *Server) await(ctx context.Context, c *child) error {
	ctx, cancel := context.WithTimeout(ctx, s.engine.patience.ready)
	defer cancel()
	client := &http.Client{
		Timeout:   time.Second,
		Transport: &http.Transport{DisableKeepAlives: true}, // and no proxy
	}
	for {
		if healthy(ctx, client, s.address()+"/health") {
			select {
			case <-c.done: // someone else answered on this port
				return s.ended(c)
			default:
				return nil
			}
		}
		select {
		case <-c.done:
			return s.ended(c)
		case <-ctx.Done():
			return fmt.Errorf("it did not answer within %v", s.engine.patience.ready)
		case <-time.After(s.engine.patience.tick / 5):
		}
	}
}

// healthy asks once.
func healthy(ctx context.Context, client *http.Client, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// giveUp records why there will be no further try, and tells it where a server
// that had been running is missed.
func (s *Server) giveUp(running bool, cause error) {
	problem, ok := errors.AsType[*loci.Error](cause)
	if !ok {
		problem = loci.Wrap(loci.Unreachable, cause, "The embedded %s model does not stay up: %.200s.", s.conf.Kind, cause).
			WithHint("Its output is in %s. Until then, %s", s.out.path, elsewhere)
	}
	s.mu.Lock()
	s.fatal = problem
	s.mu.Unlock()
	s.engine.log.Error("the engine is given up", "kind", s.conf.Kind, "error", cause)
	if running && s.conf.OnGiveUp != nil {
		s.conf.OnGiveUp(problem)
	}
}
