package server

import (
	"context"
	"strings"
	"sync"
	"time"

	"loci"
	"loci/internal/wire"
)

// discoverLimit is how long looking for servers takes at most.
const discoverLimit = time.Second

// candidate is a place to look for a server.
type candidate struct {
	where string // what a person calls it
	url   string
	key   string // only for an address that the person gave together with it
	kind  Kind   // what listens there by default
}

// usualPlaces are the default addresses of the servers, likeliest first.
var usualPlaces = []candidate{
	{where: "port 11434", url: "http://127.0.0.1:11434", kind: KindOllama},
	{where: "port 1234", url: "http://127.0.0.1:1234", kind: KindLMStudio},
	{where: "port 8080", url: "http://127.0.0.1:8080", kind: KindLlamaServer}, // or LocalAI, or no model server
	{where: "port 8000", url: "http://127.0.0.1:8000", kind: KindVLLM},
	{where: "port 1337", url: "http://127.0.0.1:1337", kind: KindJan},
	{where: "port 5000", url: "http://127.0.0.1:5000", kind: KindTextGen},
	{where: "port 5001", url: "http://127.0.0.1:5001", kind: KindKobold},
}

// Found is what answers at a place where a model server may be.
type Found struct {
	Backend Backend
	Where   string // such as "port 11434" or the name of an environment variable
	Version string // empty where the server does not tell
	Models  int    // how many models for chat it lists
	Problem string // why it cannot be used, to be read after its address; empty when it can
	Absent  bool   // nothing answers; Backend says what was looked for
}

// Usable tells whether the server can be used as it is.
func (f Found) Usable() bool { return !f.Absent && f.Problem == "" }

// Discover looks for model servers on this machine, side by side and for at
// most a second, and tells what is there and what is not: what the environment
// names first (OLLAMA_HOST, and OPENAI_BASE_URL with its OPENAI_API_KEY), then
// the usual ports. Loci itself is never usable as a backend. No key goes to an
// address that was not given together with it, and nothing at all to an
// address outside this machine and its network.
func Discover(ctx context.Context, env func(string) string) []Found {
	return discover(ctx, env, usualPlaces)
}

func discover(ctx context.Context, env func(string) string, usual []candidate) []Found {
	ctx, cancel := context.WithTimeout(ctx, discoverLimit)
	defer cancel()
	places := append(named(env), usual...)
	found := make([]Found, 0, len(places))
	seen := make(map[string]bool)
	var tasks sync.WaitGroup
	for _, place := range places {
		b, err := ParseBackend(place.url)
		root := strings.Replace(b.root(), "//localhost:", "//127.0.0.1:", 1)
		if err == nil && seen[root] {
			continue
		}
		seen[root] = true
		b.Key = place.key
		found = append(found, Found{Backend: b, Where: place.where})
		f := &found[len(found)-1] // stays in place: found has room for all
		if err != nil {
			f.Problem = "is not an address"
			f.Backend.URL = wire.Clip(place.url)
			continue
		}
		tasks.Go(func() { f.look(ctx, place.kind) })
	}
	tasks.Wait()
	return found
}

// named are the places that the environment names.
func named(env func(string) string) []candidate {
	var places []candidate
	if host := env("OLLAMA_HOST"); host != "" {
		places = append(places, candidate{where: "OLLAMA_HOST", url: host, kind: KindOllama})
	}
	if base := env("OPENAI_BASE_URL"); base != "" {
		places = append(places, candidate{where: "OPENAI_BASE_URL", url: base, key: env("OPENAI_API_KEY")})
	}
	return places
}

// look fills in what answers at the place.
func (f *Found) look(ctx context.Context, expected Kind) {
	if !f.Backend.nearby() {
		f.Problem = problemAway
		return
	}
	b := f.Backend
	b.Kind = "" // the address only suggests what listens there
	if b.URL == b.root() {
		b.Dialect = ""
	}
	c := New(Config{Backend: b, Timeouts: Timeouts{Connect: discoverLimit}})
	defer c.Close()
	id, err := c.identify(ctx)
	if err != nil {
		f.Absent = true
		f.Backend.Kind = expected
		return
	}
	f.Version, f.Problem = id.version, id.problem
	if f.Problem == problemSelf || f.Problem == problemOther {
		return
	}
	// Jan is a front of llama-server and shows only by its port; who asks for a
	// key shows nothing else.
	if expected == KindJan || f.Problem == problemKey {
		id.kind = expected
	}
	f.Backend = c.learn(id)
	if f.Problem != "" {
		return
	}
	models, err := c.Models(ctx)
	if err != nil {
		f.Problem = "does not list its models: " + loci.AsError(err).Message
		return
	}
	for _, m := range models {
		if !m.Embedding {
			f.Models++
		}
	}
	if f.Models == 0 {
		f.Problem = problemNoModels
	}
}
