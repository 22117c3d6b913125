package intent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"loci"
	"loci/internal/intent"
	"loci/internal/lang"
)

// What only a look can tell is told from what may be known, by plain words alone.
func TestTells(t *testing.T) {
	r := intent.New(intent.Config{})
	specs := make([]loci.ToolSpec, 0, 8)
	for _, name := range []string{"list_dir", "read_file", "search_files", "system_info", "list_processes", "current_time", "calculate", "write_file", "delete_file", "query_db"} {
		specs = append(specs, loci.ToolSpec{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	tells := func(text string) string {
		c, ok := r.Tells(loci.Situation{Text: text, Tools: specs, Folders: []string{"/home/mira"}, Lang: lang.Of(text)})
		if !ok {
			return ""
		}
		return c.Name
	}
	for _, line := range strings.Split(strings.TrimSpace(looks), "\n") {
		text, want, _ := strings.Cut(line, " → ")
		if got := tells(text); got != want {
			t.Errorf("%q is told by %q, want %q", text, got, want)
		}
	}
	for _, text := range strings.Split(strings.TrimSpace(noLooks), "\n") {
		if got := tells(text); got != "" {
			t.Errorf("%q is told by %s", text, got)
		}
	}
	if _, ok := r.Tells(loci.Situation{Text: "read notes.md", Lang: "en"}); ok {
		t.Error("a tool that is not offered tells something")
	}
	if got := tells("read notes.md " + strings.Repeat("and so on ", 120)); got != "" {
		t.Error("a long text is a text")
	}
}

const looks = `
read notes.md → read_file
What does notes.md say? → read_file
What is in notes.md? → read_file
Show me the file docs/plan.txt, please. → read_file
list my files → list_dir
What files are in this folder? → list_dir
List the files in docs. → list_dir
Which file mentions soup? → search_files
How much free memory do I have? → system_info
How much disk space is left? → system_info
What processes are running? → list_processes
读取 notes.md → read_file
列出文件 → list_dir
přečti notes.md → read_file
vypiš soubory ve složce → list_dir
kolik mám volné paměti → system_info
`

const noLooks = `
Hello!
What day is it today?
What time is it?
What is 17 times 23?
What is a package.json file?
What is the difference between a file and a folder?
How do I read a file in Python?
How does memory work?
Write a poem about notes.md.
Explain what a README.md is for.
When is my birthday?
What is my name?
What is my favourite colour?
Give me tips for my resume.
Write buy milk to todo.txt
Delete old.log
Tell me about Prague.
Who wrote Hamlet?
I like my folder tidy.
Translate "the file is empty" into Czech.
你好
今天星期几？
什么是数据库？
我叫什么名字？
写一首关于大海的诗
Ahoj!
Kolik je 3 + 4?
Co je to databáze?
Napiš báseň o moři.
Kdo napsal Hamleta?
`
