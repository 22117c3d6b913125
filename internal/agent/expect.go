package agent

import (
	"math"
	"time"

	"loci"
	"loci/internal/lang"
)

// patience is how long a reply may take to begin without a word about it.
const patience = 5 * time.Second

// How long a model reads.
var (
	readsSlowly = lang.Words{
		EN: "The model reads about %.0f tokens a second; this takes about %s.",
		ZH: "模型每秒大约读 %.0f 个词元；这大约需要 %s。",
		CS: "Model čte asi %.0f tokenů za sekundu; potrvá to asi %s.",
	}
	minutes = lang.Counted{One: "minute", Many: "minutes", ZH: "分钟", CSOne: "minutu", CSFew: "minuty", CSAll: "minut"}
	seconds = lang.Counted{One: "second", Many: "seconds", ZH: "秒", CSOne: "sekundu", CSFew: "sekundy", CSAll: "sekund"}
)

// foretell tells the person how long the model will read before it answers, where
// that is long and the model's speed is known. It is told as an event and is no part
// of the reply. It is false if it cannot be stored.
func (t *turn) foretell() bool {
	if t.session.Tier == loci.TierTiny { // reads little, and loci itself answers most
		return true
	}
	wait := t.profile.Speed.FirstToken(t.unread())
	if wait <= patience {
		return true
	}
	return t.record(loci.Notice{Text: readsSlowly.In(t.scope.Lang, t.profile.Speed.Read, inWords(t.scope.Lang, wait))})
}

// unread is about how many tokens of the next model call the server does not have in
// its cache: of a conversation that it read before, what has been added since. Whether
// it still has that, only the receipt tells.
func (t *turn) unread() int {
	tokens := t.fixed() + t.pathTokens(t.view())
	if last, ok := t.agent.steps.get(t.session.ID); ok && last.Request.Model == t.session.Model {
		tokens = t.pathTokens(t.view())
		message := int(aroundOf(t.profile.Counting).message)
		for _, m := range last.Request.Messages[1:] { // after the system block
			tokens -= t.weigh(m.Content) + message
		}
		if last.Reply != nil {
			tokens -= t.weigh(last.Reply.Content) + message
		}
	}
	return max(0, int(float64(tokens)*t.agent.scales.of(t.profile)))
}

// inWords says a time in words.
func inWords(language string, d time.Duration) string {
	if d >= 2*time.Minute {
		return minutes.In(language, int(math.Round(d.Minutes())))
	}
	return seconds.In(language, int(math.Round(d.Seconds())))
}
