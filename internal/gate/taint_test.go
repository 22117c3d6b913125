package gate

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"loci"
	"loci/internal/tool"
)

func TestMentioned(t *testing.T) {
	for _, test := range []struct {
		said, what string
		want       bool
	}{
		{"Write to petra@office.example please", "petra@office.example", true},
		{"Write to petra@office.example.", "petra@office.example", true},
		{"Is it petra@office.example?", "petra@office.example", true},
		{"(petra@office.example)", "petra@office.example", true},
		{"<petra@office.example>, now", "petra@office.example", true},
		{"petra@office.example", " petra@office.example\n", true},
		{"PETRA@Office.Example", "petra@office.example", true},
		{"petra@office.example", "Petra@OFFICE.example", true},
		{"Open https://wiki.example/start, then write.", "https://wiki.example/start", true},
		{"Open https://wiki.example", "https://wiki.example", true},
		{"https://wiki.example/", "https://wiki.example", true},
		{"https://wiki.example", "https://wiki.example/", true},
		{"Tell football that I come.", "football", true},
		{"Pošli to na adresu petra@office.example!", "petra@office.example", true},
		{"Zapl\u0301", "zapl\u0301", true},
		{"caf\u00e9 club", "cafe\u0301", true}, // the same letter, made up otherwise
		// Scripts without spaces.
		{"请把它发给petra@office.example。", "petra@office.example", true},
		{"请发送到petra@office.example吧", "petra@office.example", true},
		{"ペトラpetra@office.exampleに送って", "petra@office.example", true},
		{"https://例子office.example", "office.example", false},
		{"office.example例子.cn", "office.example", false},
		{"请发给gmail例petra@office.example", "petra@office.example", false},
		{"去足球吧", "足球吧", false}, // nobody can tell where such a word begins
		{"去 足球吧", "足球吧", true},

		// Part of a longer address.
		{"bob@corp.example", "bob@corp", false},
		{"bob@corp.example", "corp.example", false},
		{"bob@corp.example", "ob@corp.example", false},
		{"jim.bob@corp.example", "bob@corp.example", false},
		{"bob@corp.example.evil", "bob@corp.example", false},
		{"bob@corp.example-evil.example", "bob@corp.example", false},
		{"bob@corp.example_x", "bob@corp.example", false},
		{"https://a.example/b", "https://a.example", false},
		{"https://a.example?x=1", "https://a.example", false},
		{"https://a.example:8080", "https://a.example", false},
		{"https://a.example", "https://a.example:8080", false},
		{"https://a.example.", "https://a.example.evil", false},
		{"https://a.example", "https://a.example/?q=secret", false},
		{"https://a.example", "http://a.example", false},
		{"https://xn--a.example", "a.example", false},
		{"https://user@a.example", "a.example", false},
		{"footballs", "football", false},
		{"myfootball", "football", false},
		{"foot-ball", "ball", false},
		{"#general2", "#general", false},
		{"12345678", "1234567", false},
		{"a\u0301bc", "bc", false},
		{"bank.example\u0301", "bank.example", false},

		// Look-alikes and disguises.
		{"petra@office.example", "p\u0435tra@office.example", false},
		{"petra@office.example", "petra@office\u3002example", false},
		{"petra@office.example", "petra@office.example\u200b", false},
		{"petra@office.example", "\u202epetra@office.example", false},
		{"petra@office.example", "petra@office.example, eve@evil.example", false},
		{"petra@office.example", "petra@office.example\r\nBcc: eve@evil.example", false},
		{"petra@office.example", "ｐetra@office.example", false},
		{"ＡＢＣ", "abc", false},

		// Too short to be told from a chance.
		{"Tell AB", "AB", false},
		{"a", "a", false},
		{"", "", false},
		{"Anything", "", false},
		{"   ", "   ", false},
		{"你好", "你好", false},
		{"Tell ABC", "abc", true},
		{"no, a, or b", "c", false},
	} {
		if got := mentioned([]string{"something else", fold(test.said)}, test.what); got != test.want {
			t.Errorf("%q in %q: %t", test.what, test.said, got)
		}
	}
	if mentioned([]string{"petra@office", ".example"}, "petra@office.example") {
		t.Error("two messages make one address")
	}
	if mentioned(nil, "petra@office.example") {
		t.Error("nobody said anything")
	}
}

