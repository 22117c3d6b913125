package intent_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"loci/internal/lang"
)

// drawer keeps vectors in memory.
type drawer struct {
	model string
	kept  map[string][]float32
	puts  int
	err   error
}

func (d *drawer) Vectors(_ context.Context, model string) (map[string][]float32, error) {
	if d.err != nil || d.model != model {
		return nil, d.err
	}
	return maps.Clone(d.kept), nil
}

func (d *drawer) KeepVectors(_ context.Context, model string, vectors map[string][]float32) error {
	if d.err != nil {
		return d.err
	}
	d.model, d.kept = model, vectors
	d.puts++
	return nil
}

func atOnce(ctx context.Context) error { return ctx.Err() }

// askOddly gives the move for an odd request, and how many texts were embedded for it.
func askOddly(t *testing.T, r *intent.Router, l *letters, tools []loci.ToolSpec) (loci.Move, int32) {
	t.Helper()
	const odd = "Wherefore doth mine engine hum"
	before := l.texts.Load()
	m, err := r.Next(t.Context(), loci.Situation{Text: odd, Lang: lang.English, Tools: tools, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return m, l.texts.Load() - before
}

func TestPreparedIsNotWaitedFor(t *testing.T) {
	l, d := &letters{}, &drawer{}
	r := intent.New(intent.Config{Embedder: l, Keeper: d})
	if err := r.Prepare(t.Context(), offered, atOnce); err != nil {
		t.Fatal(err)
	}
	if m, n := askOddly(t, r, l, offered); n != 1 || m.Call == nil || m.Call.Name != "list_processes" {
		t.Errorf("%d texts, %+v", n, m)
	}
	if d.puts != 1 || len(d.kept) != int(l.texts.Load())-2 { // without the first try and the request
		t.Errorf("%d of %d vectors are kept, %d times", len(d.kept), l.texts.Load(), d.puts)
	}
	if err := r.Prepare(t.Context(), offered, atOnce); err != nil || d.puts != 1 {
		t.Errorf("nothing new was kept %d times, %v", d.puts-1, err)
	}
	// The next start embeds a text to learn the model, and one to see that it is the same.
	again := &letters{}
	r = intent.New(intent.Config{Embedder: again, Keeper: d})
	if err := r.Prepare(t.Context(), offered, atOnce); err != nil || again.texts.Load() != 2 || d.puts != 1 {
		t.Errorf("%d texts were embedded for a second start, %v", again.texts.Load(), err)
	}
}

// TestKeptFromRequests: what a request had to learn is kept too, that of a client's tools
// included.
func TestKeptFromRequests(t *testing.T) {
	theirs := append([]loci.ToolSpec{{Name: "hum_engine", Description: "Makes an engine hum.", SideEffects: loci.EffectRead, Parameters: []byte(`{"type":"object","properties":{"engine":{"type":"string","description":"Which engine"}},"required":[]}`)}}, offered...)
	l, d := &letters{}, &drawer{}
	first, n := askOddly(t, intent.New(intent.Config{Embedder: l, Keeper: d}), l, theirs)
	if n < 100 || len(d.kept) < 100 {
		t.Fatalf("%d embedded, %d kept", n, len(d.kept))
	}
	again := &letters{}
	r := intent.New(intent.Config{Embedder: again, Keeper: d})
	second, n := askOddly(t, r, again, theirs)
	if n > 6 || !reflect.DeepEqual(first, second) {
		t.Errorf("%d texts after a restart; %+v, then %+v", n, first, second)
	}
}

// TestDamagedOrForeign: what another model made, what is damaged, and what cannot be read
// is made anew, and everything is decided as without.
func TestDamagedOrForeign(t *testing.T) {
	l, whole := &letters{}, &drawer{}
	want, all := askOddly(t, intent.New(intent.Config{Embedder: l, Keeper: whole}), l, offered)
	one := slices.Min(slices.Collect(maps.Keys(whole.kept)))
	turned := func(v []float32) []float32 { return append(v[1:len(v):len(v)], v[0]) }
	for name, tc := range map[string]struct {
		harm func(d *drawer)
		most int32 // texts that are embedded again
	}{
		"another model under the name": {func(d *drawer) {
			for text, v := range d.kept {
				d.kept[text] = turned(v)
			}
		}, all + 1},
		"another name":       {func(d *drawer) { d.model = "other" }, all},
		"not to be read":     {func(d *drawer) { d.err = errors.New("gone") }, all},
		"nothing":            {func(d *drawer) { d.kept = nil }, all},
		"one is no number":   {func(d *drawer) { d.kept[one] = append([]float32{float32(math.NaN())}, d.kept[one][1:]...) }, 3},
		"one is cut":         {func(d *drawer) { d.kept[one] = d.kept[one][:3] }, 3},
		"one is no unit":     {func(d *drawer) { d.kept[one] = make([]float32, len(d.kept[one])) }, 3},
		"some are not there": {func(d *drawer) { delete(d.kept, one) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			d := &drawer{model: whole.model, kept: maps.Clone(whole.kept)}
			tc.harm(d)
			again := &letters{}
			m, n := askOddly(t, intent.New(intent.Config{Embedder: again, Keeper: d}), again, offered)
			if n < 2 || n > tc.most || !reflect.DeepEqual(m, want) {
				t.Errorf("%d texts, at most %d expected; %+v, want %+v", n, tc.most, m, want)
			}
		})
	}
}

// TestRequestOvertakes has a request come while the examples are prepared: it makes the
// rest itself, waits for no pause, and is decided as later.
func TestRequestOvertakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, d := &letters{}, &drawer{}
		r := intent.New(intent.Config{Embedder: l, Keeper: d})
		pauses, done, chat := 0, make(chan error), make(chan struct{})
		go func() {
			done <- r.Prepare(t.Context(), offered, func(ctx context.Context) error {
				if pauses++; pauses == 4 {
					<-chat
				}
				return nil
			})
		}()
		synctest.Wait()
		some := l.texts.Load()
		during, n := askOddly(t, r, l, offered)
		if some < 10 || n < some {
			t.Errorf("%d texts were prepared, %d embedded for the request", some, n)
		}
		later, n := askOddly(t, r, l, offered)
		if n != 1 || !reflect.DeepEqual(during, later) {
			t.Errorf("%d texts; %+v, later %+v", n, during, later)
		}
		close(chat)
		if err := <-done; err != nil || int(l.texts.Load()) != len(d.kept)+3 { // and the first try, and two requests
			t.Errorf("%v; %d texts embedded, %d kept", err, l.texts.Load(), len(d.kept))
		}
	})
}

