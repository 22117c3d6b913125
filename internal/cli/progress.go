package cli

import (
	"fmt"
	"strings"
	"time"

	"loci/internal/embedded"
)

// bar shows how a fetch goes: one line that moves on a terminal, a line every
// few seconds elsewhere.
type bar struct {
	c        *command
	began    time.Time
	last     time.Time
	step     embedded.Step
	name     string
	from     int64 // bytes there when this run began
	counting bool
}

func (c *command) newBar() *bar { return &bar{c: c} }

const plainEvery = 3 * time.Second

// update takes a report of the fetch.
func (b *bar) update(p embedded.Progress) {
	now := time.Now()
	if !b.counting {
		b.began, b.from, b.counting = now, p.AllDone, true
		b.c.say("Fetching a small model to run on this machine; this happens once.")
	}
	changed := p.Step != b.step || p.Package.Use != b.name
	b.step, b.name = p.Step, p.Package.Use
	if p.Step == embedded.StepDone {
		if b.c.Terminal && !b.c.Dumb {
			fmt.Fprint(b.c.Err, "\r\x1b[K")
		}
		fmt.Fprintf(b.c.Err, "Fetched %s in %s.\n", megabytes(p.All), now.Sub(b.began).Round(time.Second))
		return
	}
	line := b.line(p, now)
	if b.c.Terminal && !b.c.Dumb {
		fmt.Fprint(b.c.Err, "\r"+line+"\x1b[K")
		return
	}
	if changed || now.Sub(b.last) >= plainEvery {
		b.last = now
		fmt.Fprintln(b.c.Err, line)
	}
}

// line is the state in words: what, how much, how fast, how long still.
func (b *bar) line(p embedded.Progress, now time.Time) string {
	switch p.Step {
	case embedded.StepWait:
		return "Waiting for another loci that is fetching."
	case embedded.StepInstall:
		return fmt.Sprintf("Unpacking the %s …", p.Package.Use)
	}
	text := fmt.Sprintf("%s of %s", megabytes(p.AllDone), megabytes(p.All))
	if spent := now.Sub(b.began).Seconds(); spent > 0.5 && p.AllDone > b.from {
		rate := float64(p.AllDone-b.from) / spent
		left := time.Duration(float64(p.All-p.AllDone) / rate * float64(time.Second))
		text += fmt.Sprintf(", %s/s, %s left", megabytes(int64(rate)), left.Round(time.Second))
	}
	full := text + ": " + p.Package.Use
	if !b.c.Terminal || p.All == 0 {
		return full
	}
	const most, least = 30, 5
	if b.c.Width-len(full)-4 >= least {
		text = full
	}
	width := min(most, b.c.Width-len(text)-4)
	if width < least {
		return text
	}
	done := int(int64(width) * p.AllDone / p.All)
	return "[" + strings.Repeat("#", done) + strings.Repeat(".", width-done) + "] " + text
}

func megabytes(n int64) string {
	if n < 10e6 {
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f MB", float64(n)/1e6)
}
