package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Binding identifies what a lasting yes is for: the tool, and what its preview binds
// it to.
func Binding(tool string, p Preview) string {
	return digest(tool, p.Binding)
}

// Lasting gives a preview of a change of files what a lasting yes to it would hold
// for: the real paths, and a content: the one that is put there where that is all
// that counts, otherwise the one that is there too.
func (p Preview) Lasting(subject string, content ...string) Preview {
	p.Binding, p.Subject = digest(append([]string{digest(p.Touches...)}, content...)...), subject
	return p
}

// digest identifies a list of texts.
func digest(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