// TestPreparationEnds keeps what was made when loci ends in between, and leaves it when
// another model comes.
func TestPreparationEnds(t *testing.T) {
	l, d := &letters{}, &drawer{}
	ctx, cancel := context.WithCancel(t.Context())
	pauses := 0
	err := intent.New(intent.Config{Embedder: l, Keeper: d}).Prepare(ctx, offered, func(ctx context.Context) error {
		if pauses++; pauses == 4 {
			cancel()
		}
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || len(d.kept) < 10 {
		t.Errorf("%v; %d vectors are kept", err, len(d.kept))
	}
	g := &gate{}
	pauses = 0
	err = intent.New(intent.Config{Embedder: g}).Prepare(t.Context(), offered, func(context.Context) error {
		if pauses++; pauses == 4 {
			g.size = 10
		}
		return nil
	})
	if err != nil || pauses > 5 {
		t.Errorf("%v after %d pauses", err, pauses)
	}
	if err := intent.New(intent.Config{}).Prepare(t.Context(), offered, atOnce); err != nil {
		t.Errorf("without an embedder: %v", err)
	}
}

// TestPreparedReal: with the real embedder a first request after a restart waits for few
// texts, and is decided as before it.
func TestPreparedReal(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	e, d := server{s.URL(), s.Key(), s.Model()}, &drawer{}
	var moves [2]loci.Move
	var took [2]time.Duration
	for i := range moves {
		r := intent.New(intent.Config{Embedder: e, Keeper: d})
		began := time.Now()
		m, err := r.Next(t.Context(), loci.Situation{Text: "Wherefore doth mine engine hum", Lang: lang.English, Tools: specs, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		moves[i], took[i] = m, time.Since(began)
	}
	t.Logf("%d vectors; at first %v, after a restart %v", len(d.kept), took[0], took[1])
	if !reflect.DeepEqual(moves[0], moves[1]) || took[1] > took[0]/4 || d.puts != 1 {
		t.Errorf("%+v in %v, then %+v in %v; kept %d times", moves[0], took[0], moves[1], took[1], d.puts)
	}
}
