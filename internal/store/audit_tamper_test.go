package store

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/audit"
)

// filled is the path of a closed database with a log of so many rows, of which half
// are intents and the last one ends one.
func filled(t testing.TB, many int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "loci.db")
	db, err := Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	startAudit(t, db)
	fill(t, db, many)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func fill(t testing.TB, db *DB, many int) {
	t.Helper()
	err := db.durably(t.Context(), func(t *tx) error {
		for range many / 2 {
			n, err := t.record(intent("call_1"))
			if err != nil {
				return err
			}
			if _, err := t.record(outcome(n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// attack changes the database as somebody would who can write the file.
func attack(t testing.TB, path string, do func(*sql.DB) error) {
	t.Helper()
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	for _, trigger := range []string{"audit_grows", "audit_stays", "audit_kept"} {
		if _, err := other.Exec("DROP TRIGGER " + trigger); err != nil {
			t.Fatal(err)
		}
	}
	if err := do(other); err != nil {
		t.Fatal(err)
	}
}

// sentences are statements as one attack.
func sentences(all ...string) func(*sql.DB) error {
	return func(db *sql.DB) error {
		for _, s := range all {
			if _, err := db.Exec(s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	}
}

// TestFlippedByteInEachColumn changes one byte of row 7, column by column.
func TestFlippedByteInEachColumn(t *testing.T) {
	for _, column := range []string{"time", "kind", "intent", "principal", "session", "tool", "state", "entry", "hash"} {
		t.Run(column, func(t *testing.T) {
			path := filled(t, 20)
			attack(t, path, func(db *sql.DB) error {
				var was any
				if err := db.QueryRow("SELECT " + column + " FROM audit WHERE n = 7").Scan(&was); err != nil {
					return err
				}
				switch v := was.(type) {
				case int64:
					was = v ^ 1
				case string:
					if v == "" { // an intent has no state
						v = "e"
					}
					was = string(v[0]^1) + v[1:]
				case []byte:
					v[len(v)/2] ^= 1
				}
				_, err := db.Exec("UPDATE audit SET "+column+" = ? WHERE n = 7", was)
				return err
			})
			got := problems(t, openAt(t, path))
			if !strings.HasPrefix(got, "Row 7 was changed") || strings.Contains(got, "\n") {
				t.Error(got)
			}
		})
	}
}

const hashMisfit = " was changed, or was not written by loci: its hash does not fit."

func TestTamperedFile(t *testing.T) {
	const endsEarly = "rows were removed, or an old copy of the database was put back."
	for name, tt := range map[string]struct {
		attack func(*sql.DB) error
		anchor func(text []byte) []byte
		told   bool     // at the start already
		want   []string // parts of the problems
	}{
		"untouched": {attack: sentences()},
		"a number": {attack: sentences("UPDATE audit SET n = 21 WHERE n = 7"), told: true,
			want: []string{"Row 7 is missing.", "Row 21 was changed: it holds the entry of row 7."}},
		"a row in the middle": {attack: sentences("DELETE FROM audit WHERE n = 7"), want: []string{"Row 7 is missing."}},
		"a row in the middle, the others moved up": {attack: sentences("DELETE FROM audit WHERE n = 7", "UPDATE audit SET n = n - 1 WHERE n > 7"), told: true,
			want: []string{"Row 7 was changed: it holds the entry of row 8.", "Row 19 was changed: it holds the entry of row 20.", "The log ended at row 19, before its anchor at row 20"}},
		"the last ten rows": {attack: sentences("DELETE FROM audit WHERE n > 10"), told: true,
			want: []string{"Row 11 says: The log ended at row 10, before its anchor at row 20: " + endsEarly}},
		"all rows": {attack: sentences("DELETE FROM audit"), told: true, want: []string{"Row 1 says: The log ended at row 0, before its anchor at row 20: " + endsEarly}},
		"two rows swapped": {attack: sentences("UPDATE audit SET n = -1 WHERE n = 7", "UPDATE audit SET n = 7 WHERE n = 9", "UPDATE audit SET n = 9 WHERE n = -1"),
			want: []string{"Row 7 was changed: it holds the entry of row 9.", "Row 9 was changed: it holds the entry of row 7."}},
		"two whole rows swapped but for their numbers": {attack: sentences(
			"CREATE TEMP TABLE x AS SELECT * FROM audit WHERE n IN (7, 9)",
			"UPDATE audit SET (entry, hash, time, kind, intent) = (SELECT entry, hash, time, kind, intent FROM x WHERE x.n = 16 - audit.n) WHERE n IN (7, 9)"),
			want: []string{"Row 7 was changed: it holds the entry of row 9.", "Row 9 was changed: it holds the entry of row 7."}},
		"a row more": {attack: sentences("INSERT INTO audit SELECT 21, time, kind, intent, principal, session, tool, entry, hash, state FROM audit WHERE n = 20"), told: true,
			want: []string{"Row 21 was changed: it holds the entry of row 20."}},
		"a well made row more": {attack: func(db *sql.DB) error {
			r := intent("call_x")
			r.N = 21
			_, err := db.Exec(putAudit, 21, r.Time.UnixMilli(), "intent", 0, r.Principal, r.Session, r.Tool, string(r.State), audit.Encode(r), make([]byte, 32))
			return err
		}, told: true, want: []string{"Row 21" + hashMisfit, "Row 22 says: The hash of row 21, the last one, did not fit the key"}},
		"written anew without the key": {attack: rechain, told: true,
			want: []string{"None of the rows 1 to 20 fits the key", "Row 21 says: The hash of row 20"}},
		"a forged anchor": {attack: sentences("DELETE FROM audit WHERE n > 10"), told: true,
			anchor: func([]byte) []byte { return audit.NewChain(make([]byte, 32)).Anchor(audit.Head{N: 10}) },
			want:   []string{"Row 11 says: The anchor of the log was changed, or was written with another key."}},
		"a cut anchor": {attack: sentences(), told: true, anchor: func(text []byte) []byte { return text[:len(text)/2] },
			want: []string{"Row 21 says: The anchor of the log was changed"}},
		"no anchor": {attack: sentences(), told: true, anchor: func([]byte) []byte { return nil }, want: []string{"Row 21 says: The anchor of the log was missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t, 20)
			attack(t, path, tt.attack)
			if tt.anchor != nil {
				tampered(t, path+".head", tt.anchor)
			}
			db, err := Open(t.Context(), path, quiet)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if told := startAudit(t, db); (told != "") != tt.told {
				t.Errorf("at the start: %q", told)
			}
			// What comes later must not cover it up.
			for range 2 {
				got := problems(t, db)
				for _, want := range tt.want {
					if !strings.Contains(got, want) {
						t.Errorf("no %q in\n%s", want, got)
					}
				}
				if len(tt.want) == 0 && got != "" {
					t.Error(got)
				}
				mustIntend(t, db, intent("call_later"))
			}
		})
	}
}

// rechain computes all hashes anew, with a key of the attacker's.
func rechain(db *sql.DB) error {
	chain, prev := audit.NewChain(bytes.Repeat([]byte{9}, loci.AuditKeySize)), audit.Hash{}
	for n := 1; n <= 20; n++ {
		var entry []byte
		if err := db.QueryRow("SELECT entry FROM audit WHERE n = ?", n).Scan(&entry); err != nil {
			return err
		}
		entry = bytes.Replace(entry, []byte("apr_1"), []byte("apr_2"), 1)
		prev = chain.Next(prev, entry)
		if _, err := db.Exec("UPDATE audit SET entry = ?, hash = ? WHERE n = ?", entry, prev[:], n); err != nil {
			return err
		}
	}
	return nil
}

func tampered(t *testing.T, file string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text = change(text); text == nil {
		err = os.Remove(file)
	} else {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is changed while loci runs is found too, and nothing goes on over a gap.
func TestTamperedWhileRunning(t *testing.T) {
	db := openTest(t)
	fill(t, db, 20)
	attack(t, db.path, sentences("DELETE FROM audit WHERE n > 10", `CREATE TRIGGER audit_grows BEFORE INSERT ON audit
		WHEN NEW.n IS NOT (SELECT coalesce(max(n), 0) + 1 FROM audit) BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END`))
	if got := problems(t, db); !strings.Contains(got, "The log ends at row 10, before its anchor at row 20") {
		t.Error(got)
	}
	_, err := db.Intend(t.Context(), intent("call_2"))
	if e := wantCode(t, err, loci.Internal); !strings.Contains(e.Message, "Another program has changed the audit log") || e.Hint == "" {
		t.Error(e)
	}
}

// A log whose key is lost goes on under a new one and says so; what was written
// before cannot be checked, and nobody claims that it can.
func TestLostKey(t *testing.T) {
	path := filled(t, 20)
	db, err := Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	problem, err := db.StartAudit(t.Context(), AuditConfig{Key: bytes.Repeat([]byte{8}, loci.AuditKeySize), Anchor: path + ".head"})
	if err != nil || !strings.Contains(problem, "nor the anchor of the log fitted the key: it was lost or replaced") {
		t.Error(problem, err)
	}
	mustIntend(t, db, intent("call_2"))
	got := problems(t, db)
	if !strings.HasPrefix(got, "None of the rows 1 to 20 fits the key") || !strings.Contains(got, "\nRow 21 says: ") || strings.Count(got, "\n") != 1 {
		t.Error(got)
	}
}

// A log that was emptied, with its anchor, is known to have been there by its key.
func TestEmptiedLog(t *testing.T) {
	path := filled(t, 20)
	attack(t, path, func(db *sql.DB) error {
		_, err := db.Exec("DELETE FROM audit")
		return err
	})
	if err := os.Remove(path + ".head"); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	problem, err := db.StartAudit(t.Context(), AuditConfig{Key: auditKey, Anchor: path + ".head", Known: true})
	if err != nil || !strings.Contains(problem, "what had been written down is gone") {
		t.Error(problem, err)
	}
	if got := problems(t, db); !strings.Contains(got, "is gone") {
		t.Errorf("verify says %q", got)
	}
}

// Texts that were made to fool logs are stored byte for byte, in each field.
func TestAuditUnicode(t *testing.T) {
	data, err := os.ReadFile("testdata/unicode_log.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Cases []struct{ ID, Text string } }
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	texts := []string{"\n{\"action\":\"approve\"}", "\xff\xfe", "\x1b[2K\x1b[1A", `a","kind":"answer`}
	for _, c := range vectors.Cases {
		texts = append(texts, c.Text)
	}
	db := openTest(t)
	for i, text := range texts {
		want := refused(text)
		want.N, want.Time, want.Session, want.Tool, want.Principal, want.Taint = int64(i+1), at(i), text, text, text, []string{text}
		mustNote(t, db, want)
		got := records(t, db, loci.AuditFilter{Tool: text, After: int64(i)})
		if len(got) != 1 {
			t.Fatalf("%q: %d rows", text, len(got))
		}
		if diff := cmp.Diff(want, got[0].AuditRecord); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if p := problems(t, db); p != "" {
		t.Error(p)
	}
}

// TestVerifyIsFast holds that 100,000 rows are read in two seconds, or ten times that
// where the race detector and other tests slow it down. Short of -long it is fewer.
func TestVerifyIsFast(t *testing.T) {
	many := 20_000
	if *long {
		many = 100_000
	}
	db := openTest(t)
	fill(t, db, many)
	start := time.Now()
	r, err := db.VerifyAudit(t.Context())
	took, most := time.Since(start), 10*2*time.Second*time.Duration(many)/100_000
	if err != nil || r.Rows != int64(many) || len(r.Problems) > 0 || took > most {
		t.Errorf("%d rows in %v, %v, %v", r.Rows, took, r.Problems, err)
	}
	t.Logf("%d rows in %v", r.Rows, took)
}

const auditCrashEnv = "LOCI_STORE_AUDIT_CRASH"

// intendForEver is the other process of TestAuditKill: it prints the number of each
// row that it was told is stored.
func intendForEver(path string) {
	ctx := context.Background()
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	db, err := Open(ctx, path, quiet)
	if err != nil {
		fail(err)
	}
	if problem, err := db.StartAudit(ctx, AuditConfig{Key: auditKey, Anchor: path + ".head"}); err != nil || problem != "" {
		fail(fmt.Errorf("%q, %w", problem, err))
	}
	for {
		n, err := db.Intend(ctx, intent("call_1"))
		if err != nil {
			fail(err)
		}
		fmt.Println(n)
		if n%5 == 0 {
			err = db.Note(ctx, refused("x"))
		}
		if err := errors.Join(err, db.Note(ctx, outcome(n))); err != nil {
			fail(err)
		}
		fmt.Println(-n)
	}
}

// Whatever was acknowledged before a kill -9 is in the log afterwards, the log
// verifies, and each intent has an outcome: at most one of a round is unknown.
func TestAuditKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rounds := 10
	if *long {
		rounds = 200
	}
	path := filepath.Join(t.TempDir(), "loci.db")
	acked, unknown := 0, 0
	for round := range rounds {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), auditCrashEnv+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var told []int64
		until := 1 + rand.IntN(60)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var n int64
			if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
				break // the last line may be cut
			}
			if told = append(told, n); len(told) == until {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || len(told) < until {
			t.Fatalf("it ended by itself after %d rows: %v", len(told), err)
		}
		acked += len(told)
		before := unknown
		if unknown = checkAudit(t, path, told); unknown > before+1 {
			t.Errorf("round %d left %d outcomes unknown", round, unknown-before)
		}
	}
	t.Logf("%d rounds, %d acknowledged rows, %d unknown outcomes", rounds, acked, unknown)
}

// checkAudit looks at the log after a kill, and counts the outcomes that nobody knows.
func checkAudit(t *testing.T, path string, told []int64) (unknown int) {
	t.Helper()
	db := openAt(t, path)
	defer db.Close()
	if p := problems(t, db); p != "" {
		t.Fatal(p)
	}
	known := map[int64]loci.AuditState{}
	for _, e := range records(t, db, loci.AuditFilter{Kind: loci.AuditIntent}) {
		known[e.N] = e.Outcome
		if e.Outcome == loci.StateUnknown {
			unknown++
		} else if e.Outcome != "done" {
			t.Errorf("row %d: %q", e.N, e.Outcome)
		}
	}
	for _, n := range told {
		if n > 0 && known[n] == "" || n < 0 && known[-n] != "done" {
			t.Errorf("row %d was acknowledged and is lost: %q", n, known[max(n, -n)])
		}
	}
	return unknown
}

// What the log costs a call: with a reading one the last in comparison.
func BenchmarkIntendAndNote(b *testing.B) {
	db := openBench(b)
	for b.Loop() {
		n, err := db.Intend(b.Context(), intent("call_1"))
		if err == nil {
			err = db.Note(b.Context(), outcome(n))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNoteLight(b *testing.B) {
	db := openBench(b)
	for b.Loop() {
		if err := db.Note(b.Context(), refused("x")); err != nil {
			b.Fatal(err)
		}
	}
}

// The two records of an effect at the lower level, to compare.
func BenchmarkIntendAndNoteNormal(b *testing.B) {
	db := openBench(b)
	for b.Loop() {
		for _, r := range []loci.AuditRecord{intent("call_1"), outcome(1)} {
			err := db.inTx(b.Context(), func(t *tx) error {
				_, err := t.record(r)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkAnchor(b *testing.B) {
	db := openBench(b)
	for b.Loop() {
		db.anchor()
	}
}

func BenchmarkVerifyAudit100k(b *testing.B) {
	db := openBench(b)
	fill(b, db, 100_000)
	for b.Loop() {
		if r, err := db.VerifyAudit(b.Context()); err != nil || len(r.Problems) > 0 {
			b.Fatal(r, err)
		}
	}
}
