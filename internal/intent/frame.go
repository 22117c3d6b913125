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
// stand, and the things that are named. Its patterns see signs in the place of names
// (see naming), so they are short; each is written with a sentence that it is for,
// which a test plays.
type frame struct {
	tool string // what it begins with; for what is only said, the tool that is missed
	cues []cue
	goal func(u *utterance, n naming, m captures) goal
	// hints are parts of words of which one is in all that it reads in English; empty:
	// there are none. They spare most requests its patterns.
	hints []string
}

// mayRead tells whether the frame can read words at all.
func (f frame) mayRead(low string) bool {
	return slices.ContainsFunc(f.hints, func(h string) bool { return strings.Contains(low, h) })
}

// hintedByTool gives frames the hints of their tools.
func hintedByTool(frames []frame, hints map[string][]string) []frame {
	for i, f := range frames {
		frames[i].hints = hints[f.tool]
	}
	return frames
}

// hinted gives frames the same hints.
func hinted(frames []frame, hints string) []frame {
	all := strings.Fields(hints)
	for i := range frames {
		frames[i].hints = all
	}
	return frames
}

// cue is a pattern of a frame, and a sentence that it reads.
type cue struct {
	words   pattern
	example string
	sign    string // what must be named; empty: nothing
	han     bool   // it is for Chinese
}

// fits tells whether the pattern can match at all. Most words name nothing, and then
// most patterns need not be tried.
func (c cue) fits(words string, han bool) bool {
	return (!c.han || han) && (c.sign == "" || strings.Contains(words, c.sign))
}

// signsInPatterns are written in the patterns of frames for things that are named.
var signsInPatterns = strings.NewReplacer(
	"{file}", `(?P<file>‹file\d+›)`, "{to}", `(?P<to>‹file\d+›)`, "{folder}", `(?P<folder>‹folder\d+›)`,
	"{text}", `(?P<text>‹text\d+›)`, "{page}", `(?P<page>‹page\d+›)`, "{n}", `(?P<n>\d+(?:[.,]\d+)?)`,
)

// on makes a cue.
func on(expr, example string) cue {
	c := cue{words: pattern{compiled: sync.OnceValue(func() *regexp.Regexp {
		return newPattern(signsInPatterns.Replace(expr)).compiled()
	})}, example: example, han: hanLetter.MatchString(expr)}
	switch {
	case strings.Contains(expr, "{page}|{file}"):
	case strings.Contains(expr, "{file}"):
		c.sign = "‹" + fileSign
	case strings.Contains(expr, "{folder}"):
		c.sign = "‹" + folderSign
	}
	return c
}

// hanLetter is one of Chinese.
var hanLetter = regexp.MustCompile(`\p{Han}`)

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
	han, low := hanLetter.MatchString(n.words), strings.ToLower(n.words)
	var hints *string // those that were looked for last: frames share them
	may := true
	for _, f := range frames {
		if len(f.hints) == 0 {
			hints, may = nil, true
		} else if hints != &f.hints[0] {
			hints, may = &f.hints[0], u.Lang != lang.English || f.mayRead(low)
		}
		if !may {
			continue
		}
		for _, c := range f.cues {
			if !c.fits(n.words, han) {
				continue
			}
			m, ok := c.words.match(n.words)
			if !ok {
				continue
			}
			for name, words := range m {
				m[name] = strings.TrimSpace(n.said(words))
			}
			g := f.goal(u, n, m)
			if g == nil || g.first() != "" && !u.offers(g.first()) || !kind(g) {
				continue
			}
			if !u.ordered(g, n) {
				continue
			}
			return g
		}
	}
	return nil
}

