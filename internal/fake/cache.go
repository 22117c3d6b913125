package fake

import (
	"strings"
	"time"

	"loci"
)

// tokenBytes is how long the tokens of a model are. A prompt that begins with the
// same bytes begins with the same tokens.
const tokenBytes = 4

// cache is the prefix cache of a model server: for each slot the text that it read
// or generated last, of which a call reuses what its own prompt begins with. The
// zero value is one of a server that has just started.
type cache struct {
	slots []string // most recently used last
}

// take reads a prompt into a slot, generates the reply there, and gives how many
// tokens were there already: the slot that has most of it, or where none has a tenth
// the one that was used least recently, as llama-server chooses. The prompt's last
// token is always read: the reply begins with what comes of it. The last one that is
// generated never is.
func (c *cache) take(prompt, reply string, slots int) (reused int) {
	best, most := -1, len(prompt)/10
	for i, text := range c.slots {
		if n := alike(text, prompt); n >= most {
			best, most = i, n
		}
	}
	if best < 0 && len(c.slots) >= max(slots, 1) {
		best = 0
	}
	if best >= 0 {
		reused = min(alike(c.slots[best], prompt)/tokenBytes, max(tokens(prompt)-1, 0))
		c.slots = append(c.slots[:best], c.slots[best+1:]...)
	}
	kept := prompt + reply
	c.slots = append(c.slots, kept[:max(len(kept)-tokenBytes, 0)])
	return reused
}

// alike is how many bytes two texts begin with alike.
func alike(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func tokens(text string) int { return (len(text) + tokenBytes - 1) / tokenBytes }

// usage counts a call as a server with a prefix cache does, a millisecond a token.
// Ollama's protocol has no place for what was cached; the time tells.
func (m *Model) usage(r *Request, reply Reply) loci.Usage {
	if reply.Usage != nil {
		return *reply.Usage
	}
	prompt, said := m.template(r), reply.text()+reply.Reasoning+callText(reply.Calls)
	m.mu.Lock()
	defer m.mu.Unlock()
	reused := m.cache.take(prompt, said, m.Slots)
	return loci.Usage{
		Prompt:     tokens(prompt),
		Cached:     &reused,
		Completion: tokens(said),
		PromptTime: time.Duration(tokens(prompt)-reused) * time.Millisecond,
		OutputTime: time.Duration(tokens(said)) * time.Millisecond,
	}
}

// template writes a call out as a chat template would, up to where the reply begins.
func (m *Model) template(r *Request) string {
	if r.Prompt != "" {
		return r.Prompt
	}
	var b, tools strings.Builder
	for _, t := range r.Tools {
		tools.WriteString("<tool>" + t.Name + t.Description + string(t.Parameters))
	}
	if !m.ToolsLast {
		b.WriteString(tools.String())
	}
	for i, msg := range r.Messages {
		b.WriteString("<" + string(msg.Role) + ">")
		if m.ToolsLast && msg.Role == loci.User && i == len(r.Messages)-1 {
			b.WriteString(tools.String())
		}
		b.WriteString(msg.Content + callText(msg.ToolCalls))
	}
	return b.String() + "<" + string(loci.Assistant) + ">"
}

// callText is how the template writes calls, which is how the model generates them.
func callText(calls []loci.ToolCall) string {
	var b strings.Builder
	for _, c := range calls {
		b.WriteString("<call>" + c.Name + string(c.Arguments))
	}
	return b.String()
}
