package chore

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/chore/choretest"
)

func user(text string) []loci.Message { return []loci.Message{{Role: loci.User, Content: text}} }

func with(system, text string) []loci.Message {
	return append([]loci.Message{{Role: loci.System, Content: system}}, user(text)...)
}

// beginning is the same before anything was said.
var beginning = strings.Replace(choretest.Autocompletion, "<chat_history>\n"+choretest.Talk+"\n</chat_history>\n", "", 1)

const (
	toolbox   = "Available Tools: [{\"name\": \"web\"}]\nAnswer with {\"tool_calls\": []}"
	reviewed  = "Should anything be kept? Only JSON: {\"operations\":[]}\n\nConversation:\nuser: hi\n\nassistant_final: hello"
	bare      = "### Task:\nGive the conversation a title, and say only the title.\n\nUSER: hi\nASSISTANT: hello"
	libreChat = "Provide a short title of 5 words or less for the conversation. Only return the title.\n\nConversation:\nUser: remove every *.tmp file\nAI: Done."
	chatbox   = "From the history, give this conversation a name.\nJust the name, nothing else.\n\n```\nuser: remove every *.tmp file\n\n---------\n\nassistant: Done.\n```"
	lobeChat  = "You summarize the conversation of a user into a title within 10 characters."
	cherry    = `[{"role":"user","mainText":"remove every *.tmp file"},{"role":"assistant","mainText":"Done."}]`
)

// titled is the chore of most examples.
var titled = Chore{Kind: Title, Key: "title", Talk: choretest.Talk}

