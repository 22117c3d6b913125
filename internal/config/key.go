package config

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"

	"loci"
)

// keyPrefix makes a key recognisable in a log or a leak.
const keyPrefix = "loci_"

// EnsureKey gives the owner's key. It is made once, of 130 random bits, and
// kept in a file of its own. Call it under the [Lock].
func EnsureKey(p Paths) (Secret, error) { return ensureKey(p.Key) }

// EnsureChatKey gives the key that can only chat, the one for /k/KEY/
// addresses. It is independent of the owner's, so that either can be replaced
// by removing its file.
func EnsureChatKey(p Paths) (Secret, error) { return ensureKey(p.ChatKey) }

// auditKeySize is the length of the audit log's key in bytes.
const auditKeySize = 32

// EnsureAuditKey gives the key that chains the audit log. It is made once, of random
// bytes, and kept in hex in a file of its own, away from the database. Call it under
// the [Lock].
func EnsureAuditKey(p Paths) ([]byte, error) {
	text, err := os.ReadFile(p.AuditKey)
	if errors.Is(err, fs.ErrNotExist) {
		key := make([]byte, auditKeySize)
		_, _ = rand.Read(key) // never fails: see crypto/rand
		return key, writeFile(p.AuditKey, append(hex.AppendEncode(nil, key), '\n'))
	}
	if err != nil {
		return nil, unreadable(p.AuditKey, err)
	}
	if err := os.Chmod(p.AuditKey, 0o600); err != nil {
		return nil, notWritten("file", p.AuditKey, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != auditKeySize {
		e := loci.Errorf(loci.Invalid, "The file %s does not hold the key of the audit log.", p.AuditKey).
			WithHint("Put it back from a backup. If it is lost, remove the file: the log then goes on with a new key, and what is in it so far cannot be checked any more.")
		return nil, &Error{File: p.AuditKey, Err: e}
	}
	return key, nil
}

// ensureKey reads the key in a file, or makes both. A person may have put a key
// of their own there; it must be fit for a header and for an address.
func ensureKey(path string) (Secret, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key := keyPrefix + rand.Text()
		return Secret(key), writeFile(path, []byte(key+"\n"))
	}
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
