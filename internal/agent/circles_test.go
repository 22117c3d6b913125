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
		"la femme, la femme, la femme, la femme, la femme":                                                    true,
		"It is 100/100/100/100/100/100/100/100":                                                               true,
		"```\n```\n```\n```\n```\n```\n```\n":                                                                 true,
		"| a | b |\n|---|---|\n" + strings.Repeat("-", 60):                                                    false,
		"Here is the list:\n" + strings.Repeat("=", 70):                                                       false,
		"1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12":                                                               false,
		"Rain on the roof,\nrain on the sea.\n\nSun.\n\nRain on the roof,\nrain on the sea.\n\nMoon.\n\nWind": false,
		strings.Repeat("Rain on the roof,\nrain on the sea.\n\n", 3) + "Rain":                                 true,
		"I can help with that today. And I can help with that today.":                                         false, // one is longer than the other
		"I can help with that, my friend. I can help with that, my friend.":                                   true,
	} {
		if got := circles(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What any model may well say stays.
func TestOverAndOverIsLegitimate(t *testing.T) {
	paragraph := "The answer is that the file has two parts. The first is the head, and the second is the body, which has three lines.\n\n"
	rows := ""
	for i := range 400 {
		rows += fmt.Sprintf("| %d | 0 | 0 | 0 |\n", i)
	}
	board := strings.Repeat(". # . # . # . #\n# . # . # . # .\n", 40)
	for name, said := range map[string]string{
		"nothing":             "",
		"prose":               strings.Repeat("x", 10) + paragraph,
		"a table":             rows,
		"equal rows":          "| a | b |\n|---|---|\n" + strings.Repeat("| 0 | 0 | 0 | 0 | 0 | 0 | 0 |\n", 150),
		"rows of words":       "| a | b |\n|---|---|\n" + strings.Repeat("| yes | no |\n", 250),
		"zeros":               strings.Repeat("0,0,0,0,0,0,0,0\n", 300),
		"a matrix":            "A = [\n" + strings.Repeat("  [0, 0, 0, 0, 0, 0, 0, 0],\n", 150),
		"HTML":                "<table>\n" + strings.Repeat("<tr><td></td><td></td><td></td><td></td></tr>\n", 120),
		"a chessboard":        board,
		"dots":                strings.Repeat(".", 5000),
		"dots in lines":       strings.Repeat(strings.Repeat(".", 40)+"\n", 120),
		"base64":              strings.Repeat("A", 6000),
		"a line in a file":    strings.Repeat("=", 1000),
		"a line to be copied": strings.Repeat("I will not chatter in class.\n", 200),
		"paragraphs":          strings.Repeat(paragraph, 30),
		"a word often":        strings.Repeat("very ", 1500),
		"code":                "```go\n" + strings.Repeat("\tfmt.Println(one)\n", 500),
		"words in code":       "```\n" + strings.Repeat("lorem ipsum\n", 1000),
		"indented code":       "1. So:\n   ```sql\n" + strings.Repeat("   insert into rows values (null, null);\n", 250),
		"Chinese":             strings.Repeat("我不知道。", 250),
		"blanks":              "{" + strings.Repeat(" ", 1200) + "}",
		"it came out of it":   strings.Repeat("yes ", 1800) + "No, wait: the other one.",
	} {
		for _, window := range []int{4096, 32_768} {
			if over := torn(window, said, false); over != nil {
				t.Errorf("%s in a window of %d: %+v", name, window, over)
			}
		}
	}
}

// torn gives a text to a leash in small pieces.
func torn(window int, said string, inCall bool) *runaway {
	l := leash{weigh: text.Tokens, again: again(window), most: max(window, longestReply)}
	for i := 0; i < len(said); i += 16 {
		if over := l.tears(inText, said[:i], inCall); over != nil {
			return over
		}
	}
	return l.tears(inText, said, inCall)
}

// What comes to no end is found in time, and from where on. A call is as long as it may be.
func TestOverAndOverHasNoEnd(t *testing.T) {
	paragraph := "The answer is that the file has two parts. The first is the head, and the second is the body.\n\n"
	for name, tt := range map[string]struct {
		before, piece string
		most          int // tokens after which it is found in a window of 8k
	}{
		"a word":            {"Well, ", "yes ", 2300},
		"a sentence":        {"Well. ", "I do not know what you mean. ", 2300},
		"a paragraph":       {"Here: ", paragraph, 2300},
		"in Chinese":        {"好的！", "我不知道。", 2300},
		"after code":        {"```\nx\n```\n", "That is all. ", 2300},
		"fences":            {"So: ", "```\n", 2300},
		"blanks":            {"{", "\n", 2},
		"in code":           {"```\n", "again and again\n", 6500},
		"a letter":          {"A", "h", 6500},
		"rows":              {"| a |\n|---|\n", "| 0 | 0 | 0 |\n", 6500},
		"a list of numbers": {"It is ", "100/", 6500},
	} {
		said := tt.before + strings.Repeat(tt.piece, 60_000/len(tt.piece))
		over := torn(8192, said, false)
		if over == nil || over.from < 0 {
			t.Errorf("%s: %+v", name, over)
			continue
		}
		if from := over.from - 2*len(tt.piece); from < len(tt.before)-len(tt.piece) || from > len(tt.before) {
			t.Errorf("%s: from %d on, want %d", name, from, len(tt.before))
		}
		least := 0
		for n := 1000; n < len(said) && least == 0; n += 1000 {
			if torn(8192, said[:n], false) != nil {
				least = text.Tokens(said[:n])
			}
		}
		if least > tt.most+600 {
			t.Errorf("%s: found after %d tokens", name, least)
		}
		if over := torn(8192, said, true); over != nil && over.from >= 0 {
			t.Errorf("%s, in a call: %+v", name, over)
		}
	}
	if over := torn(8192, strings.Repeat("0,0\n", 20_000), true); over == nil || over.from >= 0 {
		t.Errorf("a call without an end: %+v", over)
	}
}

func BenchmarkLeash(b *testing.B) {
	l := leash{weigh: text.Tokens, again: leastAgain, most: 1 << 30}
	all := strings.Repeat("It says that line 12 of the file is not as long as it was. ", 10)
	for i := range 3000 {
		all += fmt.Sprintf("And line %d is another one. ", i)
	}
	for b.Loop() {
		l.looked, l.tokens = [2]int{}, 0
		for i := 0; i < len(all); i += 4 { // a token
			if l.tears(inText, all[:i], false) != nil {
				b.Fatal("it is no runaway")
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)/4), "ns/token")
}
