package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"loci"
	"loci/internal/fake"
)

var long = flag.Bool("long", false, "run 200 rounds of kill -9 instead of 10")

// TestKillAroundTheYes kills loci with -9 between a question and its answer, and
// again at a moment around the effect. After the restart nothing that a client was
// told is lost, no effect is there twice or without a row in the audit log, and
// whatever happened, a second yes does not do it again.
func TestKillAroundTheYes(t *testing.T) {
	k := &killing{t: t, dir: t.TempDir(), home: t.TempDir(), takes: map[string]time.Duration{}, works: map[string]time.Duration{}}
	k.model = fake.NewModel()
	k.model.Answer = k.answer
	k.options = options{home: k.home, args: []string{"--backend", k.model.Ollama(t), "--allow", k.dir}}
	kinds, rounds := deeds(), 10
	if *long {
		rounds = 200
	}
	for i := range kinds { // nobody kills these, so that it is known how long one takes
		if r := k.round(&kinds[i], i, false); r.times != 1 {
			t.Fatalf("%s: not done, though nobody killed it", kinds[i].tool)
		}
	}
	done, tally := 0, map[string]int{}
	for i := range rounds {
		d := &kinds[i%len(kinds)]
		r := k.round(d, len(kinds)+i, true)
		done += r.times
		tally[r.where]++
		if t.Failed() {
			t.Fatalf("in round %d of %d, %s", i+1, rounds, d.tool)
		}
	}
	if *long && (done == 0 || done == rounds) {
		t.Errorf("all kills fell on one side of the effect: %d of %d were done", done, rounds)
	}
	t.Logf("%d rounds, %d done by the time loci was killed; killed %v; events that clients had seen: %d; a yes takes %v, of it the tool %v", rounds, done, tally, k.seen, k.takes, k.works)
}

// killing is a loci that is killed again and again, with one home and one folder.
type killing struct {
	t         *testing.T
	dir, home string
	options   options
	model     *fake.Model
	in        *instance
	takes     map[string]time.Duration // from the yes to the end of the turn, by tool
	works     map[string]time.Duration // the tool itself
	seen      int                      // events that clients saw before a kill

	mu   sync.Mutex
	call loci.ToolCall // what the model does when it is told to
}

