package api

import (
	"regexp"
	"slices"
	"strings"

	"loci"
)

// Chat UIs send more than what a person says: they ask the same model for a
// title of the conversation, for tags, or for questions to suggest. Such a job
// is no turn. It has no session, and nothing is kept of it.

// jobKind is what a job asks for.
type jobKind string

const (
	jobTitle        jobKind = "title"
	jobTags         jobKind = "tags"
	jobFollowUps    jobKind = "follow-ups"   // what the person might say next
	jobQueries      jobKind = "queries"      // what to search for
	jobAutocomplete jobKind = "autocomplete" // the rest of what the person types
	jobEmoji        jobKind = "emoji"
	jobImage        jobKind = "image" // a description to draw from
	jobMerge        jobKind = "merge" // one answer from those of several models
	jobOther        jobKind = "other"
)

// job is a request that a client makes on its own.
type job struct {
	kind jobKind
	key  string // member of the JSON object that is wanted; empty: bare words
	list bool   // that member is a list
	talk string // the conversation that was pasted in
}

// jobKeys are the members by which clients want the result, without regard to
// case and marks.
var jobKeys = map[string]jobKind{
	"title": jobTitle, "heading": jobTitle, "headline": jobTitle, "chattitle": jobTitle, "conversationtitle": jobTitle,
	"tags": jobTags, "tag": jobTags,
	"followups": jobFollowUps, "followup": jobFollowUps, "followupquestions": jobFollowUps, "suggestions": jobFollowUps,
	"queries": jobQueries, "searchqueries": jobQueries,
	"text":   jobAutocomplete,
	"emoji":  jobEmoji,
	"prompt": jobImage,
}

// listed are the kinds whose result is a list.
var listed = []jobKind{jobTags, jobFollowUps, jobQueries}

// withoutTalk are the kinds that need no conversation.
var withoutTalk = []jobKind{jobAutocomplete, jobEmoji, jobImage}

// taskNames are parts of the names by which clients call their jobs in a header.
var taskNames = []struct {
	part string
	kind jobKind
}{
	{"title", jobTitle}, {"tag", jobTags}, {"follow", jobFollowUps}, {"quer", jobQueries},
	{"autocomplet", jobAutocomplete}, {"emoji", jobEmoji}, {"image", jobImage}, {"moa", jobMerge},
}

// taskHeaders say which job a request is; empty in a chat.
var taskHeaders = []string{"X-Loci-Task", "X-Openwebui-Task"}

// recognise tells whether a request is a job. A job says so in the header, whose
// value task is, or is known by its form: a single message that was not written
// by a person, for it holds a conversation and says how to answer about it. In
// doubt it is a turn.
func recognise(task string, c conversation) (job, bool) {
	system, text, alone := lone(c)
	named := task != "" && !strings.Contains(task, "{{") && len(c.tools) == 0 // that would be a template nobody filled in
	talk, rest, pasted := cutTalk(text)
	if !named && (!alone || strings.Contains(rest, documents)) {
		return job{}, false
	}
	text, rest = ends(text), ends(rest)
	j := job{kind: jobOther, talk: talk}
	j.look(rest)
	if named {
		if !alone {
			j.talk = resent(c.messages)
		}
		j.name(task)
		return j, true
	}
	marked := strings.HasPrefix(strings.TrimSpace(text), "### Task:")
	switch {
	case merges(text):
		j = job{kind: jobMerge}
	case marked && pasted && j.key != "":
	case isTalk(text) && wantsTitle(system), // no person says a whole conversation and nothing else
		!c.stream && (pasted || hasRoles(text)) && j.key == "" && wantsTitle(outside(rest, pasted)):
		j = j.bare(text, pasted, c.options)
	case c.stream:
		return job{}, false // what a person says is mostly streamed, and jobs are not
	case j.key != "" && (pasted || marked && slices.Contains(withoutTalk, j.kind)):
	case marked && (pasted || hasRoles(text)): // such as a summary
	case feels(rest):
		j = job{kind: jobEmoji, talk: text}
	case picksTool(system, text), reviews(system, text):
	default:
		return job{}, false
	}
	return j, true
}

// bare makes a job of a request for a title without more around it. A client
// that gave a form for the answer gets what its model makes of that.
func (j job) bare(text string, pasted bool, o loci.Options) job {
	if !pasted {
		j.talk = text
	}
	j.kind, j.key, j.list = jobTitle, "", false
	if len(o.Format) > 0 {
		j.kind = jobOther
	}
	return j
}

