package intent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"loci"
	"loci/internal/intent"
)

// TestRunCommand: a command is run as the person wrote it, or not at all.
func TestRunCommand(t *testing.T) {
	r := intent.New(intent.Config{})
	next := func(text, lang string, tools []loci.ToolSpec) loci.Move {
		m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang, Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for text, want := range map[string]string{
		"Run git status.":                     "git status",
		"Please run git log --oneline -n 3":   "git log --oneline -n 3",
		"Could you execute ls -la for me?":    "ls -la",
		"run the command wc -l notes.md":      "wc -l notes.md",
		"Run the command: mytool  --x 'a  b'": "mytool  --x 'a  b'",
		"run `wc -l notes.md`.":               "wc -l notes.md",
		"run \"find . -name x.\"":             "find . -name x.",
		"Run ./build.sh -v":                   "./build.sh -v",
		"运行 git status。":                      "git status",
		"执行命令 ls -la":                         "ls -la",
		"请执行命令“wc -l notes.md”":               "wc -l notes.md",
		"Spusť git status":                    "git status",
		"spusť příkaz wc -l notes.md":         "wc -l notes.md",
		"Run make test":                       "make test",
	} {
		m := next(text, "en", specsOf(everything()))
		var args struct{ Argv []string }
		if m.Call == nil || m.Call.Name != "run_command" || json.Unmarshal(m.Call.Arguments, &args) != nil || len(args.Argv) != 1 || args.Argv[0] != want {
			t.Errorf("%s: %+v, %q", text, m, args.Argv)
		}
		if m := next(text, "en", specsOf(readers())); m.Call != nil {
			t.Errorf("%s: nobody may run commands, but %s is called", text, m.Call.Name)
		}
	}
	for _, text := range []string{"Run the tests", "run backup.sh", "Run a command", "execute this script", "执行脚本", "spusť testy"} {
		if m := next(text, "en", specsOf(everything())); m.Call != nil || !strings.Contains(m.Say, "git status") {
			t.Errorf("%s: %+v", text, m)
		}
	}
	for _, text := range []string{"Run a marathon with me", "Run away", "shut down the computer", "I want to run", "What does git status do?", "he runs git status"} {
		if m := next(text, "en", specsOf(everything())); m.Call != nil {
			t.Errorf("%s: %+v", text, m.Call)
		}
	}
	if m := next("open firefox", "en", specsOf(everything())); m.Call == nil || m.Call.Name != "open_app" { // which asks first
		t.Errorf("%+v", m)
	}
	done := loci.ToolResult{Call: loci.ToolCall{Name: "run_command"}, Text: "Ran git status (0.1 s)."}
	m, err := r.Next(t.Context(), loci.Situation{Text: "run git status", Tools: specsOf(everything()), Results: []loci.ToolResult{done}})
	if err != nil || m.Say != done.Text {
		t.Errorf("%+v %v", m, err)
	}
}
