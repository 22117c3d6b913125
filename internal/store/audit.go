package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"loci"
	"loci/internal/audit"
)

const (
	putAudit   = `INSERT INTO audit (n, time, kind, intent, principal, session, tool, state, entry, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	openIntent = `INSERT INTO audit_open (n) VALUES (?)`
	endIntent  = `DELETE FROM audit_open WHERE n = ?`

	openIntents = `SELECT n FROM audit_open ORDER BY n`
	entryOf     = `SELECT entry FROM audit WHERE n = ?`

	// Everything that a grant is bound to, but what it is for: that was compared
	// when the call was let through.
	useGrant = `UPDATE grant_given SET used = used + 1
		WHERE id = ? AND principal = ? AND tool = ? AND revoked IS NULL
		AND (expires IS NULL OR expires > ?) AND (session IS NULL OR session = ?)`
)

// anchorEvery is how many rows may be in the log that its anchor does not know of,
// while nothing happens that is worth one.
const anchorEvery = 64

// AuditConfig says how the audit log is kept.
type AuditConfig struct {
	Key    []byte // that chains it: loci.AuditKeySize bytes, which must not be in the database
	Anchor string // path of the file that names its end
	// Known says that the key was there before this start: then so was a log.
	Known bool
	// Mask hides the secrets of a record before it is stored: it stays for good, and is
	// read by more eyes than a result. It must be quick, as the writer waits for it, and
	// use no database; nil: nothing is hidden.
	Mask func(loci.AuditRecord) loci.AuditRecord
}

// ledger is the state of the audit log. Only the writer touches chain and head.
type ledger struct {
	path   string // of the anchor
	key    []byte
	mask   func(loci.AuditRecord) loci.AuditRecord
	chain  *audit.Chain
	head   audit.Head
	end    atomic.Int64 // head.N, for readers
	behind atomic.Int64 // rows since the anchor
	// starting keeps the anchor as it was found until the log says what was wrong.
	starting bool

	mu      sync.Mutex    // guards the file of the anchor, and changed
	changed chan struct{} // closed when there are more rows
}

// StartAudit opens the audit log. Until then nothing can be stored that has to be
// written down. It is called once, before the database is used, by the one process
// that has it.
//
// What an earlier process left without an outcome gets one: that it is unknown.
// Where the end of the log is not as it was left, or the key is another one, the
// log goes on, and its next row says so for good; so does problem, for the person.
func (db *DB) StartAudit(ctx context.Context, c AuditConfig) (problem string, err error) {
	if len(c.Key) != loci.AuditKeySize {
		return "", fmt.Errorf("store: the key of the audit log has %d bytes", len(c.Key))
	}
	l := &ledger{path: c.Anchor, key: c.Key, mask: c.Mask, chain: audit.NewChain(c.Key), changed: make(chan struct{})}
	if l.mask == nil {
		l.mask = func(r loci.AuditRecord) loci.AuditRecord { return r }
	}
	last, err := list(ctx, db, scanRow, newestRows, 2)
	if err != nil {
		return "", err
	}
	fits := true
	if len(last) > 0 {
		l.head = audit.Head{N: last[0].N, Hash: last[0].Link()}
		fits = follows(l.chain, last)
	}
	known, problem, err := db.anchored(ctx, l, c.Known)
	if err != nil {
		return "", err
	}
	switch {
	case !fits && problem == anchorForeign:
		problem = fmt.Sprintf("Neither row %d, the last one, nor the anchor of the log fitted the key: it was lost or replaced, or both were changed.", l.head.N)
	case !fits:
		problem = strings.TrimSpace(fmt.Sprintf("The hash of row %d, the last one, did not fit the key: the key was lost or replaced, or the row was changed. %s", l.head.N, problem))
	}
	l.behind.Store(l.head.N - known)
	l.end.Store(l.head.N)
	db.audit, l.starting = l, true
	wrote, err := db.settleAudit(ctx, problem)
	if err == nil && (wrote || l.head.N == 0) { // otherwise the disk may not have all of it
		err = l.makeAnchor()
	}
	l.starting = false
	return problem, err
}

// follows tells whether the newest of two rows is linked to the older one.
func follows(c *audit.Chain, last []audit.Row) bool {
	var prev audit.Hash
	if len(last) > 1 {
		prev = last[1].Link()
	}
	return c.Next(prev, last[0].Entry) == last[0].Link()
}

// anchored compares the log with its anchor: it gives the number that the anchor
// names, and says what is wrong. A log that goes on after its anchor is fine, since a
// commit comes before its anchor.
func (db *DB) anchored(ctx context.Context, l *ledger, keyKnown bool) (n int64, wrong string, err error) {
	text, err := l.readAnchor()
	switch {
	case err != nil:
		return 0, "", err
	case text == nil && l.head.N > 0:
		return 0, "The anchor of the log was missing, so that nobody can say whether rows are gone from its end.", nil
	case text == nil && keyKnown: // the first start makes an anchor, of no rows
		return 0, "The log was empty and its anchor missing, though its key was there: what had been written down is gone.", nil
	case text == nil:
		return 0, "", nil
	}
	at, err := l.chain.ReadAnchor(text)
	switch {
	case err != nil:
		return 0, anchorForeign, nil
	case at.N > l.head.N:
		return 0, fmt.Sprintf("The log ended at row %d, before its anchor at row %d: rows were removed, or an old copy of the database was put back.", l.head.N, at.N), nil
	case at.N == 0:
		return 0, "", nil
	}
	r, err := find(ctx, db, "row", scanRow, oneRow, at.N)
	if loci.IsNotFound(err) || err == nil && at.Hash != r.Link() {
		return 0, fmt.Sprintf("Row %d was not the one that the anchor of the log names.", at.N), nil
	}
	return at.N, "", err
}

const anchorForeign = "The anchor of the log was changed, or was written with another key."

// settleAudit writes down what a start finds: what is wrong with the log, and that
// nobody knows how the intents of a process ended that is no more.
func (db *DB) settleAudit(ctx context.Context, problem string) (wrote bool, err error) {
	open, err := list(ctx, db, scanNumber, openIntents)
	if err != nil || problem == "" && len(open) == 0 {
		return false, err
	}
	err = db.durably(ctx, func(t *tx) error {
		if problem != "" {
			if _, err := t.record(loci.AuditRecord{Kind: loci.AuditLog, Result: problem}); err != nil {
				return err
			}
		}
		for _, n := range open {
			if err := t.unknown(n); err != nil {
				return err
			}
		}
		wrote = t.head != nil
		return nil
	})
	return wrote && err == nil, err
}

func scanNumber(scan scanner) (n int64, err error) {
	err = scan(&n)
	return n, err
}

// unknown gives an intent the outcome that nobody knows.
func (t *tx) unknown(intent int64) error {
	var entry []byte
	err := t.sql.QueryRowContext(t.ctx, entryOf, intent).Scan(&entry)
	if err == nil {
		var r loci.AuditRecord
		if r, err = audit.Decode(entry); err == nil {
			r.Kind, r.Intent, r.Time = loci.AuditOutcome, intent, loci.Time{}
			r.Arguments, r.State, r.Result = nil, loci.StateUnknown, AuditStopped
			_, err = t.record(r)
			return err
		}
	}
	// The row is gone or damaged, which verifying tells.
	_, err = t.exec(endIntent, intent)
	return err
}

// AuditStopped is the result of what had begun, and had no outcome, when an earlier
// process ended.
const AuditStopped = "loci stopped before its outcome was written down."

// Intend stores that a call is about to run, and returns when the disk has it; see
// tool.Ledger. The row has the number n.
func (db *DB) Intend(ctx context.Context, r loci.AuditRecord) (n int64, err error) {
	r.Kind = loci.AuditIntent
	err = db.durably(ctx, func(t *tx) error {
		if strings.HasPrefix(r.Permit, loci.GrantPrefix) {
			if err := t.useGrant(r); err != nil {
				return err
			}
		}
		n, err = t.record(r)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Note stores any other record. It waits for the disk, unless the record is of a call
// that changed nothing.
func (db *DB) Note(ctx context.Context, r loci.AuditRecord) error {
	light := r.Intent == 0 && (r.Kind == loci.AuditOutcome || r.Kind == loci.AuditRefused)
	in := db.durably
	if light && db.audit != nil && db.audit.behind.Load() < anchorEvery {
		in = db.inTx
	}
	return in(ctx, func(t *tx) error {
		_, err := t.record(r)
		return err
	})
}

// useGrant counts a use of the grant that allows a call, if it still does.
func (t *tx) useGrant(r loci.AuditRecord) error {
	n, err := t.exec(useGrant, r.Permit, r.Principal, r.Tool, moment(r).UnixMilli(), r.Session)
	if err == nil && n == 0 {
		err = loci.Errorf(loci.Refused, "The permission for this does not hold any more.")
	}
	return err
}

// record adds a record to the log, in this transaction: with the number that is its
// turn, the present moment where it has none, and its secrets masked.
func (t *tx) record(r loci.AuditRecord) (n int64, err error) {
	l := t.db.audit
	if l == nil {
		return 0, errors.New("store: the audit log is not open")
	}
	if t.head == nil {
		head := l.head
		t.head = &head
	}
	r.N, r.Time = t.head.N+1, moment(r)
	r = l.mask(r)
	entry := audit.Encode(r)
	hash := l.chain.Next(t.head.Hash, entry)
	_, err = t.exec(putAudit, r.N, r.Time.UnixMilli(), string(r.Kind), r.Intent, r.Principal, r.Session, r.Tool, string(r.State), entry, hash[:])
	switch {
	case err != nil && strings.Contains(err.Error(), "the audit log only grows"):
		return 0, &loci.Error{
			Code: loci.Internal, Message: "Another program has changed the audit log, so nothing is done that would have to be in it.",
			Hint: "See what was changed with loci audit verify, then start loci again.", Err: err,
		}
	case err == nil && r.Kind == loci.AuditIntent:
		_, err = t.exec(openIntent, r.N)
	case err == nil && r.Intent != 0:
		_, err = t.exec(endIntent, r.Intent)
	}
	if err != nil {
		return 0, err
	}
	*t.head = audit.Head{N: r.N, Hash: hash}
	return r.N, nil
}

// recordAbout is record with what besides the state is to be said of an answer, a grant
// or a key.
func (t *tx) recordAbout(r loci.AuditRecord, about any) error {
	var err error
	if r.Arguments, err = json.Marshal(about); err != nil {
		return err
	}
	_, err = t.record(r)
	return err
}

func moment(r loci.AuditRecord) loci.Time {
	if r.Time.IsZero() {
		return loci.Now()
	}
	return r.Time
}

// advance is called once a transaction with records is stored.
func (l *ledger) advance(h audit.Head) {
	l.behind.Add(h.N - l.head.N)
	l.head = h
	l.end.Store(h.N)
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
}

// more gives a channel that is closed when there are more rows.
func (l *ledger) more() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// anchor writes down where the log ends. It is called by the writer after a commit
// that the disk has: so the log may be ahead of its anchor, and never behind it.
//
// The anchor is written over the one before, in place: that is less than a sector,
// which a disk writes whole or not at all, and no room for it has to be found on a
// full one. It need not wait for the disk, since an older anchor is true as well. A
// failure is no reason to take back what is stored.
func (db *DB) anchor() {
	l := db.audit
	if l.starting {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := os.OpenFile(l.path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(l.chain.Anchor(l.head), 0)
		err = errors.Join(err, f.Close())
	}
	switch {
	case err == nil:
		l.behind.Store(0)
	default:
		db.log.Error("the audit log has no new anchor", "path", l.path, "error", err)
	}
}

// anchorLast has the anchor name the last rows too, once the disk has them.
func (db *DB) anchorLast(ctx context.Context) error {
	if db.audit == nil || db.audit.behind.Load() == 0 {
		return nil
	}
	return db.onWriter(ctx, func(ctx context.Context, c *sql.Conn) error {
		var busy, pages, moved int // a checkpoint waits for the disk
		err := c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &moved)
		if err == nil && busy == 0 && pages == moved {
			db.anchor()
		}
		return db.explain(err)
	})
}

// readAnchor gives the text of the anchor, nil where there is none.
func (l *ledger) readAnchor() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, err := os.ReadFile(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, errAnchor(l.path, err)
	}
	return append([]byte{}, text...), nil // an empty file is not a missing one
}

// makeAnchor writes the anchor as a file of its own, in place of any that was there.
func (l *ledger) makeAnchor() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return errAnchor(l.path, err)
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return errAnchor(l.path, err)
	}
	_, err = f.WriteAt(l.chain.Anchor(l.head), 0)
	if err == nil {
		err = f.Truncate(int64(audit.AnchorSize))
	}
	if err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return errAnchor(l.path, err)
	}
	l.behind.Store(0)
	return nil
}

// errAnchor is for an anchor that cannot be read or written.
func errAnchor(path string, cause error) error {
	if diskFull(cause) {
		return errFull(cause)
	}
	return loci.Wrap(loci.Internal, cause, "The anchor of the audit log, %s, cannot be read or written.", path).
		WithHint("Make the file and its folder writable for you.")
}
