package loci

import (
	"slices"
	"strings"
)

// Key is a secret that opens loci's doors, without the secret itself.
type Key struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Rights    []Right `json:"can"`
	Principal string  `json:"principal"` // whose sessions it opens
	Created   Time    `json:"created"`
	// Used is when it last opened a door, true to a minute; nil: it never did.
	Used *Time `json:"used,omitempty"`
	// Hash is the SHA-256 of the secret. A secret has 130 random bits, which nobody
	// can try out, so it needs none of the slow hashes that passwords do.
	Hash [32]byte `json:"-"`
}

// The keys that everybody has: that of the person who runs loci, and the one that
// may stand in an address. Their names are their ids.
const (
	OwnerKey = "owner"
	ChatKey  = "chat"
)

// AllRights lists the rights from small to large.
func AllRights() []Right {
	return []Right{RightChat, RightReadTools, RightWriteTools, RightApprove, RightAdmin}
}

// May tells whether a key has a right.
func (k Key) May(r Right) bool { return slices.Contains(k.Rights, r) }

// Speaks tells whether a principal comes with the key: its own, and the persons whom a
// client behind it names.
func (k Key) Speaks(principal string) bool {
	return principal == k.Principal || strings.HasPrefix(principal, k.Principal+"/")
}

// Own tells whether it is one of the keys that everybody has.
func (k Key) Own() bool { return k.ID == OwnerKey || k.ID == ChatKey }
