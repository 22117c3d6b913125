package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// report asks to write a file, and says what came of it.
func report(questions ...loci.Approval) func(*desk, string) {
	return func(d *desk, _ string) {
		d.tool("search_files", `{"content":"ERROR","path":"logs"}`, `searching for "ERROR" in logs`)
		d.ask(questions...)
		if d.allowed {
			d.tool("write_file", `{"path":"report.md"}`, "writing report.md")
		}
		d.say("That is all.")
	}
}

const asked = `· searching for "ERROR" in logs

write_file report.md
  It changes something on this machine.
    # Report
    auth 3

Allow this? [y] yes, [N] no: `

func TestQuestion(t *testing.T) {
	prompt := func(do func(*screen)) []step { return []step{{"no: ", do}} }
	again := func(first, second string) []step {
		return []step{{"no: ", types(first)}, {"y or n: ", types(second)}}
	}
	for name, tt := range map[string]struct {
		steps   []step
		late    bool
		want    string // after the question
		answers []string
	}{
		"yes":       {steps: prompt(types("y\n")), want: "y\n· writing report.md\nThat is all.\n", answers: []string{"apr_1 yes"}},
		"in Czech":  {steps: prompt(types("Ano!\n")), want: "Ano!\n· writing report.md\nThat is all.\n", answers: []string{"apr_1 yes"}},
		"no":        {steps: prompt(types("n\n")), want: "n\nThat is all.\n", answers: []string{"apr_1 no"}},
		"Ctrl-D":    {steps: prompt(leaves), want: "\nThat is all.\n", answers: []string{"apr_1 no"}},
		"empty":     {steps: prompt(types("\n")), want: "\nThat is all.\n", answers: []string{"apr_1 no"}},
		"unclear":   {steps: again("hm\n", "well\n"), want: "hm\nPlease answer y or n: well\nNo, then.\nThat is all.\n", answers: []string{"apr_1 no"}},
		"at last":   {steps: again("hm\n", "yes\n"), want: "hm\nPlease answer y or n: yes\n· writing report.md\nThat is all.\n", answers: []string{"apr_1 yes"}},
		"and more":  {steps: again("yes and delete it\n", "no\n"), want: "yes and delete it\nPlease answer y or n: no\nThat is all.\n", answers: []string{"apr_1 no"}},
		"too late":  {steps: prompt(types("y\n")), late: true, want: "y\n· answered elsewhere: no\nThat is all.\n", answers: []string{"apr_1 yes"}},
		"elsewhere": {steps: nil, want: "\r\x1b[K· answered elsewhere: no\nThat is all.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, nowhere)
			d := newDesk(t, p, report(writing(1, "report.md")))
			d.late = tt.late
			if tt.steps == nil {
				tt.steps = prompt(func(*screen) { d.answered("apr_1", loci.ApprovalNo) })
			}
			code, seen := p.act(nil, []string{"ask", "report"}, tt.steps...)
			exit := loci.ExitDenied
			if strings.Contains(tt.want, "writing report.md") {
				exit = 0
			}
			if diff := cmp.Diff(asked+tt.want, seen); diff != "" || code != exit {
				t.Errorf("exit code %d\n%s", code, diff)
			}
			if diff := cmp.Diff(tt.answers, d.answers); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// When nobody answers, the question goes away, and what was half typed with it.
func TestQuestionExpires(t *testing.T) {
	p := newPerson(t, nowhere)
	d := newDesk(t, p, report(writing(1, "report.md"), writing(2, "other.md")))
	forgotten := 0
	code, seen := p.act(func(w *World) { w.Forget = func() { forgotten++ } }, []string{"ask", "report"},
		step{"no: ", func(*screen) { d.answered("apr_1", loci.ApprovalExpired) }},
		step{"no: ", types("y\n")})
	want := asked + "\r\x1b[K· nobody answered in time, so it was not done\n" +
		"\nwrite_file other.md\n  It changes something on this machine.\n    # Report\n    auth 3\n\nAllow this? [y] yes, [N] no: y\n" +
		"· writing report.md\nThat is all.\n"
	if diff := cmp.Diff(want, seen); diff != "" || code != loci.ExitDenied || forgotten != 2 {
		t.Errorf("exit code %d, forgotten %d times\n%s", code, forgotten, diff)
	}
}

// A yes that was typed before the question was there is none.
func TestTypedAhead(t *testing.T) {
	p := newPerson(t, nowhere)
	typed := make(chan struct{})
	d := newDesk(t, p, func(d *desk, message string) {
		d.emit(loci.EventNotice, loci.Notice{Text: "It thinks."})
		<-typed
		report(writing(1, "report.md"))(d, message)
	})
	var s *screen
	code, seen := p.act(func(w *World) {
		s = w.In.(*screen)
		w.Forget = func() { // as a terminal does
			for len(s.keys) > 0 {
				<-s.keys
			}
		}
	}, []string{"ask", "report"},
		step{"It thinks.", func(s *screen) { s.keys <- "y\n"; close(typed) }},
		step{"no: ", types("n\n")})
	if diff := cmp.Diff([]string{"apr_1 no"}, d.answers); diff != "" || code != loci.ExitDenied {
		t.Errorf("exit code %d, %s\n%s", code, diff, seen)
	}
}

func TestTwoQuestions(t *testing.T) {
	p := newPerson(t, nowhere)
	d := newDesk(t, p, report(writing(1, "a.md"), writing(2, "b.md")))
	code, seen := p.act(nil, []string{"ask", "report"}, step{"no: ", types("y\n")}, step{"no: ", types("n\n")})
	if diff := cmp.Diff([]string{"apr_1 yes", "apr_2 no"}, d.answers); diff != "" || code != loci.ExitDenied || strings.Count(seen, "Allow this?") != 2 {
		t.Errorf("exit code %d\n%s\n%s", code, diff, seen)
	}
}

// A terminal that is closed at a question leaves none behind, whether that is heard of
// as a signal or as a read that fails.
func TestTerminalGone(t *testing.T) {
	p := newPerson(t, nowhere)
	d := newDesk(t, p, report(writing(1, "report.md")))
	silent := &screen{changed: make(chan struct{})}
	w := World{In: iotest.ErrReader(syscall.EIO), Out: silent, Err: silent, Getenv: func(name string) string { return p.env[name] }, Terminal: true, Width: 80, OutWidth: 80}
	if code := Main(t.Context(), w, []string{"ask", "report"}); code == 0 || d.stops != 1 || len(d.open) > 0 || d.answers != nil {
		t.Errorf("exit code %d, %d stops, open %v, answers %v", code, d.stops, d.open, d.answers)
	}
	if signal.Ignored(syscall.SIGHUP) {
		return // by nohup
	}
	if !slices.Contains(Ends(), os.Signal(syscall.SIGHUP)) {
		t.Error("nobody hears that the terminal was closed")
	}
	defer signal.Reset(syscall.SIGHUP)
	if signal.Ignore(syscall.SIGHUP); slices.Contains(Ends(), os.Signal(syscall.SIGHUP)) {
		t.Error("nohup does not help any more")
	}
}

// Ctrl-C takes the question back, and nothing goes on.
func TestInterruptedQuestion(t *testing.T) {
	p := newPerson(t, nowhere)
	d := newDesk(t, p, report(writing(1, "report.md")))
	ctx, cancel := context.WithCancel(t.Context())
	s := &watch{text: "no: ", then: cancel}
	p.terminal = true
	w := World{In: &silent{t.Context()}, Getenv: func(n string) string { return p.env[n] }, Terminal: true, Width: 80, OutWidth: 80}
	s.w = &p.err
	w.Out, w.Err = s, s
	if code := Main(ctx, w, []string{"ask", "report"}); code != loci.ExitInterrupted || d.stops != 1 || len(d.open) > 0 {
		t.Errorf("exit code %d, stopped %d times, %v", code, d.stops, d.open)
	}
	if diff := cmp.Diff(asked+"\r\x1b[K", p.err.String()); diff != "" {
		t.Error(diff)
	}
}

// silent is a terminal where nobody types.
type silent struct{ ctx context.Context }

func (s *silent) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// Off a terminal the command tells how to answer, and ends.
func TestQuestionOffTerminal(t *testing.T) {
	p := newPerson(t, nowhere)
	p.terminal = false
	newDesk(t, p, func(d *desk, _ string) {
		d.write("Let me see.")
		report(writing(1, "a.md"), writing(2, "b.md"))(d, "")
	})
	if code := p.run("y\n", "ask", "report"); code != loci.ExitDenied || p.out.String() != "Let me see.\n" {
		t.Errorf("exit code %d, %q", code, p.out.String())
	}
	for _, want := range []string{"write_file a.md\n  It changes something on this machine.\n    # Report\n    auth 3\n", "write_file b.md\n",
		"To answer: loci approvals yes 7F1, or loci approvals no 7F1, until 2090-05-24 "} {
		if strings.Count(p.err.String(), want) != 1 {
			t.Errorf("%q is missing in\n%s", want, &p.err)
		}
	}
}

// What a question shows cannot take hold of the terminal, or hide anything.
func TestQuestionText(t *testing.T) {
	diff := "--- notes.md\n+++ notes.md\n@@ -1,2 +1,2 @@\n Dear Anna,\n-old\x1b[2J\n+new\u202etxt.exe\r\n"
	for name, tt := range map[string]struct {
		a    loci.Approval
		want string
	}{
		"diff": {loci.Approval{Tool: "edit_file", Arguments: []byte(`{"path":"notes.md","old_text":"old","new_text":"new","replace_all":true}`), Preview: diff, Reason: "It changes something.", Taint: "https://example.com/a"},
			"\x1b[1medit_file notes.md\x1b[0m\n  It changes something.\n  This conversation has read from outside: https://example.com/a\n  replace_all: true\n" +
				"    \x1b[31m--- notes.md\x1b[0m\n    \x1b[32m+++ notes.md\x1b[0m\n    @@ -1,2 +1,2 @@\n     Dear Anna,\n    \x1b[31m-old\\u001b[2J\x1b[0m\n    \x1b[32m+new\\u202etxt.exe\x1b[0m\n"},
		"list":       {loci.Approval{Tool: "write_file", Arguments: []byte(`{"path":"a\nb.md","content":"- x"}`), Preview: "- x"}, "\x1b[1mwrite_file a\\nb.md\x1b[0m\n    - x\n"},
		"move":       {loci.Approval{Tool: "move_file", Arguments: []byte(`{"source":"a","destination":"b/"}`)}, "\x1b[1mmove_file a → b/\x1b[0m\n"},
		"no preview": {loci.Approval{Tool: "send", Arguments: []byte(`{"to":["a@b.c"],"content":"` + strings.Repeat("x", 600) + `"}`)}, "\x1b[1msend\x1b[0m\n  content: " + strings.Repeat("x", 499) + "… (600 characters in all)\n  to: [\"a@b.c\"]\n"},
		"no JSON":    {loci.Approval{Tool: "odd", Arguments: []byte("\x1b]0;x\a")}, "\x1b[1modd\x1b[0m\n  arguments: \\u001b]0;x\\u0007\n"},
	} {
		if got := cmp.Diff(tt.want, question(tt.a, true)); got != "" {
			t.Errorf("%s: %s", name, got)
		}
		if plain := question(tt.a, false); strings.Contains(plain, "\x1b") {
			t.Errorf("%s: %q", name, plain)
		}
	}
}

func TestAgreed(t *testing.T) {
	for answer, want := range map[string][2]bool{
		"y": {true, true}, " YES!\n": {true, true}, "ano": {true, true}, "Ja.": {true, true}, "да": {true, true}, "Oui": {true, true}, "sí": {true, true}, "¡Sí!": {true, true}, "是。": {true, true}, "好": {true, true},
		"n": {false, true}, "NO": {false, true}, "ne": {false, true}, "нет": {false, true}, "不": {false, true}, "Nein!": {false, true},
		"yes please": {true, true}, "not now": {false, true},
		"": {false, true}, "\n": {false, true}, "yes 7F3": {true, true}, "yes 9H9": {true, false}, "yes 7F3 9H9": {true, false}, "yno": {}, "1": {}, "yes but later": {},
	} {
		if yes, _, clear := agreed(answer, loci.Approval{Code: "7F3"}); yes != want[0] || clear != want[1] {
			t.Errorf("%q: %v, %v", answer, yes, clear)
		}
	}
}
