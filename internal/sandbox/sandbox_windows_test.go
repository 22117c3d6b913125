package sandbox

import (
	"strings"
	"testing"
)

// TestWindowsSpellings follows the report about path spellings (31 G): case does
// not count, and a folder whose name only begins alike is another one.
func TestWindowsSpellings(t *testing.T) {
	root := tree(t, map[string]string{"Work/A.txt": "A", "Workshop/x": "x"})
	f := open(t, Config{Folders: []string{root + `\Work`}})
	if got := read(t, f, strings.ToLower(root)+`\work\A.txt`); got != "A" {
		t.Errorf("%q", got)
	}
	for _, path := range []string{root + `\Workshop\x`, root + `\Workshop\new`} {
		if got := read(t, f, path); !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s: %q", path, got)
		}
		if got := put(t, f, path, "new"); !strings.Contains(got, "not in a folder") {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := put(t, f, strings.ToLower(root)+`\work\a.TXT`, "B"); got != "" || content(t, root+`\Work\A.txt`) != "B" {
		t.Errorf("%q", got)
	}
}
