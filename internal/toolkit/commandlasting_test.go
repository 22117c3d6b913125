package toolkit

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"loci"
	"loci/internal/confine"
	"loci/internal/tool"
)

// project is a bench with files that commands may run in many ways.
func project(t *testing.T) *bench {
	t.Helper()
	files := map[string]string{
		"run.sh": "#!/bin/sh\necho 1\n", "sub/run.sh": "#!/bin/sh\necho 1\n", "sub/payload": "echo 1\n", "sub/m.py": "print(1)\n", "sub/data": "1\n",
		"sub/Makefile": "all:\n\techo 1\n", "hop": "#!/usr/bin/env -S sh sub/payload\n", "hop2": "#!/bin/sh sub/payload\n", "hop3": "#!./sub/payload\n", "mk": "#!/usr/bin/make -f\nall:\n\techo 1\n",
		".git/config": "[core]\n\tfsmonitor = sub/run.sh\n",
	}
	b := commands(t, files)
	for _, name := range []string{"run.sh", "sub/run.sh", "hop", "hop2", "hop3", "mk"} {
		if err := os.Chmod(filepath.Join(b.root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(sh)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine", "env"} { // a shell that is called something else
		if err := os.WriteFile(filepath.Join(b.root, name), raw, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": "/usr/bin/env", "linked.sh": "sub/run.sh", "away": filepath.Join(b.root, "sub")} {
		if err := os.Symlink(to, filepath.Join(b.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// callOf is a call of run_command that runs words, or a script if there is one of them
// and it begins with a blank.
func callOf(t *testing.T, words ...string) string {
	t.Helper()
	var args any = map[string]any{"argv": words}
	if strings.HasPrefix(words[0], " ") {
		args = map[string]any{"script": words[0][1:]}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestLastingYesIsForWhatIsKnown: these run a file that may be edited later, each in
// another way. Either a yes cannot last, or it holds for the file as it was. The yes
// for once holds for it in any case, and the question names it.
func TestLastingYesIsForWhatIsKnown(t *testing.T) {
	b := project(t)
	const sh, payload, module, recipe = "sub/run.sh", "sub/payload", "sub/m.py", "sub/Makefile"
	for _, tt := range []struct {
		file  string
		words []string
	}{
		{sh, []string{" cd sub && ./run.sh"}},
		{payload, []string{" sh sub/payload"}},
		{module, []string{" python3 sub/m.py"}},
		{payload, []string{" python3 sub/payload"}},
		{payload, []string{" cat sub/payload | sh"}},
		{payload, []string{" . sub/payload"}},
		{payload, []string{" . ./sub/payload"}},
		{payload, []string{` sh "sub/payload"`}},
		{payload, []string{" cd sub; sh < payload"}},
		{recipe, []string{" cd sub && make"}},
		{recipe, []string{" make -C sub"}},
		{sh, []string{"sh", "-c", "cd sub; ./run.sh"}},
		{sh, []string{"sh", "-c", "./sub/run.sh x"}},
		{payload, []string{"sh", "-c", "cd sub; sh payload"}},
		{payload, []string{"sh", "-e", "sub/payload"}},
		{payload, []string{"bash", "--rcfile", "sub/payload", "-i"}},
		{payload, []string{"bash", "--rcfile=sub/payload", "-i"}},
		{sh, []string{"env", "-C", "sub", "./run.sh"}},
		{sh, []string{"env", "-Csub", "./run.sh"}},
		{sh, []string{"env", "--chdir=sub", "./run.sh"}},
		{payload, []string{"env", "-S", "sh sub/payload"}},
		{sh, []string{"env", "-S", "sh sub/run.sh"}},
		{payload, []string{"env", "BASH_ENV=sub/payload", "bash", "run.sh"}},
		{sh, []string{"find", "sub", "-name", "run.sh", "-exec", "{}", ";"}},
		{sh, []string{"find", "sub", "-name", "run.sh", "-execdir", "./run.sh", ";"}},
		{sh, []string{"run-parts", "--regex=.*", "sub"}},
		{sh, []string{"xargs", "-a", "sub/data", "sub/run.sh"}},
		{recipe, []string{"make", "--directory=sub"}},
		{recipe, []string{"make", "--directory", "sub"}},
		{recipe, []string{"make", "-Csub"}},
		{recipe, []string{"make", "-C", "sub"}},
		{recipe, []string{"make", "-C", b.root + "/sub"}},
		{recipe, []string{"make", "-C" + b.root + "/sub"}},
		{recipe, []string{"make", "-fsub/Makefile"}},
		{recipe, []string{"make", "--file=sub/Makefile"}},
		{module, []string{"python3", "-m", "sub.m"}},
		{payload, []string{"python3", "sub/payload"}},
		{payload, []string{"python3", "-u", "sub/payload"}},
		{payload, []string{"perl", "-I.", "sub/payload"}},
		{payload, []string{"awk", "-fsub/payload"}},
		{payload, []string{"timeout", "9", "sh", "sub/payload"}},
		{payload, []string{"sh", "sub/payload"}},
		{payload, []string{"sh", b.root + "/sub/payload"}},
		{payload, []string{"sh", "./sub//payload"}},
		{payload, []string{"sh", "away/payload"}},
		{payload, []string{"sh", "away/../sub/payload"}},
		{sh, []string{"./sub/run.sh", "x"}},
		{sh, []string{"./linked.sh"}},
		{sh, []string{b.root + "/sub/run.sh"}},
		{sh, []string{"./link", "sub/run.sh"}},
	} {
		isProgram := map[string]bool{"./linked.sh": true, "./sub/run.sh": true, b.root + "/sub/run.sh": true} // which the question says besides
		args := callOf(t, tt.words...)
		before, err := b.look("en", args)
		if err != nil {
			t.Errorf("%q: %v", tt.words, err)
			continue
		}
		old, err := os.ReadFile(filepath.Join(b.root, tt.file))
		if err != nil {
			t.Fatal(err)
		}
		b.write(tt.file, strings.Replace(string(old), "1", "2", 1))
		after, err := b.look("en", args)
		if err != nil || before.Binding != "" && after.Binding == before.Binding {
			t.Errorf("%q: the lasting yes holds for another %s, %v", tt.words, tt.file, err)
		}
		if after.Basis == before.Basis {
			t.Errorf("%q: the yes holds for another %s", tt.words, tt.file)
		}
		if _, listed, _ := strings.Cut(before.Text, "as they are now:"); !strings.Contains(strings.Split(listed, "\n")[0], filepath.Base(tt.file)) && !isProgram[tt.words[0]] {
			t.Errorf("%q: the question does not name %s:\n%s", tt.words, tt.file, before.Text)
		}
		b.write(tt.file, string(old))
	}
}

// TestWhichYesLasts: what cannot be known to run nothing else is for once.
func TestWhichYesLasts(t *testing.T) {
	b := project(t)
	for _, words := range [][]string{
		{"ls", "-la"}, {"/bin/ls"}, {"cat", "sub/data"}, {"mkdir", "-p", "x"}, {"cp", "sub/data", "y"}, {"sort", "sub/data"}, {"find", ".", "-name", "x"}, {"echo", "hi"},
		{"sh", "run.sh"}, {"sh", "sub/payload", "-c", "x"}, {"sh", "./run.sh"}, {"./run.sh"}, {"./sub/run.sh", "x"},
	} {
		p, err := b.look("en", callOf(t, words...))
		if err != nil {
			t.Error(err)
		}
		if p.Binding == "" || p.Subject == "" {
			t.Errorf("%q: a yes cannot last", words)
		}
	}
	for _, words := range [][]string{
		{" ls"}, {" ./run.sh"}, {"sh", "-c", "ls"}, {"sh"}, {"sh", "-s"}, {"sh", "+x", "run.sh"}, {"sh", "gone.sh"}, {"sh", "sub"}, {"sh", "/etc/profile"}, {"sh", "-x", "run.sh"},
		{"python3", "-c", "1"}, {"python3", "-m", "sub.m"}, {"awk", "sub/payload"}, {"env", "ls"}, {"nice", "ls"}, {"xargs", "ls"}, {"timeout", "3", "ls"}, {"run-parts", "sub"},
		{"make"}, {"make", "all"}, {"make", "-n"}, {"git", "status"}, {"git", "commit", "-m", "x"}, {"git", "-c", "core.pager=sub/run.sh", "log"}, {"git", "push"}, {"git", "x"},
		{"find", ".", "-exec", "ls", ";"}, {"find", ".", "-delete"}, {"sort", "--compress-program=sub/run.sh", "sub/data"}, {"tar", "--checkpoint-action=exec=sub/run.sh", "-cf", "x", "."}, {"tar", "cf", "x", "."},
		{"sed", "1e sub/run.sh", "sub/data"}, {"sed", "-n", "1p", "sub/data"}, {"split", "--filter=sub/run.sh", "sub/data"}, {"./mine", "sub/payload"}, {"./mine"}, {"./env", "sub/run.sh"}, {"./link", "ls"},
		{"./hop"}, {"./hop2"}, {"./hop3"}, {"./mk"}, {"perl", "-e", "1"}, {"node", "-e", "1"}, {"watch", "ls"}, {"gcc", "-wrapper", "sub/run.sh", "x.c"},
	} {
		p, err := b.look("en", callOf(t, words...))
		if _, known := errors.AsType[*loci.ToolError](err); err != nil && known {
			continue // not installed here
		}
		if err != nil || p.Binding != "" || p.Subject != "" || p.Basis == "" {
			t.Errorf("%q: a yes can last, %v", words, err)
		}
	}
}

// TestSwappedBetweenTheLookAndTheRun: with a yes to one content, another that comes and
// goes at the same place is never run.
func TestSwappedBetweenTheLookAndTheRun(t *testing.T) {
	if !confine.Probe().Filter {
		t.Skip("nothing holds a script on this system")
	}
	b := commands(t, nil)
	const good = "#!/bin/sh\necho good\n"
	path := filepath.Join(b.root, "run.sh")
	put := func(text string) error {
		return errors.Join(os.WriteFile(path+".next", []byte(text), 0o700), os.Rename(path+".next", path))
	}
	if err := put(good); err != nil {
		t.Fatal(err)
	}
	set, err := tool.New(tool.Config{Tools: All(Config{}), Gate: tool.AskFirst{}})
	if err != nil {
		t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Lang: "en"}
	var calls []loci.ToolCall
	var yes []*loci.Approval
	for i, words := range [][]string{{"./run.sh"}, {"sh", "run.sh"}} {
		calls = append(calls, loci.ToolCall{ID: strconv.Itoa(i), Name: RunCommand, Arguments: json.RawMessage(callOf(t, words...))})
		ask := set.Ask(t.Context(), scope, calls[i])
		if ask == nil {
			t.Fatal("no question")
		}
		yes = append(yes, &loci.Approval{Fingerprint: ask.Fingerprint})
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			text := good
			if i%2 == 0 {
				text = "#!/bin/sh\necho evil\n"
			}
			if err := put(text); err != nil {
				stopped <- err
				return
			}
		}
	}()
	ran := 0
	for range 60 {
		for i, call := range calls {
			r := set.Call(t.Context(), scope, call, yes[i])
			if strings.Contains(string(r.Data), "evil") {
				t.Error("another content was run: ", string(r.Data))
			}
			if strings.Contains(string(r.Data), "good") {
				ran++
			}
		}
	}
	close(stop)
	if err := <-stopped; err != nil || ran == 0 {
		t.Errorf("%d ran, %v", ran, err)
	}
}

// TestOnceThroughTheSet: the question itself offers no lasting yes where there is none.
func TestOnceThroughTheSet(t *testing.T) {
	b := project(t)
	set, err := tool.New(tool.Config{Tools: All(Config{}), Gate: tool.AskFirst{}})
	if err != nil {
		t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Lang: "en"}
	for _, tt := range []struct {
		lasts bool
		words []string
	}{{true, []string{"./run.sh"}}, {true, []string{"sh", "run.sh"}}, {false, []string{" ./run.sh"}}, {false, []string{"sh", "-c", "./run.sh"}}, {false, []string{"env", "./run.sh"}}, {false, []string{"env"}}} {
		ask := set.Ask(t.Context(), scope, loci.ToolCall{ID: "1", Name: RunCommand, Arguments: json.RawMessage(callOf(t, tt.words...))})
		if ask == nil || (ask.Binding != "") != tt.lasts || (ask.Subject != "") != tt.lasts || len(ask.Touches) == 0 {
			t.Errorf("%q: %+v", tt.words, ask)
		}
	}
}
