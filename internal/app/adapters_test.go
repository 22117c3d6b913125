package app

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"loci"
	"loci/internal/model"
	"loci/internal/model/server"
)

// last gives the error that a stream ends with.
func last(chunks iter.Seq2[loci.Chunk, error]) (err error) {
	for _, err = range chunks {
	}
	return err
}

// When loci's own model was given up, the reason is told in place of advice to
// start some server.
func TestLostModel(t *testing.T) {
	b, err := server.ParseBackend(nowhere)
	if err != nil {
		t.Fatal(err)
	}
	hub := model.New(model.Config{Backends: []server.Backend{b}})
	defer hub.Close()
	var lost atomic.Pointer[loci.Error]
	m := models{hub, &lost}
	req := loci.Request{Model: "any", Messages: []loci.Message{{Role: loci.User, Content: "hi"}}}
	if err := last(m.Chat(t.Context(), req)); loci.AsError(err).Code != loci.Unreachable || !strings.Contains(err.Error(), nowhere) {
		t.Errorf("before: %v", err)
	}
	why := loci.Errorf(loci.Unreachable, "The embedded chat model does not stay up.").WithHint("Its output is in engine-chat.log.")
	lost.Store(why)
	if err := last(m.Chat(t.Context(), req)); err != error(why) {
		t.Errorf("a chat ends with: %v", err)
	}
	if _, err := m.Profile(t.Context(), ""); err != error(why) {
		t.Errorf("a profile: %v", err)
	}
	if err := m.explain(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("another error becomes %v", err)
	}
	if m.explain(nil) != nil {
		t.Error("no error becomes one")
	}
}

// Nobody reads, renames or removes the sessions of others.
func TestDeskIsPrivate(t *testing.T) {
	a := build(t, options(t, nowhere))
	d := desk{a.store, a.agent, nil, nil, a.forget}
	own := loci.Session{ID: loci.NewID(loci.SessionPrefix), Principal: "owner", Title: "mine", Created: loci.Now(), Updated: loci.Now()}
	if err := a.store.Save(t.Context(), loci.Batch{Session: &own}); err != nil {
		t.Fatal(err)
	}
	owner, other := loci.Principal{ID: "owner", Owner: true}, loci.Principal{ID: "user:ann"}
	if s, err := d.Session(t.Context(), owner, own.ID); err != nil || s.Title != "mine" {
		t.Errorf("%v, %v", s, err)
	}
	_, read := d.Session(t.Context(), other, own.ID)
	_, renamed := d.Rename(t.Context(), other, own.ID, "theirs")
	_, forked := d.Fork(t.Context(), other, own.ID, "")
	for name, err := range map[string]error{"read": read, "renamed": renamed, "forked": forked, "removed": d.Delete(t.Context(), other, own.ID)} {
		if loci.AsError(err) == nil || loci.AsError(err).Code != loci.NotFound {
			t.Errorf("%s by another: %v", name, err)
		}
	}
	if list, err := d.Sessions(t.Context(), other); err != nil || len(list) > 0 {
		t.Errorf("another lists %v, %v", list, err)
	}
	if s, err := d.Rename(t.Context(), owner, own.ID, "new"); err != nil || s.Title != "new" {
		t.Errorf("%v, %v", s, err)
	}
	if err := d.Delete(t.Context(), owner, own.ID); err != nil {
		t.Error(err)
	}
}
