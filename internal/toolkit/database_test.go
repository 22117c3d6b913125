package toolkit

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/database"
	"loci/internal/text"
	"loci/internal/tool"
)

// sqlite makes a database and runs statements in it.
func sqlite(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

const notes = `CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT, day DATE);
	INSERT INTO notes VALUES (1, 'buy milk', '2026-11-30'), (2, 'call Ann', NULL), (3, '` + "\u202e" + `evil` + "\x07" + `', NULL);`

// databases puts a database under each name that the suite uses.
func databases(t *testing.T, root string) {
	t.Helper()
	for _, name := range []string{"notes.md", "my files/long one.txt", "my files/\u017durn\u0101ls 1.text", "both/Z\u030curna\u0304ls 1.txt"} {
		path := filepath.Join(root, name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		sqlite(t, path, notes)
		if strings.Contains(name, "long") {
			sqlite(t, path, strings.Repeat("INSERT INTO notes(body) VALUES ('"+strings.Repeat("a long text ", 10)+"');", 20))
		}
	}
}

// addRow changes what a statement of the suite would hit.
func addRow(t *testing.T, path string) {
	sqlite(t, path, "INSERT INTO notes(body) VALUES ('one more')")
}

func TestQueryDB(t *testing.T) {
	b := newBench(t, nil)
	sqlite(t, filepath.Join(b.root, "a.db"), notes)
	for _, tt := range []struct{ args, text, data string }{
		{`{"database":"a.db"}`, "a.db has 1 table:\nnotes (3 rows): id, body, day", `{"database":"a.db","tables":[{"name":"notes","rows":3,"columns":[{"name":"id","type":"INTEGER","key":true},{"name":"body","type":"TEXT"},{"name":"day","type":"DATE"}]}]}`},
		{`{"database":"a.db","query":"SELECT count(*) FROM notes"}`, "count(*): 3", `{"database":"a.db","columns":["count(*)"],"rows":[[3]]}`},
		{`{"database":"a.db","query":"SELECT body, day FROM notes","limit":1}`, "body | day\nbuy milk | 2026-11-30\n… and 2 rows more", `{"database":"a.db","note":"Only the first 1 rows are here, 2 more are not. Use WHERE, LIMIT and OFFSET.","more_rows":2,"columns":["body","day"],"types":["text","date"],"rows":[["buy milk","2026-11-30"]]}`},
		{`{"database":"a.db","query":"SELECT body FROM notes WHERE id = 3"}`, `body: \u202eevil\u0007`, ""},
		{`{"database":"a.db","query":"SELECT 1 WHERE 0"}`, "a.db has no such rows.", `{"database":"a.db","columns":["1"],"rows":[]}`},
	} {
		r := b.call("query_db", tt.args)
		if r.Err != nil || r.Text != tt.text && !strings.HasPrefix(tt.text, "body | day") || tt.data != "" && string(r.Data) != tt.data {
			t.Errorf("%s: %+v\n%s\n%s", tt.args, r.Err, r.Text, r.Data)
		}
	}
	b.refuse("query_db", `{"database":"a.db","query":"DELETE FROM notes"}`, "query_db only reads")
	b.refuse("query_db", `{"database":"work"}`, "no file and no database connection")
	b.refuse("query_db", `{"database":"gone.db"}`, "gone.db")
}

// loci's own database is never opened, and nobody but the owner has the connections.
func TestQueryDBPrivate(t *testing.T) {
	root := t.TempDir()
	own := filepath.Join(root, "data")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	sqlite(t, filepath.Join(own, "loci.db"), notes)
	c := Config{Databases: map[string]database.Connection{"work": {URL: "postgres://u:s3cret@127.0.0.1:1/x", Writable: true}}}
	set, err := tool.New(tool.Config{Tools: All(c), Gate: anything{}, Private: []string{own}})
	if err != nil {
		t.Fatal(err)
	}
	call := func(owner bool, name, args string) loci.ToolResult {
		scope := loci.Scope{Principal: loci.Principal{ID: "p", Owner: owner}, Folders: []string{root}}
		return set.Call(t.Context(), scope, loci.ToolCall{Name: name, Arguments: json.RawMessage(args)}, nil)
	}
	for _, name := range []string{"query_db", "change_db"} {
		if r := call(true, name, `{"database":"data/loci.db","query":"SELECT 1"}`); r.Err == nil || !strings.Contains(r.Err.Message, "belongs to loci") {
			t.Errorf("%s: %+v", name, r)
		}
		if r := call(false, name, `{"database":"work","query":"SELECT 1"}`); r.Err == nil || strings.Contains(r.Err.Message, "reached") || strings.Contains(r.Text, "connection") {
			t.Errorf("%s for another person: %+v", name, r.Err)
		}
		if r := call(true, name, `{"database":"work","query":"SELECT 1"}`); r.Err == nil || !strings.Contains(r.Err.Message, "cannot be reached") || strings.Contains(fmt.Sprintf("%+v", r), "s3cret") {
			t.Errorf("%s: %+v", name, r.Err)
		}
	}
}

// While a name is swapped between a database and a link to another one outside, nothing
// of the other one is read, and nothing of it is changed.
func TestQueryDBSwapRace(t *testing.T) {
	b := newBench(t, nil)
	outside := filepath.Join(t.TempDir(), "secret.db")
	sqlite(t, outside, "CREATE TABLE notes(body); INSERT INTO notes VALUES ('SECRET')")
	path := filepath.Join(b.root, "a.db")
	good, link := filepath.Join(b.root, "good"), filepath.Join(b.root, "link")
	sqlite(t, good, "CREATE TABLE notes(body); INSERT INTO notes VALUES ('open')")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, from := range []string{good, link} {
				_ = os.Rename(from, path)
				_ = os.Rename(path, from)
			}
		}
	}()
	read := 0
	for start := time.Now(); time.Since(start) < 3*time.Second; {
		if r := b.call("query_db", `{"database":"a.db","query":"SELECT body FROM notes"}`); strings.Contains(string(r.Data), "SECRET") {
			t.Fatal("a database outside was read")
		} else if r.Err == nil {
			read++
		}
		b.call("change_db", `{"database":"a.db","query":"UPDATE notes SET body = 'changed' WHERE body = 'SECRET'"}`)
	}
	close(stop)
	<-stopped
	t.Logf("%d reads", read)
	r, err := os.ReadFile(outside)
	if err != nil || !strings.Contains(string(r), "SECRET") {
		t.Error("a database outside was changed")
	}
}

