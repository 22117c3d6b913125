package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"loci"
)

// Binding identifies what a lasting yes is for: the tool, and what its preview binds
// it to.
func Binding(tool string, p Preview) string {
	return digest(tool, p.Binding)
}

// places are the arguments that name files. They are spelled in many ways; the real
// paths stand for them.
var places = []string{"path", "source", "destination"}

// bound gives a preview of a call on files what a lasting yes to it would hold for:
// the real paths and the content that is put there, or where none is, the content
// that is there. What a program does is not known by the files that it may change:
// where a tool that runs some gives no binding, a yes holds only once.
func bound(t entry, args json.RawMessage, p Preview) Preview {
	if !t.Files || t.SideEffects == loci.EffectExec || p.Binding != "" || p.Warning != "" || len(p.Touches) == 0 {
		return p
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil {
		return p
	}
	for _, name := range places {
		delete(given, name)
	}
	parts := slices.Clone(p.Touches)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		parts = append(parts, name, string(given[name]))
	}
	if len(given) == 0 {
		parts = append(parts, p.Basis)
	}
	p.Binding, p.Subject = digest(parts...), strings.Join(p.Touches, " → ")
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
