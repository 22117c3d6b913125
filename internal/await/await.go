// Package await lets tests wait for what another process, or another goroutine, does in
// its own time.
package await

import "time"

// step is how long to wait before looking again.
const step = 10 * time.Millisecond

// Within tells whether a condition comes true, and waits for it until then, but not
// longer than it is given.
func Within(most time.Duration, condition func() bool) bool {
	tick := time.NewTicker(step)
	defer tick.Stop()
	late := time.After(most)
	for !condition() {
		select {
		case <-tick.C:
		case <-late:
			return false
		}
	}
	return true
}
