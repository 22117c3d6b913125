package sandbox

import (
	"slices"
	"sync"
)

// noted is a set of paths that several goroutines add to.
type noted struct {
	mu    sync.Mutex
	paths []string
}

func (n *noted) note(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.paths, path) {
		n.paths = append(n.paths, path)
	}
}

func (n *noted) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.paths)
}
