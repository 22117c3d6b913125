package transcript_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/store"
	"loci/internal/transcript"
)

// book is a store with conversations in it.
type book struct {
	t  *testing.T
	db *store.DB
}

func newBook(t *testing.T) book {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "loci.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return book{t, db}
}

func (b book) locate(req loci.TurnRequest) transcript.Place {
	b.t.Helper()
	p, err := transcript.Locate(b.t.Context(), transcript.Store{Sessions: b.db, Nodes: b.db}, req)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// say stores a round: a question, a hidden tool step, and a reply.
func (b book) say(p transcript.Place, question, reply string) {
	b.t.Helper()
	s := p.Session
	nodes := p.Imported
	user := transcript.NewNode(s.ID, p.Parent(), "turn_1", p.PathHash(), question, loci.Message{Role: loci.User, Content: question + " [now: 14:32]"})
	step := transcript.HiddenNode(s.ID, user.ID, "turn_1", loci.Message{Role: loci.ToolRole, Content: "{}"})
	answer := transcript.NewNode(s.ID, step.ID, "turn_1", user.PathHash, reply, loci.Message{Role: loci.Assistant, Content: reply})
	nodes = append(nodes, user, step, answer)
	s.Created, s.Updated = loci.Now(), loci.Now()
	if err := b.db.Save(b.t.Context(), loci.Batch{Session: &s, Nodes: nodes}); err != nil {
		b.t.Fatal(err)
	}
}

// history makes messages of texts, the person's first.
func history(texts ...string) []loci.Message {
	roles := []loci.Role{loci.User, loci.Assistant}
	var h []loci.Message
	for i, text := range texts {
		h = append(h, loci.Message{Role: roles[i%2], Content: text})
	}
	return h
}

func resent(h []loci.Message, text string) loci.TurnRequest {
	return loci.TurnRequest{
		Principal: loci.Principal{ID: "owner"}, Resent: true, History: h,
		Message: loci.Message{Role: loci.User, Content: text},
	}
}

func sent(p transcript.Place) string {
	var all []string
	for _, n := range append(p.Path, p.Imported...) {
		all = append(all, n.Sent.Content)
	}
	return strings.Join(all, "|")
}

func TestLocate(t *testing.T) {
	b := newBook(t)
	first := b.locate(resent(nil, "Who?"))
	if !first.New || len(first.Path) != 0 {
		t.Fatalf("the first message of all: %+v", first)
	}
	b.say(first, "Who?", "Mira.")
	b.say(b.locate(resent(history("Who?", "Mira."), "Since when?")), "Since when?", "Since Monday.")
	id := first.Session.ID
	const all = "Who? [now: 14:32]|{}|Mira.|Since when? [now: 14:32]|{}|Since Monday."

	for _, tc := range []struct {
		name     string
		history  []loci.Message
		same     bool
		sent     string
		imported int
	}{
		{"goes on", history("Who?", "Mira.", "Since when?", "Since Monday."), true, all, 0},
		{"with reasoning", history("Who?", "<think>hm\nMira?</think>\nMira.", "Since when?", "<details type=\"x\">\nread a\n</details>\nSince Monday."), true, all, 0},
		{"trimmed and with other line ends", history(" Who?\r\n", "Mira.", "Since when?", "Since Monday.\n"), true, all, 0},
		{"regenerates the second reply", history("Who?", "Mira."), true, "Who? [now: 14:32]|{}|Mira.", 0},
		{"edited a reply", history("Who?", "Mira.", "Since when?", "Since Tuesday."), true,
			"Who? [now: 14:32]|{}|Mira.|Since when? [now: 14:32]|Since Tuesday.", 1},
		{"trims the front", history("Since when?", "Since Monday."), true, all, 0},
		{"trims the front, mid-round", history("Who?", "Mira.", "Since when?", "Since Monday.")[1:], true, all, 0},
		{"another conversation", history("What?", "Nothing."), false, "What?|Nothing.", 2},
		{"begins with the same words", history("Who?", "Nobody."), false, "Who?|Nobody.", 2},
		{"begins anew", nil, false, "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := b.locate(resent(tc.history, "next"))
			if (p.Session.ID == id) != tc.same {
				t.Errorf("same session: %v, want %v", !tc.same, tc.same)
			}
			if got := sent(p); got != tc.sent {
				t.Errorf("the model would read\n%s, want\n%s", got, tc.sent)
			}
			if len(p.Imported) != tc.imported {
				t.Errorf("%d messages imported, want %d", len(p.Imported), tc.imported)
			}
		})
	}
	t.Run("somebody else", func(t *testing.T) {
		req := resent(history("Who?", "Mira."), "next")
		req.Principal.ID = "user:7"
		if p := b.locate(req); p.Session.ID == id {
			t.Error("got into another principal's session")
		}
	})
}

