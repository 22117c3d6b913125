// Package intent chooses tools for models that are too small to do it
// themselves. A model of a hundred million weights, asked to pick one of five
// tools, is wrong more often than right; but it can put a text it is given in
// other words. So the program decides and the model at most speaks.
//
// [Router.Next] looks at the person's words and at what was already done about
// them in this turn, and names the next [loci.Move]: call a tool, say a
// sentence, or let the model talk. It keeps nothing between calls, so a turn
// survives a restart.
//
// A decision is made in three steps, from sure to vague. Rules take whole sentences,
// in English, Chinese and Czech, one file a family; they cover the plain requests and
// read the arguments out of the person's own words. What sentences they take is
// written in the folder phrases, each form with examples, in the way that package
// phrase explains, or, in families that are not there yet, as regular expressions;
// what a sentence leads to is code. Greetings, and requests for what loci cannot do, have fixed
// answers: a small model would make something up. What goes on from the
// conversation ("how many lines does it have?") is made whole from it first.
// What changes files must be plain and whole, because a person is asked about it;
// a report of log lines is a plan of several calls. A command is run as it was said. A yes or no that nothing waits
// for, requests in other languages, what seems to go on from a change, and questions
// about what was done, are told so: what no rule is sure of ends in
// an honest sentence and not in an invention about the person's files.
// What no rule knows as a whole, a frame may read by the words that ask, wherever they
// stand, and by what is named: see frame and naming. Where people do not say which words
// of a file they mean, all readings are kept and the file tells: see replacing.
// What is left is compared by an [Embedder] with the example sentences that each tool
// carries, and with requests as people typed them, whose labels tell the kind of request:
// see asked. If that leaves a few candidates, a [Chooser] picks one. The arguments are
// what the words name.
// A tool that carries none, because a client brought it, is known by its description,
// and package fill takes its arguments from the words. It is called where it is clearly
// meant: what has effects only by an order that begins with its verb, and of which no word
// is left over. Where something is missing, it is asked for.
// What is left is talk, which never runs a tool. An order for a deed that no tool does
// is none, and neither is talk in a language that the model does not know.
package intent

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// Embedder turns texts into vectors whose cosine tells how near they are in
// meaning, one for each text, and names the model that made them: only vectors of one
// model can be compared.
type Embedder interface {
	Embed(ctx context.Context, texts []string) (vectors [][]float32, model string, err error)
}

// Keeper keeps the vectors of examples from one run of the program to the next.
type Keeper interface {
	// Vectors are those that were kept of a model, by their texts.
	Vectors(ctx context.Context, model string) (map[string][]float32, error)
	// KeepVectors keeps these in place of all that were kept.
	KeepVectors(ctx context.Context, model string, vectors map[string][]float32) error
}

// Chooser lets a model, named as clients do, pick one of a few options; it
// returns the index.
type Chooser interface {
	Choose(ctx context.Context, model, question string, options []string) (int, error)
}

// Config is what a Router is made of; every field may be nil. Without an
// Embedder only the rules decide, and tools without examples are told by their words.
type Config struct {
	Embedder Embedder
	Keeper   Keeper
	Chooser  Chooser
	Writer   Writer
	Logger   *slog.Logger
}

// Router decides what to do about a request. It is safe for concurrent use.
type Router struct {
	talk     []rule // for the words as they were said
	reports  []rule // for counts of lines that go to a file, or are of one day
	texts    []rule // for a text to write, which ends the words
	changing []rule // for other changes of files
	rules    []rule // for the words without their politeness
	files    []rule // those of rules that are about the text of one file
	wishes   []wish // for what loci does not do yet
	polite   politeness
	examples *examples
	chooser  Chooser
	writer   Writer
	log      *slog.Logger
}

// New makes a Router.
func New(c Config) *Router {
	log := cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	about, read := aboutOneFile(), readRules()
	r := &Router{talk: smallTalk(), reports: reportRules(), texts: textRules(), changing: changeRules(), rules: rules(about, read), files: slices.Concat(about, read), wishes: wishes(), polite: newPoliteness(), chooser: c.Chooser, writer: c.Writer, log: log}
	if c.Embedder != nil {
		r.examples = newExamples(newLearned(c, log))
	}
	return r
}

