package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"loci"
	"loci/internal/offer"
	"loci/internal/text"
	"loci/internal/toolcall"
)

const (
	digest     = 240 // bytes of a result, or of what a call would write, that is sent in short
	leastShare = 150 // tokens that a result may take, whatever the window
)

// view is the path as the model reads it: results that are too long for the window
// begin, and say how to read on, or are told in short where there is a digest; up to where
// the session is digested, so do all long ones, and long calls. The same path gives the
// same bytes each time.
func (t *turn) view() []loci.Node {
	digested := slices.IndexFunc(t.path, func(n loci.Node) bool { return n.ID == t.session.Digested })
	view, cloned, told := t.path, false, digests(t.path)
	for i, n := range t.path {
		if n.Unsent {
			continue
		}
		m, changed := t.short(n, i <= digested, told)
		if !changed {
			continue
		}
		if !cloned {
			view, cloned = slices.Clone(t.path), true
		}
		view[i].Sent = m
	}
	return view
}

// short is what is sent of a node. Told are digests of results.
func (t *turn) short(n loci.Node, digested bool, told map[result]string) (loci.Message, bool) {
	m := n.Sent
	if n.Shown == nil && digested && m.Role == loci.Assistant {
		return t.shortCalls(m)
	}
	if m.Role != loci.ToolRole && !isOutput(n) {
		return m, false
	}
	most := len(m.Content)
	if tokens, share := t.weighNode(m.Content, n.ID), t.share(); tokens > share {
		most = len(m.Content) * share / tokens
	}
	if digested {
		most = min(most, digest)
	}
	if len(told) > 0 {
		if m, ok := inDigests(n, most, told); ok {
			return m, true
		}
	}
	switch {
	case len(m.Content) <= most:
		return m, false
	case m.Role == loci.ToolRole:
		m.Content = string(excerpt(m.Content, n.ID, 0, most, true))
	default:
		m.Content = shortOutputs(m.Content, n.ID, most)
	}
	return m, true
}

// inDigests is a node's message of at most so many bytes with those of its results told
// in short that have a digest. It is false where none has.
func inDigests(n loci.Node, most int, told map[result]string) (loci.Message, bool) {
	m, native := n.Sent, n.Sent.Role == loci.ToolRole
	contents := []string{m.Content}
	if !native {
		contents = toolcall.Outputs(m.Content)
	}
	any := false
	for i, content := range contents {
		words, ok := told[result{n.ID, i}]
		any = any || ok
		switch most := most / len(contents); {
		case ok:
			contents[i] = asDigest(text.Clip(words, max(most, digest)), content, n.ID, i, native)
		case len(content) > most:
			contents[i] = string(excerpt(content, n.ID, i, most, native))
		}
		if !native {
			contents[i] = toolcall.AsOutput(contents[i])
		}
	}
	m.Content = strings.Join(contents, "\n")
	return m, any
}

// share is how many tokens of a window one result may take: half of what the system
// block, the tools and the reply leave.
func (t *turn) share() int {
	return max(leastShare, (t.profile.Window-t.profile.Window/replyPart-offer.Budget(t.profile.Window))/2)
}

// isOutput tells that a message of the user's role is what came of calls that were
// written as text, and nothing that the person wrote.
func isOutput(n loci.Node) bool {
	return n.Sent.Role == loci.User && toolcall.Outputs(n.Sent.Content) != nil &&
		(n.Shown == nil || toolcall.Outputs(*n.Shown) == nil)
}

// shortOutputs lets each result in a message begin.
func shortOutputs(content, node string, most int) string {
	parts := toolcall.Outputs(content)
	for i, p := range parts {
		parts[i] = toolcall.AsOutput(string(excerpt(p, node, i, most/len(parts), false)))
	}
	return strings.Join(parts, "\n")
}

// excerpt is the beginning of a result in at most so many bytes, and how to read on.
func excerpt(content, node string, index, most int, native bool) json.RawMessage {
	name := resultName(node, index)
	how := howToRead(native)
	return toolcall.Shorten(original(content), max(most, digest), func(kept, all int) string {
		kept = max(0, kept-len(`…"`))
		return fmt.Sprintf("%d of %d bytes. Go on: "+how, kept, all, name, kept)
	})
}

// howToRead is the call that reads a result from a byte on.
func howToRead(native bool) string {
	if native {
		return offer.Through(offer.ReadResult().Name, `{"id":%q,"from":%d}`)
	}
	return "read_result(id=%q, from=%d)"
}

// original is a result as the object that is read on in.
func original(content string) json.RawMessage {
	if strings.HasPrefix(content, "{") {
		return json.RawMessage(content)
	}
	data, _ := json.Marshal(map[string]string{"result": content}) // strings always marshal
	return data
}

