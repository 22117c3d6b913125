package chore

import (
	"strings"
	"testing"

	"loci/internal/chore/choretest"
)

func TestShortAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		chore Chore
		want  string
	}{
		"title":              {Chore{Kind: Title, Key: "title", Talk: choretest.Talk}, `{"title":"Remove every *.tmp file in ~/work"}`},
		"bare title":         {Chore{Kind: Title, Talk: choretest.Talk}, `Remove every *.tmp file in ~/work`},
		"title, cut":         {Chore{Kind: Title, Talk: "USER: **What** is the fastest way, if any, to go there?"}, `What is the fastest way, if`},
		"title, Markdown":    {Chore{Kind: Title, Talk: "user:\n\n## Plan:\n- one\nassistant: ok"}, `Plan`},
		"title, mark at end": {Chore{Kind: Title, Talk: "User: what is that?\nAI: a cat"}, `What is that`},
		"title, long word":   {Chore{Kind: Title, Talk: "user: " + strings.Repeat("a", 80)}, "A" + strings.Repeat("a", 49)},
		"title, Chinese":     {Chore{Kind: Title, Talk: "USER: 请告诉我今天北京的天气怎么样以及明天会不会下雨\nASSISTANT: 晴"}, "请告诉我今天北京的天气怎么样以及"},
		"title, Czech":       {Chore{Kind: Title, Talk: "USER: čím to je?"}, "Čím to je"},
		"title, no roles":    {Chore{Kind: Title, Talk: "hello there"}, "Hello there"},
		"tags":               {Chore{Kind: Tags, Key: "tags", List: true, Talk: choretest.Talk}, `{"tags":["General"]}`},
		"tags, Czech":        {Chore{Kind: Tags, Key: "tags", List: true, Talk: "USER: Smaž všechny dočasné soubory ve složce, prosím.\nASSISTANT: Done."}, `{"tags":["Obecné"]}`},
		"follow-ups":         {Chore{Kind: FollowUps, Key: "follow_ups", List: true}, `{"follow_ups":[]}`},
		"queries":            {Chore{Kind: Queries, Key: "queries", List: true, Talk: "USER: a\nASSISTANT: b\nUSER: who is\n  \"c\"?"}, `{"queries":["who is \"c\"?"]}`},
		"no queries":         {Chore{Kind: Queries, Key: "queries", List: true}, `{"queries":[]}`},
		"completion":         {Chore{Kind: Autocomplete, Key: "text", Talk: choretest.Talk}, `{"text":""}`},
		"emoji":              {Chore{Kind: Emoji}, `🙂`},
	} {
		if got, ok := tt.chore.Short(); got != tt.want || !ok {
			t.Errorf("%s: %s %v, want %s", name, got, ok, tt.want)
		}
	}
	for name, c := range map[string]Chore{
		"a title of nothing":       {Kind: Title, Key: "title"},
		"a bare title of nothing":  {Kind: Title},
		"a title of marks":         {Kind: Title, Talk: "User: ...\nAI: what?"},
		"a title where none asked": {Kind: Title, Talk: "Assistant: hello"},
		"bare questions":           {Kind: FollowUps},
		"bare queries of nothing":  {Kind: Queries},
	} {
		if got, ok := c.Short(); ok {
			t.Errorf("%s is answered without a model: %q", name, got)
		}
	}
	for _, kind := range []Kind{Image, Merge, Other} {
		if got, ok := (Chore{Kind: kind, Talk: choretest.Talk}).Short(); ok {
			t.Errorf("%s is answered without a model: %s", kind, got)
		}
	}
}
