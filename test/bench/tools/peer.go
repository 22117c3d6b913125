package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"loci/internal/fake"
)

// A peer is another product, driven by a script of its own.
type peer struct {
	name    string
	command []string
}

var peers []peer

func addPeer(s string) error {
	name, command, ok := strings.Cut(s, "=")
	if words := strings.Fields(command); ok && len(words) > 0 {
		peers = append(peers, peer{name, words})
		return nil
	}
	return errors.New("want NAME=COMMAND")
}

// A stage is what a peer's script sees: the scripted model under /v1 and /api, and
//
//	GET  /stage/tools    the tools to offer
//	GET  /stage/records  what to ask: id, user
//	POST /stage/begin    {id}: the model answers for this record from now on
//	POST /stage/call     {tool, arguments}: a tool was called; answers with its text
//	POST /stage/end      {shown, error?}: all that the person has read
type stage struct {
	script  *script
	records map[string]*Record
	list    []*Record

	mu       sync.Mutex
	current  *Record
	outcome  Outcome
	verdicts map[string]Verdict
}

// try runs the peer's script on all records but those in Ollama's own protocol, as
// the peers are connected by OpenAI's.
func (p peer) try(ctx context.Context, dialects []*Dialect) (column, error) {
	s := &stage{script: &script{}, records: map[string]*Record{}, verdicts: map[string]Verdict{}}
	for _, d := range dialects {
		if isOllama(d.Name) {
			continue
		}
		for _, r := range d.Records {
			s.records[r.ID()] = r
			s.list = append(s.list, r)
		}
	}
	server := httptest.NewServer(s.routes())
	defer server.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.command[0], append(p.command[1:], server.URL)...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it stops what it has started
	cmd.WaitDelay = 15 * time.Second
	if err := cmd.Run(); err != nil {
		return column{}, err
	}
	return column{p.name, s.verdicts}, nil
}

func (s *stage) routes() http.Handler {
	m := fake.NewModel()
	m.Answer = s.script.answer
	mux := http.NewServeMux()
	mux.Handle("/", m)
	mux.HandleFunc("GET /stage/tools", s.tools)
	mux.HandleFunc("GET /stage/records", func(w http.ResponseWriter, _ *http.Request) { write(w, s.asked()) })
	mux.HandleFunc("POST /stage/begin", s.begin)
	mux.HandleFunc("POST /stage/call", s.call)
	mux.HandleFunc("POST /stage/end", s.end)
	return mux
}

func (s *stage) tools(w http.ResponseWriter, _ *http.Request) {
	b, err := testdata.ReadFile("testdata/tools.json")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b)
}

func (s *stage) asked() []map[string]string {
	var list []map[string]string
	for _, r := range s.list {
		list = append(list, map[string]string{"id": r.ID(), "user": r.User})
	}
	return list
}

func (s *stage) begin(w http.ResponseWriter, r *http.Request) {
	var body struct{ ID string }
	if !read(w, r, &body) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.records[body.ID]
	if !ok {
		http.Error(w, fmt.Sprintf("there is no record %q", body.ID), http.StatusNotFound)
		return
	}
	s.current, s.outcome = record, Outcome{}
	s.script.begin(record)
	write(w, true)
}

// call notes a call and plays the tool.
func (s *stage) call(w http.ResponseWriter, r *http.Request) {
	var c Call
	if !read(w, r, &c) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcome.Calls = append(s.outcome.Calls, c)
	path, _ := c.Arguments["path"].(string)
	result := "done"
	if text, ok := things[path]; ok && c.Tool == "read_file" {
		result = text
	}
	if s.current != nil && s.current.files[path] != "" && c.Tool == "read_file" {
		result = s.current.files[path]
	}
	write(w, result)
}

func (s *stage) end(w http.ResponseWriter, r *http.Request) {
	var body struct{ Shown, Error string }
	if !read(w, r, &body) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		http.Error(w, "no record has begun", http.StatusConflict)
		return
	}
	s.outcome.Shown, s.outcome.Error, s.outcome.Told = body.Shown, body.Error, s.script.end()
	s.verdicts[s.current.ID()] = s.current.Judge(s.outcome)
	s.current = nil
	write(w, true)
}

func read(w http.ResponseWriter, r *http.Request, body any) bool {
	if err := json.NewDecoder(r.Body).Decode(body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(text(v)))
}
