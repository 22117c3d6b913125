package agent

import (
	"strings"
	"testing"
)

func TestCirclesOf(t *testing.T) {
	for text, want := range map[string]bool{
		"":                    false,
		"I am well.":          false,
		"Ha ha ha ha!":        false,
		"No. No. Really, no.": false,
		"la femme, la femme, la femme, la femme, la femme":                  true,
		"It is 100/100/100/100/100/100/100/100":                             true,
		"```\n```\n```\n```\n```\n```\n```\n":                               true,
		"| a | b |\n|---|---|\n" + strings.Repeat("-", 60):                  false,
		"Here is the list:\n" + strings.Repeat("=", 70):                     false,
		"1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12":                             false,
		"I can help with that today. And I can help with that today.":       false, // one is longer than the other
		"I can help with that, my friend. I can help with that, my friend.": true,
	} {
		if got := circles(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
