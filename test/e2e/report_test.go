package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/fake"
)

// The task of these tests: count yesterday's ERROR lines per module in logs/,
// sort them, and write report.md.
const task = "Count yesterday's ERROR lines per module in logs/, sort them, and write report.md."

// logs makes a folder with logs of yesterday and today.
func logs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeLogs(t, dir)
	return dir
}

// writeLogs puts logs of yesterday and today into a folder: 3 ERROR lines of auth
// yesterday, 1 of db.
func writeLogs(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	today := clockThere(t)
	line := func(day time.Time, level, module string) string {
		return fmt.Sprintf("%s 14:02:11 %s [%s] something happened\n", day.Format(time.DateOnly), level, module)
	}
	yesterday := today.AddDate(0, 0, -1)
	for name, text := range map[string]string{
		"app.log": line(yesterday, "ERROR", "auth") + line(yesterday, "INFO", "auth") + line(yesterday, "ERROR", "db") +
			line(yesterday, "ERROR", "auth") + line(today, "ERROR", "auth"),
		"web.log": line(yesterday, "ERROR", "auth") + line(yesterday, "WARN", "db") + line(today, "ERROR", "http"),
	} {
		if err := os.WriteFile(filepath.Join(dir, "logs", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// clockThere is the time where the server is.
func clockThere(t *testing.T) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Prague")
	if err != nil {
		t.Fatal(err)
	}
	return time.Now().In(zone)
}

const report = "| module | errors |\n|---|---|\n| auth | 3 |\n| db | 1 |\n"

// reportRound is the script of list → search → write → read-back → answer.
func reportRound(t *testing.T, tier loci.Tier) []fake.Reply {
	day := clockThere(t).AddDate(0, 0, -1).Format(time.DateOnly)
	search, _ := json.Marshal(map[string]any{"path": "logs", "content": day + ".* ERROR ", "regexp": true, "group_by": `\[(\w+)\]`})
	write, _ := json.Marshal(map[string]any{"path": "report.md", "content": report})
	steps := []loci.ToolCall{
		fake.Call("list_dir", `{"path":"logs"}`), fake.Call("search_files", string(search)),
		fake.Call("write_file", string(write)), fake.Call("read_file", `{"path":"report.md"}`),
	}
	var replies []fake.Reply
	for _, c := range steps {
		r := fake.Reply{Calls: []loci.ToolCall{c}}
		if tier == loci.TierText {
			r = fake.Reply{Text: fmt.Sprintf("<tool>%s(%s)</tool>", c.Name, c.Arguments)}
		}
		replies = append(replies, r)
	}
	return append(replies, fake.Reply{Text: "The report is in report.md: auth 3, db 1."})
}

// talker is a conversation through one of the doors.
type talker struct {
	name string
	// say sends a message with the conversation before it and gives the reply.
	say func(t *testing.T, in *instance, history []map[string]string, text string) string
}

func resend(path string, stream bool, read func(*testing.T, string) string) func(*testing.T, *instance, []map[string]string, string) string {
	return func(t *testing.T, in *instance, history []map[string]string, text string) string {
		status, body := in.post(path, map[string]any{
			"model": "fake", "stream": stream, "messages": append(history, map[string]string{"role": "user", "content": text}),
		})
		if status != http.StatusOK {
			t.Fatalf("status %d: %s", status, body)
		}
		return read(t, body)
	}
}

// talkers are the doors in which the answer is typed.
func talkers() []talker {
	var session string // of the agent's doors, which keep the conversation
	return []talker{
		{"openai", resend("/v1/chat/completions", false, func(t *testing.T, body string) string {
			var reply struct {
				Choices []struct{ Message struct{ Content string } }
			}
			decode(t, body, &reply)
			return reply.Choices[0].Message.Content
		})},
		{"openai stream", resend("/v1/chat/completions", true, openaiText)},
		{"ollama", resend("/api/chat", false, ollamaText)},
		{"ollama stream", resend("/api/chat", true, ollamaText)},
		{"agent", func(t *testing.T, in *instance, history []map[string]string, text string) string {
			req := map[string]any{"message": text, "stream": false}
			if len(history) > 0 {
				req["session"] = session
			}
			_, body := in.post("/api/agent/chat", req)
			var reply struct{ Session, Message string }
			decode(t, body, &reply)
			session = reply.Session
			return reply.Message
		}},
		{"ask", func(t *testing.T, in *instance, history []map[string]string, text string) string {
			args := []string{"ask", "--json", text}
			if len(history) > 0 {
				args = append(args, "--session", session)
			}
			out, stderr, code := run(t, in.home, "", nil, args...)
			var reply struct {
				Session, Message string
				Pending          []any
			}
			decode(t, out, &reply)
			if want := 5 * min(1, len(reply.Pending)); code != want {
				t.Errorf("exit code %d, want %d: %s", code, want, stderr)
			}
			session = reply.Session
			return reply.Message
		}},
	}
}

var codeForm = regexp.MustCompile(`code ([2-9][A-Z][2-9])`)

// code finds the code in a question.
func code(t *testing.T, question string) string {
	t.Helper()
	m := codeForm.FindStringSubmatch(question)
	if m == nil {
		t.Fatalf("there is no question in %q", question)
	}
	return m[1]
}

// TestReport has the task done through every door, with the yes typed in the chat,
// after a restart; a no and a word about something else leave nothing written.
func TestReport(t *testing.T) {
	for _, tier := range []loci.Tier{loci.TierNative, loci.TierText} {
		t.Run(string(tier), func(t *testing.T) {
			m := fake.NewModel()
			m.NoTools = tier == loci.TierText
			home, dir := t.TempDir(), logs(t)
			o := options{home: home, args: []string{"--backend", m.Ollama(t), "--allow", dir}}
			in := serve(t, o)
			for _, d := range talkers() {
				t.Run(d.name, func(t *testing.T) { reportThrough(t, d, m, dir, in, tier) })
			}
			for _, d := range talkers() {
				m.Add(reportRound(t, tier)...)
				question := d.say(t, in, nil, task)
				in.stop()
				in = serve(t, o)
				t.Run(d.name+" with a restart", func(t *testing.T) { finishReport(t, d, in, dir, question, "yes") })
			}
		})
	}
}

func reportThrough(t *testing.T, d talker, m *fake.Model, dir string, in *instance, tier loci.Tier) {
	file := filepath.Join(dir, "report.md")
	for _, answer := range []string{"no", "What is the time?"} {
		m.Add(reportRound(t, tier)[:3]...)
		m.Add(fake.Reply{Text: "As you wish."})
		question := d.say(t, in, nil, task)
		reply := d.say(t, in, said(task, question), answer)
		if _, err := os.Stat(file); err == nil || !strings.HasSuffix(reply, "As you wish.") {
			t.Errorf("after %q: %q, file: %v", answer, reply, err)
		}
	}
	m.Add(reportRound(t, tier)...)
	before := len(m.Turn())
	question := d.say(t, in, nil, task)
	for _, part := range []string{"report.md", "| auth | 3 |", "yes"} {
		if !strings.Contains(question, part) {
			t.Errorf("the question has no %q: %s", part, question)
		}
	}
	code(t, question)
	if _, err := os.Stat(file); err == nil {
		t.Error("it was written before the yes")
	}
	finishReport(t, d, in, dir, question, "Yes, please.")
	calls := m.Turn()[before:]
	if len(calls) != 5 {
		t.Errorf("the model was called %d times", len(calls))
	}
	prefix(t, calls)
	if all := fmt.Sprint(calls[len(calls)-1].Messages); strings.Contains(all, "Yes, please") {
		t.Errorf("the model reads %s", all)
	}
	results := resultsIn(calls[len(calls)-1].Messages)
	for i, want := range []string{`"name":"app.log"`, `"groups":[{"value":"auth","lines":3},{"value":"db","lines":1}]`, `"verified":true`, "| db | 1 |"} {
		if len(results) != 4 || !strings.Contains(results[i], want) {
			t.Fatalf("result %d has no %q: %q", i+1, want, results)
		}
	}
}

// resultsIn are what came of the calls, as the model reads it in either tier.
func resultsIn(messages []loci.Message) (results []string) {
	for _, m := range messages {
		if m.Role == loci.ToolRole || strings.HasPrefix(m.Content, "<tool_output>") {
			results = append(results, m.Content)
		}
	}
	return results
}

// said is a conversation as a client resends it.
func said(question, reply string) []map[string]string {
	return []map[string]string{{"role": "user", "content": question}, {"role": "assistant", "content": reply}}
}

// finishReport answers yes and looks at the file.
func finishReport(t *testing.T, d talker, in *instance, dir, question, yes string) {
	t.Helper()
	reply := d.say(t, in, said(task, question), yes)
	file := filepath.Join(dir, "report.md")
	got, err := os.ReadFile(file)
	if err != nil || string(got) != report {
		t.Errorf("the report is %q: %v", got, err)
	}
	if !strings.HasSuffix(reply, "The report is in report.md: auth 3, db 1.") {
		t.Errorf("the reply is %q", reply)
	}
	_ = os.Remove(file) // the next door writes it again
}

// TestReportTiny has the runtime do it for a model that is too small, by a plan of
// its own, through every door; the model is never asked.
func TestReportTiny(t *testing.T) {
	m := fake.NewModel()
	m.NoTools, m.Params = true, 135_000_000
	dir := logs(t)
	in := serve(t, options{args: []string{"--backend", m.Ollama(t), "--allow", dir}})
	for _, d := range talkers() {
		t.Run(d.name, func(t *testing.T) {
			file := filepath.Join(dir, "report.md")
			for _, answer := range []string{"no", "What day is it?"} {
				question := d.say(t, in, nil, task)
				code(t, question)
				d.say(t, in, said(task, question), answer)
				if _, err := os.Stat(file); err == nil {
					t.Fatalf("it is written after %q", answer)
				}
			}
			question := d.say(t, in, nil, task)
			tinyReport(t, file, d.say(t, in, said(task, question), "yes"))
		})
	}
	if n := len(m.Turn()); n != 0 {
		t.Errorf("the model was called %d times", n)
	}
}

// tinyReport checks a report of the runtime's own, and takes it away.
func tinyReport(t *testing.T, file, reply string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	auth, db := strings.Index(string(text), "| auth | 3 |"), strings.Index(string(text), "| db | 1 |")
	if auth < 0 || db < auth || !strings.Contains(reply, "report.md") || !strings.Contains(reply, "auth") {
		t.Errorf("the report is\n%s\nand the reply %q", text, reply)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

// TestReportByAPI answers while the client follows the turn, and by the command
// line; a second answer is refused.
func TestReportByAPI(t *testing.T) {
	m := fake.NewModel()
	dir := logs(t)
	in := serve(t, options{args: []string{"--backend", m.Ollama(t), "--allow", dir}})
	m.Add(reportRound(t, loci.TierNative)...)
	asked := make(chan loci.Approval, 1)
	ended := make(chan string, 1)
	go func() {
		var types []string
		for _, e := range in.following("/api/agent/chat", map[string]any{"message": task}) {
			types = append(types, e.Type)
			if e.Type == "approval.asked" {
				var a loci.Approval
				_ = json.Unmarshal(e.Data, &a)
				asked <- a
			}
		}
		ended <- strings.Join(types, " ")
	}()
	a := <-asked
	if _, body := in.get("/api/agent/approvals"); !strings.Contains(body, a.ID) || !strings.Contains(body, `"code":"`+a.Code+`"`) {
		t.Errorf("the list is %s", body)
	}
	if status, body := in.post("/api/agent/approvals/"+a.ID, map[string]string{"answer": "perhaps"}); status != http.StatusBadRequest {
		t.Errorf("status %d: %s", status, body)
	}
	if status, body := in.post("/api/agent/approvals/"+a.ID, map[string]string{"answer": "yes"}); status != http.StatusOK {
		t.Errorf("status %d: %s", status, body)
	}
	types := <-ended
	if !strings.HasSuffix(types, "message turn.finished") || !strings.Contains(types, "turn.waiting approval.answered tool.started tool.finished") {
		t.Errorf("the events are %s", types)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "report.md")); err != nil || string(got) != report {
		t.Errorf("the report is %q: %v", got, err)
	}
	if status, body := in.post("/api/agent/approvals/"+a.ID, map[string]string{"answer": "yes"}); status != http.StatusConflict {
		t.Errorf("status %d: %s", status, body)
	}
}

type agentEvent struct {
	Type string
	Data json.RawMessage
}

// following posts a request and gives the events as they come.
func (in *instance) following(path string, body any) func(yield func(int, agentEvent) bool) {
	return func(yield func(int, agentEvent) bool) {
		data, err := json.Marshal(body)
		if err != nil {
			in.t.Error(err)
			return
		}
		req, err := http.NewRequest(http.MethodPost, in.URL+path, bytes.NewReader(data))
		if err != nil {
			in.t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+in.Key)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			in.t.Error(err)
			return
		}
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		for i := 0; lines.Scan(); {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var e agentEvent
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				in.t.Error(err)
			}
			if !yield(i, e) {
				return
			}
			i++
		}
	}
}

// TestChatPiped talks line by line through loci chat, which ends at a question with
// the way to answer it; loci approvals goes on from there, and the next chat knows.
func TestChatPiped(t *testing.T) {
	m := fake.NewModel(fake.Reply{Text: "Hello."})
	dir := logs(t)
	in := serve(t, options{args: []string{"--backend", m.Ollama(t), "--allow", dir}})
	m.Add(reportRound(t, loci.TierNative)...)
	out, stderr, exit := run(t, in.home, "Hi.\n"+task+"\nnever sent\n", nil, "chat")
	if exit != loci.ExitDenied || !strings.HasPrefix(out, "Hello.\n") || !strings.Contains(stderr, "report.md") {
		t.Fatalf("exit code %d: %s%s", exit, out, stderr)
	}
	words := regexp.MustCompile(`approvals yes ([2-9][A-Z][2-9])`).FindStringSubmatch(stderr)
	if words == nil {
		t.Fatalf("it does not say how to answer: %s", stderr)
	}
	if out, stderr, exit := run(t, in.home, "", nil, "approvals"); exit != 0 || !strings.Contains(out, words[1]) {
		t.Errorf("exit code %d: %s%s", exit, out, stderr)
	}
	out, stderr, exit = run(t, in.home, "", nil, "approvals", "yes", words[1])
	if exit != 0 || !strings.Contains(out, "auth 3, db 1") {
		t.Errorf("exit code %d: %s%s", exit, out, stderr)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "report.md")); err != nil || string(got) != report {
		t.Errorf("the report is %q: %v", got, err)
	}
	if _, stderr, exit := run(t, in.home, "", nil, "approvals", "yes", words[1]); exit != loci.ExitFailure || stderr == "" {
		t.Errorf("a second yes: exit code %d: %s", exit, stderr)
	}
}
