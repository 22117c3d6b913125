package chore

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
)

// talkTags are the marks between which clients paste a conversation.
var talkTags = []string{"chat_history", "conversation", "conversation_history", "history", "messages", "transcript", "dialogue", "chat"}

// documents is where Open WebUI begins to quote them. A question about documents
// is a person's, however much its form is that of a chore.
const documents = "<context>"

// cutTalk takes the pasted conversation out of a request; rest is what was said
// about it. What is quoted from documents may hold anything, so a conversation
// in there is none.
func cutTalk(text string) (talk, rest string, pasted bool) {
	if lines, ok := talkList(text); ok {
		return lines, "", true
	}
	for _, tag := range talkTags {
		before, after, found := strings.Cut(text, "<"+tag+">")
		if !found || strings.Contains(before, documents) {
			continue
		}
		// The conversation may speak of the mark itself: the last one counts.
		if talk, tail, found := cutLast(after, "</"+tag+">"); found {
			return strings.TrimSpace(talk), before + "\n" + tail, true
		}
	}
	return "", text, false
}

// Quoted are the messages of the conversation, without the names of who speaks; nil
// where nobody is named.
func (c Chore) Quoted() (messages []string) {
	marks := role.FindAllStringIndex(c.Talk, -1)
	for i, m := range marks {
		end := len(c.Talk)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		messages = append(messages, strings.TrimSpace(c.Talk[m[1]:end]))
	}
	return messages
}

// Instructions are what a request says about the conversation that is pasted into it,
// to be put at the end of that conversation itself; false where no marks set it apart.
func (r Request) Instructions() (string, bool) {
	_, text, alone := r.lone()
	talk, _, pasted := cutTalk(text)
	if !alone || !pasted {
		return "", false
	}
	return strings.Replace(text, talk, "(the conversation above)", 1), true
}

// talkList reads a conversation that was pasted as a JSON list of messages and
// nothing else, and writes it in lines.
func talkList(text string) (lines string, ok bool) {
	var list []struct{ Role, Content, MainText, Text string }
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "[") || json.Unmarshal([]byte(text), &list) != nil {
		return "", false
	}
	for _, m := range list {
		if m.Role == "" {
			return "", false
		}
		lines += m.Role + ": " + cmp.Or(m.Content, m.MainText, m.Text) + "\n"
	}
	return lines, len(list) > 0
}

// ends gives the beginning and the end of a text. Instructions stand there, and
// a person may paste a whole book.
func ends(text string) string {
	const each = 16 << 10
	if len(text) <= 2*each {
		return text
	}
	return strings.ToValidUTF8(text[:each]+"\n"+text[len(text)-each:], "")
}

// cutLast is strings.Cut at the last place.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// role is a line that says who speaks.
var role = regexp.MustCompile(`(?mi)^[ \t]*(?:\*\*)?(user|human|assistant|ai|bot|system|tool|用户|助手)(?:\*\*)?[ \t]*[:：](?:\*\*)?[ \t]*`)

// hasRoles tells whether somebody speaks in a text whom it names.
func hasRoles(text string) bool { return role.MatchString(text) }

// isTalk tells whether a text is a conversation from its beginning on.
func isTalk(text string) bool {
	at := role.FindStringIndex(text)
	_, list := talkList(text)
	return list || at != nil && strings.TrimSpace(text[:at[0]]) == ""
}

// outside is what a request says about a conversation that no marks set apart:
// what comes before it, and the last lines, which may follow it or end it.
func outside(rest string, pasted bool) (head, last string) {
	at := role.FindStringIndex(rest)
	if pasted || at == nil {
		return rest, ""
	}
	_, last, found := cutLast(strings.TrimSpace(rest), "\n\n")
	if !found || hasRoles(last) {
		last = ""
	}
	return rest[:at[0]], last
}

// spoken gives what the user said in a pasted conversation: the first time, and
// the last. Where nobody is named, it is all the user's.
func spoken(talk string) (first, last string) {
	marks := role.FindAllStringSubmatchIndex(talk, -1)
	if len(marks) == 0 {
		talk = strings.TrimSpace(talk)
		return talk, talk
	}
	for i, m := range marks {
		switch strings.ToLower(talk[m[2]:m[3]]) {
		case "user", "human", "用户":
		default:
			continue
		}
		end := len(talk)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		last = strings.TrimSpace(talk[m[1]:end])
		if first == "" {
			first = last
		}
	}
	return first, last
}
