// Package offertest has the tools that a chat UI brings along, for tests of what becomes
// of them.
package offertest

import (
	_ "embed"
	"encoding/json"
	"testing"

	"loci"
)

//go:embed chat-ui.json
var chatUI []byte

// Size is how much a client sends to offer its tools, in bytes.
func Size() int { return len(chatUI) }

// ChatUI are tools such as a chat UI brings along: 36 of them.
func ChatUI(t testing.TB) (tools []loci.ToolSpec) {
	t.Helper()
	var list []struct{ Function loci.ToolSpec }
	if err := json.Unmarshal(chatUI, &list); err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		tools = append(tools, l.Function)
	}
	return tools
}
