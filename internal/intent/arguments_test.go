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
		{"How many TODO lines are in my files?", `search_files {"content":"TODO","count":true}`},
		{"count buy lines in logs/ by hour", `search_files {"content":"buy","count":true,"group_by":"(\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d)","path":"logs/"}`},
		{"How many buy lines per module are in app.log?", `search_files {"content":"buy","limit":20,"path":"app.log"}`},
		{"按模块统计 logs/ 里的 buy 行数", `search_files {"content":"buy","limit":20,"path":"logs/"}`},
		{"Which files are newer than yesterday?", `search_files {"modified_after":"2026-11-29","sort":"newest","type":"file"}`},
		{"Which files are older than a week?", `search_files {"modified_before":"2026-11-23","sort":"newest","type":"file"}`},
		{"show me all files older than 2 months", `search_files {"modified_before":"2026-09-30","sort":"newest","type":"file"}`},
		{"Které soubory jsou starší než včera?", `search_files {"modified_before":"2026-11-29","sort":"newest","type":"file"}`},
		{"ktere soubory jsou starsi nez vcera", `search_files {"modified_before":"2026-11-29","sort":"newest","type":"file"}`},
		{"nejvetsi soubor", `search_files {"limit":1,"sort":"largest","type":"file"}`},
		{"soucin z 3, 4 a 5", `calculate {"expression":"3 * 4 * 5"}`},
		{"prumer z 10, 20 a 30", `calculate {"expression":"(10 + 20 + 30) / 3"}`},
		{"which files are older than the hills", ``},
		{"list files ending in .md", `search_files {"type":"md"}`},
		{"show all files with the extension log in ~/srv", `search_files {"path":"~/srv","type":"log"}`},
		{"Which files end with *.xyz?", `search_files {"type":"xyz"}`},
		{"Do I have any PDFs?", `search_files {"type":"pdf"}`},
		{"Are there any pictures here?", `search_files {"type":"image"}`},
		{"Do I have any markdown files in docs?", `search_files {"path":"docs","type":"md"}`},
		{"Mám tu nějaké obrázky?", `search_files {"type":"image"}`},
		{"有没有图片？", `search_files {"type":"image"}`},
		{"Is there music in space?", ``},
		{"Does notes.md contain the word Alice?", `search_files {"content":"alice","path":"notes.md"}`},
		{"Does plan.txt mention Alice?", `search_files {"content":"alice","path":"plan.txt"}`},
		{"Is Anna mentioned in letter.txt?", `search_files {"content":"anna","path":"letter.txt"}`},
		{"Was there an error in app.log?", `search_files {"content":"error","path":"app.log"}`},
		{"Obsahuje letter.txt slovo Anna?", `search_files {"content":"anna","path":"letter.txt"}`},
		{"Does letter.txt mention when the meeting is?", `read_file {"path":"letter.txt"}`},
		{"Does the sun contain water?", ``},
		// Sums.
		{"square root of 144", `calculate {"expression":"sqrt(144)"}`},
		{"What's the average of 10, 20 and 30?", `calculate {"expression":"(10 + 20 + 30) / 3"}`},
		{"10、20和30的平均数是多少？", `calculate {"expression":"(10 + 20 + 30) / 3"}`},
		{"průměr z 10, 20 a 30", `calculate {"expression":"(10 + 20 + 30) / 3"}`},
		{"sum of 1,200, 3.5 and 4", `calculate {"expression":"1,200 + 3.5 + 4"}`},
		{"a dozen times 5", `calculate {"expression":"12 * 5"}`},
		{"what is half a dozen plus 3 dozen", `calculate {"expression":"6 + (3 * 12)"}`},
		{"What's the difference between 100 and 37?", `calculate {"expression":"abs(100 - 37)"}`},
		{"a dozen eggs", ``},
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
		{"What is today's date in Czech format?", `current_time {"part":"date"}`},
		{"what time is it in 24-hour format", `current_time {"part":"time"}`},
		{"What's the date in Tokyo?", `current_time {"part":"date","zone":"Tokyo"}`},
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
