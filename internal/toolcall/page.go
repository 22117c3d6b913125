package toolcall

import (
	"bytes"
	"strings"
)

// maxTail is how much of the visible text is looked back on, in bytes.
const maxTail = 2000

// page is what the person sees of a reply.
type page struct {
	fresh  strings.Builder // since it was last taken
	all    []byte          // from the beginning, or a megabyte of it
	tail   []byte          // the end
	behind bool            // nothing but white space since the last markup
}

// add shows s. White space before the first word is dropped: it is what is left
// between a thought and the reply.
func (p *page) add(s []byte) {
	if p.empty() {
		s = bytes.TrimLeft(s, space)
	}
	p.behind = p.behind && len(bytes.TrimLeft(s, space)) == 0
	p.fresh.Write(s)
	if len(p.all) < maxMarkup {
		p.all = append(p.all, s...)
	}
	if p.tail = append(p.tail, s...); len(p.tail) > 2*maxTail {
		p.tail = append(p.tail[:0], p.tail[len(p.tail)-maxTail:]...)
	}
}

// take gives what was added since it was last called.
func (p *page) take() string {
	s := p.fresh.String()
	p.fresh.Reset()
	return s
}

// empty tells whether nothing was said yet.
func (p *page) empty() bool { return len(p.all) == 0 }

// before is the text before what comes next, as far as it matters.
func (p *page) before() string {
	return string(bytes.ToValidUTF8(p.tail[max(0, len(p.tail)-maxTail):], nil))
}
