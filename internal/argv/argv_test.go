package argv

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// place is a system with some programs, and an allowed folder in which somebody put
// programs of the same names.
func place(t testing.TB) Place {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"bin", "work"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields("ls cat head tail wc git grep sort uniq find date pwd echo df du uname stat file sed make env sh python3.11 timeout jq rm tree printf diff less") {
			if err := os.WriteFile(filepath.Join(root, dir, name), []byte("#!/bin/true\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	return Place{Path: []string{root + "/bin"}, Folders: []string{root + "/work"}, Dir: root + "/work"}
}

// unasked tells whether a command line runs without a question.
func unasked(r Rules, line string, at Place) (bool, string) {
	words, err := Split(line)
	if err != nil {
		return false, err.Error()
	}
	if why := r.Unasked(words, at); why != nil {
		return false, why.In("en")
	}
	return true, ""
}

// read decodes a file of test data.
func read(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestShellVectors: shell.json has commands that other agents ran unasked.
func TestShellVectors(t *testing.T) {
	var data struct {
		Cases []struct {
			ID, Cmd, Expect, Why string
			AllowList            []string `json:"allow_list"`
		}
	}
	read(t, "shell.json", &data)
	if len(data.Cases) != 49 {
		t.Errorf("%d cases", len(data.Cases))
	}
	at := place(t)
	for _, c := range data.Cases {
		if ok, why := unasked(Rules{Allow: c.AllowList}, c.Cmd, at); ok != (c.Expect == "auto") {
			t.Errorf("%s %q (%s): unasked %v %s", c.ID, c.Cmd, c.Why, ok, why)
		}
	}
}

// TestChainedBehindAnAllowedPrefix: prefixes.json, each as grouped.
func TestChainedBehindAnAllowedPrefix(t *testing.T) {
	var data struct{ Allow, Ask, Unasked []string }
	read(t, "prefixes.json", &data)
	at := place(t)
	for _, line := range data.Ask {
		if ok, _ := unasked(Rules{Allow: data.Allow}, line, at); ok {
			t.Errorf("%q runs unasked", line)
		}
	}
	for _, line := range data.Unasked {
		if ok, why := unasked(Rules{Allow: data.Allow}, line, at); !ok {
			t.Errorf("%q asks: %s", line, why)
		}
	}
}

func TestUnasked(t *testing.T) {
	at := place(t)
	r := Rules{Allow: strings.Split("ls,cat,head,tail,wc,git status,git log,git show,git diff,git branch,grep,sort,uniq,find,date,pwd,echo,df,du,uname,stat,file,sed,make test,env,sh,python3.11,timeout,jq,gone,less,tree,printf,diff", ",")}
	in := at.Folders[0]
	for _, line := range []string{
		"ls", "ls -la", "ls -lah --color=never src", "ls -I '*.o' -w 80", "ls --width 80 .", "ls " + in, "ls -1 -- -odd", "cat a b", "cat 'žurnál 1.md'", "head -n 5 x", "head -5 x", "tail -c +10 x", "wc -l a", "git status", "git status -sb --porcelain=v2",
		"git log", "git log --oneline -n 3", "git log -3 --author 'A B' --since=yesterday --format='%h %s' main..HEAD -- src/x", "git log -p -S foo", "git show HEAD~2:src/x.go", "git show HEAD --stat", "git diff --cached -U5", "git diff HEAD~1 HEAD -- a", "git branch", "git branch -avv",
		"grep -rn TODO .", "grep 'a|b' x", "grep -e '../x' y", "grep --regexp=/etc/passwd y", "grep -A3 /usr src", "grep -c '^$' notes.md", "sort -k2,2n -t: x", "sort -u", "uniq -c x", "find . -name '*.go' -newer a", `find src -type f \( -name x -o -name y \) ! -empty -size +1k -print0`, "find", "find . -maxdepth 2 -printf '%p\\n'",
		"date", "date '+%Y-%m-%d'", "date -u -d tomorrow", "pwd", "echo hello -x --foo /etc/passwd '$HOME'", "echo", "df -h", "du -sh .", "uname -a", "stat -c %s x", "file --mime-type x", "sed", "make test", "jq -r '.a | .b' x.json", "jq . ./x.json", "tree -L 2", "diff -ru a b", "head -",
		"ls sub/../x", "ls ../work/x",
	} {
		if ok, why := unasked(r, line, at); !ok {
			t.Errorf("%q asks: %s", line, why)
		}
	}
	for _, line := range []string{
		"", "lsx", "LS", "Ls", "./ls", in + "/ls", at.Path[0] + "/ls", "../bin/ls", "gone", "лs", "ls\u200b", "\\ls -\u202ela", "ls a\u2028b", "l\\\ns",
		"ls --unknown", "ls --colo=x", "ls --recursive=x", "ls -la! x", "ls /etc", "ls ..", "ls ../..", "ls ~/x", "ls " + in + "/../bin", "ls " + in + "x", "cat /dev/zero", "cat ''", "tail -f x", "tail --follow x", "tail -F x", "head --lines",
		"git", "git push", "git logx", "git log --output=x", "git log --output x", "git log --outpu=x", "git log -O x", "git log --ext-diff", "git log --textconv", "git log --show-signature", "git log --format=%G?", "git log --pretty=format:%GK", "git -c a=b log", "git --exec-path=x log", "git -C .. log", "git --git-dir=x status", "git -p log",
		"git diff --no-index a b", "git diff /etc/passwd a", "git diff --ext-diff", "git show --open-files-in-pager", "git branch new", "git branch -D main", "git branch -d x", "git branch -m a b", "git branch --edit-description", "git branch -f main HEAD~3", "git status --help", "git log -L1,5:x", "git diff --output-indicator-new=x",
		"grep -f /etc/passwd x", "grep -fx y", "grep --file=x y", "grep x /etc/passwd", "grep -r x ..", "grep -e x /etc/passwd", "sort -o x y", "sort -ox y", "sort -uo x y", "sort --output=x y", "sort --outp x y", "sort --compress-program=sh y", "sort -T /tmp y", "sort --files0-from=x", "sort -S 1 y", "uniq a b", "uniq a -c b",
		"find . -exec rm {} +", "find . -exec rm {} ;", `find . -exec rm {} \;`, "find . -execdir id +", "find . -ok id", "find . -delete", "find . -fprint x", "find . -fprintf x y", "find . -fls x", "find . -fprint0 x", "find / -name x", "find .. -name x", "find . -newer /etc/passwd", "find -files0-from x", "find . -name", "find -D exec .",
		"date -s 2020-01-01", "date --set=x", "date 010100002020", "date -f x", "date -r /etc/passwd", "pwd x", "uname x", "stat /etc/passwd", "file -f x", "file -m x y", "file -C", "sed -n 1p x", "sed -i s/a/b/ x", "sed -n '1e id' x", "sed 'w x' y", "make", "make test x", "make -f x test", "less x",
		"less", "env", "env ls", "env -S ls", "sh", "sh x", "sh -c ls", "python3.11", "timeout 5 ls", "jq -f x y", "jq -L x .", "jq --rawfile a /etc/passwd .", "jq . /etc/passwd", "tree -o x", "tree --fromfile x", "diff -l a b", "diff a /etc/passwd",
		"rm x", "ls " + strings.Repeat("a ", 101), "ls " + strings.Repeat("a", 9000),
	} {
		if ok, _ := unasked(r, line, at); ok {
			t.Errorf("%q runs unasked", line)
		}
	}
}

// TestOnlyProgramsOfTheSystem: a name alone says nothing about which program it is.
func TestOnlyProgramsOfTheSystem(t *testing.T) {
	at := place(t)
	r := Rules{Allow: []string{"ls"}}
	check := func(why string, want bool, at Place) {
		t.Helper()
		if got := r.Unasked([]string{"ls"}, at) == nil; got != want {
			t.Errorf("%s: unasked %v", why, got)
		}
	}
	check("of the system", true, at)
	check("found in an allowed folder", false, Place{Path: at.Folders, Folders: at.Folders, Dir: at.Dir})
	check("the system's folder is allowed", false, Place{Path: at.Path, Folders: at.Path, Dir: at.Dir})
	ls := at.Path[0] + "/ls"
	for _, change := range []struct {
		why  string
		path string
		mode os.FileMode
	}{{"everybody may change it", ls, 0o777}, {"its group may change it", ls, 0o775}, {"everybody may change its folder", at.Path[0], 0o777}} {
		old, err := os.Stat(change.path)
		if err == nil {
			err = os.Chmod(change.path, change.mode)
		}
		if err != nil {
			t.Fatal(err)
		}
		check(change.why, false, at)
		if err := os.Chmod(change.path, old.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Remove(ls), os.Symlink(at.Folders[0]+"/ls", ls)); err != nil {
		t.Fatal(err)
	}
	check("a link into an allowed folder", false, at)
}

func TestDeny(t *testing.T) {
	at := place(t)
	r := Rules{Allow: []string{"ls", "git log", "echo"}, Deny: []string{"git log", "curl", "ls -R"}}
	for line, want := range map[string]bool{
		"git log": true, "git status": false, "ls": false, "ls -R": true, "ls -a -R": false, "echo curl": false,
		"curl": true, "/usr/bin/curl x": true, "CURL x": true, "env A=b curl x": true, "timeout 5 nice curl": true, `sh -c 'ls;curl x'`: true, "grep curl x": false,
	} {
		words, err := Split(line)
		if err != nil {
			t.Fatal(line, err)
		}
		if _, is := r.Denies(words); is != want {
			t.Errorf("%q: denied %v", line, is)
		}
		if want && r.Unasked(words, at) == nil {
			t.Errorf("%q runs unasked", line)
		}
	}
	for script, want := range map[string]bool{
		strings.Repeat("true; ", 60) + "curl http://e": true, "ls|curl -d @x": true, "c\\url x": true, `"cu"rl x`: true, "$(curl x)": true, "x=`/usr/bin/curl`": true, "git  log": true, "git status\nls -l": false, "echo curling": false,
	} {
		if _, is := r.DeniesScript(script); is != want {
			t.Errorf("%q: denied %v", script, is)
		}
	}
}

func TestReads(t *testing.T) {
	for line, want := range map[string]bool{
		"ls -la /etc": true, "git status": true, "git log --output=x": false, "git commit -m x": false, "sed -n 1p x": false, "make test": false, "sort -o x y": false, "rm x": false,
	} {
		if got := Reads(strings.Fields(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	if Reads(nil) {
		t.Error("nothing reads")
	}
}

func TestUnwise(t *testing.T) {
	for prefix, wise := range map[string]bool{"ls": true, "git log": true, "python": false, "python3.12 -m": false, "env": false, "xargs": false, "sh": false, "make test": false, "npm run": false, "": false, "/tmp/ls": false, "find": true} {
		if why := Unwise(prefix); (why == nil) != wise {
			t.Errorf("%q: %v", prefix, why)
		}
	}
	for _, language := range []string{"en", "zh", "cs"} {
		if got := Unwise("make test").In(language); !strings.Contains(got, "make") || strings.Contains(got, "%!") {
			t.Errorf("%s: %s", language, got)
		}
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"ls":                           {"ls"},
		"  ls \t -la  ":                {"ls", "-la"},
		`a 'b c' "d e" f\ g`:           {"a", "b c", "d e", "f g"},
		`a 'b'"c"d`:                    {"a", "bcd"},
		`a "" ''`:                      {"a", "", ""},
		`a "x\"y\\z\$\n"`:              {"a", `x"y\z$\n`},
		`a 'x\n$y'`:                    {"a", `x\n$y`},
		`ls "a;b" 'a && b' 1\>0`:       {"ls", "a;b", "a && b", "1>0"},
		"find . ! -name x {} a=b":      {"find", ".", "!", "-name", "x", "{}", "a=b"},
		"a x#y a~b 50% @{u} x^ !=":     nil, // braces
		"a x#y a~b 50% x^ != ,:":       {"a", "x#y", "a~b", "50%", "x^", "!=", ",:"},
		"打开 文件":                        {"打开", "文件"},
		"--opt=x=y":                    {"--opt=x=y"},
		`"FOO=1" x`:                    {"FOO=1", "x"},
		"echo if then":                 {"echo", "if", "then"},
		"a " + strings.Repeat("b", 10): {"a", "bbbbbbbbbb"},
		"a;b":                          nil, "a|b": nil, "a&": nil, "a<b": nil, "a>b": nil, "a 2>&1": nil, "(a)": nil, "a $x": nil, "a `b`": nil, `a "$x"`: nil, "a \"`b`\"": nil, "a *": nil, "a x?": nil, "a [b]": nil,
		"~/a": nil, "a ~": nil, "a x=~/y": nil, "a {b,c}": nil, "{ a; }": nil, "a #b": nil, "# a": nil, "!a": nil, "!!": nil, "! a": nil, "a !b": nil, "A=1 b": nil, "A+=1 b": nil, "A=1": nil,
		"a\nb": nil, "a\rb": nil, "a \\\nb": nil, `a "b`: nil, "a 'b": nil, `a \`: nil, "\"a\\\nb\"": nil, "": nil, " \t": nil, "a\x00b": nil, "a \xff": nil, "if a": nil, "alias a=b": nil, ". a": nil, "eval a": nil, "for x in y": nil, "^a^b": nil, "a <<X": nil, "a <<<b": nil, ":(){ :|:& };:": nil,
	} {
		got, err := Split(line)
		if _, is := errors.AsType[*Syntax](err); !slices.Equal(got, want) || (err != nil) != (want == nil) || err != nil && !is {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
}

// TestSplitLikeAShell: what Split reads, a real shell reads the same way.
func TestSplitLikeAShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	tried := 0
	parts := []string{"a", `'b c'`, `"d\"e"`, `f\ g`, `'x\n'`, `"x\n"`, `\\`, `"\\"`, "ž", `"'"`, `'"'`, "-", "a=b", "x#", `""`, `\'`, `\"`, "%", `"\a"`, `\a`, `x"y"'z'`, `!`, "{}", ","}
	for _, a := range parts {
		for _, b := range parts {
			line := "printf '%s|' " + a + " " + b + a + " end"
			words, err := Split(line)
			if err != nil {
				continue
			}
			tried++
			out, err := exec.Command(sh, "-c", line).Output()
			if want := strings.Join(words[2:], "|") + "|"; err != nil || string(out) != want {
				t.Errorf("%s: %q, sh has %q, %v", line, want, out, err)
			}
		}
	}
	if tried < 300 {
		t.Error("only", tried)
	}
}

// FuzzArgv: what may run unasked is one plain command, whatever is made of the text.
func FuzzArgv(f *testing.F) {
	at := place(f)
	r := Rules{Allow: []string{"ls", "cat", "git log", "git status", "echo", "sort", "find", "env", "sh"}}
	for _, line := range []string{"ls -la", `ls "a;b" 'c'`, "git log --oneline -n 3", "find . -name '*.go'", "a | b", "sort -o x", "echo \"$(id)\"", "ls -\u202ela", "env ls"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Split(line)
		if err != nil {
			if words != nil || err.Error() == "" {
				t.Errorf("%q: %q with %v", line, words, err)
			}
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		if again, err := Split(strings.Join(quoted, " ")); (err != nil || !slices.Equal(again, words)) && !slices.Contains(reserved, words[0]) {
			t.Errorf("%q: %q, quoted %q, %v", line, words, again, err)
		}
		for _, more := range []string{";id", "|id", "&id", ">x", "\nid", "$(id)", "`id`", "<x"} {
			if got, err := Split(line + more); err == nil {
				t.Errorf("%q: %q", line+more, got)
			}
		}
		if r.Unasked(words, at) != nil {
			return
		}
		if name := words[0]; name == "env" || name == "sh" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("%q runs unasked", line)
		}
		if r.Unasked(append(slices.Clone(words), "--no-such-option"), at) == nil && words[0] != "echo" && !slices.Contains(words, "--") {
			if last := words[len(words)-1]; !strings.HasPrefix(last, "-") {
				t.Errorf("%q takes any option", words)
			}
		}
		if !Reads(words) {
			t.Errorf("%q runs unasked, but does more than read", words)
		}
	})
}

func ExampleSplit() {
	words, err := Split(`git log --author "A B"`)
	fmt.Printf("%q %v\n", words, err)
	_, err = Split("ls | sh")
	fmt.Println(err)
	// Output:
	// ["git" "log" "--author" "A B"] <nil>
	// it has shell syntax: a pipe (|)
}
