package e2e_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/fake"
)

var long = flag.Bool("long", false, "run 100 rounds of kill -9 instead of 10")

// TestKillAroundTheYes kills loci with -9 between a question and its answer, and
// at moments around the effect. The file is always one or the other text, whole;
// it never changes without a yes, and a yes never counts twice.
func TestKillAroundTheYes(t *testing.T) {
	rounds := 10
	if *long {
		rounds = 100
	}
	dir, home := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "big.txt")
	before := whole("before", 0)
	if err := os.WriteFile(file, before, 0o644); err != nil {
		t.Fatal(err)
	}
	written := 0
	var takes time.Duration // from the yes to the answer, if nobody kills it
	for round := range rounds + 1 {
		after := whole("after", round)
		args, _ := json.Marshal(map[string]string{"path": "big.txt", "content": string(after)})
		m := fake.NewModel(fake.Reply{Calls: []loci.ToolCall{fake.Call("write_file", string(args))}}, fake.Reply{Text: "Done."})
		o := options{home: home, args: []string{"--backend", m.Ollama(t), "--allow", dir}}
		in := serve(t, o)
		restart := func() {
			in.kill()
			in = serve(t, o)
		}
		question := sayTo(in, nil, "write it")
		code(t, question)
		restart()
		if got := read(t, file); !bytes.Equal(got, before) {
			t.Fatalf("round %d: it changed without a yes", round)
		}
		// The answer is on its way when loci dies: before, in, or after the effect.
		history := said("write it", question)
		if round == 0 {
			start := time.Now()
			sayTo(in, history, "yes")
			takes = time.Since(start)
		} else {
			go sayTo(in, history, "yes")
			<-time.After(rand.N(takes * 5 / 4))
		}
		restart()
		got := read(t, file)
		switch {
		case bytes.Equal(got, after):
			written++
		case round == 0:
			t.Fatalf("nothing was written, though nobody killed it: %d bytes, %.40q", len(got), got)
		case !bytes.Equal(got, before):
			t.Fatalf("round %d: half a file: %d bytes, %.40q", round, len(got), got)
		}
		begun := in.audited(after)
		if bytes.Equal(got, after) && begun != 1 || begun > 1 {
			t.Fatalf("round %d: the file was written, and %d rows of the audit log say that it was begun", round, begun)
		}
		// Whatever happened, a second yes does not do it again: not where the file is
		// another, and not where it is once more what the question was about.
		mark := whole("mark", round)
		if bytes.Equal(got, after) && round%2 == 0 {
			mark = before
		}
		if err := os.WriteFile(file, mark, 0o644); err != nil {
			t.Fatal(err)
		}
		if reply := sayTo(in, history, "yes"); !bytes.Equal(read(t, file), mark) {
			t.Fatalf("round %d: done twice, or not what was agreed to; the reply was %q", round, reply)
		}
		before = mark
		if left := files(t, dir); len(left) != 1 {
			t.Errorf("round %d left %v", round, left)
		}
		in.kill()
	}
	if n := written - 1; *long && (n == 0 || n == rounds) {
		t.Errorf("all kills fell on one side of the effect: %d of %d were written", n, rounds)
	}
	t.Logf("a yes took %v; %d of %d were written by the time loci was killed", takes, written-1, rounds)
}

// whole is a text of some megabytes that is all of one piece.
func whole(name string, round int) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("%s %04d\n", name, round)), 100_000)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// audited verifies the audit log, and counts its intents to write a text.
func (in *instance) audited(text []byte) (begun int) {
	in.t.Helper()
	if status, body := in.get("/api/agent/audit/verify"); status != http.StatusOK || !strings.Contains(body, `"problems":[]`) {
		in.t.Fatalf("%d %s", status, body)
	}
	status, body := in.get("/api/agent/audit?kind=intent&tool=write_file&limit=3")
	var rows []struct {
		Arguments struct{ Content string }
		Outcome   string
	}
	if err := json.Unmarshal([]byte(body), &rows); err != nil || status != http.StatusOK {
		in.t.Fatalf("%d %.200s", status, body)
	}
	for _, r := range rows {
		if r.Arguments.Content != string(text) {
			continue
		}
		begun++
		if r.Outcome != "done" && !strings.HasPrefix(r.Outcome, "unknown: ") {
			in.t.Errorf("the outcome is %q", r.Outcome)
		}
	}
	return begun
}

// sayTo sends a message as a chat client does; a server that died gives "".
func sayTo(in *instance, history []map[string]string, text string) string {
	body, _ := json.Marshal(map[string]any{"model": "fake", "messages": append(history, map[string]string{"role": "user", "content": text})})
	req, err := http.NewRequest(http.MethodPost, in.URL+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return ""
	}
	req.Header.Set("Authorization", "Bearer "+in.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if json.NewDecoder(res.Body).Decode(&reply) != nil || len(reply.Choices) == 0 {
		return ""
	}
	return reply.Choices[0].Message.Content
}

// kill ends loci as a power cut would.
func (in *instance) kill() {
	in.killed = true
	_ = in.cmd.Process.Kill()
	in.stop()
}
