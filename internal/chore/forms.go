package chore

import (
	"regexp"
	"slices"
	"strings"
)

// parts are a request's only message, taken apart.
type parts struct {
	system string // the system messages beside it
	text   string // the message
	rest   string // what it says about the conversation pasted into it
	pasted bool   // that conversation is set apart by marks
	marked bool   // the message begins as the templates of Open WebUI do
	format bool   // the reply has to follow a form
	shown  Chore  // what the example of an answer in it says
}

// take takes the message of a request apart. There is nothing to take where more
// was said than that, or where it quotes documents.
func take(r Request) (parts, bool) {
	system, text, alone := r.lone()
	talk, rest, pasted := cutTalk(text)
	if !alone || strings.Contains(rest, documents) {
		return parts{}, false
	}
	text, rest = ends(text), ends(rest)
	return parts{
		system: system,
		text:   text,
		rest:   rest,
		pasted: pasted,
		marked: strings.HasPrefix(strings.TrimSpace(text), "### Task:"),
		format: r.Format,
		shown:  look(rest, talk),
	}, true
}

// form is a way in which clients write a chore.
type form struct {
	name   string
	stream bool             // it is a chore also where the client reads along
	fits   func(parts) bool // the message has this form
	chore  func(parts) Chore
}

// forms are all that are known. Where two fit, the upper one counts, which is the
// more particular one. What a person says is mostly streamed, and chores are not, so a
// streamed message is one only by a form that nobody writes by hand.
var forms = []form{
	{"answers of several models to merge", true, parts.merges, parts.merge},
	{"a template with a conversation and an example", true, parts.isTemplate, parts.asShown},
	{"a conversation alone, and a system message that wants its title", true, parts.isTitled, parts.title},
	{"a conversation, and a sentence that wants its title", false, parts.asksForTitle, parts.title},
	{"a conversation and an example", false, parts.hasExample, parts.asShown},
	{"a template for what needs no conversation", false, parts.needsNoTalk, parts.asShown},
	{"a template with a conversation", false, parts.isTask, parts.asShown},
	{"a message to find an emoji for", false, parts.feels, parts.emoji},
	{"a choice of a tool", false, parts.picksTool, parts.asShown},
	{"a review of what to remember", false, parts.reviews, parts.asShown},
}

// form finds the form of a message.
func (p parts) form(stream bool) (form, bool) {
	i := slices.IndexFunc(forms, func(f form) bool { return (f.stream || !stream) && f.fits(p) })
	if i < 0 {
		return form{}, false
	}
	return forms[i], true
}

// hasTalk tells whether a conversation was pasted in, by marks or by who speaks.
func (p parts) hasTalk() bool { return p.pasted || hasRoles(p.text) }

// asShown is the chore that the example speaks of.
func (p parts) asShown() Chore { return p.shown }

// merges tells Open WebUI's request to make one answer of several: a person waits
// for it, so it may be streamed.
func (p parts) merges() bool {
	return strings.HasPrefix(p.text, "You have been provided with a set of responses from various models") &&
		strings.Contains(p.text, "Responses from models:")
}

func (p parts) merge() Chore { return Chore{Kind: Merge} }

// isTemplate tells most requests of Open WebUI.
func (p parts) isTemplate() bool { return p.marked && p.pasted && p.shown.Key != "" }

// isTitled tells a title that is wanted by the system message: no person says a
// whole conversation and nothing else.
func (p parts) isTitled() bool { return isTalk(p.text) && wantsTitle(p.system) }

// asksForTitle tells a title that is wanted in the message itself, in bare words.
// A person may write nearly the same. Clients speak of the conversation as nobody's
// own, ask for no other thing's title, and paste what a user said.
func (p parts) asksForTitle() bool {
	if !p.hasTalk() || p.shown.Key != "" {
		return false
	}
	asks, last := outside(p.rest, p.pasted)
	if !wantsTitle(asks) {
		asks += "\n" + last
	}
	first, _ := spoken(p.title().Talk)
	return heading(first) != "" && wantsTitle(asks) && !ownWords.MatchString(asks) && !otherThings.MatchString(asks)
}

