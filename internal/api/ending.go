package api

import (
	"bytes"
	"iter"
	"mime"
	"net/http"
)

// overlap is how many bytes of a relayed reply are looked at once more with the
// next piece, as a mark may be split between two.
const overlap = 64

// An ending watches a relayed reply go by and tells whether it came to its end.
// A server that is stopped, or a proxy before it, may end half a reply as
// cleanly as a whole one. The pieces are searched for marks, not parsed: that is
// some hundred nanoseconds for a token.
type ending struct {
	media string // how the reply is read; empty: not at all
	sized bool   // its length is known, so net/http watches its end
	done  bool   // the model has said that it has finished
	told  bool   // the backend has said that it failed
	tail  []byte // the last bytes so far, at most overlap

	finish []byte // the member that sets done
	fault  []byte // the beginning of a line that sets told
}

// newEnding knows the marks of a reply's type.
func newEnding(resp *http.Response) *ending {
	e := &ending{sized: resp.ContentLength >= 0}
	// What is packed cannot be seen, and an error is the server's to word.
	if resp.Header.Get("Content-Encoding") == "" && resp.StatusCode == http.StatusOK {
		e.media, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	}
	switch e.media {
	case typeSSE:
		e.finish, e.fault = []byte(`"finish_reason"`), []byte("\ndata: {\"error\"")
	case typeNDJSON:
		e.finish, e.fault = []byte(`"done"`), []byte("\n{\"error\"")
	}
	e.tail = append(make([]byte, 0, 2*overlap), '\n') // the first line begins like any other
	return e
}

// streams tells whether the reply is a stream that has words for an error.
func (e *ending) streams() bool { return e.finish != nil }

// see takes the next piece.
func (e *ending) see(piece []byte) {
	joint := append(e.tail, piece[:min(len(piece), overlap)]...)
	e.look(joint)
	if len(piece) > overlap {
		e.look(piece)
		joint = piece
	}
	e.tail = append(e.tail[:0], joint[max(0, len(joint)-overlap):]...)
}

// look searches for the marks. Inside a JSON string their quotes would be
// escaped. A tool call's arguments may have a member of the same name, but are
// no string in Ollama's streams alone, where the line's own comes after them: so
// there the last one counts. An OpenAI stream may go on with null, and some
// servers write an empty reason for none.
func (e *ending) look(b []byte) {
	if !e.streams() {
		return
	}
	for v := range values(b, e.finish) {
		said := v[0] == 't' || v[0] == '"' && v[1] != '"'
		e.done = said || e.done && e.media == typeSSE
	}
	for v := range values(b, e.fault) {
		e.told = e.told || v[0] != 'n'
	}
}

// values gives what follows a member's name wherever it stands in b, if that is
// at least two bytes.
func values(b, name []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			_, rest, found := bytes.Cut(b, name)
			if !found {
				return
			}
			b = rest
			for len(rest) > 0 && (rest[0] == ':' || rest[0] == ' ') {
				rest = rest[1:]
			}
			if len(rest) > 1 && !yield(rest) {
				return
			}
		}
	}
}

// whole tells whether what went by was a complete reply, or says itself that it
// is not.
func (e *ending) whole() bool {
	tail := bytes.TrimRight(e.tail, " \t\r\n")
	switch e.media {
	case typeSSE:
		last := tail[bytes.LastIndexByte(tail, '\n')+1:]
		data, ok := bytes.CutPrefix(last, []byte("data:"))
		return e.done || e.told || ok && string(bytes.TrimSpace(data)) == "[DONE]"
	case typeNDJSON:
		return (e.done || e.told) && bytes.HasSuffix(tail, []byte("}"))
	case typeJSON:
		return e.sized || bytes.HasSuffix(tail, []byte("}")) || bytes.HasSuffix(tail, []byte("]"))
	}
	return true
}

// midLine tells whether the last line that went by is not complete.
func (e *ending) midLine() bool { return e.tail[len(e.tail)-1] != '\n' }
