package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"loci"
	"loci/internal/text"
)

// takes is what a request takes of a window by our own estimate, templates left out.
func takes(r loci.Request) int {
	n := text.Tokens(framed(r))
	for _, m := range r.Messages[1:] {
		n += text.Tokens(m.Content)
		for _, c := range m.ToolCalls {
			n += text.Tokens(c.Name) + text.Tokens(string(c.Arguments))
		}
	}
	return n
}

// logLines are many lines of a log, each a different one.
func logLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "2026-11-29 14:%02d:%02d ERROR [auth] connection %d refused\n", i/60%60, i%60, i)
	}
	return b.String()
}

// TestWithinATurn has a turn read more than the window holds: every call of the model
// fits, what is old is sent in short first, the person is told, and the prompt only
// changes where it has to.
func TestWithinATurn(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		t.Run(string(tier), func(t *testing.T) {
			var replies []any
			for i := range 5 {
				args := fmt.Sprintf(`{"path":"log%d.txt"}`, i)
				if tier == loci.TierText {
					replies = append(replies, "<tool>read_file("+args+")</tool>")
				} else {
					replies = append(replies, call("read_file", args))
				}
			}
			w := newWorld(t, tier, append(replies, "All read.", "Good.")...)
			w.model.window, w.model.honest = 2048, true
			for i := range 5 {
				w.tools.files[fmt.Sprintf("log%d.txt", i)] = fmt.Sprintf("This is log %d.\n", i) + logLines(12)
			}
			o := w.ask(nil, "Read all logs.")
			if !strings.HasSuffix(o.text, "All read.") || len(o.results) != 5 {
				t.Fatalf("%+v", o)
			}
			if n := strings.Count(o.text, "nearly full"); n != 1 {
				t.Errorf("the person reads %q", o.text)
			}
			w.ask([]loci.Message{{Role: loci.User, Content: "Read all logs."}, {Role: loci.Assistant, Content: o.text}}, "Thanks.")
			moved := 0
			for i, r := range w.model.requests {
				if n := takes(r); n > 2048*3/4 {
					t.Errorf("request %d takes %d tokens", i+1, n)
				}
				all := fmt.Sprint(r.Messages)
				for j := range min(i, 5) { // the beginning of each is always there
					if !strings.Contains(all, fmt.Sprintf("This is log %d.", j)) {
						t.Errorf("request %d has lost log %d", i+1, j)
					}
				}
				if !strings.Contains(all, "Read all logs.") {
					t.Errorf("request %d has lost the question", i+1)
				}
				if i > 0 && !strings.HasPrefix(fmt.Sprint(r.Messages), strings.TrimSuffix(fmt.Sprint(w.model.requests[i-1].Messages), "]")) {
					moved++
				}
			}
			if moved == 0 || moved > 4 {
				t.Errorf("the prompt was made anew %d times", moved)
			}
		})
	}
}

// TestLongResult gives the model the beginning of a result that is too long for its
// window, and has it read on to the end without a gap.
func TestLongResult(t *testing.T) {
	long := logLines(60)
	var from int
	w := newWorld(t, loci.TierText)
	w.model.window, w.model.honest = 2048, true
	w.tools.files["app.log"] = long
	whole, _ := json.Marshal(map[string]string{"text": long})
	read := make([]bool, len(whole))
	w.model.answer = func(r loci.Request) any {
		last := r.Messages[len(r.Messages)-1].Content
		content, _, ok := strings.Cut(strings.TrimPrefix(last, "<tool_output>"), "</tool_output>")
		if !ok || !strings.HasPrefix(last, "<tool_output>") {
			return `<tool>read_file(path="app.log")</tool>`
		}
		var part struct {
			Cut, ID, Text string
			From, To, Of  int
		}
		if err := json.Unmarshal([]byte(content), &part); err != nil {
			t.Errorf("%v: %s", err, content)
		}
		if part.Cut != "" {
			var id string
			i := strings.Index(part.Cut, `read_result(id="`)
			if _, err := fmt.Sscanf(part.Cut[i:], "read_result(id=%q, from=%d)", &id, &from); err != nil {
				t.Errorf("%v: %s", err, part.Cut)
			}
			for i := range from {
				read[i] = true
			}
			return fmt.Sprintf("<tool>read_result(id=%q, from=%d)</tool>", id, from)
		}
		if part.Of != len(whole) || part.From != from || string(whole[part.From:part.To]) != part.Text {
			t.Errorf("from %d: %+v", from, part)
			return "Lost."
		}
		for i := part.From; i < part.To; i++ {
			read[i] = true
		}
		if from = part.To; from < part.Of {
			return fmt.Sprintf("<tool>read_result(id=%q, from=%d)</tool>", part.ID, from)
		}
		return "All read."
	}
	w.steps = 30
	w.agent.Close()
	w.agent = w.again()
	o := w.ask(nil, "Read app.log.")
	if !strings.HasSuffix(o.text, "All read.") {
		t.Fatalf("%+v", o)
	}
	for i, ok := range read {
		if !ok {
			t.Fatalf("byte %d of %d was never read", i, len(whole))
		}
	}
	for i, r := range w.model.requests {
		if n := takes(r); n > 2048*3/4 {
			t.Errorf("request %d takes %d tokens", i+1, n)
		}
	}
}

