package transcript_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"loci"
	"loci/internal/transcript"
)

// hand stores a session in which a question led to a call for the client.
func (b book) hand(p transcript.Place, question string, c loci.ToolCall) string {
	b.t.Helper()
	s := p.Session
	user := transcript.NewNode(s.ID, p.Parent(), "turn_1", p.PathHash(), question, loci.Message{Role: loci.User, Content: question})
	handed := transcript.UnsentNode(s.ID, user.ID, "turn_1", user.PathHash, loci.Assistant, "")
	handed.Sent.ToolCalls = []loci.ToolCall{c}
	s.Created, s.Updated = loci.Now(), loci.Now()
	if err := b.db.Save(b.t.Context(), loci.Batch{Session: &s, Nodes: []loci.Node{user, handed}}); err != nil {
		b.t.Fatal(err)
	}
	return s.ID
}

func pick(id, arguments string) loci.ToolCall {
	return loci.ToolCall{ID: id, Name: "pick", Arguments: json.RawMessage(arguments)}
}

// results are a request that answers a call of a conversation.
func results(h []loci.Message, c loci.ToolCall) loci.TurnRequest {
	req := resent(append(slices.Clip(h), loci.Message{Role: loci.Assistant, ToolCalls: []loci.ToolCall{c}}), "")
	req.Results = []loci.Message{{Role: loci.ToolRole, ToolCallID: c.ID, Content: "picked"}}
	return req
}

// TestLocateResults has the same words said in more sessions than are looked at.
func TestLocateResults(t *testing.T) {
	b := newBook(t)
	question := history("Pick!")
	var ids []string
	for i := range 20 {
		ids = append(ids, b.hand(b.locate(resent(nil, "Pick!")), "Pick!", pick(fmt.Sprint("call_", i), fmt.Sprintf(`{"n":%d}`, i/2))))
	}
	for _, tc := range []struct {
		name string
		req  loci.TurnRequest
		want string
	}{
		{"the oldest by its id", results(question, pick("call_0", `{"n":0}`)), ids[0]},
		{"by its id, with other arguments", results(question, pick("call_3", `{"n":1,"more":true}`)), ids[3]},
		{"by what it calls, the newest", results(question, pick("other", `{ "n": 2 }`)), ids[5]},
		{"by nothing but the tool, the newest", results(question, pick("other", `{"n":99}`)), ids[19]},
		{"without the question", results(nil, pick("call_0", `{"n":0}`)), ""},
		{"a call of another tool", results(question, loci.ToolCall{ID: "call_0", Name: "drop", Arguments: json.RawMessage(`{"n":0}`)}), ""},
	} {
		p := b.locate(tc.req)
		if tc.want == "" {
			if !p.New || len(p.Imported) != len(tc.req.History) {
				t.Errorf("%s: it went to a session that is there", tc.name)
			}
			continue
		}
		if p.Session.ID != tc.want || len(p.Imported) != 0 {
			t.Errorf("%s: it went to the wrong session", tc.name)
		}
	}
}

// TestTrimmedResults has the client leave out the front of a conversation.
func TestTrimmedResults(t *testing.T) {
	b := newBook(t)
	var ids []string
	for i := range 20 {
		p := b.locate(resent(nil, fmt.Sprint("Hello ", i)))
		b.say(p, fmt.Sprint("Hello ", i), "Hi.")
		p = b.locate(resent(history(fmt.Sprint("Hello ", i), "Hi."), "Pick!"))
		ids = append(ids, b.hand(p, "Pick!", pick(fmt.Sprint("call_", i), `{}`)))
	}
	if p := b.locate(results(history("Pick!"), pick("call_2", `{}`))); p.Session.ID != ids[2] {
		t.Error("the results went to another session")
	}
}

// TestThreadsOfTheSameWords has more threads say the same than are looked at.
func TestThreadsOfTheSameWords(t *testing.T) {
	b := newBook(t)
	var first string
	for i := range 12 {
		req := resent(nil, "Hi")
		req.Thread = fmt.Sprint("chat-", i)
		p := b.locate(req)
		b.say(p, "Hi", "Hello.")
		if i == 0 {
			first = p.Session.ID
		}
	}
	req := resent(history("Hi", "Hello."), "next")
	req.Thread = "chat-0"
	if p := b.locate(req); p.Session.ID != first || len(p.Path) != 3 || len(p.Imported) != 0 {
		t.Errorf("it goes on after %d messages, with %d imported", len(p.Path), len(p.Imported))
	}
}
