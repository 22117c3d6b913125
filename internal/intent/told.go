package intent

import (
	"fmt"
	"strings"
)

// toldFrames read sums in a story that rules would read wrongly, or not at all.
func toldFrames() []frame {
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
		{tool: calculate, kind: "sums/price that is reduced", goal: sum("%s * (1 - %s / 100)")},
		{tool: calculate, kind: "sums/price for each", goal: sum("%s / %s")},
		{tool: calculate, kind: "sums/share of each", goal: sum("%s / %s")},
		{tool: calculate, kind: "sums/what all give", goal: func(u *utterance, n naming, m captures) goal {
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
