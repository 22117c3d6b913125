package e2e_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"loci"
	"loci/internal/fake"
)

// python is the interpreter with the official clients, which make test sets up.
func python(t *testing.T) string {
	t.Helper()
	p := os.Getenv("LOCI_TEST_PYTHON")
	if p == "" {
		t.Skip("the official Python clients are set up by make test")
	}
	return p
}

// The official openai and ollama packages talk to loci, streaming and not, with
// the key in a header and in the address.
func TestOfficialClients(t *testing.T) {
	interpreter := python(t)
	for _, dialect := range []loci.Dialect{loci.OpenAI, loci.Ollama} {
		t.Run(string(dialect)+" backend", func(t *testing.T) {
			m := fake.NewModel()
			m.Answer = func(r *fake.Request) (fake.Reply, bool) {
				switch {
				case len(r.Tools) == 0: // a completion, without the agent
					return fake.Reply{Text: "upon a time"}, true
				case r.Purpose == loci.PurposeChat:
					return fake.Reply{Calls: []loci.ToolCall{fake.Call("read_file", `{"path":"notes.md"}`)}}, true
				case r.Purpose == loci.PurposeStep:
					return fake.Reply{Text: "You should buy milk."}, true
				}
				return fake.Reply{}, false
			}
			backend := m.OpenAI(t)
			if dialect == loci.Ollama {
				backend = m.Ollama(t)
			}
			in := serve(t, options{args: []string{"--backend", backend, "--allow", folder(t)}})
			chatKey, err := os.ReadFile(in.home + "/config/chat-key")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), interpreter, "../clients/official.py",
				in.URL, in.Key, in.URL+"/k/"+strings.TrimSpace(string(chatKey)), "fake", "fake")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if n := strings.Count(string(out), "ok "); n < 30 {
				t.Errorf("only %d checks ran:\n%s", n, out)
			}
		})
	}
}
