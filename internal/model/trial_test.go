package model

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"loci"
	"loci/internal/fake"
	"loci/internal/model/server"
)

// played is a hub with one model of a character. Its server is of no known kind, so
// it tells nothing, unless it speaks Ollama.
func played(t *testing.T, c fake.Character, change func(*fake.Model), conf Config) (*Hub, *fake.Model) {
	t.Helper()
	m := fake.NewModel()
	m.Answer = c.Answer
	if change != nil {
		change(m)
	}
	conf.Backends = []server.Backend{backend(m.OpenAI(t), server.KindJan)}
	return hub(t, conf), m
}

// TestProbe tries out a model of every kind.
func TestProbe(t *testing.T) {
	const yes, no = loci.Yes, loci.No
	tiny := func(m *fake.Model) { m.Name = "small-0.6b" }
	for name, tt := range map[string]struct {
		plays  fake.Character
		change func(*fake.Model)
		want   loci.Profile
	}{
		"native": {fake.Character{Native: true, Stops: true, Constrains: true}, nil,
			loci.Profile{Tier: loci.TierNative, Native: yes, Choice: no, Stopping: yes, Constrain: yes, System: yes, Systems: yes, Alternate: no}},
		"native, called by name": {fake.Character{Native: true, Chooses: true, Stops: true, Constrains: true}, nil,
			loci.Profile{Tier: loci.TierNative, Native: yes, Choice: yes, Stopping: yes, Constrain: yes, System: yes, Systems: yes, Alternate: no}},
		"claims tools and writes text": {fake.Character{Written: loci.MarkupToolCall, Stops: true}, nil,
			loci.Profile{Tier: loci.TierText, Native: no, Text: yes, Markup: loci.MarkupToolCall, Stopping: yes, Constrain: no, Schema: no, System: yes, Systems: yes, Alternate: no}},
		"ignores stops, cannot constrain, keeps to a form": {fake.Character{Written: loci.MarkupTool, Obedient: true}, nil,
			loci.Profile{Tier: loci.TierText, Native: no, Text: yes, Markup: loci.MarkupTool, Stopping: no, Constrain: no, Schema: yes, System: yes, Systems: yes, Alternate: no}},
		"fenced JSON": {fake.Character{Written: loci.MarkupJSON, Stops: true}, nil,
			loci.Profile{Tier: loci.TierText, Native: no, Text: yes, Markup: loci.MarkupJSON, Stopping: yes, Constrain: no, Schema: no, System: yes, Systems: yes, Alternate: no}},
		"ReAct": {fake.Character{Written: loci.MarkupReAct, Stops: true}, nil,
			loci.Profile{Tier: loci.TierText, Native: no, Text: yes, Markup: loci.MarkupReAct, Stopping: yes, Constrain: no, Schema: no, System: yes, Systems: yes, Alternate: no}},
		"nothing works": {fake.Character{Stops: true}, nil,
			loci.Profile{Tier: loci.TierTiny, Native: no, Text: no, Markup: loci.MarkupTool, Stopping: yes, Constrain: no, Schema: no, System: yes, Systems: yes, Alternate: no}},
		"thinks": {fake.Character{Native: true, Thinks: true, Stops: true, Constrains: true}, nil,
			loci.Profile{Tier: loci.TierNative, Think: true, Native: yes, Choice: no, Stopping: yes, Constrain: yes, System: yes, Systems: yes, Alternate: no}},
		"small and able": {fake.Character{Native: true, Stops: true, Constrains: true}, tiny,
			loci.Profile{Tier: loci.TierNative, Params: 6e8, Native: yes, Choice: no, Stopping: yes, Constrain: yes, System: yes, Systems: yes, Alternate: no}},
		"small and hasty": {fake.Character{Native: true, Hasty: true, Written: loci.MarkupTool, Stops: true, Constrains: true}, tiny,
			loci.Profile{Tier: loci.TierTiny, Params: 6e8, Native: no, Text: yes, Markup: loci.MarkupTool, Stopping: yes, Constrain: yes, System: yes, Systems: yes, Alternate: no}},
		"large and hasty": {fake.Character{Native: true, Hasty: true, Stops: true, Constrains: true}, nil,
			loci.Profile{Tier: loci.TierNative, Native: yes, Choice: no, Stopping: yes, Constrain: yes, System: yes, Systems: yes, Alternate: no}},
		"no system message": {fake.Character{Written: loci.MarkupTool, Stops: true, Roles: fake.GemmaOnVLLM}, nil,
			loci.Profile{Tier: loci.TierText, Native: no, Text: yes, Markup: loci.MarkupTool, Stopping: yes, Constrain: no, Schema: no, System: no, Systems: yes, Alternate: no}},
		"no second system message": {fake.Character{Written: loci.MarkupTool, Stops: true, Roles: fake.QwenOnLlama}, nil,
			loci.Profile{Tier: loci.TierText, Native: no, Text: yes, Markup: loci.MarkupTool, Stopping: yes, Constrain: no, Schema: no, System: yes, Systems: no, Alternate: no}},
		"turns": {fake.Character{Written: loci.MarkupTool, Stops: true, Roles: fake.MistralLlama}, nil,
			loci.Profile{Tier: loci.TierText, Native: no, Text: yes, Markup: loci.MarkupTool, Stopping: yes, Constrain: no, Schema: no, System: yes, Systems: no, Alternate: yes}},
		"turns and no system message": {fake.Character{Written: loci.MarkupTool, Stops: true, Roles: fake.MistralOnVLLM}, nil,
			loci.Profile{Tier: loci.TierText, Native: no, Text: yes, Markup: loci.MarkupTool, Stopping: yes, Constrain: no, Schema: no, System: no, Systems: no, Alternate: yes}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &memory{}
			h, m := played(t, tt.plays, tt.change, Config{Profiles: store})
			got, err := h.Probe(t.Context(), "")
			ignored := cmpopts.IgnoreFields(loci.Profile{}, "Server", "Model", "Digest", "Family", "Window", "Reason", "Speed", "Probed", "Counting")
			if diff := cmp.Diff(tt.want, got, ignored); diff != "" || err != nil {
				t.Errorf("(-want +got):\n%serror %v", diff, err)
			}
			if got.Counting.Weights.Words == 0 || got.Probed.IsZero() || got.Reason == "" { // speeds of a model that takes no time are not believed
				t.Errorf("%+v", got)
			}
			for _, r := range m.Requests() {
				if r.Purpose != loci.PurposeProbe || r.Options.MaxTokens == nil || *r.Options.MaxTokens > callTokens+thoughtTokens {
					t.Errorf("a call for %q of %v tokens", r.Purpose, r.Options.MaxTokens)
				}
			}
			if n := len(m.Requests()); n > 25 { // five of them of one token
				t.Errorf("%d calls", n)
			}
			h.Close()
			if kept := store.kept[got.Server+" "+got.Model]; kept.Probed != got.Probed || kept.Tier != got.Tier {
				t.Errorf("stored %+v", kept)
			}
		})
	}
}

