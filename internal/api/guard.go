package api

import (
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"loci"
)

// protect sets what keeps a browser from doing more with a reply than showing it.
// Nothing but the page is meant for one, and that allows its style sheet.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; "+noneElse)
}

// noneElse is what default-src of a policy does not cover.
const noneElse = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// checkOrigin refuses what a web page of another origin sends. Programs that
// are not browsers send no Origin. Only configured origins get CORS headers,
// and a preflight needs no key, since browsers send it without one.
func (s *server) checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		known := slices.Contains(s.AllowedOrigins, origin)
		switch {
		case origin != "" && !known && !sameOrigin(r, origin):
			s.fail(w, r, loci.Errorf(loci.Forbidden, "Web pages of %.200q may not use loci.", origin).
				WithHint("If it is yours, add it to allowed_origins in the configuration."))
			return
		case !known && crossSite(r):
			s.fail(w, r, loci.Errorf(loci.Forbidden, "Web pages of others may not use loci.").
				WithHint("If it is yours, add its origin to allowed_origins in the configuration."))
			return
		case known:
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
				h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Api-Key, X-Loci-Session, X-Loci-Task, X-Loci-Client, X-Request-Id, Last-Event-Id")
				h.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// sameOrigin tells whether a page is one of this server's. A proxy in front of it may
// speak https where loci does not.
func sameOrigin(r *http.Request, origin string) bool {
	return origin == "https://"+r.Host || r.TLS == nil && origin == "http://"+r.Host
}

// crossSite tells that a browser says so of a request without an Origin, such as for
// a picture; or of one with it, whose Origin then is not to be believed. A link to the
// page that a person follows is none of that: they see where they are.
func crossSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	link := r.Method == http.MethodGet && r.URL.Path == "/" &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	return !link
}

// checkHost answers 421 to a Host that is not ours: with DNS rebinding, a web
// page can make its own name point to this machine, but it cannot change the
// Host header (CVE-2024-28224).
func (s *server) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.knownHost(r) {
			s.fail(w, r, &statusError{http.StatusMisdirectedRequest,
				loci.Errorf(loci.Invalid, "loci does not answer to the host name %.200q.", r.Host).
					WithHint("If it is right, add it to allowed_hosts in the configuration.")})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost tells whether the Host header is a loopback name with the port of
// this very connection, or a configured one.
func (s *server) knownHost(r *http.Request) bool {
	host := strings.ToLower(r.Host)
	if host == "" {
		return false
	}
	// Without a port the name stands alone, and so does an IPv6 address without
	// brackets, which is no valid Host and matches nothing below.
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	for _, h := range s.AllowedHosts {
		if h = strings.ToLower(h); h == host || h == name {
			return true
		}
	}
	switch name {
	case "127.0.0.1", "localhost", "::1":
	default:
		return false
	}
	// The port counts too: a page of another program on this machine is not ours.
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && port == strconv.Itoa(addr.Port)
}

// checkType refuses bodies that a web form can send without the browser asking
// first. Ollama's own examples use curl -d, which sends a form's type, so
// that and none at all are let through where no browser is involved.
func checkType(r *http.Request) error {
	if r.ContentLength == 0 || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	header := r.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(header)
	switch {
	case err == nil && (media == "application/json" || strings.HasSuffix(media, "+json")):
		return nil
	case r.Header.Get("Origin") == "" && (header == "" || media == "application/x-www-form-urlencoded"):
		return nil
	}
	return &statusError{http.StatusUnsupportedMediaType,
		loci.Errorf(loci.Invalid, "The request body is not JSON.").WithHint("Send it with Content-Type: application/json.")}
}

// openPath takes the key out of a path /k/KEY/…, for clients that cannot send a
// header, and mends doubled and trailing slashes, which clients make when they
// put a base address and a path together.
func (s *server) openPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.EscapedPath()
		if strings.Contains(p, "//") || len(p) > 1 && strings.HasSuffix(p, "/") {
			p = path.Clean(p)
		}
		if rest, ok := strings.CutPrefix(p, "/k/"); ok {
			x := exchangeOf(r)
			x.via = "path"
			x.key, rest, _ = strings.Cut(rest, "/")
			p = "/" + rest
		}
		if p != r.URL.EscapedPath() {
			// A handler must not change the request it was given.
			u := *r.URL
			u.RawPath = p
			u.Path, _ = url.PathUnescape(p) // the escapes of an EscapedPath are valid
			r2 := *r
			r2.URL = &u
			r = &r2
		}
		next.ServeHTTP(w, r)
	})
}
