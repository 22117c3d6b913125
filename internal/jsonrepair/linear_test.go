//go:build unix

package jsonrepair_test

import (
	"math"
	"slices"
	"syscall"
	"testing"
	"time"

	"loci/internal/jsonrepair"
)

// TestLinear compares the time for a byte of 1 kB with that of 10 kB, 100 kB and
// 1 MB: it may not double. It is the processor's time, not the clock's, so a busy
// machine makes little difference; what is left of it only adds, so the shortest of
// several runs counts. Short inputs are read many times.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	spent := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	perByte := func(src []byte) float64 {
		began := spent()
		n := 0
		for ; n < 100<<10; n += len(src) {
			_, _, _ = jsonrepair.Repair(src) // too deep is an answer
		}
		return float64(spent()-began) / float64(n)
	}
	sizes := []int{1 << 10, 10 << 10, 100 << 10, 1 << 20}
	for _, s := range shapes {
		best := []float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
		worst := math.Inf(1)
		for attempt := 0; attempt < 12 && (attempt == 0 || worst > 2*best[0] && worst < 32*best[0]); attempt++ {
			for i, n := range sizes {
				best[i] = min(best[i], perByte([]byte(s.grow(n))))
			}
			worst = slices.Max(best[1:])
		}
		if worst > 2*best[0] {
			t.Errorf("%s: a byte takes %.1f ns in 1, 10, 100 and 1000 kB", s.name, best)
		}
		t.Logf("%-28s %5.1f ns a byte", s.name, best)
	}
}
