package intent

import (
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// What goes on from a change that was just made: one more item, the next file, and back
// again. Only what can be meant in one way is read so, and the person is asked as
// always; for the rest there is the sentence of [Router.honestly].

var (
	// addMore adds to what was just written; the verb says so.
	addMore = forms(
		`^(?:(?:and|also|plus|now|then|ok|okay),? )*(?:add|append)(?: (?:another|one more|an?|the)(?: new)? (?:line|item|entry|one))?:? (?P<text>`+inQuotes+`|[^"“„«「`+"`"+`]+?)(?:,? (?:too|as well|also|to it|there|to the same file|to the list|to that file|to that list))*(?:,? (?:please|pls|now))?$`, "and add milk too",
		`^(?:(?:a|ještě|také|taky|teď|tam) )*(?:přidej|připiš|dopiš)(?: (?:ještě|tam|také|taky))* (?P<text>`+inQuotes+`|[^"“„«「`+"`"+`]+?)(?: (?:taky|také|tam|do něj))*(?:,? prosím)?$`, "přidej tam sůl",
		`^(?:再|还要?|也)(?:添加|加上|加入|加)\s*(?P<text>`+inQuotes+`|\S{1,12})$`, "再加上黄油",
	)
	// oneMore names one more of the same and no deed.
	oneMore = forms(
		`^(?:(?:and|also|plus|then),? )+(?P<text>`+inQuotes+`|[\pL\d][\pL\d '-]*?)(?:,? (?:too|as well|also))?(?:,? (?:please|pls))?$`, "and milk",
		`^(?P<text>`+inQuotes+`|[\pL\d][\pL\d '-]*?),? (?:too|as well)(?:,? please)?$`, "milk too",
		`^(?:one more|another one|same for|the same for): ?(?P<text>\S.*)$`, "one more: salt",
		`^(?:the )?same (?:for|with) (?P<text>`+inQuotes+`|[\pL\d][\pL\d '-]*?)$`, "same for milk",
		`^(?:a ještě|a taky|a také|ještě|a) (?P<text>`+inQuotes+`|[\pL\d][\pL\d '-]*?)(?:,? prosím)?$`, "a ještě máslo",
		`^还有\s*(?P<text>`+inQuotes+`|\p{Han}{1,6})$`, "还有牛奶",
	)
	// oneSwapMore puts another text in the place of one.
	oneSwapMore = forms(
		`^(?:(?:and|also|now|then),? )*(?:replace |change )?(?P<old>`+inQuotes+`|[\pL\d.-]+) (?:with|by|to) (?P<new>`+inQuotes+`|[\pL\d.-]+(?: [\pL\d.-]+)?)(?:,? (?:too|as well))?$`, "and milk with cream",
		`^(?:(?:a|teď|ještě) )*(?:nahraď )?(?P<old>`+inQuotes+`|[\pL\d.-]+) (?:za|na) (?P<new>`+inQuotes+`|[\pL\d.-]+)$`, "a mléko za smetanu",
	)
	// oneFileMore is another file for the same.
	oneFileMore = forms(
		`^(?:(?:and|also|plus|now|then|a|ještě|taky|také),? )+(?:the file |soubor )?(?P<file>`+inQuotes+`|[^\s"“„,;:?]+?)(?:,? (?:too|as well|also|taky|také))?$`, "and letter.txt",
		`^(?P<file>`+inQuotes+`|[^\s"“„,;:?]+?),? (?:too|as well|also|taky|také)$`, "letter.txt too",
		`^(?:还有|再)\s*(?P<file>\S+)$|^(?P<file>\S+?)\s*也(?:一样|删除|删掉|移过去)?$`, "还有 letter.txt",
	)
	// andBack takes a move back.
	andBack = newPattern(`^(?:(?:and|now|then|ok|please),? )*(?:(?:move|rename|change|put|call|turn) (?:it|that|the file) )?back(?: again)?(?: please)?$|^(?:(?:přesuň|přejmenuj|dej) (?:ho|to|jej) )?(?:zase )?zpátky$|^(?:再)?(?:改|移)回(?:来|去)$`)
	// takenBack takes away again what was just put there: not the file that it is in.
	takenBack = newPattern(`^(?:(?:and|now|then|ok|okay|please),? )*(?:remove|delete|erase|take|cut) (?:it|that|this)(?: (?:out|off|away|back))? again$|^(?:(?:and|now|then),? )*take (?:it|that) (?:out|off|back)$|^(?:(?:a|teď) )?zase (?:ho|to|je) (?:smaž|odstraň|vymaž)$`)
	// made is a reply that tells of a change that was made.
	made = newPattern(`^(?:Wrote|Changed|Deleted|Moved) [^\n]*[.:]|^(?:已写入|已修改|已删除|已将) |^(?:Zapsáno do|Změněno v|Smazáno:|Přesunuto:) `)
	// listMark begins an item of a list.
	listMark = newPattern(`^(?:[-*+•]|\d+[.)]|\[)`)
)

// more gives the goal of words that go on from the change made just now; nil if they do
// not, or may be meant otherwise.
func (r *Router) more(u *utterance) goal {
	if !made.has(u.lastReply()) {
		return nil
	}
	if takenBack.has(u.said) {
		return saying{cannotUndo.In(u.Lang)}
	}
	if !andBack.has(u.said) && !slices.ContainsFunc(slices.Concat(addMore, oneMore, oneSwapMore, oneFileMore), func(p form) bool { return p.has(u.said) }) {
		return nil
	}
	switch last := r.lastGoal(u).(type) {
	case appending:
		return u.moreText(last.path, last.text, slices.Concat(addMore, oneMore))
	case tick:
		if text, ok := u.moreOf(oneMore); ok {
			return tick{last.path, text}
		}
	case intoFolder:
		if andBack.has(u.said) {
			return change{moveFile, arguments{"source": within(last.folder, last.source), "destination": last.source}}
		}
		if file, ok := u.nextFile(); ok {
			return intoFolder{file, last.folder}
		}
	case change:
		return u.moreChange(last)
	}
	return nil
}

// moreChange goes on from a change that one call made.
func (u *utterance) moreChange(last change) goal {
	path, _ := last.args["path"].(string)
	from, _ := last.args["source"].(string)
	to, _ := last.args["destination"].(string)
	file, isFile := u.nextFile()
	switch {
	case last.tool == writeFile:
		return u.moreText(path, "", addMore)
	case last.tool == editFile:
		for _, p := range oneSwapMore {
			if m, ok := p.match(u.said); ok {
				return u.edit(captures{"old": m["old"], "new": m["new"], "file": quoteName(path)})
			}
		}
	case last.tool == deleteFile && isFile:
		return change{deleteFile, arguments{"path": file}}
	case last.tool == moveFile && andBack.has(u.said):
		return change{moveFile, arguments{"source": to, "destination": from}}
	case last.tool == moveFile && isFile && baseName(from) == baseName(to):
		return change{moveFile, arguments{"source": file, "destination": within(strings.TrimSuffix(to, baseName(to)), file)}}
	}
	return nil
}

// moreText adds a line to a file. One that would stand in a list without its mark is
// left: in which form it is meant, nobody said.
func (u *utterance) moreText(path, before string, known []form) goal {
	text, ok := u.moreOf(known)
	if !ok || !u.offers(readFile) || listMark.has(before) != listMark.has(text) {
		return nil
	}
	return appending{path, text}
}

// moreOf is the text that is one more of the same. Without quotes it must be short, and
// no word that stands for another.
func (u *utterance) moreOf(known []form) (string, bool) {
	for _, p := range known {
		m, ok := p.match(u.said)
		if !ok {
			continue
		}
		text, quoted := literal(u.verbatim(m["text"]))
		if quoted {
			return text, strings.TrimSpace(text) != ""
		}
		words := strings.Fields(strings.ToLower(text))
		const most = 3
		if len(words) == 0 || len(words) > most || noVerbs[words[0]] || particles[words[0]] || wordVerbs[words[0]] || pointsBack.has(text) || slices.Contains(words, "and") || u.endsInQuestion() {
			return "", false
		}
		text, ok = u.theText(m["text"])
		return text, ok
	}
	return "", false
}

// nextFile is the file that the same is to be done with.
func (u *utterance) nextFile() (string, bool) {
	for _, p := range oneFileMore {
		if m, ok := p.match(u.said); ok {
			if name, _ := unquote(m["file"]); isKnownFile(name) {
				return name, true
			}
		}
	}
	return "", false
}

// lastGoal is what the person's last words asked for.
func (r *Router) lastGoal(u *utterance) goal {
	for i, m := range slices.Backward(u.History) {
		if m.Role != loci.User {
			continue
		}
		if len(m.Content) > maxWords {
			return nil
		}
		before := u.Situation
		before.Text, before.History, before.Results, before.Lang = m.Content, u.History[:i], nil, lang.Of(m.Content)
		g := r.ruled(r.understand(before))
		if again, ok := g.(instead); ok {
			g = again.goal
		}
		return g
	}
	return nil
}