// TestProbeBelievesTrials takes what a trial shows for more than what the server
// says, in either case of Ollama's.
func TestProbeBelievesTrials(t *testing.T) {
	for name, tt := range map[string]struct {
		noTools bool
		tier    loci.Tier
		reason  string
		native  loci.Finding
	}{
		"says that it calls, and writes": {false, loci.TierText, "A trial showed that it does not call tools natively.", loci.No},
		"says that it does not":          {true, loci.TierText, "Its server says that it does not call tools natively.", loci.Unknown},
	} {
		m := fake.NewModel()
		m.NoTools, m.Answer = tt.noTools, fake.Character{Written: loci.MarkupTool}.Answer
		h := hub(t, Config{Backends: []server.Backend{backend(m.Ollama(t), server.KindOllama)}})
		before, err := h.Profile(t.Context(), "")
		if err != nil || len(m.Requests()) > 0 {
			t.Errorf("%s: a first turn waits for %d calls, %v", name, len(m.Requests()), err)
		}
		after, err := h.Probe(t.Context(), "")
		if err != nil || after.Tier != tt.tier || after.Reason != tt.reason || after.Native != tt.native {
			t.Errorf("%s: from %+v\nto %+v %v", name, before, after, err)
		}
		for _, r := range m.Requests() {
			if tt.noTools && len(r.Tools) > 0 {
				t.Errorf("%s: tools were offered", name)
			}
		}
	}
}

