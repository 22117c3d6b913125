package toolcall

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// maxOpening is how much of a reply is held back at most, in bytes, to tell
// whether it is nothing but a call. Only replies that begin with a bracket or
// a backtick are.
const maxOpening = 200

// start is the mode at the beginning of the reply, where a reply that is
// nothing but a call is recognised. A few characters decide: a JSON answer to
// the person begins with other names, or names no offered tool.
func (r *Reader) start(final bool) bool {
	r.buf = bytes.TrimLeft(r.buf, " \t\r\n")
	if len(r.buf) == 0 {
		return false
	}
	// Only the first bytes count, however many came at once: the judgement must
	// not depend on how the reply was cut.
	v := prose
	if len(r.offered) > 0 {
		v = wholeCall(string(r.buf[:min(len(r.buf), maxOpening)]), r.offers)
	}
	if v == unknown && !final && len(r.buf) < maxOpening {
		return false
	}
	r.mode = (*Reader).prose
	if v == call {
		r.mode = (*Reader).whole
	}
	return true
}

// whole is the mode of a reply that seems to be nothing but a call. Whether it
// is shows only at its end: what follows a block makes it an example.
func (r *Reader) whole(final bool) bool {
	if len(r.buf) > maxMarkup {
		r.mode = (*Reader).prose
		return true
	}
	if !final {
		return false
	}
	r.mode = (*Reader).prose
	if r.onlyCall(string(r.buf)) {
		r.buf = nil
	}
	return true
}

// onlyCall reads a reply that is nothing but a call, and tells whether it is. A
// call of an offered tool that cannot be read is a fault, and not shown; JSON
// that is something else is the person's.
func (r *Reader) onlyCall(s string) bool {
	s = strings.TrimSpace(s)
	s = strings.TrimSpace(strings.TrimSuffix(s, "</tool_call>"))
	if n := run(s, '`'); n > 0 {
		fence := s[:n]
		s = strings.TrimSuffix(s[n:], fence)
		if strings.Contains(s, fence) {
			return false // something follows the block, so it is an example
		}
		if n >= 3 {
			_, s, _ = strings.Cut(s, "\n")
		}
		if s = strings.TrimSpace(s); strings.HasPrefix(s, "<") {
			return r.onlyMarkup(s)
		}
	}
	wishes, f := readJSON(s)
	if f != nil {
		if !r.namesTool(s) {
			return false
		}
		r.blame(f)
		return true
	}
	for _, w := range wishes {
		if !r.offers(w.name) {
			return false
		}
	}
	r.take(wishes)
	return len(wishes) > 0
}

// toolName finds the name in a call whose JSON cannot be read. It only decides
// whether there is something to complain about.
var toolName = regexp.MustCompile(`["']?(?:name|tool|function|tool_name|function_name|action)["']?\s*:\s*["']([^"'\n]{1,80})`)

// namesTool tells whether broken JSON was meant as a call of an offered tool.
func (r *Reader) namesTool(s string) bool {
	m := toolName.FindStringSubmatch(s)
	return m != nil && r.offers(strings.TrimSpace(m[1]))
}

// onlyMarkup reads markup that stood alone in a code fence, where small models
// put it because their prompt showed it in one.
func (r *Reader) onlyMarkup(s string) bool {
	inner := NewReader(r.offered)
	visible := inner.Write(s)
	rest, calls, fault := inner.Close()
	if visible+rest != "" || len(calls) == 0 && fault == nil {
		return false
	}
	r.calls = append(r.calls, calls...)
	if fault != nil {
		r.blame(fault)
	}
	return true
}

// offers tells whether a name means an offered tool.
func (r *Reader) offers(name string) bool {
	_, ok := Name(name, r.offered)
	return ok
}

// verdict is what the beginning of a reply tells about the rest. Once it is not
// unknown, more text never changes it: otherwise the cuts between pieces would.
type verdict uint8

const (
	unknown verdict = iota // too short to tell
	prose
	call // to all appearances nothing but a call
)

// wholeCall judges whether a reply that begins with s may be nothing but a
// call, written as JSON or in a code fence. offered tells which names count.
// The languages that a fence may name are those that models put on calls;
// python or bash is a program for the person.
func wholeCall(s string, offered func(string) bool) verdict {
	if n := run(s, '`'); n > 0 {
		if n == len(s) {
			return unknown
		}
		s = s[n:]
		if n >= 3 {
			info, rest, ok := strings.Cut(s, "\n")
			switch info = strings.TrimSpace(info); {
			case len(info) > 12 || strings.ContainsAny(info, " {"):
				return prose
			case !ok:
				return unknown
			case !slices.Contains([]string{"", "json", "jsonc", "json5", "xml", "text", "tool", "tool_call", "tool_code"}, info):
				return prose
			}
			s = rest
		}
		if s = strings.TrimLeft(s, " \t\r\n"); s == "" {
			return unknown
		}
		if s[0] == '<' {
			return markupCall(s)
		}
	}
	s = strings.TrimLeft(s, " \t\r\n[")
	switch {
	case s == "":
		return unknown
	case s[0] != '{':
		return prose
	}
	return objectCall(s, offered)
}

// markupCall judges the inside of a code fence that begins with a tag.
func markupCall(s string) verdict {
	for _, open := range []string{"<tool>", "<tool_call>", "<function="} {
		switch {
		case strings.HasPrefix(s, open):
			return call
		case strings.HasPrefix(open, s):
			return unknown
		}
	}
	return prose
}

// objectCall judges a JSON object by its first field. If that is the name, it
// must be an offered one; if it is another part of a call, the name comes later
// and the reply is held back until then.
func objectCall(s string, offered func(string) bool) verdict {
	const quoting = `"'“”‘’`
	key, rest, ok := strings.Cut(strings.TrimLeft(s[1:], " \t\r\n"), ":")
	key = strings.Trim(key, quoting+" \t\r\n")
	switch {
	case !ok && len(key) <= 16:
		return unknown
	case slices.Contains(argumentKeys, key), slices.Contains(otherKeys, key):
		return call
	case !slices.Contains(nameKeys, key):
		return prose
	}
	rest = strings.TrimLeft(rest, " \t\r\n")
	if strings.HasPrefix(rest, "{") {
		return call
	}
	name := strings.TrimLeft(rest, quoting)
	end := strings.IndexAny(name, quoting+"\n,}")
	switch {
	case end < 0:
		return unknown
	case offered(strings.TrimSpace(name[:end])):
		return call
	}
	return prose
}

// run counts how often c is repeated at the beginning of s.
func run[S string | []byte](s S, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}
