package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"loci"
	"loci/internal/where"
)

// OriginStore keeps origins across restarts.
type OriginStore interface {
	Origins(ctx context.Context) ([]loci.Origin, error)
	// ChangeOrigins drops those of some paths, and then puts others, all or none, and
	// for good when it returns.
	ChangeOrigins(ctx context.Context, drop []string, put []loci.Origin) error
}

// Origins know what in the folders has come from outside: what was written, moved or
// made in a conversation that had read from outside, and what was moved out of a folder
// whose content comes from others. Without them a file would be a way round: what a page
// says is written down in one conversation, and read as the person's own in another.
//
// An origin is noted before the change that brings it, and dropped after the one that
// ends it, so that a crash in between leaves one too many rather than one too few. It
// belongs to a path, and goes along with what is moved, deleted or put back from here.
// What other programs move or copy is not followed.
//
// A look-up takes as many steps as a path has elements, however many there are. They
// are safe for concurrent use; nil knows of none.
type Origins struct {
	store OriginStore
	log   *slog.Logger

	changing sync.Mutex // held across a change of the store and of at
	mu       sync.RWMutex
	at       map[string][]loci.Origin // by folded path: several names may fold to one
}

// NewOrigins reads what a store has.
func NewOrigins(ctx context.Context, store OriginStore, log *slog.Logger) (*Origins, error) {
	all, err := store.Origins(ctx)
	o := &Origins{store: store, log: log, at: make(map[string][]loci.Origin, len(all))}
	o.keep(nil, all)
	return o, err
}

// keep puts a change in memory.
func (o *Origins) keep(drop []string, put []loci.Origin) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, path := range drop {
		o.forget(path)
	}
	for _, one := range put {
		o.forget(one.Path)
		key := originKey(one.Path)
		o.at[key] = append(o.at[key], one)
	}
}

// forget takes out the origin of one very path.
func (o *Origins) forget(path string) {
	key := originKey(path)
	rest := slices.DeleteFunc(o.at[key], func(one loci.Origin) bool { return one.Path == path })
	if o.at[key] = rest; len(rest) == 0 {
		delete(o.at, key)
	}
}

// change stores a change, for good, before anybody sees it.
func (o *Origins) change(ctx context.Context, drop []string, put []loci.Origin) error {
	if o == nil || len(drop)+len(put) == 0 {
		return nil
	}
	o.changing.Lock()
	defer o.changing.Unlock()
	if err := o.store.ChangeOrigins(ctx, drop, put); err != nil {
		return err
	}
	o.keep(drop, put)
	return nil
}

// originKey is a path in the form that all its spellings have. Each element has a slash
// before it, also one of which nothing is left.
func originKey(path string) string {
	var b strings.Builder
	for e := range strings.FieldsFuncSeq(path, isSeparator) {
		b.WriteByte('/')
		b.WriteString(fold(e))
	}
	return b.String()
}

// any tells whether there are any at all.
func (o *Origins) any() bool {
	if o == nil {
		return false
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	return len(o.at) > 0
}

// of finds the origin of what is at a real path: its own, or that of the innermost
// folder above it that counts as a whole. Any spelling counts, as it takes something
// away.
func (o *Origins) of(path string) (loci.Origin, bool) {
	if one, ok := o.own(path); ok {
		return one, true
	}
	return o.find(path, false)
}

// own is the origin of one very path.
func (o *Origins) own(path string) (loci.Origin, bool) {
	if !o.any() {
		return loci.Origin{}, false
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	some := o.at[originKey(path)]
	if i := slices.IndexFunc(some, func(one loci.Origin) bool { return one.Path == path }); i >= 0 {
		return some[i], true
	}
	return loci.Origin{}, false
}

// find looks at a path and the folders above it. Above it only those count that do so
// as a whole, and if whole is set at the path, too.
func (o *Origins) find(path string, whole bool) (loci.Origin, bool) {
	if !o.any() {
		return loci.Origin{}, false
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	for key := originKey(path); ; whole = true {
		for _, one := range o.at[key] {
			if one.Whole || !whole {
				return one, true
			}
		}
		up := strings.LastIndexByte(key, '/')
		if up < 0 {
			return loci.Origin{}, false
		}
		key = key[:up]
	}
}

// within lists those of real paths at and below one, in order.
func (o *Origins) within(path string) (found []loci.Origin) {
	if !o.any() {
		return nil
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	folder := originKey(path)
	for key, some := range o.at {
		if key == folder || strings.HasPrefix(key, folder+"/") {
			found = append(found, some...)
		}
	}
	slices.SortFunc(found, func(a, b loci.Origin) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// Sweep drops those of what is not in a folder any more, such as a trash that was purged.
// What is younger than an hour may be about to come there.
func (o *Origins) Sweep(ctx context.Context, folder string, now time.Time) error {
	var drop []string
	for _, one := range o.within(where.Real(folder)) {
		if _, err := os.Lstat(one.Path); errors.Is(err, fs.ErrNotExist) && now.Sub(one.Time.Time) > time.Hour {
			drop = append(drop, one.Path)
		}
	}
	return o.change(ctx, drop, nil)
}
