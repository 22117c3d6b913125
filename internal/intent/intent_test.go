package intent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/internal/tool"
)

// person has a folder with files, and asks.
type person struct {
	params  int64 // of the model
	speaks  []string
	user    string
	t       *testing.T
	dir     string
	set     *tool.Set
	router  *intent.Router
	history []loci.Message
	calls   []string // of the last question, as "name {arguments}"
}

func newPerson(t *testing.T, files map[string]string) *person {
	t.Helper()
	dir := t.TempDir()
	at := now.Add(-time.Hour)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	p := &person{t: t, dir: dir, router: intent.New(intent.Config{})}
	p.has(readers())
	return p
}

// has gives the person tools, and a yes to each question.
func (p *person) has(tools []tool.Tool) {
	p.t.Helper()
	set, err := tool.New(tool.Config{Tools: tools, Gate: yes{}, Now: func() time.Time { return now }})
	if err != nil {
		p.t.Fatal(err)
	}
	p.set = set
}

// touch makes a file the newest.
func (p *person) touch(name string) {
	p.t.Helper()
	at := now.Add(3 * time.Minute)
	if err := os.Chtimes(filepath.Join(p.dir, name), at, at); err != nil {
		p.t.Fatal(err)
	}
}

// age makes a file the oldest.
func (p *person) age(name string) {
	p.t.Helper()
	at := now.Add(-240 * time.Hour)
	if err := os.Chtimes(filepath.Join(p.dir, name), at, at); err != nil {
		p.t.Fatal(err)
	}
}

// asks plays the turn to its end, as the engine does.
func (p *person) asks(text string) loci.Move {
	p.t.Helper()
	p.calls = nil
	var done []loci.ToolResult
	owner := loci.Principal{ID: "owner", Owner: true}
	language := lang.Of(text)
	for range 12 {
		m, err := p.router.Next(p.t.Context(), loci.Situation{
			Text: text, History: p.history, Results: done, Tools: p.set.Specs(loci.Scope{Principal: owner}), Folders: []string{p.dir}, User: p.user, Lang: language, Params: p.params, Speaks: p.speaks, Now: now,
		})
		if err != nil {
			p.t.Fatal(err)
		}
		if m.Call == nil {
			p.history = append(p.history, loci.Message{Role: loci.User, Content: text}, loci.Message{Role: loci.Assistant, Content: m.Say})
			return m
		}
		p.calls = append(p.calls, m.Call.Name+" "+string(m.Call.Arguments))
		scope := loci.Scope{Principal: owner, Folders: []string{p.dir}, Working: p.dir, Lang: language}
		done = append(done, p.set.Call(p.t.Context(), scope, *m.Call, nil))
	}
	p.t.Fatalf("%q never comes to an end: %v", text, p.calls)
	return loci.Move{}
}

var files = map[string]string{
	"notes.md":          "Buy milk.\nCall Anna.",
	"shopping list.txt": "eggs and flour",
	"app.log":           "2026-11-30 INFO [web] up\n2026-11-30 ERROR [auth] bad token\n2026-11-30 ERROR [web] crash\n2026-11-30 ERROR [auth] bad token again\n",
	"logs/a.log":        "ERROR module=db x\nERROR module=db y\nERROR module=net z\n",
	"deep/plan.md":      "The plan.",
	"one/todo.txt":      "first",
	"two/todo.txt":      "second",
	"photo.png":         "\x89PNG\x00\x00",
}

