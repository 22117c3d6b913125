package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"loci"
)

// toolUser is a client with tools of its own.
type toolUser struct {
	w       *world
	tools   []loci.ToolSpec
	history []loci.Message
}

func clientTool(name, description string) loci.ToolSpec {
	return loci.ToolSpec{Name: name, Description: description, Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}
}

// send asks for a reply to a message, or to results where those are last.
func (c *toolUser) send(messages ...loci.Message) outcome {
	c.w.t.Helper()
	req := loci.TurnRequest{Principal: owner, Resent: true, History: c.history, Tools: c.tools}
	if messages[0].Role == loci.ToolRole {
		req.Results = messages
	} else {
		req.Message = messages[0]
	}
	o := c.w.turn(req)
	if o.err != nil {
		c.w.t.Fatal(o.err)
	}
	c.history = append(c.history, messages...)
	c.history = append(c.history, loci.Message{Role: loci.Assistant, Content: o.text, ToolCalls: o.finished.Calls})
	return o
}

func (c *toolUser) say(text string) outcome {
	return c.send(loci.Message{Role: loci.User, Content: text})
}

// weather are two ways to call the client's tool and then to answer.
var weather = map[loci.Tier][]any{
	loci.TierNative: {[]any{"Let me see.", call("get_weather", `{"city":"Oslo"}`)}, "It snows in Oslo.", "Yes."},
	loci.TierText:   {"Let me see.\n<tool>get_weather(city=\"Oslo\")", "It snows in Oslo.", "Yes."},
}

func TestClientTools(t *testing.T) {
	for tier, replies := range weather {
		w := newWorld(t, tier, replies...)
		c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("get_weather", "Tells the weather.")}}
		first := c.say("How is the weather in Oslo?")
		if len(first.finished.Calls) != 1 || first.finished.Finish != loci.FinishTools || len(first.results) != 0 {
			t.Fatalf("%s: not handed over: %+v", tier, first)
		}
		handed := first.finished.Calls[0]
		if handed.Name != "get_weather" || handed.ID == "" || !strings.Contains(string(handed.Arguments), "Oslo") {
			t.Errorf("%s: %+v", tier, handed)
		}
		second := c.send(loci.Message{Role: loci.ToolRole, ToolCallID: handed.ID, Content: "snow, -3"})
		if second.text != "It snows in Oslo." || second.session != first.session {
			t.Errorf("%s: %+v", tier, second)
		}
		extends(t, w.model.requests[0].Messages, w.model.requests[1].Messages)
		if last := lastContent(w.model.requests[1]); !strings.Contains(last, "snow, -3") {
			t.Errorf("%s: the model reads %q", tier, last)
		}
		if third := c.say("Sure?"); third.text != "Yes." || third.session != first.session {
			t.Errorf("%s: %+v", tier, third)
		}
		extends(t, w.model.requests[1].Messages, w.model.requests[2].Messages)
		for _, r := range w.model.requests {
			for _, m := range r.Messages {
				if tier == loci.TierText && (m.Role == loci.ToolRole || len(m.ToolCalls) > 0) || strings.Contains(m.Content, "There was no answer") {
					t.Errorf("%s: the model reads %+v", tier, m)
				}
			}
		}
	}
}

// A call for the client is repaired like ours; one that cannot be read is the model's to
// mend, and the client never sees it.
func TestClientArguments(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("get_weather", `"{'city': 'Oslo',}"`), "Snow.")
	c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("get_weather", "Tells the weather.")}}
	if o := c.say("How is the weather in Oslo?"); len(o.finished.Calls) != 1 || string(o.finished.Calls[0].Arguments) != `{"city":"Oslo"}` {
		t.Errorf("handed over: %+v", o.finished.Calls)
	}
	w = newWorld(t, loci.TierNative, call("get_weather", `"Oslo, now"`), call("get_weather", `{"city":"Oslo"}`))
	c = &toolUser{w: w, tools: []loci.ToolSpec{clientTool("get_weather", "Tells the weather.")}}
	o := c.say("How is the weather in Oslo?")
	if len(o.finished.Calls) != 1 || string(o.finished.Calls[0].Arguments) != `{"city":"Oslo"}` || len(w.model.requests) != 2 {
		t.Errorf("handed over after %d model calls: %+v", len(w.model.requests), o.finished.Calls)
	}
	if told := lastContent(w.model.requests[1]); !strings.Contains(told, "The JSON is broken") {
		t.Errorf("the model was told %s", told)
	}
}