func TestUnicodeForms(t *testing.T) {
	b := newBook(t)
	b.say(b.locate(resent(nil, "Žurnāls?")), "Žurnāls?", "Jā.") // composed
	p := b.locate(resent(history("Žurnāls?", "Jā."), "next"))   // decomposed
	if p.New || len(p.Imported) != 0 {
		t.Errorf("a decomposed history is another conversation: %+v", p)
	}
}

func TestNamedSessions(t *testing.T) {
	b := newBook(t)
	thread := func(id string, h []loci.Message, text string) loci.TurnRequest {
		req := resent(h, text)
		req.Thread = id
		return req
	}
	one, two := b.locate(thread("chat-1", nil, "Hi")), b.locate(thread("chat-2", nil, "Hi"))
	b.say(one, "Hi", "Hello.")
	b.say(two, "Hi", "Hello.")

	// Two chats that say the same are told apart by their names.
	p := b.locate(thread("chat-1", history("Hi", "Hello."), "next"))
	if p.Session.ID != one.Session.ID || len(p.Path) != 3 || p.Path[0].Session != one.Session.ID {
		t.Errorf("chat-1 continues in %s with %d nodes", p.Session.ID, len(p.Path))
	}
	// Regenerating the first reply forks at the root of the same session.
	p = b.locate(thread("chat-1", nil, "Hi"))
	if p.New || p.Session.ID != one.Session.ID || len(p.Path) != 0 {
		t.Errorf("regenerating: %+v", p)
	}
	// A session id continues where the session is, without a history.
	req := loci.TurnRequest{Principal: loci.Principal{ID: "owner"}, Session: two.Session.ID}
	if p := b.locate(req); p.Session.ID != two.Session.ID || len(p.Path) != 3 {
		t.Errorf("by id: %+v", p)
	}
	req.Principal.ID = "user:7"
	if _, err := transcript.Locate(t.Context(), transcript.Store{Sessions: b.db, Nodes: b.db}, req); loci.AsError(err).Code != loci.NotFound {
		t.Errorf("another principal's session by id: %v", err)
	}
	req.Session = "ses_none"
	if _, err := transcript.Locate(t.Context(), transcript.Store{Sessions: b.db, Nodes: b.db}, req); loci.AsError(err).Code != loci.NotFound {
		t.Errorf("no such session: %v", err)
	}
}

func BenchmarkLocate(b *testing.B) {
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "loci.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var h []loci.Message
	for range 20 {
		h = append(h, history(strings.Repeat("question ", 20), strings.Repeat("answer ", 100))...)
	}
	p, err := transcript.Locate(b.Context(), transcript.Store{Sessions: db, Nodes: db}, resent(h, "next"))
	if err != nil {
		b.Fatal(err)
	}
	p.Session.Created, p.Session.Updated = loci.Now(), loci.Now()
	if err := db.Save(b.Context(), loci.Batch{Session: &p.Session, Nodes: p.Imported}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if p, err := transcript.Locate(b.Context(), transcript.Store{Sessions: db, Nodes: db}, resent(h, "next")); err != nil || p.New {
			b.Fatal(err)
		}
	}
}