// TestRefusedAsTooLong has a server whose tokenizer makes twice as many tokens refuse a
// prompt: the turn goes on with less, and the next turn knows.
func TestRefusedAsTooLong(t *testing.T) {
	w := newWorld(t, loci.TierNative, "Hello.", "Good.", "Fine.", loci.Errorf(loci.Context, "The prompt is too long."), "Short now.")
	w.model.window, w.model.honest = 2048, true
	c := &toolUser{w: w}
	for range 3 {
		c.say(strings.Repeat("word ", 300))
	}
	before := len(w.model.requests)
	o := c.say("And now?")
	if !strings.HasSuffix(o.text, "Short now.") || len(w.model.requests) != before+2 {
		t.Fatalf("%+v", o)
	}
	a, b := takes(w.model.requests[before]), takes(w.model.requests[before+1])
	if b >= a || !strings.Contains(o.text, "no longer sees") {
		t.Errorf("%d tokens were refused, then %d sent; the person reads %q", a, b, o.text)
	}
}

// TestUsableShare fills no more of a window than the person wants, and of a small
// model's half by default.
func TestUsableShare(t *testing.T) {
	for _, tc := range []struct {
		window, share int
		params        int64
		most          int
	}{{16384, 0, 3_000_000_000, 8192}, {16384, 25, 0, 4096}, {16384, 0, 70_000_000_000, 12288}, {4096, 0, 3_000_000_000, 3072}} {
		w := newWorld(t, loci.TierNative)
		w.model.window, w.model.params, w.model.honest, w.share = tc.window, tc.params, true, tc.share
		w.agent.Close()
		w.agent = w.again()
		c := &toolUser{w: w}
		told, largest := 0, 0
		for range 30 {
			o := c.say(strings.Repeat("word ", 600))
			told += strings.Count(o.text, "no longer sees")
		}
		for _, r := range w.model.requests {
			largest = max(largest, takes(r))
		}
		if largest > tc.most || largest < tc.most*7/10 || told == 0 || told > 20 {
			t.Errorf("%+v: up to %d tokens, told %d times", tc, largest, told)
		}
	}
}

// TestManySteps has a turn of more steps than a window holds even in short: the first
// steps go, the question stays, and so it is in the next turn.
func TestManySteps(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		var replies []any
		for i := range 24 {
			if tier == loci.TierText {
				replies = append(replies, fmt.Sprintf(`<tool>read_file(path="log%d.txt")</tool>`, i))
			} else {
				replies = append(replies, call("read_file", fmt.Sprintf(`{"path":"log%d.txt"}`, i)))
			}
		}
		w := newWorld(t, tier, append(replies, "All read.", "Good.")...)
		w.model.window, w.model.honest, w.steps = 2048, true, 30
		for i := range 24 {
			w.tools.files[fmt.Sprintf("log%d.txt", i)] = logLines(8)
		}
		w.agent.Close()
		w.agent = w.again()
		o := w.ask(nil, "Read all logs.")
		if !strings.HasSuffix(o.text, "All read.") || !strings.Contains(o.text, "no longer sees the first") || strings.Contains(o.text, "may not see all") {
			t.Fatalf("%+v", o)
		}
		w.ask([]loci.Message{{Role: loci.User, Content: "Read all logs."}, {Role: loci.Assistant, Content: o.text}}, "Thanks.")
		for i, r := range w.model.requests {
			if n := takes(r); n > 2048*3/4 {
				t.Errorf("request %d takes %d tokens", i+1, n)
			}
			if !strings.HasPrefix(r.Messages[1].Content, "Read all logs.") {
				t.Errorf("request %d begins with %q", i+1, r.Messages[1].Content)
			}
		}
	}
}

// TestLyingTokenizer does not leave a conversation out for what a server tells of its
// chat template or tokenizer, and its own counts of prompts say otherwise.
func TestLyingTokenizer(t *testing.T) {
	high := loci.TextWeights{Words: 5, Names: 5, Marks: 5, Blanks: 5, Digits: 5, Accents: 5, Han: 5, Letters: 5, Mixed: 5}
	for name, c := range map[string]loci.Counting{
		"around messages": {Message: 7122, Prompt: 9},
		"around tools":    {Message: 5, Schema: 4.9, Tools: 9000, Tool: 9000},
		"of words":        {Weights: high, Message: 64, Prompt: 1000},
	} {
		w := newWorld(t, loci.TierNative, "One.", "Two.", "Three.", "Four.", "Five.")
		w.model.window, w.model.honest, w.model.found.Counting = 4096, true, c
		var session string
		for i := range 5 {
			o := w.turn(loci.TurnRequest{Principal: owner, Session: session, Message: loci.Message{Role: loci.User, Content: fmt.Sprintf("Question %d.", i)}})
			session = o.session
			if strings.Contains(o.text, "no longer sees") {
				t.Errorf("%s: %q", name, o.text)
			}
		}
		if last := w.model.requests[len(w.model.requests)-1]; len(last.Messages) != 10 {
			t.Errorf("%s: %d messages are sent", name, len(last.Messages))
		}
	}
}
