package approval

import (
	"strings"
	"sync"

	"loci"
	"loci/internal/lang"
)

// spanWords are how people say for how long a yes holds, separated by commas.
var spanWords = map[loci.GrantSpan]string{
	loci.GrantOnce: "once, just once, only once, this once, just this once, this time, just this time, this one time, " +
		"一次, 仅一次, 只一次, 这一次, 仅此一次, jednou, jen jednou, pouze jednou, tentokrát, jen tentokrát, einmal, nur einmal, diesmal, один раз, una vez, solo una vez, une fois, une seule fois",
	loci.GrantMinutes: "30m, 30 m, 30min, 30 min, 30 minutes, half an hour, for 30m, for 30 min, for 30 minutes, for half an hour, for the next 30 minutes, " +
		"30分钟, 30 分钟, 三十分钟, 半小时, 半个小时, na 30m, na 30 min, na 30 minut, na půl hodiny, 30 minut, půl hodiny, " +
		"30 minuten, für 30 minuten, eine halbe stunde, für eine halbe stunde, 30 минут, на 30 минут, на полчаса, 30 minutos, por 30 minutos, media hora, por media hora, pendant 30 minutes, une demi-heure, pour une demi-heure",
	loci.GrantSession: "session, this session, the session, for this session, for the session, in this session, for this chat, for this conversation, in this conversation, " +
		"本次会话, 这次会话, 本次对话, 这次对话, 在本次会话中, v této konverzaci, pro tuto konverzaci, v tomto rozhovoru, pro tento rozhovor, " +
		"für diese sitzung, in dieser sitzung, für diese unterhaltung, на эту сессию, для этой сессии, en esta sesión, para esta sesión, por esta sesión, pour cette session, dans cette session",
	loci.GrantAlways: "always, for always, forever, for ever, for good, 总是, 一直, 始终, 永远, vždy, vždycky, navždy, pokaždé, immer, für immer, всегда, навсегда, siempre, para siempre, toujours, pour toujours",
}

// holding says for how long a yes was understood to be given.
var holding = map[loci.GrantSpan]lang.Words{
	loci.GrantMinutes: {EN: "(This yes holds for 30 minutes.)", ZH: "（本次同意在 30 分钟内有效。）", CS: "(Tento souhlas platí 30 minut.)"},
	loci.GrantSession: {EN: "(This yes holds for this conversation.)", ZH: "（本次同意在本次对话内有效。）", CS: "(Tento souhlas platí pro tento rozhovor.)"},
	loci.GrantAlways:  {EN: "(This yes holds until you take it back: loci approvals grants.)", ZH: "（本次同意一直有效，直到您撤回：loci approvals grants。）", CS: "(Tento souhlas platí, dokud ho nevezmete zpět: loci approvals grants.)"},
}

// Holding tells a person for how long their yes holds; empty for one that counts once.
func Holding(span loci.GrantSpan, lang string) string { return holding[span].In(lang) }

// spanPhrases is spanWords in one table, by the words of a phrase as split gives them,
// and the number of words in the longest.
var spanPhrases = sync.OnceValues(func() (table map[string]loci.GrantSpan, longest int) {
	table = map[string]loci.GrantSpan{}
	for span, list := range spanWords {
		for phrase := range strings.SplitSeq(list, ",") {
			for _, form := range []string{phrase, unmarked(phrase)} {
				words, _ := split(fold(form))
				table[strings.Join(words, " ")] = span
				longest = max(longest, len(words))
			}
		}
	}
	return table, longest
})

// spanIn finds the longest phrase for a span that words begin with, and how many
// words it takes; 0 if there is none.
func spanIn(words []string) (loci.GrantSpan, int) {
	known, longest := spanPhrases()
	for n := min(len(words), longest); n > 0; n-- {
		if span, ok := known[strings.Join(words[:n], " ")]; ok {
			return span, n
		}
	}
	return "", 0
}
