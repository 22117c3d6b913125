package loci

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// The prefixes of ids.
const (
	SessionPrefix  = "ses_"
	TurnPrefix     = "turn_"
	CallPrefix     = "call_"
	NodePrefix     = "node_"
	ApprovalPrefix = "apr_"
	GrantPrefix    = "gra_"
	KeyPrefix      = "key_"
)

// NewID returns prefix followed by a UUID of version 7 (RFC 9562, section
// 5.7): ids made later sort later, down to the millisecond.
func NewID(prefix string) string {
	var u [16]byte
	binary.BigEndian.PutUint64(u[:8], uint64(time.Now().UnixMilli())<<16)
	_, _ = rand.Read(u[6:]) // never fails: see crypto/rand
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	dst := make([]byte, 0, len(prefix)+36)
	dst = append(dst, prefix...)
	for i, part := range [][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return string(dst)
}
