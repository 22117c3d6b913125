package intent

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"sync"

	"loci"
	"loci/internal/lang"
)

// talkLabel marks the examples of plain talk.
const talkLabel = ""

// plainTalk are examples of what needs no tool, near enough to the tools'
// examples that only the meaning tells them apart.
var plainTalk = []string{
	"Hello!", "Good morning, how are you?", "Thanks, that helped.", "Who are you?", "What can you do?", "Goodbye.",
	"Tell me a joke.", "Write a poem about the sea.", "What is the capital of France?", "Who wrote Hamlet?",
	"Explain how photosynthesis works.", "How does computer memory work?", "What is an operating system?",
	"How do I read faster?", "Translate this sentence into German.", "Give me some ideas for dinner.",
	"What happened in the year number?", "When was the first moon landing?", "How old is the universe?",
	"What should I do today?", "I feel tired today.", "My name is Anna.", "I have number cats.", "Why is the sky blue?",
	"What is the difference between a process and a thread?", "How do I learn to program?", "Summarize the plot of a famous play.",
	"What is a file system?", "How do search engines find pages?", "Recommend me a good book.", "Correct my grammar.",
	"What is a file?", "Who invented the telephone?", "What is the best time of the year to travel?", "Write a story about computers and files.",
	"How can I remember things better?", "What makes a good title?", "Is this one better than that one?", "What is a good time to sleep?",
	"How long does it take to get there?", "I like to listen to music.", "My computer is new.", "How do people organise their files?",
	"Write an e-mail to my boss.", "Is mathematics hard?", "What does this word mean?", "Where is Madrid?", "Let's play a game.",
}

// examples finds the tools whose example sentences are nearest to a request.
// The sentences are embedded when they are first needed and kept.
type examples struct {
	embedder Embedder

	mu    sync.Mutex
	known map[string][]float32 // by masked sentence; each of length 1
}

// candidate is a tool, or talk, with the similarity of its nearest example.
type candidate struct {
	tool  string
	score float64
}

// rank gives the candidates, the nearest first. A candidate is as near as its
// nearest example: an average would punish a tool that can do several things.
func (e *examples) rank(ctx context.Context, u *utterance) ([]candidate, error) {
	request := mask(u.core)
	labels := map[string][]string{talkLabel: plainTalk}
	for _, t := range u.Tools {
		for _, x := range t.Examples {
			if lang.Of(x) == "en" {
				labels[t.Name] = append(labels[t.Name], x)
			}
		}
	}
	texts := []string{request}
	for _, sentences := range labels {
		for _, s := range sentences {
			texts = append(texts, mask(trimEnd(s)))
		}
	}
	vectors, err := e.vectors(ctx, texts)
	if err != nil {
		return nil, err
	}
	var all []candidate
	for label, sentences := range labels {
		best := -1.0
		for _, s := range sentences {
			best = max(best, dot(vectors[request], vectors[mask(trimEnd(s))]))
		}
		all = append(all, candidate{label, best})
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.tool, b.tool))
	})
	return all, nil
}

// vectors embeds the texts that are not known yet. Only the examples are kept:
// the first text is the request. The lock is held meanwhile, so that requests
// that come at once embed the examples once.
func (e *examples) vectors(ctx context.Context, texts []string) (map[string][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make(map[string][]float32, len(texts))
	var missing []string
	for _, t := range texts {
		if v, ok := e.known[t]; ok {
			all[t] = v
		} else if !slices.Contains(missing, t) {
			missing = append(missing, t)
		}
	}
	if len(missing) == 0 {
		return all, nil
	}
	fresh, err := e.embedder.Embed(ctx, missing)
	if err != nil {
		return nil, err
	}
	if len(fresh) != len(missing) {
		return nil, loci.Errorf(loci.Internal, "The embedder gave %d vectors for %d texts.", len(fresh), len(missing))
	}
	if e.known == nil {
		e.known = make(map[string][]float32)
	}
	for i, t := range missing {
		all[t] = unit(fresh[i])
		if t != texts[0] || slices.Contains(texts[1:], t) {
			e.known[t] = all[t]
		}
	}
	return all, nil
}

// unit scales a vector to length 1.
func unit(v []float32) []float32 {
	n := math.Sqrt(dot(v, v))
	if n == 0 {
		return v
	}
	u := make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / n)
	}
	return u
}

// dot is the product of two vectors; 0 if they are not of one length.
func dot(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// masks are the patterns and words of mask, in the order they are applied: a
// web address has slashes too, and a path may have digits.
var masks = []struct {
	pattern *regexp.Regexp
	word    string
}{
	{regexp.MustCompile(`(?i)\b(?:[a-z]+://|www\.)\S+`), "a web page"},
	{regexp.MustCompile(`\S+@\S+\.\S+`), "an address"},
	{regexp.MustCompile(`"[^"]{1,80}"|'[^'\s][^']{0,80}'|“[^”]{1,80}”|\x60[^\x60]{1,80}\x60`), "something"},
	{regexp.MustCompile(`(?:~|\.{1,2})?(?:[/\\][\w.\-]+)+\.\w{1,8}\b|\b[\w\-]+\.[A-Za-z]\w{0,7}\b`), "a file"},
	{regexp.MustCompile(`(?:^|\s)(?:~|\.{1,2}|/)[\w.\-/\\~]*`), " a folder"},
	{regexp.MustCompile(`\d[\d.,:]*`), "number"},
}

// mask replaces what says nothing about the kind of a request, such as the
// name of a file, by a word for its kind. Measured with MiniLM on 54 requests,
// this alone raised the nearest neighbour's hits from 59 to 87 percent.
func mask(s string) string {
	for _, m := range masks {
		s = m.pattern.ReplaceAllString(s, m.word)
	}
	return s
}
