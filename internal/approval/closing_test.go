package approval

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

func TestClosing(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"Let me write that.":            "",
		"a < b and c > d":               "",
		"```\ncode":                     "\n```\n",
		"````md\n```\ncode\n```":        "\n````\n",
		"```\ncode\n```":                "",
		"~~~\n```":                      "\n~~~\n",
		"**May I?** <!-- ":              "-->",
		"<!-- a --> b":                  "",
		"<details><summary>x":           "</summary></details>",
		"<details><summary>x</summary>": "</details>",
		`<div hidden style="x">`:        "</div>",
		"<style>*{display:none}":        "</style>",
		"one<br>two <IMG src=x>":        "",
		"$$ x":                          "$$",
		"<!-- <script> ":                "--></script>",

		// Code blocks.
		"```\ncode\n```js\n":                   "\n```\n",
		"~~~\ncode\n~~~ x":                     "\n~~~\n",
		"```` ```npm install``` is next ````":  "",
		"```npm install``` is next.":           "",
		"```\r\ncode\r\n```\r\n":               "",
		"    ```\nno fence":                    "",
		"1. x\n   ```sh\n   y\n\n   ```\n2. z": "",
		"- x\n- y\n\n```\ncode":                "\n```\n",
		"1. x\n   ```\n   y":                   "\n\n<!--\n```\n-->", // ends with the list for all we know
		"> ```\n> x\ny":                        "\n\n<!--\n```\n-->",
		"<div>\n```\n</div>":                   "\n\n<!--\n```\n-->",
		"```\ncode\n```\t":                     "\n\n<!--\n```\n-->",
		"```\n~~~~\n</div> <?\n```\n<?":        "\n?>\n\n<!--\n```\n-->\n\n<!--\n~~~~\n-->",

		// HTML.
		"Hi.\n\n<?\n":                        "\n?>",
		"Hi.\n\n<![CDATA[\n":                 "]]>",
		"Hi.\n\n<!DOCTYPE\n":                 ">",
		"Hi.\n\n<script":                     "\n'\"></script>",
		"Hi.\n\n<style x=\"":                 "\n'\"></style>",
		"Hi.\n\n<textarea\n":                 "'\"></textarea>",
		"Hi.\n\n<pre ":                       "\n'\"></pre>",
		`<div title="<" hidden>`:             "</div>",
		"<div/>":                             "</div>",
		"A List<String> and a Map<int>.":     "",
		"I add a `<div>` and `<!--` to `x`.": "",
		"```html\n<div>\n```":                "",
		"`<details>`":                        "</details>",
		"a ` b\n`<div hidden>` c":            "</div>",
		"<a title='`'><div hidden>`":         "</div></a>",

		// Definitions of links, and formulas.
		"[a]: b \"":           ".\"",
		"[a]: <bee c>\n(":     ".)",
		"[\n":                 "\n]",
		"[a\\]":               "\n]",
		"[a]: b \"c\"":        "",
		"[a](b) and [c]":      "",
		"\\[ x":               `\]`,
		"\\begin{equation} x": `\end{equation}`,
		":::note\nx":          "\n:::\n",
		"$$\n```\na\n```":     "\n$$",
		"```sh\necho $$\n```": "",
		"[a]: b\n\n```\ncode": "\n\n<!--\n```\n-->",
	} {
		if got := Closing(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// probe is a question whose preview ends whatever may be open before it.
const probe = "**May I run it?**\n\n```\n<b> ]: x\n]]> ?> --> \"\n)\n```\n\nAnswer **yes**."

// FuzzClosing: nothing that was said before takes a question in.
func FuzzClosing(f *testing.F) {
	for _, s := range []string{"```\ncode", "````md\n```", "1. x\n   ```\n   y", "> ~~~\n", "<?\n", "a\n<![CDATA[", "<!X", "<script", "<pre \n```\n",
		"<div>\n```\n", "[a]: b \"\n```", "[\n", "- \t```\n", "```\n```\t", "<!--\n```", "</style>\n~~~", "\\", "a\r```\r", "* <script>\n```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		if whole := said + Closing(said) + "\n\n" + probe; !endsInQuestion(whole) {
			t.Errorf("the question is not shown after %q and %q", said, Closing(said))
		}
	})
}

// endsInQuestion tells whether the last blocks of a text are those of the question.
func endsInQuestion(whole string) bool {
	source := []byte(whole)
	last := goldmark.DefaultParser().Parse(text.NewReader(source)).LastChild()
	for _, want := range []string{"Answer **yes**.", "", "**May I run it?**"} {
		if last == nil || want != "" && (last.Kind() != ast.KindParagraph || strings.TrimSpace(string(last.Lines().Value(source))) != want) ||
			want == "" && last.Kind() != ast.KindFencedCodeBlock {
			return false
		}
		last = last.PreviousSibling()
	}
	return true
}
