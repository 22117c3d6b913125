package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"loci"
)

// The one who waits is next, whoever comes meanwhile.
func TestLaneIsHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lanes
		_, first, err := l.enter(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		order := make(chan string, 2)
		go func() {
			_, leave, err := l.enter(t.Context(), "s")
			if err != nil {
				t.Error(err)
				return
			}
			order <- "second"
			leave()
		}()
		synctest.Wait()
		if _, _, err := l.enter(t.Context(), "s"); loci.AsError(err).Code != loci.Overloaded {
			t.Errorf("a third one: %v", err)
		}
		first()
		// The lane is the second one's now, even before it has woken up.
		l.mu.Lock()
		if _, ok := l.byID["s"]; !ok && len(order) == 0 {
			t.Error("the lane was free for a moment")
		}
		l.mu.Unlock()
		synctest.Wait()
		if got := <-order; got != "second" {
			t.Error(got)
		}
		if len(l.byID) != 0 {
			t.Errorf("%d lanes are left", len(l.byID))
		}
	})
}

// One who gives up waiting leaves the place to somebody else.
func TestLaneGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lanes
		_, leave, err := l.enter(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the place is free again for the second one
			ctx, cancel := context.WithCancel(t.Context())
			gone := make(chan error, 1)
			go func() {
				_, _, err := l.enter(ctx, "s")
				gone <- err
			}()
			synctest.Wait()
			cancel()
			if err := <-gone; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		leave()
		if len(l.byID) != 0 {
			t.Errorf("%d lanes are left", len(l.byID))
		}
	})
}

// A session that is to go takes the one who waits along, and whoever clears it
// gets the place.
func TestLaneIsCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lanes
		runs, leave, err := l.enter(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		gone := make(chan error, 1)
		go func() {
			// Not even what outlives its request waits on.
			_, _, err := l.enter(context.WithoutCancel(t.Context()), "s")
			gone <- err
		}()
		synctest.Wait()
		l.clear("s")
		if err := <-gone; !errors.Is(err, context.Canceled) || runs.Err() == nil {
			t.Errorf("the one who waited: %v; the running one: %v", err, runs.Err())
		}
		ended := make(chan func(), 1)
		go func() {
			_, leave, err := l.enter(t.Context(), "s")
			if err != nil {
				t.Error(err)
			}
			ended <- leave
		}()
		synctest.Wait()
		if len(ended) != 0 {
			t.Error("it did not wait for the running one")
		}
		leave()
		(<-ended)()
		if len(l.byID) != 0 {
			t.Errorf("%d lanes are left", len(l.byID))
		}
	})
}