// resultName is what a result is called by: the end of its node's id, and its place
// if there are several.
func resultName(node string, index int) string {
	name := node[max(0, len(node)-6):]
	if index > 0 {
		name += fmt.Sprintf(".%d", index)
	}
	return name
}

// shortCalls leaves out the most of long arguments, such as the text of a file that
// was written long ago. Calls that were written as text are written anew in the
// session's dialect, so that a model reads no call in a form that it must not have.
func (t *turn) shortCalls(m loci.Message) (loci.Message, bool) {
	if len(m.ToolCalls) > 0 {
		var changed bool
		m.ToolCalls, changed = shortArguments(m.ToolCalls)
		return m, changed
	}
	if len(m.Content) <= 2*digest {
		return m, false
	}
	reader := toolcall.NewReader(t.specs)
	words := reader.Write(m.Content)
	rest, calls, _ := reader.Close()
	parts := []string{text.Clip(strings.TrimSpace(words+rest), digest)}
	if len(calls) == 0 { // one that could not be read either
		m.Content = text.Clip(m.Content, digest)
		return m, true
	}
	calls, _ = shortArguments(calls)
	for _, c := range calls {
		parts = append(parts, toolcall.Write(t.session.Markup, c))
	}
	m.Content = strings.TrimLeft(strings.Join(parts, "\n"), "\n")
	return m, true
}

// shortArguments are calls with the beginnings of their long arguments.
func shortArguments(calls []loci.ToolCall) (short []loci.ToolCall, changed bool) {
	cut := func(kept, all int) string { return fmt.Sprintf("%d of %d bytes", kept, all) }
	short = slices.Clone(calls)
	for i, c := range calls {
		if len(c.Arguments) > 2*digest {
			short[i].Arguments, changed = toolcall.Shorten(c.Arguments, digest, cut), true
		}
	}
	return short, changed
}

// readOn answers a call of read_result: the next part of a result, as large as the
// window has room for.
func (t *turn) readOn(call loci.ToolCall) loci.ToolResult {
	var args struct {
		ID   string
		From int
	}
	if schema, err := toolcall.Compile(offer.ReadResult()); err == nil {
		if fitting, err := schema.Arguments(call.Arguments); err == nil {
			_ = json.Unmarshal(fitting, &args) // what is missing names no result
		}
	}
	whole := t.result(args.ID)
	if whole == "" || args.From < 0 || args.From >= len(whole) {
		e := &loci.ToolError{
			Message:    fmt.Sprintf("There is no result %.20q from byte %d on.", args.ID, args.From),
			Suggestion: "Take both from the end of the result that was cut, or make the call again.",
		}
		return loci.ToolResult{Call: call, Err: e, Text: e.Text()}
	}
	from := args.From
	for from > 0 && !utf8.RuneStart(whole[from]) {
		from--
	}
	part := struct {
		ID   string `json:"id"`
		From int    `json:"from"`
		To   int    `json:"to"`
		Of   int    `json:"of"`
		Text string `json:"text"`
	}{ID: args.ID, From: from, Of: len(whole)}
	for size := len(whole) - from; ; size = size * 3 / 4 {
		for part.To = from + size; part.To < len(whole) && !utf8.RuneStart(whole[part.To]); {
			part.To--
		}
		part.Text = whole[from:part.To]
		data, _ := json.Marshal(part) // it always does
		if size < leastShare || t.weigh(string(data)) < t.share()*9/10 {
			return loci.ToolResult{Call: call, Data: data, Text: part.Text}
		}
	}
}

// result is a result of the path, whole; empty if there is none of that name.
func (t *turn) result(name string) string {
	for _, n := range slices.Backward(t.path) {
		if n.Sent.Role == loci.ToolRole && !n.Unsent && resultName(n.ID, 0) == name {
			return string(original(n.Sent.Content))
		}
		if !isOutput(n) {
			continue
		}
		for i, content := range toolcall.Outputs(n.Sent.Content) {
			if resultName(n.ID, i) == name {
				return string(original(content))
			}
		}
	}
	return ""
}

// countsKept is how many texts are remembered by their numbers of tokens.
const countsKept = 20_000

// counts remembers what texts are made of, which never changes once they are part of a
// transcript. Numbers are all that is kept. It is safe for concurrent use.
type counts struct {
	mu   sync.Mutex
	made map[countKey]text.Makeup
}

type countKey struct {
	node  string
	bytes int // a node's text is sent whole or cut
}

func (c *counts) of(s, node string) text.Makeup {
	if len(s) < 64 {
		return text.Make(s)
	}
	k := countKey{node, len(s)}
	c.mu.Lock()
	n, ok := c.made[k]
	c.mu.Unlock()
	if ok {
		return n
	}
	n = text.Make(s)
	c.put(k, n)
	return n
}

func (c *counts) put(k countKey, n text.Makeup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil || len(c.made) >= countsKept {
		c.made = map[countKey]text.Makeup{}
	}
	c.made[k] = n
}
