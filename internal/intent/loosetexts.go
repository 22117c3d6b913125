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

// looseTexts ask for a new text.
func looseTexts() []rule {
	const (
		kinds = `(?:(?:an?|the|my|new|another|small|short|little|plain|simple|text|markdown) )*`
		noun  = `(?:file|document|note|textfile)(?: (?:called|named|with the name|by the name of))?:? `
		begin = `^(?:(?:create|make|add|write|save|start|generate|produce|build|set up|prepare|i need|i want|i'd like|i would like|give me|we need|let's have|put together)(?: me| us)? ` + kinds + `(?:` + noun + `)?|` + kinds + noun + `)` + fileName
		there = `(?:(?:only|just|nothing but|contain|contains|say|says|hold|holds|have|has|read|reads|be|is|the|a|single|word|words|text|line|sentence|following|exactly|content|contents) )*`
		// lastText is followed by the name of the file.
		lastText = `(?P<text>` + inQuotes + `|[^"“„]+?)`
		into     = `(?:under|in|into|to|as|inside)(?: (?:an?|the|my|new|text|file|document|note|called|named))* `
	)
	return []rule{
		{newPatterns( // line by line
			begin+`,? (?:with|containing|having|of)(?: (?:the|these|following|\d|two|three|four|five|six|several|separate))* lines ?[:,-]? (?P<list>[^"“”]+)$`,
			begin+`,? (?P<list>first line .+?,? (?:and )?second line .+)$`,
		), lineByLine},
		{newPatterns(
			begin+`(?:,|;|\.| -)? (?:and )?(?:it|which|that|its (?:content|text)|whose (?:content|text)) (?P<text_is>(?:should|must|has to|needs to|shall|will|is|says|reads|contains|holds|just says)) `+there+`:? ?(?P<text>\S.*)$`,
			begin+`(?: that \w+(?: \w+){0,3})?,? (?:containing|holding|saying|with|reading|having)(?: (?:only|just|nothing but|the|as|its|single|following|a))* (?P<text_is>text|words?|contents?|line|sentence|message|following):? (?P<text>\S.*)$`,
			begin+`,? (?:containing|holding|saying|reading|listing|that (?:lists|holds|has|reads))(?: (?:only|just|nothing but))*:? (?P<text>\S.*)$`,
			`^(?:create|make|start|open)(?: me)? (?:an? |the )?(?:new )?(?:text )?(?:file|note|document),? (?:and )?(?:name|call|title) it `+fileName+`,? (?:and )?(?:then )?(?:put|write|type|enter)(?: in it)?:? (?P<text_is>(?:the )?(?:text|words?|line|sentence) )?(?P<text>\S.*?)(?: (?:in(?:to)? it|inside|in there))?$`,
			begin+`,? and (?:put|write|type|enter|place|store)(?: in (?:it|there))?:? (?P<text_is>(?:the )?(?:text|words?|line|sentence|following|this) )?(?P<text>\S.*?)(?: (?:in(?:to)? it|inside|in there|there))?$`,
			`^(?:(?:i'd like|i would like|i want|i need|have) )?(?:save|store|put|keep|write|type|enter|place|drop|note|copy)?(?: down)? ?(?:(?:this|these|the following|the|following) ?)+(?:(?:text|note|line|sentence|words?|message|quote|lines|content) )?(?:(?:saved|stored|written|put|goes?|should|be|to be|kept) )*`+into+fileName+`(?P<text_is> ?[:：]) ?(?P<text>\S.*)$`,
			`^(?:save|write|store|create|put|make|note|type|enter)(?: down)?(?: (?:as|to|in|into|under|inside))?(?: (?:a|the|new|file))* `+fileName+`,? (?:with )?(?:the|this|these) (?P<text_is>(?:text|contents?|words?|sentence|line|message|following)):? (?P<text>\S.*)$`,
			`^(?:(?:an?|new|another|the|text) )*(?:file|note|document)(?: called| named)? ?[:,]? ?`+fileName+` ?[,;:.-]+ ?(?P<text_is>contents?|text|body|inside|it says|saying)(?: is| are)? ?[:=]? ?(?P<text>\S.*)$`,
			`^(?:make|write|take|create|start|open|leave)(?: me)? (?:a |an |the )?(?:new |short |quick )*(?:note|file|memo|document)(?: called| named)? `+fileName+`(?P<text_is> ?[:：]) ?(?P<text>\S.*)$`,
			`^(?:do|v)(?: nového)?(?: souboru)? `+fileName+` (?:napiš|zapiš|ulož|dej)(?P<text_is>(?: text| větu| slova)?:?) (?P<text>\S.*)$`,
		), toldText},
		{newPatterns( // the file comes last
			`^with the (?:contents?|text|words?|line|sentence) `+lastText+`,? (?:create|make|write|save|start)(?: (?:an?|the|new|file|text|document|called|named))* `+fileName+`$`,
			`^(?P<text_is>type|enter|key in|scribble) `+lastText+` (?:to|into|in|inside) `+fileName+`(?:,? and (?:save|store|close)(?: it| the file| that)?)?$`,
			`^(?:write|put|save|store) `+lastText+` (?:to|into|in|inside) `+fileName+`,? and (?:save|store|close)(?: it| the file| that)?$`,
			`^(?:put|write|save|store|keep|type|record)(?: down)? (?:the |this )?(?:words?|text|sentence|line|phrase|note|message|quote) `+someText+` `+into+fileName+`$`, `^(?:run )?echo `+someText+` > `+fileName+`$`,
		), newTextFile},
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

// namesText says that what follows is the text itself.
var namesText = newPattern(`(?:text|words?|contents?|line|sentence|message|following|body|inside)$|[:：]$`)

// ordinalLine begins a line in a text that is told line by line.
var ordinalLine = newPattern(`(?:^|,? (?:and |then )?)(?:the )?(?:first|second|third|fourth|fifth|last) line(?: is| says)?:? `)

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
