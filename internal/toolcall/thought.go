package toolcall

import (
	"bytes"
	"strings"
)

// thought is what a reply has of the model's thoughts.
type thought struct {
	fresh   strings.Builder // since it was last asked for
	until   []string        // what ends the one that buf begins in
	channel bool            // the reply has channels, as Harmony's have
}

// take gives the thoughts since it was last called.
func (t *thought) take() string {
	s := t.fresh.String()
	t.fresh.Reset()
	return s
}

// think is the mode inside a thought. Markup in it counts for nothing. A thought
// that does not end is a reply that was cut, and has no calls.
func (r *Reader) think(final bool) bool {
	i, end := r.thought.end(r.buf, final)
	r.thought.fresh.Write(r.buf[:i])
	r.drop(i)
	if end == "" {
		return false
	}
	if end != "<|start|>" && end != "<|channel|>" { // these begin what follows
		r.drop(len(end))
	}
	r.resume()
	return true
}

// musing is the mode inside an element whose name says that it is a thought, but
// which the person may have asked for: it is shown, and markup in it counts for
// nothing.
func (r *Reader) musing(final bool) bool {
	i, end := r.thought.end(r.buf, final)
	r.show(i + len(end))
	r.mode, r.place.blank = (*Reader).prose, false
	if end == "" {
		r.mode = (*Reader).musing
	}
	return end != ""
}

// end finds what ends a thought. Without one it is empty, and i bytes surely hold
// no beginning of it.
func (t *thought) end(buf []byte, final bool) (i int, end string) {
	for i < len(buf) {
		j := bytes.IndexAny(buf[i:], "<[") // which all of them begin with
		if j < 0 {
			break
		}
		i += j
		for _, mark := range t.until {
			switch rest := buf[i:min(len(buf), i+len(mark))]; {
			case string(rest) == mark:
				return i, mark
			case !final && strings.HasPrefix(mark, string(rest)):
				return i, ""
			}
		}
		i++
	}
	return len(buf), ""
}

// endsThought judges a closing tag of a thought. The servers that keep its
// beginning to themselves leave it alone at the end of what was thought; in a
// sentence it is a word, unless that would make calls of what may be thoughts.
func (r *Reader) endsThought(rest string, _ bool) verdict {
	if r.place.blank || r.found.any() {
		return isMarkup
	}
	return inSentence(rest)
}

// wasThought handles the end of a thought whose beginning the server kept: what
// came before was thought too, so its calls are none.
func (r *Reader) wasThought() {
	r.found.calls, r.found.fault = nil, nil
	r.resume()
}
