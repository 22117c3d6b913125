package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"loci"
)

const trying = "· The connection to loci broke off; trying again.\n"

// A connection that breaks is made again, and nothing is shown twice or left out.
func TestReconnect(t *testing.T) {
	p := newPerson(t, nowhere)
	d := newDesk(t, p, func(d *desk, _ string) {
		d.tool("search_files", `{}`, "looking through the files")
		d.write("One, ")
		d.say("two.")
	})
	d.cut = 3
	code, seen := p.act(nil, []string{"ask", "count"})
	if code != 0 || !strings.HasSuffix(seen, "One, two.\n") || strings.Count(seen, "· looking through the files\n") != 1 || strings.Count(seen, trying) == 0 {
		t.Errorf("exit code %d\n%s", code, seen)
	}
}

// A question stays at the prompt through a break, and its answer counts.
func TestReconnectAtQuestion(t *testing.T) {
	p := newPerson(t, nowhere)
	d := newDesk(t, p, report(writing(1, "report.md")))
	code, seen := p.act(nil, []string{"ask", "report"},
		step{"no: ", func(*screen) { d.change(func() { d.cut = 1 }); d.tool("list_dir", `{}`, "listing .") }},
		step{"trying again.", func(*screen) {}},
		step{"no: ", types("y\n")})
	if code != 0 || !slices.Equal(d.answers, []string{"apr_1 yes"}) || strings.Count(seen, "write_file") != 1 || !strings.Contains(seen, trying) || !strings.HasSuffix(seen, "· writing report.md\nThat is all.\n") {
		t.Errorf("exit code %d, %v\n%s", code, d.answers, seen)
	}
}

// A loci that is gone for good is told in a clear sentence.
func TestServerGone(t *testing.T) {
	defer func(before []time.Duration) { patience = before }(patience)
	patience = []time.Duration{0, time.Millisecond}
	for _, command := range []string{"ask", "chat"} {
		p := newPerson(t, nowhere)
		d := newDesk(t, p, func(d *desk, _ string) {
			d.write("One")
			d.wait(func() bool { return d.over })
		})
		steps := []step{{"One", func(*screen) { d.change(func() { d.gone = true }) }}}
		args, want := []string{"ask", "count"}, loci.ExitUnreachable
		if command == "chat" {
			steps = append([]step{{"> ", types("count\n")}}, append(steps, step{"> ", leaves})...)
			args, want = []string{"chat"}, 0
		}
		code, seen := p.act(nil, args, steps...)
		if code != want || !strings.Contains(seen, "One\n"+trying+"loci: ") || !strings.Contains(strings.Join(strings.Fields(seen), " "), "broke off before the answer was whole. See whether it is well with: loci doctor") {
			t.Errorf("%s: exit code %d\n%s", command, code, seen)
		}
		d.end(loci.TurnInterrupted)
	}
}
