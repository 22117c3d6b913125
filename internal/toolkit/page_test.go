package toolkit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/tool"
)

// The pages of read_file are as large as the model's window has room for, and follow
// each other without a gap.
func TestPagesFitTheWindow(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("one line of text\n", 800)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := tool.New(tool.Config{Tools: All(Config{})})
	if err != nil {
		t.Fatal(err)
	}
	for room, size := range map[int]int{0: 5000, 1154: 1154, 60: 500, -5: 5000, 1 << 20: 5000} {
		scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{dir}, Page: room}
		var read strings.Builder
		for page, next := 1, 1; next > 0; page++ {
			r := set.Call(t.Context(), scope, loci.ToolCall{Name: "read_file", Arguments: json.RawMessage(fmt.Sprintf(`{"path":"a.txt","page":%d}`, page))}, nil)
			var p struct {
				Pages int
				Text  string
				Next  int `json:"next_page"`
			}
			if err := json.Unmarshal(r.Data, &p); err != nil || r.Err != nil {
				t.Fatal(err, r.Err)
			}
			if want := (len(text) + size - 1) / size; p.Pages != want || len(p.Text) > size {
				t.Fatalf("room for %d: %d pages of %d characters, want %d of %d", room, p.Pages, len(p.Text), want, size)
			}
			read.WriteString(p.Text)
			next = p.Next
		}
		if read.String() != text {
			t.Errorf("room for %d: the pages are not the text", room)
		}
	}
}
