package app

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/fake"
)

// TestAbortedStreams has a thousand clients leave in the middle of a reply, many at a
// time. No goroutine of what served them is left. (A thousand leave the built program
// at the same moment in TestCrowdLeaves of test/e2e, where its files are counted.)
func TestAbortedStreams(t *testing.T) {
	const rounds, each = 5, 200
	m := fake.NewModel()
	held := make(chan struct{}) // never closed: a reply ends because its client leaves
	m.Answer = func(r *fake.Request) (fake.Reply, bool) {
		return fake.Reply{Text: "One two three", Hold: held}, r.Purpose == loci.PurposeChat
	}
	o := options(t, m.OpenAI(t))
	o.Config.Tier = "native"
	a := build(t, o)
	serving(t, a)
	ad := a.Addresses()
	host := strings.TrimPrefix(ad.URL, "http://")
	const body = `{"model":"fake","stream":true,"messages":[{"role":"user","content":"Count."}]}`
	request := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		host, ad.Key, len(body), body)

	abort := func(n int) {
		clients := make([]net.Conn, n)
		for i := range clients {
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, request); err != nil {
				t.Fatal(err)
			}
			clients[i] = c
		}
		for _, c := range clients {
			if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(c)
			for lines.Scan() && !strings.Contains(lines.Text(), "One") {
			}
			if !strings.Contains(lines.Text(), "One") {
				t.Fatalf("a reply did not begin: %v", lines.Err())
			}
		}
	}
	abort(1) // what a process starts once is no leak
	settled(t, 1<<20)
	before := runtime.NumGoroutine()
	for range rounds {
		abort(each)
	}
	for _, r := range m.Turn() {
		if !r.Canceled() {
			t.Error("a reply went on to its end though its client had left")
		}
	}
	settled(t, before)
}

// settled waits until no more than so many goroutines run, and their number stays as
// it is for longer than a connection is kept that nobody uses.
func settled(t *testing.T, most int) {
	t.Helper()
	const kept = 5 * time.Second
	late := time.After(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last, since := 0, time.Now()
	for {
		now := runtime.NumGoroutine()
		if now != last {
			last, since = now, time.Now()
		}
		if now <= most && time.Since(since) > kept {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			stacks := make([]byte, 64<<10)
			t.Fatalf("%d goroutines run, and should be %d:\n%s", now, most, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
