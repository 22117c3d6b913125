package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"loci"
	"loci/internal/wire"
)

// relayed are the paths that may be relayed, all by POST. Those that manage a
// server (/api/pull, /api/create, /api/delete, /props …) are not among them.
var relayed = []string{
	"/v1/chat/completions",
	"/v1/completions",
	"/v1/embeddings",
	"/api/chat",
	"/api/generate",
	"/api/embed",
	"/api/embeddings",
	"/api/show",
}

// relayedHeaders tell how to read a request or which one it is.
var relayedHeaders = []string{"Accept", "Content-Type", "Traceparent", "Tracestate", "X-Request-Id"}

// Forward relays a client's request to a path such as /v1/chat/completions, and
// returns the server's response whatever its status, with a body under the
// Client's time limits; the caller closes it. The body is sent untouched. Of the
// client's headers only those go along that tell how to read the request or
// which one it is: no key, no cookie, no word about the person. What the server
// says of a failure comes back without the secrets in it.
func (c *Client) Forward(ctx context.Context, path string, header http.Header, body []byte, why loci.Purpose) (*http.Response, error) {
	if !slices.Contains(relayed, path) {
		return nil, loci.Errorf(loci.Refused, "%s is not relayed to a model server.", wire.Clip(path)).
			WithHint("Only calls of a model are: chat, completion, embedding and its description.")
	}
	kept := make(http.Header, len(relayedHeaders))
	for _, name := range relayedHeaders {
		if values, ok := header[name]; ok {
			kept[name] = values
		}
	}
	r := call{method: http.MethodPost, url: c.Backend().root() + path, header: kept, body: body, purpose: why}
	g, resp, err := c.open(ctx, r, false)
	switch {
	case err != nil || g.secrets == nil:
		return resp, err
	case resp.StatusCode >= http.StatusBadRequest:
		said, err := g.whole(maxReply)
		if err != nil {
			_ = g.Close() // it has failed already
			return nil, g.fault(err, loci.Request{})
		}
		said = g.mask(said)
		resp.Body, resp.ContentLength = instead{bytes.NewReader(said), g}, int64(len(said))
	case !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") || resp.ContentLength < 0: // there may be an error in a stream
		resp.Body, resp.ContentLength = instead{g.secrets.Reader(g), g}, -1
	}
	return resp, nil
}

// instead is a body that is read in place of another.
type instead struct {
	io.Reader
	io.Closer
}
