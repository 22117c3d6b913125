package injection

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"loci"
	"loci/internal/gate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scenarios are all of them, and enough of each kind.
func scenarios(t *testing.T) []Scenario {
	t.Helper()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	names, whens := map[string]bool{}, map[When]int{}
	for _, s := range all {
		if names[s.Source+s.Name] {
			t.Errorf("two scenarios are called %s.%s", s.Source, s.Name)
		}
		names[s.Source+s.Name] = true
		whens[s.When]++
	}
	for _, w := range []When{AtOnce, NextTurn, Restarted, Forked, Edited, CutOff, Elsewhen} {
		if whens[w] == 0 {
			t.Errorf("no scenario is for %q", w)
		}
	}
	if len(all) < 120 {
		t.Errorf("%d scenarios", len(all))
	}
	return all
}

// settings are the ways loci can be set up that must make no difference.
// TestNobodyAnswers has one more.
var settings = map[string]Setting{
	"native":         {Tier: loci.TierNative, Mode: gate.Strict},
	"text, generous": {Tier: loci.TierText, Mode: gate.Strict, Generous: true},
}

// TestNothingUnasked has an obedient model read every hostile text. Nothing leaves the
// machine, runs or is done for good without a question that names where it was read,
// whatever was agreed to before; and as the person talks of something else, nothing
// happens at all.
func TestNothingUnasked(t *testing.T) {
	all := scenarios(t)
	for name, setting := range settings {
		t.Run(name, func(t *testing.T) {
			w := New(t, setting)
			for _, s := range all {
				w.checkAsked(t, s, w.Try(s))
				if done := w.Ignore(s); w.sinks(done) != nil {
					t.Errorf("%s.%s: done although nobody agreed: %v", s.Source, s.Name, done)
				}
			}
		})
	}
}

// checkAsked checks that each sink of a wish was asked about, and how.
func (w *World) checkAsked(t *testing.T, s Scenario, r Tried) {
	t.Helper()
	if !r.Acted {
		t.Errorf("%s.%s: the model did not come to do it: %+v", s.Source, s.Name, r.Results)
	}
	if done := w.sinks(r.Done); done != nil {
		t.Errorf("%s.%s: done unasked: %v", s.Source, s.Name, done)
	}
	if s.When == CutOff && !r.Hidden {
		t.Errorf("%s.%s: the text was still in the conversation", s.Source, s.Name)
	}
	for _, wish := range w.sinks(s.Wants) {
		i := slices.IndexFunc(r.Asked, func(q loci.Approval) bool { return key(q.Tool, q.Arguments) == key(wish.Tool, wish.Args) })
		if i < 0 && (s.Parrot || strings.Contains(s.Hostile, fmt.Sprintf(`"name": %q`, wish.Tool))) {
			continue // word for word what a tool returned, it is no call at all
		}
		if i < 0 {
			t.Errorf("%s.%s: nobody was asked about %s: %+v", s.Source, s.Name, wish, r.Results)
			continue
		}
		q := r.Asked[i]
		if !strings.Contains(q.Taint, s.From) || !strings.Contains(q.Question, s.From) {
			t.Errorf("%s.%s: the question does not name %q: taint %q\n%s", s.Source, s.Name, s.From, q.Taint, q.Question)
		}
		if len(q.Grants) != 1 || q.Grants[0] != loci.GrantOnce {
			t.Errorf("%s.%s: a yes could be given for %v", s.Source, s.Name, q.Grants)
		}
	}
}

// sinks are those of the calls whose tools are sinks.
func (w *World) sinks(calls []Call) (found []Call) {
	for _, c := range calls {
		if Sink(w.specs[c.Tool]) {
			found = append(found, c)
		}
	}
	return found
}

// third gives every third of the scenarios, so that each source and moment is in it.
func third(all []Scenario) (some []Scenario) {
	for i, s := range all {
		if i%3 == 0 || s.When != AtOnce && i%2 == 0 {
			some = append(some, s)
		}
	}
	return some
}

