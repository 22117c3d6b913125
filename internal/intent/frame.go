package intent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"loci/internal/lang"
)

// A frame reads what no rule knows as a whole: by the words that ask, wherever they
// stand, and the things that are named. Its phrases see signs in the place of names
// (see naming), so they are short.
type frame struct {
	tool string // what it begins with; for what is only said, the tool that is missed
	kind string // of its phrases
	goal func(u *utterance, n naming, m captures) goal

	cues []cue
	only []string // parts of words of which one is in all that it reads in English; none: it is not known
}

// cue is a phrase of a frame.
type cue struct {
	pattern
	sign string // what must be named; empty: nothing
}

// framesOf gives frames their phrases.
func framesOf(all ...[]frame) []frame {
	frames := slices.Concat(all...)
	for i := range frames {
		f := &frames[i]
		k := kindOfWords(f.kind)
		f.only = k.Only()
		for _, p := range k.Phrases {
			f.cues = append(f.cues, cue{patternOf(p), signIn(p.Template)})
		}
	}
	return frames
}

// signIn is the sign that a sentence must have for a phrase: of a file, or a folder. What
// stands in brackets need not be there.
func signIn(template string) string {
	for inBrackets.MatchString(template) {
		template = inBrackets.ReplaceAllString(template, "")
	}
	for _, sign := range []string{fileSign, folderSign} {
		if strings.Contains(template, "{"+sign+"}") {
			return "‹" + sign
		}
	}
	return ""
}

// inBrackets is what may be left out, or is one of several.
var inBrackets = regexp.MustCompile(`\[[^][()]*\]|\([^][()]*\)`)

// mayRead tells whether the frame can read words at all. Most words name nothing, and
// most are about something else.
func (f frame) mayRead(low string) bool {
	return len(f.only) == 0 || slices.ContainsFunc(f.only, func(part string) bool { return strings.Contains(low, part) })
}

// framed gives the goal of the first frame that fits, or nil.
func (u *utterance) framed(frames []frame) goal {
	return u.framedAs(frames, func(goal) bool { return true })
}

// framedAs is framed for goals of some kind.
func (u *utterance) framedAs(frames []frame, kind func(goal) bool) goal {
	if u.core == "" || len(u.core) > 300 {
		return nil
	}
	n := u.named()
	low := strings.ToLower(n.words)
	for _, f := range frames {
		if u.Lang == lang.English && !f.mayRead(low) {
			continue
		}
		for _, c := range f.cues {
			if !strings.Contains(n.words, c.sign) {
				continue
			}
			if m, ok := c.match(n.words); ok {
				if g := f.reads(u, n, m); g != nil && kind(g) {
					return g
				}
			}
		}
	}
	return nil
}

// reads makes the goal of what a phrase captured. What changes something must be an order.
func (f frame) reads(u *utterance, n naming, m captures) goal {
	for name, words := range m {
		m[name] = strings.TrimSpace(n.said(words))
	}
	g := f.goal(u, n, m)
	if g == nil || g.first() != "" && !u.offers(g.first()) {
		return nil
	}
	if !u.ordered(g, n) {
		return nil
	}
	return g
}

// earlyFrames are tried before the rules.
var earlyFrames = sync.OnceValue(func() []frame {
	return framesOf(toldFrames(), []frame{withApp(), tableFrame()})
})

// frames are all other frames, in the order they are tried: what changes something must be
// worded so, and comes before what only looks.
var frames = sync.OnceValue(func() []frame {
	return framesOf(editFrames(), changeFrames(), textFrames(), mediaFrames(), doFrames(), wishFrames(), searchFrames(), lookFrames(), factFrames())
})

// plausible tells whether what a goal looks at can be named so: rules that take any
// words for a name take the rest of a sentence too.
func (u *utterance) plausible(g goal) bool {
	if acts(g) || g.first() == "" {
		return true
	}
	move := g.next(u, nil)
	if move.Call == nil {
		return true
	}
	var args struct{ Path, Name, Content string }
	if err := json.Unmarshal(move.Call.Arguments, &args); err != nil { // of another form
		return true
	}
	return !noSuchName.has(args.Path) && !noSuchName.has(args.Name) && !noText.has(args.Content)
}

var (
	// noSuchName is no name of a file or folder, but a part of a sentence.
	noSuchName = newPattern(`^(?:still|now|then|today|again|there|already|anyway|too|instead|mine|yours)$|, (?:\pL+ ){0,3}(?:the|into|to|and|or|but|it|please|what|in)\b|[?!;]|(?:文件夹|目录).+|^(?:first|last|second|next|page|top|bottom)\b.* (?:of|in) \S+\.\w{1,5}$| (?:of|in|from) (?:the|my|our) | and (?:tell|show|name|list|give|read) |\p{Han}{2,} +[\w./-]+\.\w{1,5}$|^(?:what|how|why|who|where|when) `)
	noText     = newPattern(`[?!] \pL`)
)

// onlyLooks tells whether a goal is to look at a file or folder, though the words have
// a verb of changing.
func (u *utterance) onlyLooks(g goal) bool {
	return (g.first() == readFile || g.first() == listDir) && doesVerb.has(u.core)
}

// isQuestion tells whether a goal looks into a file for what is asked about it.
func isQuestion(g goal) bool {
	d, ok := g.(document)
	return ok && d.ask != ""
}

// isSearch tells whether a goal is one search.
func isSearch(g goal) bool { return g.first() == searchFiles }

// doesVerb is a word for changing a file.
var doesVerb = newPattern(`\b(?:delete|remove|erase|gone|trash|bin|swap|replace|change|switch|rename|move|spelling|typo|supposed to|should|must|make (?:that|it)|instead of)\b|->|=>|→`)

// isGuess tells whether a goal reads a file whose name is only guessed.
func isGuess(g goal) bool {
	d, ok := g.(document)
	return ok && d.called != ""
}
