package intent

import (
	"fmt"
	"strings"
)

// toldFrames read sums in a story that rules would read wrongly, or not at all.
func toldFrames() []frame {
	const (
		amount = `\b[$€£]?(?P<a>\d[\d.,]*) ?(?:euros?|dollars?|pounds?|crowns?|bucks|eur|usd|czk|kč|[$€£])?`
		people = `(?:people|persons|friends|of us|guests|kids|children|colleagues|students|players|members|families|workers|neighbours|neighbors|\pL+s)`
		gives  = `(?:chip(?:s)? in|pays?|gives?|puts? in|contributes?|brings?|owes?|costs?|gets?|has|have|need|needs|eats?|buys?|drinks?|spends?|earns?|takes?|donates?|saves?|weighs?|is|are)`
	)
	sum := func(form string) func(*utterance, naming, captures) goal {
		return func(_ *utterance, n naming, m captures) goal {
			if len(n.things) > 0 {
				return nil
			}
			number := func(s string) string { return strings.TrimRight(strings.ReplaceAll(s, ",", ""), ".") }
			return oneCall{tool: calculate, args: arguments{"expression": fmt.Sprintf(form, number(m["a"]), number(m["b"]))}}
		}
	}
	return []frame{
		{tool: calculate, cues: []cue{
			on(amount+`[^.?!\d,%][^.?!\d]{0,40}?(?P<b>\d+(?:[.,]\d+)?) ?(?:%|percent|per cent) (?:off|discount|discounted|reduction|rebate|cheaper|less|reduced)\b`, "a jacket is 89 euros with 30% off - what do i pay"),
			on(`\b(?P<b>\d+(?:[.,]\d+)?) ?(?:%|percent|per cent) (?:off|discount on|reduction on|rebate on)[^\d]{0,40}? `+amount, "with 20 percent off, what's a coat of 120 euros"),
		}, goal: sum("%s * (1 - %s / 100)")},
		{tool: calculate, cues: []cue{
			on(`\b(?P<b>\d{1,3})\b(?: (?:of us|people|friends|persons|guests))?[^\d%]{1,40}?\b(?:dinner|lunch|bill|total|cost|costs|paid|was|came to|rent|check)\b[^\d%]{0,20}?`+amount+`[^\d%]{1,30}\b(?:per (?:head|person)|a head|everyone)\b`, "we were 5 and dinner was 132.50, so per head?"),
		}, goal: sum("%s / %s")},
		{tool: calculate, cues: []cue{
			on(`^(?:what(?:'s| is|s)|how much is|write|give me|convert)? ?(?P<a>\d+(?:\.\d+)?) ?(?:/|over|divided by) ?(?P<b>\d+(?:\.\d+)?) (?:as|in|to|into)(?: an?)? (?:decimals?|numbers?|percent\w*|decimal number)$`, "whats 3/8 as a decimal"),
		}, goal: sum("%s / %s")},
		{tool: calculate, cues: []cue{
			on(`\b(?P<a>\d+) `+people+`(?: (?:who|that|each|all|would|will|every|one|of|them))* `+gives+`(?: (?:each|in|up|about|exactly))* [$€£]?(?P<b>\d[\d.,]*)[^\d]{0,60}?(?:\bwhat|\bhow much|\bhow many|\btotal|\bsum|\baltogether|\bend up|\bin all|$)`, "so if 12 people each chip in 7.50 what do we end up with"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if !eachOne.has(n.words) || !asksTotal.has(u.core+" "+strings.TrimSpace(u.Text)) && !endsUp.has(u.core) {
				return nil
			}
			return sum("%s * %s")(u, n, m)
		}},
	}
}

var (
	eachOne = newPattern(`\b(?:each|every|apiece|per|a head)\b`)
	endsUp  = newPattern(`\b(?:end up with|make|makes|get|collect|have|need)\b`)
)
