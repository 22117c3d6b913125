package redact

import (
	"encoding/base64"
	"strings"
)

// shape is a form in which credentials appear. Given a text and the part of it
// that is its sign, it gives the part to mask, and false where it is none. It
// looks no further than reach behind the sign, unless what it finds is masked,
// so that all shapes together take time in proportion to the text.
type shape func(s string, sign span) (span, bool)

// reach is how far a shape looks around for what turns out to be no secret, in
// bytes.
const reach = 512

// signs are what a shape begins with, in small letters.
var signs = map[string]shape{
	"-----begin": privateKey,
	"://":        userInfo,
	"eyj":        webToken,
	"bearer ":    bearer,
	"basic ":     basic,

	"password": named, "passwd": named, "passphrase": named, "pwd": named, "secret": named, "token": named,
	"authorization": named, "cookie": named, "credential": named, "credentials": named, "key": named, "pass": named,
	"auth": named, "signature": named, "sig": named,

	"sk-": prefixed("sk-", 12, false), "rk_live_": prefixed("rk_live_", 10, false), "sk_live_": prefixed("sk_live_", 10, false), "sk_test_": prefixed("sk_test_", 10, false),
	"ghp_": prefixed("ghp_", 20, false), "gho_": prefixed("gho_", 20, false), "ghu_": prefixed("ghu_", 20, false), "ghs_": prefixed("ghs_", 20, false), "ghr_": prefixed("ghr_", 20, false),
	"github_pat_": prefixed("github_pat_", 20, false), "glpat-": prefixed("glpat-", 16, false), "hf_": prefixed("hf_", 20, false), "npm_": prefixed("npm_", 20, false),
	"xoxb-": prefixed("xoxb-", 10, false), "xoxp-": prefixed("xoxp-", 10, false), "xoxa-": prefixed("xoxa-", 10, false), "xoxr-": prefixed("xoxr-", 10, false), "xoxs-": prefixed("xoxs-", 10, false), "xapp-": prefixed("xapp-", 10, false),
	"akia": prefixed("AKIA", 16, true), "asia": prefixed("ASIA", 16, true), "aiza": prefixed("AIza", 30, false),
	"loci_": prefixed("loci_", 20, true), "age-secret-key-1": prefixed("AGE-SECRET-KEY-1", 20, true),
}

// signMatcher finds signs, and shapeAt is the shape for each node of it.
var signMatcher, shapeAt = func() (*matcher, []shape) {
	var words []string
	for sign := range signs {
		words = append(words, sign)
	}
	m := newMatcher(words)
	at := make([]shape, len(m.nodes))
	for sign, shape := range signs {
		n := int32(0)
		for i := range len(sign) {
			n = m.step(n, sign[i])
		}
		at[n] = shape
	}
	for i := range at { // a longer beginning may end with a sign
		for n := int32(i); n != 0 && at[i] == nil; n = m.nodes[n].fail {
			at[i] = at[n]
		}
	}
	return m, at
}()

// findShapes appends the parts of a text that have the shape of a credential, in
// order among themselves.
func findShapes(s string, found []span) []span {
	first, at := len(found), int32(0)
	for i := 0; i < len(s); i++ {
		b := s[i]
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		at = signMatcher.step(at, b)
		n := int(signMatcher.nodes[at].match)
		if n == 0 {
			continue
		}
		p, ok := shapeAt[at](s, span{i + 1 - n, i + 1})
		if !ok || p.from >= p.to {
			continue
		}
		for len(found) > first && found[len(found)-1].to >= p.from {
			p.from = min(p.from, found[len(found)-1].from)
			p.to = max(p.to, found[len(found)-1].to)
			found = found[:len(found)-1]
		}
		found = append(found, p)
		i, at = max(i, p.to-1), 0
	}
	return found
}

