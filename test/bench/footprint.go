package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// footprint prints start-up time, idle memory and binary size.
func (l loci) footprint(ctx context.Context, binary, home, backend string) error {
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	fmt.Printf("\nbinary: %.1f MB\n", float64(info.Size())/1e6)
	l.stop()
	var ready []time.Duration
	for range 9 {
		again, err := startLoci(ctx, binary, home, backend)
		if err != nil {
			return err
		}
		ready = append(ready, again.ready)
		if len(ready) == 9 {
			select { // let the runtime give back what start-up used
			case <-time.After(2 * time.Second):
			case <-ctx.Done():
			}
			fmt.Printf("idle memory: %s\n", strings.Join(memory(again.pid), ", "))
		}
		again.stop()
	}
	slices.Sort(ready)
	fmt.Printf("start to ready: %s (median of %d)\n", round(ready[len(ready)/2]), len(ready))
	return nil
}

// memory gives the resident and the anonymous memory of a process on Linux.
func memory(pid int) []string {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return []string{"not told on this system"}
	}
	defer f.Close()
	var lines []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) == 3 && (fields[0] == "Rss:" || fields[0] == "Anonymous:") {
			lines = append(lines, fields[0]+" "+fields[1]+" kB")
		}
	}
	return lines
}
