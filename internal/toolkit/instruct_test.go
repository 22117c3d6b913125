package toolkit

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/tool"
)

// scribe is a model whose answers are known. It remembers what it was asked.
type scribe struct {
	answers []string
	asked   []string
	models  []string
}

func (s *scribe) Write(_ context.Context, model, system, question string, form json.RawMessage) (string, error) {
	s.asked, s.models = append(s.asked, question), append(s.models, model)
	if !json.Valid(form) || system == "" {
		return "", fmt.Errorf("asked with the form %s", form)
	}
	if len(s.answers) == 0 {
		return "", loci.Errorf(loci.Unreachable, "The model server does not answer.").WithHint("Start it.")
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer, nil
}

// prepare has a call of edit_file prepared with a model that answers like this.
func (b *bench) prepare(w Writer, args string) (loci.ToolCall, *loci.ToolResult) {
	b.t.Helper()
	set, err := tool.New(tool.Config{Tools: All(Config{Trash: b.bin, Writer: w}), Gate: anything{}})
	if err != nil {
		b.t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Lang: b.lang, Model: "small"}
	return set.Prepare(b.t.Context(), scope, loci.ToolCall{ID: "1", Name: "edit_file", Arguments: json.RawMessage(args)})
}

func TestEditByInstruction(t *testing.T) {
	const list = "# Shopping\n\neggs: 2\nmilk: 1\nbread: 1\nmilk: 1\n"
	for name, tt := range map[string]struct {
		text, answer string
		want         editArgs // empty path: nothing comes of it
	}{
		"one place": {list, `{"edits":[{"old_text":"eggs: 2","new_text":"eggs: 3"}]}`,
			editArgs{Old: "eggs: 2\n", New: "eggs: 3\n"}},
		"two places become one": {list, `{"edits":[{"old_text":"eggs: 2","new_text":"eggs: 3"},{"old_text":"bread: 1","new_text":"bread: 2"}]}`,
			editArgs{Old: "eggs: 2\nmilk: 1\nbread: 1\n", New: "eggs: 3\nmilk: 1\nbread: 2\n"}},
		"the line alone is there twice": {list, `{"edits":[{"old_text":"bread: 1\nmilk: 1","new_text":"bread: 1\nmilk: 4"}]}`,
			editArgs{Old: "bread: 1\nmilk: 1\n", New: "bread: 1\nmilk: 4\n"}},
		"a line more": {"a\nb\n", `{"edits":[{"old_text":"a\n","new_text":"a\nnew\n"}]}`, editArgs{Old: "a\n", New: "a\nnew\n"}},
		"a line less": {"a\nb\nc\n", `{"edits":[{"old_text":"b\n","new_text":""}]}`, editArgs{Old: "b\n", New: ""}},
		"in a fence, with words around": {"a\n", "Here it is:\n```json\n{\"edits\":[{\"old_text\":\"a\",\"new_text\":\"b\"}]}\n```\nDone.",
			editArgs{Old: "a\n", New: "b\n"}},
		"a comma too many":  {"a\n", `{"edits":[{"old_text":"a","new_text":"b"},]}`, editArgs{Old: "a\n", New: "b\n"}},
		"cut":               {"a\n", `{"edits":[{"old_text":"a","new_text":"b`, editArgs{}},
		"a backslash":       {"C:\\new\n", `{"edits":[{"old_text":"C:\\new","new_text":"C:\\old"}]}`, editArgs{Old: "C:\\new\n", New: "C:\\old\n"}},
		"Windows line ends": {"a\r\nb\r\n", `{"edits":[{"old_text":"b","new_text":"c"}]}`, editArgs{Old: "b\n", New: "c\n"}},
		"no last line end":  {"a", `{"edits":[{"old_text":"a","new_text":"b"}]}`, editArgs{Old: "a", New: "b"}},
		"not there":         {list, `{"edits":[{"old_text":"butter","new_text":"b"}]}`, editArgs{}},
		"there twice":       {list, `{"edits":[{"old_text":"milk: 1","new_text":"milk: 2"}]}`, editArgs{}},
		"nothing":           {list, `{"edits":[]}`, editArgs{}},
		"back again":        {list, `{"edits":[{"old_text":"# Shop","new_text":"# S"},{"old_text":"# Sping","new_text":"# Shopping"}]}`, editArgs{}},
		"no JSON":           {list, `I changed it for you.`, editArgs{}},
		"something else":    {list, `{"edits":"all of it"}`, editArgs{}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"list.md": tt.text})
			w := &scribe{answers: []string{tt.answer, tt.answer}}
			call, failed := b.prepare(w, `{"path":"list.md","instruction":"as I said"}`)
			if !strings.Contains(w.asked[0], "Instruction: as I said") || w.models[0] != "small" {
				t.Errorf("asked %q of %q", w.asked[0], w.models[0])
			}
			if tt.want == (editArgs{}) {
				if failed == nil || failed.Err.CanRetry || !strings.Contains(failed.Err.Suggestion, "old_text") || len(w.asked) != 2 || !strings.Contains(w.asked[1], "did not work") {
					t.Errorf("%+v after %q", failed, w.asked)
				}
				b.has("list.md", tt.text)
				return
			}
			if failed != nil {
				t.Fatalf("%+v", failed.Err)
			}
			tt.want.Path = "list.md"
			if want := args(t, tt.want); string(call.Arguments) != want {
				t.Errorf("%s, want %s", call.Arguments, want)
			}
			b.has("list.md", tt.text) // nothing happens before the yes
			if r := b.call("edit_file", string(call.Arguments)); r.Err != nil {
				t.Errorf("%+v", r.Err)
			}
		})
	}
}

