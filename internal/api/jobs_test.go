package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// talk is a conversation as Open WebUI pastes it.
const talk = "USER: remove every *.tmp file in ~/work\nASSISTANT: Done, 4 files removed."

// tasked is a request in the form of Open WebUI's templates.
func tasked(what, form string) string {
	return "### Task:\n" + what + "\n\n### Guidelines:\n- Be brief.\n\n### Output:\nJSON format: " + form +
		"\n\n### Chat History:\n<chat_history>\n" + talk + "\n</chat_history>"
}

// heading20 is the request of a reported case.
const heading20 = "Make a heading of at most five words for the talk below. Reply only with JSON like {\"title\":\"...\"}.\n<chat_history>\n" + talk + "\n</chat_history>"

func user(text string) []loci.Message { return []loci.Message{{Role: loci.User, Content: text}} }

func with(system, text string) []loci.Message {
	return append([]loci.Message{{Role: loci.System, Content: system}}, user(text)...)
}

// requests of clients, in their form and in words of our own.
var autocompletion = "### Task:\nGo on with the text in `<text>`.\n1. If unsure: `{ \"text\": \"\" }`.\n#### Example:\n<type>General</type>\n<text>It was</text>\nOutput:\n{ \"text\": \"late\" }\n" +
	"### Context:\n<chat_history>\n" + talk + "\n</chat_history>\n<type>General</type>\n<text>and then</text>\n#### Output:\n"

const (
	feeling   = "Your task is to show the facial expression of the speaker by an emoji (e.g., 😊, 😢).\n\nMessage: ```Done at last```"
	several   = "You have been provided with a set of responses from various models to the latest user query: \"Why?\"\n\nMake one of them.\n\nResponses from models: \"\"\"A\"\"\"\n\n\"\"\"B\"\"\""
	toolbox   = "Available Tools: [{\"name\": \"web\"}]\nAnswer with {\"tool_calls\": []}"
	compacted = "### Task:\nSummarize what will be left out.\n\n### Messages:\n" + talk
	reviewed  = "Should anything be kept? Only JSON: {\"operations\":[]}\n\nConversation:\nuser: hi\n\nassistant_final: hello"
	libreChat = "Provide a short title of 5 words or less for the conversation. Only return the title.\n\nConversation:\nUser: remove every *.tmp file\nAI: Done."
	chatbox   = "From the history, give this conversation a name.\nJust the name, nothing else.\n\n```\nuser: remove every *.tmp file\n\n---------\n\nassistant: Done.\n```"
	lobeChat  = "You summarize the conversation of a user into a title within 10 characters."
	cherry    = `[{"role":"user","mainText":"remove every *.tmp file"},{"role":"assistant","mainText":"Done."}]`
)

