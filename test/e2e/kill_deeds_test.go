package e2e_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// A deed is an effect that can be counted. Its functions get the folder and the number
// of the round.
type deed struct {
	tool   string
	before func(t *testing.T, dir string, round int) (arguments map[string]any)
	times  func(t *testing.T, dir string, round int) int // how often it was done
	again  func(t *testing.T, dir string, round int)     // takes it back; nil: loci can
}

// places are the names that the deeds use. SQLite leaves a journal behind in which there
// is nothing yet, and takes it again at the next change.
var places = []string{"big.txt", "gone.txt", "from.txt", "to.txt", "lines.txt", "rows.db", "rows.db-journal"}

func deeds() []deed {
	return []deed{
		{"write_file", beforeWrite, timesWritten, nil},
		{"run_command", beforeRun, timesRun, againRun},
		{"change_db", beforeInsert, timesInserted, againInsert},
		{"delete_file", beforeDelete, timesDeleted, nil},
		{"move_file", beforeMove, timesMoved, nil},
	}
}

// whole is a text of a megabyte that is all of one piece.
func whole(name string, round int) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("%s %04d\n", name, round)), 100_000)
}

func put(t *testing.T, data []byte, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// there tells whether a file has just this text; any other text is a failure.
func there(t *testing.T, text string, path ...string) bool {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(path...))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || string(got) != text {
		t.Fatalf("%s holds %d bytes, %.40q, %v", path, len(got), got, err)
	}
	return true
}

func beforeWrite(t *testing.T, dir string, round int) map[string]any {
	put(t, whole("before", round), dir, "big.txt")
	return map[string]any{"path": "big.txt", "content": string(whole("after", round))}
}

func timesWritten(t *testing.T, dir string, round int) int {
	got := read(t, filepath.Join(dir, "big.txt"))
	if bytes.Equal(got, whole("after", round)) {
		return 1
	}
	if !bytes.Equal(got, whole("before", round)) {
		t.Fatalf("half a file: %d bytes, %.40q", len(got), got)
	}
	return 0
}

// beforeRun has a command of which a part is done before the effect and a part after.
func beforeRun(_ *testing.T, _ string, round int) map[string]any {
	return map[string]any{"script": fmt.Sprintf("sleep 0.01; echo 'round %d' >> lines.txt; sleep 0.01", round)}
}

func timesRun(t *testing.T, dir string, round int) int {
	text, err := os.ReadFile(filepath.Join(dir, "lines.txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), fmt.Sprintf("round %d\n", round))
}

func againRun(t *testing.T, dir string, _ int) { put(t, nil, dir, "lines.txt") }

// inDB runs a statement in the database of the deeds.
func inDB(t *testing.T, dir string, run func(db *sql.DB) error) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "rows.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := run(db); err != nil {
		t.Fatal(err)
	}
}

func beforeInsert(t *testing.T, dir string, round int) map[string]any {
	inDB(t, dir, func(db *sql.DB) error {
		_, err := db.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS done (round INTEGER NOT NULL)")
		return err
	})
	return map[string]any{"database": "rows.db", "query": fmt.Sprintf("INSERT INTO done VALUES (%d)", round)}
}

func timesInserted(t *testing.T, dir string, round int) (times int) {
	inDB(t, dir, func(db *sql.DB) error {
		return db.QueryRowContext(t.Context(), "SELECT count(*) FROM done WHERE round = ?", round).Scan(&times)
	})
	return times
}

func againInsert(t *testing.T, dir string, round int) {
	inDB(t, dir, func(db *sql.DB) error {
		_, err := db.ExecContext(t.Context(), "DELETE FROM done WHERE round = ?", round)
		return err
	})
}

func beforeDelete(t *testing.T, dir string, round int) map[string]any {
	put(t, fmt.Appendf(nil, "round %d\n", round), dir, "gone.txt")
	return map[string]any{"path": "gone.txt"}
}

func timesDeleted(t *testing.T, dir string, round int) int {
	if there(t, fmt.Sprintf("round %d\n", round), dir, "gone.txt") {
		return 0
	}
	return 1
}

func beforeMove(t *testing.T, dir string, round int) map[string]any {
	if err := os.Remove(filepath.Join(dir, "to.txt")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	put(t, fmt.Appendf(nil, "round %d\n", round), dir, "from.txt")
	return map[string]any{"source": "from.txt", "destination": "to.txt"}
}

func timesMoved(t *testing.T, dir string, round int) int {
	text := fmt.Sprintf("round %d\n", round)
	from, to := there(t, text, dir, "from.txt"), there(t, text, dir, "to.txt")
	if from == to {
		t.Fatalf("it is at the old place: %v, at the new: %v", from, to)
	}
	if to {
		return 1
	}
	return 0
}
