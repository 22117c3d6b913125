package sandbox

import (
	"io"
	"os"
	"strings"
	"testing"

	"loci/internal/where"
)

// TestWaysOut tries the spellings of "the folder above" that were ever a hole in some
// program, at any depth, behind any beginning: none of them leaves the folder, for
// readers and for writers.
func TestWaysOut(t *testing.T) {
	root := tree(t, map[string]string{"data/ok": "ok", "data/a/b/c/d/x": "x", "data_evil/secret": "SECRET", "secret": "SECRET", "etc/secret": "SECRET"})
	f := open(t, Config{Folders: []string{root + "/data"}, Home: root + "/home"})
	ups := []string{
		"..", "%2e%2e", "%252e%252e", "..%00", "....", "...", ".%2e", "..;", "%c0%ae%c0%ae", "\uff0e\uff0e", "\u2025", ".\u200b.", "..\u200b", "\u202e..", ".. ", "..\t", "..\n", "0x2e0x2e", "&#46;&#46;",
		"\xc0\xae\xc0\xae", "..?", "..#", "./..", "a/../..",
	}
	separators := []string{"/", "//", "\\", "%2f", "%5c", "%252f", "%c0%af", "/./", "\u2215", "\uff0f", "\u2044", "/\x00/", "%u2215"}
	starts := []string{"", "./", "a/", "a/b/c/d/", "/", root + "/data/", "~/", "file://", "ok/", "data/"}
	targets := []string{"secret", "data_evil/secret", "etc/secret", "data_evil/new"}
	tried := 0
	for _, up := range ups {
		for _, sep := range separators {
			for _, start := range starts {
				for _, depth := range []int{1, 2, 5} {
					path := start + strings.Repeat(up+sep, depth) + targets[tried%len(targets)]
					tried++
					file, _, err := f.Open(t.Context(), path)
					if err == nil {
						b, err := io.ReadAll(file)
						file.Close()
						t.Fatalf("%q was read: %q, %v", path, b, err)
					}
					if msg := message(t, err); strings.Contains(msg, "SECRET") {
						t.Errorf("%q: %s", path, msg)
					}
					if s, err := f.Spot(t.Context(), path, Follow); err == nil {
						if !where.In(s.Path(), root+"/data") || s.Info() != nil {
							t.Errorf("%q leads to %s", path, s.Path())
						}
						s.Close()
					}
				}
			}
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 4 {
		t.Errorf("%v, %v", entries, err)
	}
	t.Logf("%d spellings", tried)
}
