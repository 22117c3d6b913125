package secret

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVariables(t *testing.T) {
	got, err := variables("\ufeff# a comment\r\n" + `
A=plain
B = spaced out   # and a comment
export C='it is $literal \n # no comment'
D="line\nbreak \"quoted\" \\ \$5 \q"   # comment
E=
F=""
G="over
two lines" # after
export	H=tab
I=a#b
J=#c
K=` + "`back'\"tick`" + `
L==x=y
M_1.x-y=1
A=later
export N
O='x'` + "\r\n  P=indented\r\n")
	want := map[string]string{
		"A": "later", "B": "spaced out", "C": `it is $literal \n # no comment`, "D": "line\nbreak \"quoted\" \\ $5 \\q",
		"E": "", "F": "", "G": "over\ntwo lines", "H": "tab", "I": "a#b", "J": "", "K": `back'"tick`, "L": "=x=y", "M_1.x-y": "1",
		"O": "x", "P": "indented",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, line := range map[string]string{
		"A=1\ncanary":             "line 2 ",
		"A=1\n\n2B=canary":        "line 3 ",
		"A=\"x\ny\"\nB='canary":   "line 3:",
		"A='canary' canary":       "line 1:",
		"=canary":                 "line 1 ",
		"export =canary":          "line 1 ",
		"A=\"x\ny\" z\n":          "line 1:",
		"A='1'\nB=`canary\n\n\nx": "line 2:",
	} {
		if _, err := variables(text); err == nil || !strings.HasPrefix(err.Error(), line) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Whatever is quoted is read back as it was, and no text breaks the reader.
func FuzzVariables(f *testing.F) {
	f.Add("A=1", "x")
	f.Add("export A='\n' # c", "a\"b\\c\nd$")
	f.Add("A=\"\\", "")
	f.Fuzz(func(t *testing.T, text, value string) {
		if all, err := variables(text); err == nil {
			for name := range all {
				if !isVariable(name) {
					t.Errorf("%q gives the name %q", text, name)
				}
			}
		}
		value = strings.ReplaceAll(value, "\r\n", "\n")
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
		got, err := variables("B=1\nexport A = " + quoted + " # more\nC=2")
		if err != nil || got["A"] != value || got["B"] != "1" || got["C"] != "2" {
			t.Errorf("%q became %q, %v", value, got["A"], err)
		}
	})
}

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                          nil,
		"  vault  kv get ":          {"vault", "kv", "get"},
		`a 'b c' "d 'e'" f\ g`:      {"a", "b c", "d 'e'", "f g"},
		`a"b"'c' ""`:                {"abc", ""},
		`C:\tools\x.exe "a\"b" \\`:  {`C:\tools\x.exe`, `a"b`, `\`},
		`'a\b' "a\b" "a\\b" "a\'b"`: {`a\b`, `a\b`, `a\b`, `a\'b`},
		`echo $HOME | cat > x; y &`: {"echo", "$HOME", "|", "cat", ">", "x;", "y", "&"},
		"a\tb\nc":                   {"a", "b", "c"},
		`a \`:                       {"a", `\`},
	} {
		if got, err := words(line); !cmp.Equal(got, want) || err != nil {
			t.Errorf("%s is %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`a "b`, `'`, `a 'b"`} {
		if got, err := words(line); err == nil {
			t.Errorf("%s is %q", line, got)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("a b")
	f.Add(`it's "x" \`)
	f.Fuzz(func(t *testing.T, word string) {
		_, _ = words(word)
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
		if got, err := words("a " + quoted + " b"); err != nil || len(got) != 3 || got[1] != word {
			t.Errorf("%q became %q, %v", word, got, err)
		}
	})
}
