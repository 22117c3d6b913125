package receipt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/prompt"
)

// talk is a conversation of which the system block has three sections.
type talk struct {
	facts    string
	tools    []loci.ToolSpec
	messages []loci.Message
}

func (t talk) prompt() Prompt {
	s := []prompt.Section{{Name: "role", Text: strings.Repeat("r", 200)}, {Name: "facts", Text: t.facts}, {Name: "rules", Text: strings.Repeat("u", 200)}}
	return Prompt{
		Request: &loci.Request{Model: "m", Tools: t.tools, Messages: append([]loci.Message{{Role: loci.System, Content: prompt.Join(s)}}, t.messages...)},
		Layout:  prompt.Layout(s),
	}
}

func user(text string) loci.Message      { return loci.Message{Role: loci.User, Content: text} }
func assistant(text string) loci.Message { return loci.Message{Role: loci.Assistant, Content: text} }

// What a call cost, and why, by what the server counted after a first call of 200
// tokens with a reply of 11.
func TestReceipt(t *testing.T) {
	const monday, later = "Today is Monday, 12:00:01.", "Today is Monday, 12:00:02."
	long := strings.Repeat("q", 300)
	first := talk{facts: monday, messages: []loci.Message{user(long)}}
	next := talk{facts: monday, messages: append(slices.Clone(first.messages), assistant("a"), user("And?"))}
	changed, edited, cut, again := next, next, next, first
	changed.facts = later
	edited.messages = []loci.Message{user("Another question.")}
	cut.messages = next.messages[2:]
	for _, tc := range []struct {
		name             string
		now              talk
		prompt, cached   int
		appended, wasted int
		estimated        bool
		broke            string
	}{
		{"only what is new", next, 230, 210, 20, 0, false, ""},
		{"the reply is written out in other tokens", next, 230, 201, 20, 9, false, ""},
		{"another conversation took the slot", next, 230, 10, 20, 200, false, "evicted: role"},
		{"the end was dropped", next, 230, 150, 20, 60, false, "evicted: message 1 (user)"},
		{"a clock at the top", changed, 230, 70, 8, 152, true, "moved: facts, byte 24"},
		{"an edited question", edited, 140, 130, 5, 5, true, "moved: message 1 (user), byte 0"},
		{"the oldest messages left out", cut, 140, 130, 0, 10, true, "moved: message 1 (user), byte 0"},
		{"the same again", again, 200, 199, 0, 1, false, ""},
	} {
		before := first.prompt()
		_, sent := Of(Call{Prompt: before, Usage: &loci.Usage{Prompt: 200, Completion: 11, Cached: new(0)}, Text: 1})
		r, _ := Of(Call{Prompt: tc.now.prompt(), Before: sent, Last: &before, Usage: &loci.Usage{Prompt: tc.prompt, Completion: 5, Cached: &tc.cached}})
		within := 0 // tokens: a share by bytes is not exact
		if tc.estimated {
			within = 3
		}
		near := func(got, want int) bool { return got-want <= within && want-got <= within }
		if *r.Reused != tc.cached || *r.Evaluated != tc.prompt-tc.cached || !near(*r.Appended, tc.appended) || !near(*r.Wasted, tc.wasted) {
			t.Errorf("%s: %d reused, %d evaluated, %d appended, %d wasted; want %d appended, %d wasted",
				tc.name, *r.Reused, *r.Evaluated, *r.Appended, *r.Wasted, tc.appended, tc.wasted)
		}
		if r.Estimated != tc.estimated || r.Broke.String() != tc.broke {
			t.Errorf("%s: estimated %v, broke at %q, want %q", tc.name, r.Estimated, r.Broke, tc.broke)
		}
	}
}

// The first call of a session wastes nothing: everything in it is new.
func TestFirstCall(t *testing.T) {
	r, _ := Of(Call{Prompt: talk{messages: []loci.Message{user("Hi.")}}.prompt(), Usage: &loci.Usage{Prompt: 50, Cached: new(40)}})
	if *r.Evaluated != 10 || *r.Appended != 50 || *r.Wasted != 0 || r.Broke != nil {
		t.Errorf("%+v", r)
	}
}

