package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"loci"
)

// Keys are the secrets that open the doors. An empty key opens none.
type Keys struct {
	Owner string // every scope; only in headers
	Chat  string // chat and models only; the one that may stand in a path
}

// scope is what a route needs and a key gives. A higher one includes the lower.
type scope int

const (
	scopeNone  scope = iota // anybody
	scopeChat               // talk to models
	scopeOwner              // the agent API
)

// String is the scope's name in the log; empty for what needs no key.
func (s scope) String() string {
	switch s {
	case scopeChat:
		return "chat"
	case scopeOwner:
		return "owner"
	}
	return ""
}

// caller is who sent a request, with what right.
type caller struct {
	principal loci.Principal
	scope     scope
}

// authenticate is the only place that looks at keys. Whatever carries the key,
// the result is one caller. The first carrier found counts: the path, then
// Authorization, then x-api-key.
func (s *server) authenticate(r *http.Request) (caller, error) {
	x := exchangeOf(r)
	// Clients often insist on sending some key, so one beside a key in the path
	// is no fault; but it must not lend the path more than the path may have.
	key := bearer(r)
	if x.via == "path" {
		key = x.key
	}
	if key == "" {
		return caller{}, loci.Errorf(loci.Unauthorized, "This address needs a key.").
			WithHint("Send it as \"Authorization: Bearer KEY\"; loci prints it when it starts.")
	}
	keys := s.Keys()
	switch {
	case same(key, keys.Owner) && x.via != "path":
		return s.person(r, scopeOwner)
	case same(key, keys.Chat):
		return s.person(r, scopeChat)
	}
	return caller{}, loci.Errorf(loci.Unauthorized, "The key is not valid.").
		WithHint("loci prints the valid key when it starts.")
}

// bearer gives the key that the headers carry.
func bearer(r *http.Request) string {
	const scheme = "Bearer "
	if a := r.Header.Get("Authorization"); len(a) > len(scheme) && strings.EqualFold(a[:len(scheme)], scheme) {
		return strings.TrimSpace(a[len(scheme):])
	}
	return r.Header.Get("X-Api-Key")
}

// same compares without telling by its duration how much was right.
func same(got, want string) bool {
	g, w := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(g[:], w[:]) == 1 && want != ""
}

// person finds out who is behind a valid key. A chat server may forward its
// user; its administrator is the owner, anybody else is a principal of their
// own who can only chat. The owner's own chat key changes the scope, not the
// person.
func (s *server) person(r *http.Request, granted scope) (caller, error) {
	owner := caller{loci.Principal{ID: "owner", Name: s.OwnerName, Owner: true}, granted}
	get := func(field string) string { return clean(r.Header.Get("X-OpenWebUI-User-" + field)) }
	id, email, name, role := get("Id"), get("Email"), decodeName(get("Name")), get("Role")
	switch {
	case r.Header.Get("X-OpenWebUI-User-Jwt") != "":
		// Taking its sender for the owner would give every user the owner's rights.
		return caller{}, loci.Errorf(loci.Forbidden, "loci cannot check the signed user header X-OpenWebUI-User-Jwt.").
			WithHint("Unset FORWARD_USER_INFO_HEADER_JWT_SECRET in Open WebUI.")
	case id == "" && email == "" && name == "" && role == "":
		return owner, nil
	case role == "admin":
		if name != "" {
			owner.principal.Name = name
		}
		owner.principal.Email = email
		return owner, nil
	}
	// The prefix keeps a user whose id is "owner" from being taken for the owner.
	for _, id := range []string{id, email, name} {
		if id != "" {
			return caller{loci.Principal{ID: "user:" + id, Name: name, Email: email}, scopeChat}, nil
		}
	}
	return caller{}, loci.Errorf(loci.Forbidden, "The forwarded user has a role but no id.").
		WithHint("Forward X-OpenWebUI-User-Id too.")
}

// decodeName undoes Open WebUI's percent-encoding; a name that is not encoded
// is taken as it is.
func decodeName(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return clean(d)
	}
	return s
}

// clean makes a header value safe for prompts and logs: printable, one line,
// at most 200 bytes.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "")
	}
	return strings.TrimSpace(s)
}
