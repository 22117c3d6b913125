package fake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"loci"
	"loci/internal/wire/ollama"
	"loci/internal/wire/openai"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// decodeOpenAI reads a stream to its end, however long that takes.
func decodeOpenAI(r io.Reader) iter.Seq2[loci.Chunk, error] { return openai.DecodeStream(r, nil) }

// ask sends a chat to the model and reads the streamed reply.
func ask(ctx context.Context, t *testing.T, m *Model, dialect loci.Dialect, req loci.Request) (loci.Chunk, error) {
	t.Helper()
	if req.Model == "" {
		req.Model = "fake"
	}
	if req.Messages == nil {
		req.Messages = []loci.Message{{Role: loci.User, Content: "hi"}}
	}
	url, encode, decode, fail := m.OpenAI(t)+"/chat/completions", openai.EncodeChat, decodeOpenAI, openai.DecodeError
	if dialect == loci.Ollama {
		url, encode, decode, fail = m.Ollama(t)+"/api/chat", ollama.EncodeChat, ollama.DecodeStream, ollama.DecodeError
	}
	body, err := encode(req, true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Loci-Purpose", string(req.Purpose))
	resp, err := client.Do(r)
	if err != nil {
		return loci.Chunk{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(resp.Body)
		return loci.Chunk{}, fail(resp.StatusCode, b)
	}
	var got loci.Chunk
	var text strings.Builder
	for c, err := range decode(resp.Body) {
		if err != nil {
			return loci.Chunk{Text: text.String()}, err
		}
		text.WriteString(c.Text)
		got = c
	}
	got.Text = text.String()
	return got, nil
}

// client keeps no connection, so that nothing is left when a test ends.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

var dialects = []loci.Dialect{loci.OpenAI, loci.Ollama}

func TestScript(t *testing.T) {
	for _, d := range dialects {
		m := NewModel(Reply{Calls: []loci.ToolCall{Call("list_dir", `{"path":"."}`)}}, Reply{Text: "Two files."})
		got, err := ask(t.Context(), t, m, d, loci.Request{Tools: []loci.ToolSpec{{Name: "list_dir"}}})
		if err != nil || got.Finish != loci.FinishTools || !cmp.Equal(got.ToolCalls, []loci.ToolCall{Call("list_dir", `{"path":"."}`)}) {
			t.Errorf("%s: first reply %+v, %v", d, got, err)
		}
		if _, err := ask(t.Context(), t, m, d, loci.Request{Purpose: loci.PurposeProbe}); err != nil || m.Left() != 1 {
			t.Errorf("%s: a probe used up the script (%d left, %v)", d, m.Left(), err)
		}
		got, err = ask(t.Context(), t, m, d, loci.Request{Purpose: loci.PurposeStep})
		if err != nil || got.Text != "Two files." || got.Finish != loci.FinishStop || got.Usage == nil {
			t.Errorf("%s: second reply %+v, %v", d, got, err)
		}
		if _, err = ask(t.Context(), t, m, d, loci.Request{}); err == nil || !strings.Contains(err.Error(), "no reply left") {
			t.Errorf("%s: after the script: %v", d, err)
		}
		if n, turn := len(m.Requests()), len(m.Turn()); n != 4 || turn != 3 {
			t.Errorf("%s: %d requests, %d of the conversation", d, n, turn)
		}
		first := m.Requests()[0]
		if first.Dialect != d || len(first.Tools) != 1 || first.Messages[0].Content != "hi" || !first.Stream || first.Canceled() {
			t.Errorf("%s: recorded %+v", d, first)
		}
	}
}

// The cache is one of a real server: only what is appended is read, unless another
// conversation took the slot or the template moves the tools.
func TestPretendedCache(t *testing.T) {
	question := loci.Message{Role: loci.User, Content: strings.Repeat("x", 400)}
	talk := []loci.Message{question, {Role: loci.Assistant, Content: "an answer"}, {Role: loci.User, Content: "more"}}
	tools := []loci.ToolSpec{{Name: "list_dir", Description: strings.Repeat("d", 400)}}
	read := func(m *Model, messages []loci.Message, tools []loci.ToolSpec) int {
		t.Helper()
		got, err := ask(t.Context(), t, m, loci.OpenAI, loci.Request{Messages: messages, Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		return got.Usage.Prompt - *got.Usage.Cached
	}
	for _, tc := range []struct {
		name         string
		slots        int
		last, other  bool
		atLeast, max int
	}{
		{"one after the other", 1, false, false, 1, 10},
		{"another conversation between", 1, false, true, 200, 230},
		{"another conversation, two slots", 2, false, true, 1, 10},
		{"tools in the newest message", 1, true, false, 200, 230},
	} {
		m := NewModel(Reply{Text: "an answer"}, Reply{Text: "b"}, Reply{Text: "c"})
		m.Slots, m.ToolsLast = tc.slots, tc.last
		if n := read(m, talk[:1], tools); n < 200 {
			t.Errorf("%s: of a new prompt only %d tokens were read", tc.name, n)
		}
		if tc.other {
			read(m, []loci.Message{{Role: loci.User, Content: "Something else."}}, nil)
		}
		if n := read(m, talk, tools); n < tc.atLeast || n > tc.max {
			t.Errorf("%s: %d tokens were read, want %d to %d", tc.name, n, tc.atLeast, tc.max)
		}
	}
}

func TestThingsGoWrong(t *testing.T) {
	for _, d := range dialects {
		m := NewModel(
			Reply{Text: "Half a sentence", CutAt: 200},
			Reply{Text: "Half", Error: "runner stopped"},
			Reply{Status: http.StatusTooManyRequests, Error: "busy", Header: http.Header{"Retry-After": {"1"}}},
			Reply{Raw: "<html>"},
		)
		if got, err := ask(t.Context(), t, m, d, loci.Request{}); loci.AsError(err).Code != loci.Truncated || got.Finish != "" {
			t.Errorf("%s: cut: %+v, %v", d, got, err)
		}
		if got, err := ask(t.Context(), t, m, d, loci.Request{}); err == nil || !strings.Contains(err.Error(), "runner stopped") || got.Text != "Half" {
			t.Errorf("%s: error in the stream: %+v, %v", d, got, err)
		}
		if _, err := ask(t.Context(), t, m, d, loci.Request{}); loci.AsError(err).Code != loci.Overloaded {
			t.Errorf("%s: status: %v", d, err)
		}
		if _, err := ask(t.Context(), t, m, d, loci.Request{}); loci.AsError(err).Code != loci.Truncated {
			t.Errorf("%s: raw: %v", d, err)
		}
		m.NoTools = true
		if _, err := ask(t.Context(), t, m, d, loci.Request{Tools: []loci.ToolSpec{{Name: "f"}}}); err == nil || !strings.Contains(err.Error(), "does not support tools") {
			t.Errorf("%s: tools: %v", d, err)
		}
		if _, err := ask(t.Context(), t, m, d, loci.Request{Model: "other"}); loci.AsError(err).Code != loci.NotFound {
			t.Errorf("%s: another model: %v", d, err)
		}
		m.Key = "secret"
		if _, err := ask(t.Context(), t, m, d, loci.Request{}); loci.AsError(err).Code != loci.Refused {
			t.Errorf("%s: no key: %v", d, err)
		}
	}
}

func TestHoldAndLeave(t *testing.T) {
	for _, d := range dialects {
		release := make(chan struct{})
		m := NewModel(Reply{Text: "one two", Hold: release}, Reply{Text: "never", Wait: make(chan struct{})})
		type result struct {
			c   loci.Chunk
			err error
		}
		results := make(chan result)
		go func() {
			c, err := ask(t.Context(), t, m, d, loci.Request{})
			results <- result{c, err}
		}()
		m.Await(t, 1)
		close(release)
		if r := <-results; r.err != nil || r.c.Text != "one two" {
			t.Errorf("%s: held reply %+v, %v", d, r.c, r.err)
		}

		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			c, err := ask(ctx, t, m, d, loci.Request{})
			results <- result{c, err}
		}()
		second := m.Await(t, 2)
		cancel()
		if r := <-results; !errors.Is(r.err, context.Canceled) || !second.Canceled() {
			t.Errorf("%s: left: %v, canceled %v", d, r.err, second.Canceled())
		}
	}
}

func TestAnswer(t *testing.T) {
	m := NewModel(Reply{Text: "scripted"})
	m.Answer = func(r *Request) (Reply, bool) {
		return Reply{Pieces: []string{"tools: ", r.Tools[0].Name}}, len(r.Tools) > 0
	}
	m.On(loci.PurposeJob, Reply{Text: "a title"})
	got, err := ask(t.Context(), t, m, loci.Ollama, loci.Request{Tools: []loci.ToolSpec{{Name: "f"}}})
	if err != nil || got.Text != "tools: f" {
		t.Errorf("answer %+v, %v", got, err)
	}
	m.Answer = nil
	for purpose, want := range map[loci.Purpose]string{loci.PurposeJob: "a title", loci.PurposeWarmup: "ok", "": "scripted"} {
		if got, err := ask(t.Context(), t, m, loci.Ollama, loci.Request{Purpose: purpose}); err != nil || got.Text != want {
			t.Errorf("purpose %q: %+v, %v; want %q", purpose, got, err, want)
		}
	}
}

// get fetches a path, or posts the body if there is one.
func get(t *testing.T, m *Model, path, body string) (int, []byte) {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, m.Start(t)+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, b
}

// whole is the text of a reply that is not streamed. One of Ollama has the form
// of a stream of one line.
func whole(path string, reply []byte) (text string, err error) {
	if strings.HasPrefix(path, "/v1/") {
		c, err := openai.DecodeReply(reply)
		return c.Text, err
	}
	for c, err := range ollama.DecodeStream(bytes.NewReader(reply)) {
		if err != nil {
			return "", err
		}
		text += c.Text
	}
	return text, nil
}

func TestWholeReplies(t *testing.T) {
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"fake","messages":[{"role":"user","content":"hi"}]}`,
		"/v1/completions":      `{"model":"fake","prompt":"hi"}`,
		"/api/chat":            `{"model":"fake","messages":[{"role":"user","content":"hi"}],"stream":false}`,
		"/api/generate":        `{"model":"fake","prompt":"hi","stream":false}`,
	} {
		m := NewModel(Reply{Text: "Hello you."})
		status, reply := get(t, m, path, body)
		text, err := whole(path, reply)
		if status != 200 || err != nil || text != "Hello you." {
			t.Errorf("%s: %d %s, %v", path, status, reply, err)
		}
		if status, reply = get(t, m, path, "{"); status != http.StatusBadRequest || !bytes.Contains(reply, []byte("JSON")) {
			t.Errorf("%s with a broken body: %d %s", path, status, reply)
		}
	}
	for path, body := range map[string]string{
		"/v1/completions": `{"model":"fake","prompt":"hi","stream":true}`,
		"/api/generate":   `{"model":"fake","prompt":"hi"}`,
	} {
		m := NewModel(Reply{Text: "Hello you."})
		_, reply := get(t, m, path, body)
		decode := decodeOpenAI
		if strings.HasPrefix(path, "/api/") {
			decode = ollama.DecodeStream
		}
		text := ""
		for c, err := range decode(bytes.NewReader(reply)) {
			if err != nil {
				t.Fatal(err)
			}
			text += c.Text
		}
		if text != "Hello you." || m.Last().Prompt != "hi" {
			t.Errorf("%s: %q after %q", path, text, m.Last().Prompt)
		}
	}
}

func TestTells(t *testing.T) {
	m := NewModel()
	m.Vision, m.Window = true, 2048
	_, body := get(t, m, "/api/show", `{"model":"fake"}`)
	show, err := ollama.DecodeShow(body)
	if err != nil || show.Window() != 2048 || !cmp.Equal(show.Capabilities, []string{"completion", "tools", "vision"}) {
		t.Errorf("show %+v, %v", show, err)
	}
	for path, want := range map[string]string{
		"/": "Ollama is running", "/health": "ok", "/props": `"n_ctx":2048`, "/v1/models": `"id":"fake"`,
		"/api/tags": `"model":"fake"`, "/api/ps": `"context_length":2048`, "/api/version": "0.17.4",
	} {
		if status, b := get(t, m, path, ""); status != 200 || !bytes.Contains(b, []byte(want)) {
			t.Errorf("%s: %d %s", path, status, b)
		}
	}
	_, a := get(t, m, "/v1/embeddings", `{"model":"fake","input":["a cat","the cat"]}`)
	_, b := get(t, m, "/api/embed", `{"model":"fake","input":["a cat","the cat"]}`)
	va, _, err := openai.DecodeEmbedReply(a)
	if err != nil {
		t.Fatal(err)
	}
	vb, _, err := ollama.DecodeEmbedReply(b)
	if diff := cmp.Diff(va, vb); diff != "" || err != nil || len(va) != 2 {
		t.Errorf("embeddings differ:\n%s%v", diff, err)
	}
	m.Only = loci.OpenAI
	if status, _ := get(t, m, "/api/tags", ""); status != http.StatusNotFound {
		t.Errorf("a server that only speaks OpenAI answers /api/tags with %d", status)
	}
	if paths := m.Paths(); paths[0] != "POST /api/show" || paths[len(paths)-1] != "GET /api/tags" {
		t.Errorf("paths %v", paths)
	}
}

func TestEmbedder(t *testing.T) {
	vectors, err := Embedder{}.Embed(t.Context(), []string{"list the files in notes", "which files are in notes", "what is the weather in Prague", "", "list the files in notes"})
	if err != nil {
		t.Fatal(err)
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	for i, v := range vectors {
		if len(v) != 64 || math.Abs(dot(v, v)-1) > 1e-5 {
			t.Errorf("vector %d has length %v in %d dimensions", i, dot(v, v), len(v))
		}
	}
	if near, far := dot(vectors[0], vectors[1]), dot(vectors[0], vectors[2]); near <= far {
		t.Errorf("related texts are %v near, others %v", near, far)
	}
	if diff := cmp.Diff(vectors[0], vectors[4]); diff != "" {
		t.Errorf("the same text has two vectors:\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Embedder{Dim: 8}).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
}
