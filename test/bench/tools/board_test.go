package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loci/test/program"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(program.Main(m, &binary)) }

var update = flag.Bool("update", false, "rewrite testdata/known.txt to what fails today")

// TestBoard has loci do the right thing with every record, but for those that are
// known to fail; those fail.
func TestBoard(t *testing.T) {
	dialects := load(t)
	known, err := Known()
	if err != nil {
		t.Fatal(err)
	}
	failed := make([][]string, len(doors))
	t.Run("doors", func(t *testing.T) {
		for i, d := range doors {
			t.Run(d.name(), func(t *testing.T) {
				t.Parallel()
				failed[i] = d.check(t, dialects, known)
			})
		}
	})
	if !*update || t.Failed() {
		return
	}
	lines := slices.Sorted(slices.Values(slices.Concat(failed...)))
	text := "# Records that fail today: the door, then dialect/fault. Rewritten by -update.\n" + strings.Join(append(lines, ""), "\n")
	if err := os.WriteFile(filepath.Join("testdata", knownFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// check tries the door's records and gives those that fail.
func (d door) check(t *testing.T, dialects []*Dialect, known map[string]bool) (failed []string) {
	l, err := startLoci(binary, t.TempDir(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer l.stop()
	for _, dialect := range dialects {
		if !d.dialects(dialect.Name) {
			continue
		}
		for _, r := range dialect.Records {
			name := d.name() + " " + r.ID()
			v := r.Judge(l.try(t.Context(), r))
			if !v.OK() {
				failed = append(failed, name)
			}
			switch {
			case *update:
			case !v.OK() && !known[name]:
				t.Errorf("%s: %s", name, v)
			case v.OK() && known[name]:
				t.Errorf("%s: passes now: take it out of %s, or run with -update", name, knownFile)
			}
		}
	}
	if t.Failed() {
		log := l.stderr.String()
		t.Logf("the end of loci's log:\n%s", log[max(0, len(log)-4000):])
	}
	return failed
}
