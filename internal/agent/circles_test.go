package agent

import (
	"fmt"
	"strings"
	"testing"

	"loci/internal/text"
)

func TestCirclesOf(t *testing.T) {
	for text, want := range map[string]bool{
		"":                    false,
		"I am well.":          false,
		"Ha ha ha ha!":        false,
		"No. No. Really, no.": false,
		"la femme, la femme, la femme, la femme, la femme":                  true,
		"It is 100/100/100/100/100/100/100/100":                             true,
		"```\n```\n```\n```\n```\n```\n```\n":                               true,
		"| a | b |\n|---|---|\n" + strings.Repeat("-", 60):                  false,
		"Here is the list:\n" + strings.Repeat("=", 70):                     false,
		"1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12":                             false,
		"I can help with that today. And I can help with that today.":       false, // one is longer than the other
		"I can help with that, my friend. I can help with that, my friend.": true,
	} {
		if got := circles(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What any model may well say stays; what comes to no end is found, and from where on.
func TestOverAndOver(t *testing.T) {
	paragraph := "The answer is that the file has two parts. The first is the head, and the second is the body, which has three lines.\n\n"
	rows := ""
	for i := range 400 {
		rows += fmt.Sprintf("| %d | 0 | 0 | 0 |\n", i)
	}
	for name, tt := range map[string]struct {
		text string
		from int // -1: it may go on
	}{
		"nothing":                {"", -1},
		"prose":                  {strings.Repeat("x", 10) + paragraph, -1},
		"a table":                {rows, -1},
		"forty equal rows":       {strings.Repeat("| 0 | 0 | 0 | 0 | 0 | 0 | 0 |\n", 40), -1},
		"a line in a file":       {strings.Repeat("=", 1000), -1},
		"four equal paragraphs":  {strings.Repeat(paragraph, 4), -1},
		"a word over and over":   {"Well, " + strings.Repeat("yes ", 500), len("Well,") + 8 /* with the blank before */},
		"a letter over and over": {"A" + strings.Repeat("h", 2000), 1 + 2},
		"a paragraph":            {"Here: " + strings.Repeat(paragraph, 15), len("Here: ") + 2*len(paragraph)},
		"blanks":                 {"{" + strings.Repeat("\n", 3000), 1 + 2},
		"in Chinese":             {"好的。" + strings.Repeat("我不知道。", 120), len("好的") + 2*len("我不知道。")},
		"it came out of it":      {strings.Repeat("yes ", 500) + "No, wait: the other one.", -1},
	} {
		from, again := overAndOver(tt.text)
		if again != (tt.from >= 0) || again && from != tt.from {
			t.Errorf("%s: %v from %d on, want %d", name, again, from, tt.from)
		}
	}
}

func BenchmarkLeash(b *testing.B) {
	l := leash{weigh: text.Tokens, most: 1 << 30}
	all := strings.Repeat("It says that line 12 of the file is not as long as it was. ", 10)
	for i := range 3000 {
		all += fmt.Sprintf("And line %d is another one. ", i)
	}
	for b.Loop() {
		l.looked, l.tokens = [2]int{}, 0
		for i := 0; i < len(all); i += 4 { // a token
			if l.tears(inText, all[:i]) != nil {
				b.Fatal("it is no runaway")
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)/4), "ns/token")
}
