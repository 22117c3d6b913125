package jsonrepair_test

import (
	"errors"
	"strings"
	"testing"

	"loci/internal/jsonrepair"
)

// sort is the sort of repair that a case needs.
type sort string

const (
	spelling sort = "spelling" // one reading
	doubt    sort = "doubt"    // a choice between readings
	cut      sort = "cut"      // the end was missing
)

func sortOf(how jsonrepair.Report) sort {
	switch {
	case how.Cut:
		return cut
	case how.Doubt != "":
		return doubt
	}
	return spelling
}

func TestRepair(t *testing.T) {
	for _, tc := range []struct {
		name      string
		sort      sort
		src, want string
	}{
		{"valid", spelling, ` {"a": [1, "é"]} `, ` {"a": [1, "é"]} `},
		{"trailing comma", spelling, `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"leading comma", doubt, `[,1]`, `[1]`},
		{"missing commas", spelling, "{\"a\":1\n\"b\":[{}{}]}", `{"a":1,"b":[{},{}]}`},
		{"missing comma in a list", doubt, `["a" "b"]`, `["a","b"]`},
		{"missing colon", spelling, `{"a" "b"}`, `{"a":"b"}`},
		{"comments", spelling, "/* a */ {\"b\": 1, // c\n \"d\": 2 # e\n}", `{"b":1,"d":2}`},
		{"colour", spelling, `{"colour": #fff}`, `{"colour":"#fff"}`},
		{"comment that never ends", cut, `{"a":1 /* }`, `{"a":1}`},

		{"single quotes", spelling, `{'a': 'it's "b"'}`, `{"a":"it's \"b\""}`},
		{"curly quotes", spelling, `{“a”: ‘b’, „c“: 「d」}`, `{"a":"b","c":"d"}`},
		{"fullwidth separators", spelling, `{"a"：“b，c”，"d"：[1，2、"e：f"]，g：h}`, `{"a":"b，c","d":[1,2,"e：f"],"g":"h"}`},
		{"fullwidth commas in words", spelling, `{a: 好，吗, b: 1}`, `{"a":"好，吗","b":1}`},
		{"curly quotes in a text", spelling, `{'a': 'say “b” now'}`, `{"a":"say “b” now"}`},
		{"backticks", spelling, "{`a`: `b´}", `{"a":"b"}`},
		{"triple quotes", spelling, `{"a": """say "b", 'c'""", 'd': ''''''}`, `{"a":"say \"b\", 'c'","d":""}`},
		{"quotes of CSV", spelling, `{""a"":""b"",""c"":''d''}`, `{"a":"b","c":"d"}`},
		{"doubled quotes of a value alone", doubt, `{"a":""b""}`, `{"a":"b"}`},
		{"token of Gemma", spelling, `{a:<|"|>C:\b "c"<|"|>}`, `{"a":"C:\\b \"c\""}`},
		{"names without quotes", spelling, `{a: 1, b-c: 2, $d: 3, ключ: 4, 5: 6}`, `{"a":1,"b-c":2,"$d":3,"ключ":4,"5":6}`},
		{"words", spelling, "[a b, /c/d.md, https://e.f/?g=h, 2026-11-30T10:00:00Z]", `["a b","/c/d.md","https://e.f/?g=h","2026-11-30T10:00:00Z"]`},
		{"globs are no comments", spelling, `{path: src/*.go, other: src/**/*.md}`, `{"path":"src/*.go","other":"src/**/*.md"}`},
		{"lines", spelling, "{a: hello world\nb: c}", `{"a":"hello world","b":"c"}`},
		{"sentence", doubt, `{a: Well, that is it., b: c}`, `{"a":"Well, that is it.","b":"c"}`},
		{"opening quote lost", spelling, `{"a":b","c":"d"}`, `{"a":"b","c":"d"}`},
		{"opening quote of a name lost", spelling, `{a":"b"}`, `{"a":"b"}`},
		{"closing quote of a name lost", spelling, `{"a: "b", "c:"d"}`, `{"a":"b","c":"d"}`},
		{"closing quote lost", doubt, `{"a":"b,"c":"d"}`, `{"a":"b","c":"d"}`},
		{"closing quotes lost at ends of lines", doubt, "{\"a\":\"b\n\"c\":\"d\"}", `{"a":"b","c":"d"}`},

		{"line breaks", spelling, "{\"a\":\"b\r\n\tc\"}", `{"a":"b\r\n\tc"}`},
		{"control characters", spelling, "[\"a\x01\x1b\"]", `["a\u0001\u001b"]`},
		{"inner quotes", spelling, `{"a":"say "b" and "c"."}`, `{"a":"say \"b\" and \"c\"."}`},
		{"inner quotes before a comma", spelling, `{"a":"say "b", he said","c":1}`, `{"a":"say \"b\", he said","c":1}`},
		{"inner quotes at both ends", spelling, `{"a":""b" and "c""}`, `{"a":"\"b\" and \"c\""}`},
		{"mark-up", spelling, `{"a":"<p class="b">c</p>"}`, `{"a":"<p class=\"b\">c</p>"}`},
		{"JSON in a text", spelling, `{"a":"[{"b": "c"}, {"d": []}]","e":1}`, `{"a":"[{\"b\": \"c\"}, {\"d\": []}]","e":1}`},
		{"inches", doubt, `{"a":"24" wide"}`, `{"a":"24\" wide"}`},
		{"bracket in quotes in a text", doubt, `{"a":"if (b == "}") { c }","d":1}`, `{"a":"if (b == "}`},
		{"structure in a text", doubt, `{"a":["b"], ["c"], "d":1}`, `{"a":["b\"], [\"c"],"d":1}`},
		{"legal escapes", spelling, `['\u00e9\n\"\\']`, `["\u00e9\n\"\\"]`},
		{"illegal escapes", spelling, `["\d+\'\x41\u12"]`, `["\\d+'\\x41\\u12"]`},
		{"line that goes on", spelling, "['a\\\nb']", `["a\nb"]`},

		{"Windows path", spelling, `{"a":"C:\Users\new"}`, `{"a":"C:\\Users\\new"}`},
		{"Windows path that is valid", spelling, `{"a":"C:\new\table"}`, `{"a":"C:\\new\\table"}`},
		{"Windows path, one level", spelling, `["C:\temp","D:\bin","E:\new.txt"]`, `["C:\\temp","D:\\bin","E:\\new.txt"]`},
		{"Windows path, spaces", spelling, `["C:\Program Files\Git"]`, `["C:\\Program Files\\Git"]`},
		{"Windows path, spaces and legal escapes", spelling, `["C:\Users\me\new folder\test.txt"]`, `["C:\\Users\\me\\new folder\\test.txt"]`},
		{"sentence with a Windows path", doubt, `["C:\data is full\nPlease help"]`, `["C:\\data is full\nPlease help"]`},
		{"Windows folder", spelling, `{"a":"C:\data\","b":'D:\x\'}`, `{"a":"C:\\data\\","b":"D:\\x\\"}`},
		{"Windows share", spelling, `["\\nas\data\new"]`, `["\\\\nas\\data\\new"]`},
		{"good Windows path", spelling, `{'a':"C:\\new\\table"}`, `{"a":"C:\\new\\table"}`},
		{"question and answer", spelling, `{'a':"Q:\nWhy?\nA:\nSo."}`, `{"a":"Q:\nWhy?\nA:\nSo."}`},
		{"short answer", spelling, `["A:\nYes"]`, `["A:\nYes"]`},
		{"pattern", spelling, `{'a':"\\d+\n"}`, `{"a":"\\d+\n"}`},

		{"Python literals", spelling, `{'a': True, 'b': FALSE, 'c': None}`, `{"a":true,"b":false,"c":null}`},
		{"undefined", spelling, `[undefined]`, `[null]`},
		{"tuple", spelling, `{'a': (1, 2), 'b': (3,), 'c': (4), 'd': ()}`, `{"a":[1,2],"b":[3],"c": 4,"d":[]}`},
		{"set", spelling, `{{'a', 2}}`, `["a",2]`},
		{"numbers", spelling, `[+1, .5, -.5, 2., 1_000, 12345678901234567890]`, `[1,0.5,-0.5,2.0,1000,12345678901234567890]`},
		{"no numbers", spelling, `[007, 0x1F, 1/3, 1.2.3, 57eeeeb1-450b]`, `["007","0x1F","1/3","1.2.3","57eeeeb1-450b"]`},
		{"half numbers", doubt, `[2e, 3]`, `[2,3]`},
		{"not a number", doubt, `[NaN]`, `["NaN"]`},
		{"no value", doubt, `{"a":,"b":}`, `{"a":null,"b":null}`},
		{"left out", doubt, `[1, 2, ..., 9]`, `[1,2,9]`},
		{"added texts", spelling, `{"a": "b" + 'c' + "d"}`, `{"a":"bcd"}`},
		{"function", doubt, `{"a":ObjectId("b")}`, `{"a": "b"}`},
		{"callback", spelling, `callback({"a":1});`, `{"a":1}`},

		{"code block", spelling, "```json\n{'a':1}\n```", `{"a":1}`},
		{"code block in words", spelling, "Here's [the] JSON:\n\n```json\n{'a':1}\n```\nAnything else?", `{"a":1}`},
		{"code block in a text", spelling, "{'a':'```json\n{}\n```'}", "{\"a\":\"```json\\n{}\\n```\"}"},
		{"words around", spelling, `Here [as asked] it is: {'a':1}. Bye!`, `{"a":1}`},
		{"two values", doubt, `{"a":1}{"b":2}`, `[{"a":1},{"b":2}]`},
		{"lines of JSON", doubt, "{\"a\":1}\n{\"b\":2}\n", `[{"a":1},{"b":2}]`},
		{"JSON of a text", spelling, `{\"a\": \"b \\"c\\"\"}`, `{"a": "b \"c\""}`},
		{"byte order mark", spelling, "\uFEFF{'a':1}", `{"a":1}`},
		{"wide spaces", spelling, "{'a':\u00a0\u200b1}", `{"a":1}`},

		{"braces of a template", spelling, `{{"a":1}}`, `{"a":1}`},
		{"brackets left over", spelling, `{"a":1}}]}`, `{"a":1}`},
		{"bracket that came too early", doubt, `{"a":1}, "b": 2}`, `{"a":1,"b":2}`},
		{"closing bracket missing", doubt, `{"a":[1,2}`, `{"a":[1,2]}`},
		{"brace missing", doubt, `[{"a":1,{"b":2}]`, `[{"a":1},{"b":2}]`},
		{"braces missing in a list", doubt, `["a":1,"b":2]`, `[{"a":1,"b":2}]`},

		{"cut in a text", cut, `{"a":"b`, `{"a":"b"}`},
		{"cut in an escape", cut, `{"a":"b\u20`, `{"a":"b"}`},
		{"cut in a name", cut, `{"a":1,"b`, `{"a":1,"b":null}`},
		{"cut before a name", cut, `{"a":1,"`, `{"a":1}`},
		{"cut behind a colon", cut, `{"a":`, `{"a":null}`},
		{"cut before brackets", cut, `{"a":["b","c"`, `{"a":["b","c"]}`},
		{"cut before a bracket of the text", cut, `{"a":"f() { return 1; }`, `{"a":"f() { return 1;"}`},
		{"cut in a code block", cut, "```json\n{\"a\":1\n```", `{"a":1}`},
		{"closing quote and bracket missing", cut, `["a, b]`, `["a","b"]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, how, err := jsonrepair.Repair([]byte(tc.src))
			if err != nil || string(got) != tc.want || sortOf(how) != tc.sort {
				t.Errorf("got %s, %+v, %v; want %s and %s", got, how, err, tc.want, tc.sort)
			}
		})
	}
}

func TestReport(t *testing.T) {
	for _, tc := range []struct {
		src  string
		want jsonrepair.Report
	}{
		{`{"a":{"b":"c`, jsonrepair.Report{Cut: true, Field: "b"}},
		{`{"a":{"b":"c"}`, jsonrepair.Report{Cut: true}},
		{`{"a":[1,`, jsonrepair.Report{Cut: true, Field: "a"}},
		{`Well: {"a":1}`, jsonrepair.Report{Around: true}},
		{`{a: b}`, jsonrepair.Report{Bare: true}},
		{`{"a":["b" "c"]}`, jsonrepair.Report{Doubt: "a comma is missing before this", Near: `"c"]}`}},
	} {
		if _, got, err := jsonrepair.Repair([]byte(tc.src)); got != tc.want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", tc.src, got, err, tc.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		src  string
		want error
	}{
		{"", jsonrepair.ErrEmpty},
		{" // nothing\n", jsonrepair.ErrEmpty},
		{strings.Repeat("[", 100_000), jsonrepair.ErrDepth},
		{strings.Repeat(`{"a":`, 100_000), jsonrepair.ErrDepth},
		{strings.Repeat(`(`, 100_000), jsonrepair.ErrDepth},
		{strings.Repeat(`["a":`, 100_000), jsonrepair.ErrDepth},
	} {
		if got, _, err := jsonrepair.Repair([]byte(tc.src)); !errors.Is(err, tc.want) {
			t.Errorf("%.20q became %.40s, %v; want %v", tc.src, got, err, tc.want)
		}
	}
}

func TestValue(t *testing.T) {
	for _, tc := range []struct {
		src    string
		inCall bool
		want   string
		rest   string
	}{
		{`{'a': 1} and more`, false, `{"a":1}`, " and more"},
		{`{"a":1}{"b":2}`, false, `{"a":1}`, `{"b":2}`},
		{`'a, b', 2)`, true, `"a, b"`, ", 2)"},
		{`"say "a", then", b=2)`, true, `"say \"a\", then"`, ", b=2)"},
		{`"f("a")")`, true, `"f(\"a\")"`, ")"},
		{`12)`, true, `12`, ")"},
		{`[1, (2)])`, true, `[1, 2]`, ")"},
		{`True, x`, true, `true`, ", x"},
	} {
		got, n, how, err := jsonrepair.Value(tc.src, tc.inCall)
		if err != nil || string(got) != tc.want || tc.src[n:] != tc.rest || sortOf(how) != spelling {
			t.Errorf("%s: %s, rest %q, %+v, %v; want %s, rest %q", tc.src, got, tc.src[n:], how, err, tc.want, tc.rest)
		}
	}
}

// TestCutIsAlwaysSeen cuts calls in every place. No beginning of an object may
// pass for a whole one.
func TestCutIsAlwaysSeen(t *testing.T) {
	for _, src := range []string{
		`{"path":"report.md","content":"# Report\n\n## Part 1\nSome text: {\"a\": [1, 2]}, \"b\"."}`,
		`{"commands":["tar czf b.tgz data","rm -r data"],"force":true,"n":-12.5e+3,"o":{"p":[[],{}]}}`,
		`{'path': 'it's', count: True, // a comment
			"list": (1, 2), text: hello world, }`,
		"{\"content\":\"print(\"hello\", 'you')\nreturn [1, {\"a\": \"b\"}]\",\"path\":C:\\new\\table,}",
		"{“path”: ‘x’, \"u\": \"\\u00e9\" + \"\\ud83d\\ude00\", regex: /^a-z/, url: https://a.b/c}",
	} {
		for i := 1; i < len(src); i++ {
			got, how, err := jsonrepair.Repair([]byte(src[:i]))
			if err == nil && !how.Cut && how.Doubt == "" {
				t.Errorf("%q was taken for whole: %s", src[:i], got)
			}
		}
		if _, how, err := jsonrepair.Repair([]byte(src)); err != nil || how.Cut || how.Doubt != "" {
			t.Errorf("%q as a whole: %+v, %v", src, how, err)
		}
	}
}
