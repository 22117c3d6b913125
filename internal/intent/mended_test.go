package intent

import (
	"strings"
	"testing"

	"loci"
)

// What was read wrongly once, each beside a sentence that is near to it and meant otherwise.
func TestMended(t *testing.T) {
	for says, want := range map[string]string{
		"jot down in calls.txt: ring the plumber":            `read_file{"path":"calls.txt"}`, // to add to it
		"write in calls.txt: ring the plumber":               `write_file{"content":"ring the plumber","path":"calls.txt"}`,
		"in people.txt it's Jan Novak, should be Petr Novak": `read_file{"path":"people.txt"}`,
		"in people.txt Jan Novak should be Petr Novak":       `edit_file{"new_text":"Petr Novak","old_text":"Jan Novak","path":"people.txt"}`,
		"which process on this computer uses most memory":    `list_processes{"sort":"memory"}`,
		"what processor does this computer have":             `system_info{"part":"cpu"}`,
		"look around in my work folder":                      `list_dir{"path":"work"}`,
		"look for rent in my work folder":                    `search_files{"content":"rent","path":"work"}`,
		"share something funny":                              "",
		"quote for SAP":                                      "I cannot tell prices of stocks",
		"install photoshop":                                  "I cannot do that. I can run a command",
		"download a film":                                    "I cannot open web pages",
		"send a message of hope":                             "I cannot reach anybody, and nothing was sent",
		"send a message to Bob":                              "I cannot send or read e-mail",
		"I need to call my mum":                              "",
		"call my mum":                                        "I cannot send or read e-mail",
	} {
		m, err := New(Config{}).Next(t.Context(), situation(says))
		if err != nil {
			t.Fatal(err)
		}
		got := m.Say
		if m.Call != nil {
			got = m.Call.Name + string(m.Call.Arguments)
		}
		if want == "" && m.Talk == nil || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, not %s", says, got, want)
		}
	}
}

// A text that is changed is the part of the words that stands in the file.
func TestOldTextIsWhatStandsInTheFile(t *testing.T) {
	s := situation("in people.txt it's Jan Novak, should be Petr Novak")
	s.Results = []loci.ToolResult{{Call: loci.ToolCall{Name: readFile}, Data: []byte(`{"text":"boss: Jan Novak\n","page":1,"pages":1}`)}}
	m, err := New(Config{}).Next(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"new_text":"Petr Novak","old_text":"Jan Novak","path":"people.txt"}`
	if m.Call == nil || m.Call.Name != editFile || string(m.Call.Arguments) != want {
		t.Errorf("the move is %s", asText(m))
	}
}
