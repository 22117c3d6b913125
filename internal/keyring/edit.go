package keyring

import (
	"context"
	"crypto/sha256"
	"errors"
	"regexp"
	"slices"
	"strings"

	"loci"
	"loci/internal/config"
)

// nameForm is what a key can be called: it is part of addresses and of the name of
// its principal.
var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,39}$`)

// Add makes a key. The secret is told this once, and kept nowhere.
func (r *Ring) Add(ctx context.Context, by loci.Principal, name string, rights []loci.Right) (loci.Key, string, error) {
	k := loci.Key{ID: loci.NewID(loci.KeyPrefix), Name: name, Principal: "key:" + name}
	var err error
	if k.Rights, err = check(name, rights); err != nil {
		return k, "", err
	}
	r.edit.Lock()
	defer r.edit.Unlock()
	secret, err := r.store(ctx, by, &k, nil)
	return k, secret, err
}

// check gives the rights in their order, each once.
func check(name string, rights []loci.Right) (sorted []loci.Right, err error) {
	if !nameForm.MatchString(name) || name == loci.OwnerKey || name == loci.ChatKey {
		return nil, loci.Errorf(loci.Invalid, "A key cannot be named %.40q.", name).
			WithHint("Use 1 to 40 of a-z, 0-9, dot, - and _, and neither owner nor chat.")
	}
	for _, right := range rights {
		if !slices.Contains(loci.AllRights(), right) {
			return nil, loci.Errorf(loci.Invalid, "There is no right %.40q.", right).WithHint("The rights are %s.", listed(loci.AllRights()))
		}
	}
	for _, right := range loci.AllRights() {
		if slices.Contains(rights, right) {
			sorted = append(sorted, right)
		}
	}
	if len(sorted) == 0 {
		return nil, loci.Errorf(loci.Invalid, "A key without a right opens nothing.").WithHint("The rights are %s.", listed(loci.AllRights()))
	}
	return sorted, nil
}

func listed(rights []loci.Right) string {
	words := make([]string, len(rights))
	for i, right := range rights {
		words[i] = string(right)
	}
	return strings.Join(words, ", ")
}

// store gives a key its secret and keeps it, in the place of another one if old is
// not nil.
func (r *Ring) store(ctx context.Context, by loci.Principal, k, old *loci.Key) (string, error) {
	secret, replaces, what := string(config.NewKey()), "", loci.StateMade
	k.Hash, k.Created, k.Used = sha256.Sum256([]byte(secret)), loci.Now(), nil
	if old != nil {
		replaces, what = old.ID, loci.StateReplaced
	}
	if err := r.conf.Store.AddKey(ctx, by.ID, *k, replaces); err != nil {
		return "", err
	}
	r.mu.Lock()
	if old != nil {
		r.drop(old)
		r.end(old.ID, [32]byte{})
	}
	kept := *k
	r.put(&kept)
	r.mu.Unlock()
	r.told(by, *k, what)
	return secret, nil
}

// told logs what was done to a key.
func (r *Ring) told(by loci.Principal, k loci.Key, what loci.AuditState) {
	r.conf.Logger.Info("key "+string(what), "key", k.Name, "id", k.ID, "by", by.ID)
}

// Revoke makes a key invalid and ends what is open with it. Where that could not be
// stored, it gives the key with the error: it holds no more all the same.
func (r *Ring) Revoke(ctx context.Context, by loci.Principal, name string) (loci.Key, error) {
	if name == loci.OwnerKey || name == loci.ChatKey {
		return loci.Key{}, loci.Errorf(loci.Invalid, "The %s key cannot be revoked, only replaced.", name).
			WithHint("Replace it: loci keys rotate %s", name)
	}
	r.edit.Lock()
	defer r.edit.Unlock()
	k, err := r.named(name)
	if err != nil {
		return loci.Key{}, err
	}
	r.mu.Lock()
	r.drop(&k) // it holds no more, even if the disk is full and it has to be revoked again
	r.end(k.ID, [32]byte{})
	r.mu.Unlock()
	if err := r.conf.Store.RevokeKey(context.WithoutCancel(ctx), by.ID, k.ID, loci.Now()); err != nil {
		return k, loci.Wrap(loci.Internal, err, "The key %s holds no more now, but that could not be stored: it will again when loci is started anew.", name).
			WithHint("See why with loci doctor, then start loci again and revoke the key.")
	}
	r.told(by, k, loci.StateRevoked)
	return k, nil
}

// Rotate gives a key another secret, and ends what is open with the old one.
func (r *Ring) Rotate(ctx context.Context, by loci.Principal, name string) (loci.Key, string, error) {
	r.edit.Lock()
	defer r.edit.Unlock()
	for _, k := range r.own {
		if k.Name == name {
			return r.rotateOwn(ctx, by, k)
		}
	}
	old, err := r.named(name)
	if err != nil {
		return loci.Key{}, "", err
	}
	k := old
	k.ID = loci.NewID(loci.KeyPrefix)
	secret, err := r.store(ctx, by, &k, &old)
	return k, secret, err
}

func (r *Ring) rotateOwn(ctx context.Context, by loci.Principal, k *ownKey) (loci.Key, string, error) {
	if k.file == nil {
		return loci.Key{}, "", loci.Errorf(loci.Conflict, "The owner's key is set by hand, so it is not loci's to replace.").
			WithHint("Change it where it is set: the setting key, LOCI_KEY, or --key.")
	}
	// No transaction holds both a file and a row, so the row comes first, as before
	// everything that a person has to be able to trace: without room for it the old key
	// stays. Where the file then cannot be written, another row says so.
	r.mu.Lock()
	now := k.Key
	r.mu.Unlock()
	if err := r.conf.Store.NoteKey(ctx, by.ID, now, loci.StateReplaced, ""); err != nil {
		return loci.Key{}, "", err
	}
	r.mu.Lock()
	secret, since, err := k.file.Replace()
	if err == nil {
		k.set(secret, since)
		r.end(k.ID, k.Hash)
	}
	now = k.Key
	r.mu.Unlock()
	if err != nil {
		noted := r.conf.Store.NoteKey(context.WithoutCancel(ctx), by.ID, now, loci.StateFailed, loci.AsError(err).Message)
		return loci.Key{}, "", errors.Join(err, noted)
	}
	r.replaced()
	r.told(by, now, loci.StateReplaced)
	return now, string(secret), nil
}

// named gives a copy of a key that was made: the ring's own changes with every use.
func (r *Ring) named(name string) (loci.Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.made {
		if k.Name == name {
			return *k, nil
		}
	}
	return loci.Key{}, loci.Errorf(loci.NotFound, "There is no key named %.40q.", name).WithHint("See which there are: loci keys list")
}