func TestChangeDB(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.db")
	sqlite(t, path, notes)
	set, err := tool.New(tool.Config{Tools: All(Config{})})
	if err != nil {
		t.Fatal(err)
	}
	scope := loci.Scope{Principal: loci.Principal{Owner: true}, Folders: []string{root}, Lang: "en"}
	call := func(query string) loci.ToolCall {
		args, err := json.Marshal(map[string]string{"database": "a.db", "query": query})
		if err != nil {
			t.Fatal(err)
		}
		return loci.ToolCall{Name: "change_db", Arguments: args}
	}
	if r := set.Call(t.Context(), scope, call("DELETE FROM notes"), nil); !r.Refused {
		t.Fatalf("without a yes: %+v", r)
	}
	ask := set.Ask(t.Context(), scope, call("DELETE FROM notes"))
	want := "⚠ ALL 3 rows of the table notes: no WHERE keeps any of them as it is.\nThis changes 3 rows in " + path + "\nnotes: 3 deleted, of 3 rows\nDELETE FROM notes\n" +
		`- (1, "buy milk", "2026-11-30")`
	if ask == nil || !strings.HasPrefix(ask.Preview, want) || strings.ContainsAny(ask.Preview, "\u202e\x07") || !strings.HasSuffix(ask.Preview, "It cannot be undone afterwards.") {
		t.Fatalf("%+v", ask)
	}
	sqlite(t, path, "UPDATE notes SET body = 'buy bread' WHERE id = 1")
	if r := set.Call(t.Context(), scope, call("DELETE FROM notes"), &loci.Approval{Fingerprint: ask.Fingerprint}); r.Err == nil || !r.Refused {
		t.Fatalf("after a change: %+v", r)
	}
	ask = set.Ask(t.Context(), scope, call("DELETE FROM notes WHERE id = 2"))
	if ask == nil || strings.Contains(ask.Preview, "ALL") {
		t.Fatalf("%+v", ask)
	}
	r := set.Call(t.Context(), scope, call("DELETE FROM notes WHERE id = 2"), &loci.Approval{Fingerprint: ask.Fingerprint})
	if r.Err != nil || r.Text != "Changed 1 row in a.db. notes: 1 deleted." || !strings.Contains(string(r.Data), `"rows_changed":1,"verified":true,"undo":false`) {
		t.Errorf("%+v %s", r, r.Data)
	}
	for _, query := range []string{"DROP TABLE notes", "SELECT 1", "DELETE FROM notes; DELETE FROM notes", "PRAGMA user_version = 1", "ATTACH 'x' AS y"} {
		if ask := set.Ask(t.Context(), scope, call(query)); ask != nil {
			t.Errorf("%s: a person is asked %+v", query, ask)
		}
		if r := set.Call(t.Context(), scope, call(query), &loci.Approval{Fingerprint: "x"}); r.Err == nil || r.Err.CanRetry || r.Err.Suggestion == "" {
			t.Errorf("%s: %s", query, text.Clip(fmt.Sprintf("%+v", r), 300))
		}
	}
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	sqlite(t, filepath.Join(root, ".git/x.db"), notes)
	if ask := set.Ask(t.Context(), scope, loci.ToolCall{Name: "change_db", Arguments: json.RawMessage(`{"database":".git/x.db","query":"DELETE FROM notes"}`)}); ask != nil {
		t.Errorf("a protected place: %+v", ask)
	}
}

// A person is told what is an estimate, and what is not counted at all.
func TestForetell(t *testing.T) {
	c := database.Change{Rows: 7, Tables: []database.Touched{{Table: "orders", Updated: 7}}, Beyond: []string{"table lines", "trigger \u202eaudit"}}
	for language, want := range map[string][2]string{"en": {"ESTIMATE", "uncounted"}, "zh": {"估计", "未计数"}, "cs": {"ODHAD", "nespočítáno"}} {
		c.About = false
		exact := foretell(language, "database work", "UPDATE orders SET x = 1", c)
		c.About = true
		about := foretell(language, "database work", "UPDATE orders SET x = 1", c)
		if strings.Contains(exact, want[0]) || !strings.Contains(about, want[0]) || !strings.Contains(exact, want[1]) || !strings.Contains(exact, "table lines") || strings.Contains(exact, "\u202e") {
			t.Errorf("%s: %s\n%s", language, exact, about)
		}
	}
}
