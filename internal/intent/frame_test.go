package intent

import (
	"slices"
	"testing"
	"time"

	"loci"
	"loci/internal/lang"
)

// hears makes an utterance of words, with every tool that a frame may begin with.
func hears(words string) *utterance {
	s := loci.Situation{Text: words, Lang: lang.Of(words), Now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	for _, name := range []string{listDir, readFile, searchFiles, systemInfo, listProcesses, currentTime, calculate, writeFile, editFile, moveFile, deleteFile, runCommand, queryDB, mediaControl, openApp, changeDB} {
		s.Tools = append(s.Tools, loci.ToolSpec{Name: name, Examples: []string{"x"}})
	}
	return New(Config{}).understand(s)
}

// Every pattern has a sentence beside it that it is for.
func TestFramesReadTheirExamples(t *testing.T) {
	all := slices.Concat(earlyFrames(), frames())
	for _, f := range all {
		for _, c := range f.cues {
			u := hears(c.example)
			n := u.naming(u.core)
			if _, ok := c.words.match(n.words); !ok {
				t.Errorf("%s: its pattern does not match %q as %q", f.tool, c.example, n.words)
				continue
			}
			g := u.framed(all)
			if g == nil {
				t.Errorf("%s: %q has no goal", f.tool, c.example)
				continue
			}
			move := g.next(u, nil)
			switch {
			case g.first() == "" && move.Say == "":
				t.Errorf("%s: nothing is said to %q", f.tool, c.example)
			case g.first() != "" && g.first() != f.tool && (move.Call == nil || move.Call.Name != f.tool):
				t.Errorf("%s: %q begins with %+v", f.tool, c.example, move.Call)
			}
		}
	}
	for _, form := range swapForms {
		u := hears(form.example)
		_, ok := u.framed(all).(replacing)
		if !ok {
			t.Errorf("%q as %q is no change of words", form.example, u.naming(u.core).without("‹file1›"))
			continue
		}
	}
}
