package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"loci/internal/await"
)

func TestGrowth(t *testing.T) {
	for used, want := range map[uint64]int{0: 100, 5 << 20: 100, 16 << 20: 100, 32 << 20: 50, 64 << 20: 25, 1 << 30: 25, math.MaxUint64: 25} {
		if got := growth(used); got != want {
			t.Errorf("with %d MB in use the heap may grow by %d %%, want %d", used>>20, got, want)
		}
	}
}

// TestBound fills the heap and expects that it may grow less from then on.
func TestBound(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	stop := Bound()
	full := make([]byte, 64<<20)
	changed := func(want int) bool {
		return await.Within(10*time.Second, func() bool {
			runtime.GC()
			now := debug.SetGCPercent(100)
			debug.SetGCPercent(now)
			return now == want
		})
	}
	if !changed(leastGrowth) {
		t.Error("with 64 MB in use the heap may grow as before")
	}
	runtime.KeepAlive(full)
	stop()
	if now := debug.SetGCPercent(100); now != 100 {
		t.Errorf("the heap may grow by %d %% when it is over", now)
	}
}
