package agent

import (
	"strings"
	"unicode"

	"loci"
)

// circles tells that a text goes round in circles at its end, as tiny models
// do: it says a sentence again, or the same few words over and over. Nothing
// else comes from there on.
func circles(text string) bool {
	text = strings.TrimRight(text, " \n")
	return sentenceAgain(text) || wordsOverAndOver(text)
}

// sentenceAgain tells that the last sentence was said before.
func sentenceAgain(text string) bool {
	const shortest = 30 // bytes; short sentences may well come twice
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "!") && !strings.HasSuffix(text, "?") {
		return false
	}
	begin := strings.LastIndexAny(text[:len(text)-1], ".!?\n") + 1
	sentence := strings.TrimSpace(text[begin:])
	return len(sentence) >= shortest && strings.Contains(text[:begin], sentence)
}

// wordsOverAndOver tells that the end of a text is one piece, several times.
func wordsOverAndOver(text string) bool {
	const (
		times   = 4  // so often is no accident
		least   = 24 // bytes in all, so that "ha ha ha ha" may pass
		longest = 80 // bytes of the piece
	)
	for period := 1; period <= longest; period++ {
		length := max(times*period, least)
		if length > len(text) {
			return false
		}
		end := text[len(text)-length:]
		if end[period:] == end[:length-period] && said(end[:period]) {
			return true
		}
	}
	return false
}

// said tells whether a piece is words, and not the line of a table.
func said(piece string) bool {
	return strings.Contains(piece, "```") ||
		strings.IndexFunc(piece, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) >= 0
}

// Bounds of a reply that comes to no end by itself. A text may well have the same line
// some times, so much more is let pass than in the tiny tier.
const (
	lookEvery    = 256    // bytes
	longestPiece = 600    // bytes
	pieceTimes   = 5      // so often
	leastAgain   = 1600   // bytes, and as much
	longestReply = 16_384 // tokens, or the window's if that is larger: what goes on pushes out its own beginning
)

// leash watches a reply while it comes.
type leash struct {
	weigh  func(string) int
	most   int // tokens; 0: the server has been told a bound
	looked [2]int
	tokens int
}

// What a reply has.
const (
	inText = iota
	inThoughts
)

// tears tells that a reply has to be ended: it is too long, or one piece over and over
// again from some byte of what was said or thought on. What is given is all of either.
func (l *leash) tears(which int, all string) (over *runaway) {
	if len(all)-l.looked[which] < lookEvery {
		return nil
	}
	if l.most > 0 {
		l.tokens += l.weigh(all[l.looked[which]:])
	}
	l.looked[which] = len(all)
	if from, again := overAndOver(all); again {
		return &runaway{which: which, from: from}
	}
	if l.most > 0 && l.tokens > l.most {
		return &runaway{which: which, from: -1}
	}
	return nil
}

// runaway is why a reply was ended.
type runaway struct {
	which int
	from  int // the byte from which on it only says again what it said; -1: it is too long
}

// overAndOver tells that the end of a text is one piece again and again, and where what
// is said for the third time begins.
func overAndOver(all string) (from int, ok bool) {
	end := all[max(0, len(all)-max(2*leastAgain, pieceTimes*longestPiece)):]
	for period := 1; period <= longestPiece; period++ {
		length := max(pieceTimes*period, leastAgain)
		if length > len(end) {
			return 0, false
		}
		tail := end[len(end)-length:]
		if tail[period:] != tail[:length-period] {
			continue
		}
		from = len(all) - length
		for from > 0 && all[from-1] == all[from-1+period] {
			from--
		}
		return from + 2*period, true
	}
	return 0, false
}

// without is a reply as the model is sent it from then on: it would take up the thread
// of what it says over and over.
func (r runaway) without(reply string) string {
	if r.which == inText && r.from > 0 && r.from < len(reply) {
		return strings.ToValidUTF8(reply[:r.from], "") + "…"
	}
	return reply
}

// leash is what holds the reply to a request.
func (t *turn) leash(req *loci.Request) *leash {
	l := &leash{weigh: t.weigh, most: max(t.profile.Window, longestReply)}
	if most := req.Options.MaxTokens; most != nil && *most > 0 {
		l.most = 0
	}
	return l
}
