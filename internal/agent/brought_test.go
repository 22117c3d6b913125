package agent_test

import (
	"strings"
	"testing"

	"loci"
)

var weatherTools = []loci.ToolSpec{clientTool("ring", "Rings the bell."), clientTool("get_weather", "Tells the weather.")}

// In the tiny tier the runtime chooses the client's tool, and its result is the reply.
func TestBroughtToTinyTier(t *testing.T) {
	w := newWorld(t, loci.TierTiny, "Hello!")
	c := &toolUser{w: w, tools: weatherTools}
	first := c.say("How is the weather in Oslo?")
	if len(first.finished.Calls) != 1 || first.finished.Finish != loci.FinishTools || first.text != "" || len(first.results) != 0 {
		t.Fatalf("not handed over: %+v", first)
	}
	handed := first.finished.Calls[0]
	if handed.Name != "get_weather" || handed.ID == "" || string(handed.Arguments) != `{"city":"Oslo"}` {
		t.Errorf("%+v", handed)
	}
	second := c.send(loci.Message{Role: loci.ToolRole, ToolCallID: handed.ID, Content: `{"temp_c": -3, "sky": "snow"}`})
	if second.text != "temp c: -3\nsky: snow" || second.session != first.session || second.finished.Finish != loci.FinishStop {
		t.Errorf("%+v", second)
	}
	if third := c.say("Hi"); third.text != "Hello!" || third.session != first.session {
		t.Errorf("%+v", third)
	}
	if len(w.model.requests) != 1 {
		t.Fatalf("the model was asked %d times", len(w.model.requests))
	}
	var roles []string
	for _, m := range w.model.requests[0].Messages {
		roles = append(roles, string(m.Role)+" "+m.Content)
	}
	if got := strings.Join(roles[1:], "|"); got != "user How is the weather in Oslo?|assistant temp c: -3\nsky: snow|user Hi" {
		t.Errorf("the model reads %q", got)
	}
	if s, err := w.store.Session(t.Context(), "owner", first.session); err != nil || len(s.Taint) != 1 || !strings.Contains(s.Taint[0], "get_weather") {
		t.Errorf("the session is tainted by %q, %v", s.Taint, err)
	}
}

// A client that has no tools any more, gives calls no ids, or talks to loci for the
// first time has its results shown all the same.
func TestBroughtResults(t *testing.T) {
	for name, history := range map[string][]loci.Message{
		"known": nil,
		"imported": {
			{Role: loci.User, Content: "Is it cold?"},
			{Role: loci.Assistant, ToolCalls: []loci.ToolCall{call("get_weather", `{"city":"Oslo"}`)}},
		},
	} {
		w := newWorld(t, loci.TierTiny)
		c := &toolUser{w: w, tools: weatherTools, history: history}
		if history == nil {
			c.say("How is the weather in Oslo?")
		}
		c.tools = nil
		if o := c.send(loci.Message{Role: loci.ToolRole, Content: "snow, -3"}); o.text != "snow, -3" || o.finished.State != loci.TurnDone {
			t.Errorf("%s: %+v", name, o)
		}
		c.history = append(history[:len(history):len(history)], loci.Message{Role: loci.Assistant, ToolCalls: []loci.ToolCall{call("ring", `{}`)}})
		if o := c.send(loci.Message{Role: loci.ToolRole, Content: " "}); o.text != "ring is done; it gave nothing back." {
			t.Errorf("%s: %+v", name, o)
		}
		if len(w.model.requests) != 0 {
			t.Errorf("%s: the model was asked", name)
		}
	}
}

// What a client demands holds in the tiny tier too.
func TestBroughtChoice(t *testing.T) {
	for _, tt := range []struct {
		choice loci.ToolChoice
		text   string
		want   string
	}{
		{loci.ToolChoice{Mode: loci.ChoiceNone}, "the weather?", ""},
		{loci.ToolChoice{Mode: loci.ChoiceAuto}, "the weather?", "get_weather"},
		{loci.ToolChoice{Mode: loci.ChoiceAuto}, "hello", ""},
		{loci.ToolChoice{Mode: loci.ChoiceRequired}, "hello", "get_weather"},
		{loci.ToolChoice{Mode: loci.ChoiceRequired, Name: "ring"}, "hello", "ring"},
		{loci.ToolChoice{Mode: loci.ChoiceRequired, Name: "unknown"}, "hello", ""},
	} {
		w := newWorld(t, loci.TierTiny)
		o := w.turn(loci.TurnRequest{Principal: owner, Resent: true, Tools: weatherTools, ToolChoice: tt.choice, Message: loci.Message{Role: loci.User, Content: tt.text}})
		got := ""
		if len(o.finished.Calls) > 0 {
			got = o.finished.Calls[0].Name
		}
		if got != tt.want || o.err != nil || o.finished.State != loci.TurnDone {
			t.Errorf("%+v for %q: %q, want %q: %+v", tt.choice, tt.text, got, tt.want, o)
		}
	}
}

// A client's tool that is called like one of ours is told apart from it, and the client
// hears its own name.
func TestBroughtNamesake(t *testing.T) {
	w := newWorld(t, loci.TierTiny)
	c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("read_file", "Reads a file on the phone.")}}
	if o := c.say("read notes.md"); o.text != "Buy milk." {
		t.Errorf("ours: %+v", o)
	}
	o := w.turn(loci.TurnRequest{
		Principal: owner, Resent: true, Tools: c.tools, ToolChoice: loci.ToolChoice{Mode: loci.ChoiceRequired, Name: "read_file"},
		Message: loci.Message{Role: loci.User, Content: "read notes.md"},
	})
	if len(o.finished.Calls) != 1 || o.finished.Calls[0].Name != "read_file" || len(o.results) != 0 {
		t.Errorf("theirs: %+v", o)
	}
}
