package app

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGrowth(t *testing.T) {
	for used, want := range map[uint64]int{0: 100, 5 << 20: 100, 16 << 20: 100, 32 << 20: 50, 64 << 20: 25, 1 << 30: 25, math.MaxUint64: 25} {
		if got := growth(used); got != want {
			t.Errorf("with %d MB in use the heap may grow by %d %%, want %d", used>>20, got, want)
		}
	}
}

// TestBoundGarbage fills the heap and expects that it may grow less from then on.
func TestBoundGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	stop := boundGarbage()
	full := make([]byte, 64<<20)
	changed := func(want int) bool {
		late := time.After(10 * time.Second)
		for {
			runtime.GC()
			now := debug.SetGCPercent(100)
			debug.SetGCPercent(now)
			if now == want {
				return true
			}
			select {
			case <-late:
				return false
			case <-time.After(10 * time.Millisecond):
			}
		}
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
