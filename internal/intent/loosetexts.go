package intent

import "strings"

// New texts and changes as people put them who do not think of how a request for
// one is worded: the name of the file first or last, and the text where it fits.

// newTextFile makes the goal of writing a text that ends the words.
func newTextFile(u *utterance, m captures) goal {
	path, ok := u.theFile(m["file"])
	if !ok {
		return nil
	}
	text, quoted := literal(u.verbatim(strip(m["text"], textTail)))
	if !quoted && startsQuote(text) {
		return nil // where the text ends is not told
	}
	if _, plain := u.theText(text); !quoted && !plain && m["text_is"] == "" {
		return nil // what the text is about, and not the text
	}
	return change{writeFile, arguments{"path": path, "content": text}}
}

// jottedDown makes the goal of one line more: what is jotted down goes to what is there.
func jottedDown(u *utterance, m captures) goal {
	path, ok := u.theFile(m["file"])
	text, quoted := literal(u.verbatim(m["text"]))
	if !ok || text == "" || !quoted && startsQuote(text) || !u.offers(readFile) {
		return nil
	}
	return appending{path, text}
}

// looseTexts ask for a new text.
func looseTexts() []rule {
	return []rule{
		{phrasesOf("texts/line by line"), lineByLine},
		{phrasesOf("texts/text last"), toldText},
		{phrasesOf("texts/file last"), newTextFile},
	}
}

// toldText is newTextFile for words that may as well be about a text that somebody
// has to write first.
func toldText(u *utterance, m captures) goal {
	_, quoted := literal(strip(m["text"], textTail))
	if !quoted && !namesText.has(m["text_is"]) && (composed.has(m["text"]) || someOne.has(m["text"])) {
		return nil
	}
	return newTextFile(u, m)
}

var (
	namesText   = wordsOf("texts/names the text")
	ordinalLine = patternFor("texts/line with a number")
)

// lineByLine makes the goal of writing lines that are told one after the other.
func lineByLine(u *utterance, m captures) goal {
	path, ok := u.theFile(m["file"])
	if !ok || startsQuote(m["list"]) {
		return nil
	}
	parts := ordinalLine.compiled().Split(u.verbatim(m["list"]), -1)
	if len(parts) < 2 {
		parts = strings.Split(strings.NewReplacer(", and ", ", ", " and ", ", ").Replace(parts[0]), ",")
	}
	var lines []string
	for _, p := range parts {
		if p = strings.Trim(p, " ,."); p != "" {
			lines = append(lines, p)
		}
	}
	if len(lines) < 2 {
		return nil
	}
	return change{writeFile, arguments{"path": path, "content": strings.Join(lines, "\n")}}
}
