package server

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"loci"
	"loci/internal/model/server/servertest"
	"loci/internal/redact"
)

const canary = "sk-canary-AAAA1111BBBB"

// masked is a client that hides the key it sends.
func masked(t *testing.T, url string) *Client {
	c := client(t, url, KindLlamaServer)
	c.backend.Key = canary
	c.config.Hide = redact.New(canary)
	return c
}

// A server that repeats the key it was sent does not make it known, in whatever
// way it says what went wrong.
func TestErrorsThatRepeatTheKey(t *testing.T) {
	for name, tell := range map[string]func(w http.ResponseWriter, auth string){
		"JSON": func(w http.ResponseWriter, auth string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "bad header Authorization: " + auth, "code": 401}})
		},
		"text": func(w http.ResponseWriter, auth string) { http.Error(w, "who is "+auth+"?", http.StatusForbidden) },
		"cut in the key": func(w http.ResponseWriter, auth string) {
			http.Error(w, strings.Repeat("x", 200-len("Bearer sk-canary-A"))+" "+auth, http.StatusUnauthorized)
		},
		"in a stream": func(w http.ResponseWriter, auth string) {
			stream(w, piece("Hel")+`data: {"error":{"message":"expired: `+auth+`","code":401}}`+"\n\n")
		},
		"cut in the key in a stream": func(w http.ResponseWriter, auth string) {
			stream(w, piece("Hel")+`data: {"error":{"message":"`+strings.Repeat("x", 200-len("Bearer sk-canary-A"))+" "+auth+`","code":401}}`+"\n\n")
		},
		"busy": func(w http.ResponseWriter, auth string) {
			w.Header().Set("Retry-After", "3600")
			http.Error(w, auth, http.StatusServiceUnavailable)
		},
		"garbled": func(w http.ResponseWriter, auth string) { stream(w, "data: "+auth+"\n\n") },
	} {
		url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tell(w, r.Header.Get("Authorization")) }))
		_, _, err := collect(masked(t, url+"/v1"), t.Context(), hello())
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for e := err; e != nil; {
			if strings.Contains(e.Error(), "sk-canary") {
				t.Errorf("%s: %v", name, e)
			}
			u, ok := e.(interface{ Unwrap() error })
			if !ok {
				break
			}
			e = u.Unwrap()
		}
	}
}

// The same holds for replies that are relayed; one that succeeds is not touched.
func TestRelayedErrorsAreMasked(t *testing.T) {
	status := 401
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":"you sent `+r.Header.Get("Authorization")+`"}`)
	}))
	c := masked(t, url+"/v1")
	for status = range map[int]bool{401: true, 500: true, 200: true} {
		resp, err := c.Forward(t.Context(), "/v1/chat/completions", nil, []byte(`{}`), loci.PurposeChat)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || int64(len(body)) != resp.ContentLength || !json.Valid(body) {
			t.Errorf("%d: %s of %d bytes, %v", status, body, resp.ContentLength, err)
		}
		if (status == 200) != strings.Contains(string(body), canary) {
			t.Errorf("%d: %s", status, body)
		}
	}
}

// A stream is relayed as it is, but for the key that an error in it may repeat.
func TestRelayedStreamsAreMasked(t *testing.T) {
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, part := range []string{piece("Hel"), `data: {"error":"you sent ` + r.Header.Get("Authorization")[:20], r.Header.Get("Authorization")[20:] + "\"}\n\n"} {
			stream(w, part)
		}
	}))
	resp, err := masked(t, url+"/v1").Forward(t.Context(), "/v1/chat/completions", nil, []byte(`{}`), loci.PurposeChat)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if want := piece("Hel") + `data: {"error":"you sent Bearer [hidden]"}` + "\n\n"; string(body) != want || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}

// What goes beyond this machine has no secret in it; on the machine it is for the
// tools to keep them out.
func TestPromptsBeyondThisMachineAreMasked(t *testing.T) {
	var got string
	url := servertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
		stream(w, sse("ok"))
	}))
	address := strings.TrimPrefix(url, "http://")
	for _, base := range []string{url, "http://models.example"} {
		c := masked(t, base+"/v1")
		c.transport.Proxy = nil
		c.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		req := hello()
		req.Messages = append(req.Messages,
			loci.Message{Role: loci.Assistant, ToolCalls: []loci.ToolCall{{ID: "a", Name: "read_file", Arguments: json.RawMessage(`{"path":"` + canary + `"}`)}}},
			loci.Message{Role: loci.User, Content: "it is \"" + canary + "\", and token=abc"})
		if _, _, err := collect(c, t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if local := base == url; strings.Contains(got, canary) != local || !strings.Contains(got, "token=abc") || !json.Valid([]byte(got)) {
			t.Errorf("to %s: %s", base, got)
		}
		resp, err := c.Forward(t.Context(), "/v1/chat/completions", nil, []byte(`{"messages":[{"content":"`+canary+`"}]}`), loci.PurposeChat)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if local := base == url; strings.Contains(got, canary) != local {
			t.Errorf("relayed to %s: %s", base, got)
		}
	}
}
