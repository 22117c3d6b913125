package intent

import (
	_ "embed"
	"strings"
	"sync"
)

// sentencesFile has requests as people typed them, a line each: what is asked for, a tab,
// the words. What is asked for is a tool, with the kind of request behind a space where
// the tool does several things, or talk. They are from the evaluation sets that may be
// tuned on, and some more for tools that those seldom ask for; none is from the half of
// the frozen set that measures.
//
//go:embed sentences.tsv
var sentencesFile string

// asked are those requests, by what is asked for.
var asked = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(sentencesFile) {
		label, words, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		if label == "talk" {
			label = talkLabel
		}
		all[label] = append(all[label], words)
	}
	return all
})

// labelOf parts what is asked for into the tool and the kind of request.
func labelOf(label string) (tool, kind string) {
	tool, kind, _ = strings.Cut(label, " ")
	return tool, kind
}
