package api

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"loci"
)

const (
	atOnce   = 10   // seconds' worth of requests that may come at once
	guesses  = 20   // wrong keys a minute that an address may send
	mostKept = 4096 // callers and addresses whose pace is known
)

// paces bounds how often somebody may ask, and how often an address may send a wrong
// key.
//
// A key cannot be guessed, so the second only keeps noise of other machines out of the
// log. Addresses of this machine are let off: a program here that uses an old key, or
// any behind the same proxy, must not shut out the others.
type paces struct {
	own, others rate.Limit
	mu          sync.Mutex
	callers     map[string]*rate.Limiter
	wrong       map[netip.Prefix]*rate.Limiter
}

func newPaces(l Limits) *paces {
	return &paces{
		own: rate.Limit(l.OwnRate), others: rate.Limit(l.KeyRate),
		callers: map[string]*rate.Limiter{}, wrong: map[netip.Prefix]*rate.Limiter{},
	}
}

// take counts a request, and is an error if it is one too many for now.
func (p *paces) take(c caller) error {
	// Whom an untrusted key forwards is only its word: all of them count as one.
	who, limit := c.key.ID, p.others
	switch {
	case c.principal.Owner && c.key.Own():
		limit = p.own
	case c.key.Own():
		who += " " + c.principal.ID
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.callers[who]
	if l == nil {
		forget(p.callers)
		l = rate.NewLimiter(limit, int(limit)*atOnce)
		p.callers[who] = l
	}
	if l.Allow() {
		return nil
	}
	return tooOften("There are too many requests with the key "+c.key.Name+".", time.Duration(float64(time.Second)/float64(limit)))
}

// forget makes room: who was away long enough may ask as much as a new one.
func forget[K comparable](kept map[K]*rate.Limiter) {
	if len(kept) < mostKept {
		return
	}
	for k, l := range kept {
		if l.Tokens() >= float64(l.Burst()) {
			delete(kept, k)
		}
	}
	for k := range kept {
		if len(kept) < mostKept {
			return
		}
		delete(kept, k)
	}
}

func tooOften(message string, wait time.Duration) error {
	e := loci.Errorf(loci.Overloaded, "%s", message).WithHint("Wait a moment; the limits are settings of loci.")
	e.RetryAfter = max(wait, time.Second)
	return e
}

// guesser is an error if too many wrong keys came from where a request comes from.
func (p *paces) guesser(r *http.Request) error {
	from, remote := sender(r)
	if !remote {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.wrong[from]; l != nil && l.Tokens() < 1 {
		return tooOften("Too many wrong keys came from this address.", time.Minute/guesses)
	}
	return nil
}

// guessed counts a request that was let in by no key.
func (p *paces) guessed(r *http.Request, err error) {
	from, remote := sender(r)
	if !remote || loci.AsError(err).Code != loci.Unauthorized {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.wrong[from]
	if l == nil {
		forget(p.wrong)
		l = rate.NewLimiter(rate.Every(time.Minute/guesses), guesses)
		p.wrong[from] = l
	}
	l.Allow()
}

// sender is the address that a request comes from, and whether that is another
// machine. Who has one IPv6 address mostly has the whole /64 (RFC 6177).
func sender(r *http.Request) (from netip.Prefix, remote bool) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return from, false
	}
	a, err := netip.ParseAddr(host)
	if err != nil || a.Unmap().IsLoopback() {
		return from, false
	}
	bits := 32
	if a = a.Unmap().WithZone(""); a.Is6() {
		bits = 64
	}
	from, err = a.Prefix(bits)
	return from, err == nil
}