// TestSlowFirstContact does not hold a first turn up for long: it goes on without
// knowing, and the trials are made when nobody waits.
func TestSlowFirstContact(t *testing.T) {
	hold := make(chan struct{})
	var calls atomic.Int32
	h, _ := played(t, fake.Character{}, func(m *fake.Model) {
		m.Answer = func(r *fake.Request) (fake.Reply, bool) {
			calls.Add(1)
			reply, _ := fake.Character{Native: true}.Answer(r)
			reply.Wait = hold
			return reply, true
		}
	}, Config{})
	began := time.Now()
	p, err := h.Profile(t.Context(), "")
	if took := time.Since(began); err != nil || took > quickLimit+time.Second || calls.Load() != 1 {
		t.Errorf("it took %v, %d calls, %v", took, calls.Load(), err)
	}
	if p.Tier != loci.TierText || p.Reason != "It is not known yet whether it calls tools natively." {
		t.Errorf("%+v", p)
	}
	close(hold)
}

// TestIdleTrials begin when a model was used and nobody talks to it, end at once
// when somebody does, and are made once.
func TestIdleTrials(t *testing.T) {
	store := &memory{}
	hold := make(chan struct{})
	var held atomic.Bool
	h, m := played(t, fake.Character{}, func(m *fake.Model) {
		m.Answer = func(r *fake.Request) (fake.Reply, bool) {
			reply, _ := fake.Character{Native: true, Stops: true, Constrains: true}.Answer(r)
			if strings.Contains(r.Messages[0].Content, "days of the week") && !held.Swap(true) {
				reply.Wait = hold
			}
			return reply, true
		}
	}, Config{Profiles: store, Quiet: 20 * time.Millisecond})
	chat := func() {
		t.Helper()
		for _, err := range h.Chat(t.Context(), ask("hello")) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := h.Profile(t.Context(), ""); err != nil { // with one trial
		t.Fatal(err)
	}
	chat()
	first := m.Await(t, 3)
	if first.Purpose != loci.PurposeProbe {
		t.Fatalf("a call for %q", first.Purpose)
	}
	chat()
	if !first.Canceled() {
		t.Error("the trial was not cut short")
	}
	close(hold)
	p := until(t, h, func(p loci.Profile) bool { return !p.Probed.IsZero() })
	if p.Tier != loci.TierNative || p.Stopping != loci.Yes || p.Constrain != loci.Yes {
		t.Errorf("%+v", p)
	}
	calls := len(m.Requests())
	chat()
	h.Close()
	if n := len(m.Requests()) - calls; n != 1 {
		t.Errorf("%d more calls", n)
	}
	// The next run of the program knows.
	h = hub(t, Config{Backends: []server.Backend{backend(m.OpenAI(t), server.KindJan)}, Profiles: store, Quiet: time.Millisecond})
	again, err := h.Profile(t.Context(), "")
	if diff := cmp.Diff(p, again, cmpopts.IgnoreFields(loci.Profile{}, "Speed")); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
}

// until waits for a profile.
func until(t *testing.T, h *Hub, is func(loci.Profile) bool) loci.Profile {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		p, err := h.Profile(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		if is(p) {
			return p
		}
		if wait(ctx, 5*time.Millisecond) != nil {
			t.Fatalf("it stays %+v", p)
		}
	}
}

// TestRolesLearned sends a conversation of every shape to servers that refuse some,
// and gets an answer from each; what was learned is not asked again.
func TestRolesLearned(t *testing.T) {
	system := loci.Message{Role: loci.System, Content: "Rules."}
	said := loci.Message{Role: loci.Assistant, Content: "Yes?"}
	called := loci.Message{Role: loci.Assistant, ToolCalls: []loci.ToolCall{fake.Call("get_weather", `{"city":"Oslo"}`)}}
	result := loci.Message{Role: loci.ToolRole, Content: `"rain"`, ToolCallID: "call_get_weather", ToolName: "get_weather"}
	shapes := map[string][]loci.Message{
		"plain":             {system, user("a"), said, user("b")},
		"two questions":     {system, user("a"), user("b")},
		"a second system":   {system, user("a"), said, system, user("b")},
		"begins with reply": {system, said, user("b")},
		"native tools":      {system, user("a"), called, result, said, user("b")},
		"two replies":       {system, user("a"), said, said, user("b")},
	}
	for name, refusal := range map[string]fake.Refusal{
		"no system": fake.GemmaOnVLLM, "turns, no system": fake.MistralOnVLLM, "one system": fake.QwenOnLlama, "turns": fake.MistralLlama,
	} {
		h, m := played(t, fake.Character{Native: true, Roles: refusal}, nil, Config{})
		if _, err := h.Profile(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		for shape, messages := range shapes {
			req := ask("")
			req.Messages = messages
			for _, err := range h.Chat(t.Context(), req) {
				if err != nil {
					t.Errorf("%s, %s: %v", name, shape, err)
				}
			}
		}
		calls := len(m.Requests())
		for shape, messages := range shapes {
			req := ask("")
			req.Messages = messages
			for _, err := range h.Chat(t.Context(), req) {
				if err != nil {
					t.Errorf("%s, %s: %v", name, shape, err)
				}
			}
		}
		if n := len(m.Requests()) - calls; n != len(shapes) {
			t.Errorf("%s: %d calls for %d conversations", name, n, len(shapes))
		}
	}
}

// TestRolesPrefix sends a growing conversation, and looks that what was sent before
// is the beginning of what is sent next.
func TestRolesPrefix(t *testing.T) {
	messages := []loci.Message{
		{Role: loci.System, Content: "Rules."}, user("a"), {Role: loci.Assistant, Content: "b"}, user("c"), user("d"),
		{Role: loci.Assistant, Content: "e"}, {Role: loci.System, Content: "More."}, user("f"), {Role: loci.Assistant, Content: "g"},
	}
	for _, p := range []loci.Profile{
		{}, {System: loci.No}, {Systems: loci.No}, {Alternate: loci.Yes, Systems: loci.No}, {Alternate: loci.Yes, Systems: loci.No, System: loci.No},
	} {
		before := ""
		for n := range messages {
			var b strings.Builder
			for _, m := range roles(slices.Clone(messages[:n+1]), p) {
				b.WriteString("\n\n" + m.Content) // a joined message begins with this too
			}
			if !strings.HasPrefix(b.String(), before) {
				t.Errorf("%+v: %q after %q", p, b.String(), before)
			}
			before = b.String()
		}
	}
}

// TestRefusalStays is a refusal that nothing can be learned from.
func TestRefusalStays(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusInternalServerError} {
		h, m := played(t, fake.Character{}, func(m *fake.Model) {
			m.Answer = func(*fake.Request) (fake.Reply, bool) {
				return fake.Reply{Status: status, Error: "Conversation roles must alternate user/assistant/user/assistant/..."}, true
			}
		}, Config{})
		var failed error
		for _, err := range h.Chat(t.Context(), ask("hello")) {
			failed = err
		}
		if loci.AsError(failed).Code != loci.Refused || len(m.Requests()) > 3 {
			t.Errorf("%v after %d calls", failed, len(m.Requests()))
		}
	}
}

// TestSpeedLearned takes the speed from real calls, and stores it when it is another.
func TestSpeedLearned(t *testing.T) {
	store := &memory{}
	// As llama-server tells them: 800 tokens read, 100 written.
	timed := func(read, write int) fake.Reply {
		return fake.Reply{Raw: fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],`+
			`"timings":{"cache_n":200,"prompt_n":800,"prompt_ms":%d,"predicted_n":100,"predicted_ms":%d}}`+"\n\ndata: [DONE]\n\n", 800_000/read, 100_000/write)}
	}
	h, _ := played(t, fake.Character{}, func(m *fake.Model) {
		replies := []fake.Reply{timed(400, 50), timed(410, 50), timed(100, 5), {Text: "b"}}
		n := 0
		m.Answer = func(r *fake.Request) (fake.Reply, bool) {
			if r.Purpose == loci.PurposeProbe {
				return fake.Reply{Text: "hello", Usage: &loci.Usage{Prompt: 10, Completion: 1}}, true
			}
			n++
			return replies[n-1], true
		}
	}, Config{Profiles: store})
	speed := func() loci.Speed {
		for _, err := range h.Chat(t.Context(), ask("hello")) {
			if err != nil {
				t.Fatal(err)
			}
		}
		p, err := h.Profile(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return p.Speed
	}
	if _, err := h.Profile(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	about := cmpopts.EquateApprox(0, 0.5)
	for i, want := range []loci.Speed{{Read: 400, Write: 50}, {Read: 403, Write: 50}, {Read: 312, Write: 36.5}} {
		if diff := cmp.Diff(want, speed(), about); diff != "" {
			t.Errorf("call %d: %s", i, diff)
		}
	}
	if got := speed(); got.Read < 311 || got.Read > 313 {
		t.Errorf("a call that tells nothing counts: %+v", got)
	}
	if got := (loci.Speed{Read: 100}).FirstToken(950); got != 9500*time.Millisecond {
		t.Errorf("predicted %v", got)
	}
	h.Close()
	if kept := store.kept[h.all()[0].client.Backend().URL+" fake"].Speed; kept.Read == 0 {
		t.Errorf("stored %+v", kept)
	}
}

// TestSettings puts what the person has set for a model before what was found, and
// into its calls; another model has nothing of it.
func TestSettings(t *testing.T) {
	store := &memory{}
	m, other := fake.NewModel(), fake.NewModel()
	m.Name, other.Name, m.Thinking = "qwen3:4b", "other", true
	m.On(loci.PurposeChat, fake.Reply{Text: "x"}, fake.Reply{Text: "x"})
	other.On(loci.PurposeChat, fake.Reply{Text: "x"})
	set := Setting{
		Tier: loci.TierText, Markup: loci.MarkupReAct, Window: 6000, Think: "off", Stops: []string{"END"}, Speaks: []string{"en", "zh"},
		Stopping: loci.No, Constrain: loci.No, System: loci.No, Alternate: loci.Yes,
	}
	h := hub(t, Config{
		Backends: []server.Backend{backend(m.Ollama(t), server.KindOllama), backend(other.Ollama(t), server.KindOllama)},
		Models:   map[string]Setting{"fast": set}, Aliases: map[string]string{"fast": "QWEN3:4b"}, Window: 5000, Tier: loci.TierNative, Profiles: store,
	})
	p, err := h.Profile(t.Context(), "fast")
	want := loci.Profile{Tier: loci.TierText, Markup: loci.MarkupReAct, Window: 6000, Stops: []string{"END"}, Speaks: []string{"en", "zh"}, Stopping: loci.No, Constrain: loci.No,
		System: loci.No, Alternate: loci.Yes, Reason: "The configuration says so.", Think: true}
	ignored := cmpopts.IgnoreFields(loci.Profile{}, "Server", "Model", "Digest", "Family", "Params", "Slots")
	if diff := cmp.Diff(want, p, ignored); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
	req := ask("hello")
	req.Model = "fast"
	req.Messages = []loci.Message{{Role: loci.System, Content: "Rules."}, user("hello")}
	say := func() *fake.Request {
		for _, err := range h.Chat(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
		}
		return m.Last()
	}
	got := say()
	if len(got.Messages) != 1 || got.Messages[0].Content != "Rules.\n\nhello" || string(got.Options.Think) != "false" ||
		!slices.Contains(got.Options.Stop, "END") || !strings.Contains(string(got.Body), `"num_ctx":6000`) {
		t.Errorf("sent %s", got.Body)
	}
	req.Options.Think = []byte("true") // the client says
	if got := say(); string(got.Options.Think) != "true" {
		t.Errorf("sent %s", got.Body)
	}
	if p, err := h.Profile(t.Context(), "other"); err != nil || p.Tier != loci.TierNative || p.Markup != "" || p.Window != 5000 {
		t.Errorf("%+v %v", p, err)
	}
	h.Close()
	for _, kept := range store.kept {
		if kept.Markup != "" || kept.System != loci.Unknown || kept.Reason == "The configuration says so." {
			t.Errorf("what is set was stored: %+v", kept)
		}
	}
}
