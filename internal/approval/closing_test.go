package approval

import "testing"

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
	} {
		if got := Closing(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
