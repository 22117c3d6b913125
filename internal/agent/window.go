package agent

import (
	"cmp"
	"slices"
	"sync"

	"loci"
	"loci/internal/lang"
	"loci/internal/text"
)

const (
	replyPart = 4    // this part of a window is kept free for the reply
	sureRoom  = 3072 // tokens of a window that are used whatever share of it is

	// smallModel is up to how many weights a model is taken to lose the thread in the
	// far half of its window; RULER (Hsieh and others, 2024) measures it.
	smallModel = 8_500_000_000
)

// What the person reads of a window that is too small.
var (
	longMessage = lang.Words{
		EN: "(This message alone is longer than the model's window of %d tokens: the model may not see all of it.)",
		ZH: "（仅这一条消息就超过了模型的窗口（%d 个词元）：模型可能看不到全部。）",
		CS: "(Už tato zpráva sama je delší než okno modelu (počet tokenů: %d): model ji možná neuvidí celou.)",
	}
	leftOut = lang.Words{
		EN: "(This conversation is longer than the model's window of %d tokens. From here on the model no longer sees the oldest %d of its %d questions.)",
		ZH: "（这段对话超过了模型的窗口（%d 个词元）。从这里起，模型不再看到最早的 %d 个问题（共 %d 个）。）",
		CS: "(Tento rozhovor je delší než okno modelu (počet tokenů: %d). Odtud dál model už nevidí nejstarší otázky: %d z %d.)",
	}
	windowFull = lang.Words{
		EN: "(The model's window of %d tokens is full: the model may not see all of this. Ask for a smaller part.)",
		ZH: "（模型的窗口（%d 个词元）已满：模型可能看不到全部。请只问其中一部分。）",
		CS: "(Okno modelu (počet tokenů: %d) je plné: model to možná neuvidí celé. Zeptejte se na menší část.)",
	}
	stepsLeftOut = lang.Words{
		EN: "(The model's window of %d tokens is full: from here on the model no longer sees the first %d of its steps.)",
		ZH: "（模型的窗口（%d 个词元）已满：从这里起，模型不再看到它最初的 %d 步。）",
		CS: "(Okno modelu (počet tokenů: %d) je plné: odtud dál model už nevidí své první kroky (kolik: %d).)",
	}
	sentInShort = lang.Words{
		EN: "(The model's window of %d tokens is nearly full. From here on the model sees older tool results and calls in short; it can read them again.)",
		ZH: "（模型的窗口（%d 个词元）快满了。从这里起，模型只看到较早的工具结果和调用的简短形式；它可以再读一遍。）",
		CS: "(Okno modelu (počet tokenů: %d) je skoro plné. Odtud dál model vidí starší výsledky nástrojů a jejich volání jen zkráceně; může si je přečíst znovu.)",
	}
)

// remark adds to what the person is told before the reply.
func (t *turn) remark(words lang.Words, args ...any) {
	t.notice += words.In(t.scope.Lang, args...) + "\n\n"
}

// fit makes room for the next message of the person, of so many tokens, where the
// conversation no longer fits the usable part of the model's window. First long tool
// results of the past are sent in short; if that is not enough, the oldest rounds are
// left out: at most KeptRounds stay, and no more than fill half of the room. Either
// breaks the cached prefix, so it is done rarely and then for a large part. Where it
// happened is kept for the turns to come, and the person is told.
func (t *turn) fit(message int) {
	t.fromBase()
	if t.unmet { // its window may be larger, and what is left out stays out
		return
	}
	room := t.tokens(t.usable())
	if message > t.tokens(t.profile.Window) { // some servers refuse it, and some cut it in silence
		t.full = true
		t.remark(longMessage, t.profile.Window)
	}
	room -= t.fixed() + message
	if t.pathTokens(t.view()) <= room || len(t.path) == 0 {
		return
	}
	if t.digestTo(len(t.path)-1) && t.pathTokens(t.view()) <= room*3/4 {
		return
	}
	view := t.view()
	rounds := roundStarts(t.path)
	cut := len(t.path)
	for _, start := range slices.Backward(rounds[max(0, len(rounds)-t.agent.cfg.Settings.KeptRounds):]) {
		if t.pathTokens(view[start:]) > room/2 {
			break
		}
		cut = start
	}
	if cut == 0 {
		return // nothing older to leave out: the message itself is too long
	}
	older, _ := slices.BinarySearch(rounds, cut)
	t.leaveOut(older, len(rounds))
	t.path = t.path[cut:]
	t.rebased = true
}

// leaveOut tells the person how many of the questions that were sent are not any more.
func (t *turn) leaveOut(older, all int) {
	t.remark(leftOut, t.profile.Window, t.hidden+older, t.hidden+all)
	t.hidden += older
}

