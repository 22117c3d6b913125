package model

import (
	"context"
	"sync"
	"time"
)

// cache remembers the answer to a question that takes a while. The question is
// asked once at a time, however many wait for it, and goes on when they leave.
// An answer older than ttl is given once more while the next one is fetched. A
// failure is told to those who wait and not remembered.
type cache[T any] struct {
	ask   func() (T, error)
	ttl   time.Duration
	spawn func(func()) // runs a function in the background

	mu    sync.Mutex
	value T
	at    time.Time // of value; zero before the first answer
	under *fetch[T] // under way; nil when none is
}

type fetch[T any] struct {
	done  chan struct{} // closed when value and err are there
	value T
	err   error
}

// get gives the remembered answer, and waits only for the first one.
func (c *cache[T]) get(ctx context.Context) (T, error) {
	c.mu.Lock()
	if c.at.IsZero() {
		return c.waitLocked(ctx)
	}
	defer c.mu.Unlock()
	if time.Since(c.at) >= c.ttl {
		c.start()
	}
	return c.value, nil
}

// renew gives an answer that is not older than age, and waits for it.
func (c *cache[T]) renew(ctx context.Context, age time.Duration) (T, error) {
	c.mu.Lock()
	if c.at.IsZero() || time.Since(c.at) >= age {
		return c.waitLocked(ctx)
	}
	defer c.mu.Unlock()
	return c.value, nil
}

// prepare begins to fetch the first answer without waiting for it.
func (c *cache[T]) prepare() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		c.start()
	}
}

// last gives the remembered answer, however old; the zero value if there is none.
func (c *cache[T]) last() T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value
}

// set replaces the remembered answer.
func (c *cache[T]) set(value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value, c.at = value, time.Now()
}

// waitLocked releases mu and waits for the next answer.
func (c *cache[T]) waitLocked(ctx context.Context) (T, error) {
	f := c.start()
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var zero T
		return zero, context.Cause(ctx)
	}
}

// start begins a fetch unless one is under way. The caller holds mu; ask runs
// without it and may call last.
func (c *cache[T]) start() *fetch[T] {
	if c.under != nil {
		return c.under
	}
	f := &fetch[T]{done: make(chan struct{})}
	c.under = f
	c.spawn(func() {
		f.value, f.err = c.ask()
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.err == nil {
			c.value, c.at = f.value, time.Now()
		}
		c.under = nil
		close(f.done)
	})
	return f
}
