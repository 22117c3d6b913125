//go:build linux

package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"loci"
	"loci/internal/await"
	"loci/internal/fake"
)

const (
	crowdStreams = 1000
	crowdSlow    = 500
	// crowdMemory is the most anonymous memory that a crowd may take, in bytes.
	crowdMemory = 150e6
	// crowdPatience is how long a slow client that was sent away waits before it comes
	// again. net/http keeps such a connection for as long; without a pause it would not
	// be held open but be thousands of new ones a second.
	crowdPatience = 500 * time.Millisecond
	// databaseFiles is how many files the database's four readers have open at most.
	databaseFiles = 8
)

// TestCrowd has a thousand people in a conversation at once, some with a tool call
// in it, while five hundred sockets are held open that are slow in every way. All
// get their whole answer, within bounds of memory, and nothing is left of them.
func TestCrowd(t *testing.T) {
	needFiles(t, 6000)
	c := newCrowd(t)
	before := c.files()

	slow := c.slow(crowdSlow)
	most := c.watch()
	c.talk(crowdStreams)
	if peak := most(); peak > crowdMemory {
		t.Errorf("%d streams at once took %.1f MB of anonymous memory, more than %.0f MB", crowdStreams, float64(peak)/1e6, crowdMemory/1e6)
	} else {
		t.Logf("%d streams at once took %.1f MB of anonymous memory", crowdStreams, float64(peak)/1e6)
	}
	slow()
	// Connections that nobody uses go after a few seconds. Those to the database stay,
	// of which there were not all at first.
	c.settle(before + databaseFiles)
}

// TestCrowdLeaves has a thousand clients leave in the middle of their answers. The
// model's server hears of it from each of them, and nothing is left in loci.
func TestCrowdLeaves(t *testing.T) {
	needFiles(t, 6000)
	c := newCrowd(t)
	before := c.files()
	ctx, leave := context.WithTimeout(t.Context(), time.Minute) // if one does not begin, the others do not wait
	defer leave()
	var tasks sync.WaitGroup
	for i := range crowdStreams {
		tasks.Go(func() {
			text, err := c.ask(ctx, fmt.Sprintf("This is question %d.", i), func() {
				if c.begun.Add(1) == crowdStreams {
					leave()
				}
			})
			if err == nil {
				t.Errorf("question %d was answered %q after its client had left", i, text)
			}
		})
	}
	tasks.Wait()
	if n := c.begun.Load(); n != crowdStreams {
		t.Errorf("%d of %d had the first word of their answer", n, crowdStreams)
	}
	for _, r := range c.model.Turn() {
		if !r.Canceled() {
			t.Fatal("the model's server was not told that a client has left")
		}
	}
	c.settle(before + databaseFiles)
}

// needFiles skips a test where so many files cannot be open at once. Go raises the
// limit of a program as far as it may by itself, the test's and loci's alike.
func needFiles(t *testing.T, n uint64) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Max < n {
		t.Skipf("the system lets a process have %d files open, and this needs %d", limit.Max, n)
	}
}

// crowd is many people in front of one loci.
type crowd struct {
	*instance
	client *http.Client
	model  *fake.Model

	open  chan struct{} // closed when the replies may go on after their first word
	begun atomic.Int64  // replies of which somebody has read the first word
}

// crowdAnswer is what the model says in the end.
const crowdAnswer = "The answer to all of this is forty-two."

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	c := &crowd{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: crowdStreams, DisableCompression: true}},
		model:  fake.NewModel(),
		open:   make(chan struct{}),
	}
	c.model.Answer = func(r *fake.Request) (fake.Reply, bool) {
		if r.Purpose != loci.PurposeChat && r.Purpose != loci.PurposeStep {
			return fake.Reply{}, false
		}
		last := r.Messages[len(r.Messages)-1]
		if last.Role == loci.User && strings.Contains(last.Content, "calculate") {
			return fake.Reply{Calls: []loci.ToolCall{fake.Call("calculate", `{"expression":"6*7"}`)}}, true
		}
		if last.Role == loci.ToolRole && !strings.Contains(last.Content, "42") {
			return fake.Reply{Text: "The tool did not work: " + last.Content}, true
		}
		return fake.Reply{Text: crowdAnswer, Hold: c.open}, true
	}
	c.instance = serve(t, options{env: []string{"LOCI_TIER=native"}, args: []string{"--backend", c.model.OpenAI(t)}})
	t.Cleanup(c.client.CloseIdleConnections)
	return c
}

