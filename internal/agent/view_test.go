package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"loci"
	"loci/internal/toolcall"
)

// A digest that was held to a form is read, also where it was cut at its limit.
func TestInForm(t *testing.T) {
	for said, want := range map[string]string{
		`{"digest":"Two \"errors\"."}`:       `Two "errors".`,
		"{\n  \"digest\": \"Two errors, and": "Two errors, and",
		`{"digest":"C:\\`:                    `C:`,
		`{"digest":"all"`:                    "all",
		`Two errors.`:                        "",
		`{"digest":`:                         "",
	} {
		if got := inForm(said); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}

// A long call is sent in short in the session's dialect, as a call that can be read.
func TestShortCalls(t *testing.T) {
	specs := []loci.ToolSpec{{Name: "write_file", Parameters: json.RawMessage(`{"type":"object"}`)}}
	arguments, err := json.Marshal(map[string]string{"content": strings.Repeat("a long line, ", 300), "path": "a.md"})
	if err != nil {
		t.Fatal(err)
	}
	call := loci.ToolCall{Name: "write_file", Arguments: arguments}
	for _, m := range []loci.Markup{loci.MarkupTool, loci.MarkupToolCall, loci.MarkupJSON, loci.MarkupReAct} {
		for _, before := range []string{"", "I will write it.\n"} {
			if m == loci.MarkupJSON && before != "" { // which is a call only where it is all
				continue
			}
			tt := &turn{kit: kit{specs: specs}}
			tt.session.Markup = m
			long := loci.Message{Role: loci.Assistant, Content: before + toolcall.Write(m, call)}
			short, changed := tt.shortCalls(long)
			again, _ := tt.shortCalls(long)
			if !changed || short.Content != again.Content || len(short.Content) > 2*digest {
				t.Errorf("%s: %d bytes became %d", m, len(long.Content), len(short.Content))
			}
			if !strings.HasPrefix(short.Content, before) || !strings.HasPrefix(strings.TrimPrefix(short.Content, before), toolcall.Write(m, call)[:20]) {
				t.Errorf("%s: it begins %q", m, short.Content[:60])
			}
			reader := toolcall.NewReader(specs)
			seen := reader.Write(short.Content)
			rest, calls, fault := reader.Close()
			if len(calls) != 1 || fault != nil || strings.TrimSpace(seen+rest) != strings.TrimSpace(before) || !strings.Contains(string(calls[0].Arguments), `"cut":"`) {
				t.Errorf("%s: it is read as %q, %v, %v", m, seen+rest, calls, fault)
			}
			if same, changed := tt.shortCalls(short); changed {
				t.Errorf("%s: what is short becomes %q", m, same.Content)
			}
		}
	}
}

// What stands behind a result in a message is no part of the result.
func TestShortCorrection(t *testing.T) {
	f := toolcall.Unknown(strings.Repeat("x", 60), []loci.ToolSpec{{Name: strings.Repeat("read_file", 40)}})
	told := f.Correction(loci.MarkupToolCall)
	short := shortOutputs(told, "node_123456", digest)
	if !strings.HasSuffix(told, "</tool_call>") || len(short) >= len(told) || !strings.HasSuffix(short, "}</tool_output>") {
		t.Errorf("%s\nbecame\n%s", told, short)
	}
	inner := strings.Join(toolcall.Outputs(short), "")
	if !json.Valid([]byte(inner)) {
		t.Errorf("%s is not JSON", inner)
	}
}
