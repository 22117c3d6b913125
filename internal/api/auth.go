package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"loci"
)

// Keyring is every key that opens a door.
type Keyring interface {
	// Find gives the valid key with a secret.
	Find(secret string) (loci.Key, bool)
	// Hold gives a context that ends when the key is revoked or replaced; its cause
	// is then an error for the client. The caller calls release when it is done.
	Hold(ctx context.Context, key loci.Key) (held context.Context, release func())
}

// caller is who sent a request, and with which key.
type caller struct {
	principal loci.Principal
	key       loci.Key
	// guest says that loci's own door is closed whatever the key may: that of
	// the chat key, which stands in addresses, and of people that a chat server
	// forwards.
	guest bool
}

// authenticate is the only place that looks at keys. Whatever carries the key,
// the result is one caller. The first carrier found counts: the path, then
// Authorization, then x-api-key.
func (s *server) authenticate(r *http.Request) (caller, error) {
	x := exchangeOf(r)
	// Clients often insist on sending some key, so one beside a key in the path
	// is no fault; but it must not lend the path more than the path may have.
	secret := bearer(r)
	if x.via == "path" {
		secret = x.key
	}
	if secret == "" {
		hint := "Send it in the header Authorization, after the word Bearer; loci prints it when it starts."
		if keyInQuery(r) {
			hint = "Send it in the header Authorization, after the word Bearer: what stands behind the ? of an address is in logs and histories, so loci takes no key from there."
		}
		return caller{}, loci.Errorf(loci.Unauthorized, "This address needs a key.").WithHint("%s", hint)
	}
	key, ok := s.Keys.Find(secret)
	if !ok || x.via == "path" && key.ID != loci.ChatKey {
		return caller{}, loci.Errorf(loci.Unauthorized, "The key is not valid.").
			WithHint("loci prints the valid key when it starts.")
	}
	return s.person(r, key)
}

// keyInQuery tells whether somebody seems to have put a key there.
func keyInQuery(r *http.Request) bool {
	for name := range r.URL.Query() {
		switch strings.ToLower(name) {
		case "key", "api_key", "apikey", "api-key", "x-api-key", "token", "access_token", "authorization":
			return true
		}
	}
	return false
}

// bearer gives the key that the headers carry.
func bearer(r *http.Request) string {
	const scheme = "Bearer "
	if a := r.Header.Get("Authorization"); len(a) > len(scheme) && strings.EqualFold(a[:len(scheme)], scheme) {
		return strings.TrimSpace(a[len(scheme):])
	}
	return r.Header.Get("X-Api-Key")
}

// person finds out who is behind a valid key. A chat server may forward its user.
// Behind a key of the owner's, or one that may everything, its administrator is the
// owner, and anybody else is a principal of their own who can only chat; behind any
// other key it is somebody within that key's bounds. Nobody has a right that the key
// lacks.
func (s *server) person(r *http.Request, key loci.Key) (caller, error) {
	owner := loci.Principal{ID: "owner", Name: s.OwnerName, Owner: true}
	if key.ID != loci.OwnerKey { // whose owner may everything, also what is no right yet
		owner.Rights = key.Rights
	}
	get := func(field string) string { return clean(r.Header.Get("X-OpenWebUI-User-" + field)) }
	id, email, name, role := get("Id"), get("Email"), decodeName(get("Name")), get("Role")
	trusted := key.Own() || key.May(loci.RightAdmin)
	switch {
	case r.Header.Get("X-OpenWebUI-User-Jwt") != "":
		// Taking its sender for the owner would give every user the owner's rights.
		return caller{}, loci.Errorf(loci.Forbidden, "loci cannot check the signed user header X-OpenWebUI-User-Jwt.").
			WithHint("Unset FORWARD_USER_INFO_HEADER_JWT_SECRET in Open WebUI.")
	case id == "" && email == "" && name == "" && role == "" && key.Own():
		return caller{owner, key, key.ID == loci.ChatKey}, nil
	case id == "" && email == "" && name == "" && role == "":
		return caller{loci.Principal{ID: key.Principal, Rights: key.Rights}, key, false}, nil
	case role == "admin" && trusted:
		if name != "" {
			owner.Name = name
		}
		owner.Email = email
		return caller{owner, key, key.ID == loci.ChatKey}, nil
	}
	who := loci.Principal{Name: name, Email: email, Rights: []loci.Right{}}
	if key.May(loci.RightChat) {
		who.Rights = append(who.Rights, loci.RightChat)
	}
	// The prefix keeps a user whose id is "owner" from being taken for the owner, and
	// users behind one key from being taken for those behind another.
	for _, id := range []string{id, email, name} {
		if id == "" {
			continue
		}
		if who.ID = "user:" + id; !trusted {
			who.ID = key.Principal + "/user:" + id
		}
		return caller{who, key, true}, nil
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
