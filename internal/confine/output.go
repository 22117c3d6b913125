package confine

import (
	"bytes"
	"sync"
)

// Output is what a command wrote: all of it, or its beginning and its end.
type Output struct {
	Head, Tail []byte
	Missing    int64 // bytes between the two that were not kept
}

// Size is how many bytes the command wrote.
func (o Output) Size() int64 { return int64(len(o.Head)) + o.Missing + int64(len(o.Tail)) }

// capture keeps the first and the last bytes of what is written to it, and
// counts the rest; it never takes more memory than that.
type capture struct {
	mu    sync.Mutex
	half  int
	head  []byte
	ring  []byte // the last bytes after head, the oldest at next once it is full
	next  int
	total int64
}

func newCapture(most int) *capture { return &capture{half: max(most/2, 1)} }

// Write never fails: a command whose output is too long is not stopped by that.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += int64(n)
	if room := c.half - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	p = p[max(0, len(p)-c.half):]
	for len(p) > 0 {
		if len(c.ring) < c.half {
			take := min(c.half-len(c.ring), len(p))
			c.ring = append(c.ring, p[:take]...)
			p = p[take:]
			continue
		}
		take := copy(c.ring[c.next:], p)
		c.next = (c.next + take) % c.half
		p = p[take:]
	}
	return n, nil
}

// output is what was written so far.
func (c *capture) output() Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := append(bytes.Clone(c.ring[c.next:]), c.ring[:c.next]...)
	return Output{Head: bytes.Clone(c.head), Tail: tail, Missing: c.total - int64(len(c.head)) - int64(len(tail))}
}
