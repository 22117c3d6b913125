package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// crowd opens many streams at once, of a model that takes its time, and tells
// how many came to their end and how much memory that took at most.
func (l loci) crowd(ctx context.Context, streams int) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams, DisableCompression: true}}
	t := target{"loci agent", l.url + "/v1", "slow", l.key}
	var whole atomic.Int64
	var tasks sync.WaitGroup
	began := time.Now()
	for range streams {
		tasks.Go(func() {
			if _, _, err := t.call(ctx, client, workload{bytes: 200, stream: true}); err == nil {
				whole.Add(1)
			}
		})
	}
	tasks.Wait()
	fmt.Printf("\n%d agent streams at once: %d came to their end, %s after the first began; most memory: %s\n",
		streams, whole.Load(), time.Since(began).Round(time.Millisecond), peak(l.pid))
	return nil
}

// peak gives the most resident memory a process had so far, on Linux.
func peak(pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "not told on this system"
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "not told"
}
