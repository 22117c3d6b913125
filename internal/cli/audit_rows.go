package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"loci"
	"loci/internal/text"
)

// auditHeading names the columns of the audit log as people see it.
var auditHeading = []string{"N", "TIME", "WHO", "BY", "WHAT", "RESULT"}

// auditWidths are the columns where rows come one by one.
var auditWidths = []int{5, 19, 8, 5, 36}

// auditTable shows rows together. An outcome stands beside its intent, and a person sees
// the numbers of both, so that none seems to be missing.
func (c *command) auditTable(rows []loci.AuditEntry) error {
	outcomes := map[int64]int64{} // by the number of the intent; 0: not among the rows
	for _, r := range rows {
		if r.Kind == loci.AuditIntent {
			outcomes[r.N] = 0
		} else if _, ok := outcomes[r.Intent]; ok {
			outcomes[r.Intent] = r.N
		}
	}
	shown := slices.DeleteFunc(slices.Clone(rows), func(r loci.AuditEntry) bool { _, ok := outcomes[r.Intent]; return ok })
	var cells [][]string
	if c.OutWidth > 0 {
		cells = append(cells, auditHeading)
	}
	for _, r := range shown {
		line := c.auditCells(r, auditResult(r))
		if c.OutWidth > 0 {
			line[0] += auditAlso(r.N, outcomes[r.N])
		}
		cells = append(cells, line)
	}
	widths := make([]int, len(auditWidths))
	for _, line := range cells {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
	}
	for i, line := range cells {
		loud := c.OutWidth > 0 && i > 0 && auditLoud(shown[i-1]) || c.OutWidth == 0 && auditLoud(shown[i])
		if err := c.auditLine(c.Out, widths, line, loud); err != nil {
			return err
		}
	}
	return nil
}

// auditAlso adds the number of the outcome to that of an intent.
func auditAlso(intent, outcome int64) string {
	switch outcome {
	case 0:
		return ""
	case intent + 1:
		return fmt.Sprintf("–%d", outcome)
	}
	return fmt.Sprintf(", %d", outcome)
}

// auditLines shows rows one by one, as they come: what has only begun has no outcome
// yet.
func (c *command) auditLines() func(any) error {
	headed := c.OutWidth == 0
	return func(row any) error {
		r := row.(loci.AuditEntry)
		if !headed {
			headed = true
			if err := c.auditLine(c.Out, auditWidths, auditHeading, false); err != nil {
				return err
			}
		}
		result, loud := auditResult(r), auditLoud(r)
		if r.Kind == loci.AuditIntent && r.Outcome == loci.StateUnknown {
			result, loud = "begins", false
		}
		if r.Kind == loci.AuditOutcome && r.Intent > 0 {
			result += fmt.Sprintf(" (row %d)", r.Intent)
		}
		return c.auditLine(c.Out, auditWidths, c.auditCells(r, result), loud)
	}
}

// auditLine writes one row in columns; the last one is cut where it would be too long.
func (c *command) auditLine(w io.Writer, widths []int, cells []string, loud bool) error {
	var b strings.Builder
	used := 0
	for i, wide := range widths {
		pad := strings.Repeat(" ", max(0, wide-utf8.RuneCountInString(cells[i]))+gap)
		used += utf8.RuneCountInString(cells[i]) + len(pad)
		if i == 0 { // numbers stand at the right
			b.WriteString(pad[gap:] + cells[i] + pad[:gap])
			continue
		}
		b.WriteString(cells[i] + pad)
	}
	last := cells[len(cells)-1]
	if c.OutWidth > 0 && !loud { // what is loud is whole
		const least = 12
		last = text.Title(last, max(least, c.OutWidth-used))
	}
	b.WriteString(painted(loud && c.Colour && c.OutWidth > 0, bold+red, last))
	_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	return err
}