// TestEditByInstructionAgain has a model do better when it is told what was wrong.
func TestEditByInstructionAgain(t *testing.T) {
	b := newBench(t, map[string]string{"a.md": "one\n"})
	w := &scribe{answers: []string{`{"edits":[{"old_text":"two","new_text":"three"}]}`, `{"edits":[{"old_text":"one","new_text":"three"}]}`}}
	call, failed := b.prepare(w, `{"path":"a.md","instruction":"three"}`)
	if want := `{"path":"a.md","old_text":"one\n","new_text":"three\n"}`; failed != nil || string(call.Arguments) != want {
		t.Errorf("%s, %+v", call.Arguments, failed)
	}
	if !strings.Contains(w.asked[1], "is not in a.md") {
		t.Errorf("the second time it was asked %q", w.asked[1])
	}
}

// diary is an audit log in memory.
type diary struct{ rows []loci.AuditRecord }

func (d *diary) Intend(_ context.Context, r loci.AuditRecord) (int64, error) {
	d.rows = append(d.rows, r)
	return int64(len(d.rows)), nil
}

func (d *diary) Note(_ context.Context, r loci.AuditRecord) error {
	d.rows = append(d.rows, r)
	return nil
}

// TestEditByInstructionAudited has the reading of the file written down, whatever comes
// of it, and nothing where nothing was read.
func TestEditByInstructionAudited(t *testing.T) {
	b := newBench(t, map[string]string{"a.md": "one\n"})
	for _, tt := range []struct {
		args, answer string
		state        loci.AuditState
		result       string
	}{
		{`{"path":"a.md","instruction":"three"}`, `{"edits":[{"old_text":"one","new_text":"three"}]}`, loci.StateDone, ""},
		{`{"path":"a.md","instruction":"four"}`, `{"edits":[]}`, loci.StateFailed, "gave no change"},
		{`{"path":"none.md","instruction":"x"}`, "", loci.StateFailed, "none.md"},
		{`{"path":"a.md","old_text":"one","new_text":"two"}`, "", "", ""},
	} {
		d := &diary{}
		set, err := tool.New(tool.Config{Tools: All(Config{Trash: b.bin, Writer: &scribe{answers: []string{tt.answer, tt.answer}}}), Gate: anything{}, Ledger: d})
		if err != nil {
			t.Fatal(err)
		}
		scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Session: "ses_1", Turn: "turn_1"}
		set.Prepare(t.Context(), scope, loci.ToolCall{ID: "call_1", Name: "edit_file", Arguments: json.RawMessage(tt.args)})
		if tt.state == "" {
			if len(d.rows) > 0 {
				t.Errorf("%s: %+v", tt.args, d.rows)
			}
			continue
		}
		if len(d.rows) != 1 {
			t.Fatalf("%s: %+v", tt.args, d.rows)
		}
		r := d.rows[0]
		if r.Kind != loci.AuditOutcome || r.Effects != loci.EffectRead || r.State != tt.state || string(r.Arguments) != tt.args ||
			r.Tool != "edit_file" || r.Call != "call_1" || r.Session != "ses_1" || !strings.Contains(r.Result, tt.result) {
			t.Errorf("%s: %+v", tt.args, r)
		}
	}
}

// TestEditByInstructionRefused are edits of which no model hears.
func TestEditByInstructionRefused(t *testing.T) {
	b := newBench(t, map[string]string{"empty.md": " \n", "long.md": strings.Repeat("a line\n", 20_000), "picture.png": "\x89PNG\r\n\x1a\n\x00\x00", "a.md": "one\n"})
	if err := os.Link(filepath.Join(b.root, "a.md"), filepath.Join(b.root, "b.md")); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"path":"empty.md","instruction":"x"}`:                              "empty",
		`{"path":"long.md","instruction":"x"}`:                               "too long",
		`{"path":"picture.png","instruction":"x"}`:                           "binary",
		`{"path":"none.md","instruction":"x"}`:                               "none.md",
		`{"path":"../out.md","instruction":"x"}`:                             "out.md",
		`{"path":"a.md","instruction":"x"}`:                                  "hard links",
		`{"path":"empty.md","instruction":"x","old_text":"a","new_text":""}`: "exact texts",
	} {
		w := &scribe{answers: []string{`{"edits":[]}`}}
		_, failed := b.prepare(w, args)
		if failed == nil || !strings.Contains(failed.Err.Message, want) || len(w.asked) > 0 {
			t.Errorf("%s: %+v, asked %q", args, failed, w.asked)
		}
	}
	if _, failed := b.prepare(nil, `{"path":"a.md","instruction":"x"}`); failed == nil || !strings.Contains(failed.Err.Message, "No model") {
		t.Errorf("without a model: %+v", failed)
	}
	if _, failed := b.prepare(&scribe{}, `{"path":"long.md","old_text":"x","new_text":"y"}`); failed != nil {
		t.Errorf("an exact edit: %+v", failed)
	}
	for _, args := range []string{`{"path":"a.md"}`, `{"path":"a.md","old_text":"one"}`, `{"path":"a.md","new_text":"one"}`} {
		b.refuse("edit_file", args, "missing")
	}
	b.refuse("edit_file", `{"path":"a.md","instruction":"x","old_text":"one"}`, "exact texts")
}
