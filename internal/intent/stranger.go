package intent

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"loci"
	"loci/internal/intent/fill"
	"loci/internal/lang"
)

// A stranger is a tool that carries no examples and that no rule knows, such as one
// that a client or an MCP server brings. What it says of itself is compared with the
// request, and its arguments are taken from the words by its schema alone.

// The least cosines of a request and the words of a stranger that is meant, found with
// MiniLM on the even questions of BFCL v4 and on the talk of this package's test data.
// The arguments, which must all be there, keep out others.
const (
	wishedFor   = 0.20 // of what loci has understood and cannot do itself, by its name
	wishedSo    = 0.30 // or by its description
	askedFor    = 0.46 // of a tool that only looks, with a word of its own in the request
	vaguelySo   = 0.60 // without one, or where it may as well be talk
	ordered     = 0.40 // of one with effects, with its verb at the beginning
	orderedOnly = 0.50 // and nothing else of it
	underTalk   = 0.05 // how much nearer talk may be, where there is no order
)

// known is a stranger with what the request has for it.
type known struct {
	loci.ToolSpec
	said
	args          map[string]any
	whole         bool     // all that it needs is among the words
	missing, left []string // what is not, and the words that no argument took
	bad           bool     // what it takes cannot be read, or nobody looked
	score         float64  // how near it is to the request in meaning
	// wish is the least score where it is about what loci has just understood and cannot
	// do itself; 0: it is not.
	wish float64
}

// stranger is the move that calls a stranger, where one is meant. The nearest whose
// arguments are all there is taken, and the model not asked: where SmolLM2-135M chose
// between near ones, 46 of 100 questions with several tools (BFCL v4, multiple, odd
// ones) came out right, and without it 49.
// It comes before fixed words: what loci itself cannot do, a client's tool may.
func (r *Router) stranger(ctx context.Context, u *utterance, g goal) (move loci.Move, ok bool, err error) {
	strangers := u.strangers()
	if len(strangers) == 0 {
		return move, false, nil
	}
	if n := len(u.Results); n > 0 {
		last := u.Results[n-1]
		if !slices.ContainsFunc(strangers, func(t loci.ToolSpec) bool { return t.Name == last.Call.Name }) {
			return move, false, nil
		}
		return say(u, last), true, nil
	}
	if u.Lang != lang.English || u.core == "" {
		return move, false, nil
	}
	all := u.known(strangers, g)
	if !slices.ContainsFunc(all, func(k *known) bool { return k.possible(u) || k.orders(u.core) }) {
		return move, false, nil
	}
	talks, err := r.weigh(ctx, u, all)
	if err != nil {
		return move, false, err
	}
	few := near(all)
	for _, k := range few {
		if k.meant(u, talks) {
			return k.call(), true, nil
		}
	}
	for _, k := range few {
		if text := k.question(u); text != "" {
			return loci.Move{Say: text}, true, nil
		}
	}
	return move, false, nil
}

// strangers are those of the tools offered.
func (u *utterance) strangers() []loci.ToolSpec {
	var all []loci.ToolSpec
	for _, t := range u.Tools {
		if len(t.Examples) == 0 {
			all = append(all, t)
		}
	}
	return all
}

// known looks what the words have for each stranger. Of a long text they have nothing.
func (u *utterance) known(strangers []loci.ToolSpec, g goal) []*known {
	wish := wishWords(g)
	all := make([]*known, len(strangers))
	for i, t := range strangers {
		k := &known{ToolSpec: t, said: saidBy(t), bad: true}
		if len(u.core) <= maxWords {
			f := fill.Fill(u.core, u.after(), t.Parameters)
			k.args, k.missing, k.left, k.bad = f.Args, f.Missing, f.Left, f.Bad
			k.whole = f.Whole() && !k.echoed()
		}
		if shares(k.rest, wish) {
			k.wish = wishedSo
		}
		if shares(k.name, wish) {
			k.wish = wishedFor
		}
		all[i] = k
	}
	return all
}

// after is what was cut off the end of the words: marks, and politeness.
func (u *utterance) after() string {
	rest, ok := strings.CutPrefix(u.whole, u.core)
	if !ok {
		return ""
	}
	return rest
}

// echoed tells whether an argument is nothing but the stranger's name: "who founded
// Wikipedia?" names the tool, and not what to look up.
func (k *known) echoed() bool {
	for _, v := range k.args {
		if text, ok := v.(string); ok && len(k.name) > 0 && slices.Equal(stemsOf(text), k.name) {
			return true
		}
	}
	return false
}

// call calls a stranger. Unlike a rule's, its arguments are all meant, zero and false too.
func (k *known) call() loci.Move {
	raw, err := json.Marshal(k.args)
	if err != nil { // what was read from words and JSON always marshals
		return letTalk
	}
	return loci.Move{Call: &loci.ToolCall{Name: k.Name, Arguments: raw}}
}

// possible tells whether a stranger can be meant, however near the words are: all that it
// needs is there, and it is ordered, or may be asked for.
func (k *known) possible(u *utterance) bool {
	return k.whole && (k.looks() && len(k.args) > 0 || k.orders(u.core) || k.asked(u.core))
}