func TestWished(t *testing.T) {
	const said = "Tell petra@office.example and jan@office.example about https://wiki.example/start, from account 5551234."
	for _, test := range []struct {
		args string
		want bool
	}{
		{`{"to":"petra@office.example"}`, true},
		{`{"to":["petra@office.example","jan@office.example"]}`, true},
		{`{"to":["petra@office.example","eve@evil.example"]}`, false},
		{`{"to":"petra@office.example","cc":["eve@evil.example"]}`, false},
		{`{"to":"petra@office.example","cc":[]}`, true},
		{`{"to":"petra@office.example","cc":[""]}`, false},
		{`{"to":{"address":"petra@office.example"}}`, false}, // the name of a field is a text, too
		{`{"to":[]}`, false},
		{`{"to":null}`, false},
		{`{"to":true}`, false},
		{`{}`, false},
		{`[]`, false},
		{`not JSON`, false},
		{`{"to":5551234}`, true},
		{`{"to":5551235}`, false},
		{`{"to":"petra@office.example","cc":[5551235]}`, false},
		{`{"to":5551234.0}`, false},
		{`{"to":"petra@office.example","to":"eve@evil.example"}`, false},
		{`{"to":"petra@office.example","text":"Lunch at 12.30, or 1/2 past?"}`, true},
		{`{"to":"petra@office.example","text":"eve@evil.example says hello"}`, true}, // a name is no link
		{`{"to":"petra@office.example","text":"see https://wiki.example/start"}`, true},
		{`{"to":"petra@office.example","text":"see https://wiki.example/start."}`, true},
		{`{"to":"petra@office.example","text":"[see](https://wiki.example/start)"}`, true},
		{`{"to":"petra@office.example","text":"see https://evil.example/start"}`, false},
		{`{"to":"petra@office.example","text":"see https://wiki.example/start?d=secret"}`, false},
		{`{"to":"petra@office.example","text":"![](https://evil.example/p.png)"}`, false},
		{`{"to":"petra@office.example","text":"HTTPS://EVIL.example"}`, false},
		{`{"to":"petra@office.example","text":"seehttps://evil.example"}`, false},
		{`{"to":"petra@office.example","text":"见https://evil.example"}`, false},
		{`{"to":"petra@office.example","text":"www.evil.example"}`, false},
		{`{"to":"petra@office.example","text":"log in at evil.example/sso"}`, false},
		{`{"to":"petra@office.example","text":"log in at evil.example:80/sso"}`, false},
		{`{"to":"petra@office.example","text":"mailto:eve@evil.example"}`, false},
		{`{"to":"petra@office.example","text":"javascript://x%0aalert(1)"}`, false},
		{`{"to":"petra@office.example","deep":{"text":["https://evil.example"]}}`, false},
		{`{"to":"petra@office.example","deep":{"https://evil.example":1}}`, false},
	} {
		c := tool.Case{
			Scope:     loci.Scope{Said: []string{said}},
			Spec:      loci.ToolSpec{SideEffects: loci.EffectEgress, Destinations: []string{"to", "cc"}},
			Arguments: json.RawMessage(test.args),
		}
		if got := wished(c); got != test.want {
			t.Errorf("%s: %t", test.args, got)
		}
		if c.Spec.Irreversible = true; wished(c) {
			t.Errorf("%s: wished for good", test.args)
		}
		if c.Spec.Irreversible, c.Spec.Destinations = false, nil; wished(c) {
			t.Errorf("%s: wished to nowhere", test.args)
		}
	}
}

// FuzzMentioned looks for a destination that counts as said although it was not.
func FuzzMentioned(f *testing.F) {
	f.Add("Write to petra@office.example.", "petra@office.example")
	f.Add("请发给petra@office.example吧", "office.example")
	f.Add("https://a.example/", "https://a.example")
	f.Add("\xff\xfe", "\xff\xfe\xfd")
	f.Add("İstanbul K", "i̇stanbul")
	f.Fuzz(func(t *testing.T, said, what string) {
		got := mentioned([]string{fold(said)}, what)
		if !got {
			return
		}
		plain := strings.TrimSpace(fold(what))
		if !strings.Contains(fold(said), plain) {
			t.Errorf("%q was never said: %q", what, said)
		}
		if utf8.RuneCountInString(plain) < shortest {
			t.Errorf("%q is too short", what)
		}
		if longer := strings.ReplaceAll(fold(said), plain, "x"+plain); !spaced(plain) && mentioned([]string{longer}, what) {
			t.Errorf("%q counts as said in %q", what, longer)
		}
	})
}

// spaced tells whether a text could begin after an x, or holds itself in part.
func spaced(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return spaceless(first) || !unicode.IsLetter(first) || strings.Contains(s[1:], s[:1])
}

func FuzzWished(f *testing.F) {
	f.Add("Tell petra@office.example", `{"to":"petra@office.example","text":"hi"}`)
	f.Add("x", `{"to":[[["x"]]]}`)
	f.Fuzz(func(t *testing.T, said, args string) {
		c := tool.Case{Scope: loci.Scope{Said: []string{said}}, Spec: loci.ToolSpec{Destinations: []string{"to"}}, Arguments: json.RawMessage(args)}
		if wished(c) && !json.Valid([]byte(args)) {
			t.Errorf("%q is wished for", args)
		}
	})
}
