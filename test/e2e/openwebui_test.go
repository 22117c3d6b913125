package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"loci/internal/await"
	"loci/internal/fake"
)

// A person in a browser talks to loci through the real Open WebUI, over both
// its connections, with a model that has no native tools. Run by make
// test-clients, as the install is large.
func TestOpenWebUI(t *testing.T) {
	venv := os.Getenv("LOCI_TEST_OPENWEBUI")
	if venv == "" {
		t.Skip("Open WebUI is set up by make test-clients")
	}
	shots := os.Getenv("LOCI_TEST_SCREENSHOTS")
	if shots == "" {
		shots = t.TempDir()
	}
	m := fake.NewModel()
	m.NoTools = true
	m.Answer = new(household).answer
	dir := folder(t)
	in := serve(t, options{args: []string{"--backend", m.Ollama(t), "--allow", dir}})
	ui := openWebUI(t, venv, in)

	cmd := exec.CommandContext(t.Context(), filepath.Join(venv, "bin/python"), "../clients/openwebui/browser.py", ui, dir, shots)
	if only := os.Getenv("LOCI_TEST_ONLY"); only != "" {
		cmd.Args = append(cmd.Args, only)
	}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("the browser: %v", err)
	}
	all := m.Requests()
	for i, r := range all {
		said := fmt.Sprint(r.Messages)
		behind := func(before *fake.Request) bool {
			n := len(before.Messages)
			return n < len(r.Messages) && fmt.Sprint(r.Messages[:n]) == fmt.Sprint(before.Messages)
		}
		if strings.Contains(said, "### Task:") && !slices.ContainsFunc(all[:i], behind) {
			t.Error("a job of the chat client threw the conversation out of the model's cache")
		}
		if strings.Contains(said, "a long story") && !strings.Contains(said, "should I buy") && !r.Canceled() {
			t.Error("the stop button did not stop the model")
		}
		if strings.Contains(said, "colour is blue") && strings.Contains(said, "colour is red") {
			t.Error("the model still reads what the person edited away")
		}
	}
	if _, sessions := in.get("/api/agent/sessions"); strings.Contains(sessions, "### Task:") {
		t.Error("jobs of the chat client are kept as conversations")
	}
}

// openWebUI starts Open WebUI with loci as its only model server, as an OpenAI
// server and as an Ollama server, and returns its address.
func openWebUI(t *testing.T, venv string, in *instance) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // Open WebUI wants a number
	_, port, _ := net.SplitHostPort(address)
	connection := func(name string, more string) string {
		return fmt.Sprintf(`{"0":{"enable":true,"key":%q,"prefix_id":%q%s}}`, in.Key, name, more)
	}
	home := t.TempDir()
	cmd := exec.Command(filepath.Join(venv, "bin/open-webui"), "serve", "--host", "127.0.0.1", "--port", port)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "DATA_DIR=" + home, "LANG=C.UTF-8",
		"WEBUI_AUTH=False", "WEBUI_SECRET_KEY=for-this-test",
		"OPENAI_API_BASE_URLS=" + in.URL + "/v1", "OPENAI_API_KEYS=" + in.Key,
		"OPENAI_API_CONFIGS=" + connection("openai", `,"headers":{"X-Loci-Session":"{{CHAT_ID}}","X-Loci-Task":"{{TASK}}"}`),
		"OLLAMA_BASE_URLS=" + in.URL,
		"OLLAMA_API_CONFIGS=" + connection("ollama", ""),
		// Nothing from the network: no model for embeddings, no version check.
		"OFFLINE_MODE=true", "HF_HUB_OFFLINE=1", "BYPASS_EMBEDDING_AND_RETRIEVAL=true", "RAG_EMBEDDING_ENGINE=ollama",
		"ANONYMIZED_TELEMETRY=false", "DO_NOT_TRACK=true", "SCARF_NO_ANALYTICS=true",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var log lockedBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the end of Open WebUI's log:\n%s", tail(log.String(), 6000))
		}
	})
	answers(t, "http://"+address+"/health", 5*time.Minute)
	return "http://" + address
}

// answers waits until a server answers with 200.
func answers(t *testing.T, url string, atMost time.Duration) {
	t.Helper()
	ok := await.Within(atMost, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	if !ok {
		t.Fatalf("%s did not answer within %s", url, atMost)
	}
}

// household is a model without native tools, for a person who talks about the
// files of [folder]. What it says depends on the newest message only, so that
// nothing which comes in between moves its script.
type household struct {
	mu    sync.Mutex
	seeds int // times it was asked for a number
}

var (
	toldDay = regexp.MustCompile(`Today is ([^(]+) \(`)
	seconds = regexp.MustCompile(`\d{10}`)
)

func (h *household) answer(r *fake.Request) (fake.Reply, bool) {
	last := r.Messages[len(r.Messages)-1].Content
	all := fmt.Sprint(r.Messages)
	says := func(text string) (fake.Reply, bool) { return fake.Reply{Text: text}, true }
	has := func(s string) bool { return strings.Contains(last, s) }
	switch {
	case has("What day is it"):
		if found := toldDay.FindStringSubmatch(all); found != nil {
			return says("It is " + found[1] + ".")
		}
		return says("I cannot know that.")
	case has("What should I buy"):
		return says("I will look into your notes.\n<tool>read_file(path=\"notes.md\")</tool>")
	case has("<tool_output>") && has("Buy milk and bread"):
		return says("You should buy milk and bread.")
	case has("Write a list to "):
		_, name, _ := strings.Cut(last, "Write a list to ")
		name, _, _ = strings.Cut(name, ".md")
		return says(fmt.Sprintf("<tool>write_file(path=\"%s.md\", content=\"- milk\\n- bread\\n\")</tool>", name))
	case has("<tool_output>") && has("error"):
		return says("Then I leave it.")
	case has("<tool_output>") && has("timestamp"):
		return says("Your clock says " + seconds.FindString(last) + ".")
	case has("<tool_output>"):
		return says("Done, I wrote the list.")
	case has("Ask your own clock"):
		return says("<tool>get_current_timestamp()</tool>")
	case has("Tell me a long story"):
		return fake.Reply{Text: "Once upon a time there was a mill.", Hold: make(chan struct{})}, true
	case has("My favourite colour is "):
		_, colour, _ := strings.Cut(last, "My favourite colour is ")
		colour, _, _ = strings.Cut(colour, ".")
		return says("I like " + colour + " too.")
	case has("Give me a number"):
		h.mu.Lock()
		defer h.mu.Unlock()
		h.seeds++
		return says(fmt.Sprintf("Number %d.", h.seeds))
	}
	return fake.Reply{}, false
}
