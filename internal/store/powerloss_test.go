package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // under the name "sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"loci"
)

// TestPowerLoss pulls the plug in the middle of writing. The database runs on a disk
// that keeps what was synced and, of what was not, any part: none of it, all of it,
// or torn at any sector. Then the real Open reads what is left, and everything that
// had been acknowledged as being on the disk must be there.
func TestPowerLoss(t *testing.T) {
	rounds := 40
	if *long {
		rounds = 500
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for done := 0; done < rounds; {
		done += cutPower(t, r, min(20, rounds-done))
	}
}

// cutPower runs one workload in which the plug is pulled several times, each time
// as if it were the only one, and tells how often.
func cutPower(t *testing.T, r *rand.Rand, cuts int) int {
	dir := t.TempDir()
	d := &disk{images: map[string]*image{}, r: r}
	name := fmt.Sprintf("cut%d", r.Uint64())
	vfs.Register(name, d)
	defer vfs.Unregister(name)
	path := filepath.Join(dir, "loci.db")
	db, err := open(t.Context(), path, quiet, engine{"sqlite3", otherDSN(name), time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if problem := startAudit(t, db); problem != "" {
		t.Fatal(problem)
	}
	d.anchor = path + ".head"
	work := &workload{db: db, r: r, disk: d}
	d.begin(cuts)
	for len(d.taken()) < cuts {
		work.step(t)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for i, c := range d.taken() {
		c.check(t, filepath.Join(dir, strconv.Itoa(i)))
	}
	return cuts
}

// otherDSN names connections of the driver that takes a disk of our own, with the
// settings that dsn has.
func otherDSN(disk string) func(string, time.Duration, string) string {
	return func(path string, busy time.Duration, mode string) string {
		q := url.Values{"mode": {mode}, "vfs": {disk}}
		q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()))
		if mode == "rw" {
			q.Set("_txlock", "immediate")
			for _, p := range []string{"synchronous(NORMAL)", "foreign_keys(1)", "secure_delete(1)", "wal_autocheckpoint(" + checkpointLate + ")"} {
				q.Add("_pragma", p)
			}
		}
		return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
	}
}

// promise is something that was acknowledged, and how to see that it is there.
type promise func(ctx context.Context, db *DB) error

// workload is what a busy program writes.
type workload struct {
	db      *DB
	r       *rand.Rand
	disk    *disk
	session *loci.Session
	steps   int
}

// step does one thing of a turn that asks and acts, and notes what it was promised.
func (w *workload) step(t *testing.T) {
	t.Helper()
	w.steps++
	if w.session == nil || w.steps%40 == 0 {
		w.session = newSession("owner", w.steps)
		mustSave(t, w.db, loci.Batch{Session: w.session, Events: newEvents(w.session.ID)})
	}
	turn := loci.NewID(loci.TurnPrefix)
	event := func(kind loci.EventType) []*loci.Event {
		return []*loci.Event{{V: 1, Session: w.session.ID, Turn: turn, Time: at(w.steps), Type: kind, Data: map[string]int{"n": w.steps}}}
	}
	mustSave(t, w.db, loci.Batch{Events: event(loci.EventTurnStarted)})
	q := loci.Approval{
		ID: loci.NewID(loci.ApprovalPrefix), Code: "7F3", Session: w.session.ID, Turn: turn, Call: "c", Tool: "write_file", Arguments: []byte(`{}`),
		State: loci.ApprovalOpen, Asked: at(0), Expires: at(1), Principal: "owner", Fingerprint: "f", Binding: "b",
	}
	mustSave(t, w.db, loci.Batch{Events: event(loci.EventTurnWaiting), Waiting: &loci.Waiting{
		Session: w.session.ID, Turn: turn, State: []byte(`{}`), Approvals: []loci.Approval{q},
	}})
	w.disk.promise(stateIs(q.ID, loci.ApprovalOpen))
	if w.r.IntN(4) == 0 {
		w.checkpoint(t)
	}
	grant := loci.Grant{ID: loci.NewID(loci.GrantPrefix), Approval: q.ID, Tool: q.Tool, Binding: "b" + q.ID, Span: loci.GrantAlways, Given: at(0)}
	mustSave(t, w.db, loci.Batch{
		Events: event(loci.EventApprovalAnswered), Settle: []loci.Settlement{{ID: q.ID, From: loci.ApprovalOpen, To: loci.ApprovalYes}},
		Resume: turn, Grants: []loci.Grant{grant},
	})
	w.disk.promise(stateIs(q.ID, loci.ApprovalYes))
	w.disk.promise(func(ctx context.Context, db *DB) error {
		_, err := db.Grant(ctx, "owner", "", grant.Binding)
		return err
	})
	mustSave(t, w.db, loci.Batch{Events: event(loci.EventToolStarted), Settle: []loci.Settlement{{ID: q.ID, From: loci.ApprovalYes, To: loci.ApprovalUsed}}})
	w.disk.promise(stateIs(q.ID, loci.ApprovalUsed))
	w.effect(t, loci.AuditRecord{Principal: "owner", Session: w.session.ID, Turn: turn, Call: "c", Tool: q.Tool, Effects: loci.EffectWrite, Permit: grant.ID})
	mustSave(t, w.db, loci.Batch{Events: event(loci.EventTurnFinished)})
}

// effect writes down that something is done, then what came of it.
func (w *workload) effect(t *testing.T, r loci.AuditRecord) {
	t.Helper()
	n, err := w.db.Intend(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	w.disk.promise(hasRow(n))
	r.Kind, r.Intent, r.Permit, r.State = loci.AuditOutcome, n, "", loci.StateDone
	if err := w.db.Note(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w.disk.promise(hasRow(n + 1))
	r.Intent = 0 // a call that only looks: nobody promises that it survives a power cut
	if err := w.db.Note(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// hasRow promises a row of the audit log.
func hasRow(n int64) promise {
	return func(ctx context.Context, db *DB) error {
		found, err := db.AuditRecords(ctx, loci.AuditFilter{After: n - 1, Limit: 1})
		if err == nil && (len(found) != 1 || found[0].N != n) {
			err = fmt.Errorf("row %d of the audit log is gone", n)
		}
		return err
	}
}

// checkpoint moves the log into the database, as the background does.
func (w *workload) checkpoint(t *testing.T) {
	t.Helper()
	if _, err := w.db.mover.conn.ExecContext(t.Context(), "PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
		t.Fatal(err)
	}
}

// stateIs promises that a question has come at least as far as a state.
func stateIs(id string, least loci.ApprovalState) promise {
	order := []loci.ApprovalState{loci.ApprovalOpen, loci.ApprovalYes, loci.ApprovalUsed}
	return func(ctx context.Context, db *DB) error {
		q, err := db.Approval(ctx, "owner", id)
		if err == nil && slices.Index(order, q.State) < slices.Index(order, least) {
			err = fmt.Errorf("the question %s went back to %s from %s", id, q.State, least)
		}
		return err
	}
}

// disk is the operating system's, with a memory of what was synced.
type disk struct {
	mu       sync.Mutex
	r        *rand.Rand
	images   map[string]*image
	promises []promise
	anchor   string // file with the end of the audit log; it reaches the disk by itself
	cuts     []cut
	left     int // cuts to be made
}

// image is a file: what is on the disk for certain, and what may be.
type image struct {
	durable []byte
	pending []change
}

// change is a write, or a truncation where data is nil.
type change struct {
	at   int64
	data []byte
}

// cut is what a power cut leaves.
type cut struct {
	files    map[string][]byte
	promises []promise
}

func (d *disk) begin(cuts int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = cuts
}

func (d *disk) taken() []cut {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cuts
}

func (d *disk) promise(p promise) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.promises = append(d.promises, p)
}

// maybe pulls the plug now and then. The caller has the lock.
func (d *disk) maybe() {
	if d.left == 0 || d.r.IntN(12) > 0 {
		return
	}
	d.left--
	c := cut{files: map[string][]byte{}, promises: slices.Clone(d.promises)}
	way := d.r.IntN(3)
	for name, i := range d.images {
		c.files[name] = i.after(d.r, way)
	}
	if data, err := os.ReadFile(d.anchor); err == nil {
		c.files[d.anchor] = data
	}
	d.cuts = append(d.cuts, c)
}

// sector is what a disk writes at once.
const sector = 512

// after is the file as the disk may have it: without what was not synced (0), with
// some of it whole (1), or with some of it torn (2). Writes are not kept in order.
func (i *image) after(r *rand.Rand, way int) []byte {
	data := slices.Clone(i.durable)
	pending := slices.Clone(i.pending)
	if way > 0 {
		r.Shuffle(len(pending), func(a, b int) { pending[a], pending[b] = pending[b], pending[a] })
	}
	for _, c := range pending {
		switch {
		case way == 0 || r.IntN(2) == 0:
			continue
		case way == 2 && len(c.data) > sector:
			c.data = c.data[:sector*(1+r.IntN(len(c.data)/sector))]
		}
		data = c.apply(data)
	}
	return data
}

func (c change) apply(data []byte) []byte {
	if c.data == nil {
		return append(data[:min(c.at, int64(len(data)))], make([]byte, max(0, c.at-int64(len(data))))...)
	}
	if end := c.at + int64(len(c.data)); end > int64(len(data)) {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	copy(data[c.at:], c.data)
	return data
}

// check opens what a cut has left.
func (c cut) check(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range c.files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := Open(t.Context(), filepath.Join(dir, "loci.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	errs := []error{db.Verify(t.Context())}
	if problem := startAudit(t, db); problem != "" {
		errs = append(errs, errors.New(problem))
	}
	if report, err := db.VerifyAudit(t.Context()); err != nil || len(report.Problems) > 0 {
		errs = append(errs, fmt.Errorf("the audit log: %v, %v", report.Problems, err))
	}
	for _, p := range c.promises {
		errs = append(errs, p(t.Context(), db))
	}
	if err := errors.Join(append(errs, db.Close())...); err != nil {
		t.Errorf("after a power cut with %d promises: %v", len(c.promises), err)
	}
}

// The methods of a vfs.VFS.

func (d *disk) Open(string, vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return nil, 0, errors.New("a file without a name")
}

func (d *disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfs.Find("").(vfs.VFSFilename).OpenFilename(name, flags)
	if err != nil {
		return nil, flags, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	path := name.String()
	if d.images[path] == nil {
		d.images[path] = &image{}
	}
	return &platter{File: f, disk: d, image: d.images[path]}, flags, nil
}

func (d *disk) Delete(name string, syncDir bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.images, name)
	return vfs.Find("").Delete(name, syncDir)
}

func (d *disk) Access(name string, flags vfs.AccessFlag) (bool, error) {
	return vfs.Find("").Access(name, flags)
}

func (d *disk) FullPathname(name string) (string, error) { return vfs.Find("").FullPathname(name) }

// platter is a file of a disk.
type platter struct {
	vfs.File
	disk  *disk
	image *image
}

func (p *platter) SharedMemory() vfs.SharedMemory {
	return p.File.(vfs.FileSharedMemory).SharedMemory()
}

func (p *platter) WriteAt(data []byte, at int64) (int, error) {
	p.later(change{at, slices.Clone(data)})
	return p.File.WriteAt(data, at)
}

func (p *platter) Truncate(size int64) error {
	p.later(change{at: size})
	return p.File.Truncate(size)
}

func (p *platter) later(c change) {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	p.disk.maybe()
	p.image.pending = append(p.image.pending, c)
}

// Sync is where the disk gives its word.
func (p *platter) Sync(flags vfs.SyncFlag) error {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	p.disk.maybe()
	for _, c := range p.image.pending {
		p.image.durable = c.apply(p.image.durable)
	}
	p.image.pending = nil
	return p.File.Sync(flags)
}
