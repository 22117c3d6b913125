package intent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/internal/tool"
	"loci/internal/toolkit"
)

// changers are the names of the tools that change files, or may.
var changers = []string{"write_file", "edit_file", "move_file", "delete_file", "run_command"}

// readers are the real tools that only look.
func readers() []tool.Tool {
	return slices.DeleteFunc(toolkit.All(toolkit.Config{}), func(t tool.Tool) bool { return slices.Contains(changers, t.Name) })
}

// everything is the real tools.
func everything() []tool.Tool { return toolkit.All(toolkit.Config{}) }

// yes is a gate through which everything goes.
type yes struct{}

func (yes) Decide(context.Context, tool.Case) tool.Decision {
	return tool.Decision{Verdict: tool.Allow}
}

// noToChanges is a gate of somebody who says no whenever asked.
type noToChanges struct{}

func (noToChanges) Decide(_ context.Context, c tool.Case) tool.Decision {
	if c.Spec.Dangerous {
		return tool.Decision{Reason: "You said no, so nothing was changed."}
	}
	return tool.Decision{Verdict: tool.Allow}
}

// specsOf are the descriptions of tools.
func specsOf(tools []tool.Tool) []loci.ToolSpec {
	var all []loci.ToolSpec
	for _, t := range tools {
		all = append(all, t.ToolSpec)
	}
	return all
}

// said is a conversation with something in it that can be saved.
var said = []loci.Message{{Role: loci.User, Content: "Tell me about tea."}, {Role: loci.Assistant, Content: "Tea is a drink.\n\n- green\n- black"}}

// fits tells whether a move is the one that was meant.
func fits(m loci.Move, q request) bool {
	switch q.tool {
	case "none":
		return m.Call == nil
	case "say":
		return m.Call == nil && m.Say != ""
	}
	if m.Call == nil || m.Call.Name != q.tool {
		return false
	}
	var args map[string]any
	if json.Unmarshal(m.Call.Arguments, &args) != nil {
		return false
	}
	if q.tool == "write_file" && q.args["content"] == nil && args["content"] != said[1].Content {
		return false // the last reply, as it was
	}
	for name, want := range q.args {
		if args[name] != want {
			return false
		}
	}
	return args["replace_all"] == q.args["replace_all"]
}