// Prepare makes ready what the first request that no rule knows would have to wait for:
// the vectors of the examples, and the patterns. It waits for pause again and again, so
// that others go first. A request that comes meanwhile waits for what is left, since with
// a part of the examples it would be decided otherwise than later.
func (r *Router) Prepare(ctx context.Context, tools []loci.ToolSpec, pause func(context.Context) error) error {
	if r.examples == nil {
		return nil
	}
	if err := pause(ctx); err != nil {
		return err
	}
	r.ruled(r.understand(loci.Situation{Text: plainTalk[0], Lang: lang.English, Tools: tools}))
	return r.examples.prepare(ctx, r.examples.all(tools), pause)
}

// maxWords is the length in bytes of the longest request that is looked at.
// What is longer is a text to talk about.
const maxWords = 1000

// Next is the next move. The error is only ever that of a context that ended.
func (r *Router) Next(ctx context.Context, s loci.Situation) (loci.Move, error) {
	if err := ctx.Err(); err != nil {
		return loci.Move{}, err
	}
	// The same words in the same conversation give the same goal, so the steps of
	// a turn agree on what it is about.
	u := r.understand(s)
	if s.Demands && len(s.Tools) > 0 && len(s.Results) == 0 {
		return r.demanded(ctx, u)
	}
	if len(s.Text) > maxWords || s.Added || strings.Contains(s.Text, "\n```") {
		return u.spoken(letTalk), nil // what is pasted asks for nothing, and what comes with words is what they are about
	}
	move, err := r.decide(ctx, u)
	return u.spoken(move), err
}

// decide gives the move, whatever language the model speaks.
func (r *Router) decide(ctx context.Context, u *utterance) (loci.Move, error) {
	g := r.ruled(u)
	if g == nil || g.first() == "" {
		if move, ok, err := r.stranger(ctx, u, g); ok || err != nil {
			return move, err
		}
	}
	if g == nil {
		if move := r.honestly(u, letTalk); move.Talk == nil && len(u.Results) == 0 {
			return move, nil
		}
	}
	if g == nil || isShrug(g) {
		guessed, err := r.guess(ctx, u)
		if err != nil {
			return loci.Move{}, err
		}
		if guessed != nil && (guessed.first() == "" || u.offers(guessed.first())) && (g == nil || acts(guessed)) {
			g = guessed
		}
	}
	switch {
	case g != nil:
		return r.honestly(u, g.next(u, u.Results)), nil
	case len(u.Results) > 0: // of a tool that the examples chose, and do no more
		return say(u, u.Results[len(u.Results)-1]), nil
	}
	return u.refusedDeed(lastResort(u)), nil
}

// letTalk leaves the reply to the model.
var letTalk = loci.Move{Talk: &loci.Talk{}}

// goal is what a person wants done. It is found again from the same words for
// every move of a turn, so it holds no state: what was done so far tells where
// the turn stands.
type goal interface {
	// next is the move after the calls that were done.
	next(u *utterance, done []loci.ToolResult) loci.Move
	// first is the tool it begins with. If that is not offered, the goal cannot
	// be reached, and the words are left to the next rule or to talk.
	first() string
}

// rule reads one kind of request. Its patterns match whole sentences, from the
// first word to the last, so that a word such as memory or time in a sentence
// about something else does nothing.
type rule struct {
	patterns []pattern
	// goal makes the goal from what a pattern captured, by name. It returns nil
	// if the words are not meant so after all.
	goal func(u *utterance, m captures) goal
}

// ruled gives the goal of the first rule that fits, or nil. What goes on from
// the conversation is looked for before the words by themselves: "how many lines
// does it have?" would be a question about the folder.
func (r *Router) ruled(u *utterance) goal {
	if g := r.answer(u); g != nil {
		return g
	}
	if g := u.aboutDeeds(); g != nil {
		return g
	}
	if g := r.ofOtherDay(u); g != nil {
		return g
	}
	if g := fitting(r.talk, u, u.said); g != nil {
		return g
	}
	g := u.framed(earlyFrames())
	if g == nil {
		g = r.plainly(u)
	}
	if g != nil && !u.plausible(g) {
		g = nil
	}
	if g != nil && u.onlyLooks(g) {
		if other := u.framedAs(frames(), changesFile); other != nil {
			g = other
		}
	}
	if isQuestion(g) {
		if other := u.framedAs(frames(), isSearch); other != nil {
			g = other
		}
	}
	if g == nil || isShrug(g) || isGuess(g) {
		if other := u.framed(frames()); other != nil {
			g = other
		} else if other := r.reworded(u); !isGuess(g) && other != nil && u.plausible(other) {
			g = other
		}
	}
	if g != nil && acts(g) && !u.meant(g) {
		return nil
	}
	return g
}