var (
	// noOrder are words by which a sentence with a verb of doing orders nothing: it asks
	// how, tells of the past, forbids, or only thinks of it.
	noOrder = newPattern(`^(?:(?:and|but|so|well|ok|hey)[, ]+)*(?:how|why|who|when|what|which|should|would|did|does|do (?:i|you|we|they|people)|was|were|has|have|had|if|suppose|imagine|pretend|explain|describe|tell|is it|are you|i (?:just |already |once |accidentally |have )?(?:deleted|removed|moved|renamed|lost|was|were|used|dreamt|dreamed|love|hate|wrote|tried|am|had)|(?:my|our|his|her|the) (?:\pL+ )?(?:\pL+ed|brother|sister|boss|friend|cat|dog|kid|son|daughter|wife|husband|colleague))\b` +
		`|\b(?:don't|do not|dont|never|(?:should|must|shall|may|will|would|could|need) not|not to|without|cannot|can't|didn't|wouldn't|shouldn't|if|unless|maybe|perhaps|might|someone|somebody|he|she|story|poem|joke|dream|hypothetically|yesterday|accidentally|by accident|by mistake|wonder|wondering)\b` +
		`|怎么|如何|为什么|不要|别|如果|假如|我应该|昨天|(?:^| )(?:ne|nechci|kdyby|jak|proč|omylem|včera|kdo|jestli)(?: |$)|(?:^| )ne(?:maž|přesouvej|přejmen|mazat|měň|piš)\pL*`)
	// politeAsk makes an order of a question.
	politeAsk = newPattern(`\b(?:can|could|would|will|please|pls|plz|mind)\b|请|麻烦|可以|能|prosím|můžeš|mohl`)
)

// orders tells that the words order something to be done now.
func (u *utterance) orders(n naming) bool {
	if strings.HasSuffix(strings.TrimSpace(u.Text), "?") && !politeAsk.has(u.Text) {
		return false
	}
	return !noOrder.has(notNeeded.compiled().ReplaceAllString(n.words, " "))
}

// changesFile tells whether a goal changes a file.
func changesFile(g goal) bool { return slices.Contains(actors[:4], g.first()) }

var (
	// whoseFile is a file before whose name stands a word that may belong to it.
	whoseFile = newPattern(`\b(?:my|our|your|new|text) ‹file|(?:můj|moje|náš|nový) ‹file`)
	// severalDeeds are more than one thing to do.
	severalDeeds = newPattern(`\b(?:and|then|,) (?:then |also |please )*(?:list|show|read|open|create|move|rename|run|copy|print|display|search|find|count|summari[sz]e)\b(?: \pL|$)|然后|再(?:列出|显示|打开|读)|(?:^| )(?:a|pak|potom) (?:ukaž|vypiš|přečti|otevři)`)
)

// notNeeded is why something may go, in spite of its no.
var notNeeded = newPattern(`\b(?:i |we |you |nobody |that |it )*(?:don't|do not|dont|no longer|isn't|is not|not|won't|never|can't) (?:really )?(?:need|want|use|require|like|stand|see)\w*(?: (?:it|that|this|them|any ?more|any longer|now))*|\b(?:no longer|any ?more|not) (?:needed|used|useful|wanted|necessary|required)|(?:已经)?(?:不需要|不要|没用|用不着|不用)(?:它)?了|už (?:ho|ji|to|jej)? ?nepotřebuj\pL*|k ničemu není`)

// earlyFrames are tried before the rules.
var earlyFrames = sync.OnceValue(func() []frame {
	return slices.Concat(hinted(toldFrames(), "0 1 2 3 4 5 6 7 8 9"), hinted([]frame{withApp()}, "‹"), hinted([]frame{tableFrame()}, ".db .sqlite"))
})

// searchHints are in all searches.
const searchHints = "‹ file doc note paper anything something anywhere somewhere where stuff thing place invoice receipt contract report letter bill photo picture image scan hledej najdi vyhledej"

// mediaHints are in all orders to a player.
const mediaHints = "volume loud quiet soft music song track tune skip next mute silence paus hold freez play stop sound video radio podcast noise hear back previous last continue resume turn up turn down crank unpause keep carry start again album beat one before hlasit zvuk hudb písni pisni skladb nahlas pauz přehr prehr ticho tiše"

// factHints are in all questions about this machine and the time.
var factHints = map[string][]string{
	currentTime:   strings.Split(bigCity+"|"+manyZones, "|"),
	systemInfo:    strings.Fields("boot start turned switched powered been ram memory gb gig mb disk space storage room drive ssd hdd full processor cpu chip core"),
	listProcesses: strings.Fields("process proces program aplikac running open active alive going started left leave close quit kill stop shut ran"),
}

// frames are all other frames, in the order they are tried: what changes something must be
// worded so, and comes before what only looks.
var frames = sync.OnceValue(func() []frame {
	return slices.Concat(editFrames(), changeFrames(), textFrames(), hinted(mediaFrames(), mediaHints), doFrames(), wishFrames(), hinted(searchFrames(), searchHints), lookFrames(), hintedByTool(factFrames(), factHints))
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
