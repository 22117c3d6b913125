package receipt

import (
	"sync"
	"time"

	"loci"
)

// glue is how many tokens a chat template may put around what is appended without
// being asked about it.
const glue = 16

// Call is a model call that came to its end.
type Call struct {
	Prompt
	Usage  *loci.Usage // nil: the server counts nothing
	Before loci.Sent   // what the session's last call sent; zero at the first one
	// Last is that call, as long as it is remembered: it tells which byte has moved.
	Last *Prompt
	// Alone says that loci called this model for nothing else in between.
	Alone bool
	// Text and Thoughts are how many bytes of the reply come back in the next prompt,
	// and how many do not.
	Text, Thoughts int
	Speed          *Speed // of the model; it learns from the call
	// Moves asks whether the chat template can move the tools, where calls look as if it
	// did; nil: it can.
	Moves func() bool
}

// Of makes the receipt of a call, and says what the next one will be compared with.
func Of(c Call) (loci.Receipt, loci.Sent) {
	r, sent := loci.Receipt{Calls: 1}, c.outline()
	if c.Usage == nil {
		return r, sent
	}
	if c.Before.Model != sent.Model { // whose cache has nothing of it
		c.Before = loci.Sent{}
	}
	u := *c.Usage
	if u.Cached != nil { // a server may say anything
		u.Cached = new(min(max(*u.Cached, 0), u.Prompt))
		c.Usage = &u
	}
	sent.Prompt, sent.Reply = u.Prompt, c.reply()
	r.Prompt, r.Context, r.Completion = u.Prompt, u.Prompt, u.Completion
	r.PromptTime, r.OutputTime = u.PromptTime, u.OutputTime
	broke, fresh, total := compare(c.Before, sent)
	if broke != nil {
		r.Broke = c.moved(broke)
	}
	appended, exact := c.appended(sent, broke != nil, fresh, total)
	jumped := exact && c.jumped(sent, appended, fresh, total)
	if jumped {
		appended, exact = share(u.Prompt, fresh, total), false
	}
	if c.evaluated(&r, appended); r.Evaluated != nil {
		r.Estimated = r.Estimated || !exact
		r.Appended = new(min(max(appended, 0), u.Prompt))
		r.Wasted = new(*r.Evaluated - min(*r.Appended, *r.Evaluated))
	}
	if broke == nil {
		c.lost(&r, &sent, jumped, total)
	}
	return r, sent
}

// reply is how many of the tokens that were generated come back in the next prompt
// and are in the server's cache. What was thought is left out by templates; the last
// token was chosen and never read.
func (c Call) reply() int {
	n := max(c.Usage.Completion-1, 0)
	if c.Thoughts > 0 {
		n = n * c.Text / (c.Text + c.Thoughts)
	}
	return n
}

// appended is how many tokens of the prompt the call before did not have. Exact is
// what the server's own counts give, which may be below 0; otherwise it is a share by
// bytes.
func (c Call) appended(now loci.Sent, broke bool, fresh, total int) (tokens int, exact bool) {
	switch b := c.Before; {
	case len(b.System)+len(b.Messages) == 0:
		return c.Usage.Prompt, true
	case !broke && b.Prompt > 0:
		kept := b.Prompt
		if answered(b, now) {
			kept += b.Reply
		}
		return c.Usage.Prompt - kept, true
	}
	return share(c.Usage.Prompt, fresh, total), false
}

// share is the part of a prompt that some of its bytes are.
func share(tokens, bytes, total int) int { return tokens * bytes / max(total, 1) }

// jumped tells whether a prompt grew or shrank by about what the tools take, although
// only what is fresh was appended: then the template has written them where it had not
// before, or no longer.
func (c Call) jumped(now loci.Sent, appended, fresh, total int) bool {
	if now.Tools == nil || c.Before.Tools == nil {
		return false
	}
	by := appended - share(c.Usage.Prompt, fresh, total)
	return max(by, -by) >= most(share(c.Usage.Prompt, now.Tools.Size, total))
}

// most is three quarters.
func most(n int) int { return n - n/4 }

// evaluated fills in what the server read, as it says or as its time tells.
func (c Call) evaluated(r *loci.Receipt, appended int) {
	u := *c.Usage
	switch {
	case u.Cached != nil:
		r.Reused, r.Evaluated, r.Counted = u.Cached, new(max(u.Prompt-*u.Cached, 0)), true
	case c.Speed != nil && u.PromptTime > 0:
		if n, ok := c.Speed.Infer(u.Prompt, appended, u.PromptTime); ok {
			r.Evaluated, r.Reused, r.Estimated = new(n), new(u.Prompt-n), true
		}
	}
}

