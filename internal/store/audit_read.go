package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"loci"
	"loci/internal/audit"
	"loci/internal/text"
)

// rowColumns are in the order in which scanRow reads them.
const rowColumns = `n, time, kind, intent, principal, session, tool, state, entry, hash`

const (
	newestRows = `SELECT ` + rowColumns + ` FROM audit ORDER BY n DESC LIMIT ?`
	oneRow     = `SELECT ` + rowColumns + ` FROM audit WHERE n = ?`
	nextRows   = `SELECT ` + rowColumns + ` FROM audit WHERE n > ? ORDER BY n LIMIT ?`

	// The outcome of each intent comes along.
	auditRows = `
		SELECT ` + rowColumns + `, (SELECT entry FROM audit AS o WHERE o.intent = audit.n AND o.intent <> 0 ORDER BY o.n LIMIT 1)
		FROM audit WHERE n > ?`
)

// auditPage is how many rows are read at a time where there may be any number: a
// query that reads long holds up the moving of the database's log.
const auditPage = 1000

// AuditRecords gives the rows that a filter lets through, oldest first, whoever they
// are about. A limit of 0 is as many as there are.
func (db *DB) AuditRecords(ctx context.Context, f loci.AuditFilter) ([]loci.AuditEntry, error) {
	query, args := auditQuery(f)
	found, err := list(ctx, db, scanEntry(f), query, args...)
	if f.After < 0 {
		slices.Reverse(found)
	}
	return found, err
}

// auditQuery is the query for what a filter lets through; the newest ones come last
// first.
func auditQuery(f loci.AuditFilter) (query string, args []any) {
	query, args = auditRows, []any{max(f.After, 0)}
	for _, c := range []struct{ column, value string }{
		{"session", f.Session}, {"tool", f.Tool}, {"kind", string(f.Kind)}, {"state", string(f.State)}, {"principal", f.Principal},
	} {
		if c.value != "" { // the second half is what the indexes want to hear
			query += " AND " + c.column + " = ? AND " + c.column + " <> ''"
			args = append(args, c.value)
		}
	}
	query += " ORDER BY n"
	if f.After < 0 {
		query += " DESC"
	}
	limit := f.Limit
	if limit <= 0 {
		limit = math.MaxInt32
	}
	return query + " LIMIT ?", append(args, limit)
}

// Audit gives the rows that a filter lets through, oldest first, and goes on with
// those to come where the filter says so: then it ends with ctx. The limit counts for
// the rows that are there already.
func (db *DB) Audit(ctx context.Context, f loci.AuditFilter) iter.Seq2[loci.AuditEntry, error] {
	return func(yield func(loci.AuditEntry, error) bool) {
		if f.Follow && db.audit == nil {
			yield(loci.AuditEntry{}, errNoAudit)
			return
		}
		var more <-chan struct{}
		for {
			var end int64
			if f.Follow { // both before looking, so that none is missed
				more = db.audit.more()
				end = db.audit.end.Load()
			}
			after, ok := db.auditPages(ctx, f, yield)
			if !ok || !f.Follow {
				return
			}
			f.After, f.Limit = max(after, end), 0
			select {
			case <-more:
			case <-ctx.Done():
				return
			}
		}
	}
}

// auditPages gives what is there, page by page, and the number to go on after.
func (db *DB) auditPages(ctx context.Context, f loci.AuditFilter, yield func(loci.AuditEntry, error) bool) (after int64, ok bool) {
	if f.After < 0 && f.Limit <= 0 {
		f.After = 0
	}
	for left := f.Limit; ; {
		page := f
		if page.Limit = auditPage; left > 0 {
			page.Limit = min(left, auditPage)
			if f.After < 0 {
				page.Limit = left // the newest ones are found at once
			}
		}
		found, err := db.AuditRecords(ctx, page)
		if err != nil {
			yield(loci.AuditEntry{}, err)
			return 0, false
		}
		for _, e := range found {
			if !yield(e, nil) {
				return 0, false
			}
			f.After = e.N
		}
		if len(found) < page.Limit || left > 0 && left == len(found) {
			return max(f.After, 0), true
		}
		left -= min(left, len(found))
	}
}

// VerifyAudit reads the whole audit log and reports whatever is not as it was
// written. It does not hold up writers.
func (db *DB) VerifyAudit(ctx context.Context) (loci.AuditReport, error) {
	if db.audit == nil {
		return loci.AuditReport{}, errNoAudit
	}
	anchor, err := db.audit.readAnchor() // before the rows, which only grow
	if err != nil {
		return loci.AuditReport{}, err
	}
	v := audit.NewVerifier(db.audit.key, anchor)
	for after := int64(math.MinInt64); ; {
		rows, err := list(ctx, db, scanRow, nextRows, after, auditPage)
		if err != nil {
			return loci.AuditReport{}, err
		}
		for i := range rows {
			v.Row(rows[i])
			after = rows[i].N
		}
		if len(rows) < auditPage {
			return v.End(), nil
		}
	}
}

var errNoAudit = errors.New("store: the audit log is not open")

// scanRow reads the rowColumns of a row.
func scanRow(scan scanner) (r audit.Row, err error) {
	err = scan(&r.N, &r.Time, &r.Kind, &r.Intent, &r.Principal, &r.Session, &r.Tool, &r.State, &r.Entry, &r.Hash)
	return r, err
}

// scanEntry reads a row of auditRows.
func scanEntry(f loci.AuditFilter) func(scanner) (loci.AuditEntry, error) {
	return func(scan scanner) (e loci.AuditEntry, err error) {
		var r audit.Row
		var outcome []byte
		if err := scan(&r.N, &r.Time, &r.Kind, &r.Intent, &r.Principal, &r.Session, &r.Tool, &r.State, &r.Entry, &r.Hash, &outcome); err != nil {
			return e, err
		}
		e.Hash = hex.EncodeToString(r.Hash)
		if f.Entries {
			e.Entry = r.Entry
		}
		if e.AuditRecord, err = r.Record(); err != nil {
			e.Damaged = "This row was changed: " + err.Error() + "."
			e.AuditRecord = loci.AuditRecord{
				N: r.N, Time: fromMillis(r.Time), Kind: loci.AuditKind(r.Kind), Intent: r.Intent, Principal: r.Principal, Session: r.Session, Tool: r.Tool, State: loci.AuditState(r.State),
			}
		}
		if len(e.Arguments) > 0 && !json.Valid(e.Arguments) { // still to be shown in JSON
			e.Arguments, _ = json.Marshal(string(e.Arguments)) // a string always marshals
		}
		if f.Brief {
			e.Arguments = brief(e.Arguments)
		}
		if e.Kind == loci.AuditIntent {
			e.Outcome = loci.StateUnknown
			if o, err := audit.Decode(outcome); err == nil {
				e.Outcome, e.Why = o.State, o.Result
			}
		}
		return e, nil
	}
}

// brief cuts the arguments of a call that are too long for a person to read, such as
// all that was written to a file.
func brief(args json.RawMessage) json.RawMessage {
	const long, shown = 1000, 200 // bytes
	var all map[string]json.RawMessage
	if len(args) <= long || json.Unmarshal(args, &all) != nil {
		return args
	}
	for name, value := range all {
		if len(value) > long {
			all[name], _ = json.Marshal(fmt.Sprintf("%s (%d bytes in all)", text.Clip(string(value), shown), len(value))) // a string always marshals
		}
	}
	short, err := json.Marshal(all)
	if err != nil {
		return args
	}
	return short
}
