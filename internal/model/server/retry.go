package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"loci"
)

// How often and how long a call is tried again before its first byte.
const (
	maxRetries = 3
	maxWait    = 60 * time.Second // for a busy server, all retries together
	// lostPause is the first pause after a lost or refused connection. With its
	// doublings and jitter that is at most 280 ms: enough for a connection that
	// went stale or a server that is restarting, and too short to be felt.
	lostPause = 20 * time.Millisecond
	busyPause = 250 * time.Millisecond
)

// open sends a call, and sends it again where that may help: the connection
// was lost before anything came back, or, with patient, the server is busy.
func (c *Client) open(ctx context.Context, r call, patient bool) (*guard, *http.Response, error) {
	var waited time.Duration
	for try := 0; ; try++ {
		g, resp, err := c.send(ctx, r)
		var pause time.Duration
		switch {
		case try == maxRetries:
			return g, resp, err
		case err != nil && lost(err):
			pause = jitter(lostPause << try)
		case err == nil && patient && busy(resp.StatusCode):
			pause = jitter(busyPause << try)
			if wait, ok := retryAfter(resp.Header); ok {
				pause = max(pause, wait)
			}
			if waited+pause > maxWait {
				return g, resp, nil
			}
			_ = g.Close() // the next attempt has its own connection
		default:
			return g, resp, err
		}
		c.config.Logger.Debug("trying a model server again", "url", r.url, "try", try+1, "pause", pause)
		if err := pauseFor(ctx, pause); err != nil {
			return nil, nil, err
		}
		waited += pause
	}
}

// failed is the error of a request that got no response.
func (b Backend) failed(err error) *loci.Error {
	// net/http has no type for an answer that is not HTTP.
	if strings.Contains(err.Error(), "malformed HTTP") || strings.Contains(err.Error(), "HTTP response to HTTPS") {
		return b.garbled(err)
	}
	return b.Unreachable(err)
}

// lost tells whether err is a lost or refused connection, which a moment later
// may be there again. A name that does not resolve or a host that does not
// react will not.
func lost(err error) bool {
	e, ok := errors.AsType[*loci.Error](err)
	if !ok || e.Code != loci.Unreachable {
		return false
	}
	if n, ok := errors.AsType[net.Error](e.Err); ok && n.Timeout() {
		return false
	}
	_, dns := errors.AsType[*net.DNSError](e.Err)
	return !dns
}

// jitter gives a duration between d and 2d, so that several callers do not
// come back in the same instant.
func jitter(d time.Duration) time.Duration { return d + rand.N(d) }

// retryAfter reads a Retry-After header in either of its forms (RFC 9110,
// section 10.2.3).
func retryAfter(h http.Header) (time.Duration, bool) {
	v := h.Get("Retry-After")
	if s, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(s) * time.Second, true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at).Round(time.Second)), true
	}
	return 0, false
}

// pauseFor waits, unless ctx ends first.
func pauseFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