// TestBothTools has one step call a tool of ours, one of the client's that has
// the name of ours, and one that asks.
func TestBothTools(t *testing.T) {
	w := newWorld(t, loci.TierNative,
		[]any{call("read_file", `{"path":"notes.md"}`), call("client_read_file", `{"city":"x"}`), call("write_file", milk)}, "All done.")
	c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("read_file", "Reads a file of the client.")}}
	if o := c.say("Read and write."); !o.waits || len(o.results) != 1 || len(o.finished.Calls) != 0 {
		t.Fatalf("%+v", o)
	}
	o := c.say("yes")
	if w.tools.file("todo.md") != "milk" || len(o.finished.Calls) != 1 || o.finished.Calls[0].Name != "read_file" {
		t.Fatalf("%+v", o)
	}
	if o := c.send(loci.Message{Role: loci.ToolRole, ToolCallID: o.finished.Calls[0].ID, Content: "its content"}); o.text != "All done." {
		t.Errorf("%+v", o)
	}
	var results []string
	for _, m := range w.model.requests[1].Messages {
		if m.Role == loci.ToolRole {
			results = append(results, m.ToolName+": "+m.Content)
		}
	}
	if len(results) != 3 || !strings.Contains(results[2], "its content") || !strings.HasPrefix(results[2], "client_read_file") {
		t.Errorf("the model reads %q", results)
	}
}

// TestManyClientTools offers what fits, and lets the model find the rest.
func TestManyClientTools(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("find_tool", `{"need":"water the plants"}`), call("water_plants", `{"city":"Oslo"}`), "Watered.")
	c := &toolUser{w: w}
	for _, n := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		c.tools = append(c.tools, clientTool("tool_"+n, strings.Repeat("Does something about lamps, doors and heating in a long sentence that takes room. ", 4)))
	}
	c.tools = append(c.tools, clientTool("water_plants", "Waters the plants of the greenhouse. "+strings.Repeat("It is careful. ", 40)))
	o := c.say("Switch on lamp 5.")
	if n := len(w.model.requests[0].Tools); n > 20 {
		t.Errorf("%d tools are offered", n)
	}
	if len(o.results) != 1 || !strings.Contains(string(o.results[0].Data), "water_plants") {
		t.Fatalf("%+v", o)
	}
	if len(o.finished.Calls) != 1 || o.finished.Calls[0].Name != "water_plants" {
		t.Errorf("%+v", o.finished)
	}
}

// TestClientToolsChange adds a tool in mid-conversation, and takes one away; the
// prompt's beginning stays.
func TestClientToolsChange(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Hello.", call("get_time", `{"city":"Oslo"}`), call("get_weather", `{"city":"Oslo"}`), "No weather.")
	c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("get_weather", "Tells the weather.")}}
	c.say("Hi.")
	c.tools = []loci.ToolSpec{clientTool("get_time", "Tells the time.")}
	o := c.say("What is the time?")
	if len(o.finished.Calls) != 1 || o.finished.Calls[0].Name != "get_time" {
		t.Fatalf("%+v", o)
	}
	if last := lastContent(w.model.requests[1]); !strings.Contains(last, "get_time(city): Tells the time") {
		t.Errorf("the model is not told of the new tool: %q", last)
	}
	o = c.send(loci.Message{Role: loci.ToolRole, Content: "noon"})
	if len(o.results) != 1 || !strings.Contains(o.results[0].Err.Message, "does not offer it now") || o.text != "No weather." {
		t.Errorf("%+v", o)
	}
	for i := range w.model.requests[1:] {
		extends(t, w.model.requests[i].Messages, w.model.requests[i+1].Messages)
	}
}