// auditCells are the columns of a row. Whatever is in it stays in its place.
func (c *command) auditCells(r loci.AuditEntry, result string) []string {
	at := r.Time.UTC().Format(loci.TimeFormat)
	wide := 200 // characters of what was done, where there is room for all
	if c.OutWidth > 0 {
		at = r.Time.Local().Format("2006-01-02 15:04:05")
		wide = max(24, (c.OutWidth-len("12345  2006-01-02 15:04:05  owner     grant  "))*3/5)
	}
	who := cmp.Or(about[loci.AuditedAnswer](r).By, r.Principal, "loci")
	return []string{
		strconv.FormatInt(r.N, 10), at, text.Title(oneLine(who), 20), auditPermit(r), text.Title(auditWhat(r), wide), oneLine(result),
	}
}

// auditPermit says in a word how a call was allowed.
func auditPermit(r loci.AuditEntry) string {
	switch {
	case r.Kind != loci.AuditIntent && r.Kind != loci.AuditOutcome:
		return "-"
	case strings.HasPrefix(r.Permit, loci.ApprovalPrefix):
		return "yes"
	case strings.HasPrefix(r.Permit, loci.GrantPrefix):
		return "grant"
	}
	return cmp.Or(text.Title(oneLine(r.Permit), 8), "-")
}

// auditFor names whom somebody else acted for.
func auditFor(r loci.AuditEntry) string {
	if about[loci.AuditedAnswer](r).By == "" {
		return ""
	}
	return ", for " + oneLine(r.Principal)
}

// auditWhat names what a row is about.
func auditWhat(r loci.AuditEntry) string {
	switch r.Kind {
	case loci.AuditAnswer:
		return "question: " + oneLine(r.Tool) + auditFor(r)
	case loci.AuditGrant:
		return strings.TrimSpace("grant: "+oneLine(r.Tool)+" "+oneLine(about[loci.AuditedGrant](r).Subject)) + auditFor(r)
	case loci.AuditKey:
		return "key: " + oneLine(cmp.Or(about[loci.AuditedKey](r).Name, r.Permit))
	case loci.AuditSession:
		return "session " + oneLine(r.Session)
	case loci.AuditLog:
		return "this log"
	}
	a := loci.Approval{Tool: r.Tool, Arguments: r.Arguments}
	if words := title(a); words != oneLine(r.Tool) || len(r.Arguments) == 0 {
		return words
	}
	args := given(a)
	all := []string{oneLine(r.Tool)}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		all = append(all, name+"="+text.Title(args[name], 60))
	}
	return strings.Join(all, " ")
}

// about reads what a row says of its question, its grant or its key; what a changed row
// does not tell stays empty.
func about[T any](r loci.AuditEntry) (v T) {
	if json.Unmarshal(r.Arguments, &v) != nil {
		var none T
		return none
	}
	return v
}

// auditStates says what became of something where the state alone would not be clear.
var auditStates = map[loci.AuditState]string{
	loci.StateExpired: "no answer in time", loci.StateUsed: "the yes was used", loci.StateUnknown: "UNKNOWN",
}

// auditResult says what came of it.
func auditResult(r loci.AuditEntry) string {
	switch {
	case r.Damaged != "":
		return r.Damaged
	case r.Kind == loci.AuditIntent:
		return became(r.Outcome, cmp.Or(r.Why, "it began and has no outcome"))
	case r.Kind == loci.AuditGrant && r.State == loci.StateGiven:
		return "given for " + string(about[loci.AuditedGrant](r).Span)
	case r.Kind == loci.AuditGrant && r.State == loci.StateRevoked:
		return "taken back"
	}
	return became(r.State, r.Result)
}

// became says a state in words, and why it is so. The state comes first: the sentence
// may be a tool's, and is not believed about it.
func became(state loci.AuditState, why string) string {
	words := cmp.Or(auditStates[state], string(state))
	switch {
	case words == "": // of the log itself
		return why
	case why == "" || state == loci.StateDone:
		return words
	}
	return words + ": " + why
}

// auditLoud tells whether a person has to see a row. What nobody knows stands out.
func auditLoud(r loci.AuditEntry) bool {
	return r.Damaged != "" || r.Kind == loci.AuditLog || r.State == loci.StateUnknown || r.Outcome == loci.StateUnknown
}
