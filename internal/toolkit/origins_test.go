package toolkit

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/tool"
)

// nowhere keeps no origins.
type nowhere struct{}

func (nowhere) Origins(context.Context) ([]loci.Origin, error)               { return nil, nil }
func (nowhere) ChangeOrigins(context.Context, []string, []loci.Origin) error { return nil }

// TestOrigins has a conversation that has read a page change things in each way, and
// another look at them in each way. What is told of them is from the page; what is not
// told of them is not.
func TestOrigins(t *testing.T) {
	page := []string{"web page.example"}
	for name, test := range map[string]struct {
		change [2]string
		looks  map[[2]string]string // call → what its result comes from
	}{
		"write": {[2]string{"write_file", `{"path":"in/a.md","content":"call eve\nsoon"}`}, map[[2]string]string{
			{"read_file", `{"path":"in/a.md"}`}:                                       "a.md, written after reading",
			{"read_file", `{"path":"a.md"}`}:                                          "a.md, written after reading", // where it is meant
			{"list_dir", `{"path":"in"}`}:                                             "a.md, written after reading",
			{"list_dir", `{}`}:                                                        "in, made after reading",
			{"list_dir", `{"path":"own"}`}:                                            "",
			{"read_file", `{"path":"own/b.md"}`}:                                      "",
			{"search_files", `{"content":"eve"}`}:                                     "a.md, written after reading",
			{"search_files", `{"content":"eve","count":true}`}:                        "a.md, written after reading",
			{"search_files", `{"content":"milk"}`}:                                    "",
			{"search_files", `{"name":"b.md"}`}:                                       "",
			{"search_files", `{"name":"a.md"}`}:                                       "a.md, written after reading",
			{"search_files", `{"group_by":"call (\\w+)"}`}:                            "a.md, written after reading",
			{"edit_file", `{"path":"in/a.md","old_text":"call adam","new_text":"x"}`}: "a.md, written after reading",
			{"edit_file", `{"path":"own/b.md","old_text":"nothing","new_text":"x"}`}:  "",
			{"write_file", `{"path":"in/c.md","content":"mine"}`}:                     "",
			{"system_info", `{}`}:                                                     "",
		}},
		"rows": {[2]string{"change_db", `{"database":"own/shop.db","query":"INSERT INTO notes VALUES (7, 'call eve')"}`}, map[[2]string]string{
			{"query_db", `{"database":"own/shop.db","query":"SELECT * FROM notes"}`}: "shop.db, written after reading",
		}},
		"rows that are refused": {[2]string{"change_db", `{"database":"own/shop.db","query":"INSERT INTO notes VALUES (1, 'twice')"}`}, map[[2]string]string{
			{"query_db", `{"database":"own/shop.db","query":"SELECT * FROM notes"}`}: "",
		}},
		"move": {[2]string{"move_file", `{"source":"own/b.md","destination":"call eve"}`}, map[[2]string]string{
			{"list_dir", `{}`}: "call eve, moved after reading",
		}},
	} {
		for look, want := range test.looks {
			b := newBench(t, map[string]string{"own/b.md": "milk", "note.md": "milk"})
			sqlite(t, filepath.Join(b.root, "own/shop.db"), "CREATE TABLE notes(id INTEGER PRIMARY KEY, body); INSERT INTO notes VALUES (1, 'milk')")
			origins, err := sandbox.NewOrigins(t.Context(), nowhere{}, slog.New(slog.DiscardHandler))
			if err == nil {
				b.set, err = tool.New(tool.Config{Tools: All(Config{Trash: b.bin}), Gate: anything{}, Origins: origins, Now: func() time.Time { return noon }})
			}
			if err != nil {
				t.Fatal(err)
			}
			scope := loci.Scope{Principal: loci.Principal{ID: "owner", Owner: true}, Folders: []string{b.root}, Taint: page}
			b.set.Call(t.Context(), scope, loci.ToolCall{Name: test.change[0], Arguments: json.RawMessage(test.change[1])}, nil)
			got := b.call(look[0], look[1]).Origin
			if want == "" && got != "" || !strings.HasPrefix(got, want) || want != "" && !strings.HasSuffix(got, page[0]) {
				t.Errorf("%s, then %s: %q, want %q", name, look, got, want)
			}
		}
	}
}