// TestForeignToolRounds takes over a conversation with tool rounds that loci
// never saw, for a model that writes calls as text.
func TestForeignToolRounds(t *testing.T) {
	for m, written := range map[loci.Markup]string{
		"native": "", loci.MarkupTool: `<tool>get_weather(city="Oslo")</tool>`, loci.MarkupToolCall: `<tool_call>{"name": "get_weather", "arguments": {"city":"Oslo"}}</tool_call>`,
		loci.MarkupReAct: "Action: get_weather\nAction Input: {\"city\":\"Oslo\"}",
	} {
		tier := loci.TierText
		if m == "native" {
			tier = loci.TierNative
		}
		w := newWorld(t, tier, "It snows.")
		w.model.found.Markup = m
		c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("get_weather", "Tells the weather.")}, history: []loci.Message{
			{Role: loci.User, Content: "Weather in Oslo?"},
			{Role: loci.Assistant, ToolCalls: []loci.ToolCall{{ID: "c9", Name: "get_weather", Arguments: json.RawMessage(`{"city":"Oslo"}`)}}},
		}}
		if o := c.send(loci.Message{Role: loci.ToolRole, ToolCallID: "c9", Content: "snow"}); o.text != "It snows." {
			t.Fatalf("%+v", o)
		}
		messages := w.model.requests[0].Messages
		if last := messages[len(messages)-1]; !strings.Contains(last.Content, "snow") || (last.Role == loci.User) != (tier == loci.TierText) {
			t.Errorf("%s: the model reads %+v", tier, last)
		}
		if call := messages[len(messages)-2]; call.Content != written {
			t.Errorf("%s: the model reads %+v", tier, call)
		}
	}
}

// TestSamePromptTwice runs the same prompt twice at the same time; the results of
// each find their own calls.
func TestSamePromptTwice(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("get_weather", `{"city":"Oslo"}`), call("get_weather", `{"city":"Oslo"}`), "One.", "Two.")
	tools := []loci.ToolSpec{clientTool("get_weather", "Tells the weather.")}
	one, two := &toolUser{w: w, tools: tools}, &toolUser{w: w, tools: tools}
	first, second := one.say("Weather?"), two.say("Weather?")
	for i, c := range []*toolUser{one, two} {
		handed := []outcome{first, second}[i].finished.Calls[0]
		if o := c.send(loci.Message{Role: loci.ToolRole, ToolCallID: handed.ID, Content: "snow"}); o.session != []outcome{first, second}[i].session {
			t.Errorf("run %d went to another session", i+1)
		}
		last := w.model.requests[len(w.model.requests)-1].Messages
		if last[len(last)-1].ToolCallID != handed.ID || last[len(last)-2].ToolCalls[0].ID != handed.ID {
			t.Errorf("run %d: the model reads %+v", i+1, last[len(last)-2:])
		}
	}
}

// TestToolChoice passes on what the client demands, in the first step only.
func TestToolChoice(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("get_weather", `{"city":"Oslo"}`), "Snow.", `<tool>get_weather(city="Oslo")</tool>`, "No.")
	c := &toolUser{w: w, tools: []loci.ToolSpec{clientTool("get_weather", "Tells the weather.")}}
	req := loci.TurnRequest{Principal: owner, Resent: true, Tools: c.tools, Message: loci.Message{Role: loci.User, Content: "Weather?"}}
	req.ToolChoice = loci.ToolChoice{Mode: loci.ChoiceRequired, Name: "get_weather"}
	if o := w.turn(req); len(o.finished.Calls) != 1 || w.model.requests[0].ToolChoice != req.ToolChoice {
		t.Errorf("%+v; asked for %+v", o, w.model.requests[0].ToolChoice)
	}
	req.ToolChoice = loci.ToolChoice{Mode: loci.ChoiceNone}
	req.Message.Content = "Weather, but without tools?"
	w.turn(req)
	if o := w.turn(req); len(o.finished.Calls) != 0 || strings.Contains(o.text, "<tool>") {
		t.Errorf("a tool that may not be used: %+v", o)
	}
}