// moved says which part is another than before.
func (c Call) moved(f *found) *loci.Break {
	out := &loci.Break{Cause: loci.BreakMoved, Section: f.label}
	if c.Last == nil {
		return out
	}
	old, now := c.Last.texts(), c.texts()
	if f.index < len(old) && old[f.index].text != now[f.index].text {
		out.Byte = new(same(old[f.index].text, now[f.index].text))
	}
	return out
}

// lost says where a server stopped to find in its cache what is there as before, and
// counts the signs that the template moves the tools. A call that ends with what a
// person said and lost nothing is a sign of the contrary; one with a tool's result is
// none, since there some templates have no tools at all.
func (c Call) lost(r *loci.Receipt, sent *loci.Sent, jumped bool, total int) {
	wasted := 0
	if r.Wasted != nil {
		wasted = *r.Wasted
	}
	system := 0
	for _, p := range sent.System {
		system += p.Size
	}
	// What comes before the tools is still there, where that is counted; a server without
	// a cache has nothing.
	tools := sent.Tools != nil && wasted > glue && c.Alone && wasted >= most(share(r.Prompt, sent.Tools.Size, total)) &&
		(!r.Counted || *r.Reused >= most(share(r.Prompt, system, total)))
	sent.Strays = c.Before.Strays
	switch newest := sent.Messages[max(len(sent.Messages)-1, 0):]; {
	case jumped || tools:
		sent.Strays++
	case len(newest) == 1 && newest[0].Name == string(loci.User):
		sent.Strays = 0
	}
	if wasted <= glue {
		return
	}
	r.Broke = &loci.Break{Cause: loci.BreakEvicted}
	at := share(total, *r.Reused, r.Prompt) // templates add little to the bytes
	for _, p := range pieces(*sent) {
		if r.Broke.Section = p.label; at < p.Size {
			break
		}
		at -= p.Size
	}
	switch {
	case !strayed(*sent, r.Estimated && !jumped):
	case c.Moves != nil && !c.Moves():
		sent.Strays = 0
	default:
		r.Broke.Cause, r.Broke.Section = loci.BreakTemplate, toolsSection
	}
}

// How many calls in a row prove that a template moves the tools: two that the server
// counted, or three whose cost is inferred.
const strays, straysInferred = 2, 3

// strayed tells whether the last calls of a session prove that the model's template
// does not keep the tools where they were.
func strayed(s loci.Sent, estimated bool) bool {
	if estimated {
		return s.Strays >= straysInferred
	}
	return s.Strays >= strays
}

// Sum adds the receipts of a turn's calls.
func Sum(a, b loci.Receipt) loci.Receipt {
	if a.Calls == 0 {
		return b
	}
	s := loci.Receipt{
		Calls:       a.Calls + b.Calls,
		Prompt:      a.Prompt + b.Prompt,
		Context:     b.Context,
		Completion:  a.Completion + b.Completion,
		Reused:      plus(a.Reused, b.Reused),
		Evaluated:   plus(a.Evaluated, b.Evaluated),
		Appended:    plus(a.Appended, b.Appended),
		Wasted:      plus(a.Wasted, b.Wasted),
		Estimated:   a.Estimated || b.Estimated,
		Counted:     a.Counted && b.Counted,
		Broke:       a.Broke,
		Millis:      a.Millis + b.Millis,
		Corrections: a.Corrections + b.Corrections,
		Nudges:      a.Nudges + b.Nudges,
		PromptTime:  a.PromptTime + b.PromptTime,
		OutputTime:  a.OutputTime + b.OutputTime,
	}
	if s.Broke == nil {
		s.Broke = b.Broke
	}
	return s
}

// plus adds counts of which either may be unknown: then so is the sum.
func plus(a, b *int) *int {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}

// Speed is what is known of how fast a server reads prompts of a model, in tokens
// a second. The zero value knows nothing.
//
// Ollama counts what it has in its cache as if it had read it (seen with 0.17.4:
// the same prompt again has the same prompt_eval_count and a sixteenth of the
// duration). A prompt's tokens by its time are then at least the speed, and the
// speed where nothing was in the cache: so the slowest call that was long enough
// to tell is taken for it. It errs towards too little being read, since a machine
// that was busy once looks slow for good, and never below what was appended.
type Speed struct {
	mu      sync.Mutex
	slowest float64
}

// tells is how many tokens a prompt must have for its time to say something: each
// call has some milliseconds that no token is to blame for.
const tells = 64

// Infer gives how many tokens of a prompt were read, of which some certainly were.
func (s *Speed) Infer(prompt, atLeast int, took time.Duration) (tokens int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rate := float64(prompt) / took.Seconds(); prompt >= tells && (s.slowest == 0 || rate < s.slowest) {
		s.slowest = rate
	}
	if s.slowest == 0 {
		return 0, false
	}
	return min(max(int(s.slowest*took.Seconds()), atLeast), prompt), true
}
