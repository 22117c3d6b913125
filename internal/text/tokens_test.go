package text_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"loci/internal/text"
)

// The counts are those of the embedded model's tokenizer (SmolLM2, 49,152 entries).
func TestTokens(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		counted    int
		least      float64 // share of it that the estimate gives
		most       float64
	}{
		{"prose", "loci is a local-first personal agent runtime: one Go program that stands between the chat window a person already likes and the model that runs on their own machine. It gives the model a sense of where and when it is, hands it tools that are safe to hold, asks before anything dangerous, remembers, plans, and writes down what it did.", 72, 0.9, 1.15},
		{"code", "func (t *turn) perform(ctx context.Context, call loci.ToolCall) (loci.ToolResult, bool) {\n\tif q := t.settled(call); q != nil {\n\t\treturn t.refused(call, q.State), true\n\t}\n\tfor i := range t.Calls {\n\t\tt.Calls[i].ID = newID()\n\t}\n\treturn t.call(ctx, call), true\n}\n", 107, 0.85, 1.15},
		{"a schema", "{\"type\":\"function\",\"function\":{\"name\":\"search_files\",\"description\":\"Finds files by name, text, date or type.\",\"parameters\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"regexp\":{\"type\":\"boolean\"},\"modified_after\":{\"type\":\"string\"}},\"required\":[\"path\"]}}}", 74, 0.95, 1.2},
		{"a result", "{\"path\":\"/home/mira/notes\",\"entries\":[{\"name\":\"report-1.md\",\"type\":\"file\",\"size\":4113,\"modified\":\"2026-11-02T10:21:33Z\"},{\"name\":\"letters\",\"type\":\"folder\",\"modified\":\"2026-09-17T08:03:11Z\"}]}", 90, 0.9, 1.15},
		{"a log", "2026-11-29 14:02:11 ERROR [auth] connection to 10.0.0.17 refused (errno=111)\n2026-11-29 14:02:12 WARN [db] slow query: 2381 ms, 17 rows\n", 86, 0.9, 1.15},
		{"Czech", "Včera jsme spočítali všechny chybové řádky podle modulů a zapsali je do souboru zpráva.md. Přečti mi prosím, co je napsáno v posledním dopise od tety.", 75, 0.6, 1.1},
		{"German", "Gestern haben wir alle Fehlerzeilen nach Modulen gezählt und in die Datei Bericht.md geschrieben. Bitte lies mir den letzten Brief vor.", 49, 0.6, 1.1},
		{"Chinese", "请统计昨天日志目录中每个模块的错误行数，排序之后写入报告文件。这个文件夹里有哪些文件？", 67, 0.5, 1.1},
		{"Russian", "Вчера мы посчитали все строки с ошибками по модулям и записали их в файл отчёта.", 62, 0.8, 1.1},
	} {
		got := float64(text.Tokens(tc.text)) / float64(tc.counted)
		if got < tc.least || got > tc.most {
			t.Errorf("%s: %d tokens, %.2f of what was counted, want %.2f to %.2f", tc.name, text.Tokens(tc.text), got, tc.least, tc.most)
		}
	}
	for in, want := range map[string]int{"": 0, "a": 1, "Hello": 1, "Hello world": 2, "2026": 4, "\n\n": 1, "雪": 1} {
		if got := text.Tokens(in); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", in, got, want)
		}
	}
	if a, b := text.Tokens(strings.Repeat("word ", 1000)), text.Tokens(strings.Repeat("word ", 2000)); b < 2*a-2 || b > 2*a {
		t.Errorf("twice the text takes %d tokens instead of %d", b, 2*a)
	}
}

// TestFit finds the weights of tokenizers that take one kind of text otherwise, and
// estimates other texts of that kind by them.
func TestFit(t *testing.T) {
	var usual []int
	for _, s := range text.Samples() {
		usual = append(usual, text.Tokens(s))
	}
	near := func(got, want float64) bool { return got > want-0.05 && got < want+0.05 }
	if w := text.Fit(usual); !near(w.Words, 1) || !near(w.Marks, 1) || !near(w.Blanks, 1) || !near(w.Digits, 1) ||
		!near(w.Accents, 1) || !near(w.Han, 1) || !near(w.Letters, 1) || !near(w.Mixed, 1) {
		t.Errorf("the usual counts give %+v", w)
	}
	const chinese = "请把这份文件翻译成英文，然后发给我。"
	for _, factor := range []float64{0.5, 2} {
		other := slices.Clone(usual)
		other[6] = int(float64(other[6]) * factor)
		w := text.Fit(other)
		if got, want := text.Make(chinese).Tokens(w), float64(text.Tokens(chinese))*factor; math.Abs(float64(got)-want) > 2 {
			t.Errorf("with %.1f tokens a character %q takes %d, want %.0f: %+v", factor, chinese, got, want, w)
		}
		if got, want := text.Make("Hello there, how are you?").Tokens(w), text.Tokens("Hello there, how are you?"); got < want-1 || got > want+1 {
			t.Errorf("English takes %d tokens instead of %d", got, want)
		}
	}
	for _, counted := range [][]int{nil, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {1 << 30, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {-5}} { // a server may say anything
		w := text.Fit(counted)
		if n := text.Make("Hello, 世界, 2026.").Tokens(w); n < 1 || n > 100 {
			t.Errorf("%v: %d tokens", counted, n)
		}
	}
}

// What has no words in it takes tokens by its length.
func TestMixed(t *testing.T) {
	for in, want := range map[string][2]int{
		"x9QmZzR2tY0uJ7vN3pLwE5oC8dBqTf6XyWnA2rSiGhMbVjU4": {36, 42},
		"getHTTPResponseWriter2FromContextAndTimeout":      {6, 16},
		"1234567890123456789012345678901234567890":         {40, 40},
		"/home/mira/Documents/2026/Reports/Quarter3/a.md":  {15, 28},
	} {
		if n := text.Tokens(in); n < want[0] || n > want[1] {
			t.Errorf("%s: %d tokens, want %v", in, n, want)
		}
	}
}
