package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

// Hash is a link of the chain.
type Hash = [sha256.Size]byte

// Chain computes links. It is for one goroutine at a time.
type Chain struct{ mac hash.Hash }

// NewChain makes a chain under a key of loci.AuditKeySize random bytes.
func NewChain(key []byte) *Chain { return &Chain{hmac.New(sha256.New, key)} }

// Next gives the hash of the entry that follows the one with hash prev.
func (c *Chain) Next(prev Hash, entry []byte) (next Hash) {
	c.mac.Reset()
	c.mac.Write(prev[:])
	c.mac.Write(entry)
	c.mac.Sum(next[:0])
	return next
}

// Head is the end of a log: the number of its last row, 0 where there is none, and
// that row's hash.
type Head struct {
	N    int64
	Hash Hash
}

// AnchorSize is the length of every anchor: small enough to be written over the one
// before in place, which a disk does whole or not at all.
const AnchorSize = len(anchorVersion) + 1 + 20 + 1 + 64 + 1 + 64 + 1

const anchorVersion = "loci-audit-head-1"

// Anchor gives the text of the file that names the head: a version, the number in
// 20 digits, the hash, and the HMAC-SHA-256 of all that, separated by blanks.
func (c *Chain) Anchor(h Head) []byte {
	said := fmt.Sprintf("%s %020d %x", anchorVersion, h.N, h.Hash)
	return fmt.Appendf(nil, "%s %x\n", said, c.seal(said))
}

// ErrAnchor is for a text that is no anchor, or not one under this key.
var ErrAnchor = errors.New("audit: the anchor was not written with this key, or was changed")

// ReadAnchor reads what [Chain.Anchor] wrote.
func (c *Chain) ReadAnchor(text []byte) (h Head, err error) {
	said, seal, ok := strings.Cut(strings.TrimSuffix(string(text), "\n"), anchorVersion+" ")
	if !ok || said != "" {
		return h, ErrAnchor
	}
	f := strings.Split(seal, " ")
	if len(f) != 3 {
		return h, ErrAnchor
	}
	n, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return h, ErrAnchor
	}
	link, err := hex.DecodeString(f[1])
	if err != nil || len(link) != len(h.Hash) {
		return h, ErrAnchor
	}
	h.N, h.Hash = n, Hash(link)
	if subtle.ConstantTimeCompare(text, c.Anchor(h)) != 1 {
		return Head{}, ErrAnchor
	}
	return h, nil
}

func (c *Chain) seal(said string) []byte {
	c.mac.Reset()
	c.mac.Write([]byte(said))
	return c.mac.Sum(nil)
}
