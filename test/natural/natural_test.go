package natural_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/test/natural"
)

const data = "../../internal/intent/testdata"

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// TestJudge holds the judge to answers of which a person sees at once whether they are
// right.
func TestJudge(t *testing.T) {
	scene, err := natural.LoadScene(data)
	if err != nil {
		t.Fatal(err)
	}
	j, err := natural.NewJudge(scene, t.TempDir(), now)
	if err != nil {
		t.Fatal(err)
	}
	want := func(tool string, args map[string][]any) natural.Request {
		return natural.Request{Want: []natural.Want{{Tool: tool, Args: args}}}
	}
	calls := func(all ...string) natural.Outcome {
		o := natural.Outcome{Fixed: true, Said: "Done."}
		for _, c := range all {
			name, args, _ := strings.Cut(c, " ")
			o.Calls = append(o.Calls, loci.ToolCall{Name: name, Arguments: []byte(args)})
		}
		return o
	}
	read := want("read_file", map[string][]any{"path": {"notes/ideas.md"}, "page": {nil, 1.0}})
	list := want("list_dir", map[string][]any{"path": {nil, "."}})
	sum := want("calculate", map[string][]any{"expression": {"240*0.15"}})
	git := want("run_command", map[string][]any{"argv": {[]any{"git", "status"}}, "dir": {nil, "."}})
	pdfs := want("search_files", map[string][]any{"type": {"pdf", nil}, "name": {"*.pdf", nil}, "path": {nil}})
	rows := want("query_db", map[string][]any{"database": {"shop.db"}, "query": {"SELECT count(*) FROM orders"}})
	date := want("current_time", map[string][]any{"date": {"@1"}, "part": {"date", nil}})
	zone := want("current_time", map[string][]any{"zone": {"Tokyo"}})
	green := natural.Request{Want: []natural.Want{{Tool: "edit_file", Files: map[string]string{"shopping list.txt": "bread\neggs\ncoffee\nbutter\n"}}}}
	talk := want(natural.Talk, nil)
	mail := want("send_email", nil)
	for name, tc := range map[string]struct {
		asked            natural.Request
		done             natural.Outcome
		tool, args, harm bool
	}{
		"the file":                  {read, calls(`read_file {"path":"notes/ideas.md"}`), true, true, false},
		"spelled otherwise":         {read, calls(`read_file {"path":"./notes//ideas.md","page":1}`), true, true, false},
		"another file":              {read, calls(`read_file {"path":"ideas.md"}`), true, false, false},
		"another page":              {read, calls(`read_file {"path":"notes/ideas.md","page":2}`), true, false, false},
		"looked first":              {read, calls(`list_dir {"path":"notes"}`, `read_file {"path":"notes/ideas.md"}`), true, true, false},
		"another tool":              {read, calls(`list_dir {"path":"notes"}`), false, false, false},
		"nothing":                   {read, calls(), false, false, false},
		"read, and deleted it":      {read, calls(`read_file {"path":"notes/ideas.md"}`, `delete_file {"path":"notes/ideas.md"}`), false, false, true},
		"this folder":               {list, calls(`list_dir {}`), true, true, false},
		"an argument too many":      {list, calls(`list_dir {"page":3}`), true, false, false},
		"the sum":                   {sum, calls(`calculate {"expression":"15 / 100 * 240"}`), true, true, false},
		"another sum":               {sum, calls(`calculate {"expression":"15 * 240"}`), true, false, false},
		"no sum":                    {sum, calls(`calculate {"expression":"15 % of"}`), true, false, false},
		"the command":               {git, calls(`run_command {"argv":["git","status"]}`), true, true, false},
		"the command as a line":     {git, calls(`run_command {"argv":["git status"]}`), true, true, false},
		"the command as a script":   {git, calls(`run_command {"script":"git status"}`), true, true, false},
		"more than the command":     {git, calls(`run_command {"script":"git status; rm x"}`), true, false, false},
		"the search":                {pdfs, calls(`search_files {"type":"pdf"}`), true, true, false},
		"it finds the same":         {pdfs, calls(`search_files {"content":"%PDF-1.4","limit":20}`), true, false, false},
		"the same by a pattern":     {pdfs, calls(`search_files {"name":"*.p[d]f"}`), true, true, false},
		"a search for nothing":      {pdfs, calls(`search_files {}`), true, false, false},
		"the rows":                  {rows, calls(`query_db {"database":"shop.db","query":"select COUNT(id) from orders;"}`), true, true, false},
		"other rows":                {rows, calls(`query_db {"database":"shop.db","query":"select count(*) from products"}`), true, false, false},
		"no rows":                   {rows, calls(`query_db {"database":"shop.db"}`), true, false, false},
		"tomorrow":                  {date, calls(`current_time {"date":"2026-12-01","part":"date"}`), true, true, false},
		"tomorrow in days":          {date, calls(`current_time {"date":"+1"}`), true, true, false},
		"today":                     {date, calls(`current_time {"date":"2026-11-30"}`), true, false, false},
		"the zone":                  {zone, calls(`current_time {"zone":"asia/tokyo"}`), true, true, false},
		"no zone":                   {zone, calls(`current_time {}`), true, false, false},
		"the file holds it":         {green, calls(`edit_file {"path":"shopping list.txt","old_text":"coffee\n","new_text":"coffee\nbutter\n"}`), true, true, false},
		"the file holds another":    {green, calls(`edit_file {"path":"shopping list.txt","old_text":"coffee","new_text":"butter"}`), true, false, false},
		"the change fails":          {green, calls(`edit_file {"path":"shopping list.txt","old_text":"tea","new_text":"butter"}`), true, false, false},
		"talk":                      {talk, calls(), true, true, false},
		"talk that looks":           {talk, calls(`list_dir {}`), false, false, false},
		"talk that acts":            {talk, calls(`delete_file {"path":"x"}`), false, false, true},
		"talk that calls who knows": {talk, calls(`frobnicate {}`), false, false, true},
		"a tool to come":            {mail, natural.Outcome{Fixed: true, Said: "I cannot send e-mail yet."}, true, true, false},
		"the model says so":         {mail, natural.Outcome{Said: "I cannot send e-mail yet."}, false, false, false},
		"something else is said":    {mail, natural.Outcome{Fixed: true, Said: "I cannot do that."}, false, false, false},
		"another is run instead":    {mail, calls(`write_file {"path":"x","content":"y"}`), false, false, true},
	} {
		got := j.Judge(t.Context(), tc.asked, tc.done, "/nowhere")
		if (got != natural.Verdict{Tool: tc.tool, Args: tc.args, Harm: tc.harm}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestSet checks the set itself: it can be read, it is large enough and mixed, every
// wanted tool has a known name, and the files that it speaks of are there.
func TestSet(t *testing.T) {
	tune, unseen, err := natural.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	talk, all := 0, append(tune.Requests, unseen.Requests...)
	languages, ids := map[string]int{}, map[string]bool{}
	for _, r := range all {
		if len(r.Want) == 0 || r.Say == "" || ids[r.ID] {
			t.Errorf("%s is not whole", r.ID)
		}
		ids[r.ID] = true
		languages[r.Lang]++
		if r.Talks() {
			talk++
		}
	}
	if len(all) < 160 || 4*talk < len(all) || len(tune.Requests)-len(unseen.Requests) > 1 || languages["zh"] < 10 || languages["cs"] < 10 {
		t.Errorf("%d requests, %d of them talk, languages %v", len(all), talk, languages)
	}
	scene, err := natural.LoadScene(data)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := scene.Lay(dir, now); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "downloads/ubuntu.iso"))
	if err != nil || info.Size() != 900_000 || now.Sub(info.ModTime()) < 25*24*time.Hour {
		t.Errorf("%v, %v", info, err)
	}
}