// TestChanges measures how requests to change files are read. Those that must
// run nothing never may.
func TestChanges(t *testing.T) {
	r := intent.New(intent.Config{})
	offered := specsOf(everything())
	for file, least := range map[string]float64{"testdata/changes.tsv": 1, "testdata/changes_heldout.tsv": 0.9} {
		all, right := requests(t, file), 0
		for _, q := range all {
			m, err := r.Next(t.Context(), loci.Situation{Text: q.text, History: said, Lang: lang.Of(q.text), Tools: offered, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			if fits(m, q) {
				right++
				continue
			}
			got := m.Say
			if m.Call != nil {
				got = m.Call.Name + " " + string(m.Call.Arguments)
			}
			t.Logf("%s %q: %.100q, want %s %v", q.lang, q.text, got, q.tool, q.args)
			if m.Call != nil && (q.tool == "none" || q.tool == "say" || slices.Contains(changers, m.Call.Name)) {
				t.Errorf("%q ran %s", q.text, got)
			}
		}
		share := float64(right) / float64(len(all))
		t.Logf("%s: %d of %d, %.1f %%", file, right, len(all), 100*share)
		if share < least {
			t.Errorf("%s: only %.1f %% right", file, 100*share)
		}
	}
}

// TestChangesAreVerbatim holds what is written to what the person wrote.
func TestChangesAreVerbatim(t *testing.T) {
	r := intent.New(intent.Config{})
	offered := specsOf(everything())
	for text, want := range map[string]string{
		"write to a.txt: one\n  two\n\nthree.":                     `write_file {"content":"one\n  two\n\nthree.","path":"a.txt"}`,
		"write 'two  spaces ' to a.txt":                            `write_file {"content":"two  spaces ","path":"a.txt"}`,
		"Write “it’s mine” to a.txt.":                              `write_file {"content":"it’s mine","path":"a.txt"}`,
		"write 'it's mine' to a.txt":                               `write_file {"content":"it's mine","path":"a.txt"}`,
		`create a file a.txt with the text Hello, "world"!`:        ``,
		`create a file a.txt with the text "Hello, world!" please`: `write_file {"content":"Hello, world!","path":"a.txt"}`,
		"create a file a.txt with the text thank you":              `write_file {"content":"thank you","path":"a.txt"}`,
		"create a file a.txt with the text Is it now?":             `write_file {"content":"Is it now?","path":"a.txt"}`,
		`write "go to b.txt" to a.txt`:                             `write_file {"content":"go to b.txt","path":"a.txt"}`,
		"write go to bed to a.txt":                                 ``,
		"write hello to notes in town.txt":                         ``,
		`write "x" to "notes in town.txt"`:                         `write_file {"content":"x","path":"notes in town.txt"}`,
		`replace "a  b" with "" in x.ini`:                          `edit_file {"new_text":"","old_text":"a  b","path":"x.ini"}`,
		"replace 'a with b' with 'c' in x.ini":                     `edit_file {"new_text":"c","old_text":"a with b","path":"x.ini"}`,
		"replace a with b with c in x.ini":                         ``,
		"replace all 'a' with 'b' in x.ini":                        `edit_file {"new_text":"b","old_text":"a","path":"x.ini","replace_all":true}`,
		"delete 'my old file.txt'":                                 `delete_file {"path":"my old file.txt"}`,
		"delete my old file.txt":                                   ``,
		"delete ~/tmp/old file.txt":                                `delete_file {"path":"~/tmp/old file.txt"}`,
		`delete C:\tmp\old.txt`:                                    `delete_file {"path":"C:\\tmp\\old.txt"}`,
		"delete ./-rf.txt":                                         `delete_file {"path":"./-rf.txt"}`,
		"delete https://example.com/a.txt":                         ``,
		"delete a.txt b.txt":                                       ``,
		"delete a.txt和b.txt":                                       ``,
		"delete logs/":                                             `delete_file {"path":"logs/"}`,
		"delete ../":                                               ``,
		"delete ..":                                                ``,
		`delete . in \`:                                            ``,
		"delete ./":                                                ``,
		"delete ~/":                                                ``,
		"delete this folder":                                       ``,
		"delete the current folder":                                ``,
		"delete the folder a and the folder b":                     ``,
		"delete all folders":                                       ``,
		"delete the folder my old things":                          ``,
		"no, delete old.log instead":                               `delete_file {"path":"old.log"}`,
		"no, do not delete old.log":                                ``,
		"delete old.log and tell me when it is done":               `delete_file {"path":"old.log"}`,
		"delete old.log and tell me a joke":                        ``,
		`append a line "PS: bye" to a.txt`:                         `read_file {"path":"a.txt"}`,
		"add up the prices in prices.csv":                          `read_file {"path":"prices.csv"}`,
		`overwrite a.txt with "x"`:                                 `write_file {"content":"x","path":"a.txt"}`,
		"overwrite a.txt with b.txt":                               ``,
		"write today's date to a.txt":                              `write_file {"content":"2026-11-30","path":"a.txt"}`,
		`write "today's date" to a.txt`:                            `write_file {"content":"today's date","path":"a.txt"}`,
		`write "x" to work`:                                        ``,
		"change the port in a.yaml to 80":                          `read_file {"path":"a.yaml"}`,
		"delete line 2 of a.txt":                                   `read_file {"path":"a.txt"}`,
		"delete logs/*.log":                                        ``,
		"delete a.txt, please.":                                    `delete_file {"path":"a.txt"}`,
		"delete the file notes":                                    `delete_file {"path":"notes"}`,
		"delete notes":                                             ``,
		"delete Makefile":                                          `delete_file {"path":"Makefile"}`,
		"delete /tmp":                                              `delete_file {"path":"/tmp"}`, // the tool knows what that is
		"rename sub/a.txt to sub2/b.txt":                           `move_file {"destination":"sub2/b.txt","source":"sub/a.txt"}`,
		"rename a.txt to 'b'":                                      `move_file {"destination":"b","source":"a.txt"}`,
		"rename a.txt to b.txt and c.txt to d.txt":                 ``,
		"move a.txt to ..":                                         `move_file {"destination":"../a.txt","source":"a.txt"}`,
		"move sub/a.txt here":                                      ``,
		"move sub/a.txt to this folder":                            `move_file {"destination":"a.txt","source":"sub/a.txt"}`,
		"move a.txt to /":                                          `move_file {"destination":"/a.txt","source":"a.txt"}`,
		"move a.txt to the trash":                                  `list_dir {"path":"trash"}`,
		"I want to delete old.log":                                 `delete_file {"path":"old.log"}`,
		"please don't delete old.log":                              ``,
		"delete old.log? no, keep it.txt":                          ``,
		"save it":                                                  ``,
		"save that to notes":                                       ``,
		"replace 'a' with 'b' and 'c' with 'd' in x.ini":           ``,
		`write "x" to a.txt and "y" to b.txt`:                      ``,
		"create a file a.txt with the text 'a' and 'b'":            ``,
		"把 x b.txt 删除":                                             `delete_file {"path":"x b.txt"}`,
		"删除a.txt":                                                  `delete_file {"path":"a.txt"}`,
		"删除a.txt和b.txt":                                            ``,
		"把“a”和“b”写入 x.txt":                                         ``,
		"smaz soubor a.txt":                                        `delete_file {"path":"a.txt"}`,
		"napiš mi básničku do basen.txt":                           ``,
		"write a poem to poem.txt":                                 ``,
		"write me a letter in letter.txt":                          ``,
		"create report.md with the number of lines":                ``,
		"create a summary.txt containing a summary of notes.md":    ``,
		"add two and two in sums.txt":                              `read_file {"path":"sums.txt"}`,
	} {
		m, err := r.Next(t.Context(), loci.Situation{Text: text, History: said, Lang: lang.Of(text), Tools: offered, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m.Call != nil {
			got = m.Call.Name + " " + string(m.Call.Arguments)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestChangesInSteps plays changes that need to look first.
func TestChangesInSteps(t *testing.T) {
	p := newPerson(t, map[string]string{"list.md": "- [ ] pay\n- [ ] call\n- [x] call\n- [ ] call\n", "lines.txt": "a\nb\na\nb\n", "todo.txt": "eggs", "win.txt": "a\r\nb\r\n", "empty.txt": "", "long.txt": strings.Repeat("word ", 2000), "archive/x.txt": "x"})
	p.has(everything())
	for _, tc := range []struct{ text, say, file, holds string }{
		{"add 'buy milk' to todo.txt", "Wrote ", "todo.txt", "eggs\nbuy milk\n"},
		{"add 'c' to win.txt", "Wrote ", "win.txt", "a\r\nb\r\nc\r\n"},
		{"append 'first' to empty.txt", "Wrote ", "empty.txt", "first\n"},
		{"add 'x' to long.txt", "I can only add to a short text", "", ""},
		{"add 'x' to nothing.txt", "Wrote nothing.txt", "nothing.txt", "x\n"},
		{"mark 'pay' as done in list.md", "Changed ", "list.md", "- [x] pay\n- [ ] call\n- [x] call\n- [ ] call\n"},
		{"mark 'pay' as done in list.md", "already", "", ""},
		{"mark 'call' as done in list.md", "no open item, or more than one", "", ""},
		{"mark 'sing' as done in list.md", "no open item", "", ""},
		{"delete line 3 of lines.txt", "Changed ", "lines.txt", "a\nb\nb\n"},
		{"delete line 9 of lines.txt", "only 3 lines", "", ""},
		{"move todo.txt to archive", "Moved todo.txt to archive/todo.txt.", "", ""},
		{"move todo.txt to nowhere", "There is no file or folder", "", ""},
		{"Tell me about tea", "", "", ""},
		{"delete it", "I change one file at a time", "", ""},
	} {
		m := p.asks(tc.text)
		if !strings.Contains(m.Say, tc.say) {
			t.Errorf("%q: said %q after %v, want %q", tc.text, m.Say, p.calls, tc.say)
		}
		if tc.file == "" {
			continue
		}
		if raw, err := os.ReadFile(filepath.Join(p.dir, tc.file)); err != nil || string(raw) != tc.holds {
			t.Errorf("%q: %s holds %q, %v", tc.text, tc.file, raw, err)
		}
	}
}

// TestChangesOnlyWhereOffered says that nothing can be changed where that is so.
func TestChangesOnlyWhereOffered(t *testing.T) {
	p := newPerson(t, files)
	for _, text := range []string{"delete notes.md", "write 'x' to y.txt", "create a file y.txt with the text x", "rename notes.md to y.md", "replace 'a' with 'b' in notes.md", "save that to y.md", "add 'x' to notes.md", "delete all files", "copy notes.md to y.md"} {
		if m := p.asks(text); len(p.calls) > 0 || !strings.HasPrefix(m.Say, "I cannot change files here") {
			t.Errorf("%q: %+v after %v", text, m, p.calls)
		}
	}
	if m := p.asks("what can you do?"); strings.Contains(m.Say, "delete") {
		t.Errorf("it tells of what it cannot do: %q", m.Say)
	}
	p.has(everything())
	if m := p.asks("what can you do?"); !strings.Contains(m.Say, "delete") || !strings.Contains(m.Say, "ask") {
		t.Errorf("it does not tell what it can do: %q", m.Say)
	}
}

// TestDeclined says what the gate said.
func TestDeclined(t *testing.T) {
	p := newPerson(t, files)
	set, err := tool.New(tool.Config{Tools: everything(), Gate: noToChanges{}})
	if err != nil {
		t.Fatal(err)
	}
	p.set = set
	if m := p.asks("delete notes.md"); m.Say != "You said no, so nothing was changed." {
		t.Errorf("%+v", m)
	}
}

// FuzzChanges holds what is changed to the words: each path, and each text that is
// to be written, is in them whole, quotation marks are around it or not in it.
func FuzzChanges(f *testing.F) {
	for _, file := range []string{"testdata/changes.tsv", "testdata/reports.tsv", "testdata/visitor.tsv"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			f.Add(line[strings.LastIndexByte(line, '\t')+1:])
		}
	}
	r := intent.New(intent.Config{})
	offered := specsOf(everything())
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) { // nothing that came as JSON
			return
		}
		m, err := r.Next(t.Context(), loci.Situation{Text: text, Lang: lang.Of(text), Tools: offered, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if m.Call == nil || !slices.Contains(changers, m.Call.Name) {
			return
		}
		var args map[string]any
		if err := json.Unmarshal(m.Call.Arguments, &args); err != nil {
			t.Fatal(err)
		}
		words := plain(text)
		for name, v := range args {
			value, ok := v.(string)
			if name == "content" && (value == now.Format(time.DateOnly) || value == now.Format("15:04")) {
				continue // the one text that is made: today's date, or the time
			}
			if ok && name != "destination" && !strings.Contains(words, plain(value)) {
				// the one path that is made: a file in a folder
				dir, base := filepath.Split(value)
				if name != "path" || m.Call.Name != "delete_file" || !strings.Contains(words, plain(base)) || !strings.Contains(words, plain(strings.TrimSuffix(dir, "/"))) {
					t.Errorf("%q: %s is %q", text, name, value)
				}
			}
			if ok && strings.HasSuffix(name, "path") && (value == "" || strings.ContainsAny(value, "*?\n")) {
				t.Errorf("%q: %s is %q", text, name, value)
			}
		}
	})
}

// plain is a text as far as it is compared: one Unicode form, one kind of space and
// of apostrophe.
func plain(s string) string {
	return strings.ReplaceAll(norm.NFC.String(strings.Join(strings.Fields(s), " ")), "’", "'")
}
