package cli

import (
	"cmp"
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

// auditTable shows rows together. An outcome stands beside its intent.
func (c *command) auditTable(rows []loci.AuditEntry) error {
	intents := map[int64]bool{}
	for _, r := range rows {
		intents[r.N] = r.Kind == loci.AuditIntent
	}
	shown := slices.DeleteFunc(slices.Clone(rows), func(r loci.AuditEntry) bool { return intents[r.Intent] })
	var cells [][]string
	if c.OutWidth > 0 {
		cells = append(cells, auditHeading)
	}
	for _, r := range shown {
		cells = append(cells, c.auditCells(r, auditResult(r)))
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
		if r.Outcome == loci.AuditUnknown {
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
		wide = max(28, (c.OutWidth-len("12345  2006-01-02 15:04:05  owner     grant  "))*3/5)
	}
	who := cmp.Or(r.Principal, "loci")
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

// auditWhat names what a row is about.
func auditWhat(r loci.AuditEntry) string {
	switch r.Kind {
	case loci.AuditAnswer:
		return "question: " + oneLine(r.Tool)
	case loci.AuditGrant:
		_, subject := auditGrant(r)
		return strings.TrimSpace("grant: " + oneLine(cmp.Or(r.Tool, r.Permit)) + " " + oneLine(subject))
	case loci.AuditKey:
		return strings.TrimSpace("key: " + oneLine(r.Permit))
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

// auditGrant takes apart what is said of a grant: what became of it, without the id of
// the question, which is for programs, and what it is for.
func auditGrant(r loci.AuditEntry) (became, subject string) {
	became, subject, _ = strings.Cut(r.Result, ": ")
	became, _, _ = strings.Cut(became, " with "+loci.ApprovalPrefix)
	return became, subject
}

// auditStates says what became of a question, in words.
var auditStates = map[string]string{
	"yes": "yes", "no": "no", "expired": "no answer in time", "withdrawn": "withdrawn", "used": "the yes was used",
}

// auditResult says what came of it.
func auditResult(r loci.AuditEntry) string {
	switch {
	case r.Damaged != "":
		return r.Damaged
	case r.Kind == loci.AuditIntent && r.Outcome == loci.AuditUnknown:
		return "UNKNOWN: it began and has no outcome"
	case r.Kind == loci.AuditIntent:
		return loudly(r.Outcome)
	case r.Kind == loci.AuditAnswer:
		_, to, _ := strings.Cut(r.Result, " -> ")
		return cmp.Or(auditStates[to], r.Result)
	case r.Kind == loci.AuditGrant:
		became, _ := auditGrant(r)
		return became
	case r.Kind == loci.AuditRefused:
		return "refused: " + r.Result
	}
	return loudly(r.Result)
}

// loudly has what nobody knows stand out.
func loudly(result string) string {
	if rest, ok := strings.CutPrefix(result, loci.AuditUnknown+": "); ok {
		return "UNKNOWN: " + rest
	}
	return result
}

// auditLoud tells whether a person has to see a row.
func auditLoud(r loci.AuditEntry) bool {
	return r.Damaged != "" || r.Kind == loci.AuditLog || strings.HasPrefix(auditResult(r), "UNKNOWN")
}
