package intent_test

import (
	"strings"
	"testing"

	"loci"
)

// TestFixedWords never run a tool, and are in the language of the person.
func TestFixedWords(t *testing.T) {
	p := newPerson(t, files)
	for text, want := range map[string]string{
		"hello": "Hello!", "Hello!": "Hello!", "Hey loci": "Hello!", "thanks": "You are welcome!", "ok": "All right.", "你好": "您好！", "谢谢": "不客气！", "Ahoj": "Dobrý den!", "Děkuji": "Není zač!",
		"hi, who are you?": "I am loci,", "what is my name?": "I do not know your name.", "Jak se jmenuji?": "Vaše jméno neznám.", "我是谁？": "我不知道您的名字。",
		"What's in the news today?": "I cannot tell news", "run setup.sh": "I cannot do that", "draw me a cat": "I cannot make or look at pictures", "smaž soubor a.txt": "Tady neumím měnit", "播放音乐": "我不能挑选", "připomeň mi schůzku": "Neumím připomínat",
	} {
		if m := p.asks(text); len(p.calls) > 0 || !strings.HasPrefix(m.Say, want) {
			t.Errorf("%q ran %v and gave %+v, want %q", text, p.calls, m, want)
		}
	}
	p.history = []loci.Message{{Role: loci.User, Content: "Hi, my name is Anna."}}
	if m := p.asks("what's my name?"); m.Say != "You are Anna." {
		t.Errorf("%+v", m)
	}
}

// TestFollowUps goes on from what was shown.
func TestFollowUps(t *testing.T) {
	for _, tc := range []struct{ before, text, want string }{
		{"What does notes.md say?", "how many lines does it have?", "notes.md has 2 lines."},
		{"What does notes.md say?", `and "shopping list.txt"?`, "shopping list.txt:\neggs and flour"},
		{"How many lines does notes.md have?", "and app.log?", "app.log has 4 lines."},
		{"notes.md 里写了什么？", "它有多少行？", "notes.md 共有 2 行。"},
		{"12 * 3", "minus 6", "36 - 6 = 30"},
		{"2 - 5", "times 2", "(-3) * 2 = -6"},
		{"list the files", "how many lines does it have?", ""}, // none of several
		{"What does notes.md say?", "What time is it?", "It is 12:00."},
		{"What does notes.md say?", "Is it Friday already?", "Today is Monday"},
		{"What does notes.md say?", "I like it", ""},
		{"What does notes.md say?", "again", "notes.md:\nBuy milk."},
		{"hello", "again", "Hello!"},
		{"delete notes.md", "undo that", "I cannot undo"},
		{"hello", "next page", ""},
		{"hello", "-5", ""},
	} {
		p := newPerson(t, files)
		p.asks(tc.before)
		m := p.asks(tc.text)
		if !strings.HasPrefix(m.Say, tc.want) || strings.HasPrefix(m.Say, " ") {
			t.Errorf("%q after %q: said %q after %v, want %q", tc.text, tc.before, m.Say, p.calls, tc.want)
		}
	}
}

// TestPlainTalkStays is talk that has words of the rules in it.
func TestPlainTalkStays(t *testing.T) {
	p := newPerson(t, files)
	for _, text := range []string{
		"Make a list of fruits", "create a story about a dragon", "write a text about rivers", "change the subject", "remove all doubt", "open your heart",
		"play chess with me", "call me Ishmael", "how many people live in Prague", "how many files fit on a CD?", "what is the biggest animal?", "find happiness", "find a rhyme for orange",
		"when was Napoleon born", "how long does it take to boil an egg", "first lines of Hamlet", "compare cats and dogs", "translate hello to German", "What is the report of the UN?",
		"Where is the letter of intent used?", "How old are you?", "what causes weather?", "my computer is my best friend", "What does the letter A sound like?", "Co je v novinách?",
	} {
		if m := p.asks(text); len(p.calls) > 0 || m.Talk == nil {
			t.Errorf("%q ran %v and gave %+v", text, p.calls, m)
		}
	}
}

// TestWhatIsNoPath gives what is wrong with it in words for people.
func TestWhatIsNoPath(t *testing.T) {
	p := newPerson(t, files)
	for text, want := range map[string]string{
		"show me my diary":           "I find no file that is named like your diary.",
		"What is in /etc?":           "is not in a folder that is allowed",
		"show me deep/nothing/there": "There is no file or folder",
		"what folders do I have?":    "deep/, logs/, one/, two/",
		"which folder am I in?":      "I may look into: " + p.dir,
		"how big is notes.md?":       "notes.md: 20 bytes, last changed 2026-11-30 11:00.",
	} {
		if m := p.asks(text); !strings.Contains(m.Say, want) || strings.Contains(m.Say, "list_dir") || strings.Contains(m.Say, "the person") {
			t.Errorf("%q: said %q, want %q in it", text, m.Say, want)
		}
	}
}
