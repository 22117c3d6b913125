package agent

import (
	"fmt"
	"slices"

	"loci"
	"loci/internal/text"
)

// fit leaves out the oldest part of a conversation that no longer fits the
// model's window together with the next message. That breaks the cached prefix,
// so it is done rarely and then for a large part: at most KeptRounds rounds
// stay, and no more than fill half of the room. Where they begin is kept for
// the turns to come, and the person is told.
func (t *turn) fit(next string) {
	hidden := t.fromBase()
	room := t.profile.Window - t.profile.Window/4 // the rest is for the reply
	message := text.Tokens(next) + imageTokens*len(t.req.Message.Images)
	if message > t.profile.Window { // some servers refuse it, and some cut it in silence
		t.notice = fmt.Sprintf("(This message alone is longer than the model's window of %d tokens: the model may not see all of it.)\n\n", t.profile.Window)
	}
	room -= text.Tokens(t.session.System) + message + t.toolTokens()
	if pathTokens(t.path) <= room {
		return
	}
	rounds := roundStarts(t.path)
	cut := len(t.path)
	for _, start := range slices.Backward(rounds[max(0, len(rounds)-t.agent.cfg.Settings.KeptRounds):]) {
		if pathTokens(t.path[start:]) > room/2 {
			break
		}
		cut = start
	}
	if cut == 0 {
		return // nothing older to leave out: the message itself is too long
	}
	older, _ := slices.BinarySearch(rounds, cut)
	t.notice += fmt.Sprintf("(This conversation is longer than the model's window of %d tokens. From here on the model no longer sees the oldest %d of its %d questions.)\n\n",
		t.profile.Window, hidden+older, hidden+len(rounds))
	t.path = t.path[cut:]
	t.rebased = true
}

// fromBase leaves out what was left out before, and tells how many questions that
// is.
func (t *turn) fromBase() (hidden int) {
	i := slices.IndexFunc(t.path, func(n loci.Node) bool { return n.ID == t.session.Base })
	if i <= 0 {
		return 0
	}
	hidden = len(roundStarts(t.path[:i]))
	t.path = t.path[i:]
	return hidden
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

func pathTokens(path []loci.Node) int {
	n := 0
	for _, node := range path {
		if node.Unsent {
			continue
		}
		n += text.Tokens(node.Sent.Content) + messageTokens + imageTokens*len(node.Sent.Images)
		for _, c := range node.Sent.ToolCalls {
			n += text.Tokens(c.Name) + text.Tokens(string(c.Arguments))
		}
	}
	return n
}

func (t *turn) toolTokens() int {
	if t.session.Tier != loci.TierNative {
		return 0 // described in the system block
	}
	n := 0
	for _, s := range t.offered() {
		n += text.Tokens(s.Description) + text.Tokens(string(s.Parameters))
	}
	return n
}

// windowUntold is the window of a model that nobody tells anything about, in tokens.
const windowUntold = 4096

// Rough sizes in tokens of what is not text.
const (
	messageTokens = 6   // role and separators of a chat template
	imageTokens   = 600 // a typical picture
)
