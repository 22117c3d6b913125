package phrase

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// bookOf makes a book of one family with one kind.
func bookOf(t testing.TB, text string) (*Book, error) {
	t.Helper()
	folder := fstest.MapFS{"home.txt": {Data: []byte("## kind\n" + text)}, "words.txt": {Data: []byte("<word> = `\\S+`\n<thing> = shared\n")}}
	return Read(folder, map[string]string{"given": `\d+`})
}

// compiled gives the expression of the only phrase of a text.
func compiled(t testing.TB, text string) *regexp.Regexp {
	t.Helper()
	b, err := bookOf(t, text)
	if err != nil {
		t.Fatal(err)
	}
	expr, err := b.Kind("home/kind").Phrases[0].Expr()
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(expr)
}

func TestTemplates(t *testing.T) {
	for _, tc := range []struct {
		template string
		reads    []string
		leaves   []string
	}{
		{"find the file", []string{"find the file"}, []string{"find the files", "find  the file", "please find the file"}},
		{"(find|look for) it", []string{"find it", "look for it"}, []string{"it", "find look for it"}},
		{"[please] find [the] file", []string{"find file", "please find the file"}, []string{" find file", "findfile", "find the"}},
		{"find [the] [old]", []string{"find", "find the", "find old", "find the old"}, []string{"find ", "find old the"}},
		{"[the] [old]", []string{"the", "old", "the old"}, []string{"", " ", "the ", " old"}},
		{"find [the|my]* file", []string{"find file", "find the my the file"}, []string{"find thefile"}},
		{"[the|my]* file", []string{"file", "the my file"}, []string{"my"}},
		{"find (the|my)+ file", []string{"find the file", "find my my file"}, []string{"find file", "find mymy file"}},
		{"(very)+ old", []string{"very old", "very very old"}, []string{"old", "veryvery old"}},
		{"请[帮我](看|查)[一下]", []string{"请看", "请帮我查一下"}, []string{"请", "请 看"}},
		{"(我|的)+书", []string{"我书", "我的书"}, []string{"书", "我 的书"}},
		{"file[s]", []string{"file", "files"}, []string{"file s"}},
		{"file[,] and", []string{"file and", "file, and"}, []string{"file , and"}},
		{"find [here][,] that", []string{"find that", "find here, that", "find, that"}, []string{"find , that"}},
		{"find [the old_]name", []string{"find name", "find the old name", "find the oldname"}, []string{"findname"}},
		{"what('s| is) it", []string{"what's it", "what is it"}, []string{"whatis it", "what 's it"}},
		{"in ('s| is)", []string{"in 's", "in is"}, []string{"in  is"}},
		{"time_zone", []string{"time zone", "timezone"}, nil},
		{"rain~ here", []string{"rain here", "raining here", "rainč here"}, []string{"rain5 here"}},
		{"will ... rain", []string{"will rain", "will it rain"}, []string{"willrain", "will brain", "will it rain now"}},
		{"... rain ...", []string{"rain", "will it rain today", "rain, please"}, []string{"brain", "rainy", "prainč"}},
		{"...雨...", []string{"雨", "今天下雨吗"}, nil},
		{"给...信", []string{"给小王写信", "给信"}, nil},
		{"(is ... here|there) now", []string{"is it here now", "there now"}, []string{"is now"}},
		{"`\\d{2}` euros", []string{"12 euros"}, []string{"1 euros"}},
		{"a.b? \\(c\\) \\_", []string{"a.b? (c) _"}, []string{"aab? (c) _"}},
		{"find <thing>\n<thing> = mine | (yours|its) own", []string{"find mine", "find its own"}, []string{"find shared"}},
		{"find <given> <word>", []string{"find 12 x"}, []string{"find x x"}},
		{"find\n    (it\n    |them)", []string{"find it", "find them"}, nil},
	} {
		re := compiled(t, "en: "+tc.template)
		for _, s := range tc.reads {
			if !re.MatchString(s) {
				t.Errorf("%s does not read %q: %s", tc.template, s, re)
			}
		}
		for _, s := range tc.leaves {
			if re.MatchString(s) {
				t.Errorf("%s reads %q: %s", tc.template, s, re)
			}
		}
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	b, err := bookOf(t, "en: find <thing>\n\nen: take <thing>")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, p := range b.Kind("home/kind").Phrases {
		wg.Go(func() {
			if expr, err := p.Expr(); err != nil || !strings.Contains(expr, "shared") {
				t.Errorf("%q, %v", expr, err)
			}
		})
	}
	wg.Wait()
}

func TestSlots(t *testing.T) {
	re := compiled(t, "en: put {file:<word>} [in {where:here|there}] -> move {file} to {where}\n  + put it in here => move it to here")
	m := re.FindStringSubmatch("put a.txt in there")
	if m == nil || m[re.SubexpIndex("file")] != "a.txt" || m[re.SubexpIndex("where")] != "there" {
		t.Errorf("%s gives %q", re, m)
	}
	re = compiled(t, "en: take {word}")
	if m := re.FindStringSubmatch("take it"); m == nil || m[re.SubexpIndex("word")] != "it" {
		t.Errorf("%s gives %q", re, m)
	}
}

func TestGap(t *testing.T) {
	re := compiled(t, "en: ... find ...6 {word}")
	for says, want := range map[string]string{
		"find it": "it", "so find a b": "b", "find all of it": "it", "find every one of it": "", "finds it": "",
	} {
		got := ""
		if m := re.FindStringSubmatch(says); m != nil {
			got = m[re.SubexpIndex("word")]
		}
		if got != want {
			t.Errorf("%s finds %q in %q, not %q", re, got, says, want)
		}
	}
	if re := compiled(t, "zh: ...把...2放"); !re.MatchString("请把它放") || re.MatchString("把它们都放") {
		t.Errorf("%s counts wrongly", re)
	}
}

func TestOnlyWith(t *testing.T) {
	b, err := bookOf(t, "only with: loud | <word list> |\n  of it | <given>\nen: louder\n<word list> = soft | low")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(b.Kind("home/kind").Only(), ","); got != `loud,soft,low,of it,\d+` {
		t.Errorf("only with %s", got)
	}
}

func TestReplacement(t *testing.T) {
	for _, tc := range []struct{ phrase, says, becomes string }{
		{"en: gimme ... -> give me ...", "gimme the file", "give me the file"},
		{"en: gimme ... -> give me ...", "gimmer the file", "gimmer the file"},
		{"en: put {it:<word>} away -> delete {it}", "put a.txt away", "delete a.txt"},
		{"en: (please|now)+ ... -> ...", "now please find it", " find it"},
	} {
		b, err := bookOf(t, tc.phrase)
		if err != nil {
			t.Fatal(err)
		}
		p := b.Kind("home/kind").Phrases[0]
		if got := compiled(t, tc.phrase).ReplaceAllString(tc.says, p.Replacement()); got != tc.becomes {
			t.Errorf("%s makes %q of %q, not %q", tc.phrase, got, tc.says, tc.becomes)
		}
	}
}

func TestRead(t *testing.T) {
	b, err := bookOf(t, "# What it is\n# about.\nen: find {word}\n    again\n  + find it again => word=it; other=a = b\n  - find it\n\nzh: 找\n")
	if err != nil {
		t.Fatal(err)
	}
	k := b.Kind("home/kind")
	if k == nil || k.About != "What it is about." || len(k.Phrases) != 2 || b.Kind("kind") != nil {
		t.Fatalf("the kind is %+v", k)
	}
	p := k.Phrases[0]
	all, err := p.Reads()
	if err != nil || p.Lang != "en" || p.Template != "find {word} again" || p.Where() != "home.txt:4" || len(all) != 1 || len(p.Leaves) != 1 {
		t.Fatalf("the phrase is %+v, %v", p, err)
	}
	if e := all[0]; e.Says != "find it again" || e.Slots["word"] != "it" || e.Slots["other"] != "a = b" {
		t.Errorf("the example is %+v", e)
	}
	if lists := b.Lists(); strings.Join(lists, " ") != "words/thing words/word" {
		t.Errorf("the lists are %q", lists)
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"fr: trouve":                           "home.txt:2: a phrase begins with one of en, zh, cs, any",
		"en: find\n  + find => x":              "home.txt:2: a slot of an example",
		"en: find\n  + find\n    it":           "home.txt:4: a phrase goes on behind its examples",
		"  + find":                             "home.txt:2: nothing above it",
		"## kind":                              "home.txt:2: there are two kinds",
		"<a> = b\n<a> = c":                     "home.txt:3: there are two lists home/a",
		"<a>: b":                               "home.txt:2: a list is written",
		"en: find (it":                         "has no )",
		"en: find it)":                         "a bracket too many",
		"en: find <it":                         "has no >",
		"en: find <it>":                        "there is no list <it>",
		"en: find `it":                         "has no other",
		"en: find {it":                         "has no }",
		"en: find {It:x}":                      "of small letters",
		"en: find (|it)":                       "nothing stands before",
		"en: find >":                           "stands for itself only behind a stroke",
		"en: find \\":                          "stands before nothing",
		"en: find ...5000 it":                  "a gap has up to 1000",
		"only with: a\nonly with: b":           "its second one",
		"en: find <a>\n<a> = x <b>\n<b> = <a>": "a list is in itself",
		"en: " + strings.Repeat("(", 50):       "deep",
	} {
		b, err := bookOf(t, text)
		if err == nil {
			_, err = b.Kind("home/kind").Phrases[0].Expr()
		}
		if err == nil {
			_, err = b.Kind("home/kind").Phrases[0].Reads()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzExpr has whatever can be read make an expression that can be compiled, but for
// those that are written in the phrase.
func FuzzExpr(f *testing.F) {
	for _, s := range []string{"find [the|my]* {word} in (a|b)+ ...", "... x [[a] [b]] ~_\\( <word>", "请[看]...", "[a|[b]*]* c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, template string) {
		if strings.ContainsAny(template, "\n\r`") || len(template) > 200 {
			return
		}
		b, err := bookOf(t, "en: "+template)
		if err != nil {
			return
		}
		expr, err := b.Kind("home/kind").Phrases[0].Expr()
		if err != nil {
			return
		}
		if _, err := regexp.Compile(expr); err != nil {
			t.Errorf("%q makes %q: %v", template, expr, err)
		}
	})
}
