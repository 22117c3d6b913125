package intent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"loci"
	"loci/internal/embedded/embeddedtest"
	"loci/internal/intent"
	"loci/internal/lang"
)

// long has the tests that ask very much ask all of it.
var long = flag.Bool("long", false, "ask all that there is to ask")

func TestMain(m *testing.M) {
	code := m.Run()
	embeddedtest.Stop()
	os.Exit(code)
}

// server is the embedder behind an OpenAI embeddings endpoint.
type server struct{ url, key, model string }

func (s server) Embed(ctx context.Context, texts []string) ([][]float32, string, error) {
	body, err := json.Marshal(map[string]any{"model": s.model, "input": texts})
	if err != nil {
		return nil, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	var reply struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		return nil, "", err
	}
	if len(reply.Data) != len(texts) {
		return nil, "", fmt.Errorf("status %s, %d vectors", resp.Status, len(reply.Data))
	}
	vectors := make([][]float32, len(texts))
	for _, d := range reply.Data {
		vectors[d.Index] = d.Embedding
	}
	return vectors, s.model, nil
}

// remembered embeds each text once for all tests: a thousand examples take longer than
// all that is asked of them.
type remembered struct{ server }

var (
	remembering sync.Mutex
	vectorOf    = map[string][]float32{}
)

func (r remembered) Embed(ctx context.Context, texts []string) ([][]float32, string, error) {
	remembering.Lock()
	defer remembering.Unlock()
	var missing []string
	for _, text := range texts {
		if vectorOf[text] == nil && !slices.Contains(missing, text) {
			missing = append(missing, text)
		}
	}
	if len(missing) > 0 {
		vectors, _, err := r.server.Embed(ctx, missing)
		if err != nil {
			return nil, "", err
		}
		for i, text := range missing {
			vectorOf[text] = vectors[i]
		}
	}
	all := make([][]float32, len(texts))
	for i, text := range texts {
		all[i] = vectorOf[text]
	}
	return all, r.model, nil
}

// TestRealEmbedder measures the rules and the nearest examples together.
func TestRealEmbedder(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the embedded models")
	}
	s := embeddedtest.Start(t).Embed
	r := intent.New(intent.Config{Embedder: remembered{server{s.URL(), s.Key(), s.Model()}}})
	for file, least := range map[string]float64{"testdata/tuning.tsv": 0.90, "testdata/heldout.tsv": 0.90, "testdata/paraphrases.tsv": 0.70} {
		tool, args, onTalk := share(t, r, file)
		t.Logf("%s: %.1f %% right tool, %.1f %% right arguments too", file, 100*tool, 100*args)
		if tool < least {
			t.Errorf("%s: only %.1f %% right", file, 100*tool)
		}
		if onTalk > 0 {
			t.Errorf("%s: %d requests that are plain talk ran a tool", file, onTalk)
		}
	}
}

// letters embeds a text as its counts of letters: enough for texts that are
// nearly the same.
type letters struct {
	calls atomic.Int32
	texts atomic.Int32
	err   error
}

func (l *letters) Embed(_ context.Context, texts []string) ([][]float32, string, error) {
	l.calls.Add(1)
	l.texts.Add(int32(len(texts)))
	if l.err != nil {
		return nil, "", l.err
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = make([]float32, 26*26)
		t = strings.ToLower(t)
		for j := 0; j+1 < len(t); j++ {
			if a, b := t[j]-'a', t[j+1]-'a'; a < 26 && b < 26 {
				vectors[i][int(a)*26+int(b)]++
			}
		}
	}
	return vectors, "letters", nil
}

// picks is a Chooser that always picks the same option.
type picks struct {
	index   int
	err     error
	model   string
	options []string
}

func (p *picks) Choose(_ context.Context, model, _ string, options []string) (int, error) {
	p.model, p.options = model, options
	return p.index, p.err
}

var offered = []loci.ToolSpec{
	{Name: "list_processes", Description: "Lists the busiest programs. More.", Examples: []string{"Wherefore doth mine engine hum?", "哪些进程？"}},
	{Name: "system_info", Description: "Tells about this computer. More.", Examples: []string{"How fares the machine in its memory?"}},
	{Name: "read_file", Description: "Reads a file. More.", Examples: []string{"Recite unto me scroll.txt."}},
}

