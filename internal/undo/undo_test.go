package undo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/sandbox"
)

// book is a ledger that remembers, or that nothing can be written into.
type book struct {
	rows []loci.AuditRecord
	full bool
	at   func() string // what a file holds, at the moment of a row
	was  []string
}

func (b *book) Intend(_ context.Context, r loci.AuditRecord) (int64, error) {
	if b.full {
		return 0, errors.New("disk full")
	}
	b.add(r)
	return int64(len(b.rows)), nil
}

func (b *book) Note(_ context.Context, r loci.AuditRecord) error {
	b.add(r)
	return nil
}

func (b *book) add(r loci.AuditRecord) {
	b.rows, b.was = append(b.rows, r), append(b.was, b.at())
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// scene is a folder in which two people had things changed.
type scene struct {
	*Desk
	folder   string
	book     *book
	journal  *sandbox.Journal
	sessions []string // for which folders were opened
}

func newScene(t *testing.T) *scene {
	t.Helper()
	top := t.TempDir()
	s := &scene{folder: filepath.Join(top, "w"), journal: &sandbox.Journal{Dir: filepath.Join(top, "trash")}}
	if err := os.Mkdir(s.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s.book = &book{at: func() string { return s.text("a") }}
	s.Desk = New(Config{
		Journal: s.journal, Ledger: s.book, Now: func() time.Time { return noon },
		Open: func(_ context.Context, p loci.Principal, session string) (*sandbox.Folders, error) {
			s.sessions = append(s.sessions, session)
			if p.ID == "user:nobody" {
				return sandbox.New(sandbox.Config{})
			}
			return sandbox.New(sandbox.Config{Folders: []string{s.folder}})
		},
	})
	return s
}

func (s *scene) text(name string) string {
	raw, _ := os.ReadFile(filepath.Join(s.folder, name))
	return string(raw)
}

// write has a file written for somebody.
func (s *scene) write(t *testing.T, who, session, name, text string) loci.Change {
	t.Helper()
	files, err := sandbox.New(sandbox.Config{Folders: []string{s.folder}})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	spot, err := files.Spot(t.Context(), name, sandbox.Follow)
	if err != nil {
		t.Fatal(err)
	}
	defer spot.Close()
	state, err := spot.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.journal.Write(t.Context(), spot, []byte(text), state, sandbox.By{Principal: who, Session: session, Time: noon})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	owner = loci.Principal{ID: "owner", Owner: true}
	eve   = loci.Principal{ID: "user:eve"}
)

// TestLedger writes the undo down before it happens, and after.
func TestLedger(t *testing.T) {
	s := newScene(t)
	c := s.write(t, "owner", "ses_1", "a", "fresh")
	done, err := s.Undo(t.Context(), owner, c.ID)
	if err != nil || done.Undoes != c.ID || done.Principal != "owner" || done.Tool != "undo" || s.text("a") != "" || len(s.sessions) != 1 || s.sessions[0] != "ses_1" {
		t.Fatalf("%+v, %v, %v", done, err, s.sessions)
	}
	if len(s.book.rows) != 2 || s.book.was[0] != "fresh" || s.book.was[1] != "" {
		t.Fatalf("%+v, %v", s.book.rows, s.book.was)
	}
	in, out := s.book.rows[0], s.book.rows[1]
	if in.Kind != loci.AuditIntent || in.Tool != "undo" || in.Principal != "owner" || in.Session != "ses_1" || in.Effects != loci.EffectWrite || string(in.Arguments) != `{"change":"`+c.ID+`","path":"`+c.Path+`"}` {
		t.Errorf("%+v", in)
	}
	if out.Kind != loci.AuditOutcome || out.Intent != 1 || out.State != loci.StateDone || out.Result != "" || string(out.Arguments) != string(in.Arguments) {
		t.Errorf("%+v", out)
	}
	_, err = s.Undo(t.Context(), owner, c.ID)
	if e := loci.AsError(err); e.Code != loci.Conflict || !strings.Contains(e.Message, "taken back already") || len(s.book.rows) != 4 || s.book.rows[3].State != loci.StateFailed || s.book.rows[3].Result != e.Message {
		t.Errorf("%v, %+v", err, s.book.rows)
	}
	s.book.full = true
	_, err = s.Undo(t.Context(), owner, done.ID)
	if e := loci.AsError(err); e.Code != loci.Internal || !strings.Contains(e.Message, "audit log") || s.text("a") != "" {
		t.Errorf("without a row in the log: %v, %q", err, s.text("a"))
	}
}

// TestWhose shows and takes back nobody else's changes, except for the owner.
func TestWhose(t *testing.T) {
	s := newScene(t)
	a, b := s.write(t, "owner", "ses_1", "a", "A"), s.write(t, "user:eve", "ses_2", "b", "B")
	for _, tt := range []struct {
		p       loci.Principal
		session string
		want    int
	}{{owner, "", 2}, {owner, "ses_2", 1}, {eve, "", 1}, {eve, "ses_1", 0}, {loci.Principal{}, "", 0}} {
		if list, err := s.Changes(t.Context(), tt.p, tt.session, 10); err != nil || len(list) != tt.want {
			t.Errorf("%+v: %+v, %v", tt, list, err)
		}
	}
	for _, tt := range []struct {
		p    loci.Principal
		id   string
		want loci.Code
	}{{eve, a.ID, loci.NotFound}, {owner, "none", loci.NotFound}, {owner, "../trash", loci.NotFound}, {loci.Principal{}, b.ID, loci.NotFound}} {
		if _, err := s.Undo(t.Context(), tt.p, tt.id); loci.AsError(err).Code != tt.want {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	if len(s.book.rows) > 0 {
		t.Errorf("%+v", s.book.rows)
	}
	c := s.write(t, "user:nobody", "", "c", "C")
	if _, err := s.Undo(t.Context(), loci.Principal{ID: "user:nobody"}, c.ID); loci.AsError(err).Code != loci.Conflict || s.text("c") != "C" {
		t.Errorf("without a folder: %v", err)
	}
	if _, err := s.Undo(t.Context(), eve, b.ID); err != nil || s.text("b") != "" {
		t.Error(err)
	}
	if _, err := s.Undo(t.Context(), owner, c.ID); err != nil || s.text("c") != "" {
		t.Error(err)
	}
}

// TestClientLeaves finishes what has begun, whoever still waits for it.
func TestClientLeaves(t *testing.T) {
	s := newScene(t)
	c := s.write(t, "owner", "", "a", "fresh")
	ctx, leave := context.WithCancel(t.Context())
	s.book.at = func() string { leave(); return s.text("a") }
	if _, err := s.Undo(ctx, owner, c.ID); err != nil || s.text("a") != "" || s.book.rows[1].State != loci.StateDone {
		t.Errorf("%v, %+v", err, s.book.rows)
	}
}