// prefixed is the shape of a token that begins in a way of its own and has at
// least so many characters more; a strict one is of capitals and digits only,
// any other has a digit.
func prefixed(prefix string, least int, strict bool) shape {
	return func(s string, sign span) (span, bool) {
		if !strings.HasPrefix(s[sign.from:], prefix) || sign.from > 0 && word(s[sign.from-1]) {
			return span{}, false
		}
		end := sign.to
		for end < len(s) && (word(s[end]) && !strict || strict && capital(s[end])) {
			end++
		}
		if strict && end < len(s) && word(s[end]) {
			return span{}, false
		}
		if body := s[sign.to:end]; len(body) < least || !strict && !strings.ContainsAny(body, "0123456789") {
			return span{}, false
		}
		return span{sign.from, end}, true
	}
}

// word tells whether a byte can be part of a token or a name.
func word(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b == '_' || b == '-'
}

func capital(b byte) bool { return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' }

// privateKey is a PEM block (RFC 7468), to its end or that of the text.
func privateKey(s string, sign span) (span, bool) {
	const most = 40 // bytes for the kind of key
	label, _, ok := strings.Cut(s[sign.to:min(len(s), sign.to+most)], "-----")
	if !ok || !strings.Contains(label, "PRIVATE KEY") {
		return span{}, false
	}
	body := sign.to + len(label) + len("-----")
	last := strings.Index(s[body:], "-----END")
	if last < 0 {
		return span{sign.from, len(s)}, true
	}
	last += body + len("-----END")
	if more := strings.Index(s[last:min(len(s), last+most)], "-----"); more >= 0 {
		last += more + len("-----")
	}
	return span{sign.from, last}, true
}

// webToken is a JSON Web Token (RFC 7519): Base64 of {" and more, in at least
// three parts, of which the last may be empty.
func webToken(s string, sign span) (span, bool) {
	if sign.from > 0 && (word(s[sign.from-1]) || s[sign.from-1] == '.') || s[sign.from] != 'e' || s[sign.from+1] != 'y' || s[sign.from+2] != 'J' {
		return span{}, false
	}
	const least = 10 // bytes of each of the first two parts
	parts, began, end := 0, sign.from, sign.to
	for ; end < len(s) && (word(s[end]) || s[end] == '.'); end++ {
		if s[end] != '.' {
			continue
		}
		if end-began < least && parts < 2 {
			return span{}, false
		}
		parts, began = parts+1, end+1
	}
	return span{sign.from, end}, parts >= 2
}

// bearer is what follows the word, where it looks like a token.
func bearer(s string, sign span) (span, bool) {
	from, end := near(s, sign.to)
	return far(s, sign.to, from, end), random(s[from:end]) || end-from >= 20
}

// basic is a name and a password in Base64 (RFC 7617).
func basic(s string, sign span) (span, bool) {
	from, end := near(s, sign.to)
	if end-from < 8 {
		return span{}, false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s[from:end], "="))
	return span{from, end}, err == nil && strings.Contains(string(plain), ":")
}

