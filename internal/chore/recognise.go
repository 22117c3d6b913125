package chore

import (
	"regexp"
	"slices"
	"strings"

	"loci"
)

// Request is what a client sent, as far as it tells a chore from a turn.
type Request struct {
	Task     string         // what the client calls it, in a header; empty in a chat
	Messages []loci.Message // system messages included
	Tools    bool           // the client has tools of its own
	Format   bool           // the reply has to follow a form, such as a schema
	Stream   bool           // the client reads along
}

// Recognise tells whether a request is a chore. A chore says so, or is known by
// its form: a single message that was not written by a person, for it holds a
// conversation and says how to answer about it. In doubt it is a turn.
func Recognise(r Request) (Chore, bool) {
	if r.named() {
		return r.byTask(), true
	}
	return r.byForm()
}

// named tells whether the client calls the request a chore.
func (r Request) named() bool {
	template := strings.Contains(r.Task, "{{") // one that nobody filled in
	return r.Task != "" && !template && !r.Tools
}

// byForm looks for the form that a request has.
func (r Request) byForm() (Chore, bool) {
	p, ok := take(r)
	if !ok {
		return Chore{}, false
	}
	f, ok := p.form(r.Stream)
	if !ok {
		return Chore{}, false
	}
	return f.chore(p), true
}

// byTask takes over what the client calls its chore. A form of the answer that
// the text does not show is that of Open WebUI.
func (r Request) byTask() Chore {
	_, text, alone := r.lone()
	talk, rest, _ := cutTalk(text)
	if !alone {
		talk = resent(r.Messages)
	}
	c := look(ends(rest), talk)
	if kind := taskKind(r.Task); c.Kind != kind { // an example of something else
		c.Kind, c.Key, c.List = kind, openWebUIKeys[kind], slices.Contains(listed, kind)
	}
	return c
}

// taskNames are parts of the names by which clients call their chores.
var taskNames = []struct {
	part string
	kind Kind
}{
	{"title", Title}, {"tag", Tags}, {"follow", FollowUps}, {"quer", Queries},
	{"autocomplet", Autocomplete}, {"emoji", Emoji}, {"image", Image}, {"moa", Merge},
}

// taskKind is the kind of chore that a client means by a name.
func taskKind(task string) Kind {
	task = strings.ToLower(task)
	for _, n := range taskNames {
		if strings.Contains(task, n.part) {
			return n.kind
		}
	}
	return Other
}

// openWebUIKeys are the members that Open WebUI looks for.
var openWebUIKeys = map[Kind]string{
	Title: "title", Tags: "tags", FollowUps: "follow_ups", Queries: "queries",
	Autocomplete: "text", Image: "prompt",
}

// listed are the kinds whose result is a list.
var listed = []Kind{Tags, FollowUps, Queries}

// lone gives the system messages and the newest message of a user. Ok says that
// there is nothing else.
func (r Request) lone() (system, text string, ok bool) {
	users, others := 0, 0
	for _, m := range r.Messages {
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
	return system, text, users == 1 && others == 0 && !r.Tools
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

// example finds the beginning of a JSON object that shows how to answer.
var example = regexp.MustCompile(`\{\s*"([^"\\\n]{1,40})"\s*:\s*(["\[])`)

// look reads from the instructions which member is wanted, and of what kind.
func look(instructions, talk string) Chore {
	for _, m := range example.FindAllStringSubmatch(instructions, 20) {
		kind := kindOf(m[1])
		switch {
		case kind == "":
		case kind == Autocomplete && !strings.Contains(instructions, "<text>"): // these two words say little alone
		case kind == Image && !strings.Contains(instructions, "image"):
		default:
			return Chore{Kind: kind, Key: m[1], List: m[2] == "[", Talk: talk}
		}
	}
	return Chore{Kind: Other, Talk: talk}
}
