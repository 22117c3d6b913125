package sandbox

import "testing"

// TestUnder has the owner's rules bind somebody who was given folders.
func TestUnder(t *testing.T) {
	owner := Rules{
		{Path: "/n", Access: AskFirst}, {Path: "/n/diary", Access: Never}, {Path: "/n/drafts", Access: Free},
		{Path: "/archive", Access: ReadOnly}, {Path: "/downloads", Access: Free, Outside: true},
	}
	theirs := Rules{
		{Path: "/n", Access: AskFirst}, {Path: "/n/diary/open", Access: Free}, {Path: "/archive", Access: AskFirst}, {Path: "/archive/new", Access: Free},
		{Path: "/downloads/mine", Access: Free}, {Path: "/own", Access: Free},
	}
	rules := theirs.Under(owner)
	for path, want := range map[string]Access{
		"/n/a": AskFirst, "/n/diary/a": Never, "/n/diary/open/a": Never, "/n/drafts/a": AskFirst, "/archive/a": ReadOnly, "/archive/new/a": ReadOnly,
		"/downloads/a": AskFirst, "/downloads/mine/a": Free, "/own/a": Free,
	} {
		if got := rules.at(path).Access; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for path, want := range map[string]bool{"/downloads/a": true, "/downloads/mine/a": true, "/n/a": false, "/own/a": false} {
		if got := rules.foreign(path) != ""; got != want {
			t.Errorf("%s comes from others: %v", path, got)
		}
	}
}
