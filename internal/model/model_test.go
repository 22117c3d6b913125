package model

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"
	"loci"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// routes is a server that answers GET and POST of fixed paths with fixed bodies.
type routes map[string]string

func (r routes) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, ok := r[req.Method+" "+req.URL.Path]
	if !ok {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// serve starts a server and returns its root URL.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// closedPort is the URL of a server that is not there.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// wantError checks that err is a *loci.Error with exactly these words.
func wantError(t *testing.T, err error, code loci.Code, message, hint string) {
	t.Helper()
	e := loci.AsError(err)
	if e == nil {
		t.Fatalf("no error; want %s %q", code, message)
	}
	if e.Code != code || e.Message != message || e.Hint != hint {
		t.Errorf("got  %s %q %q\nwant %s %q %q", e.Code, e.Message, e.Hint, code, message, hint)
	}
}
