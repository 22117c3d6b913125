package config

import (
	"strings"
	"testing"
)

// However a file is broken around a key, the error does not repeat it.
func TestErrorsHideSecrets(t *testing.T) {
	for _, text := range []string{
		"key: \"canary", "key: 'canary", "key: canary: x", "key: [canary", "key: {canary", "key: *canary", "key: &a canary", "key: |canary\n", "key: !t canary",
		"key: @canary", "key: `canary", "key: %canary", "key: - canary", "key:\n  - canary", "key:\n  canary: x", "key: \"canary\\q\"", "key: canary\n  more: x", "\tkey: canary",
		"key: canary\nkey: canary2", "key canary", "key: canary\n\tx: y", "backends:\n  - url: http://u:canary@h/v1", "backends:\n  - {url: \"http://h/v1\", key: [canary]}",
		"backends:\n  - {url: x, kye: canary}", "listen: canary@x", "? canary\n: x\n- y", "key: >-canary\nx", "key: canary # x\n y: [", "{key: canary", "key: \"canary\" more",
	} {
		_, warnings, err := load(t, text, nil, nil)
		said := ""
		if err != nil {
			said = err.Error()
		}
		for _, w := range warnings {
			said += w.String()
		}
		if strings.Contains(said, "canary") {
			t.Errorf("%q: %s", text, said)
		}
	}
}
