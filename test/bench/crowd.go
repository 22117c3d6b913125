package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// crowd opens many streams at once, of a model that takes its time, beside sockets
// that never come to the end of a request, and tells how many came to their end and
// how much memory that took at most.
func (l loci) crowd(ctx context.Context, streams, slow int) error {
	for range slow {
		conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: "); err != nil {
			return err
		}
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams, DisableCompression: true}}
	defer client.CloseIdleConnections()
	t := target{"loci agent", l.url + "/v1", "slow", l.key}
	var whole atomic.Int64
	var tasks sync.WaitGroup
	watching, done := context.WithCancel(ctx)
	most := make(chan int)
	go func() { most <- anonymous(watching, l.pid) }()
	began := time.Now()
	for range streams {
		tasks.Go(func() {
			if _, _, err := t.call(ctx, client, workload{bytes: 200, stream: true}); err == nil {
				whole.Add(1)
			}
		})
	}
	tasks.Wait()
	took := time.Since(began)
	done()
	fmt.Printf("\n%d agent streams at once, beside %d slow sockets: %d came to their end, %s after the first began; most anonymous memory: %d kB\n",
		streams, slow, whole.Load(), took.Round(time.Millisecond), <-most)
	return nil
}

// anonymous looks at a process until ctx ends and gives the most anonymous memory that
// it saw, in kB; 0 where the system does not tell.
func anonymous(ctx context.Context, pid int) (most int) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		for line := range strings.SplitSeq(string(status), "\n") {
			var kB int
			if _, err := fmt.Sscanf(line, "RssAnon: %d kB", &kB); err == nil {
				most = max(most, kB)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return most
		}
	}
}
