package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "loci-board")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "loci")
		build := exec.Command("go", "build", "-o", binary, "loci/cmd/loci")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building loci: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// TestBoard has loci do the right thing with every record, but for those that are
// known to fail; those fail.
func TestBoard(t *testing.T) {
	dialects, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	known, err := Known()
	if err != nil {
		t.Fatal(err)
	}
	list := os.Getenv("BOARD_LIST")
	for i, d := range doors {
		t.Run(fmt.Sprintf("%s%d", d.tier, i), func(t *testing.T) {
			t.Parallel()
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
					name := d.tier + " " + r.ID()
					v := r.Judge(l.try(t.Context(), r))
					switch {
					case list != "" && !v.OK():
						fmt.Printf("FAIL %s\t%s\t%q\n", name, v, r.replies[len(r.replies)-1].text)
					case list != "":
					case !v.OK() && !known[name]:
						t.Errorf("%s: %s", name, v)
					case v.OK() && known[name]:
						t.Errorf("%s: passes now, so it is no longer known to fail", name)
					}
				}
			}
			if t.Failed() {
				t.Log(strings.TrimSpace(l.stderr.String()))
			}
		})
	}
}