// title is a title in bare words. A client that gave a form for the reply gets
// what its model makes of that.
func (p parts) title() Chore {
	c := Chore{Kind: Title, Talk: p.shown.Talk}
	if !p.pasted {
		c.Talk = p.text
	}
	if p.format {
		c.Kind = Other
	}
	return c
}

// hasExample tells a request in anybody's words, with an example of the answer.
func (p parts) hasExample() bool { return p.pasted && p.shown.Key != "" }

// withoutTalk are the kinds that need no conversation.
var withoutTalk = []Kind{Autocomplete, Emoji, Image}

func (p parts) needsNoTalk() bool { return p.marked && slices.Contains(withoutTalk, p.shown.Kind) }

// isTask tells what else is done with a conversation, such as a summary.
func (p parts) isTask() bool { return p.marked && p.hasTalk() }

// feels tells the request for an emoji, which has neither a conversation nor an
// example of the answer.
func (p parts) feels() bool {
	head, _, found := strings.Cut(p.rest, "Message: ```")
	return found && strings.Contains(head, "emoji") && strings.Contains(head, "facial expression")
}

func (p parts) emoji() Chore { return Chore{Kind: Emoji, Talk: p.text} }

// picksTool tells the request to choose one of Open WebUI's own tools, which are
// described in the system message.
func (p parts) picksTool() bool {
	return strings.HasPrefix(p.system, "Available Tools:") && strings.Contains(p.system, `"tool_calls"`) &&
		(strings.HasPrefix(p.text, "Query: ") || strings.HasPrefix(p.text, "History:\n"))
}

// reviews tells the request to keep what is worth remembering of a conversation.
func (p parts) reviews() bool {
	return strings.Contains(p.system, "memory reviewer") && strings.Contains(p.text, `"operations"`) && hasRoles(p.text)
}

// A title in bare words is wanted by a sentence with a word for it and a word
// for what it is the title of, and by a limit to it.
var (
	titleWords = regexp.MustCompile(`(?i)\b(titles?|heading|headline|a name|n[áa]zev|titel|titre)\b|标题`)
	chatWords  = regexp.MustCompile(`(?i)\b(conversations?|chats?|dialog(ue)?|talk|discussion|konverzac\w*|gespräch\w*)\b|对话|会话`)
	limitWords = regexp.MustCompile(`(?i)\b(only|just|nothing else|or[ -]less|or[ -]fewer|at most|max(imum)?|within \d+|no more than|without (any )?punctuation)\b|以内`)
	// ownWords are said by a person, not by a client.
	ownWords = regexp.MustCompile(`(?i)\b(i|i'm|i'll|my|mine|me|we|our|ours|us|můj|moje|mého|mému|náš|naše|mein\w*|unser\w*|mon|ma|mes|notre)\b|我`)
	// otherThings are what else a title may be for.
	otherThings = regexp.MustCompile(`(?i)\b(titles?|heading|headline|name)\s+(for|of|to)\s+(an?|the|this|that|some|another|his|her|their)\s+([\w-]+\s+){0,3}?` +
		`(posts?|blogs?|articles?|essays?|papers?|books?|stor(y|ies)|novels?|poems?|songs?|videos?|films?|movies?|podcasts?|episodes?|lectures?|presentations?|slides?|e-?mails?|letters?|newsletters?|reports?|issues?|tickets?|bugs?|pull requests?|commits?|chapters?|pages?|events?|products?|companies|company|projects?|threads?|tweets?)\b`)
	sentence = regexp.MustCompile(`[^.!?\n。！？]+`)
)

// wantsTitle tells whether instructions ask for the title of a conversation and
// nothing else.
func wantsTitle(instructions string) bool {
	return limitWords.MatchString(instructions) && slices.ContainsFunc(sentence.FindAllString(instructions, -1), func(s string) bool {
		return titleWords.MatchString(s) && chatWords.MatchString(s)
	})
}
