package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loci"
	"loci/internal/sandbox"
)

// changed makes the person's folder, and has things changed in it as tools do: x is
// written, then renamed, and old deleted.
func changed(t *testing.T, p *person) (folder string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"x": "before", "old": "old"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.env["LOCI_ALLOW"] = folder
	files, err := sandbox.New(sandbox.Config{Folders: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	j := sandbox.Journal{Dir: filepath.Join(p.env["LOCI_HOME"], "data", "trash")}
	by := sandbox.By{Principal: "owner", Session: "ses_1", Tool: "write_file", Time: time.Now()}
	spot := func(name string) (*sandbox.Spot, sandbox.State) {
		s, err := files.Spot(t.Context(), name, sandbox.Keep)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		state, err := s.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s, state
	}
	s, was := spot("x")
	if _, err := j.Write(t.Context(), s, []byte("after"), was, by); err != nil {
		t.Fatal(err)
	}
	s, was = spot("x")
	to, free := spot("y")
	if _, err := j.Move(t.Context(), s, to, was, free, by); err != nil {
		t.Fatal(err)
	}
	s, was = spot("old")
	if _, err := j.Delete(t.Context(), s, was, by); err != nil {
		t.Fatal(err)
	}
	return folder
}

// holds checks what is in a folder.
func holds(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(want) {
		t.Errorf("%v, %v; want %v", entries, err, want)
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(folder, name)); string(got) != text || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestUndoAsks(t *testing.T) {
	p := newPerson(t, nowhere)
	folder := changed(t, p)
	for _, tt := range []struct {
		in, args string
		code     int
		out, err string
		has      map[string]string
	}{
		{"n\n", "undo", 0, "", "Put FOLDER/old back, which was deleted at TIME? [y/N] Nothing was changed.\n", map[string]string{"y": "after"}},
		{"", "undo", 0, "", "Put FOLDER/old back, which was deleted at TIME? [y/N] \nNothing was changed.\n", map[string]string{"y": "after"}},
		{"y\n", "undo", 0, "FOLDER/old is back.\n", "Put FOLDER/old back, which was deleted at TIME? [y/N] ", map[string]string{"y": "after", "old": "old"}},
		{"yes\n", "undo 2", 0, "FOLDER/y is back at FOLDER/x.\nFOLDER/x is as it was before.\n",
			"moved FOLDER/x → FOLDER/y at TIME\nwritten FOLDER/x at TIME\nTake these 2 changes back? [y/N] ", map[string]string{"x": "before", "old": "old"}},
		{"", "undo", 1, "", "loci: There is nothing to take back.\n      See what was done: loci undo --list\n", map[string]string{"x": "before", "old": "old"}},
		{"", "undo 0", 2, "", "loci: how many changes? Give a number from 1, or one ID\nTry: loci undo --list, which lists the changes with their IDs\n", map[string]string{"x": "before", "old": "old"}},
		{"", "undo nothing", 1, "", "loci: There is no change \"nothing\".\n      See which there are: loci undo --list\n", map[string]string{"x": "before", "old": "old"}},
	} {
		code := p.run(tt.in, strings.Fields(tt.args)...)
		words := strings.NewReplacer("FOLDER", folder, "TIME", time.Now().Format("15:04"))
		before := strings.NewReplacer("FOLDER", folder, "TIME", time.Now().Add(-time.Minute).Format("15:04"))
		if code != tt.code || p.out.String() != words.Replace(tt.out) || p.err.String() != words.Replace(tt.err) && p.err.String() != before.Replace(tt.err) {
			t.Errorf("%s: exit code %d\n%s%s", tt.args, code, &p.out, &p.err)
		}
		holds(t, folder, tt.has)
	}
}

// TestUndoStops takes back what it can, newest first, off a terminal without a
// question, and stops at what has changed since.
func TestUndoStops(t *testing.T) {
	p := newPerson(t, nowhere)
	p.terminal = false
	folder := changed(t, p)
	if err := os.WriteFile(folder+"/y", []byte("by hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	code := p.run("", "undo", "9", "--json")
	var done []loci.Change
	if err := json.Unmarshal(p.out.Bytes(), &done); err != nil || len(done) != 1 || done[0].Kind != loci.ChangeCreated || done[0].Undoes == "" {
		t.Errorf("%s, %v", &p.out, err)
	}
	if want := "There are only 3.\nloci: \"" + folder + "/y\" has changed since, so the change was not taken back.\n      Nothing was changed.\n"; code != loci.ExitFailure || p.err.String() != want {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
	holds(t, folder, map[string]string{"y": "by hand", "old": "old"})
	var list []loci.Change
	if code := p.run("", "undo", "--list", "--json"); code != 0 || json.Unmarshal(p.out.Bytes(), &list) != nil || len(list) != 4 || list[0].ID != done[0].ID || list[1].Undone != done[0].ID {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
	if code := p.run("", "undo", done[0].ID); code != 0 || p.out.String() != folder+"/old is in the trash.\n" {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
	if code := p.run("", "undo", list[1].ID); code != loci.ExitFailure || !strings.Contains(p.err.String(), "taken back already") {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
	code = p.run("", "undo", "--list")
	var rows []string
	for line := range strings.Lines(p.out.String()) {
		if fields := strings.Fields(line); len(fields) > 3 {
			rows = append(rows, strings.Join(fields[3:], " "))
		}
	}
	got := strings.Join(rows, "\n")
	for i, want := range []string{"deleted done again old in /", "created taken back old in /", "deleted taken back old in /", "moved in force x → y in /", "written in force x in /"} {
		if code != 0 || len(rows) != 6 || !strings.HasPrefix(rows[i+1], want) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, got)
		}
	}
}

// TestWayBack tells a person at a terminal how a turn's changes are taken back.
func TestWayBack(t *testing.T) {
	for n, want := range []string{"", "· to take that back: loci undo\n", "· to take these 2 changes back: loci undo 2\n"} {
		p := newPerson(t, nowhere)
		newDesk(t, p, func(d *desk, _ string) {
			for range n {
				r := loci.ToolResult{Call: loci.ToolCall{ID: "call_1", Name: "write_file"}, Change: "20261130-120000-0123abcd"}
				d.emit(loci.EventToolFinished, loci.ToolFinished{Result: r, Undo: r.Undo()})
			}
			d.say("Done.")
		})
		if code := p.run("", "ask", "Write it."); code != 0 || p.out.String() != "Done.\n" || p.err.String() != want {
			t.Errorf("exit code %d, %q, %q", code, p.out.String(), p.err.String())
		}
		p.terminal = false
		if code := p.run("", "ask", "Write it."); code != 0 || p.err.String() != "" {
			t.Errorf("exit code %d, %q", code, p.err.String())
		}
	}
}