func TestNearestExamples(t *testing.T) {
	l := &letters{}
	r := intent.New(intent.Config{Embedder: l})
	for _, tc := range []struct{ text, want string }{
		{"Wherefore doth mine engine hum", `list_processes {}`},
		{"How fares the machine in its memory?", `system_info {"part":"memory"}`},
		{"Recite unto me other.md", `read_file {"path":"other.md"}`},
		{"Recite unto me", ``}, // near, but nothing to read
		{"Wholly unlike anything", ``},
	} {
		m, err := r.Next(t.Context(), loci.Situation{Text: tc.text, Lang: lang.Of(tc.text), Tools: offered, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m.Call != nil {
			got = m.Call.Name + " " + string(m.Call.Arguments)
		}
		if got != tc.want {
			t.Errorf("%q: %q, want %q", tc.text, got, tc.want)
		}
	}
	before := l.texts.Load()
	if _, err := r.Next(t.Context(), loci.Situation{Text: "Something new altogether", Lang: "en", Tools: offered, Now: now}); err != nil {
		t.Fatal(err)
	}
	if n := l.texts.Load() - before; n != 1 {
		t.Errorf("%d texts were embedded for one more request", n)
	}
	done := []loci.ToolResult{{Call: loci.ToolCall{Name: "list_processes"}, Text: "Nothing runs."}}
	m, err := r.Next(t.Context(), loci.Situation{Text: "Wherefore doth mine engine hum", Lang: "en", Tools: offered, Results: done, Now: now})
	if err != nil || m.Say != "Nothing runs." {
		t.Errorf("after the call: %+v, %v", m, err)
	}
}

func TestChooserDecidesInDoubt(t *testing.T) {
	const text = "Wherefore doth the machine hum its memory" // between two examples
	for _, tc := range []struct {
		picks picks
		want  string
	}{
		{picks{index: 0}, "system_info"},
		{picks{index: 99}, ""},
		{picks{index: -1}, ""},
		{picks{err: errors.New("no model")}, ""},
		{picks{index: 1}, "list_processes"},
	} {
		r := intent.New(intent.Config{Embedder: &letters{}, Chooser: &tc.picks})
		m, err := r.Next(t.Context(), loci.Situation{Text: text, Tools: offered, Lang: "en", Model: "tiny", Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m.Call != nil {
			got = m.Call.Name
		}
		if got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.picks, got, tc.want)
		}
		if tc.picks.model != "tiny" {
			t.Errorf("the model %q was asked", tc.picks.model)
		}
		if n := len(tc.picks.options); n < 2 || n > 4 || tc.picks.options[0] != "Tells about this computer" {
			t.Errorf("options %q", tc.picks.options)
		}
	}
	m, err := intent.New(intent.Config{Embedder: &letters{}}).Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Tools: offered, Now: now})
	if err != nil || m.Call == nil || m.Call.Name != "system_info" {
		t.Errorf("without a chooser the nearest counts: %+v, %v", m, err)
	}
}

func TestFailingEmbedderLeavesTheRules(t *testing.T) {
	var log bytes.Buffer
	r := intent.New(intent.Config{Embedder: &letters{err: errors.New("gone")}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	m, err := r.Next(t.Context(), loci.Situation{Text: "Wherefore doth mine engine hum secretly", Lang: "en", Tools: offered, Now: now})
	if err != nil || m.Talk == nil {
		t.Errorf("%+v, %v", m, err)
	}
	if s := log.String(); !strings.Contains(s, "level=WARN") || !strings.Contains(s, "gone") || strings.Contains(s, "secretly") {
		t.Errorf("log: %s", s)
	}
	m, err = r.Next(t.Context(), loci.Situation{Text: "what is using my CPU?", Lang: "en", Tools: offered, Now: now})
	if err != nil || m.Call == nil || m.Call.Name != "list_processes" {
		t.Errorf("the rules: %+v, %v", m, err)
	}
}

// gate is an embedder whose calls with a certain number of texts wait.
type gate struct {
	letters
	size  int // of the vectors; 0: as they come
	waits func(texts []string) chan struct{}
}

func (g *gate) Embed(ctx context.Context, texts []string) ([][]float32, string, error) {
	if g.waits != nil {
		select {
		case <-g.waits(texts):
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
	vectors, model, err := g.letters.Embed(ctx, texts)
	if g.size > 0 {
		for i := range vectors {
			vectors[i] = append(vectors[i], make([]float32, g.size)...)
		}
	}
	return vectors, model, err
}

// TestNobodyWaitsForAnother has one request hang in the embedder: others go on,
// and those that wait for the examples stop with their own context.
func TestNobodyWaitsForAnother(t *testing.T) {
	ask := func(ctx context.Context, r *intent.Router, text string) (loci.Move, error) {
		return r.Next(ctx, loci.Situation{Text: text, Lang: "en", Tools: offered, Now: now})
	}
	const known = "Wherefore doth mine engine hum"
	synctest.Test(t, func(t *testing.T) {
		never, open := make(chan struct{}), make(chan struct{})
		close(open)
		g := &gate{waits: func(texts []string) chan struct{} {
			if strings.Contains(texts[0], "slow") {
				return never
			}
			return open
		}}
		r := intent.New(intent.Config{Embedder: g})
		ctx, cancel := context.WithCancel(t.Context())
		slow := make(chan error, 1)
		go func() {
			_, err := ask(ctx, r, "Wherefore doth the slow one hum")
			slow <- err
		}()
		synctest.Wait()
		if m, err := ask(t.Context(), r, known); err != nil || m.Call == nil {
			t.Errorf("beside a slow request: %+v, %v", m, err)
		}
		cancel()
		if err := <-slow; !errors.Is(err, context.Canceled) {
			t.Errorf("the slow request: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		examples, open := make(chan struct{}), make(chan struct{})
		close(open)
		g := &gate{waits: func(texts []string) chan struct{} {
			if len(texts) > 1 {
				return examples
			}
			return open
		}}
		r := intent.New(intent.Config{Embedder: g})
		done := make(chan error, 3)
		for range 2 {
			go func() {
				_, err := ask(t.Context(), r, known)
				done <- err
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := ask(ctx, r, known); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for the examples did not end: %v", err)
		}
		close(examples)
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		alone := &letters{}
		if _, err := ask(t.Context(), intent.New(intent.Config{Embedder: alone}), known); err != nil {
			t.Fatal(err)
		}
		if n, want := g.texts.Load(), alone.texts.Load()+2; n != want {
			t.Errorf("%d texts were embedded for three requests and one set of examples, want %d", n, want)
		}
	})
}

// TestAnotherEmbedder changes the length of the vectors: the tier goes on choosing.
func TestAnotherEmbedder(t *testing.T) {
	g := &gate{}
	r := intent.New(intent.Config{Embedder: g})
	for _, size := range []int{0, 10, 0} {
		g.size = size
		m, err := r.Next(t.Context(), loci.Situation{Text: "Wherefore doth mine engine hum", Lang: "en", Tools: offered, Now: now})
		if err != nil || m.Call == nil || m.Call.Name != "list_processes" {
			t.Errorf("with %d more numbers: %+v, %v", size, m, err)
		}
	}
}