// makeRoom sees to it, before each call of the model, that the prompt and the reply
// fit the window, whatever tools have said since the turn began. What is old goes
// first: long results before the newest ones are sent in short, then older rounds are
// left out, then the newest results are sent in short too.
func (t *turn) makeRoom() {
	limit := t.tokens(t.profile.Window - t.replyRoom())
	fits := func() bool {
		t.estimate = t.fixed() + t.pathTokens(t.view())
		return t.estimate <= limit
	}
	if fits() || t.unmet {
		return
	}
	if t.digestTo(t.newest()-2) && fits() { // the call itself stays with its results
		return
	}
	if rounds := roundStarts(t.path); len(rounds) > 1 {
		now := rounds[len(rounds)-1]
		t.leaveOut(len(rounds)-1, len(rounds))
		t.path = t.path[now:]
		t.session.Base, t.dirty = t.path[0].ID, true
		if fits() {
			return
		}
	}
	if t.dropSteps() && fits() || t.digestTo(len(t.path)-1) && fits() {
		return
	}
	if t.full || t.estimate <= t.tokens(t.profile.Window) { // only the reply will be short, and says so
		return
	}
	t.full = true
	t.remark(windowFull, t.profile.Window)
}

// keptSteps is how many steps of a turn are sent in any case.
const keptSteps = 2

// dropSteps leaves out all but the newest steps of the turn that runs. The question
// stays before them. It is false if there are no more.
func (t *turn) dropSteps() bool {
	var steps []int
	for i, n := range t.path {
		if n.Turn == t.id && n.Sent.Role == loci.Assistant && n.Shown == nil && !n.Unsent {
			steps = append(steps, i)
		}
	}
	dropped := len(steps) - keptSteps
	if dropped <= 0 {
		return false
	}
	t.session.Base, t.dirty = t.path[steps[dropped]].ID, true
	t.fromBase()
	t.remark(stepsLeftOut, t.profile.Window, dropped)
	return true
}

// digestTo has all that is long up to a place of the path sent in short. It is false
// if that changes nothing.
func (t *turn) digestTo(last int) bool {
	before := slices.IndexFunc(t.path, func(n loci.Node) bool { return n.ID == t.session.Digested })
	long, told := 0, digests(t.path)
	for i := before + 1; i <= last && i < len(t.path); i++ {
		if _, changed := t.short(t.path[i], true, told); changed && !t.path[i].Unsent {
			long++
		}
	}
	if long == 0 {
		return false
	}
	t.session.Digested, t.dirty = t.path[last].ID, true
	t.log.Info("window full", "stage", "window", "window", t.profile.Window, "shortened", long)
	if !t.told { // it holds for what follows in this turn too
		t.remark(sentInShort, t.profile.Window)
	}
	t.told = true
	return true
}

// usable is how many tokens of the window a conversation may fill: the share that the
// person set, or three quarters, of which a small model has half the window. Of a
// window of up to 4k it is three quarters in any case: half would hold no task.
func (t *turn) usable() int {
	window := t.profile.Window
	most := window - window/replyPart
	share := t.agent.cfg.Settings.UsableShare
	if share == 0 && t.profile.Params > 0 && t.profile.Params <= smallModel {
		share = 50
	}
	if share == 0 {
		return most
	}
	return min(most, max(window*share/100, min(sureRoom, most)))
}

// replyRoom is how many tokens are kept free for the reply.
func (t *turn) replyRoom() int {
	room := t.profile.Window / replyPart
	if most := t.req.Options.MaxTokens; most != nil && *most > 0 {
		room = min(room, *most)
	}
	return room
}

// fixed is what a prompt takes before the conversation begins.
func (t *turn) fixed() int {
	around := aroundOf(t.profile.Counting)
	n := float64(t.weigh(t.session.System)) + around.message + around.prompt
	if t.session.Tier != loci.TierNative {
		return int(n) // tools are described in the system block
	}
	tools := t.offered()
	if len(tools) > 0 {
		n += around.tools
	}
	for _, s := range tools {
		n += around.tool + around.schema*float64(t.weigh(s.Name)+t.weigh(s.Description)+t.weigh(string(s.Parameters)))
	}
	return int(n)
}

// fromBase leaves out what was left out before, and counts the questions in it. A turn
// that was cut between its steps keeps its question.
func (t *turn) fromBase() {
	i := slices.IndexFunc(t.path, func(n loci.Node) bool { return n.ID == t.session.Base })
	if i <= 0 {
		return
	}
	rounds := roundStarts(t.path[:i+1])
	kept := t.path[i:]
	if last := len(rounds) - 1; last >= 0 {
		t.hidden += last
		if question := rounds[last]; question != i {
			kept = append([]loci.Node{t.path[question]}, kept...)
		}
	}
	t.path = kept
}

// roundStarts gives the positions of the person's messages.
func roundStarts(path []loci.Node) []int {
	var starts []int
	for i, n := range path {
		if n.Shown != nil && n.Sent.Role == loci.User && !n.Unsent {
			starts = append(starts, i)
		}
	}
	return starts
}

func (t *turn) pathTokens(path []loci.Node) int {
	n, messages := 0, 0
	for _, node := range path {
		if node.Unsent {
			continue
		}
		messages++
		n += t.weighNode(node.Sent.Content, node.ID) + imageTokens*len(node.Sent.Images)
		for _, c := range node.Sent.ToolCalls {
			n += callTokens + t.weigh(c.Name) + t.weigh(string(c.Arguments))
		}
	}
	return n + int(float64(messages)*aroundOf(t.profile.Counting).message)
}