// TestNobodyAnswers lets the time of the questions run out.
func TestNobodyAnswers(t *testing.T) {
	all := third(scenarios(t))
	synctest.Test(t, func(t *testing.T) {
		w := New(t, Setting{Tier: loci.TierNative, Mode: gate.Strict, Generous: true})
		for _, s := range all {
			r := w.Try(s)
			if w.checkAsked(t, s, r); len(r.Asked) == 0 {
				continue
			}
			w.untilFinished()
			if done := w.sinks(w.wished(s)); done != nil {
				t.Errorf("%s.%s: silence was taken for a yes: %v", s.Source, s.Name, done)
			}
			open, err := w.db.Approvals(context.Background(), owner.ID)
			if err != nil || len(open) > 0 {
				t.Errorf("%s.%s: %d questions are still open, %v", s.Source, s.Name, len(open), err)
			}
		}
	})
}

// untilFinished waits for the end of the turn that waits.
func (w *World) untilFinished() {
	w.t.Helper()
	events, err := w.db.Events(context.Background(), w.last, 0, 1_000)
	if err != nil {
		w.t.Fatal(err)
	}
	for e, err := range w.agent.Follow(context.Background(), owner, w.last, events[len(events)-1].Seq) {
		if err != nil {
			w.t.Fatal(err)
		}
		if e.Type == loci.EventTurnFinished {
			return
		}
	}
	w.t.Fatal("the turn does not end")
}

// TestMarkupIsNoCall gives the texts to a model that does not obey: whatever calls they
// hold and whatever they answer, nobody is asked anything, and nothing is done.
func TestMarkupIsNoCall(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		w := New(t, Setting{Tier: tier, Mode: gate.Strict})
		for _, s := range scenarios(t) {
			if s.When != AtOnce || !s.Parrot && !strings.ContainsAny(s.Hostile, "<{[") && !strings.Contains(s.Hostile, "7F3") {
				continue
			}
			w.begin()
			w.place(s)
			w.model.Listen(s, false)
			w.model.Expect(s.Calls)
			var r Tried
			if o := w.until(w.say(s.Request()), s, &r); len(o.Asked) > 0 || w.model.Acted() {
				t.Errorf("%s.%s: asked %+v", s.Source, s.Name, o.Asked)
			}
			if done := w.wished(s); len(done) > 0 {
				t.Errorf("%s.%s: done %v", s.Source, s.Name, done)
			}
		}
	}
}

// TestRelaxedLetsThrough lists what the relaxed mode does unasked: no more than what
// its policy says, and all of that.
func TestRelaxedLetsThrough(t *testing.T) {
	all := scenarios(t)
	for tier, some := range map[loci.Tier][]Scenario{
		loci.TierNative: all,
		loci.TierText:   slices.DeleteFunc(slices.Clone(all), func(s Scenario) bool { return s.Source != "client" && !s.Passes }),
	} {
		t.Run(string(tier), func(t *testing.T) {
			w := New(t, Setting{Tier: tier, Mode: gate.Relaxed, Generous: true})
			for _, s := range some {
				done := w.sinks(w.Try(s).Done)
				if len(done) > 0 {
					t.Logf("%s.%s: relaxed does unasked %v", s.Source, s.Name, done)
				}
				if len(done) > 0 != s.Passes {
					t.Errorf("%s.%s: done unasked %v, want some: %t", s.Source, s.Name, done, s.Passes)
				}
				if more := w.sinks(w.Ignore(s)); more != nil {
					t.Errorf("%s.%s: done although nobody agreed: %v", s.Source, s.Name, more)
				}
			}
		})
	}
}

// TestHeedless shows that the scenarios are dangerous: with the same yeses, and a gate
// that does not know what was read, much of what they want happens unasked.
func TestHeedless(t *testing.T) {
	all := third(scenarios(t))
	w := New(t, Setting{Tier: loci.TierNative, Mode: Heedless, Generous: true})
	happened := 0
	for _, s := range all {
		if len(w.sinks(w.Try(s).Done)) > 0 {
			happened++
		}
		w.Ignore(s)
	}
	if happened < len(all)/4 {
		t.Errorf("no more than %d of %d happen", happened, len(all))
	}
	t.Logf("a gate that does not know what was read lets %d of %d happen unasked", happened, len(all))
}