// lone gives the system messages and the newest message of a user. Ok says that
// there is nothing else.
func lone(c conversation) (system, text string, ok bool) {
	users, others := 0, len(c.tools)
	for _, m := range c.messages {
		switch m.Role {
		case loci.System:
			system += m.Content + "\n"
		case loci.User:
			users++
			others += len(m.Images)
			text = m.Content
		default:
			others++
		}
	}
	return system, text, users == 1 && others == 0
}

// resent writes a conversation down as clients paste it.
func resent(messages []loci.Message) string {
	var talk strings.Builder
	for _, m := range messages {
		if m.Role == loci.User || m.Role == loci.Assistant {
			talk.WriteString(string(m.Role) + ": " + m.Content + "\n")
		}
	}
	return talk.String()
}

// name takes over what a client calls its job. A form of the answer that the
// text does not show is that of Open WebUI.
func (j *job) name(task string) {
	kind := jobOther
	task = strings.ToLower(task)
	for _, n := range taskNames {
		if strings.Contains(task, n.part) {
			kind = n.kind
			break
		}
	}
	if j.kind != kind { // an example of something else
		j.key, j.list = openWebUIKeys[kind], slices.Contains(listed, kind)
	}
	j.kind = kind
}

// openWebUIKeys are the members that Open WebUI looks for.
var openWebUIKeys = map[jobKind]string{
	jobTitle: "title", jobTags: "tags", jobFollowUps: "follow_ups", jobQueries: "queries",
	jobAutocomplete: "text", jobImage: "prompt",
}

// example finds the beginning of a JSON object that shows how to answer.
var example = regexp.MustCompile(`\{\s*"([^"\\\n]{1,40})"\s*:\s*(["\[])`)

// look reads from the instructions which member is wanted, and of what kind.
func (j *job) look(rest string) {
	for _, m := range example.FindAllStringSubmatch(rest, 20) {
		kind, ok := jobKeys[plainKey(m[1])]
		switch {
		case !ok:
		case kind == jobAutocomplete && !strings.Contains(rest, "<text>"): // these two words say little alone
		case kind == jobImage && !strings.Contains(rest, "image"):
		default:
			j.kind, j.key, j.list = kind, m[1], m[2] == "["
			return
		}
	}
}

// plainKey is a member's name without case and marks.
func plainKey(key string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))
}

// merges tells Open WebUI's request to make one answer of several: the only one
// of its jobs that it may stream, as a person waits for it.
func merges(text string) bool {
	return strings.HasPrefix(text, "You have been provided with a set of responses from various models") &&
		strings.Contains(text, "Responses from models:")
}

// feels tells the request for an emoji, which has neither a conversation nor an
// example of the answer.
func feels(text string) bool {
	head, _, found := strings.Cut(text, "Message: ```")
	return found && strings.Contains(head, "emoji") && strings.Contains(head, "facial expression")
}

// picksTool tells the request to choose one of Open WebUI's own tools, which are
// described in the system message.
func picksTool(system, text string) bool {
	return strings.HasPrefix(system, "Available Tools:") && strings.Contains(system, `"tool_calls"`) &&
		(strings.HasPrefix(text, "Query: ") || strings.HasPrefix(text, "History:\n"))
}

// reviews tells the request to keep what is worth remembering of a conversation.
func reviews(system, text string) bool {
	return strings.Contains(system, "memory reviewer") && strings.Contains(text, `"operations"`) && hasRoles(text)
}

// A title in bare words is wanted by a sentence with a word for it and a word
// for what it is the title of, and by a limit to it.
var (
	titleWords = regexp.MustCompile(`(?i)\b(titles?|heading|headline|a name|n[áa]zev|titel|titre)\b|标题`)
	chatWords  = regexp.MustCompile(`(?i)\b(conversations?|chats?|dialog(ue)?|talk|discussion|konverzac\w*|gespräch\w*)\b|对话|会话`)
	limitWords = regexp.MustCompile(`(?i)\b(only|just|nothing else|or[ -]less|or[ -]fewer|at most|max(imum)?|within \d+|no more than|without (any )?punctuation)\b|以内`)
	sentence   = regexp.MustCompile(`[^.!?\n。！？]+`)
)

// wantsTitle tells whether instructions ask for the title of a conversation and
// nothing else.
func wantsTitle(instructions string) bool {
	return limitWords.MatchString(instructions) && slices.ContainsFunc(sentence.FindAllString(instructions, -1), func(s string) bool {
		return titleWords.MatchString(s) && chatWords.MatchString(s)
	})
}