func TestReplies(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"What time is it in Tokyo?", "21:00 (Asia/Tokyo"},
		{"现在东京几点？", "21:00（Asia/Tokyo）"},
		{"Which files are in FOLDER?", "notes.md"},
		{"which files are here?", "notes.md"},
		{"What is in the folder logs?", "a.log"},
		{"What does notes.md say?", "Buy milk.\nCall Anna."},
		{"Open shopping list.txt", "eggs and flour"},
		{"Read my shopping list.txt", "eggs and flour"},
		{"notes.md 里写了什么？", "Call Anna."},
		{"Co je v souboru notes.md?", "Call Anna."},
		{"What does plan.md say?", "The plan."},
		{"what is in logs/", "a.log"},
		{"read todo.txt", "Which one do you mean?\n"},
		{"read note.md", `Did you mean "notes.md"?`},
		{"read /etc/passwd", "Allowed are: "},
		{"What time is it in Atlantis?", "Use a name of the zone database"},
		{"read nothing.txt", `There is no file or folder "nothing.txt".`},
		{"přečti nic.txt", "Nepovedlo se to: "},
		{"open photo.png", "photo.png is not text but binary"},
		{"How many ERROR lines are in app.log?", "3 lines"},
		{"app.log 里有多少行 ERROR？", "app.log 中 ERROR 行（按文件）：\napp.log: 3\n合计：3 行"},
		{"How many lines does notes.md have?", "notes.md has 2 lines."},
		{"count ERROR lines per module in logs/", "db: 2\nnet: 1"},
		{"How many ERROR lines are in app.log per module?", "auth: 2\nweb: 1"},
		{"count ERROR lines in app.log by day", "2026-11-30: 3"},
		{"find files named notes", "notes.md"},
		{"Where is plan.md?", "plan.md"},
		{"which file mentions Anna?", "notes.md"},
		{"Which files changed today?", "notes.md"},
		{"How much memory is free?", "memory are free"},
		{"What is 111 x 222 / 777?", "31.714285714285715"},
		{"计算 12 × 34", "408"},
		{"what is 15% of 80", "12"},
		{"what is the square root of 144?", "12"},
		{"12 plus 30", "42"},
	} {
		p := newPerson(t, files)
		m := p.asks(strings.ReplaceAll(tc.text, "FOLDER", p.dir))
		if m.Talk != nil || !strings.Contains(m.Say, tc.want) {
			t.Errorf("%q: said %q after %v, want %q in it", tc.text, m.Say, p.calls, tc.want)
		}
	}
}

// TestSaysWhatWasAsked holds answers to the question: no time where the day was
// asked for, no week where the time was.
func TestSaysWhatWasAsked(t *testing.T) {
	p := newPerson(t, nil)
	for text, want := range map[string]string{
		"What day is it today?":           "Today is Monday, 30 November 2026.",
		"what's the date":                 "Today is Monday, 30 November 2026.",
		"What time is it?":                "It is 12:00.",
		"What time is it in Tokyo?":       "It is 21:00 (Asia/Tokyo).",
		"Which week of the year is this?": "This is week 49 of 2026.",
		"今天星期几？":                          "今天是 2026年11月30日 星期一。",
		"现在几点了？":                          "现在是 12:00。",
		"现在是第几周？":                         "现在是 2026 年第 49 周。",
		"Jaký je dnes den?":               "Dnes je pondělí 30. listopadu 2026.",
		"Kolik je hodin?":                 "Je 12:00.",
		"Který je týden?":                 "Je 49. týden roku 2026.",
	} {
		if m := p.asks(text); m.Say != want {
			t.Errorf("%q: said %q after %v, want %q", text, m.Say, p.calls, want)
		}
	}
	for text, want := range map[string]string{
		"What is running on this computer?":    `list_processes {}`,
		"show the top 12 processes":            `list_processes {"limit":12}`,
		"show the top ten processes":           `list_processes {"limit":10}`,
		"Which process takes the most memory?": `list_processes {"sort":"memory"}`,
		"哪些进程占用内存最多？":                          `list_processes {"sort":"memory"}`,
		"Co žere paměť?":                       `list_processes {"sort":"memory"}`,
	} {
		if m := p.asks(text); len(p.calls) != 1 || p.calls[0] != want || strings.Count(m.Say, "\n") > 12 {
			t.Errorf("%q: %v, want %s; said %q", text, p.calls, want, m.Say)
		}
	}
}

func TestSummaries(t *testing.T) {
	for _, tc := range []struct {
		text, newest string
		lead, given  string
	}{
		{"summarise what I just wrote", "notes.md", "notes.md (today 12:03):\n", "Buy milk.\nCall Anna."},
		{"总结一下我刚写的东西", "notes.md", "notes.md (今天 12:03):\n", "Buy milk."},
		{"Shrň, co jsem teď napsal", "notes.md", "notes.md (dnes 12:03):\n", "Buy milk."},
		{"summarise what I just wrote", "photo.png", "", ""}, // no text: the next newest is taken
		{"Summarize deep/plan.md", "", "plan.md:\n", "The plan."},
		{"give me a summary of plan.md", "", "plan.md (today 11:00):\n", "The plan."},
	} {
		p := newPerson(t, files)
		if tc.newest != "" {
			p.touch(tc.newest)
		}
		m := p.asks(tc.text)
		if m.Talk == nil {
			t.Errorf("%q: said %q after %v", tc.text, m.Say, p.calls)
			continue
		}
		if tc.lead != "" && m.Talk.Lead != tc.lead {
			t.Errorf("%q: lead %q, want %q", tc.text, m.Talk.Lead, tc.lead)
		}
		if !strings.Contains(m.Talk.Instruction, tc.given) || m.Talk.Instruction == "" || strings.Contains(m.Talk.Instruction, "PNG") {
			t.Errorf("%q: instruction %q", tc.text, m.Talk.Instruction)
		}
	}
}

