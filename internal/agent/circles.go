package agent

import (
	"strings"
	"unicode"

	"loci"
)

// circles tells that a text goes round in circles at its end, as tiny models
// do: it says a sentence again, a stanza a third time, or the same few words over and
// over. Nothing else comes from there on.
func circles(text string) bool {
	text = strings.TrimRight(text, " \n")
	return sentenceAgain(text) || stanzaAgain(text) || wordsOverAndOver(text)
}

// stanzaAgain tells that the last stanza that is whole was said twice before: a refrain
// may come back.
func stanzaAgain(text string) bool {
	const shortest = 30 // bytes
	end := strings.LastIndex(text, "\n\n")
	if end < 0 {
		return false
	}
	stanza := text[strings.LastIndex(text[:end], "\n\n")+1 : end]
	return len(stanza) >= shortest && strings.Count(text[:end], strings.TrimSpace(stanza)) > 2
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

// Bounds of a reply that comes to no end by itself. A person may ask for the same line a
// hundred times, and data repeat themselves, so much more is let pass than in the tiny tier.
const (
	lookEvery    = 256    // bytes
	longestPiece = 600    // bytes
	pieceTimes   = 5      // so often at least
	againTail    = 1600   // bytes at the end that are looked at first, and as many blanks are too many
	leastAgain   = 2000   // tokens of words over and over in a small window,
	mostAgain    = 4000   // and in a large one
	dataAgain    = 3      // times as much of data: code, tables, numbers, lines
	longestReply = 16_384 // tokens, or the window's if that is larger: what goes on pushes out its own beginning
)

// leash watches a reply while it comes.
type leash struct {
	weigh  func(string) int
	again  int // tokens of words that may come over and over
	most   int // tokens; 0: the server has been told a bound
	looked [2]int
	tokens int
}

// again is how many tokens of words over and over a reply may have: a share of the window.
func again(window int) int { return min(mostAgain, max(leastAgain, window/4)) }

// What a reply has.
const (
	inText = iota
	inThoughts
)

// tears tells that a reply has to be ended: it is too long, or one piece over and over
// again from some byte of what was said or thought on. What is given is all of either.
// What a call carries may repeat itself as a file does: only its length counts.
func (l *leash) tears(which int, all string, inCall bool) (over *runaway) {
	if len(all)-l.looked[which] < lookEvery {
		return nil
	}
	if l.most > 0 {
		l.tokens += l.weigh(all[l.looked[which]:])
	}
	l.looked[which] = len(all)
	if from, again := l.overAndOver(all); again && !inCall {
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

// overAndOver tells that the end of a text is one piece again and again, and too often,
// and where what is said for the third time begins.
func (l *leash) overAndOver(all string) (from int, ok bool) {
	tail := min(againTail, l.again)
	period := repeated(all, tail)
	if period == 0 {
		return 0, false
	}
	from = len(all) - max(pieceTimes*period, tail)
	for from > 0 && all[from-1] == all[from-1+period] {
		from--
	}
	piece, most := all[len(all)-period:], l.again
	switch {
	case strings.TrimSpace(piece) == "": // of which tokenizers make one token
		return from + 2*period, len(all)-from >= againTail
	case !strings.Contains(piece, "```") && (!wordy(piece) || fenced(all[:from])):
		most *= dataAgain
	}
	end := all[len(all)-max(period, min(len(all)-from, tail)):]
	tokens := float64(l.weigh(end)) / float64(len(end)) * float64(len(all)-from)
	return from + 2*period, tokens >= float64(most)
}

// repeated is the length of the piece that so many bytes at the end of a text are made
// of, and at least pieceTimes of it; 0 if there is none.
func repeated(all string, tail int) (period int) {
	end := all[max(0, len(all)-max(tail, pieceTimes*longestPiece)):]
	for period = 1; period <= longestPiece; period++ {
		length := max(pieceTimes*period, tail)
		if length > len(end) {
			return 0
		}
		if last := end[len(end)-length:]; last[period:] == last[:length-period] {
			return period
		}
	}
	return 0
}

// wordy tells whether a piece that comes again and again is words with something between
// them, and not the row of a table, markup, numbers or one letter.
func wordy(piece string) bool {
	letters, between, other := 0, 0, 0
	for _, r := range piece {
		switch {
		case unicode.IsLetter(r):
			letters++
			if r >= 0x2e80 { // scripts that have no blanks
				between++
			}
		case unicode.IsSpace(r), strings.ContainsRune(".,;:!?'’\"*-。，、！？…", r):
			between++
		default:
			other++
		}
	}
	return between > 0 && letters > 4*other && letters > between/2
}

// fenced tells whether a text ends in a block of code.
func fenced(text string) (in bool) {
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, " \t>"); strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			in = !in
		}
	}
	return in
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
	l := &leash{weigh: t.weigh, again: again(t.profile.Window), most: max(t.profile.Window, longestReply)}
	if most := req.Options.MaxTokens; most != nil && *most > 0 {
		l.most = 0
	}
	return l
}
