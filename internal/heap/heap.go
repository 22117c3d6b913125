// Package heap decides how far the heap of this process may grow before it is collected.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// mostGarbage is how much of the heap may be garbage before it is collected, in
	// bytes, as long as that is not too often.
	mostGarbage = 16 << 20
	// leastGrowth is how far the heap grows at least until then, in percent.
	leastGrowth = 25
)

// growth is what GOGC should be for so much memory in use. Go's own 100 is right for
// the few streams of one person, where a collection in the middle of a turn would cost
// more than what it frees; with a thousand streams it would mean twice the memory.
func growth(used uint64) int {
	return int(max(leastGrowth, min(100, 100*mostGarbage/max(used, 1))))
}

// Bound sets GOGC by what is in use after each collection, until stop is
// called. Where the person has set GOGC, it stays as it is.
func Bound() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	var mu sync.Mutex // what runs after a collection must not come after stop
	stopped := false
	before := debug.SetGCPercent(growth(used()))
	afterCollection(func() bool {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			debug.SetGCPercent(growth(used()))
		}
		return !stopped
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		debug.SetGCPercent(before)
	}
}

// used is what the last collection left, in bytes, and the stacks.
func used() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}

// afterCollection calls f after each garbage collection, for as long as it says so:
// an object that nobody has is what a collection finds.
func afterCollection(f func() bool) {
	unused := new(struct{ _ *byte }) // with a pointer, or it would share its place with others
	runtime.AddCleanup(unused, func(f func() bool) {
		if f() {
			afterCollection(f)
		}
	}, f)
}
