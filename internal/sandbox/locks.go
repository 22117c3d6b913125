package sandbox

import (
	"context"
	"slices"
	"sync"
)

// locks lets one change at a time happen to a file in this process. Sets of
// folders are opened for each call, so the locks belong to all of them.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

// lock is the lock of one path; it is dropped when nobody wants it.
type lock struct {
	free  chan struct{} // holds one thing while nobody has the lock
	users int
}

var changing = locks{held: map[string]*lock{}}

// take waits for the locks of some paths. They are taken in order, so that two
// who want the same ones do not wait for each other.
func (l *locks) take(ctx context.Context, paths ...string) (release func(), err error) {
	slices.Sort(paths)
	var taken []string
	release = func() {
		for _, p := range taken {
			l.give(p, true)
		}
	}
	for _, p := range slices.Compact(paths) {
		l.mu.Lock()
		k := l.held[p]
		if k == nil {
			k = &lock{free: make(chan struct{}, 1)}
			k.free <- struct{}{}
			l.held[p] = k
		}
		k.users++
		l.mu.Unlock()
		select {
		case <-k.free:
			taken = append(taken, p)
		case <-ctx.Done():
			l.give(p, false)
			release()
			return nil, ctx.Err()
		}
	}
	return release, nil
}

// give ends the interest in a path, and its lock if that was taken.
func (l *locks) give(path string, taken bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.held[path]
	if taken {
		k.free <- struct{}{}
	}
	if k.users--; k.users == 0 {
		delete(l.held, path)
	}
}

// Lock keeps others in this process from changing what the spots name until
// release is called, and looks again at what is there now.
func Lock(ctx context.Context, spots ...*Spot) (release func(), err error) {
	paths := make([]string, len(spots))
	for i, s := range spots {
		paths[i] = foldPath(s.real)
	}
	release, err = changing.take(ctx, paths...)
	if err != nil {
		return nil, err
	}
	for _, s := range spots {
		if err := s.look(); err != nil {
			release()
			return nil, s.explain(ctx, err)
		}
	}
	return release, nil
}
