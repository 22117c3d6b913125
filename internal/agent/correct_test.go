package agent_test

import (
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/agent"
)

const (
	misfit  = `{"file":"notes.md"}` // read_file wants a path
	rightly = `{"path":"notes.md"}`
)

// appended checks that each call of the model begins with all of the one before.
func (w *world) appended() {
	w.t.Helper()
	all := w.model.requests
	for i := 1; i < len(all); i++ {
		before, now := all[i-1].Messages, all[i].Messages
		same := len(now) >= len(before) && slices.EqualFunc(before, now[:len(before)], func(a, b loci.Message) bool {
			return a.Role == b.Role && a.Content == b.Content && len(a.ToolCalls) == len(b.ToolCalls)
		})
		if !same || len(all[i].Tools) != len(all[i-1].Tools) {
			w.t.Errorf("call %d does not begin as the one before it", i+1)
		}
	}
}

// last is what a call of the model ends with.
func (w *world) last(call int) string {
	m := w.model.requests[call-1].Messages
	return m[len(m)-1].Content
}

// One retry for each fault, whatever the tier: the second of a kind ends the turn in a
// sentence, and a right call in between makes good.
func TestOneRetry(t *testing.T) {
	native := func(args string) any { return call("read_file", args) }
	text := func(args string) any { return `<tool>read_file(` + args + `)</tool>` }
	for name, tt := range map[string]struct {
		tier        loci.Tier
		replies     []any
		calls       int // of the model
		corrections int
		said        string
	}{
		"native, mended":         {loci.TierNative, []any{native(misfit), native(rightly), "Milk."}, 3, 1, "Milk."},
		"native, the same again": {loci.TierNative, []any{native(misfit), native(`{"file":"a.md"}`), "never asked"}, 2, 1, "did not get its call of read_file right"},
		"native, made good": {loci.TierNative, []any{native(misfit), native(rightly), native(misfit), native(`{"path":"a.md"}`), "Milk."}, 5, 2,
			"Milk."},
		"native, another fault": {loci.TierNative, []any{native(misfit), native(`{"path":["a"]}`), native(rightly), "Milk."}, 4, 2, "Milk."},
		"native, one of two":    {loci.TierNative, []any{[]any{native(misfit), native(rightly)}, "Milk."}, 2, 1, "Milk."},
		"native, unreadable":    {loci.TierNative, []any{native(`"{\"path\": \"a"`), native(`"{\"path\": \"b"`), "never asked"}, 2, 1, "did not get its call of read_file right"},
		"text, mended":          {loci.TierText, []any{text(`file="notes.md"`), text(`path="notes.md"`), "Milk."}, 3, 1, "Milk."},
		"text, the same again":  {loci.TierText, []any{text(`file="notes.md"`), text(`file="a.md"`), "never asked"}, 2, 1, "did not get its call of read_file right"},
		"text, made good": {loci.TierText, []any{text(`file="notes.md"`), text(`path="notes.md"`), text(`file="notes.md"`), text(`path="a.md"`), "Milk."}, 5, 2,
			"Milk."},
		"text, another fault": {loci.TierText, []any{text(`file="notes.md"`), text(`path=["a"]`), text(`path="notes.md"`), "Milk."}, 4, 2, "Milk."},
		"text, one of two":    {loci.TierText, []any{text(`path="notes.md"`).(string) + "\n" + text(`file="a.md"`).(string), "Milk."}, 2, 1, "Milk."},
		"text, many faults": {loci.TierText, []any{`<tool>a()</tool>`, `<tool>b()</tool>`, `<tool>c()</tool>`, `<tool>d()</tool>`, "never asked"}, 4, 3,
			`no tool named "d"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.tier, tt.replies...)
			o := w.ask(nil, "Tell me.")
			if len(w.model.requests) != tt.calls || !strings.Contains(o.text, tt.said) || o.finished.State != loci.TurnDone {
				t.Errorf("after %d calls of the model it said %q: %s", len(w.model.requests), o.text, o.finished.State)
			}
			if r := o.finished.Receipt; r.Corrections != tt.corrections || r.Nudges != 0 || r.Calls != tt.calls {
				t.Errorf("the receipt is %+v", r)
			}
			if !slices.ContainsFunc(w.model.requests[1].Messages, func(m loci.Message) bool { return strings.Contains(m.Content, `{"error":"`) }) {
				t.Errorf("the model was told %+v", w.model.requests[1].Messages)
			}
			w.appended()
		})
	}
}

