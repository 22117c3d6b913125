package config

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"loci"
)

// keyPrefix makes a key recognisable in a log or a leak.
const keyPrefix = "loci_"

// OwnerKeyFile is where the owner's key is.
func OwnerKeyFile(p Paths) *KeyFile { return &KeyFile{path: p.Key} }

// ChatKeyFile is where the key is that can only chat, the one for /k/KEY/
// addresses. It is independent of the owner's, so that either can be replaced by
// removing its file.
func ChatKeyFile(p Paths) *KeyFile { return &KeyFile{path: p.ChatKey} }

// EnsureAuditKey gives the key that chains the audit log. It is made once, of random
// bytes, and kept in hex in a file of its own, away from the database. Call it under
// the [Lock].
//
// Known says that it was there before.
func EnsureAuditKey(p Paths) (key []byte, known bool, err error) {
	text, err := os.ReadFile(p.AuditKey)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, loci.AuditKeySize)
		_, _ = rand.Read(key) // never fails: see crypto/rand
		return key, false, writeFile(p.AuditKey, append(hex.AppendEncode(nil, key), '\n'))
	}
	if err != nil {
		return nil, true, unreadable(p.AuditKey, err)
	}
	if err := os.Chmod(p.AuditKey, 0o600); err != nil {
		return nil, true, notWritten("file", p.AuditKey, err)
	}
	key, err = hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != loci.AuditKeySize {
		e := loci.Errorf(loci.Invalid, "The file %s does not hold the key of the audit log.", p.AuditKey).
			WithHint("Put it back from a backup. If it is lost, remove the file: the log then goes on with a new key, and what is in it so far cannot be checked any more.")
		return nil, true, &Error{File: p.AuditKey, Err: e}
	}
	return key, true, nil
}

// KeyFile is a key in a file of its own: it has to be shown to the person who sets
// up a client, so it is not only kept as a hash. It is not safe for several
// goroutines.
type KeyFile struct {
	path string
	seen os.FileInfo // when key was read; nil: it was not
	key  Secret
}

// Key gives the key and since when it is there. The file is read again whenever it
// has changed, and made, with a key of 130 random bits, where it is gone. A person may
// have put a key of their own there; it must be fit for a header and for an address.
// Call it under the [Lock].
func (f *KeyFile) Key() (Secret, time.Time, error) {
	now, err := os.Stat(f.path)
	if err == nil && f.seen != nil && os.SameFile(now, f.seen) && now.ModTime().Equal(f.seen.ModTime()) && now.Size() == f.seen.Size() {
		return f.key, now.ModTime(), nil
	}
	f.key, f.seen = "", nil // what was there holds no more, whatever comes next
	if errors.Is(err, fs.ErrNotExist) {
		return f.Replace()
	}
	if err != nil {
		return "", time.Time{}, unreadable(f.path, err)
	}
	key, err := readKey(f.path)
	if err != nil {
		return "", time.Time{}, err
	}
	f.key, f.seen = key, now
	return key, now.ModTime(), nil
}

// Replace puts a new key into the file.
func (f *KeyFile) Replace() (Secret, time.Time, error) {
	key := NewKey()
	if err := writeFile(f.path, []byte(string(key)+"\n")); err != nil {
		return "", time.Time{}, err
	}
	f.key, f.seen = key, nil
	if now, err := os.Stat(f.path); err == nil {
		f.seen = now
	}
	return key, time.Now(), nil
}

// NewKey makes a key of 130 random bits.
func NewKey() Secret { return Secret(keyPrefix + rand.Text()) }

// readKey reads the key in a file.
func readKey(path string) (Secret, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return "", notWritten("file", path, err)
	}
	key := strings.TrimSpace(string(text))
	const shortest = 16
	if len(key) < shortest || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' || r == '/' }) {
		e := loci.Errorf(loci.Invalid, "The file %s does not hold a key.", path).
			WithHint("Remove it and a new key is made; clients then need the new one.")
		return "", &Error{File: path, Err: e}
	}
	return Secret(key), nil
}

// WritePrivate writes a file that nobody else may read, whole or not at all.
func WritePrivate(path string, text []byte) error { return writeFile(path, text) }