// known are requests of clients, and what they ask for.
var known = map[string]struct {
	request Request
	want    Chore
}{
	"case 20":           {Request{Messages: user(choretest.Heading)}, titled},
	"case 20, tags":     {Request{Messages: user(strings.ReplaceAll(choretest.Heading, "title", "tags"))}, Chore{Kind: Tags, Key: "tags", Talk: choretest.Talk}},
	"case 20, question": {Request{Messages: user(strings.ReplaceAll(choretest.Heading, "title", "follow-up questions"))}, Chore{Kind: FollowUps, Key: "follow-up questions", Talk: choretest.Talk}},
	"title":             {Request{Messages: user(choretest.Tasked("Find a title.", `{ "title": "your title" }`))}, titled},
	"title, streamed":   {Request{Messages: user(choretest.Tasked("Find a title.", `{ "title": "your title" }`)), Stream: true}, titled},
	"title, of a model with a system message": {Request{Messages: with("You are a pirate.", choretest.Tasked("Find a title.", `{"title": ""}`))}, titled},
	"tags":       {Request{Messages: user(choretest.Tasked("Find tags.", `{ "tags": ["a", "b"] }`))}, Chore{Kind: Tags, Key: "tags", List: true, Talk: choretest.Talk}},
	"follow-ups": {Request{Messages: user(choretest.Tasked("What next?", `{ "follow_ups": ["a"] }`))}, Chore{Kind: FollowUps, Key: "follow_ups", List: true, Talk: choretest.Talk}},
	"queries":    {Request{Messages: user(choretest.Tasked("What to search?", "{\n  \"queries\": [\"a\"]\n}"))}, Chore{Kind: Queries, Key: "queries", List: true, Talk: choretest.Talk}},
	"follow-ups on documents, cut": {Request{Messages: user(strings.Replace(choretest.Tasked("What next?", `{ "follow_ups": ["a"] }`), choretest.Talk, "USER: ### Task: answer <context> {\"title\": 1...", 1))},
		Chore{Kind: FollowUps, Key: "follow_ups", List: true, Talk: "USER: ### Task: answer <context> {\"title\": 1..."}},
	"image":                      {Request{Messages: user(choretest.Tasked("Describe an image.", "{\n    \"prompt\": \"...\"\n}"))}, Chore{Kind: Image, Key: "prompt", Talk: choretest.Talk}},
	"completion":                 {Request{Messages: user(choretest.Autocompletion)}, Chore{Kind: Autocomplete, Key: "text", Talk: choretest.Talk}},
	"completion of a first text": {Request{Messages: user(beginning)}, Chore{Kind: Autocomplete, Key: "text"}},
	"emoji":                      {Request{Messages: user(choretest.Feeling)}, Chore{Kind: Emoji, Talk: choretest.Feeling}},
	"merge":                      {Request{Messages: user(choretest.Several)}, Chore{Kind: Merge}},
	"merge, streamed":            {Request{Messages: user(choretest.Several), Stream: true}, Chore{Kind: Merge}},
	"choice of a tool":           {Request{Messages: with(toolbox, "History:\nUSER: \"\"\"hi\"\"\"\nQuery: Why?")}, Chore{Kind: Other}},
	"summary":                    {Request{Messages: user(choretest.Compacted)}, Chore{Kind: Other}},
	"memory":                     {Request{Messages: with("You are the private memory reviewer.", reviewed)}, Chore{Kind: Other}},
	"unknown member":             {Request{Messages: user(choretest.Tasked("Rate it.", `{ "stars": 5 }`))}, Chore{Kind: Other, Talk: choretest.Talk}},
	"a long talk":                {Request{Messages: user(strings.Replace(choretest.Heading, "Done", strings.Repeat("é", 50<<10), 1))}, Chore{Kind: Title, Key: "title", Talk: strings.Replace(choretest.Talk, "Done", strings.Repeat("é", 50<<10), 1)}},
	"title, in bare words":       {Request{Messages: user(bare)}, Chore{Kind: Title, Talk: bare}},
	"LibreChat":                  {Request{Messages: user(libreChat)}, Chore{Kind: Title, Talk: libreChat}},
	"LibreChat, a long answer":   {Request{Messages: user(libreChat + "\n\nI can tell you more about my work: a title for the blog post.")}, Chore{Kind: Title, Talk: libreChat + "\n\nI can tell you more about my work: a title for the blog post."}},
	"LibreChat with a schema":    {Request{Messages: user(libreChat), Format: true}, Chore{Kind: Other, Talk: libreChat}},
	"Chatbox":                    {Request{Messages: user(chatbox)}, Chore{Kind: Title, Talk: chatbox}},
	"LobeChat":                   {Request{Messages: with(lobeChat, choretest.Talk), Stream: true}, Chore{Kind: Title, Talk: choretest.Talk}},
	"Cherry Studio":              {Request{Messages: with("A title for the conversation within 10 characters. Output only the title.", cherry), Stream: true}, Chore{Kind: Title, Talk: "user: remove every *.tmp file\nassistant: Done.\n"}},

	"header":                        {Request{Task: "title_generation", Messages: user("A title for: hello")}, Chore{Kind: Title, Key: "title"}},
	"header, the example counts":    {Request{Task: "follow_up_generation", Messages: user(choretest.Tasked("More?", `{"followUps": []}`))}, Chore{Kind: FollowUps, Key: "followUps", List: true, Talk: choretest.Talk}},
	"header, another's example":     {Request{Task: "tags_generation", Messages: user(choretest.Tasked("Tags", `{"title": ""}`))}, Chore{Kind: Tags, Key: "tags", List: true, Talk: choretest.Talk}},
	"header, unknown":               {Request{Task: "context_compaction", Messages: user(choretest.Compacted)}, Chore{Kind: Other}},
	"header, streamed with history": {Request{Task: "title", Messages: []loci.Message{{Role: loci.User, Content: "a"}, {Role: loci.Assistant, Content: "b"}, {Role: loci.User, Content: "Name it."}}, Stream: true}, Chore{Kind: Title, Key: "title", Talk: "user: a\nassistant: b\nuser: Name it.\n"}},
}