// What is wrong is told in the dialect of the session, in which the right form is not
// escaped; and the reply is held to the call where the server can.
func TestCorrectionInDialect(t *testing.T) {
	for m, tt := range map[loci.Markup]struct{ faulty, right string }{
		"":                  {`<tool>read_file(file="notes.md")</tool>`, `<tool>read_file(path="notes.md")</tool>`},
		loci.MarkupToolCall: {`<tool_call>{"name": "read_file", "arguments": {"file": "notes.md"}}</tool_call>`, `<tool_call>{"name": "read_file", "arguments": {"path":"notes.md"}}</tool_call>`},
		loci.MarkupJSON:     {"```json\n{\"name\": \"read_file\", \"arguments\": {\"file\": \"notes.md\"}}\n```", "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\":\"notes.md\"}}\n```"},
		loci.MarkupReAct:    {"Action: read_file\nAction Input: {\"file\": \"notes.md\"}", "Action: read_file\nAction Input: {\"path\":\"notes.md\"}"},
	} {
		for _, can := range []loci.Finding{loci.Yes, loci.No, loci.Unknown} {
			w := newWorld(t, loci.TierText, tt.faulty, `{"name": "read_file", "arguments": {"path": "notes.md"}}`, "Milk.")
			w.model.found = loci.Profile{Markup: m, Constrain: can}
			o := w.ask(nil, "Tell me.")
			if told := w.last(2); !strings.Contains(told, `The argument \"file\" is not known. Known are: path.`) || !strings.HasSuffix(told, tt.right) {
				t.Errorf("%s: the model was told %s", m, told)
			}
			if o.text != "Milk." || len(o.results) != 1 || o.finished.Receipt.Corrections != 1 {
				t.Errorf("%s: %q, %d results, %+v", m, o.text, len(o.results), o.finished.Receipt)
			}
			for i, r := range w.model.requests {
				held := strings.Contains(string(r.Options.Format), `"name":{"const":"read_file"},"arguments":{"type":"object"`)
				if held != (i == 1 && can == loci.Yes) || held == (len(r.Options.Stop) > 0) {
					t.Errorf("%s, constrain %q: call %d is held to %s, with the stop sequences %q", m, can, i+1, r.Options.Format, r.Options.Stop)
				}
			}
			w.appended()
		}
	}
}

// Where a form is of no use, or not possible, the retry goes without.
func TestNotHeld(t *testing.T) {
	can := loci.Profile{Constrain: loci.Yes, Choice: loci.Yes}
	held := func(w *world) (all []int) {
		for i, r := range w.model.requests {
			if len(r.Options.Format) > 0 || r.ToolChoice.Mode != "" {
				all = append(all, i+1)
			}
		}
		return all
	}
	cut := newWorld(t, loci.TierText, []any{`<tool>write_file(path="a", content="bbb`, loci.FinishLength}, "Done.")
	cut.model.found = can
	if o := cut.ask(nil, "Write."); o.text != "Done." || held(cut) != nil || !strings.Contains(cut.last(2), "less text") {
		t.Errorf("cut: %q, held %v, told %s", o.text, held(cut), cut.last(2))
	}
	unknown := newWorld(t, loci.TierText, `<tool>frobnicate()</tool>`, "Done.")
	unknown.model.found = can
	if unknown.ask(nil, "Do it."); held(unknown) != nil || !strings.Contains(unknown.last(2), "\nTo use a tool, write a line of this form and stop there:\n<tool>name(") {
		t.Errorf("unknown: held %v, told %s", held(unknown), unknown.last(2))
	}
	refused := newWorld(t, loci.TierText, `<tool>read_file()</tool>`, loci.Errorf(loci.Invalid, "no such schema"), `<tool>read_file(path="notes.md")</tool>`, "Milk.")
	refused.model.found = can
	o := refused.ask(nil, "Tell me.")
	if o.text != "Milk." || !slices.Equal(held(refused), []int{2}) || o.finished.Receipt.Calls != 3 {
		t.Errorf("refused: %q, held %v, %+v", o.text, held(refused), o.finished)
	}
	native := newWorld(t, loci.TierNative, call("read_file", misfit), call("read_file", rightly), "Milk.")
	native.model.found = can
	if native.ask(nil, "Tell me."); !slices.Equal(held(native), []int{2}) || native.model.requests[1].ToolChoice.Name != "read_file" {
		t.Errorf("native: held %v", held(native))
	}
	native.appended()
	native = newWorld(t, loci.TierNative, call("read_file", misfit), call("read_file", rightly), "Milk.")
	if native.ask(nil, "Tell me."); held(native) != nil {
		t.Errorf("a native server of which nothing is known: held %v", held(native))
	}
}