// talk has n people ask at once. When all of them have the first word of their
// answer, it lets the model go on, and waits for the end.
func (c *crowd) talk(n int) {
	c.t.Helper()
	c.begun.Store(0)
	all := make(chan struct{})
	var tasks sync.WaitGroup
	for i := range n {
		tasks.Go(func() {
			question := fmt.Sprintf("This is question %d. %s", i, strings.Repeat("There is something more to say about it. ", 5))
			if i%4 == 0 {
				question += "Please calculate it."
			}
			if text, err := c.ask(c.t.Context(), question, func() {
				if c.begun.Add(1) == int64(n) {
					close(all)
				}
			}); err != nil || text != crowdAnswer {
				c.t.Errorf("question %d was answered %.200q, %v", i, text, err)
			}
		})
	}
	select {
	case <-all:
		c.another()
	case <-time.After(60 * time.Second):
		c.t.Errorf("%d of %d have the first word of their answer", c.begun.Load(), n)
	}
	close(c.open)
	tasks.Wait()
	c.client.CloseIdleConnections()
}

// another has one more person come while all the others are being answered.
func (c *crowd) another() {
	c.t.Helper()
	began := time.Now()
	if status, body := c.get("/v1/models"); status != http.StatusOK {
		c.t.Errorf("one more got %d %.200s", status, body)
	}
	// A tenth of a second is what it should be; the rest is for a busy machine.
	if took := time.Since(began); took > time.Second {
		c.t.Errorf("one more was answered after %v", took)
	} else {
		c.t.Logf("one more was answered after %v", took)
	}
}

// ask has one person ask, tells when the answer begins, and gives the whole text.
func (c *crowd) ask(ctx context.Context, question string, begun func()) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": c.model.Name, "stream": true, "messages": []any{map[string]string{"role": "user", "content": question}},
	})
	if err != nil {
		return "", err
	}
	res, err := c.send(ctx, body)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var text strings.Builder
	finish := ""
	for s := bufio.NewScanner(res.Body); s.Scan(); {
		data, ok := strings.CutPrefix(s.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta  struct{ Content string }
				Finish string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return text.String(), fmt.Errorf("%s: %w", data, err)
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != "" && text.Len() == 0 {
				begun()
			}
			text.WriteString(choice.Delta.Content)
			finish += choice.Finish
		}
	}
	if finish != "stop" {
		return text.String(), fmt.Errorf("status %d, the reply ended with %q", res.StatusCode, finish)
	}
	return text.String(), nil
}

func (c *crowd) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.OpenAI+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	return c.client.Do(req)
}

// slow holds sockets open, each slow in its way, until the function that it gives is
// called. One that loci drops is opened again after a moment.
func (c *crowd) slow(n int) (end func()) {
	host := strings.TrimPrefix(c.URL, "http://")
	head := "POST /v1/chat/completions HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n"
	ways := []string{
		"", // says nothing
		"GET / HTTP/1.1\r\nHost: " + host + "\r\nX-Slow: ",    // never ends its head
		head + "Authorization: Bearer " + c.Key + "\r\n\r\n{", // nor its body
		head + "\r\n{", // nor that, without a key
		strings.Repeat("GET /v1/models HTTP/1.1\r\nHost: "+host+"\r\nAuthorization: Bearer "+c.Key+"\r\n\r\n", 100), // never reads
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	var tasks, opened sync.WaitGroup
	for i := range n {
		way := ways[i%len(ways)]
		opened.Add(1)
		tasks.Go(func() {
			first := opened.Done
			for ctx.Err() == nil {
				conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
				if err != nil {
					if ctx.Err() == nil {
						c.t.Errorf("a slow socket was not let in: %v", err)
					}
					first()
					return
				}
				stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
				_, _ = io.WriteString(conn, way)
				first()
				first = func() {}
				if strings.HasPrefix(way, "GET /v1/models") {
					<-ctx.Done()
				}
				_, _ = io.Copy(io.Discard, conn) // until loci has had enough
				stop()
				_ = conn.Close()
				select {
				case <-time.After(crowdPatience):
				case <-ctx.Done():
				}
			}
		})
	}
	opened.Wait()
	return func() {
		cancel()
		tasks.Wait()
	}
}

// watch looks at loci's anonymous memory until the function that it gives is called,
// which tells the most that it saw, in bytes.
func (c *crowd) watch() (most func() int64) {
	var peak atomic.Int64
	ctx, cancel := context.WithCancel(c.t.Context())
	var task sync.WaitGroup
	task.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			peak.Store(max(peak.Load(), c.anonymous()))
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	return func() int64 {
		cancel()
		task.Wait()
		return peak.Load()
	}
}

// anonymous is loci's anonymous memory in bytes.
func (c *crowd) anonymous() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		c.t.Error(err)
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kB, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				c.t.Error(err)
			}
			return kB << 10
		}
	}
	c.t.Error("the system does not tell how much anonymous memory a process has")
	return 0
}

// files is how many file descriptors loci has.
func (c *crowd) files() int {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
	if err != nil {
		c.t.Error(err)
	}
	return len(list)
}

// settle waits until loci has no more than so many files open.
func (c *crowd) settle(most int) {
	c.t.Helper()
	if !await.Within(20*time.Second, func() bool { return c.files() <= most }) {
		c.t.Errorf("loci has %d files open, and should have %d", c.files(), most)
	}
}
