package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/fake"
)

// spoken is a model server that tells how fast it is, as llama-server does.
func spoken(c fake.Character, read, write float64) *fake.Model {
	m := fake.NewModel()
	m.Name, m.Params, m.NoTools = "gemma-2b", 2_500_000_000, true
	m.Answer = func(r *fake.Request) (fake.Reply, bool) {
		reply, ok := c.Answer(r)
		if reply.Status != 0 {
			return reply, ok
		}
		prompt := 0
		for _, msg := range r.Messages {
			prompt += len(msg.Content) / 3
		}
		piece, _ := json.Marshal(reply.Text)
		return fake.Reply{Raw: fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%s},"finish_reason":"stop"}],"timings":{"cache_n":0,"prompt_n":%d,"prompt_ms":%f,"predicted_n":20,"predicted_ms":%f}}`+"\n\ndata: [DONE]\n\n",
			piece, prompt, float64(prompt)*1000/read, 20_000/write)}, true
	}
	return m
}

// TestProbe shows what was found out about a model, and the list knows it from then
// on. What the terminal shows is in testdata, to be looked at.
func TestProbe(t *testing.T) {
	m := spoken(fake.Character{Written: loci.MarkupToolCall, Stops: true, Roles: fake.GemmaOnVLLM}, 42.4, 6.25)
	p := newPerson(t, m.OpenAI(t))
	p.write("")
	if code := p.run("", "models"); code != 0 || !regexp.MustCompile(`gemma-2b +- +- +- +- +-`).MatchString(p.out.String()) {
		t.Errorf("before: exit code %d, %s%s", code, &p.out, &p.err)
	}
	shown := ""
	for _, args := range [][]string{{"models", "probe"}, {"models"}} {
		if code := p.run("", args...); code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, &p.err)
		}
		shown += "$ loci " + strings.Join(args, " ") + "\n" + p.err.String() + p.out.String()
	}
	shown = strings.ReplaceAll(shown, m.OpenAI(t), "http://127.0.0.1:8080/v1")
	want, err := os.ReadFile(filepath.Join("testdata", "models.txt"))
	if diff := cmp.Diff(string(want), shown); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v\n%s", diff, err, shown)
	}
	_, probed, _ := strings.Cut(string(want), "calls.\n")
	probed, _, _ = strings.Cut(probed, "$ loci models\n")
	if docs, err := os.ReadFile("../../docs/models.md"); err != nil || !strings.Contains(string(docs), "```\n"+probed+"```\n") {
		t.Errorf("docs/models.md does not show the trial as it is: %v", err)
	}
	var found loci.Profile
	if code := p.run("", "models", "probe", "gemma-2b", "--json"); code != 0 || json.Unmarshal(p.out.Bytes(), &found) != nil || found.Tier != loci.TierText || found.System != loci.No {
		t.Errorf("--json: exit code %d, %s%s", code, &p.out, &p.err)
	}
	// What the person knows better counts for more.
	p.write("models:\n  gemma-2b:\n    tier: tiny\n    dialect: json\n    window: 1234\n")
	if code := p.run("", "models"); code != 0 || !regexp.MustCompile(`gemma-2b +through loci +1,234`).MatchString(p.out.String()) {
		t.Errorf("set: exit code %d, %s", code, &p.out)
	}
	if code := p.run("", "models", "probe", "nobody"); code != loci.ExitFailure || !strings.Contains(p.err.String(), "nobody") {
		t.Errorf("no such model: exit code %d, %s", code, &p.err)
	}
}

// TestForetold tells at the terminal that a reply will take a while, and not in it.
func TestForetold(t *testing.T) {
	m := spoken(fake.Character{Written: loci.MarkupTool, Stops: true}, 25, 6)
	p := newPerson(t, m.OpenAI(t))
	if code := p.run("", "models", "probe"); code != 0 {
		t.Fatal(p.err.String())
	}
	if code := p.run("", "ask", "hi"); code != 0 || strings.TrimSpace(p.out.String()) != "Hello." ||
		!regexp.MustCompile(`The model reads about 25 tokens a second; this takes about \d+ seconds\.`).MatchString(p.err.String()) {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
}

// A trial whose prompt the server still has in its cache reads nothing, and so does not
// make the model one whose speed nobody knows.
func TestProbeAgain(t *testing.T) {
	m := spoken(fake.Character{Written: loci.MarkupTool, Stops: true}, 42.4, 6.25)
	p := newPerson(t, m.OpenAI(t))
	for _, cached := range []bool{false, true} {
		if fresh := m.Answer; cached {
			m.Answer = func(r *fake.Request) (fake.Reply, bool) {
				reply, ok := fresh(r)
				reply.Raw = regexp.MustCompile(`"cache_n":0,"prompt_n":(\d+)`).ReplaceAllString(reply.Raw, `"cache_n":$1,"prompt_n":0`)
				return reply, ok
			}
		}
		if code := p.run("", "models", "probe"); code != 0 || !strings.Contains(p.out.String(), "reads 42, writes 6.2 tokens a second") || !strings.Contains(p.out.String(), "first word     after about 22 seconds") {
			t.Errorf("cached %v: exit code %d, %s%s", cached, code, &p.out, &p.err)
		}
	}
}

// A server that does not answer is not the same as none; and a program that reads the list
// gets a name a line, as requests have it.
func TestModelsOf(t *testing.T) {
	p := newPerson(t, nowhere)
	if code := p.run("", "models"); code != 0 || !strings.Contains(p.err.String(), nowhere+" is not answering. Check that it is running") {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
	p = newPerson(t, yes().Ollama(t))
	p.piped = true
	if code := p.run("", "models"); code != 0 || !regexp.MustCompile(`^loci  [^\n]*\nfake  [^\n]*\n$`).MatchString(p.out.String()) {
		t.Errorf("exit code %d, %q%s", code, p.out.String(), &p.err)
	}
}

func TestDescribeProfile(t *testing.T) {
	for want, p := range map[string]loci.Profile{
		"yes":                           {Native: loci.Yes, Tier: loci.TierNative},
		"its server says so":            {Tier: loci.TierNative},
		"held by its server":            {Constrain: loci.Yes},
		"keeps to one by itself":        {Constrain: loci.No, Schema: loci.Yes},
		"system message only at the be": {Systems: loci.No},
		"only in turns":                 {Systems: loci.No, Alternate: loci.Yes},
		"within a second":               {Speed: loci.Speed{Read: 1000}},
		"after about a second":          {Speed: loci.Speed{Read: 800}},
		"after about 10 seconds":        {Speed: loci.Speed{Read: 100}},
		"after about 95 seconds":        {Speed: loci.Speed{Read: 10}},
		"after about 4 minutes":         {Speed: loci.Speed{Read: 4}},
		"first word     mostly at once": {Tier: loci.TierTiny, Speed: loci.Speed{Read: 4}},
		"tiny: loci chooses the tools":  {Tier: loci.TierTiny},
		"a fenced JSON object":          {Text: loci.Yes, Markup: loci.MarkupJSON},
		"Action and Action Input":       {Text: loci.Yes, Markup: loci.MarkupReAct},
		"not tried, taught as <tool>":   {Tier: loci.TierText},
	} {
		if got := describeProfile(p, "x", 0); !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
		for line := range strings.Lines(describeProfile(p, "x", 60)) {
			if len([]rune(line)) > 61 {
				t.Errorf("a long line: %s", line)
			}
		}
	}
	for want, d := range map[string]time.Duration{"< 1 s": 900 * time.Millisecond, "1.5 s": 1500 * time.Millisecond, "95 s": 95 * time.Second, "3 min": 3 * time.Minute} {
		if got := brief(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
