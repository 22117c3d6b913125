package agent_test

import (
	"slices"
	"strings"
	"testing"

	"loci"
)

// TestFoundTool has the model find a tool that it was not offered and call it by way
// of find_tool: the person is asked about the tool itself, and what the model wrote
// stays in the prompt as it wrote it.
func TestFoundTool(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("find_tool", `{"need":"write a file"}`),
		call("find_tool", `{"name":"writeFile","arguments":{"path":"todo.md","content":"milk"}}`), "Done.", "Good night.")
	w.model.window = 2048
	w.tools.more = 20
	c := &toolUser{w: w}
	o := c.say("Hello.")
	if !o.waits || len(o.asked) != 1 || o.asked[0].Tool != "write_file" || !strings.Contains(o.asked[0].Preview, "milk") {
		t.Fatalf("%+v", o)
	}
	if found := string(o.results[0].Data); !strings.Contains(found, `"name":"write_file"`) {
		t.Errorf("it finds %s", found)
	}
	if o := c.say("yes"); o.text != "Done." || w.tools.file("todo.md") != "milk" || o.results[0].Call.Name != "write_file" {
		t.Fatalf("%+v", o)
	}
	c.say("Bye.")
	for i, r := range w.model.requests {
		if slices.ContainsFunc(r.Tools, func(s loci.ToolSpec) bool { return s.Name == "write_file" }) {
			t.Error("it was offered from the start")
		}
		if i > 0 {
			extends(t, w.model.requests[i-1].Messages, r.Messages)
		}
	}
	said := w.model.requests[2].Messages
	if calls := said[len(said)-2].ToolCalls; len(calls) != 1 || calls[0].Name != "find_tool" {
		t.Errorf("the model reads the calls %+v", calls)
	}
}

// TestFoundClientTool hands over a tool of the client that was called by way of
// find_tool.
func TestFoundClientTool(t *testing.T) {
	w := newWorld(t, loci.TierNative, call("find_tool", `{"name":"water_plants","arguments":{"city":"Oslo"}}`), "Watered.")
	w.model.window = 2048
	c := &toolUser{w: w}
	for _, n := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		c.tools = append(c.tools, clientTool("tool_"+n, strings.Repeat("Does something about lamps and doors. ", 4)))
	}
	c.tools = append(c.tools, clientTool("water_plants", "Waters the plants."))
	o := c.say("Switch on lamp 5.")
	if len(o.finished.Calls) != 1 || o.finished.Calls[0].Name != "water_plants" || string(o.finished.Calls[0].Arguments) != `{"city":"Oslo"}` {
		t.Fatalf("%+v", o.finished)
	}
	o = c.send(loci.Message{Role: loci.ToolRole, ToolCallID: o.finished.Calls[0].ID, Content: "wet"})
	if o.text != "Watered." {
		t.Fatalf("%+v", o)
	}
	said := w.model.requests[1].Messages
	if last := said[len(said)-1]; last.Role != loci.ToolRole || !strings.Contains(last.Content, "wet") || last.ToolCallID != said[len(said)-2].ToolCalls[0].ID {
		t.Errorf("the model reads %+v", said)
	}
}

// TestFrozenWords has the words of tools change between two turns, as an upgrade does:
// an old conversation goes on with those that it began with.
func TestFrozenWords(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Hello.", "Bye.")
	c := &toolUser{w: w}
	c.say("Hi.")
	w.tools.words = "Other words: "
	w.agent.Close()
	w.agent = w.again()
	c.say("Bye.")
	a, b := w.model.requests[0], w.model.requests[1]
	if framed(a) != framed(b) || len(a.Tools) == 0 {
		t.Errorf("the prompt moved:\n%s\n%s", framed(a), framed(b))
	}
}