// A model that would make things up has no part in a summary: a short text is
// shown, and of a longer one the text's own sentences.
func TestSummaryWithoutModel(t *testing.T) {
	p := newPerson(t, files)
	p.params = 135_000_000
	p.touch("notes.md")
	for text, want := range map[string]string{
		"summarise what I just wrote": "notes.md (today 12:03):\nBuy milk.\nCall Anna.",
		"总结一下我刚写的东西":                  "notes.md (今天 12:03):\nBuy milk.\nCall Anna.",
	} {
		if m := p.asks(text); m.Say != want {
			t.Errorf("%q: %+v, want %q", text, m, want)
		}
	}
}

func TestSummaryIsBounded(t *testing.T) {
	p := newPerson(t, map[string]string{"long.txt": strings.Repeat("word ", 50_000)})
	m := p.asks("summarise long.txt")
	if m.Talk == nil || len(m.Talk.Instruction) > 4000 || !strings.Contains(m.Talk.Lead, "its beginning") {
		t.Fatalf("%+v", m)
	}
	empty := newPerson(t, map[string]string{"empty.txt": ""})
	if m := empty.asks("summarise empty.txt"); m.Talk != nil {
		t.Errorf("an empty file is nothing to talk about: %+v", m.Talk)
	}
}

func TestPlacesInAListing(t *testing.T) {
	p := newPerson(t, map[string]string{"a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma", "sub/x.txt": "x"})
	if m := p.asks("summarise the second file"); m.Talk == nil || !strings.Contains(m.Talk.Instruction, "beta") {
		t.Errorf("without a listing: %+v after %v", m, p.calls)
	}
	p.asks("what files are in " + p.dir + "/sub?")
	if m := p.asks("read the first one"); !strings.Contains(m.Say, "x.txt") || !strings.Contains(m.Say, "\nx") {
		t.Errorf("after a listing: %+v after %v", m, p.calls)
	}
	p.asks("list the files")
	if m := p.asks("open the last file"); !strings.Contains(m.Say, "gamma") {
		t.Errorf("the last: %+v after %v", m, p.calls)
	}
	if m := p.asks("read b"); !strings.Contains(m.Say, "beta") && m.Talk == nil {
		t.Errorf("a listed name without its extension: %+v", m)
	}
}

// TestListingsInEveryLanguage reads the listings that the real tools write, and
// the sizes in them, whatever the language.
func TestListingsInEveryLanguage(t *testing.T) {
	for _, tc := range []struct{ list, read string }{
		{"what files are in FOLDER?", "open the last file"},
		{"FOLDER 里有哪些文件？", "打开第3个文件"},
		{"Ukaž soubory v FOLDER", "otevři třetí soubor"},
	} {
		p := newPerson(t, map[string]string{"my notes/a.txt": "12", "my notes/b b.txt": strings.Repeat("b", 3000), "my notes/c.txt": "found", "z.txt": "outside"})
		listed := p.asks(strings.ReplaceAll(tc.list, "FOLDER", `"`+p.dir+`/my notes"`))
		if m := p.asks(tc.read); !strings.Contains(m.Say, "found") {
			t.Errorf("%q after %q: said %q after %v", tc.read, listed.Say, m.Say, p.calls)
		}
	}
	p := newPerson(t, files)
	p.history = []loci.Message{{Role: loci.Assistant, Content: "I know three things (3 of them, in all): one (1) and two."}}
	if m := p.asks("open the first one"); strings.Contains(strings.Join(p.calls, " "), "things") {
		t.Errorf("plain words are taken for a listing: %v, %+v", p.calls, m)
	}
}

