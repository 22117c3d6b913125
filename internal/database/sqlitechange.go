package database

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	mostSamples = 5   // rows of a change that are shown
	mostTouched = 100 // tables that a change may reach
)

// Change runs one INSERT, UPDATE or DELETE in a transaction, and watches which rows it
// changes, those that triggers and foreign keys change with it included.
func (f *file) Change(ctx context.Context, text string, keep func(Change) error) (done Change, err error) {
	statement, err := sqliteStatement(text)
	if err != nil {
		return done, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, changeFor, errSlow(changeFor))
	defer cancel()
	var counts map[string]int64
	err = f.connect(ctx, "rw", func(s session) error {
		if _, err := s.compile(statement); err != nil {
			return err
		}
		done, counts, err = f.change(ctx, s, statement, keep)
		return err
	})
	if err != nil {
		return done, stopped(ctx, err)
	}
	done.Verified = keep != nil && f.verify(ctx, counts)
	return done, nil
}

// change does the work of Change on a connection, and counts the rows that the tables
// have then.
func (f *file) change(ctx context.Context, s session, statement string, keep func(Change) error) (done Change, counts map[string]int64, err error) {
	s.own = true
	tx, err := s.BeginTx(ctx, nil)
	if err != nil {
		return done, nil, err
	}
	defer func() {
		s.own = true
		if err != nil {
			err = errors.Join(err, ignoreDone(tx.Rollback()))
		}
	}()
	w := &watch{tables: map[string]*Touched{}, digest: sha256.New()}
	w.note(f.real, f.shown)
	if err = s.watch(w.row); err != nil { // before it is compiled: it then counts each row of a whole table too
		return done, nil, err
	}
	s.begin()
	result, err := tx.ExecContext(ctx, statement)
	if err = s.verdict(err); err != nil {
		return done, nil, err
	}
	s.own = true
	if err = errors.Join(s.watch(nil), w.err); err != nil {
		return done, nil, err
	}
	if done.Rows, err = result.RowsAffected(); err != nil {
		return done, nil, err
	}
	if len(w.tables) == 0 {
		done.Rows = 0 // what the driver has left from before
	}
	counts = map[string]int64{}
	for name, t := range w.tables {
		var n int64
		if err = tx.QueryRowContext(ctx, "SELECT count(*) FROM "+ident(name)).Scan(&n); err != nil {
			return done, nil, err
		}
		counts[name] = n
		t.Of = n + t.Deleted - t.Inserted
		done.Tables = append(done.Tables, *t)
	}
	slices.SortFunc(done.Tables, func(a, b Touched) int { return strings.Compare(a.Table, b.Table) })
	done.Samples = w.samples
	fmt.Fprint(w.digest, done.Rows, done.Tables)
	done.Basis = fmt.Sprintf("%x", w.digest.Sum(nil))
	if keep == nil {
		return done, nil, ignoreDone(tx.Rollback())
	}
	if err = keep(done); err != nil {
		return done, nil, err
	}
	return done, counts, tx.Commit()
}

// ignoreDone drops the error for a transaction that ended by itself.
func ignoreDone(err error) error {
	if err != nil && strings.Contains(err.Error(), "no transaction is active") {
		return nil
	}
	return err
}

// watch tells a function of each row that is about to change; nil: nobody.
func (s session) watch(row func(sqlite.SQLitePreUpdateData)) error {
	return s.Raw(func(c any) error {
		c.(sqlite.HookRegisterer).RegisterPreUpdateHook(row)
		return nil
	})
}

// watch is what was seen of a change.
type watch struct {
	tables  map[string]*Touched
	samples []string
	digest  hash.Hash // of the rows as they were
	err     error
}

// note adds texts to the digest, so that no two lists of texts look alike.
func (w *watch) note(texts ...string) {
	for _, t := range texts {
		fmt.Fprintf(w.digest, "%d:%s", len(t), t)
	}
}

// row is told of a row that is about to change.
func (w *watch) row(d sqlite.SQLitePreUpdateData) {
	t := w.tables[d.TableName]
	if t == nil {
		if t = (&Touched{Table: d.TableName}); len(w.tables) == mostTouched {
			w.err = refuse("Change fewer tables at once.", "The statement reaches more than %d tables. Nothing was changed.", mostTouched)
			return
		}
		w.tables[d.TableName] = t
	}
	if d.Op == sqlite3.SQLITE_INSERT {
		t.Inserted++
		return
	}
	mark := "- "
	if t.Deleted++; d.Op == sqlite3.SQLITE_UPDATE {
		t.Deleted--
		t.Updated++
		mark = "~ "
	}
	cells := make([]any, d.Count())
	if err := d.Old(cells...); err != nil {
		w.err = cmp.Or(w.err, err)
		return
	}
	w.note(d.TableName, mark, fmt.Sprint(d.OldRowID))
	for _, c := range cells {
		w.note(fmt.Sprintf("%T %v", c, c))
	}
	if len(w.samples) < mostSamples && d.Depth() == 0 {
		w.samples = append(w.samples, mark+show(cells))
	}
}

// verify counts the tables once more on a connection of its own.
func (f *file) verify(ctx context.Context, counts map[string]int64) bool {
	err := f.reading(ctx, func(s session) error {
		for name, want := range counts {
			var n int64
			if err := s.QueryRowContext(ctx, "SELECT count(*) FROM "+ident(name)).Scan(&n); err != nil {
				return err
			}
			if n != want {
				return errors.New("another number of rows")
			}
		}
		return nil
	})
	return err == nil
}
