package await_test

import (
	"testing"
	"testing/synctest"
	"time"

	"loci/internal/await"
)

func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		after := func(d time.Duration) func() bool { return func() bool { return time.Since(began) >= d } }
		if !await.Within(time.Second, after(0)) || time.Since(began) != 0 {
			t.Errorf("what is true already takes %v", time.Since(began))
		}
		if !await.Within(time.Second, after(300*time.Millisecond)) || time.Since(began) > 320*time.Millisecond {
			t.Errorf("what comes true after 300 ms takes %v", time.Since(began))
		}
		if await.Within(time.Second, after(time.Hour)) {
			t.Error("an hour is over within a second")
		}
	})
}
