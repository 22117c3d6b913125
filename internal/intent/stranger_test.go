package intent_test

import (
	"encoding/json"
	"testing"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"loci/internal/lang"
)

// brought are tools as clients bring them.
var brought = []loci.ToolSpec{
	{Name: "get_current_weather", Description: "Get the current weather for a given location.", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"Name of the city"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["city"]}`)},
	{Name: "turn_on_lamp", Description: "Turn on a lamp in a room of the house.", Parameters: json.RawMessage(`{"type":"object","properties":{"room":{"type":"string","enum":["kitchen","bedroom"]},"brightness":{"type":"integer","description":"percent"}},"required":["room"]}`)},
	{Name: "book_table", Description: "Book a table at a restaurant.", Parameters: json.RawMessage(`{"type":"object","properties":{"restaurant":{"type":"string"},"people":{"type":"integer"}},"required":["restaurant","people"]}`)},
}

func TestStrangers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	r := intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}})
	for _, tc := range []struct{ text, want string }{
		{"What is the weather in Lisbon?", `get_current_weather {"city":"Lisbon"}`},
		{"Current weather for New York in fahrenheit, please", `get_current_weather {"city":"New York","unit":"fahrenheit"}`},
		{"Turn on the lamp in the kitchen please", `turn_on_lamp {"room":"kitchen"}`},
		{"switch the bedroom lamp on at 40 percent", `turn_on_lamp {"brightness":40,"room":"bedroom"}`},
		{"Book a table for 4 people at the restaurant Sansho", `book_table {"people":4,"restaurant":"Sansho"}`},
		{"What time is it?", `current_time {"part":"time"}`}, // ours are known better
		{"Turn on the lamp", ``}, // in which room, nobody said
		{"Tell me a story about a lamp.", ``},
		{"Hello!", ``},
	} {
		m, err := r.Next(t.Context(), loci.Situation{Text: tc.text, Lang: lang.Of(tc.text), Tools: append(specs, brought...), Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m.Call != nil {
			got = m.Call.Name + " " + string(m.Call.Arguments)
		}
		if got != tc.want {
			t.Errorf("%q: %q, want %q; said %q", tc.text, got, tc.want, m.Say)
		}
	}
}

// TestStrangerReplies has the reply follow from what came of the call.
func TestStrangerReplies(t *testing.T) {
	r := intent.New(intent.Config{})
	done := loci.ToolResult{Call: loci.ToolCall{Name: "turn_on_lamp"}, Data: json.RawMessage(`{}`), Text: "The lamp is on."}
	m, err := r.Next(t.Context(), loci.Situation{Text: "delete everything", Lang: "en", Results: []loci.ToolResult{done}, Tools: brought, Now: now})
	if err != nil || m.Say != "The lamp is on." {
		t.Errorf("%+v, %v", m, err)
	}
}