// TestNewestText passes over many newer files that are no texts, and tells which
// it could not read when there is none.
func TestNewestText(t *testing.T) {
	all := map[string]string{"letter.txt": "Dear Anna.", ".hidden": "not this"}
	for i := range 6 {
		all[fmt.Sprintf("photo%d.xyz", i)] = "\x00\x01"
	}
	p := newPerson(t, all)
	for i := range 6 {
		p.touch(fmt.Sprintf("photo%d.xyz", i))
	}
	p.touch(".hidden")
	if m := p.asks("summarise what I just wrote"); m.Talk == nil || !strings.Contains(m.Talk.Instruction, "Dear Anna.") || len(p.calls) != 8 {
		t.Errorf("%+v after %v", m, p.calls)
	}
	p = newPerson(t, map[string]string{"a.xyz": "\x00"})
	if m := p.asks("summarise what I just wrote"); !strings.Contains(m.Say, "a.xyz is not text but binary") {
		t.Errorf("%+v after %v", m, p.calls)
	}
}

func TestTalkNeverRunsATool(t *testing.T) {
	p := newPerson(t, files)
	for _, text := range []string{
		"", "   ", "?", "What is love?", "1/2 cup", "555-1234", "2024-05-01", "v1.2.3", "3.14.15", "24/7", "9/11",
		"What is 9/11?", "What are the effects of 3D printing?", "I am 42", "42", "-5",
		"What is in a name?", "read me a story", "show me how to cook", "open your mind",
		"What does love mean to you?", "What does he say?", "What do you say?", "How many lines are in a sonnet?",
		"How many lines does a haiku have?", "Find me a good restaurant", "Which files format is best?", "What is a PDF file?",
		"find the meaning of life", "Where is Waldo?", "summarise World War II", "sum up your answer",
		"what time is the meeting", "what year was it",
		"How much memory does a human have?", "What is the memory of water?", "is my idea good?",
		"and in the other one?", "Can you read?", "list three fruits", "List the planets in order", "Show me the way",
		"read about node.js", "What is example.com?", "my mail is a@b.com", "count to ten", "Count the lines of this poem",
		"Which programs should I learn?", "Why is my brother so slow?", "他说了什么？", "里面有什么区别", "Co je v módě?",
		strings.Repeat("long text ", 200) + "what does notes.md say",
	} {
		m := p.asks(text)
		if len(p.calls) > 0 || m.Talk == nil || m.Talk.Instruction != "" {
			t.Errorf("%q ran %v and gave %+v", text, p.calls, m)
		}
	}
}

func TestOnlyOfferedToolsAreCalled(t *testing.T) {
	r := intent.New(intent.Config{})
	for _, text := range []string{"What day is it?", "read notes.md", "summarise the second file", "count ERROR lines in a.log"} {
		m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Now: now})
		if err != nil || m.Talk == nil {
			t.Errorf("%q without tools: %+v, %v", text, m, err)
		}
	}
	reader := []loci.ToolSpec{{Name: "read_file"}}
	failed := loci.ToolResult{Call: loci.ToolCall{Name: "read_file"}, Err: &loci.ToolError{Message: "There is no such file."}}
	m, err := r.Next(t.Context(), loci.Situation{Text: "read notes.md", Lang: lang.Of("read notes.md"), Tools: reader, Results: []loci.ToolResult{failed}, Now: now})
	if err != nil || m.Say != "There is no such file." {
		t.Errorf("with read_file alone: %+v, %v", m, err)
	}
}

func TestStrangeResultsDoNoHarm(t *testing.T) {
	r := intent.New(intent.Config{})
	for _, text := range []string{"read notes.md", "summarise what I just wrote", "summarise the second file", "count ERROR lines per module in logs/", "What day is it?"} {
		for _, name := range []string{"read_file", "search_files", "list_dir", "other"} {
			for _, data := range []string{"", "null", "[]", `{"entries":5}`, `{"matches":[{}]}`, "{"} {
				done := []loci.ToolResult{{Call: loci.ToolCall{Name: name}, Data: json.RawMessage(data), Text: "t"}}
				for range 6 {
					m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Tools: specs, Results: done, Now: now})
					if err != nil {
						t.Fatal(err)
					}
					if m.Call == nil {
						break
					}
					done = append(done, loci.ToolResult{Call: *m.Call, Data: json.RawMessage(data), Text: "t"})
				}
				if len(done) > 6 {
					t.Errorf("%q goes on for ever over %s with %s", text, name, data)
				}
			}
		}
	}
}

func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := intent.New(intent.Config{}).Next(ctx, loci.Situation{Text: "hello"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
