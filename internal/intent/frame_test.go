package intent

import (
	"slices"
	"strings"
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

// The sentences of a frame lead to what the frame makes of them, or an earlier one to a
// call of the same tool.
func TestFramesReadTheirExamples(t *testing.T) {
	all := slices.Concat(earlyFrames(), frames())
	for _, f := range all {
		for _, p := range kindOfWords(f.kind).Phrases {
			for _, e := range shownBy(t, p) {
				u := hears(e.Says)
				if low := strings.ToLower(u.named().words); u.Lang == lang.English && !f.mayRead(low) {
					t.Errorf("%s: what all of its kind have is not in %q", p.Where(), low)
				}
				if sign := signIn(p.Template); !strings.Contains(u.named().words, sign) {
					t.Errorf("%s: %q has no sign %s", p.Where(), e.Says, sign)
				}
				g := u.framed(all)
				if g == nil {
					t.Errorf("%s: %q has no goal", p.Where(), e.Says)
					continue
				}
				move := g.next(u, nil)
				switch {
				case g.first() == "" && move.Say == "":
					t.Errorf("%s: nothing is said to %q", p.Where(), e.Says)
				case g.first() != "" && g.first() != f.tool && (move.Call == nil || move.Call.Name != f.tool):
					t.Errorf("%s: %q begins with %+v", p.Where(), e.Says, move.Call)
				}
			}
		}
	}
}

// The sentences of the forms of a swap are changes of words.
func TestSwapForms(t *testing.T) {
	for _, kind := range []string{"edits/must be", "edits/other words"} {
		for _, p := range kindOfWords(kind).Phrases {
			for _, e := range shownBy(t, p) {
				u := hears(e.Says)
				if _, ok := u.framed(frames()).(replacing); !ok {
					t.Errorf("%s: %q as %q is no change of words", p.Where(), e.Says, u.named().without("‹file1›"))
				}
			}
		}
	}
}