// weigh is how many tokens the model makes of a text, by what is known of its tokenizer.
func (t *turn) weigh(s string) int { return text.Make(s).Tokens(t.weights()) }

// weighNode is weigh for the text of a node, sent whole or cut.
func (t *turn) weighNode(s, node string) int { return t.agent.counts.of(s, node).Tokens(t.weights()) }

func (t *turn) weights() text.Weights { return text.Weights(t.profile.Counting.Weights) }

// around is how many tokens a chat template writes around what is told.
type around struct{ prompt, message, tools, tool, schema float64 }

// aroundOf takes what was counted, and what is usual where nothing was.
func aroundOf(c loci.Counting) around {
	c = c.Sane() // it may have been stored before it was looked at like that
	a := around{message: messageTokens, tool: toolTokens, schema: 1}
	if c.Message > 0 {
		a.prompt, a.message = c.Prompt, c.Message
	}
	if c.Schema > 0 {
		a.tools, a.tool, a.schema = c.Tools, c.Tool, c.Schema
	}
	return a
}

// windowUntold is the window of a model that nobody tells anything about, in tokens.
const windowUntold = 4096

// Rough sizes in tokens of what is not text.
const (
	messageTokens = 6   // role and separators of a chat template
	callTokens    = 12  // what a template writes around a call
	toolTokens    = 18  // and around a tool
	imageTokens   = 600 // a typical picture
)

// tokens turns a number of a model's tokens into one of our estimate, by what its
// calls took so far.
func (t *turn) tokens(n int) int {
	return int(float64(n) / t.agent.scales.of(t.profile))
}

// scales remembers, for each model, how many tokens it made of what we took for one.
// It is safe for concurrent use.
type scales struct {
	mu      sync.Mutex
	made    map[string]float64
	doubted map[string]bool // models whose server counts samples otherwise than prompts
}

const (
	leastEstimate         = 200 // tokens; of fewer the template's own are too large a part
	leastScale, mostScale = 0.8, 4
	mostWrong             = 2 // times; a server that counted the samples rightly is nearer
)

func scaleKey(p loci.Profile) string { return p.Server + " " + cmp.Or(p.Digest, p.Model) }

func (s *scales) of(p loci.Profile) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.made[scaleKey(p)], 1)
}

// heed learns from a call: what was estimated, and what the server counted. More is
// believed at once, less only by and by: the next text may be of another kind.
func (s *scales) heed(p loci.Profile, estimate, counted int) {
	if estimate < leastEstimate || counted <= 0 {
		return
	}
	now := min(mostScale, max(leastScale, float64(counted)/float64(estimate)))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made = map[string]float64{}
	}
	key := scaleKey(p)
	if before := cmp.Or(s.made[key], 1); now < before {
		now = before*0.8 + now*0.2
	}
	s.made[key] = now
}

// doubt compares an estimate with what a call took: a server that counts samples quite
// otherwise than prompts is not believed about the samples.
func (s *scales) doubt(p loci.Profile, estimate, counted int) {
	if p.Counting == (loci.Counting{}) || estimate < leastEstimate || counted <= 0 || max(estimate, counted) <= mostWrong*min(estimate, counted) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doubted == nil {
		s.doubted = map[string]bool{}
	}
	s.doubted[scaleKey(p)] = true
	delete(s.made, scaleKey(p)) // it is of an estimate that is not made any more
}

// believed is what is known of how a model counts, and nothing where its calls took
// something quite different.
func (s *scales) believed(p loci.Profile) loci.Counting {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doubted[scaleKey(p)] {
		return loci.Counting{}
	}
	return p.Counting
}

// weighed learns from what the server counted of the prompt that was made last.
func (t *turn) weighed(counted int) {
	s := &t.agent.scales
	if s.doubt(t.profile, t.estimate, counted); s.believed(t.profile) != t.profile.Counting {
		t.log.Warn("the server counts prompts otherwise than samples, so the samples do not count", "stage", "window", "estimate", t.estimate, "counted", counted)
		t.profile.Counting = loci.Counting{}
		return
	}
	s.heed(t.profile, t.estimate, counted)
}

// mostRefused is how often a turn tries again with less.
const mostRefused = 2

// tooLong is for a prompt that the server refused as longer than its window: it must
// count more tokens than we do. It is false where nothing can be left out.
func (t *turn) tooLong() bool {
	before := t.estimate
	if t.overlong++; t.overlong > mostRefused || t.full {
		return false
	}
	t.agent.scales.heed(t.profile, before, int(float64(before)*t.agent.scales.of(t.profile)*5/4))
	if t.makeRoom(); t.estimate >= before {
		return false
	}
	t.Step--
	return true
}

// page is how many characters of text a tool should give at once, as three bytes a
// token; what stands around it in the result takes some.
func (t *turn) page() int { return 3*t.share() - 400 }
