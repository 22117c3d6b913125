package model

import (
	"context"
	"net/http"
	"strings"

	"loci"
)

// relayed are the paths that may be relayed, and how. Those that manage a
// server (/api/pull, /api/create, /api/delete, /props …) are not among them.
var relayed = map[string]string{
	"/v1/chat/completions": http.MethodPost,
	"/v1/completions":      http.MethodPost,
	"/v1/embeddings":       http.MethodPost,
	"/v1/messages":         http.MethodPost,
	"/v1/responses":        http.MethodPost,
	"/v1/models":           http.MethodGet,
	"/api/chat":            http.MethodPost,
	"/api/generate":        http.MethodPost,
	"/api/embed":           http.MethodPost,
	"/api/embeddings":      http.MethodPost,
	"/api/show":            http.MethodPost,
	"/api/tags":            http.MethodGet,
	"/api/ps":              http.MethodGet,
	"/api/version":         http.MethodGet,
}

// Raw is a client's request to be relayed as it is.
type Raw struct {
	Method  string
	Path    string // on the server, such as /v1/chat/completions
	Header  http.Header
	Body    []byte
	Purpose loci.Purpose
}

// Forward relays a client's request and returns the server's response whatever
// its status, with a body under the Client's time limits; the caller closes it.
// Of the client's headers only those go along that tell how to read the
// request or which request it is: no key, no cookie, no word about the person.
// The body is sent untouched.
func (c *Client) Forward(ctx context.Context, raw Raw) (*http.Response, error) {
	b := c.Backend()
	if method, ok := relayed[raw.Path]; !ok || method != raw.Method {
		return nil, loci.Errorf(loci.Refused, "%s %s is not relayed to a model server.", clip(raw.Method), clip(raw.Path)).
			WithHint("Only chat, completion, embedding and model listing are.")
	}
	h := http.Header{}
	for name, values := range raw.Header {
		if relays(name) {
			h[name] = values
		}
	}
	_, resp, err := c.open(ctx, call{raw.Method, b.root() + raw.Path, h, raw.Body, raw.Purpose}, false)
	return resp, err
}

// relays tells whether a client's header goes along with its request.
func relays(name string) bool {
	switch name {
	case "Accept", "Content-Type", "User-Agent", "X-Request-Id", "Traceparent", "Tracestate":
		return true
	}
	return strings.HasPrefix(name, "Anthropic-") || strings.HasPrefix(name, "Openai-")
}