// teller asks for a look at a file that the words name.
type teller struct{}

func (teller) Tells(s loci.Situation) (loci.ToolCall, bool) {
	return call("read_file", `{"path":"notes.md"}`), strings.Contains(s.Text, "notes.md")
}

// A reply that only announces a call, or tells without a look what only a look can
// tell, is nudged once; what the person has read stays, and is parted from what follows.
func TestNudge(t *testing.T) {
	const promise, apart = "I'll read notes.md now.", "(That was said without a look at it. Now with one:)"
	read := map[loci.Tier]any{loci.TierNative: call("read_file", rightly), loci.TierText: `<tool>read_file(path="notes.md")</tool>`}
	for name, tt := range map[string]struct {
		asked   string
		replies func(tier loci.Tier) []any
		said    string
		nudges  int
		change  func(req *loci.TurnRequest)
	}{
		"announced": {"Read my notes.", func(tier loci.Tier) []any { return []any{promise, read[tier], "Milk."} }, promise + "\n\nMilk.", 1, nil},
		"announced twice": {"Read my notes.", func(loci.Tier) []any { return []any{promise, promise} },
			promise + "\n\n" + promise + "\n\n(The model said what it would do and did not do it. Ask again, or use a larger model.)", 1, nil},
		"out of thin air": {"What does notes.md say?", func(tier loci.Tier) []any { return []any{"Buy beer.", read[tier], "Milk."} },
			"Buy beer.\n\n" + apart + "\n\nMilk.", 1, nil},
		"thin air twice":  {"What does notes.md say?", func(loci.Tier) []any { return []any{"Buy beer.", "Buy wine."} }, "Buy beer.\n\n" + apart + "\n\nBuy wine.", 1, nil},
		"a question back": {"What does notes.md say?", func(loci.Tier) []any { return []any{"Which part of it?"} }, "Which part of it?", 0, nil},
		"with a look":     {"What does notes.md say?", func(tier loci.Tier) []any { return []any{read[tier], "Milk. " + promise} }, "Milk. " + promise, 0, nil},
		"talk":            {"Hello!", func(loci.Tier) []any { return []any{"Hello! Let me know what I can do."} }, "Hello! Let me know what I can do.", 0, nil},
		"no tools": {"What does notes.md say?", func(loci.Tier) []any { return []any{promise} }, promise, 0,
			func(req *loci.TurnRequest) { req.ToolChoice.Mode = loci.ChoiceNone }},
		"a form": {"What does notes.md say?", func(loci.Tier) []any { return []any{`{"say":"beer"}`} }, `{"say":"beer"}`, 0,
			func(req *loci.TurnRequest) { req.Options.Format = []byte(`"json"`) }},
		"cut": {"What does notes.md say?", func(loci.Tier) []any { return []any{[]any{"Buy beer", loci.FinishLength}} },
			"Buy beer\n\n(The reply ends here because the model's window or its limit is full. Say \"go on\" to have the rest.)", 0, nil},
		"after a correction": {"What does notes.md say?", func(loci.Tier) []any { return []any{`<tool>read_file()</tool>`, "Buy beer."} }, "Buy beer.", 0, nil},
	} {
		for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
			w := newWorld(t, tier, tt.replies(tier)...)
			w.tells = teller{}
			w.agent.Close()
			w.agent = w.again()
			req := loci.TurnRequest{Principal: owner, Resent: true, Message: loci.Message{Role: loci.User, Content: tt.asked}}
			if tt.change != nil {
				tt.change(&req)
			}
			o := w.turn(req)
			if o.text != tt.said || o.finished.Receipt.Nudges != tt.nudges || o.finished.State != loci.TurnDone {
				t.Errorf("%s, %s: %q, %+v", name, tier, o.text, o.finished.Receipt)
			}
			if tt.nudges > 0 && !strings.HasPrefix(w.last(2), `<tool_output>{"error":"The reply `) {
				t.Errorf("%s, %s: the model was told %s", name, tier, w.last(2))
			}
			w.appended()
		}
	}
}

