package agent_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"loci"
)

// endless is a model whose first reply comes to no end: it is told piece by piece until
// nobody listens any more.
type endless struct {
	tier     loci.Tier
	piece    func(i int) loci.Chunk
	told     int
	requests []loci.Request
}

func (m *endless) Profile(_ context.Context, model string) (loci.Profile, error) {
	return loci.Profile{Model: model, Tier: m.tier, Window: 4096}, nil
}

func (m *endless) Chat(_ context.Context, req loci.Request) iter.Seq2[loci.Chunk, error] {
	m.requests = append(m.requests, req)
	return func(yield func(loci.Chunk, error) bool) {
		if len(m.requests) > 1 {
			yield(loci.Chunk{Text: "Good.", Finish: loci.FinishStop}, nil)
			return
		}
		for m.told = 0; m.told < 1_000_000; m.told++ {
			c := m.piece(m.told)
			if !yield(c, nil) || c.Finish != "" {
				return
			}
		}
	}
}

// TestRunaway ends a reply that would come to no end by itself, says so, and does not
// have the model read all of it again.
func TestRunaway(t *testing.T) {
	same := func(i int) loci.Chunk {
		if i == 0 {
			return loci.Chunk{Text: "It snows. "}
		}
		return loci.Chunk{Text: "I am sorry for that. "}
	}
	for name, tt := range map[string]struct {
		tier  loci.Tier
		piece func(int) loci.Chunk
		most  *int // of the client
		says  string
		sent  string // how the reply ends that the model is sent later
		told  int    // pieces at most
	}{
		"native":           {tier: loci.TierNative, piece: same, says: "over and over again", sent: "It snows. I am sorry for that. I am sorry for that", told: 400},
		"text":             {tier: loci.TierText, piece: same, says: "over and over again", sent: "It snows. I am sorry for that. I am sorry for that", told: 400},
		"within a maximum": {tier: loci.TierText, piece: same, most: new(100_000), says: "over and over again", sent: "It snows. I am sorry for that. I am sorry for that", told: 400},
		"thoughts": {tier: loci.TierNative, piece: func(i int) loci.Chunk { return loci.Chunk{Reasoning: same(i).Text} },
			says: "in its thoughts", told: 400},
		"another each time": {tier: loci.TierNative, piece: func(i int) loci.Chunk { return loci.Chunk{Text: fmt.Sprintf("And %d more of them. ", i)} },
			says: "longer than the model's window", told: 8000},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.tier)
			m := &endless{tier: tt.tier, piece: tt.piece}
			w.agent.Close()
			w.agent = w.with(m)
			o := w.turn(loci.TurnRequest{Principal: owner, Message: loci.Message{Role: loci.User, Content: "How is the weather?"}, Options: loci.Options{MaxTokens: tt.most}})
			if m.told > tt.told || !strings.Contains(o.text, tt.says) || o.finished.State != loci.TurnDone || o.finished.Finish != loci.FinishLength {
				t.Fatalf("after %d pieces: %+v, ends %q", m.told, o.finished, o.text[max(0, len(o.text)-200):])
			}
			if len(m.requests) != 1 {
				t.Errorf("the model was asked %d times", len(m.requests))
			}
			w.turn(loci.TurnRequest{Principal: owner, Session: o.session, Message: loci.Message{Role: loci.User, Content: "Hm."}})
			for _, r := range m.requests[1].Messages {
				if r.Role == loci.Assistant && tt.sent != "" && (!strings.HasPrefix(r.Content, tt.sent) || len(r.Content) > len(tt.sent)+20) {
					t.Errorf("it is sent %q", r.Content)
				}
			}
		})
	}
}

// TestCallsRepeatThemselves has a model write a file whose lines are all the same, in
// every form in which a reply holds a call.
func TestCallsRepeatThemselves(t *testing.T) {
	const row = "0,0,0,0,0,0,0,0\\n"
	for name, form := range map[string][2]string{
		"a tag":      {`Here it is. <tool>write_file(path="a.csv", content="`, `")</tool>`},
		"JSON":       {`{"name": "write_file", "arguments": {"path": "a.csv", "content": "`, `"}}`},
		"JSON block": {"```json\n" + `{"name": "write_file", "arguments": {"path": "a.csv", "content": "`, "\"}}\n```"},
	} {
		w := newWorld(t, loci.TierText)
		const rows = 900
		m := &endless{tier: loci.TierText, piece: func(i int) loci.Chunk {
			switch i {
			case 0:
				return loci.Chunk{Text: form[0]}
			case rows + 1:
				return loci.Chunk{Text: form[1], Finish: loci.FinishStop}
			}
			return loci.Chunk{Text: row}
		}}
		w.agent.Close()
		w.agent = w.with(m)
		o := w.turn(loci.TurnRequest{Principal: owner, Message: loci.Message{Role: loci.User, Content: "Write a.csv with 900 rows of eight zeros."}})
		if m.told != rows+1 || len(o.asked) != 1 {
			t.Errorf("%s: after %d of %d pieces, %d asked: %.300q", name, m.told, rows+1, len(o.asked), o.text)
		}
	}
}
