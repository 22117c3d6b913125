package agent

import (
	"strings"
	"unicode"
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