// What an earlier turn has read need not be read again.
func TestNoNudgeForWhatIsKnown(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		var read any = call("read_file", rightly)
		if tier == loci.TierText {
			read = `<tool>read_file(path="notes.md")</tool>`
		}
		w := newWorld(t, tier, read, "Milk.", "Still milk.")
		w.tells = teller{}
		w.agent.Close()
		w.agent = w.again()
		c := &chat{w: w}
		c.say("What does notes.md say?")
		if o := c.say("And what does notes.md say of milk?"); o.text != "Still milk." || o.finished.Receipt.Nudges != 0 {
			t.Errorf("%s: %q, %+v", tier, o.text, o.finished.Receipt)
		}
	}
}

// A tiny model is never nudged: the runtime chose.
func TestNoNudgeForTiny(t *testing.T) {
	w := newWorld(t, loci.TierTiny, "I'll read notes.md now.")
	w.tells = teller{}
	w.agent.Close()
	w.agent = w.again()
	if o := w.ask(nil, "hello notes.md"); o.text != "I'll read notes.md now." || len(w.model.requests) != 1 {
		t.Errorf("%q after %d calls of the model", o.text, len(w.model.requests))
	}
}

// A turn that waits for an answer goes on with its counts and with what it remembers,
// after a restart too.
func TestParkedKeepsCounts(t *testing.T) {
	w := newWorld(t, loci.TierNative, "I'll read notes.md now.", call("read_file", misfit),
		[]any{call("read_file", `{"file":"b.md"}`), call("write_file", milk)}, call("read_file", `{"file":"c.md"}`))
	first := w.ask(nil, "write")
	if !first.waits {
		t.Fatalf("%+v", first)
	}
	w.agent.Close()
	w.agent = w.again()
	o := w.ask([]loci.Message{{Role: loci.User, Content: "write"}, {Role: loci.Assistant, Content: first.text}}, "yes")
	if r := o.finished.Receipt; r.Corrections != 2 || r.Nudges != 1 || r.Calls != 4 || w.tools.file("todo.md") != "milk" || !strings.Contains(o.text, "did not get its call of read_file right") {
		t.Errorf("%q, %+v", o.text, o.finished.Receipt)
	}
}

// The server evaluates nothing twice because of a correction or a nudge.
func TestCorrectionsWasteNothing(t *testing.T) {
	for tier, replies := range map[loci.Tier][]any{
		loci.TierNative: {"I'll read notes.md now.", call("read_file", misfit), call("read_file", rightly), "Milk."},
		loci.TierText:   {"I'll read notes.md now.", `<tool>read_file()</tool>`, `<tool>read_file(path="notes.md")</tool>`, "Milk."},
	} {
		w := newWorld(t, tier)
		model := &counting{script: script{tier: tier, window: 4096, replies: replies, found: loci.Profile{Constrain: loci.Yes, Choice: loci.Yes}}}
		w.agent.Close()
		w.agent = w.with(model)
		r := w.ask(nil, "Tell me.").finished.Receipt
		if r.Wasted == nil || *r.Wasted != 0 || r.Broke != nil || r.Corrections != 1 || r.Nudges != 1 || r.Calls != 4 {
			t.Errorf("%s: %+v", tier, r)
		}
	}
}

var _ agent.Teller = teller{}
