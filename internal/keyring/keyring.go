// Package keyring knows every key that opens loci's doors, what each allows, and what
// is open with it at the moment: when a key is revoked or replaced, that ends.
//
// Two keys everybody has, in files of their own, since a person has to be shown them.
// The others are made for one client each; of them only a hash is kept, in the
// database. One process owns both, so all is known in memory and a request costs no
// query.
package keyring

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"loci"
	"loci/internal/config"
)

// Store keeps the keys that were made.
type Store interface {
	// Keys lists those that are valid, oldest first.
	Keys(ctx context.Context) ([]loci.Key, error)
	// AddKey stores a new one, in the place of another where old is its id, and writes
	// down that the principal by asked for it.
	AddKey(ctx context.Context, by string, k loci.Key, old string) error
	// RevokeKey makes one invalid, with all that was allowed lastingly to it, and writes
	// that down too.
	RevokeKey(ctx context.Context, by, id string, at loci.Time) error
	// NoteKey writes down what is done to a key in a file, and why it failed where it did.
	NoteKey(ctx context.Context, by string, k loci.Key, state loci.AuditState, why string) error
	// UseKey notes when a key last opened a door.
	UseKey(ctx context.Context, id string, at loci.Time) error
}

// Config is what a Ring is made of.
type Config struct {
	Store  Store
	Paths  config.Paths
	Owner  config.Secret // the owner's key where it is set; empty: it is in its file
	Logger *slog.Logger  // nil: nothing is logged
	// Replaced is called, if it is not nil, when a key of the two that everybody has
	// is another one.
	Replaced func()
}

// Ring is all keys. It may be used by several goroutines.
type Ring struct {
	conf Config
	edit sync.Mutex // held while a key is made, revoked or replaced

	mu    sync.Mutex // guards what follows
	own   []*ownKey
	made  map[string]*loci.Key   // by id
	index map[prefix][]*loci.Key // the same, by the beginning of the hash
	held  map[string]map[*hold]struct{}
	uses  sync.WaitGroup
}

// prefix is the beginning of a key's hash, by which it is found; how long the search
// takes tells no more than that about any key.
type prefix [4]byte

// ownKey is a key that everybody has.
type ownKey struct {
	loci.Key
	secret config.Secret
	file   *config.KeyFile // nil: it is set
	broken error           // why the file gives no key
}

// hold is something that is open with a key.
type hold struct {
	hash   [32]byte
	cancel context.CancelCauseFunc
}

// ErrRevoked is why a context of [Ring.Hold] ends before its time.
var ErrRevoked = loci.Errorf(loci.Unauthorized, "The key does not hold any more.").
	WithHint("It was revoked or replaced; ask the owner of this loci for another.")