// userInfo is the password of a URL, or all that stands before the @ if that
// looks like a token. Passwords with a slash in them are not valid there, and
// common.
func userInfo(s string, sign span) (span, bool) {
	run := s[sign.to:min(len(s), sign.to+reach)]
	if i := strings.IndexAny(run, " \t\r\n\"'`<>\\"); i >= 0 {
		run = run[:i]
	}
	authority := run
	if i := strings.IndexAny(run, "/?#"); i >= 0 {
		authority = run[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 && strings.Contains(authority, ":") && !strings.Contains(authority, "]") {
		_, port, _ := strings.Cut(authority, ":")
		if strings.Trim(port, "0123456789") != "" {
			at = strings.LastIndexByte(run, '@')
		}
	}
	if at < 0 {
		return span{}, false
	}
	colon := strings.IndexByte(run[:at], ':')
	if colon < 0 {
		return span{sign.to, sign.to + at}, random(run[:at])
	}
	return span{sign.to + colon + 1, sign.to + at}, run[colon+1:at] != Mask
}

// named is the value of a parameter, member, header or variable whose name tells
// that it is secret.
func named(s string, sign span) (span, bool) {
	end := sign.to
	if end < len(s) && word(s[end]) { // tokens, keyboard
		return span{}, false
	}
	from := sign.from
	for from > 0 && sign.to-from < longestName && (word(s[from-1]) || s[from-1] == '.') {
		from--
	}
	k := kindOf(s[from:end])
	if k == open {
		return span{}, false
	}
	at := quotes(s, end)
	quoted := at > end
	at = blanks(s, at)
	if at >= len(s) || s[at] != '=' && s[at] != ':' || strings.HasPrefix(s[at:], "==") {
		return span{}, false
	}
	colon := s[at] == ':' && !quoted
	at = blanks(s, at+1)
	start, stop := near(s, at)
	switch name := s[from:end]; {
	case header(name) && strings.EqualFold(name[max(0, len(name)-len("cookie")):], "cookie"):
		stop = start + lineEnd(s[start:])
		return span{start, stop}, k.hides(s[start:stop])
	case header(name) && scheme(s[start:stop]):
		at = blanks(s, stop)
		start, stop = near(s, at)
	case colon && !header(name):
		if name == "secret" && at == end+1 {
			return span{}, false // the name of a secret, as configurations refer to it
		}
		k = min(k, perhaps) // prose: "the token: what it is"
	}
	if !k.hides(s[start:stop]) {
		return span{}, false
	}
	return far(s, at, start, stop), true
}

// scheme tells whether a word is that of an authentication scheme, after which
// the credential follows.
func scheme(w string) bool {
	switch strings.ToLower(w) {
	case "bearer", "basic", "token", "digest", "apikey", "negotiate":
		return true
	}
	return false
}

// quotes gives the place behind quotes and the backslashes that escape them.
func quotes(s string, at int) int {
	for at < len(s) && (s[at] == '\\' || s[at] == '"' || s[at] == '\'') {
		at++
	}
	return at
}

// blanks gives the place behind a few blanks.
func blanks(s string, at int) int {
	for n := 0; n < 3 && at < len(s) && s[at] == ' '; n++ {
		at++
	}
	return at
}

// lineEnd gives where a line or a quoted text ends, or the whole text.
func lineEnd(s string) int {
	if i := strings.IndexAny(s, "\r\n\"'\\"); i >= 0 {
		return i
	}
	return len(s)
}

// near gives the value at a place, as far as it is in reach.
func near(s string, at int) (from, to int) { return value(s[:min(len(s), at+reach)], at) }

// far gives the whole of a value that goes on beyond what near gave of it.
func far(s string, at, from, to int) span {
	if to >= at+reach && to < len(s) {
		from, to = value(s, at)
	}
	return span{from, to}
}

// value gives the part that is a value: what stands in quotes, or one word.
func value(s string, at int) (from, to int) {
	from = quotes(s, at)
	if from > at {
		mark := s[at:from]
		if len(mark) > 1 && mark[0] != '\\' {
			return from, from // an empty text
		}
		return from, from + closing(s[from:], mark)
	}
	for from < len(s) && (s[from] == '[' || s[from] == '{' || s[from] == '(') && !strings.HasPrefix(s[from:], Mask) {
		from++ // as Go prints the values of a header
	}
	if strings.HasPrefix(s[from:], Mask) {
		return from, from + len(Mask)
	}
	for to = from; to < len(s) && !strings.ContainsRune(" \t\r\n&,;\"'`<>\\", rune(s[to])); to++ {
	}
	return from, from + len(strings.TrimRight(s[from:to], ")]}"))
}

// closing finds the quote that ends a text, or its end. A quote behind a
// backslash of the text's own belongs to the text.
func closing(s, mark string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], mark)
		if i < 0 {
			return len(s)
		}
		i += at
		slashes := 0
		for slashes < i && s[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes == 0 || len(mark) == 1 && slashes%2 == 0 {
			return i
		}
		at = i + len(mark)
	}
}
