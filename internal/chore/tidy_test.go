package chore

import (
	"strings"
	"testing"
)

func TestModelAnswersAreTidied(t *testing.T) {
	title := Chore{Kind: Title, Key: "title"}
	tags := Chore{Kind: Tags, Key: "tags", List: true}
	for name, tt := range map[string]struct {
		chore Chore
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
		"tags, as text":  {Chore{Kind: Tags, Key: "tags"}, `{"tags":["A","B"]}`, `{"tags":["A","B"]}`},
		"no tags":        {tags, `{"tags":[]}`, `{"tags":[]}`},
		"completion":     {Chore{Kind: Autocomplete, Key: "text"}, `{"text":" and so"}`, `{"text":" and so"}`},
		"image in words": {Chore{Kind: Image, Key: "prompt"}, `A "red" house.`, `{"prompt":"A \"red\" house."}`},
		"emoji":          {Chore{Kind: Emoji}, "😊\n", `😊`},
		"no emoji":       {Chore{Kind: Emoji}, "Happy", ``},
		"bare title":     {Chore{Kind: Title}, "**Title:** \"Files in work\"\n\nbecause", `Files in work`},
		"chatty title":   {Chore{Kind: Title}, strings.Repeat("word ", 40), ``},
		"summary":        {Chore{Kind: Other}, "It was {\"a\":1} good.", `It was {"a":1} good.`},
	} {
		got, ok := tt.chore.Tidy(tt.reply)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s: %q %v, want %q", name, got, ok, tt.want)
		}
	}
}
