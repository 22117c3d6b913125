// Package redact masks secrets in texts, JSON and log records, so that a key
// never stands where people, files or other machines could read it.
//
// A [Redactor] finds them in two ways. It knows the secrets in force, which are
// masked wherever they occur, written plainly or in the usual encodings. And it
// knows the shapes in which credentials appear: headers, members and parameters
// with telling names, passwords in URLs, private keys, and the tokens that well
// known services give out. The second way is for logs and errors only; what a
// model or a person is to work with gets the first alone, see [Redactor.Known].
//
// All of it takes time in proportion to the length of the text, whatever is in
// it, and allocates nothing where there is nothing to mask.
package redact

import (
	"iter"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Mask is what stands in the place of a secret.
const Mask = "[hidden]"

// Shortest is the length, in characters, from which a value is masked wherever it
// occurs. A shorter one would be found in the middle of ordinary words.
const Shortest = 6

// standIns are what people write where a program wants a key and the server
// needs none. To hide them would hide the names of the programs.
var standIns = map[string]bool{
	"ollama": true, "lmstudio": true, "lm-studio": true, "llama.cpp": true, "sk-no-key-required": true,
	"no-key": true, "not-needed": true, "not-required": true, "nothing": true, "changeme": true,
}

// Redactor masks secrets. The zero value, and a nil one, know no values, only
// shapes. It is safe for concurrent use.
type Redactor struct {
	mu     sync.Mutex // guards values and the change of known
	values map[string]bool
	known  atomic.Pointer[matcher] // nil: no values
}

// New makes a Redactor that knows some secrets.
func New(values ...string) *Redactor {
	r := &Redactor{}
	r.Add(values...)
	return r
}

// Add makes more secrets known, and what is secret in them by itself: the password
// of a URL, or a line of a private key. Values shorter than [Shortest], and those
// that say that no key is needed, are left out.
func (r *Redactor) Add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := false
	for v := range parts(values) {
		if utf8.RuneCountInString(v) < Shortest || standIns[strings.ToLower(v)] || strings.Contains(Mask, v) || r.values[v] {
			continue
		}
		if r.values == nil {
			r.values = map[string]bool{}
		}
		r.values[v], changed = true, true
	}
	if !changed {
		return
	}
	var all []string
	for v := range r.values {
		all = append(all, forms(v)...)
	}
	r.known.Store(newMatcher(all))
}

// parts yields each value, and the parts of it that may turn up alone.
func parts(values []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, v := range values {
			if !yield(v) {
				return
			}
			for _, p := range findShapes(v, nil) {
				part := v[p.from:p.to]
				plain, err := url.PathUnescape(part)
				if !yield(part) || err == nil && !yield(plain) {
					return
				}
			}
			const least = 20 // bytes of a line that is not like others
			for line := range strings.FieldsSeq(v) {
				if len(line) >= least && strings.Contains(v, "\n") && !yield(line) {
					return
				}
			}
		}
	}
}

// matcher is the one in force; nil where no secret is known.
func (r *Redactor) matcher() *matcher {
	if r == nil {
		return nil
	}
	return r.known.Load()
}

// Text masks the known secrets and what has the shape of one. It is for logs,
// errors and records of what was done.
func (r *Redactor) Text(s string) string {
	var room [8]span
	found := r.matcher().find(s, room[:0])
	n := len(found)
	if found = findShapes(s, found); len(found) > n && n > 0 {
		found = merge(found)
	}
	return replace(s, found)
}

// Known is the part of a Redactor that masks the known secrets alone, for texts
// that have to stay useful, such as prompts and the results of tools.
type Known struct{ r *Redactor }

// Known leaves out what only has the shape of a secret.
func (r *Redactor) Known() Known { return Known{r} }

// Text masks the known secrets in a text.
func (k Known) Text(s string) string {
	var room [8]span
	return replace(s, k.r.matcher().find(s, room[:0]))
}

// span is a part of a text, from the first byte to the one after the last.
type span struct{ from, to int }

// replace puts the mask in place of some parts, which are in order and apart.
func replace(s string, parts []span) string {
	if len(parts) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(parts)*len(Mask))
	at := 0
	for _, p := range parts {
		b.WriteString(s[at:p.from])
		b.WriteString(Mask)
		at = p.to
	}
	b.WriteString(s[at:])
	return b.String()
}
