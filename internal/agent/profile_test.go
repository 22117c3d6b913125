package agent_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"loci"
)

// TestDialects teaches each dialect as the profile says, runs a call that the server
// ended at a stop sequence, and keeps to the dialect when the profile changes.
func TestDialects(t *testing.T) {
	for m, tt := range map[loci.Markup]struct{ taught, call, stop string }{
		"":                   {`<tool>name(`, `<tool>read_file(path="notes.md")`, "</tool>"},
		loci.MarkupToolCall:  {`<tool_call>{"name"`, `<tool_call>{"name": "read_file", "arguments": {"path": "notes.md"}}`, "</tool_call>"},
		loci.MarkupJSON:      {"```json", "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"notes.md\"}}\n```", "<tool_output>"},
		loci.MarkupReAct:     {"Action Input:", "Action: read_file\nAction Input: {\"path\": \"notes.md\"}", "Observation:"},
		"of a later version": {`<tool>name(`, `<tool>read_file(path="notes.md")`, "</tool>"},
	} {
		t.Run(string(m), func(t *testing.T) {
			w := newWorld(t, loci.TierText, tt.call, "You have to buy milk.", tt.call, "Milk.")
			w.model.found = loci.Profile{Markup: m}
			first := w.ask(nil, "What is in notes.md?")
			w.model.found.Markup = loci.MarkupTool
			if m == loci.MarkupTool {
				w.model.found.Markup = loci.MarkupJSON
			}
			second := w.ask([]loci.Message{
				{Role: loci.User, Content: "What is in notes.md?"}, {Role: loci.Assistant, Content: first.text},
			}, "And now?")
			if first.text != "You have to buy milk." || second.text != "Milk." || len(w.tools.calls) != 2 || first.session != second.session {
				t.Errorf("%q, %q, %d calls", first.text, second.text, len(w.tools.calls))
			}
			for _, r := range w.model.requests {
				if !strings.Contains(r.Messages[0].Content, tt.taught) || !slices.Contains(r.Options.Stop, tt.stop) || r.Messages[0].Content != w.model.requests[0].Messages[0].Content {
					t.Errorf("told %s\nwith the stop sequences %q", r.Messages[0].Content, r.Options.Stop)
				}
			}
		})
	}
}

// TestNoStops sends no stop sequences to a server that ignores them; what the model
// makes up after its call is not taken for a result.
func TestNoStops(t *testing.T) {
	w := newWorld(t, loci.TierText, "<tool>read_file(path=\"notes.md\")</tool>\n<tool_output>Buy beer.</tool_output>\nYou have to buy beer.", "You have to buy milk.")
	w.model.found = loci.Profile{Stopping: loci.No}
	if o := w.ask(nil, "What is in notes.md?"); o.text != "You have to buy milk." || len(w.tools.calls) != 1 {
		t.Errorf("%q, %d calls", o.text, len(w.tools.calls))
	}
	for _, r := range w.model.requests {
		if len(r.Options.Stop) > 0 {
			t.Errorf("stop sequences %q", r.Options.Stop)
		}
	}
}

// TestForetell says that a model will read for long before its first answer, and of
// later ones only where there is much new to read.
func TestForetell(t *testing.T) {
	long := strings.Repeat("milk and bread, ", 400)
	for name, tt := range map[string]struct {
		tier   loci.Tier
		speed  loci.Speed
		second string
		want   []bool
	}{
		"slow":           {loci.TierNative, loci.Speed{Read: 20}, "And now?", []bool{true, false}},
		"slow, and long": {loci.TierNative, loci.Speed{Read: 20}, long, []bool{true, true}},
		"as text":        {loci.TierText, loci.Speed{Read: 20}, "And now?", []bool{true, false}},
		"fast":           {loci.TierNative, loci.Speed{Read: 2000}, long, []bool{false, false}},
		"not known":      {loci.TierNative, loci.Speed{}, long, []bool{false, false}},
		"tiny":           {loci.TierTiny, loci.Speed{Read: 20}, "And now?", []bool{false, false}},
	} {
		w := newWorld(t, tt.tier, "Hello.", "Hello again.")
		w.model.found = loci.Profile{Speed: tt.speed}
		var history []loci.Message
		for i, text := range []string{"Hello", tt.second} {
			o := w.ask(history, text)
			at := slices.Index(o.types, string(loci.EventNotice))
			if (at == 1) != tt.want[i] || at > 1 || strings.Contains(o.text, "tokens a second") {
				t.Errorf("%s, turn %d: %v, %q", name, i+1, o.types, o.text)
			}
			events, err := w.store.Events(t.Context(), o.session, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if raw, _ := e.Data.(json.RawMessage); e.Type == loci.EventNotice &&
					!regexp.MustCompile(`The model reads about 20 tokens a second; this takes about \d+ (seconds|minutes)\.`).Match(raw) {
					t.Errorf("%s", raw)
				}
			}
			history = append(history, loci.Message{Role: loci.User, Content: text}, loci.Message{Role: loci.Assistant, Content: o.text})
		}
	}
}

// TestNoModel: without a server, plain requests are done, with a word about it; talk is
// the server's error; and the session goes on in the tier of the model that comes back.
func TestNoModel(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Hello again.")
	w.model.away = true
	first := w.ask(nil, "read notes.md")
	if first.err != nil || !strings.Contains(first.text, "milk") || !strings.Contains(first.text, "No model is connected") {
		t.Fatalf("%q %v", first.text, first.err)
	}
	said := []loci.Message{{Role: loci.User, Content: "read notes.md"}, {Role: loci.Assistant, Content: first.text}}
	if o := w.ask(said, "tell me more"); o.finished.Error == nil || o.finished.Error.Code != loci.Unreachable {
		t.Errorf("%q %v", o.text, o.err)
	}
	w.model.away = false
	if o := w.ask(said, "and now?"); o.err != nil || o.text != "Hello again." || o.session != first.session {
		t.Errorf("%q %v", o.text, o.err)
	}
}
