package intent_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
)

// TestArguments pins what the rules read out of a person's words.
func TestArguments(t *testing.T) {
	r := intent.New(intent.Config{})
	for _, tc := range []struct{ text, want string }{
		// Names and paths.
		{`read "my file (1).txt"`, `read_file {"path":"my file (1).txt"}`},
		{`open the file 'it is mine.md'`, `read_file {"path":"it is mine.md"}`},
		{"打开“我的 计划.md”", `read_file {"path":"我的 计划.md"}`},
		{"Otevři „můj plán.txt“", `read_file {"path":"můj plán.txt"}`},
		{`read C:\Users\me\notes.txt`, `read_file {"path":"C:\\Users\\me\\notes.txt"}`},
		{"What does the file ~/My Letters/to mum.txt say?", `read_file {"path":"~/My Letters/to mum.txt"}`},
		{"show me README", `read_file {"path":"README"}`},
		{"cat .env", `read_file {"path":".env"}`},
		{"could you please read notes.md for me, thanks", `read_file {"path":"notes.md"}`},
		{"What's in /tmp/a-b_c/", `list_dir {"path":"/tmp/a-b_c/"}`},
		{"What is in the folder My Photos?", `list_dir {"path":"My Photos"}`},
		{"which files are in the notes folder", `list_dir {"path":"/home/ana/notes"}`}, // an allowed folder
		{"list the files in this folder", `list_dir {}`},
		{"what files are in ..", `list_dir {"path":".."}`},
		// Searches.
		{"which files changed this week?", `search_files {"modified_after":"2026-11-30","sort":"newest","type":"file"}`},
		{"which files changed last week?", `search_files {"modified_after":"2026-11-23","modified_before":"2026-11-30","sort":"newest","type":"file"}`},
		{"which files did I change yesterday?", `search_files {"modified_after":"yesterday","modified_before":"today","sort":"newest","type":"file"}`},
		{"show me the files changed since 2026-11-01", `search_files {"modified_after":"2026-11-01","sort":"newest","type":"file"}`},
		{"which files were modified on monday?", ``},
		{"what are the largest files in ~/Downloads?", `search_files {"limit":10,"path":"~/Downloads","sort":"largest","type":"file"}`},
		{"find all markdown files in docs/", `search_files {"path":"docs/","type":"md"}`},
		{"search for the phrase \"two words\" in ~/notes", `search_files {"content":"two words","path":"~/notes"}`},
		{"grep TODO src/", `search_files {"content":"TODO","path":"src/"}`},
		{"find *.go", `search_files {"name":"*.go"}`},
		{"How often does milk appear in notes.md?", `search_files {"content":"\\bmilk\\b","count":true,"path":"notes.md","regexp":true}`},
		{"How many ERROR lines are in my files?", `search_files {"content":"ERROR","count":true}`},
		{"count WARN lines in logs/ by hour", `search_files {"content":"WARN","count":true,"group_by":"(\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d)","path":"logs/"}`},
		{"How many ERROR lines per module are in app.log?", `search_files {"content":"ERROR","limit":20,"path":"app.log"}`},
		{"按模块统计 logs/ 里的 ERROR 行数", `search_files {"content":"ERROR","limit":20,"path":"logs/"}`},
		// Sums.
		{"1,200 + 21%", `calculate {"expression":"1,200 + 21%"}`},
		{"what is 2 to the power of 10", `calculate {"expression":"2 ^ 10"}`},
		{"what is 10-3?", `calculate {"expression":"10-3"}`},
		{"10-3", ``},
		{"how much is 7 times 6", `calculate {"expression":"7 * 6"}`},
		{"kolik je 7 krát 6", `calculate {"expression":"7 * 6"}`},
		{"5加6等于多少", `calculate {"expression":"5 + 6"}`},
		{"3² + 4²", `calculate {"expression":"3² + 4²"}`},
		{"(1 + 2", `calculate {"expression":"(1 + 2"}`}, // the calculator tells what is missing
		// The machine and the clock.
		{"memory usage", `system_info {"part":"memory"}`},
		{"How many cores does this machine have?", `system_info {"part":"cpu"}`},
		{"tell me about this computer", `system_info {}`},
		{"Kolik je hodin v Londýně?", `current_time {"part":"time","zone":"London"}`},
		{"what time is it in new york right now", `current_time {"part":"time","zone":"new york"}`},
	} {
		m, err := r.Next(t.Context(), loci.Situation{Text: tc.text, Lang: lang.Of(tc.text), Tools: specs, Folders: []string{"/home/ana/notes"}, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m.Call != nil {
			got = m.Call.Name + " " + string(m.Call.Arguments)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.text, diff)
		}
	}
}

func FuzzNext(f *testing.F) {
	for _, s := range []string{"read notes.md", "How many ERROR lines per module are in a.log?", "今天星期几？", "Ukaž soubory v ~/x", "(3+4)*5", "summarise the second file", "read \"a b\""} {
		f.Add(s, "Files in /x: a.txt (12 bytes), b (1.0 KiB)")
	}
	r := intent.New(intent.Config{})
	f.Fuzz(func(t *testing.T, text, history string) {
		s := loci.Situation{Text: text, Lang: lang.Of(text), History: []loci.Message{{Role: loci.Assistant, Content: history}}, Tools: specs, Now: now}
		m, err := r.Next(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		set := 0
		for _, is := range []bool{m.Call != nil, m.Say != "", m.Talk != nil} {
			if is {
				set++
			}
		}
		if set != 1 {
			t.Errorf("%q: %+v", text, m)
		}
		if m.Call != nil && !json.Valid(m.Call.Arguments) {
			t.Errorf("%q: arguments %s", text, m.Call.Arguments)
		}
	})
}
