package store

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"loci"
)

// Nodes, events and rows of the audit log are only ever added: nothing in the
// package's SQL changes or removes one.
func TestSQLOnlyAdds(t *testing.T) {
	change := regexp.MustCompile(`(?i)\b(UPDATE|UPDATE OR \w+|DELETE\s+FROM|REPLACE\s+INTO|INSERT\s+OR\s+REPLACE\s+INTO)\s+(node|event|audit)\b`)
	for _, sample := range []string{"UPDATE node SET", "delete from\n\tevent WHERE", "INSERT OR REPLACE INTO node", "UPDATE audit SET"} {
		if !change.MatchString(sample) {
			t.Fatalf("the pattern misses %q", sample)
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 || len(steps) == 0 {
		t.Fatal(len(files), len(steps), err)
	}
	for _, name := range append(files, steps...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := change.Find(text); m != nil {
			t.Errorf("%s: %s", name, m)
		}
	}
}

// The schema holds that promise against anybody who opens the file.
func TestSchemaRefusesChanges(t *testing.T) {
	db := openTest(t)
	s := newSession("owner", 0)
	n := newNode(s.ID, "", 0)
	mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{n}, Events: newEvents(s.ID)})
	for _, query := range []string{
		"UPDATE node SET content = 'x'",
		"UPDATE node SET n = n + 1",
		"DELETE FROM node",
		"UPDATE event SET data = 'x'",
		"UPDATE OR IGNORE event SET seq = 7",
		"DELETE FROM event WHERE seq = 2",
		"INSERT INTO event (v, seq, session, turn, time, type, data) VALUES (1, 9, 'ses_x', '', 0, '', '')",
	} {
		if _, err := db.write.Exec(query); err == nil {
			t.Errorf("%s: it worked", query)
		}
	}
	if got, err := db.Node(t.Context(), n.ID); err != nil || got.Sent.Content != n.Sent.Content {
		t.Errorf("the node changed: %+v, %v", got, err)
	}
	if got, err := db.Events(t.Context(), s.ID, 0, 10); err != nil || len(got) != 2 {
		t.Errorf("%d events, %v", len(got), err)
	}
}

func TestReadersCannotWrite(t *testing.T) {
	db := openTest(t)
	if _, err := db.read.Exec("DELETE FROM session"); err == nil {
		t.Error("a reader wrote")
	}
}

func TestDeleteSession(t *testing.T) {
	db := openTest(t)
	keep, drop := newSession("owner", 0), newSession("owner", 1)
	secret := "a secret that must not stay in the file"
	for _, s := range []*loci.Session{keep, drop} {
		root := newNode(s.ID, "", 0)
		child := newNode(s.ID, root.ID, 1)
		if s == drop {
			child.Sent.Content = secret
		}
		mustSave(t, db, loci.Batch{Session: s, Nodes: []loci.Node{root, child}, Events: append(newEvents(s.ID), started(s.ID, "turn_1"))})
	}
	if err := db.DeleteSession(t.Context(), "owner", drop.ID); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]int{"session": 1, "node": 2, "event": 3, "running": 1} {
		var got int
		if err := db.read.QueryRow("SELECT count(*) FROM " + table).Scan(&got); err != nil || got != want {
			t.Errorf("%s has %d rows, want %d (%v)", table, got, want, err)
		}
	}
	if path, err := db.Path(t.Context(), "owner", keep.Head); err != nil || len(path) != 2 {
		t.Errorf("the other session has %d nodes, %v", len(path), err)
	}
	for _, name := range []string{db.path, db.path + "-wal"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s still has the text", filepath.Base(name))
		}
	}
}

// Each query of a turn finds its rows through an index.
func TestHotQueriesUseIndexes(t *testing.T) {
	db := openTest(t)
	for _, query := range append(hotReads, sessionPage, touchSession, turnEnds, titleSession, deleteSession) {
		args := make([]any, strings.Count(query, "?"))
		rows, err := db.write.Query("EXPLAIN QUERY PLAN "+query, args[:min(len(args), placeholders(query))]...)
		if err != nil {
			t.Fatal(query, err)
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if m := regexp.MustCompile(`SCAN (\w+)`).FindStringSubmatch(detail); m != nil && slices.Contains([]string{"session", "node", "event"}, m[1]) {
				t.Errorf("%s\n\t%s", query, detail)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// placeholders counts the parameters of a query: ?N each once.
func placeholders(query string) int {
	n := strings.Count(query, "?")
	if numbered := regexp.MustCompile(`\?\d`).FindAllString(query, -1); numbered != nil {
		slices.Sort(numbered)
		n = len(slices.Compact(numbered))
	}
	return n
}

func TestMigrationsAreNumbered(t *testing.T) {
	if steps, err := migrations(embedded); err != nil || len(steps) == 0 {
		t.Errorf("%d steps, %v", len(steps), err)
	}
	for name, files := range map[string][]string{
		"gap":       {"0001_a.sql", "0003_b.sql"},
		"twice":     {"0001_a.sql", "0001_b.sql"},
		"from two":  {"0002_a.sql"},
		"no number": {"first.sql"},
	} {
		var fsys fs.FS = fstest.MapFS{}
		for _, f := range files {
			fsys.(fstest.MapFS)["migrations/"+f] = &fstest.MapFile{}
		}
		if _, err := migrations(fsys); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