// meant tells whether a request is clearly for a stranger. What has effects must be
// ordered by its verb; what only looks may be asked for in any words that are near.
func (k *known) meant(u *utterance, talks float64) bool {
	if !k.possible(u) || !k.sure(u) {
		return false
	}
	if k.asked(u.core) || k.looks() && k.wish > 0 && len(k.args) > 0 && k.score >= k.wish {
		return true
	}
	named := k.named(stemsOf(maskNames(u.core))) || slices.Equal(k.name, k.heard(u.core))
	if k.orders(u.core) {
		enough := ordered
		if k.looks() { // all that looks is ordered by much the same verbs
			enough = askedFor
		}
		return k.score >= orderedOnly || named && k.score >= enough
	}
	switch {
	case k.score < talks-underTalk:
		return false
	case talkOpening.has(u.core):
		return named && k.score >= vaguelySo
	}
	return k.score >= vaguelySo || named && k.score >= askedFor
}

// heard are the words of a stranger's name that a request has, names of its own included.
func (k *known) heard(core string) []string {
	stems := stemsOf(mask(core))
	return slices.DeleteFunc(slices.Clone(k.name), func(w string) bool { return !slices.Contains(stems, w) })
}

// weigh measures how near each stranger is to the request, and how near talk is. Without
// an embedder, and for a text that is too long for one, words in common have to do.
func (r *Router) weigh(ctx context.Context, u *utterance, all []*known) (talks float64, err error) {
	if r.examples != nil && len(u.core) <= maxWords {
		talks, err = r.embedded(ctx, u, all)
		if err == nil || ctx.Err() != nil {
			return talks, ctx.Err()
		}
		r.log.WarnContext(ctx, "tools without examples are told apart by their words alone", "error", err.Error())
	}
	stems := stemsOf(maskNames(u.core))
	for _, k := range all {
		k.score = k.shared(stems)
	}
	return 0, nil
}

// embedded measures by cosines. The request is taken as it is, without its names, and
// without what each stranger would have as arguments: whichever is nearest counts.
func (r *Router) embedded(ctx context.Context, u *utterance, all []*known) (talks float64, err error) {
	forms := map[string][]float32{u.core: nil, maskNames(u.core): nil, mask(u.core): nil}
	texts := slices.Clone(plainTalk)
	for _, k := range all {
		forms[k.without(u)] = nil
		texts = append(texts, introduction(k.ToolSpec))
	}
	sentences := slices.Sorted(maps.Keys(forms))
	embedded, space, err := r.examples.embed(ctx, sentences)
	if err != nil {
		return 0, err
	}
	for i, s := range sentences {
		forms[s] = embedded[i]
	}
	vectors, err := r.examples.vectors(ctx, texts, space)
	if err != nil {
		return 0, err
	}
	for _, k := range all {
		v := vectors[introduction(k.ToolSpec)]
		k.score = max(dot(forms[u.core], v), dot(forms[maskNames(u.core)], v), dot(forms[k.without(u)], v))
	}
	for _, s := range plainTalk {
		talks = max(talks, dot(forms[mask(u.core)], vectors[s]))
	}
	return talks, nil
}

// without is the request without what it has for a stranger's arguments.
func (k *known) without(u *utterance) string {
	core := u.core
	if !k.whole { // it is not called anyway
		return maskNames(core)
	}
	for _, v := range k.args {
		s, ok := v.(string)
		if s = strings.TrimSuffix(s, u.after()); ok && len(s) > 1 {
			core = strings.ReplaceAll(core, s, "something")
		}
	}
	return maskNames(core)
}

// byScore sorts strangers, the nearest first.
func byScore(all []*known) []*known {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *known) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// near are those that can be meant: what loci was just asked for and cannot do, then the
// one to three that are nearest.
func near(all []*known) (some []*known) {
	all = byScore(all)
	for _, k := range all {
		if k.wish > 0 {
			some = append(some, k)
			break
		}
	}
	for _, k := range all[:min(len(all), 3)] {
		if all[0].score-k.score < choiceBelow {
			some = append(some, k)
		}
	}
	return some
}

// introduction is what a tool says of itself, in words: its name and the first
// sentence of its description.
func introduction(t loci.ToolSpec) string {
	name := strings.Join(strings.FieldsFunc(splitName(t.Name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
	return name + ": " + firstWords(t)
}

// mostWords is how many bytes of a description are compared.
const mostWords = 300

// firstWords is the first sentence of a description.
func firstWords(t loci.ToolSpec) string {
	d := t.Description[:min(len(t.Description), mostWords)]
	for _, end := range []string{". ", ".\n", "\n\n"} {
		d, _, _ = strings.Cut(d, end)
	}
	return strings.ToValidUTF8(d, "")
}

// aProperName are words in capitals inside a sentence, and what stands in quotation marks.
var aProperName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[^"]{1,80}"|'[^'\s][^']{0,80}'|(\s)\p{Lu}[\pL'.]*(?:,? (?:of |the )?\p{Lu}[\pL'.]*)*`)
})

// maskNames replaces names and numbers: a request for the weather in Lisbon is nearer to
// Lisbon than to the weather. Whichever of both forms is nearer to a tool counts; this
// raised the area under the curve on the same questions from 0.895 to 0.921.
func maskNames(s string) string { return mask(aProperName().ReplaceAllString(s, "${1}something")) }
