package toolcall

import (
	"encoding/json"
	"testing"

	"loci"
)

func TestDoing(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"list_dir", `{}`, "listing ."},
		{"list_dir", `{"path":"a"}`, "listing a"},
		{"read_file", `{"path":"notes.md"}`, "reading notes.md"},
		{"search_files", `{"content":"ERROR","path":"app.log","count":true}`, `searching for "ERROR" in app.log`},
		{"search_files", `{"content":"^\\d+ (?:a|b)","regexp":true,"path":"logs"}`, "looking through the files in logs"},
		{"search_files", `{"name":"*.md"}`, "looking for files named *.md"},
		{"search_files", `{"sort":"newest"}`, "looking through the files"},
		{"calculate", `{"expression":"6*7"}`, "calculating 6*7"},
		{"current_time", `{}`, "looking at the clock"},
		{"write_file", `{"path":"a.md","content":"x"}`, "writing a.md"},
		{"move_file", `{"source":"a","destination":"b"}`, "moving a to b"},
		{"something_new", `{"path":"x"}`, "something_new"},
		{"read_file", `no JSON`, "reading a file"},
		{"read_file", `{"path":7}`, "reading 7"},
	} {
		if got := Doing(loci.ToolCall{Name: tt.tool, Arguments: json.RawMessage(tt.args)}); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
}