// plainly gives the goal of a request that rules know as it is worded.
func (r *Router) plainly(u *utterance) goal {
	if g := fitting(r.reports, u, u.core); g != nil {
		return g
	}
	if g := r.changes(u); g != nil {
		return r.kept(u, g)
	}
	if g := r.more(u); g != nil {
		return g
	}
	if g := u.foreign(); g != nil {
		return g
	}
	if g := r.later(u); g != nil {
		return g
	}
	if g := r.followUp(u); g != nil {
		return g
	}
	if g := fitting(r.rules, u, u.core); g != nil {
		return g
	}
	return u.goesOn()
}

// fitting applies rules in order to words.
func fitting(rules []rule, u *utterance, words string) goal {
	for _, rule := range rules {
		for _, p := range rule.patterns {
			m, ok := p.match(words)
			if !ok {
				continue
			}
			if g := rule.goal(u, m); g != nil && (g.first() == "" || u.offers(g.first())) {
				return g
			}
		}
	}
	return nil
}

// rules are all the rules for requests. Earlier ones win: those with narrow
// patterns come before those that take almost anything that looks like a path.
// Those about one file and for reading also stand by themselves.
func rules(about, read []rule) []rule {
	return slices.Concat(
		nearlyRules(), linesRules(), paperRules(), folderRules(), runRules(), programRules(), cannotRules(), moneyRules(), ageRules(), dayRules(), placeRules(), clockRules(), sumRules(), unitRules(), processRules(), systemRules(),
		compareRules(), factRules(), kindRules(), about, withinRules(), filesRules(), findRules(), wordRules(), listRules(), read, toldSums(), looseFacts(), seekRules(), orderRules(), lookRules(), questionRules(),
	)
}

// aboutOneFile are the rules that also hold for the file that was spoken of.
func aboutOneFile() []rule {
	return slices.Concat(summaryRules(), partRules(), countRules(), containsRules())
}

// oneCall is a goal that one call reaches.
type oneCall struct {
	tool string
	args arguments
	// say puts the result in the words of the question; nil or an empty text:
	// the tool's words do.
	say func(u *utterance, r loci.ToolResult) string
}

// first is the one tool.
func (g oneCall) first() string { return g.tool }

// next calls it, and then says what came out.
func (g oneCall) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(g.tool, g.args)
	}
	last := done[len(done)-1]
	if g.say != nil && last.Err == nil {
		if text := g.say(u, last); text != "" {
			return loci.Move{Say: text}
		}
	}
	return say(u, last)
}

// calls is a goal that several calls reach, one after the other; their texts are
// the reply, after a line of its own if there is one.
type calls struct {
	lead lang.Words
	all  []oneCall
}

// first is the tool of the first call.
func (g calls) first() string { return g.all[0].tool }

// next makes the next call, or says what all of them gave.
func (g calls) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) < len(g.all) {
		return call(g.all[len(done)].tool, g.all[len(done)].args)
	}
	var texts []string
	if g.lead != (lang.Words{}) {
		texts = append(texts, g.lead.In(u.Lang))
	}
	for _, r := range done {
		texts = append(texts, strings.TrimSpace(say(u, r).Say))
	}
	return loci.Move{Say: strings.Join(texts, "\n")}
}

// arguments are the arguments of a call. What is the zero value is left out,
// as a person who names no folder means none in particular.
type arguments map[string]any

// call makes the move that calls a tool.
func call(tool string, args arguments) loci.Move {
	for name, v := range args {
		if v == "" || v == false || v == 0 {
			delete(args, name)
		}
	}
	if args == nil {
		args = arguments{}
	}
	raw, err := json.Marshal(args)
	if err != nil { // texts, numbers and truth values always marshal
		return letTalk
	}
	return loci.Move{Call: &loci.ToolCall{Name: tool, Arguments: raw}}
}
