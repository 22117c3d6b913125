package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"loci"
	"loci/internal/lang"
)

// Sentences of loci's own have examples in them. A file that only such a sentence
// names was never spoken of, so "it" is none of these; and they are nothing that
// somebody wants to keep.

// passing are replies that leave the conversation where it was.
var passing = sync.OnceValue(func() []string {
	return heads(nothingWaits, nothingYet, deedsAbove, noDeeds, notToKeep, allRight, noHarm, welcome, hello, fine, whichNamed)
})

// undone are replies that say that nothing was done, whatever was spoken of.
var undone = sync.OnceValue(func() []string { return heads(notByItself, notByItselfLike) })

// fixedTexts are all replies whose names of files are examples.
var fixedTexts = sync.OnceValue(func() []string {
	texts := append(heads(oneNamed, canLookUp, whatICan, whatIChange, whoIAm, wholeName, noFileName, onlyThisTalk, nothingSaid, whichSum, cannotSum,
		cannotDuplicates, cannotTrash, cannotNote, cannotUndo, cannotChange, cannotCopy, cannotRun, howToRun, cannotNews, cannotPlay, notYetWeb, notYetHTTP, notYetFeed, notYetMail, notYetNotion, notYetSchedule, notYetMemory, notYetDocuments, notYetWeather, notYetStock, cannotHeat, cannotDraw, cannotClose, whoseName, cannotDeed, cannotDeedAtAll, cannotReach, englishOnly),
		germanOnly, frenchOnly, spanishOnly, russianOnly)
	return slices.Concat(texts, passing(), undone())
})

// inPassing tells whether a reply leaves the conversation where it was.
func inPassing(reply string) bool { return hasAny(reply, passing()) }

// isFixed tells whether a reply is a sentence of loci's own.
func isFixed(reply string) bool { return hasAny(reply, fixedTexts()) }

// hasAny tells whether one of some texts is in a reply.
func hasAny(reply string, texts []string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(reply, t) })
}

// verb is the place of a value in a text.
var verb = regexp.MustCompile(`%(?:\[\d\])?[sd]`)

// heads are the longest parts of texts that do not depend on values, in every
// language.
func heads(all ...lang.Words) []string {
	var texts []string
	for _, w := range all {
		for _, text := range []string{w.EN, w.ZH, w.CS} {
			longest := ""
			for _, part := range verb.Split(text, -1) {
				if len(part) > len(longest) {
					longest = part
				}
			}
			if longest = strings.TrimSpace(longest); longest != "" {
				texts = append(texts, longest)
			}
		}
	}
	return texts
}

// notToKeep is said where the last reply is none that can be saved.
var notToKeep = lang.Words{
	EN: "My last reply is no text to keep, so I have written nothing. Ask first for what you want to keep, such as a list or the text of a file, and say then where it goes.",
	ZH: "我上一条回复不是可以保存的内容，所以什么也没有写入。请先让我给出您想保存的内容，例如列表或文件的文字，然后再说保存到哪里。",
	CS: "Moje poslední odpověď není text k uložení, a tak jsem nic nezapsal. Řekněte nejdřív, co chcete uložit, třeba seznam nebo text souboru, a pak kam.",
}

// kept gives the goal, unless it writes to a file what loci last said where that
// is only a notice of its own.
func (r *Router) kept(u *utterance, g goal) goal {
	c, ok := g.(change)
	if !ok || c.tool != writeFile {
		return g
	}
	reply := u.lastReply()
	if text, _ := c.args["content"].(string); reply == "" || text != reply || r.worthKeeping(u, reply) {
		return g
	}
	return saying{notToKeep.In(u.Lang)}
}

// notice is a reply that tells what failed, or of the day.
var notice = newPattern(`^(?:There is no |I find (?:no|nothing) |There are several |Today is |It is \d|This is week |Nepovedlo se|Dnes je |Je \d|没有成功|没有找到|今天是|现在是)|Did you mean "[^"\n]*"\?$`)

// worthKeeping tells whether the last reply is a text of the model, of a file, or
// of a tool that looked something up.
func (r *Router) worthKeeping(u *utterance, reply string) bool {
	if isFixed(reply) || changeTold.has(reply) || notice.has(reply) {
		return false
	}
	for i, m := range slices.Backward(u.History) {
		if m.Role == loci.User {
			if len(m.Content) > maxWords {
				return true
			}
			before := u.Situation
			before.Text, before.History, before.Results, before.Lang = m.Content, u.History[:i], nil, lang.Of(m.Content)
			g := r.ruled(r.understand(before))
			return g == nil || g.first() != "" && !slices.Contains(changingTools, g.first())
		}
	}
	return true
}
