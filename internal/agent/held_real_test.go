package agent_test

import (
	"context"
	"iter"
	"os"
	"strings"
	"testing"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/model"
	"loci/internal/model/server"
)

// faulty is the real embedded model in the text tier, whose first reply in a turn is
// given: what it makes of the correction is its own.
type faulty struct {
	*model.Hub
	can   loci.Finding // what its profile says of schemas
	reply string
	calls int
	said  string // to the correction
}

func (f *faulty) Profile(ctx context.Context, name string) (loci.Profile, error) {
	p, err := f.Hub.Profile(ctx, name)
	p.Tier, p.Markup, p.Constrain, p.Stopping = loci.TierText, loci.MarkupTool, f.can, loci.Yes
	return p, err
}

func (f *faulty) Chat(ctx context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	if f.calls++; f.calls == 2 {
		req.Options.Temperature, req.Options.MaxTokens = new(0.0), new(80)
		return func(yield func(loci.Chunk, error) bool) {
			for c, err := range f.Hub.Chat(ctx, req) {
				f.said += c.Text
				if !yield(c, err) {
					return
				}
			}
		}
	}
	said := "Done."
	if f.calls == 1 {
		said = f.reply
	}
	return func(yield func(loci.Chunk, error) bool) { yield(loci.Chunk{Text: said, Finish: loci.FinishStop}, nil) }
}

// TestHeldRetry measures how many faulty calls the embedded model mends, when it is told
// what was wrong, and when its server holds the retry to the call as well.
func TestHeldRetry(t *testing.T) {
	if os.Getenv("LOCI_TEST_ALL") == "" {
		t.Skip("a measurement; run with LOCI_TEST_ALL=1")
	}
	s := embeddedtest.Start(t).Chat
	t.Cleanup(embeddedtest.Stop)
	h := model.New(model.Config{})
	t.Cleanup(h.Close)
	h.SetBackend("own", server.Backend{URL: s.URL(), Dialect: loci.OpenAI, Key: s.Key(), Kind: server.KindLlamaServer, Name: "own", Digest: s.Digest()})
	right := map[loci.Finding]int{}
	cases := []struct{ asked, reply, tool, argument string }{
		{"What is in notes.md?", `<tool>read_file(file="notes.md")</tool>`, "read_file", "notes.md"},
		{"What is in notes.md?", `<tool>read_file()</tool>`, "read_file", "notes.md"},
		{"Read notes.md, please.", `<tool>read_file(path=["notes.md", "b"])</tool>`, "read_file", "notes.md"},
		{"Read app.log.", `<tool>read_file({"filename": "app.log"})</tool>`, "read_file", "app.log"},
		{"Read the beginning of app.log.", `<tool>read_file(path="app.log", page="one")</tool>`, "read_file", "app.log"},
		{"List the folder docs.", `<tool>list_dir(folder="docs")</tool>`, "list_dir", "docs"},
		{"What is in docs?", `<tool>list_dir({"path": {"is": "docs"}})</tool>`, "list_dir", "docs"},
		{"Show me todo.txt.", `<tool_call>{"name": "read_file", "arguments": {"name": "todo.txt"}}</tool_call>`, "read_file", "todo.txt"},
		{"What does a.md say?", `<tool>read_file("a.md", "whole")</tool>`, "read_file", "a.md"},
		{"List the folder pictures.", `<tool>list_dir(dir="pictures", all=true)</tool>`, "list_dir", "pictures"},
	}
	for _, can := range []loci.Finding{loci.No, loci.Yes} {
		for _, c := range cases {
			w := newWorld(t, loci.TierText)
			m := &faulty{Hub: h, can: can, reply: c.reply}
			w.agent.Close()
			w.agent = w.with(m)
			o := w.ask(nil, c.asked)
			mended := len(o.results) == 1 && o.results[0].Call.Name == c.tool && strings.Contains(string(o.results[0].Call.Arguments), c.argument)
			if mended {
				right[can]++
			}
			if can == loci.Yes && (len(o.results) != 1 || o.results[0].Call.Name != c.tool) {
				t.Errorf("held to a call of %s it said %q", c.tool, m.said)
			}
			t.Logf("held %q, %s: %v: %q", can, c.reply, mended, m.said)
		}
	}
	t.Logf("of %d faulty calls %d came right, and %d where the server held the retry to the call", len(cases), right[loci.No], right[loci.Yes])
	if right[loci.Yes] < right[loci.No] {
		t.Error("to be held to the call does harm")
	}
}
