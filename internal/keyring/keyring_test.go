package keyring

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"loci"
	"loci/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a store in memory. It also writes down what is noted.
type shelf struct {
	mu     sync.Mutex
	keys   []loci.Key
	noted  []string
	broken error
}

func (s *shelf) Keys(context.Context) ([]loci.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.keys), s.broken
}

func (s *shelf) AddKey(_ context.Context, by string, k loci.Key, old string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	s.keys = slices.DeleteFunc(s.keys, func(o loci.Key) bool { return o.ID == old })
	if slices.ContainsFunc(s.keys, func(o loci.Key) bool { return o.Name == k.Name }) {
		return loci.Errorf(loci.Conflict, "There is one.")
	}
	s.keys = append(s.keys, k)
	what := loci.StateMade
	if old != "" {
		what = loci.StateReplaced
	}
	s.noted = append(s.noted, strings.Join([]string{by, k.Name, string(what)}, " "))
	return nil
}

func (s *shelf) RevokeKey(_ context.Context, by, id string, _ loci.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	s.keys = slices.DeleteFunc(s.keys, func(o loci.Key) bool { return o.ID == id })
	s.noted = append(s.noted, by+" revoked")
	return nil
}

func (s *shelf) NoteKey(_ context.Context, by string, k loci.Key, state loci.AuditState, why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	s.noted = append(s.noted, strings.TrimSpace(strings.Join([]string{by, k.Name, string(state), why}, " ")))
	return nil
}

func (s *shelf) UseKey(_ context.Context, id string, at loci.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.keys {
		if s.keys[i].ID == id {
			s.keys[i].Used = &at
		}
	}
	return nil
}

var owner = loci.Principal{ID: "owner", Owner: true}

