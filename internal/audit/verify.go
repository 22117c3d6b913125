package audit

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"loci"
)

// Row is a row of the log as it is stored. The fields between N and Entry repeat
// what the entry says, so that rows can be looked for.
type Row struct {
	N         int64
	Time      int64 // Unix milliseconds
	Kind      string
	Intent    int64
	Principal string
	Session   string
	Tool      string
	State     string
	Entry     []byte
	Hash      []byte
}

// Link is the row's hash as far as it has the length of one.
func (r *Row) Link() (h Hash) {
	copy(h[:], r.Hash)
	return h
}

// Record reads the row's entry; it is an error where the columns beside it say
// something else.
func (r *Row) Record() (loci.AuditRecord, error) {
	rec, err := Decode(r.Entry)
	if err != nil {
		return rec, fmt.Errorf("its entry cannot be read")
	}
	if rec.N != r.N {
		return rec, fmt.Errorf("it holds the entry of row %d", rec.N)
	}
	for _, c := range []struct {
		name string
		same bool
	}{
		{"time", rec.Time.UnixMilli() == r.Time}, {"kind", string(rec.Kind) == r.Kind}, {"intent", rec.Intent == r.Intent},
		{"principal", rec.Principal == r.Principal}, {"session", rec.Session == r.Session}, {"tool", rec.Tool == r.Tool},
		{"state", string(rec.State) == r.State},
	} {
		if !c.same {
			return rec, fmt.Errorf("its column %s is not what its entry says", c.name)
		}
	}
	return rec, nil
}

// shown is how many problems a report lists.
const shown = 100

// Verifier goes through a log from its first row to its last.
type Verifier struct {
	chain  *Chain
	anchor *Head  // nil: it could not be read
	absent string // why not

	report loci.AuditReport
	last   Row    // of which the number and the hash count
	prev   []Hash // what the next row may follow from
	broken bool   // the last row was not what it should be
	// fitting counts the rows whose hash fitted since the key began; since is the row
	// it began with. Misfits before are told in one sentence where none fitted.
	fitting, misfits int64
	since            int64
	unfit            []loci.AuditProblem
	hidden           int // misfits that are too many for unfit
}

// NewVerifier begins. The anchor is the text of its file, nil where there is no such
// file. Rows that are written meanwhile do no harm if the anchor was read first.
func NewVerifier(key, anchor []byte) *Verifier {
	v := &Verifier{chain: NewChain(key), prev: []Hash{{}}, since: 1}
	v.report.Problems = []loci.AuditProblem{}
	if anchor == nil {
		v.absent = "The anchor of the log is missing, so nobody can say whether rows are gone from its end."
		return v
	}
	head, err := v.chain.ReadAnchor(anchor)
	if err != nil {
		v.absent = "The anchor of the log was changed, or was written with another key, so nobody can say whether rows are gone from its end."
		return v
	}
	v.anchor = &head
	return v
}

// Row takes the next row, in the order of their numbers.
func (v *Verifier) Row(r Row) {
	v.report.Rows++
	due := v.last.N + 1
	if r.N < due {
		v.problem(r.N, fmt.Sprintf("Row %d has a number that no row can have.", r.N))
		return
	}
	gap := v.gap(due, r.N)
	rec, err := r.Record()
	if err != nil {
		v.problem(r.N, fmt.Sprintf("Row %d was changed: %v.", r.N, err))
	}
	fits, computed := v.fits(&r)
	switch {
	case fits && rec.Kind == loci.AuditLog:
		v.begin(r.N)
		v.problem(r.N, fmt.Sprintf("Row %d says: %s", r.N, rec.Result))
	case fits:
		v.fitting++
	case err != nil || gap: // told already
		v.misfits++
	case v.broken:
		v.misfit(r.N, "Row %d cannot be checked, since the row before it is not the right one.")
	default:
		v.misfit(r.N, "Row %d was changed, or was not written by loci: its hash does not fit.")
	}
	stored := r.Link()
	v.prev, v.broken = []Hash{stored}, err != nil
	if !fits {
		// The next row may follow from this hash or from the right one, depending on
		// whether the hash or the rest was changed.
		v.prev = append(v.prev, computed)
	}
	v.last.N, v.last.Hash = r.N, r.Hash
	if v.anchor != nil && v.anchor.N == r.N && stored != v.anchor.Hash && fits {
		v.problem(r.N, fmt.Sprintf("Row %d is not the one that the anchor of the log names.", r.N))
	}
}

// gap tells whether rows are missing before row n.
func (v *Verifier) gap(due, n int64) bool {
	switch n {
	case due:
		return false
	case due + 1:
		v.problem(due, fmt.Sprintf("Row %d is missing.", due))
	default:
		v.problem(due, fmt.Sprintf("Rows %d to %d are missing.", due, n-1))
	}
	return true
}

// fits tells whether a row's hash follows from the one before, and which hash does.
func (v *Verifier) fits(r *Row) (fits bool, computed Hash) {
	for _, prev := range v.prev {
		if computed = v.chain.Next(prev, r.Entry); string(computed[:]) == string(r.Hash) {
			return true, computed
		}
	}
	return false, computed
}

// misfit notes a row that reads well and has a hash that does not fit.
func (v *Verifier) misfit(n int64, text string) {
	v.misfits++
	if len(v.unfit) < shown {
		v.unfit = append(v.unfit, loci.AuditProblem{N: n, Text: fmt.Sprintf(text, n)})
	} else {
		v.hidden++
	}
}

// begin is called at a row from which on the key may be another one.
func (v *Verifier) begin(n int64) {
	v.told(n - 1)
	v.since, v.fitting = n, 1
}

// told puts the misfits since the last beginning into the report: as one where no
// row fitted, since then it is the key or the whole.
func (v *Verifier) told(last int64) {
	if v.fitting == 0 && v.misfits > 1 {
		v.problem(v.since, fmt.Sprintf("None of the rows %d to %d fits the key: it is not the one they were written with, or they were all written anew without it.", v.since, last))
	} else {
		for _, p := range v.unfit {
			v.problem(p.N, p.Text)
		}
		v.report.More += v.hidden
	}
	v.unfit, v.misfits, v.hidden = nil, 0, 0
}

func (v *Verifier) problem(n int64, text string) {
	if len(v.report.Problems) < shown {
		v.report.Problems = append(v.report.Problems, loci.AuditProblem{N: n, Text: text})
		return
	}
	v.report.More++
}

// End gives the report after the last row.
func (v *Verifier) End() loci.AuditReport {
	v.told(v.last.N)
	switch {
	case v.anchor == nil:
		v.problem(v.last.N, v.absent)
	case v.last.N < v.anchor.N:
		v.problem(v.anchor.N, fmt.Sprintf("The log ends at row %d, before its anchor at row %d: rows were removed, or an old copy of the database was put back.", v.last.N, v.anchor.N))
	}
	slices.SortStableFunc(v.report.Problems, func(a, b loci.AuditProblem) int { return cmp.Compare(a.N, b.N) })
	v.report.Last, v.report.Head = v.last.N, hex.EncodeToString(v.last.Hash)
	return v.report
}