func TestJobsAreRecognised(t *testing.T) {
	title := job{kind: jobTitle, key: "title", talk: talk}
	for name, tt := range map[string]struct {
		task string
		conv conversation
		want job
	}{
		"case 20":           {"", conversation{messages: user(heading20)}, title},
		"case 20, tags":     {"", conversation{messages: user(strings.ReplaceAll(heading20, "title", "tags"))}, job{kind: jobTags, key: "tags", talk: talk}},
		"case 20, question": {"", conversation{messages: user(strings.ReplaceAll(heading20, "title", "follow-up questions"))}, job{kind: jobFollowUps, key: "follow-up questions", talk: talk}},
		"title":             {"", conversation{messages: user(tasked("Find a title.", `{ "title": "your title" }`))}, title},
		"title, streamed":   {"", conversation{messages: user(tasked("Find a title.", `{ "title": "your title" }`)), stream: true}, title},
		"title, of a model with a system message": {"", conversation{messages: with("You are a pirate.", tasked("Find a title.", `{"title": ""}`))}, title},
		"tags":       {"", conversation{messages: user(tasked("Find tags.", `{ "tags": ["a", "b"] }`))}, job{kind: jobTags, key: "tags", list: true, talk: talk}},
		"follow-ups": {"", conversation{messages: user(tasked("What next?", `{ "follow_ups": ["a"] }`))}, job{kind: jobFollowUps, key: "follow_ups", list: true, talk: talk}},
		"queries":    {"", conversation{messages: user(tasked("What to search?", "{\n  \"queries\": [\"a\"]\n}"))}, job{kind: jobQueries, key: "queries", list: true, talk: talk}},
		"follow-ups on documents, cut": {"", conversation{messages: user(strings.Replace(tasked("What next?", `{ "follow_ups": ["a"] }`), talk, "USER: ### Task: answer <context> {\"title\": 1...", 1))},
			job{kind: jobFollowUps, key: "follow_ups", list: true, talk: "USER: ### Task: answer <context> {\"title\": 1..."}},
		"image":                   {"", conversation{messages: user(tasked("Describe an image.", "{\n    \"prompt\": \"...\"\n}"))}, job{kind: jobImage, key: "prompt", talk: talk}},
		"completion":              {"", conversation{messages: user(autocompletion)}, job{kind: jobAutocomplete, key: "text", talk: talk}},
		"emoji":                   {"", conversation{messages: user(feeling)}, job{kind: jobEmoji, talk: feeling}},
		"merge":                   {"", conversation{messages: user(several)}, job{kind: jobMerge}},
		"merge, streamed":         {"", conversation{messages: user(several), stream: true}, job{kind: jobMerge}},
		"choice of a tool":        {"", conversation{messages: with(toolbox, "History:\nUSER: \"\"\"hi\"\"\"\nQuery: Why?")}, job{kind: jobOther}},
		"summary":                 {"", conversation{messages: user(compacted)}, job{kind: jobOther}},
		"memory":                  {"", conversation{messages: with("You are the private memory reviewer.", reviewed)}, job{kind: jobOther}},
		"unknown member":          {"", conversation{messages: user(tasked("Rate it.", `{ "stars": 5 }`))}, job{kind: jobOther, talk: talk}},
		"a long talk":             {"", conversation{messages: user(strings.Replace(heading20, "Done", strings.Repeat("é", 50<<10), 1))}, job{kind: jobTitle, key: "title", talk: strings.Replace(talk, "Done", strings.Repeat("é", 50<<10), 1)}},
		"LibreChat":               {"", conversation{messages: user(libreChat)}, job{kind: jobTitle, talk: libreChat}},
		"LibreChat with a schema": {"", conversation{messages: user(libreChat), options: loci.Options{Format: json.RawMessage(`{}`)}}, job{kind: jobOther, talk: libreChat}},
		"Chatbox":                 {"", conversation{messages: user(chatbox)}, job{kind: jobTitle, talk: chatbox}},
		"LobeChat":                {"", conversation{messages: with(lobeChat, talk), stream: true}, job{kind: jobTitle, talk: talk}},
		"Cherry Studio":           {"", conversation{messages: with("A title for the conversation within 10 characters. Output only the title.", cherry), stream: true}, job{kind: jobTitle, talk: "user: remove every *.tmp file\nassistant: Done.\n"}},

		"header":                        {"title_generation", conversation{messages: user("A title for: hello")}, job{kind: jobTitle, key: "title"}},
		"header, the example counts":    {"follow_up_generation", conversation{messages: user(tasked("More?", `{"followUps": []}`))}, job{kind: jobFollowUps, key: "followUps", list: true, talk: talk}},
		"header, another's example":     {"tags_generation", conversation{messages: user(tasked("Tags", `{"title": ""}`))}, job{kind: jobTags, key: "tags", list: true, talk: talk}},
		"header, unknown":               {"context_compaction", conversation{messages: user(compacted)}, job{kind: jobOther}},
		"header, streamed with history": {"title", conversation{messages: []loci.Message{{Role: loci.User, Content: "a"}, {Role: loci.Assistant, Content: "b"}, {Role: loci.User, Content: "Name it."}}, stream: true}, job{kind: jobTitle, key: "title", talk: "user: a\nassistant: b\nuser: Name it.\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := recognise(tt.task, tt.conv)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(job{})); diff != "" || !ok {
				t.Errorf("recognised: %v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

// What a person says stays a turn, however much it looks like a job.
func TestTurnsAreNoJobs(t *testing.T) {
	before := []loci.Message{{Role: loci.User, Content: "hi"}, {Role: loci.Assistant, Content: "Hello."}}
	title := tasked("Find a title.", `{ "title": "x" }`)
	quoted := "### Task:\nAnswer with the context.\n\n<context>\n<source id=\"1\"><chat_history>{\"title\": \"x\"}</chat_history> user: a</source>\n</context>\n"
	for name, tt := range map[string]struct {
		task string
		conv conversation
	}{
		"nothing":                          {"", conversation{}},
		"a task without a conversation":    {"", conversation{messages: user("### Task:\nA title for my book on whales. {\"title\": \"x\"}")}},
		"a greeting":                       {"", conversation{messages: user("hi")}},
		"a task in a chat with history":    {"", conversation{messages: append(before, user("### Task: clean up\nreply as {\"title\": 1}")...), stream: true}},
		"a job's text in a chat":           {"", conversation{messages: append(before, user(title)...)}},
		"a pasted conversation in a chat":  {"", conversation{messages: append(before, user(heading20)...), stream: true}},
		"one at the beginning":             {"", conversation{messages: user("What went wrong here?\n<chat_history>\n" + talk + "\n</chat_history>"), stream: true}},
		"the same, not streamed":           {"", conversation{messages: user("What went wrong here?\n<chat_history>\n" + talk + "\n</chat_history>")}},
		"a title with one, streamed":       {"", conversation{messages: user(heading20), stream: true}},
		"a title for an essay":             {"", conversation{messages: user("Suggest a title for my essay, only the title.\n\nIt was a dark night.")}},
		"a title for a talk one will give": {"", conversation{messages: user("I need a title for my talk about bees, at most five words.")}},
		"a task of one's own":              {"", conversation{messages: user("### Task:\nSort these files by date.")}},
		"a question about documents":       {"", conversation{messages: user(quoted + "Why? user: me, as {\"title\": \"x\"}")}},
		"the same, streamed":               {"", conversation{messages: user(quoted + "Why?"), stream: true}},
		"and a conversation":               {"", conversation{messages: user(quoted + "As {\"title\": 1} for <chat>a</chat>")}},
		"a persona, and a log":             {"", conversation{messages: with("In this chat be brief. Only give a title if asked.", "Look:\nuser: root\nai: none"), stream: true}},
		"JSON that is no conversation":     {"", conversation{messages: with(lobeChat, `[{"a":1}]`)}},
		"with tools":                       {"title", conversation{messages: user(heading20), tools: []loci.ToolSpec{{Name: "x"}}}},
		"with a picture":                   {"", conversation{messages: []loci.Message{{Role: loci.User, Content: heading20, Images: []loci.Image{{}}}}}},
		"a header nobody filled in":        {"{{TASK}}", conversation{messages: user("hi")}},
	} {
		t.Run(name, func(t *testing.T) {
			if j, ok := recognise(tt.task, tt.conv); ok {
				t.Errorf("taken for a job: %+v", j)
			}
		})
	}
}

func TestShortAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		job  job
		want string
	}{
		"title":              {job{kind: jobTitle, key: "title", talk: talk}, `{"title":"Remove every *.tmp file in ~/work"}`},
		"bare title":         {job{kind: jobTitle, talk: talk}, `Remove every *.tmp file in ~/work`},
		"title, cut":         {job{kind: jobTitle, talk: "USER: **What** is the fastest way, if any, to go there?"}, `What is the fastest way, if`},
		"title, Markdown":    {job{kind: jobTitle, talk: "user:\n\n## Plan:\n- one\nassistant: ok"}, `Plan`},
		"title, mark at end": {job{kind: jobTitle, talk: "User: what is that?\nAI: a cat"}, `What is that`},
		"title, long word":   {job{kind: jobTitle, talk: "user: " + strings.Repeat("a", 80)}, "A" + strings.Repeat("a", 49)},
		"title, Chinese":     {job{kind: jobTitle, talk: "USER: 请告诉我今天北京的天气怎么样以及明天会不会下雨\nASSISTANT: 晴"}, "请告诉我今天北京的天气怎么样以及"},
		"title, Czech":       {job{kind: jobTitle, talk: "USER: čím to je?"}, "Čím to je"},
		"title, no roles":    {job{kind: jobTitle, talk: "hello there"}, "Hello there"},
		"title of nothing":   {job{kind: jobTitle, key: "title"}, `{"title":""}`},
		"tags":               {job{kind: jobTags, key: "tags", list: true, talk: talk}, `{"tags":["General"]}`},
		"tags, Czech":        {job{kind: jobTags, key: "tags", list: true, talk: "USER: Smaž všechny dočasné soubory ve složce, prosím.\nASSISTANT: Done."}, `{"tags":["Obecné"]}`},
		"follow-ups":         {job{kind: jobFollowUps, key: "follow_ups", list: true}, `{"follow_ups":[]}`},
		"queries":            {job{kind: jobQueries, key: "queries", list: true, talk: "USER: a\nASSISTANT: b\nUSER: who is\n  \"c\"?"}, `{"queries":["who is \"c\"?"]}`},
		"no queries":         {job{kind: jobQueries, key: "queries", list: true}, `{"queries":[]}`},
		"completion":         {job{kind: jobAutocomplete, key: "text", talk: talk}, `{"text":""}`},
		"emoji":              {job{kind: jobEmoji}, `🙂`},
	} {
		if got, ok := tt.job.short(); got != tt.want || !ok {
			t.Errorf("%s: %s %v, want %s", name, got, ok, tt.want)
		}
	}
	for _, kind := range []jobKind{jobImage, jobMerge, jobOther} {
		if got, ok := (job{kind: kind, talk: talk}).short(); ok {
			t.Errorf("%s is answered without a model: %s", kind, got)
		}
	}
}

func TestModelAnswersAreTidied(t *testing.T) {
	title := job{kind: jobTitle, key: "title"}
	tags := job{kind: jobTags, key: "tags", list: true}
	for name, tt := range map[string]struct {
		job   job
		reply string
		want  string // empty: nothing of use
	}{
		"bare":           {title, `{"title":"Files"}`, `{"title":"Files"}`},
		"fences":         {title, "```json\n{ \"title\": \"Files\" }\n```", `{"title":"Files"}`},
		"words around":   {title, `Sure {smile}! {"title": "Files & <more>"} Hope it helps {"title":"no"}.`, `{"title":"Files & <more>"}`},
		"thoughts":       {title, `<think>{"title":"draft"}</think>{"title":"Files"}`, `{"title":"Files"}`},
		"more members":   {title, `{"why":"x","title":"Files"}`, `{"title":"Files"}`},
		"other name":     {title, `{"Heading":"Files"}`, `{"title":"Files"}`},
		"cut":            {title, `{"title":"Fil`, ``},
		"prose":          {title, `I cannot do that.`, ``},
		"empty":          {title, " \n", ``},
		"empty title":    {title, `{"title":" "}`, ``},
		"null":           {title, `{"title":null}`, ``},
		"number":         {title, `{"title":7}`, ``},
		"tags":           {tags, `{"tags":["A"," ","B"]}`, `{"tags":["A","B"]}`},
		"one tag":        {tags, `{"tags":"A"}`, `{"tags":["A"]}`},
		"tags, as text":  {job{kind: jobTags, key: "tags"}, `{"tags":["A","B"]}`, `{"tags":["A","B"]}`},
		"no tags":        {tags, `{"tags":[]}`, `{"tags":[]}`},
		"completion":     {job{kind: jobAutocomplete, key: "text"}, `{"text":" and so"}`, `{"text":" and so"}`},
		"image in words": {job{kind: jobImage, key: "prompt"}, `A "red" house.`, `{"prompt":"A \"red\" house."}`},
		"emoji":          {job{kind: jobEmoji}, "😊\n", `😊`},
		"no emoji":       {job{kind: jobEmoji}, "Happy", ``},
		"bare title":     {job{kind: jobTitle}, "**Title:** \"Files in work\"\n\nbecause", `Files in work`},
		"chatty title":   {job{kind: jobTitle}, strings.Repeat("word ", 40), ``},
		"summary":        {job{kind: jobOther}, "It was {\"a\":1} good.", `It was {"a":1} good.`},
	} {
		got, ok := tt.job.tidy(tt.reply)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s: %q %v, want %q", name, got, ok, tt.want)
		}
	}
}

func FuzzJobs(f *testing.F) {
	for _, s := range []string{heading20, autocompletion, several, feeling, libreChat, chatbox, cherry, tasked("a", `{"tags": ["x"]}`), "<chat></chat>", "<context><chat>", "```"} {
		f.Add("", s, false, `{"title":"x"}`)
		f.Add("title_generation", s, true, s)
	}
	f.Fuzz(func(t *testing.T, task, text string, stream bool, reply string) {
		j, ok := recognise(task, conversation{messages: user(text), stream: stream})
		if !ok {
			return
		}
		short, can := j.short()
		tidied, useful := j.tidy(reply)
		for _, answer := range []string{short, tidied} {
			if j.key != "" && answer != "" && (can || useful) && !json.Valid([]byte(answer)) {
				t.Errorf("%s: %q is not the JSON that the client wants", j.kind, answer)
			}
		}
	})
}