func paths(t *testing.T) config.Paths {
	t.Helper()
	home := t.TempDir()
	p, err := config.FindPaths(func(name string) string { return map[string]string{"LOCI_HOME": home}[name] })
	if err == nil {
		err = p.Make()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newRing(t *testing.T, c Config) *Ring {
	t.Helper()
	r, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestFind(t *testing.T) {
	s := &shelf{}
	c := Config{Store: s, Paths: paths(t)}
	r := newRing(t, c)
	first, chat := r.Secrets()
	made, secret, err := r.Add(t.Context(), owner, "script", []loci.Right{loci.RightReadTools, loci.RightChat, loci.RightChat})
	if err != nil || !slices.Equal(made.Rights, []loci.Right{loci.RightChat, loci.RightReadTools}) || made.Principal != "key:script" {
		t.Fatalf("%+v, %v", made, err)
	}
	again := newRing(t, c) // as after a restart
	for _, r := range []*Ring{r, again} {
		for secret, want := range map[string]string{
			first: loci.OwnerKey, chat: loci.ChatKey, secret: made.ID,
			"": "", "loci_": "", secret[:20]: "", secret + "x": "", strings.ToLower(secret): "", " " + secret: "", "owner": "", "key:script": "",
		} {
			if k, ok := r.Find(secret); k.ID != want || ok != (want != "") {
				t.Errorf("a secret of %d letters opens %q, want %q", len(secret), k.ID, want)
			}
		}
	}
	if k, _ := r.Find(first); len(k.Rights) != len(loci.AllRights()) {
		t.Errorf("the owner's key may %v", k.Rights)
	}
	if k, _ := r.Find(chat); k.May(loci.RightApprove) || k.May(loci.RightAdmin) || !k.May(loci.RightWriteTools) {
		t.Errorf("the chat key may %v", k.Rights)
	}
	r.Close()
	again.Close()
	if k := s.keys[0]; k.Used == nil || s.noted[0] != "owner script made" {
		t.Errorf("stored: %+v; noted: %+v", k, s.noted)
	}
}

// A use is noted at most once a minute.
func TestUseIsCoarse(t *testing.T) {
	s := &shelf{}
	r := newRing(t, Config{Store: s, Paths: paths(t)})
	_, secret, err := r.Add(t.Context(), owner, "script", loci.AllRights())
	if err != nil {
		t.Fatal(err)
	}
	r.Find(secret)
	r.Close()
	first := s.keys[0].Used
	r.Find(secret)
	r.Close()
	if first == nil || s.keys[0].Used != first {
		t.Errorf("used %v, then %v", first, s.keys[0].Used)
	}
}

func TestBadKeys(t *testing.T) {
	s := &shelf{}
	r := newRing(t, Config{Store: s, Paths: paths(t)})
	for _, name := range []string{"", "owner", "chat", "Upper", "a b", "a/b", "-a", ".", "é", strings.Repeat("x", 41), "user:1"} {
		if _, _, err := r.Add(t.Context(), owner, name, loci.AllRights()); loci.AsError(err).Code != loci.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, rights := range [][]loci.Right{nil, {"root"}, {"any"}, {loci.RightChat, ""}} {
		if _, _, err := r.Add(t.Context(), owner, "fine", rights); loci.AsError(err).Code != loci.Invalid {
			t.Errorf("%v: %v", rights, err)
		}
	}
	if _, err := r.Revoke(t.Context(), owner, "owner"); loci.AsError(err).Code != loci.Invalid {
		t.Errorf("the owner's key is revoked: %v", err)
	}
	if _, err := r.Revoke(t.Context(), owner, "nobody"); loci.AsError(err).Code != loci.NotFound {
		t.Errorf("nobody's: %v", err)
	}
	if len(s.keys) > 0 {
		t.Errorf("stored: %v", s.keys)
	}
}

// held tells why a hold ended, nil if it has not.
func held(ctx context.Context) error { return context.Cause(ctx) }

func TestRevokeEndsWhatIsOpen(t *testing.T) {
	s := &shelf{}
	r := newRing(t, Config{Store: s, Paths: paths(t)})
	_, a, err := r.Add(t.Context(), owner, "a", loci.AllRights())
	if err != nil {
		t.Fatal(err)
	}
	_, b, err := r.Add(t.Context(), owner, "b", loci.AllRights())
	if err != nil {
		t.Fatal(err)
	}
	keyA, _ := r.Find(a)
	keyB, _ := r.Find(b)
	one, releaseOne := r.Hold(t.Context(), keyA)
	defer releaseOne()
	two, releaseTwo := r.Hold(t.Context(), keyA)
	releaseTwo()
	other, releaseOther := r.Hold(t.Context(), keyB)
	defer releaseOther()
	if held(one) != nil || !errors.Is(held(two), context.Canceled) {
		t.Fatalf("before: %v, %v", held(one), held(two))
	}
	if _, err := r.Revoke(t.Context(), owner, "a"); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Find(a); ok || !errors.Is(held(one), ErrRevoked) || held(other) != nil {
		t.Errorf("after: found %v, %v, %v", ok, held(one), held(other))
	}
	late, release := r.Hold(t.Context(), keyA) // it was found before, and held after
	defer release()
	if !errors.Is(held(late), ErrRevoked) {
		t.Errorf("a key that is revoked in between is held: %v", held(late))
	}
	if last := s.noted[len(s.noted)-1]; last != "owner revoked" {
		t.Errorf("noted: %+v", last)
	}
	// The name is free, and a new key of that name is another one.
	if _, again, err := r.Add(t.Context(), owner, "a", loci.AllRights()); err != nil || again == a {
		t.Errorf("again: %v", err)
	}
	if _, ok := r.Find(a); ok {
		t.Error("the old one holds again")
	}
}

// A full disk keeps no revoked key alive.
func TestRevokeWithoutADisk(t *testing.T) {
	s := &shelf{}
	r := newRing(t, Config{Store: s, Paths: paths(t)})
	_, secret, err := r.Add(t.Context(), owner, "a", loci.AllRights())
	if err != nil {
		t.Fatal(err)
	}
	s.broken = errors.New("full")
	if _, err := r.Revoke(t.Context(), owner, "a"); err == nil {
		t.Error("nobody hears of it")
	}
	if _, ok := r.Find(secret); ok {
		t.Error("it holds")
	}
}

func TestRotate(t *testing.T) {
	s := &shelf{}
	told := 0
	p := paths(t)
	r := newRing(t, Config{Store: s, Paths: p, Replaced: func() { told++ }})
	if _, _, err := r.Add(t.Context(), owner, "script", []loci.Right{loci.RightChat}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{loci.OwnerKey, loci.ChatKey, "script"} {
		_, before, err := r.Rotate(t.Context(), owner, name)
		if err != nil {
			t.Fatal(name, err)
		}
		key, ok := r.Find(before)
		open, release := r.Hold(t.Context(), key)
		k, after, err := r.Rotate(t.Context(), owner, name)
		if err != nil || !ok || k.Name != name || after == before {
			t.Fatalf("%s: %+v, %v", name, k, err)
		}
		now, found := r.Find(after)
		if _, old := r.Find(before); old || !found || !slices.Equal(now.Rights, key.Rights) || now.Principal != key.Principal {
			t.Errorf("%s: the old one holds: %v; the new one is %+v", name, old, now)
		}
		if !errors.Is(held(open), ErrRevoked) {
			t.Errorf("%s: what was open with the old one stays so: %v", name, held(open))
		}
		release()
	}
	want := []string{
		"owner script made", "owner owner replaced", "owner owner replaced", "owner chat replaced", "owner chat replaced",
		"owner script replaced", "owner script replaced",
	}
	if !slices.Equal(s.noted, want) {
		t.Errorf("noted: %q", s.noted)
	}
	if told != 4 {
		t.Errorf("told %d times of the keys in files", told)
	}
	if text, err := os.ReadFile(p.Key); err != nil || strings.TrimSpace(string(text)) != func() string { o, _ := r.Secrets(); return o }() {
		t.Errorf("the file has another key: %v", err)
	}
	fixed := newRing(t, Config{Store: &shelf{}, Paths: paths(t), Owner: "a-key-from-the-environment"})
	if _, _, err := fixed.Rotate(t.Context(), owner, loci.OwnerKey); loci.AsError(err).Code != loci.Conflict {
		t.Errorf("a key that is set by hand: %v", err)
	}
	if k, ok := fixed.Find("a-key-from-the-environment"); !ok || k.ID != loci.OwnerKey {
		t.Errorf("%+v", k)
	}
}

// Whoever replaces the file has replaced the key, at once and for what is open.
func TestFileReplaced(t *testing.T) {
	p := paths(t)
	var log strings.Builder
	r := newRing(t, Config{Store: &shelf{}, Paths: p, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	before, _ := r.Secrets()
	key, _ := r.Find(before)
	open, release := r.Hold(t.Context(), key)
	defer release()
	put := func(text string) {
		t.Helper()
		tmp := filepath.Join(filepath.Dir(p.Key), "new")
		if err := errors.Join(os.WriteFile(tmp, []byte(text), 0o600), os.Rename(tmp, p.Key)); err != nil {
			t.Fatal(err)
		}
	}
	watching, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); r.Watch(watching) }()
	put("a-key-of-my-own-making")
	select { // nobody comes, and it is noticed
	case <-open.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("what is open stays open")
	}
	stop()
	<-over
	if _, ok := r.Find(before); ok {
		t.Error("the old key holds")
	}
	if k, ok := r.Find("a-key-of-my-own-making"); !ok || k.ID != loci.OwnerKey {
		t.Errorf("%+v", k)
	}
	put("short")
	if _, ok := r.Find("a-key-of-my-own-making"); ok {
		t.Error("a key holds that is nowhere")
	}
	if _, ok := r.Find("short"); ok {
		t.Error("a broken file opens doors")
	}
	if _, ok := r.Find(""); ok || strings.Count(log.String(), "level=ERROR") != 1 {
		t.Errorf("logged: %s", &log)
	}
	if err := os.Remove(p.Key); err != nil {
		t.Fatal(err)
	}
	r.Find("")
	if now, _ := r.Secrets(); now == "" || now == before {
		t.Error("no new key where the file is gone")
	}
}

// A key in a file is replaced only once that is written down, and where the file cannot
// be written that is written down too: either way the old key holds.
func TestRotateOwnIsWrittenDown(t *testing.T) {
	s := &shelf{}
	p := paths(t)
	r := newRing(t, Config{Store: s, Paths: p})
	before, _ := r.Secrets()
	s.broken = errors.New("full")
	if _, secret, err := r.Rotate(t.Context(), owner, loci.OwnerKey); !errors.Is(err, s.broken) || secret != "" {
		t.Errorf("%q, %v", secret, err)
	}
	if _, ok := r.Find(before); !ok || len(s.noted) > 0 {
		t.Errorf("the old key holds: %v; noted: %q", ok, s.noted)
	}
	s.broken = nil
	if err := errors.Join(os.Remove(p.Key), os.Mkdir(p.Key, 0o700), os.WriteFile(filepath.Join(p.Key, "in the way"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, secret, err := r.Rotate(t.Context(), owner, loci.OwnerKey); err == nil || secret != "" {
		t.Errorf("%q, %v", secret, err)
	}
	if len(s.noted) != 2 || s.noted[0] != "owner owner replaced" || !strings.HasPrefix(s.noted[1], "owner owner failed The file ") {
		t.Errorf("noted: %q", s.noted)
	}
}

// Keys are replaced while they are used.
func TestFindDuringRotate(t *testing.T) {
	r := newRing(t, Config{Store: &shelf{}, Paths: paths(t)})
	_, secret, err := r.Add(t.Context(), owner, "script", loci.AllRights())
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		var both sync.WaitGroup
		begin := make(chan struct{})
		old := secret
		both.Go(func() {
			<-begin
			r.Find(old) // before or after
		})
		both.Go(func() {
			<-begin
			var err error
			if _, secret, err = r.Rotate(t.Context(), owner, "script"); err != nil {
				t.Error(err)
			}
		})
		close(begin)
		both.Wait()
		if _, ok := r.Find(old); ok {
			t.Fatal("the old one holds")
		}
	}
	if k, ok := r.Find(secret); !ok || k.Name != "script" {
		t.Errorf("%+v", k)
	}
}