// answer is the model: it calls the tool of the round when it is told to, and is done
// when it has a result.
func (k *killing) answer(r *fake.Request) (fake.Reply, bool) {
	if r.Purpose != loci.PurposeChat && r.Purpose != loci.PurposeStep {
		return fake.Reply{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if m := r.Messages[len(r.Messages)-1]; m.Role == loci.User && strings.HasPrefix(m.Content, wish) {
		return fake.Reply{Calls: []loci.ToolCall{k.call}}, true
	}
	return fake.Reply{Text: "Done."}, true
}

// wish is how the person begins.
const wish = "Do it, round "

// struck is what came of a round.
type struck struct {
	times int    // how often the effect was found after the kill
	where string // the kill fell
}

// round asks for a deed, says yes, kills loci meanwhile, and looks at what is left.
func (k *killing) round(d *deed, n int, kill bool) (r struck) {
	t := k.t
	t.Helper()
	args, err := json.Marshal(d.before(t, k.dir, n))
	if err != nil {
		t.Fatal(err)
	}
	k.mu.Lock()
	k.call = fake.Call(d.tool, string(args))
	k.mu.Unlock()
	k.restart()
	q := k.ask(n)
	k.restart() // between the question and its answer
	if d.times(t, k.dir, n) != 0 {
		t.Fatalf("%s was done without a yes", d.tool)
	}
	door := []func(question) bool{k.yesByAPI, k.yesInChat}[n%2]
	w := k.in.watch(t, q)
	told := make(chan bool, 1)
	start := time.Now()
	go func() { told <- door(q) }()
	switch takes := k.takes[d.tool]; {
	case !kill:
		w.wait(w.started)
		begun := time.Now()
		w.wait(w.worked)
		k.works[d.tool] = time.Since(begun)
		w.wait(w.finished)
		k.takes[d.tool] = time.Since(start)
	case rand.N(2) == 0:
		<-time.After(rand.N(takes * 2))
	default: // close to the effect
		w.wait(w.started)
		<-time.After(rand.N(k.works[d.tool] * 2))
	}
	k.restart()
	seen := w.end()
	k.seen += len(seen)
	return k.look(d, n, q, seen, <-told)
}

// look compares what is there after the kill with what the person was told.
func (k *killing) look(d *deed, n int, q question, seen map[int64]string, told bool) (r struck) {
	t := k.t
	t.Helper()
	now := k.in.watch(t, q)
	now.until(seen)
	open := k.open(q)
	if !open {
		now.wait(now.finished) // also where loci was killed: the next start ends the turn
	}
	stored := now.end()
	for seq, event := range seen {
		if stored[seq] != event {
			t.Errorf("a client saw event %d as\n%s\nand it is now\n%s", seq, event, stored[seq])
		}
	}
	r.times = d.times(t, k.dir, n)
	r.where = k.audited(d, q, r.times)
	if (told || r.where != beforeEffect) && open {
		t.Errorf("the question is open again; the yes was stored: %v; killed %s", told, r.where)
	}
	if told {
		k.answered(q, stored)
	}
	if r.where != beforeEffect {
		select {
		case <-now.worked: // with what came of it, or that nobody knows
		default:
			t.Errorf("killed %s, and the conversation does not tell of it", r.where)
		}
	}
	if told && n%2 == 1 && r.where != afterEffect { // the chat's reply came after all of it
		t.Errorf("the whole reply came, and loci was killed %s", r.where)
	}

	// Once more yes, where the same could be had again. It counts only where the first
	// was never stored.
	want := 0
	switch {
	case open:
		want = 1
	case d.again == nil:
		k.undo(d, n, q, r)
	default:
		d.again(t, k.dir, n)
	}
	if ok := k.yesByAPI(q); ok != open {
		t.Errorf("the second yes was taken: %v; the question was open: %v", ok, open)
	}
	k.yesInChat(q)
	last := k.in.watch(t, q)
	last.wait(last.finished)
	last.end()
	if times := d.times(t, k.dir, n); times != want {
		t.Errorf("after the second yes it is there %d times, not %d", times, want)
	}
	k.audited(d, q, r.times+want)
	k.tidy()
	return r
}

// question is one that waits.
type question struct {
	ID, Session, Turn, Code, Text string
	round                         int
}

// ask has the model ask for the deed of a round, as a chat client.
func (k *killing) ask(n int) (q question) {
	k.t.Helper()
	text := sayTo(k.in, nil, wish+strconv.Itoa(n))
	_, body := k.in.get("/api/agent/approvals")
	var open []question
	decode(k.t, body, &open)
	if len(open) != 1 {
		k.t.Fatalf("there are %d questions; the reply was %q", len(open), text)
	}
	q = open[0]
	q.Text, q.round = text, n
	return q
}

// yesByAPI tells whether the yes was taken. The turn goes on by itself.
func (k *killing) yesByAPI(q question) bool {
	status := k.in.try("/api/agent/approvals/"+q.ID, map[string]string{"answer": "yes"}, nil)
	return status == http.StatusOK
}

// yesInChat tells whether the turn came to its end.
func (k *killing) yesInChat(q question) bool {
	return sayTo(k.in, said(wish+strconv.Itoa(q.round), q.Text), "yes") != ""
}

// open tells whether a question can still be answered.
func (k *killing) open(q question) bool {
	k.t.Helper()
	_, body := k.in.get("/api/agent/approvals")
	var open []question
	decode(k.t, body, &open)
	return slices.ContainsFunc(open, func(o question) bool { return o.ID == q.ID })
}

// audited verifies the audit log, and compares its rows about a question with how
// often the effect was found. It tells where loci was killed.
func (k *killing) audited(d *deed, q question, times int) (where string) {
	t := k.t
	t.Helper()
	if status, body := k.in.get("/api/agent/audit/verify"); status != http.StatusOK || !strings.Contains(body, `"problems":[]`) {
		t.Fatalf("%d %s", status, body)
	}
	status, body := k.in.get("/api/agent/audit?kind=intent&brief=1&session=" + q.Session + "&tool=" + d.tool)
	var rows []loci.AuditEntry
	decode(t, body, &rows)
	if status != http.StatusOK || len(rows) > 1 || times > len(rows) {
		t.Fatalf("it is there %d times, and %d rows of the audit log say that it was begun: %d %s", times, len(rows), status, body)
	}
	if len(rows) == 0 {
		return beforeEffect
	}
	row := rows[0]
	if row.Tool != d.tool || row.Permit != q.ID || row.Effects == "" || len(row.Arguments) == 0 {
		t.Errorf("the row of the effect is %+v", row)
	}
	switch {
	case row.Outcome == loci.StateDone:
		return afterEffect
	case row.Outcome != loci.StateUnknown:
		t.Errorf("the outcome is %q", row.Outcome)
	}
	return inEffect
}

// Where loci was killed, as the audit log has it.
const (
	beforeEffect = "before the effect"
	inEffect     = "in the effect"
	afterEffect  = "after the effect"
)

// answered looks for a yes that was acknowledged, among the events and in the audit log.
func (k *killing) answered(q question, stored map[int64]string) {
	k.t.Helper()
	if all := slices.Collect(maps.Values(stored)); !slices.ContainsFunc(all, func(e string) bool {
		return strings.Contains(e, string(loci.EventApprovalAnswered)) && strings.Contains(e, q.ID)
	}) {
		k.t.Errorf("the yes is not among the events: %s", all)
	}
	_, body := k.in.get("/api/agent/audit?kind=answer&session=" + q.Session)
	var rows []loci.AuditEntry
	decode(k.t, body, &rows)
	if !slices.ContainsFunc(rows, func(r loci.AuditEntry) bool { return r.Permit == q.ID && r.State == loci.StateYes }) {
		k.t.Errorf("the yes is not in the audit log: %s", body)
	}
}

// undo takes back what was done. It compares the list of changes with the disk: what
// is there can be taken back once, and what was cut short before it was done shows as
// such when somebody tries.
func (k *killing) undo(d *deed, n int, q question, r struck) {
	t := k.t
	t.Helper()
	standing := func() (stand []loci.Change) {
		out, stderr, code := run(t, k.home, "", nil, "undo", "--list", "--json")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		var all []loci.Change
		decode(t, out, &all)
		return slices.DeleteFunc(all, func(c loci.Change) bool { return c.Session != q.Session || !c.Stands() })
	}
	stand := standing()
	if len(stand) == 0 && r.times == 0 {
		return
	}
	if len(stand) != 1 || stand[0].Tool != d.tool || stand[0].Turn != q.Turn || r.times == 0 && r.where != inEffect {
		t.Fatalf("it is there %d times, loci was killed %s, and these changes can be undone: %+v", r.times, r.where, stand)
	}
	out, stderr, code := run(t, k.home, "", nil, "undo", stand[0].ID, "--yes")
	if want := r.times == 1; (code == 0) != want || d.times(t, k.dir, n) != 0 || len(standing()) != 0 {
		t.Errorf("it was there %d times and is %d times after the undo: exit code %d, %s%s", r.times, d.times(t, k.dir, n), code, out, stderr)
	}
}

// tidy looks for what should not be there.
func (k *killing) tidy() {
	k.t.Helper()
	names, err := os.ReadDir(k.dir)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, e := range names {
		if !slices.Contains(places, e.Name()) {
			k.t.Errorf("it left %s behind", e.Name())
		}
	}
}

// restart kills loci as a power cut would, if it runs, and starts it.
func (k *killing) restart() {
	k.t.Helper()
	if k.in != nil {
		k.in.kill()
	}
	k.in = serve(k.t, k.options)
}

// kill ends loci as a power cut would.
func (in *instance) kill() {
	in.killed = true
	_ = in.cmd.Process.Kill()
	in.stop()
}

// try sends JSON to a server that may die meanwhile, and reads the reply; the status
// is then 0.
func (in *instance) try(path string, body, reply any) (status int) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0
	}
	req, err := http.NewRequest(http.MethodPost, in.URL+path, bytes.NewReader(data))
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+in.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	if reply != nil && json.NewDecoder(res.Body).Decode(reply) != nil {
		return 0
	}
	return res.StatusCode
}