// A restart forgets the texts and keeps what finds the section.
func TestAfterRestart(t *testing.T) {
	_, sent := Of(Call{Prompt: talk{facts: "Monday", messages: []loci.Message{user("Hi.")}}.prompt(), Usage: &loci.Usage{Prompt: 50, Cached: new(0)}})
	r, _ := Of(Call{Prompt: talk{facts: "Tuesday", messages: []loci.Message{user("Hi.")}}.prompt(), Before: sent, Usage: &loci.Usage{Prompt: 50, Cached: new(9)}})
	if got := r.Broke.String(); got != "moved: facts" {
		t.Errorf("it broke at %q", got)
	}
}

// A system block that somebody else changed is compared at the old places.
func TestChangedBlock(t *testing.T) {
	before := talk{facts: "Today is Monday.", messages: []loci.Message{user("Hi.")}}.prompt()
	_, sent := Of(Call{Prompt: before, Usage: &loci.Usage{Prompt: 50, Cached: new(0)}})
	after := before
	after.Request = &loci.Request{Model: "m", Messages: slices.Clone(before.Request.Messages)}
	after.Request.Messages[0].Content = strings.Replace(after.Request.Messages[0].Content, "is Monday", "is 12:00:01, Monday", 1)
	r, _ := Of(Call{Prompt: after, Before: sent, Last: &before, Usage: &loci.Usage{Prompt: 55, Cached: new(9)}})
	if got := r.Broke.String(); got != "moved: facts, byte 9" {
		t.Errorf("it broke at %q", got)
	}
}

// Thoughts are generated and not sent back: templates leave them out.
func TestThoughts(t *testing.T) {
	first := talk{messages: []loci.Message{user("Hi.")}}
	_, sent := Of(Call{Prompt: first.prompt(), Usage: &loci.Usage{Prompt: 100, Completion: 101, Cached: new(0)}, Text: 20, Thoughts: 80})
	if sent.Reply != 20 {
		t.Errorf("%d tokens of the reply come back, want 20", sent.Reply)
	}
}

// A server that counts nothing has no receipt, and the next call is compared all
// the same.
func TestNoCounts(t *testing.T) {
	now := talk{facts: "Monday", messages: []loci.Message{user("Hi.")}}
	r, sent := Of(Call{Prompt: now.prompt()})
	if r.Reused != nil || r.Wasted != nil || len(sent.Messages) != 1 {
		t.Errorf("%+v, %+v", r, sent)
	}
	now.facts = "Tuesday"
	r, _ = Of(Call{Prompt: now.prompt(), Before: sent, Usage: &loci.Usage{Prompt: 50}})
	if r.Wasted != nil || r.Broke.String() != "moved: facts" {
		t.Errorf("%+v", r)
	}
}

// Two calls in a row that lose what the tools take prove that the template moves
// them, unless others were there in between; three where the time alone tells.
func TestTemplate(t *testing.T) {
	now := talk{facts: "Monday", tools: []loci.ToolSpec{{Name: "list_dir", Description: strings.Repeat("d", 2000)}}, messages: []loci.Message{user("Hi.")}}
	for _, tc := range []struct {
		name   string
		alone  bool
		cached *int
		moves  func() bool
		want   []loci.BreakCause
	}{
		{"counted", true, new(100), nil, []loci.BreakCause{loci.BreakEvicted, loci.BreakTemplate}},
		{"others between", false, new(100), nil, []loci.BreakCause{loci.BreakEvicted, loci.BreakEvicted, loci.BreakEvicted}},
		{"inferred", true, nil, nil, []loci.BreakCause{loci.BreakEvicted, loci.BreakEvicted, loci.BreakTemplate}},
		{"confirmed", true, new(100), func() bool { return true }, []loci.BreakCause{loci.BreakEvicted, loci.BreakTemplate}},
		// its server shows that the template keeps the tools where they are
		{"vetoed", true, new(100), func() bool { return false }, []loci.BreakCause{loci.BreakEvicted, loci.BreakEvicted, loci.BreakEvicted, loci.BreakEvicted}},
	} {
		speed := new(Speed)
		usage := func(n int) *loci.Usage {
			return &loci.Usage{Prompt: n, Completion: 3, Cached: tc.cached, PromptTime: 700 * time.Millisecond}
		}
		_, sent := Of(Call{Prompt: now.prompt(), Usage: usage(700), Speed: speed, Text: 1})
		for i, want := range tc.want {
			now.messages = append(now.messages, assistant("a"), user("More."))
			var r loci.Receipt
			r, sent = Of(Call{Prompt: now.prompt(), Before: sent, Usage: usage(710 + 10*i), Speed: speed, Alone: tc.alone, Text: 1, Moves: tc.moves})
			if r.Broke == nil || r.Broke.Cause != want {
				t.Errorf("%s: call %d broke by %v, want %s", tc.name, i+2, r.Broke, want)
			}
			if wrong := want == loci.BreakEvicted && r.Broke.Section == "" || want == loci.BreakTemplate && r.Broke.Section != "tools"; wrong {
				t.Errorf("%s: call %d broke in %q", tc.name, i+2, r.Broke.Section)
			}
		}
	}
}

