package intent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
)

// writes is a model that writes arguments.
type writes struct {
	text             string
	err              error
	system, question string
	form             json.RawMessage
}

func (w *writes) Write(_ context.Context, _, system, question string, form json.RawMessage) (string, error) {
	w.system, w.question, w.form = system, question, form
	return w.text, w.err
}

func TestDemanded(t *testing.T) {
	person := loci.ToolSpec{Name: "person", Description: "Somebody.", Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"]}`)}
	long := strings.Repeat("Once upon a time. ", 100)
	for _, tc := range []struct {
		text  string
		tools []loci.ToolSpec
		w     *writes
		want  string // call, or what is said
	}{
		{"the weather in Oslo", brought[:1], nil, `get_current_weather {"city":"Oslo"}`},
		{"turn on the lamp in the kitchen", brought, nil, `turn_on_lamp {"room":"kitchen"}`},                                  // the nearest of several
		{"What is 6 * 7?", []loci.ToolSpec{person}, &writes{text: `{"name":"Eva","age":1}`}, `person {"age":6,"name":"Eva"}`}, // words before the model
		{long, []loci.ToolSpec{person}, &writes{text: `{"name":"Eva","age":1}`}, `person {"age":1,"name":"Eva"}`},
		{"他叫小王", []loci.ToolSpec{person}, &writes{text: `{"name":"小王","age":30}`}, `person {"age":30,"name":"小王"}`},
		{"Hello!", []loci.ToolSpec{person}, &writes{text: `Hello!`}, `person was to be called, but your words do not hold what it needs.`},
		{"Hello!", []loci.ToolSpec{person}, &writes{text: `null`}, `person was to be called, but your words do not hold what it needs.`},
		{"Hello!", []loci.ToolSpec{person}, &writes{err: errors.New("gone")}, `person was to be called, but your words do not hold what it needs.`},
		{"Hello!", []loci.ToolSpec{person}, nil, `person was to be called, but your words do not hold what it needs.`},
	} {
		c := intent.Config{}
		if tc.w != nil {
			c.Writer = tc.w
		}
		m, err := intent.New(c).Next(t.Context(), loci.Situation{Text: tc.text, Lang: lang.Of(tc.text), Tools: tc.tools, Demands: true, Model: "tiny", Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got := m.Say
		if m.Call != nil {
			got = m.Call.Name + " " + string(m.Call.Arguments)
		}
		if got != tc.want {
			t.Errorf("%.40q: %q, want %q", tc.text, got, tc.want)
		}
		if tc.w != nil && (tc.w.question != tc.text || !strings.Contains(tc.w.system, "person") || string(tc.w.form) != string(person.Parameters)) {
			t.Errorf("%.40q: the model was asked %q, %.40q, %s", tc.text, tc.w.system, tc.w.question, tc.w.form)
		}
	}
}

// TestStrangersByWords has no embedder, or one that fails.
func TestStrangersByWords(t *testing.T) {
	for name, c := range map[string]intent.Config{"without": {}, "failing": {Embedder: &letters{err: errors.New("gone")}}} {
		for _, tc := range []struct{ text, want string }{
			{"What is the weather in Lisbon?", `get_current_weather {"city":"Lisbon"}`},
			{"Turn on the lamp in the kitchen please", `turn_on_lamp {"room":"kitchen"}`},
			{"Book a table for 4 people at the restaurant Sansho", `book_table {"people":4,"restaurant":"Sansho"}`},
			{"Is the table of 4 people in the restaurant Sansho round?", ``}, // no order
			{"Tell me a story about a lamp in the kitchen.", ``},
			{"Hello!", ``},
		} {
			m, err := intent.New(c).Next(t.Context(), loci.Situation{Text: tc.text, Lang: lang.Of(tc.text), Tools: append(specs, brought...), Now: now})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if m.Call != nil {
				got = m.Call.Name + " " + string(m.Call.Arguments)
			}
			if got != tc.want {
				t.Errorf("%s: %q: %q, want %q", name, tc.text, got, tc.want)
			}
		}
	}
}

// TestOrdered has what has effects called by an order alone, and false and zero kept.
func TestOrdered(t *testing.T) {
	door := []loci.ToolSpec{{Name: "unlock_door", Description: "Unlocks a door of the house.", Parameters: json.RawMessage(`{"type":"object","properties":{"door":{"type":"string","enum":["front","back"]},"alarm":{"type":"boolean"},"seconds":{"type":"integer"}},"required":["door"]}`)}}
	for _, tc := range []struct{ text, want string }{
		{"Unlock the front door", `{"door":"front"}`},
		{"I want you to unlock the back door without alarm for 0 seconds", `{"alarm":false,"door":"back","seconds":0}`},
		{"Why does the front door unlock by itself?", ``},
		{"The front door would not unlock this morning.", ``},
		{"Did somebody unlock the front door?", ``},
		{"Please use the unlock door tool on the front", `{"door":"front"}`},
	} {
		m, err := intent.New(intent.Config{}).Next(t.Context(), loci.Situation{Text: tc.text, Lang: lang.Of(tc.text), Tools: door, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m.Call != nil {
			got = string(m.Call.Arguments)
		}
		if got != tc.want {
			t.Errorf("%q: %q, want %q", tc.text, got, tc.want)
		}
	}
}