// sayTo sends a message as a chat client does; a server that died gives "".
func sayTo(in *instance, history []map[string]string, text string) string {
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	messages := append(slices.Clone(history), map[string]string{"role": "user", "content": text})
	in.try("/v1/chat/completions", map[string]any{"model": "fake", "messages": messages}, &reply)
	if len(reply.Choices) == 0 {
		return ""
	}
	return reply.Choices[0].Message.Content
}

// watcher is a client that follows the events of a session as long as it can.
type watcher struct {
	started, worked, finished chan struct{} // closed when the turn's tool is, its tool, the turn
	more                      chan struct{} // an event came; closed at the end
	leave                     func()

	mu     sync.Mutex
	events map[int64]string // in JSON, by number
	t      *testing.T
}

// watch follows a session's events from the first.
func (in *instance) watch(t *testing.T, q question) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.URL+"/api/agent/events?session="+q.Session, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{leave: cancel, events: map[int64]string{}, t: t,
		started: make(chan struct{}), worked: make(chan struct{}), finished: make(chan struct{}), more: make(chan struct{}, 1)}
	go func() {
		defer res.Body.Close()
		defer close(w.more)
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				w.take(q.Turn, data)
			}
		}
	}()
	return w
}

// take remembers an event.
func (w *watcher) take(turn, data string) {
	var e struct {
		Seq        int64
		Turn, Type string
	}
	if json.Unmarshal([]byte(data), &e) != nil || e.Type == string(loci.EventDelta) {
		return
	}
	w.mu.Lock()
	w.events[e.Seq] = data
	w.mu.Unlock()
	if e.Turn == turn {
		switch loci.EventType(e.Type) {
		case loci.EventToolStarted:
			close(w.started) // a second start would be a second effect
		case loci.EventToolFinished:
			close(w.worked)
		case loci.EventTurnFinished:
			close(w.finished)
		}
	}
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// saw is what came so far.
func (w *watcher) saw() map[int64]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.events)
}

// until waits until as many events came as another client saw.
func (w *watcher) until(seen map[int64]string) {
	w.t.Helper()
	over := time.After(10 * time.Second)
	for len(w.saw()) < len(seen) {
		select {
		case _, ok := <-w.more:
			if ok {
				continue
			}
		case <-over:
		}
		w.t.Fatalf("a client saw %d events, and %d are left", len(seen), len(w.saw()))
	}
}

// wait waits for one of the channels.
func (w *watcher) wait(what <-chan struct{}) {
	w.t.Helper()
	select {
	case <-what:
	case <-time.After(20 * time.Second):
		w.t.Fatalf("the turn does not go on: %v", slices.Sorted(maps.Values(w.saw())))
	}
}

// end leaves, and gives what was seen.
func (w *watcher) end() map[int64]string {
	w.leave()
	for range w.more { // until it is closed
	}
	return w.saw()
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
