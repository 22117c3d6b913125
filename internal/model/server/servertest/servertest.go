// Package servertest has model servers of a few fixed answers, for tests of what asks
// them.
package servertest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"loci"
)

// Routes is a server that answers GET and POST of fixed paths with fixed bodies, and
// anything else as llama-server does.
type Routes map[string]string

// ServeHTTP answers.
func (r Routes) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, ok := r[req.Method+" "+req.URL.Path]
	if !ok {
		http.Error(w, `{"error":{"message":"File Not Found","type":"not_found_error","code":404}}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// Serve starts a server and returns its root URL.
func Serve(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// ClosedPort is the URL of a server that is not there.
func ClosedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// Tags is an Ollama list of models; "name=family,size".
func Tags(models ...string) string {
	var entries []string
	for _, m := range models {
		name, rest, _ := strings.Cut(m, "=")
		family, size, _ := strings.Cut(rest, ",")
		entries = append(entries, fmt.Sprintf(`{"name":%q,"model":%q,"digest":"d-%s","details":{"family":%q,"parameter_size":%q}}`, name, name, name, family, size))
	}
	return `{"models":[` + strings.Join(entries, ",") + `]}`
}

// List is a list of models as OpenAI's protocol has it.
func List(names ...string) string {
	var entries []string
	for _, n := range names {
		entries = append(entries, fmt.Sprintf(`{"id":%q,"object":"model"}`, n))
	}
	return `{"object":"list","data":[` + strings.Join(entries, ",") + `]}`
}

// WantError checks that err is a *loci.Error with exactly these words.
func WantError(t *testing.T, err error, code loci.Code, message, hint string) {
	t.Helper()
	e := loci.AsError(err)
	if e == nil {
		t.Fatalf("no error; want %s %q", code, message)
	}
	if e.Code != code || e.Message != message || e.Hint != hint {
		t.Errorf("got  %s %q %q\nwant %s %q %q", e.Code, e.Message, e.Hint, code, message, hint)
	}
}