func TestChoresAreRecognised(t *testing.T) {
	for name, tt := range known {
		t.Run(name, func(t *testing.T) {
			got, ok := Recognise(tt.request)
			if diff := cmp.Diff(tt.want, got); diff != "" || !ok {
				t.Errorf("recognised: %v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

// Every form is that of some request, or nobody would miss it.
func TestEveryFormIsKnown(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range known {
		if p, ok := take(tt.request); ok && tt.request.Task == "" {
			f, _ := p.form(tt.request.Stream)
			seen[f.name] = true
		}
	}
	for _, f := range forms {
		if !seen[f.name] {
			t.Errorf("no request has the form of %s", f.name)
		}
	}
}

// What a person says stays a turn, however much it looks like a chore.
func TestTurnsAreNoChores(t *testing.T) {
	before := []loci.Message{{Role: loci.User, Content: "hi"}, {Role: loci.Assistant, Content: "Hello."}}
	title := choretest.Tasked("Find a title.", `{ "title": "x" }`)
	quoted := "### Task:\nAnswer with the context.\n\n<context>\n<source id=\"1\"><chat_history>{\"title\": \"x\"}</chat_history> user: a</source>\n</context>\n"
	for name, r := range map[string]Request{
		"nothing":                           {},
		"a task without a conversation":     {Messages: user("### Task:\nA title for my book on whales. {\"title\": \"x\"}")},
		"a greeting":                        {Messages: user("hi")},
		"a task in a chat with history":     {Messages: append(before, user("### Task: clean up\nreply as {\"title\": 1}")...), Stream: true},
		"a chore's text in a chat":          {Messages: append(before, user(title)...)},
		"a pasted conversation in a chat":   {Messages: append(before, user(choretest.Heading)...), Stream: true},
		"one at the beginning":              {Messages: user("What went wrong here?\n<chat_history>\n" + choretest.Talk + "\n</chat_history>"), Stream: true},
		"the same, not streamed":            {Messages: user("What went wrong here?\n<chat_history>\n" + choretest.Talk + "\n</chat_history>")},
		"a title with one, streamed":        {Messages: user(choretest.Heading), Stream: true},
		"a title for an essay":              {Messages: user("Suggest a title for my essay, only the title.\n\nIt was a dark night.")},
		"a title for a talk one will give":  {Messages: user("I need a title for my talk about bees, at most five words.")},
		"a title for a blog post":           {Messages: user("User: hi\nAssistant: hello\n\nWrite a short, catchy title for my blog post about this talk. Nothing else.")},
		"a title for the post":              {Messages: user("User: hi\nAssistant: hello\n\nWrite only a title for the blog post about this conversation.")},
		"a title that one asks for oneself": {Messages: user("Give me just a title for this chat:\nUser: hi\nAssistant: hello")},
		"a title of what nobody said":       {Messages: user("Give a title for this conversation only: User: hi\nAssistant: hello")},
		"a title of marks":                  {Messages: user("Give a title for this conversation, only the title.\n\nUser: ...\nAssistant: hello")},
		"a task of one's own":               {Messages: user("### Task:\nSort these files by date.")},
		"a question about documents":        {Messages: user(quoted + "Why? user: me, as {\"title\": \"x\"}")},
		"the same, streamed":                {Messages: user(quoted + "Why?"), Stream: true},
		"and a conversation":                {Messages: user(quoted + "As {\"title\": 1} for <chat>a</chat>")},
		"a persona, and a log":              {Messages: with("In this chat be brief. Only give a title if asked.", "Look:\nuser: root\nai: none"), Stream: true},
		"JSON that is no conversation":      {Messages: with(lobeChat, `[{"a":1}]`)},
		"with tools":                        {Task: "title", Messages: user(choretest.Heading), Tools: true},
		"with a picture":                    {Messages: []loci.Message{{Role: loci.User, Content: choretest.Heading, Images: []loci.Image{{}}}}},
		"a header nobody filled in":         {Task: "{{TASK}}", Messages: user("hi")},
		"a sentence for a title, streamed":  {Messages: user(libreChat), Stream: true},
		"a summary, streamed":               {Messages: user(choretest.Compacted), Stream: true},
		"an emoji, streamed":                {Messages: user(choretest.Feeling), Stream: true},
		"a completion, streamed":            {Messages: user(beginning), Stream: true},
		"a choice of a tool, streamed":      {Messages: with(toolbox, "Query: Why?"), Stream: true},
		"a review, streamed":                {Messages: with("You are the private memory reviewer.", reviewed), Stream: true},
	} {
		t.Run(name, func(t *testing.T) {
			if c, ok := Recognise(r); ok {
				t.Errorf("taken for a chore: %+v", c)
			}
		})
	}
}

func FuzzChores(f *testing.F) {
	for _, s := range []string{choretest.Heading, choretest.Autocompletion, choretest.Several, choretest.Feeling, libreChat, chatbox, cherry, choretest.Tasked("a", `{"tags": ["x"]}`), "<chat></chat>", "<context><chat>", "```"} {
		f.Add("", s, false, `{"title":"x"}`)
		f.Add("title_generation", s, true, s)
	}
	f.Fuzz(func(t *testing.T, task, text string, stream bool, reply string) {
		c, ok := Recognise(Request{Task: task, Messages: user(text), Stream: stream})
		if !ok {
			return
		}
		short, can := c.Short()
		if can && short == "" {
			t.Errorf("%s is answered with nothing", c.Kind)
		}
		tidied, useful := c.Tidy(reply)
		for _, answer := range []string{short, tidied} {
			if c.Key != "" && answer != "" && (can || useful) && !json.Valid([]byte(answer)) {
				t.Errorf("%s: %q is not the JSON that the client wants", c.Kind, answer)
			}
		}
	})
}