// New reads the keys, or makes those that everybody has. Call it under config.Lock.
func New(ctx context.Context, c Config) (*Ring, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Ring{conf: c, made: map[string]*loci.Key{}, index: map[prefix][]*loci.Key{}, held: map[string]map[*hold]struct{}{}}
	owner := &ownKey{Key: loci.Key{ID: loci.OwnerKey, Rights: loci.AllRights()}, file: config.OwnerKeyFile(c.Paths)}
	if c.Owner != "" {
		owner.file = nil
		owner.set(c.Owner, time.Now())
	}
	chat := &ownKey{Key: loci.Key{ID: loci.ChatKey}, file: config.ChatKeyFile(c.Paths)}
	chat.Rights = []loci.Right{loci.RightChat, loci.RightReadTools, loci.RightWriteTools}
	r.own = []*ownKey{owner, chat}
	for _, k := range r.own {
		k.Name, k.Principal = k.ID, "owner"
		k.refresh()
		if k.broken != nil {
			return nil, k.broken
		}
	}
	made, err := c.Store.Keys(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range made {
		r.put(&k)
	}
	return r, nil
}

func (k *ownKey) set(secret config.Secret, since time.Time) {
	k.secret, k.Hash = secret, sha256.Sum256([]byte(secret))
	k.Created = loci.Time{Time: since}
}

// refresh looks whether the file has another key by now, and tells so. While it has
// none that can be read, no key fits.
func (k *ownKey) refresh() (changed bool) {
	if k.file == nil {
		return false
	}
	secret, since, err := k.file.Key()
	k.broken = err
	if secret == k.secret {
		return false
	}
	k.set(secret, since)
	return true
}

func (r *Ring) put(k *loci.Key) {
	r.made[k.ID] = k
	p := prefix(k.Hash[:])
	r.index[p] = append(r.index[p], k)
}

func (r *Ring) drop(k *loci.Key) {
	delete(r.made, k.ID)
	p := prefix(k.Hash[:])
	r.index[p] = slices.DeleteFunc(r.index[p], func(o *loci.Key) bool { return o.ID == k.ID })
}

// Find gives the valid key with a secret. The comparison does not tell by its
// duration how much of it was right.
func (r *Ring) Find(secret string) (loci.Key, bool) {
	sum := sha256.Sum256([]byte(secret))
	r.refresh()
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *loci.Key
	for _, k := range r.candidates(sum) {
		if subtle.ConstantTimeCompare(k.Hash[:], sum[:]) == 1 {
			found = k
		}
	}
	if found == nil || secret == "" {
		return loci.Key{}, false
	}
	r.use(found)
	return *found, true
}

// candidates are the keys that a hash may belong to.
func (r *Ring) candidates(sum [32]byte) []*loci.Key {
	all := make([]*loci.Key, 0, len(r.own)+1)
	for _, k := range r.own {
		if k.secret != "" {
			all = append(all, &k.Key)
		}
	}
	return append(all, r.index[prefix(sum[:])]...)
}

// rarely is how often the use of a key is noted.
const rarely = time.Minute

func (r *Ring) use(k *loci.Key) {
	now := loci.Now()
	if k.Used != nil && now.Sub(k.Used.Time) < rarely {
		return
	}
	k.Used = &now
	if k.Own() {
		return
	}
	id := k.ID
	r.uses.Go(func() { // a request does not wait for it
		if err := r.conf.Store.UseKey(context.Background(), id, now); err != nil {
			r.conf.Logger.Warn("the use of a key could not be noted", "key", id, "error", err)
		}
	})
}

// Close waits for what is still to be noted.
func (r *Ring) Close() { r.uses.Wait() }

// Hold gives a context that ends when the key is revoked or replaced, at once if it
// is by now. The caller calls release when it is done.
func (r *Ring) Hold(ctx context.Context, key loci.Key) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	h := &hold{key.Hash, cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.ContainsFunc(r.candidates(key.Hash), func(k *loci.Key) bool { return k.Hash == key.Hash }) {
		cancel(ErrRevoked)
		return ctx, func() {}
	}
	if r.held[key.ID] == nil {
		r.held[key.ID] = map[*hold]struct{}{}
	}
	r.held[key.ID][h] = struct{}{}
	return ctx, func() {
		cancel(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		if delete(r.held[key.ID], h); len(r.held[key.ID]) == 0 {
			delete(r.held, key.ID)
		}
	}
}

// end ends what is open with a key, but not what is open with another that came in
// its place. The caller has the lock.
func (r *Ring) end(id string, valid [32]byte) {
	for h := range maps.Keys(r.held[id]) {
		if h.hash != valid {
			h.cancel(ErrRevoked)
		}
	}
}

// refresh takes up what a person has done to the files.
func (r *Ring) refresh() {
	r.mu.Lock()
	changed := false
	for _, k := range r.own {
		told := k.broken != nil
		if k.refresh() {
			changed = true
			r.end(k.ID, k.Hash)
		}
		if k.broken != nil && !told {
			r.conf.Logger.Error("no key opens the doors as long as its file has none", "key", k.Name, "error", k.broken)
		}
	}
	r.mu.Unlock()
	if changed {
		r.replaced()
	}
}

func (r *Ring) replaced() {
	if r.conf.Replaced != nil {
		r.conf.Replaced()
	}
}

// Watch looks at the files again and again until ctx ends, so that what is open with
// a key ends soon after its file was replaced, also if nobody comes in the meantime.
func (r *Ring) Watch(ctx context.Context) {
	const often = 500 * time.Millisecond
	tick := time.NewTicker(often)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.refresh()
		}
	}
}

// Secrets are the two keys that everybody has.
func (r *Ring) Secrets() (owner, chat string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.own[0].secret), string(r.own[1].secret)
}

// Keys lists all keys: the two that everybody has, then the others, oldest first.
func (r *Ring) Keys() []loci.Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []loci.Key
	for _, k := range r.made {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b loci.Key) int { return strings.Compare(a.ID, b.ID) }) // ids made later sort later
	return slices.Concat([]loci.Key{r.own[0].Key, r.own[1].Key}, all)
}
