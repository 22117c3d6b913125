package agent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"loci"
	"loci/internal/lang"
)

// What the person reads beside the model's own words is in the language they ask in,
// and what the model reads is not.
func TestToldInTheirLanguage(t *testing.T) {
	const wants = "{\"file\":\"notes.md\"}"
	refusal := loci.Errorf(loci.Refused, "does not support tools: %w", loci.ErrNoTools)
	long := strings.Repeat("slovo ", 5000)
	for name, tt := range map[string]struct {
		replies []any
		said    string
		en      string
		zh, cs  string
	}{
		"no answer":    {[]any{""}, "", "gave no answer", "模型没有回答", "Model neodpověděl"},
		"only thought": {[]any{[]any{"<think>Hm", loci.FinishLength}}, "", "had answered", "还没有作答", "dřív, než model odpověděl"},
		"cut":          {[]any{[]any{"Oslo", loci.FinishLength}}, "", "reply ends here", "回复到此为止", "Odpověď tu končí"},
		"call cut":     {[]any{brokenOff("write_file"), brokenOff("write_file")}, "", "broke off again", "又因回复长度", "znovu přerušilo"},
		"wrong calls":  {[]any{call("read_file", wants), call("read_file", wants)}, "", "call of read_file right", "没能正确调用 read_file", "správně zavolat read_file"},
		"unreadable":   {[]any{refusal, "<tool>{{]]</tool>", "<tool>{{]]</tool>"}, "", "form that cannot be read", "写法无法读懂", "podobě, která se nedá přečíst"},
		"no tools":     {[]any{refusal, "Good."}, "", "write them as text", "以文本形式写出调用", "psát volání jako text"},
		"long message": {[]any{"Good."}, long, "window of 4096 tokens", "模型的窗口（4096 个词元）", "okno modelu (počet tokenů: 4096)"},
	} {
		for asked, want := range map[string]string{"Tell me of the town.": tt.en, "请说说这个城市。": tt.zh, "Prosím, řekni mi něco o městě.": tt.cs} {
			w := newWorld(t, loci.TierNative, slices.Clone(tt.replies)...)
			o, notices := w.notices(strings.TrimSpace(asked + " " + tt.said))
			if all := o.text + strings.Join(notices, "\n"); !strings.Contains(all, want) {
				t.Errorf("%s, %s: the person reads %q", name, asked, all)
			}
			for _, r := range w.model.requests {
				if got := lang.Of(r.Messages[0].Content); got != lang.English {
					t.Errorf("%s, %s: the model reads %s", name, asked, got)
				}
			}
		}
	}
}

// What a turn says by itself is said in all languages, with the same in each.
func TestWordsInAllLanguages(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				switch typeName(n.Type) {
				case "Words":
					found++
					inAll(t, file, n)
				case "Notice":
					bare(t, file, n)
				}
			case *ast.CallExpr:
				if f := typeName(n.Fun); f == "speak" || f == "say" {
					bare(t, file, n)
				}
			}
			return true
		})
	}
	if found < 20 {
		t.Errorf("there are only %d texts", found)
	}
}

func typeName(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

var (
	verb   = regexp.MustCompile(`%[.\d]*[a-z]`)
	letter = regexp.MustCompile(`\pL{2}`)
)

// inAll checks that a text is in each language, with the same arguments in their order.
func inAll(t *testing.T, file string, words *ast.CompositeLit) {
	verbs := map[string]string{}
	for _, e := range words.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		verbs[kv.Key.(*ast.Ident).Name] = strings.Join(verb.FindAllString(literals(kv.Value), -1), " ")
	}
	if len(verbs) != 3 || verbs["EN"] != verbs["ZH"] || verbs["EN"] != verbs["CS"] {
		t.Errorf("%s: a text takes %q", file, verbs)
	}
}

// bare finds words that are in one language only.
func bare(t *testing.T, file string, n ast.Node) {
	if s := literals(n); letter.MatchString(strings.ReplaceAll(s, `\n`, "")) {
		t.Errorf("%s: the person reads %s in one language", file, s)
	}
}

// literals are the texts that are written out somewhere in the code.
func literals(n ast.Node) (all string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			all += s.Value
		}
		return true
	})
	return all
}
