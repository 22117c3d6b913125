package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// waiting is a desk with questions of a turn that waits for them.
func waiting(t *testing.T, p *person, questions ...loci.Approval) *desk {
	t.Helper()
	d := newDesk(t, p, nil)
	d.change(func() {
		d.turns, d.over = 1, false
		d.emitted(loci.EventTurnStarted, loci.TurnStarted{Model: "m"})
	})
	d.write("Let me see. ")
	done := make(chan struct{})
	go func() {
		defer close(done)
		report(questions...)(d, "")
	}()
	t.Cleanup(func() { d.end(loci.TurnInterrupted); <-done })
	d.wait(func() bool { return len(d.open) == len(questions) })
	return d
}

func TestApprovals(t *testing.T) {
	p := newPerson(t, nowhere)
	newDesk(t, p, nil)
	if code := p.run("", "approvals"); code != 0 || p.out.Len() > 0 || p.err.String() != "No question waits for an answer.\n" {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
	if code := p.run("", "approvals", "--json"); code != 0 || p.out.String() != "[]\n\n" && p.out.String() != "[]\n" {
		t.Errorf("exit code %d, %q", code, p.out.String())
	}
}

func TestApprovalsListed(t *testing.T) {
	p := newPerson(t, nowhere)
	one, two := writing(1, "report.md"), writing(2, "a\x1b[2Jb.md")
	one.Asked = loci.Time{Time: time.Now().Add(-2 * time.Minute)}
	two.Expires = loci.Time{}
	waiting(t, p, one, two)
	code := p.run("", "approvals")
	want := "7F1  write_file report.md  (asked 2 minutes ago, waits until " + one.Expires.Local().Format("2006-01-02 15:04") + ")\n" +
		"     It changes something on this machine.\n       # Report\n       auth 3\n\n" +
		"7F2  write_file a\\u001b[2Jb.md  (asked just now)\n" +
		"     It changes something on this machine.\n       # Report\n       auth 3\n\n" +
		"To answer: loci approvals yes 7F1, or loci approvals no 7F1\n"
	if diff := cmp.Diff(want, p.out.String()); diff != "" || code != 0 {
		t.Errorf("exit code %d\n%s", code, diff)
	}
	var list []struct{ ID, Code, Tool string }
	if code := p.run("", "approvals", "--json"); code != 0 || json.Unmarshal(p.out.Bytes(), &list) != nil || len(list) != 2 || list[0].ID != "apr_1" {
		t.Errorf("exit code %d, %s", code, &p.out)
	}
	if code := p.run("", "__complete", "approvals", "yes", "7f"); code != 0 || !strings.HasPrefix(p.out.String(), "7F1\twrite_file\n7F2\t") {
		t.Errorf("exit code %d, %s", code, &p.out)
	}
}

func TestApprovalsAnswered(t *testing.T) {
	for name, tt := range map[string]struct {
		args     []string
		code     int
		out, err string
		answers  []string
	}{
		"yes":        {args: []string{"yes", "7f1"}, out: "That is all.\n", err: "Allowed: write_file report.md\n· writing report.md\n", answers: []string{"apr_1 yes"}},
		"by id":      {args: []string{"no", "apr_1"}, out: "That is all.\n", err: "Refused: write_file report.md\n", answers: []string{"apr_1 no"}},
		"unknown":    {args: []string{"yes", "9A9"}, code: loci.ExitFailure, err: "loci: No question with the code \"9A9\" waits for an answer.\n      See which do: loci approvals\n"},
		"none":       {args: []string{"yes"}, code: loci.ExitUsage, err: "loci: which question? Give its code\nTry: loci approvals, which lists the questions with their codes\n"},
		"mistyped":   {args: []string{"yse", "7F1"}, code: loci.ExitUsage, err: "loci: there is no command \"approvals yse\"; did you mean yes?\nTry: loci approvals --help\n"},
		"other word": {args: []string{"maybe"}, code: loci.ExitUsage, err: "loci: there is no command \"approvals maybe\"\nTry: loci approvals --help\n"},
	} {
		p := newPerson(t, nowhere)
		d := waiting(t, p, writing(1, "report.md"))
		code := p.run("", append([]string{"approvals"}, tt.args...)...)
		if diff := cmp.Diff(tt.out+tt.err, p.out.String()+p.err.String()); diff != "" || code != tt.code {
			t.Errorf("%s: exit code %d\n%s", name, code, diff)
		}
		if diff := cmp.Diff(tt.answers, d.answers); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// For a script the answer is given, and no more.
func TestApprovalsJSON(t *testing.T) {
	p := newPerson(t, nowhere)
	waiting(t, p, writing(1, "report.md"), writing(2, "b.md"))
	var now loci.Approval
	if code := p.run("", "approvals", "yes", "--json", "7F1"); code != 0 || json.Unmarshal(p.out.Bytes(), &now) != nil || now.ID != "apr_1" || now.State != loci.ApprovalYes || p.err.Len() > 0 {
		t.Errorf("exit code %d, %s%s", code, &p.out, &p.err)
	}
}

// A turn that waits for two goes on with the second: at a terminal it is put,
// elsewhere it is told how to answer it.
func TestApprovalsTwo(t *testing.T) {
	p := newPerson(t, nowhere)
	d := waiting(t, p, writing(1, "a.md"), writing(2, "b.md"))
	code, seen := p.act(nil, []string{"approvals", "yes", "7F2"}, step{"no: ", types("y\n")})
	want := "Allowed: write_file b.md\n\nwrite_file a.md\n  It changes something on this machine.\n    # Report\n    auth 3\n\n" +
		"Allow this? [y] yes, [N] no: y\n· writing report.md\nThat is all.\n"
	if diff := cmp.Diff(want, seen); diff != "" || code != 0 || len(d.answers) != 2 {
		t.Errorf("exit code %d, %v\n%s", code, d.answers, diff)
	}
	p = newPerson(t, nowhere)
	p.terminal = false
	waiting(t, p, writing(1, "a.md"), writing(2, "b.md"))
	if code := p.run("", "approvals", "yes", "7F1"); code != loci.ExitDenied || !strings.Contains(p.err.String(), "To answer: loci approvals yes 7F2") || strings.Contains(p.err.String(), "yes 7F1") {
		t.Errorf("exit code %d, %s", code, &p.err)
	}
}

// Leaving does not stop a turn that somebody else began.
func TestApprovalsLeft(t *testing.T) {
	p := newPerson(t, nowhere)
	d := waiting(t, p, writing(1, "a.md"), writing(2, "b.md"))
	ctx, cancel := context.WithCancel(t.Context())
	code := p.runIn(ctx, reading{&silent{t.Context()}, cancel}, nil, "approvals", "yes", "7F1")
	if code != loci.ExitInterrupted || d.stops != 0 {
		t.Errorf("exit code %d, stopped %d times", code, d.stops)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 119 * time.Minute: "1 hour ago",
		47 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago",
	} {
		if got := ago(d); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
}
