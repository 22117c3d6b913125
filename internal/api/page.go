package api

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net"
	"net/http"
	"strings"

	"loci"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var page = template.Must(template.New("page").Parse(pageHTML))

// root answers people with a page and programs with what Ollama says, since
// Ollama clients look for it. It needs no key, so it tells nothing private.
func (s *server) root(w http.ResponseWriter, r *http.Request) error {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") || exchangeOf(r).via != "" {
		write(w, http.StatusOK, typeText, []byte("Ollama is running"))
		return nil
	}
	// The addresses on the page are the ones the person came by: the Host is one
	// of ours, that was checked.
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		CSS                 template.CSS
		Base, Port, Version string
	}{template.CSS(pageCSS), scheme + "://" + r.Host, port(r.Host), s.Version})
	if err != nil {
		return err
	}
	// No scripts, no pictures, no frames, and only this very style sheet.
	sum := sha256.Sum256([]byte(pageCSS))
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+
		"'; "+noneElse)
	h.Add("Vary", "Accept")
	write(w, http.StatusOK, "text/html; charset=utf-8", b.Bytes())
	return nil
}

// port is the colon and the port of a host, or nothing.
func port(host string) string {
	if _, p, err := net.SplitHostPort(host); err == nil {
		return ":" + p
	}
	return ""
}

// health says that the process serves requests at all.
func (s *server) health(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, map[string]string{"status": "ok"})
}

// ready says whether it can do its work. A backend that is down does not count:
// it may come back, and people are told in the reply.
func (s *server) ready(w http.ResponseWriter, r *http.Request) error {
	if s.Ready != nil {
		if err := s.Ready(r.Context()); err != nil {
			return &statusError{http.StatusServiceUnavailable, loci.AsError(err)}
		}
	}
	return writeJSON(w, map[string]string{"status": "ready"})
}
