package model

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// busy is the work of a job that takes so long, and says when it began.
func busy(took time.Duration, began *[]time.Duration, zero time.Time) func(context.Context, func() bool) error {
	return func(ctx context.Context, _ func() bool) error {
		*began = append(*began, time.Since(zero))
		select {
		case <-time.After(took):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// A job begins when there was no chat for a moment, also if it came before the
// chat that it belongs to.
func TestJobWaitsForChats(t *testing.T) {
	const ms = time.Millisecond
	type span struct{ from, to time.Duration }
	for name, tt := range map[string]struct {
		slots int
		chats []span
		took  time.Duration
		want  []time.Duration // when the job's calls begin
	}{
		"no chat":                  {0, nil, 50 * ms, []time.Duration{300 * ms}},
		"a chat runs":              {1, []span{{0, 1000 * ms}}, 50 * ms, []time.Duration{1300 * ms}},
		"the chat comes just now":  {1, []span{{100 * ms, 1000 * ms}}, 50 * ms, []time.Duration{1300 * ms}},
		"steps of one turn":        {0, []span{{0, 200 * ms}, {400 * ms, 600 * ms}}, 50 * ms, []time.Duration{900 * ms}},
		"a chat cuts it short":     {0, []span{{400 * ms, 600 * ms}}, 200 * ms, []time.Duration{300 * ms, 900 * ms}},
		"two slots":                {2, nil, 50 * ms, []time.Duration{0}},
		"one of two taken":         {2, []span{{0, 500 * ms}}, 50 * ms, []time.Duration{500 * ms}},
		"one of three taken":       {3, []span{{0, 500 * ms}}, 50 * ms, []time.Duration{0}},
		"a chat has room beside":   {2, []span{{100 * ms, 600 * ms}}, 300 * ms, []time.Duration{0}},
		"the second chat has none": {2, []span{{100 * ms, 600 * ms}, {200 * ms, 700 * ms}}, 300 * ms, []time.Duration{0, 700 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCourtesy()
				zero := time.Now()
				for _, s := range tt.chats {
					time.AfterFunc(s.from, func() { time.AfterFunc(s.to-s.from, c.chat(tt.slots)) })
				}
				synctest.Wait() // a chat at 0 is there first
				var began []time.Duration
				if err := c.job(t.Context(), tt.slots, busy(tt.took, &began, zero)); err != nil {
					t.Error(err)
				}
				if len(began) != len(tt.want) {
					t.Fatalf("begins at %v, want %v", began, tt.want)
				}
				for i, at := range tt.want {
					if began[i] != at {
						t.Errorf("begins at %v, want %v", began, tt.want)
					}
				}
				<-time.After(time.Second)
			})
		})
	}
}

// Between two steps of a turn a tool runs; no job pushes the conversation out of
// the cache meanwhile.
func TestJobWaitsForTheNextStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourtesy()
		zero := time.Now()
		done := c.chat(1)
		c.expect()
		done()
		time.AfterFunc(4*time.Second, func() { time.AfterFunc(3*time.Second, c.chat(1)) })
		var began []time.Duration
		if err := c.job(t.Context(), 1, busy(time.Second, &began, zero)); err != nil {
			t.Error(err)
		}
		if want := 7*time.Second + jobQuiet; len(began) != 1 || began[0] != want {
			t.Errorf("begins at %v, want %v", began, want)
		}
	})
}

// On a server that tells nothing jobs come one after the other.
func TestJobsOneAtATime(t *testing.T) {
	for _, slots := range []int{0, 1, 2, 4} {
		synctest.Test(t, func(t *testing.T) {
			c := newCourtesy()
			running, most := 0, 0
			done := make(chan error)
			for range 5 {
				go func() {
					done <- c.job(t.Context(), slots, func(context.Context, func() bool) error {
						c.mu.Lock()
						running++
						most = max(most, running)
						c.mu.Unlock()
						<-time.After(time.Second)
						c.mu.Lock()
						defer c.mu.Unlock()
						running--
						return nil
					})
				}()
			}
			for range 5 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if want := max(slots-1, 1); most != want {
				t.Errorf("%d slots: %d jobs at the same time, want %d", slots, most, want)
			}
		})
	}
}

// A chat is never held back, and a job gives up when it does not come to its end.
func TestJobGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourtesy()
		defer c.chat(1)()
		zero := time.Now()
		err := c.job(t.Context(), 1, func(context.Context, func() bool) error { t.Error("it began"); return nil })
		if err != errBusy || time.Since(zero) != jobWait {
			t.Errorf("%v after %v", err, time.Since(zero))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c := newCourtesy()
		tries := 0
		err := c.job(t.Context(), 1, func(ctx context.Context, _ func() bool) error {
			tries++
			before := time.Now()
			c.chat(1)() // comes and goes
			if time.Since(before) != 0 {
				t.Error("the chat was held back")
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if err != errBusy || tries != jobTries {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
}

// What a person has begun to read is not taken back.
func TestFirmJobStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourtesy()
		err := c.job(t.Context(), 1, func(ctx context.Context, firm func() bool) error {
			for range 2 {
				if !firm() {
					t.Error("it was cut short")
				}
				defer c.chat(1)()
			}
			return ctx.Err()
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// A piece that arrived just before a chat came is not shown, since the job begins
// anew.
func TestCutJobShowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourtesy()
		tries, shown := 0, 0
		err := c.job(t.Context(), 1, func(ctx context.Context, firm func() bool) error {
			if tries++; tries == 1 {
				c.chat(1)() // comes and goes
			}
			if !firm() {
				return context.Cause(ctx)
			}
			shown++
			return nil
		})
		if err != nil || tries != 2 || shown != 1 {
			t.Errorf("shown %d times in %d tries, %v", shown, tries, err)
		}
	})
}

// Errors of the call itself are the job's, and a client that leaves waits no
// longer.
func TestJobErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourtesy()
		broken := errors.New("broken")
		if err := c.job(t.Context(), 0, func(context.Context, func() bool) error { return broken }); err != broken {
			t.Error(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		defer c.chat(0)()
		time.AfterFunc(time.Second, leave)
		zero := time.Now()
		err := c.job(ctx, 0, func(context.Context, func() bool) error { return nil })
		if !errors.Is(err, context.Canceled) || time.Since(zero) != time.Second {
			t.Errorf("%v after %v", err, time.Since(zero))
		}
	})
}