// Durations and counts as Ollama 0.17.4 gave them for one prompt, cold and warm: both
// times it counts all tokens.
func TestInfer(t *testing.T) {
	var s Speed
	if _, ok := s.Infer(19, 0, 367*time.Millisecond); ok {
		t.Error("so short a prompt tells nothing")
	}
	for _, tc := range []struct {
		prompt, appended int
		took             time.Duration
		low, high        int
	}{
		{1000, 1000, 2 * time.Second, 1000, 1000}, // cold
		{1050, 50, 100 * time.Millisecond, 50, 50},
		{1100, 50, 2200 * time.Millisecond, 1099, 1100}, // all of it again
		{1150, 50, 20 * time.Millisecond, 50, 50},       // never less than what is new
	} {
		if n, ok := s.Infer(tc.prompt, tc.appended, tc.took); !ok || n < tc.low || n > tc.high {
			t.Errorf("%d tokens in %v: %d were read, want %d to %d", tc.prompt, tc.took, n, tc.low, tc.high)
		}
	}
}

func TestSum(t *testing.T) {
	a := loci.Receipt{Calls: 1, Prompt: 100, Context: 100, Reused: new(90), Evaluated: new(10), Appended: new(10), Wasted: new(0)}
	b := loci.Receipt{Calls: 1, Prompt: 120, Context: 120, Reused: new(50), Evaluated: new(70), Appended: new(20), Wasted: new(50), Broke: &loci.Break{Section: "role"}}
	s := Sum(Sum(loci.Receipt{}, a), b)
	if s.Calls != 2 || s.Prompt != 220 || s.Context != 120 || *s.Wasted != 50 || *s.Appended != 30 || s.Broke.Section != "role" {
		t.Errorf("%+v", s)
	}
	if s = Sum(s, loci.Receipt{Calls: 1}); s.Wasted != nil || s.Reused != nil {
		t.Errorf("a sum with what nobody knows: %+v", s)
	}
}

// A server without a cache reads all of it each time, which says nothing about where its
// template puts the tools; and what no server can have counted is made right.
func TestNoCache(t *testing.T) {
	for name, cached := range map[string]int{"none": 0, "less than none": -7, "more than there is": 1_000_000} {
		var before loci.Sent
		for i := range 6 {
			req := &loci.Request{Model: "m", Tools: []loci.ToolSpec{{Name: "read_file", Description: strings.Repeat("Reads a file. ", 50)}},
				Messages: []loci.Message{{Role: loci.System, Content: strings.Repeat("Be brief. ", 20)}}}
			for n := range i + 1 {
				req.Messages = append(req.Messages, loci.Message{Role: loci.User, Content: fmt.Sprint("Question ", n)})
			}
			r, sent := Of(Call{Prompt: Prompt{Request: req}, Before: before, Alone: true, Usage: &loci.Usage{Prompt: 400 + 5*i, Cached: &cached, Completion: 3}})
			if r.Broke != nil && r.Broke.Cause == loci.BreakTemplate {
				t.Errorf("%s: call %d broke by %s", name, i, r.Broke)
			}
			if *r.Reused < 0 || *r.Reused > r.Prompt || *r.Evaluated < 0 {
				t.Errorf("%s: %d of %d reused", name, *r.Reused, r.Prompt)
			}
			before = sent
		}
	}
}
