package store

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
)

const (
	// checkpointAt is the size of the log, in bytes, from which it is moved into
	// the database. SQLite would do that inside the commit that reaches it, which
	// then waits for the disk; here a connection of its own does it meanwhile.
	checkpointAt = 4 << 20
	// checkpointLate is the size in pages at which SQLite helps itself after all.
	checkpointLate = "8000"
	// checkpointLook is how many transactions go by between looks at the size.
	checkpointLook = 16
)

// checkpointer moves the log into the database in the background.
type checkpointer struct {
	db     *DB
	conn   *pool
	due    chan struct{} // holds one signal
	count  atomic.Uint64 // transactions since Open
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func startCheckpointer(db *DB, conn *pool) *checkpointer {
	ctx, cancel := context.WithCancel(context.Background())
	c := &checkpointer{db: db, conn: conn, due: make(chan struct{}, 1), cancel: cancel}
	c.done.Go(func() { c.run(ctx) })
	return c
}

// committed is told of each transaction.
func (c *checkpointer) committed() {
	if c == nil || c.count.Add(1)%checkpointLook != 0 {
		return
	}
	if info, err := os.Stat(c.db.path + "-wal"); err == nil && info.Size() > checkpointAt {
		select {
		case c.due <- struct{}{}:
		default: // it is at it already
		}
	}
}

func (c *checkpointer) run(ctx context.Context) {
	for {
		select {
		case <-c.due:
		case <-ctx.Done():
			return
		}
		// PASSIVE waits for nobody and holds up nobody.
		if _, err := c.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil && ctx.Err() == nil {
			c.db.log.Warn("database log not moved", "error", err)
		}
	}
}

// close waits for a move that is under way.
func (c *checkpointer) close() error {
	if c == nil {
		return nil
	}
	c.cancel()
	c.done.Wait()
	return c.conn.Close()
}
