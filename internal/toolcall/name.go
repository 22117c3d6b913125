package toolcall

import (
	"strings"

	"loci"
	"loci/internal/text"
)

// namePrefixes are what models put before a tool's name because their training
// data did: the namespaces of OpenAI's and Gemini's prompts, and the words of
// templates. An unknown prefix is no spelling of the name, so it is not taken off.
var namePrefixes = []string{"functions.", "function.", "tools.", "tool.", "default_api.", "default_api:", "functions:", "function:", "tool:", "call:", "api.", mcpPrefix}

// mcpPrefix begins mcp__server__name, which is what MCP clients make of a server's name.
const mcpPrefix = "mcp__"

// Name finds the one offered tool that a model means by called. Forgiven are quotes, a
// known prefix, a namespace before a slash or of MCP clients, a counter or protocol
// tokens stuck to the end, case, and camelCase or hyphens for underscores. A name that
// is merely similar is never taken: "delete" is not delete_file.
func Name(called string, offered []loci.ToolSpec) (string, bool) {
	for _, t := range offered {
		if t.Name == called {
			return called, true
		}
	}
	// Protocol tokens all begin with <, and no name has one.
	called, _, _ = strings.Cut(called, "<")
	called = strings.Trim(called, space+"`()"+quoting)
	if name, ok := spelt(called, offered); ok {
		return name, true
	}
	called = called[strings.LastIndexByte(called, '/')+1:]
	for _, p := range namePrefixes {
		if rest, ok := strings.CutPrefix(called, p); ok && p != mcpPrefix {
			called = rest
			break
		}
	}
	// Kimi counts its calls: functions.name:0.
	if name, number, ok := strings.Cut(called, ":"); ok && strings.Trim(number, "0123456789") == "" {
		called = name
	}
	if name, ok := spelt(called, offered); ok {
		return name, true
	}
	if rest, ok := strings.CutPrefix(called, mcpPrefix); ok {
		if _, name, ok := strings.Cut(rest, "__"); ok {
			return spelt(name, offered)
		}
	}
	return "", false
}

// spellings are the ways of writing a name of several words that are common in the names
// of elements: read_file, readFile and read-file.
func spellings(name string) []string {
	words := strings.Split(name, "_")
	camel := words[0]
	for _, w := range words[1:] {
		camel += strings.ToUpper(w[:min(1, len(w))]) + w[min(1, len(w)):]
	}
	all := []string{name}
	for _, s := range []string{camel, strings.Join(words, "-")} {
		if s != name {
			all = append(all, s)
		}
	}
	return all
}

// spelt finds the one offered name that differs from called in spelling only.
func spelt(called string, offered []loci.ToolSpec) (string, bool) {
	name, found, loose := "", 0, looseName(called)
	for _, t := range offered {
		if t.Name == called {
			return called, true
		}
		if looseName(t.Name) == loose {
			name = t.Name
			found++
		}
	}
	return name, found == 1
}

// looseName is a name without what models get wrong in spelling one: case and
// the marks between words. Only ASCII letters lose their case, so no letter
// that merely looks alike can slip through.
func looseName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == ' ':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// similar is the offered name nearest to called, for a "did you mean"; empty
// if none is near. Near is a third of the letters at most, or one name within
// the other. It only ever ends up in a message: see [Name] for what is taken.
func similar(called string, offered []loci.ToolSpec) string {
	a := looseName(text.Clip(called, 64))
	best, near := "", max(1, len(a)/3)+1
	for _, t := range offered {
		b := looseName(t.Name)
		d := text.Distance(a, b)
		if len(a) >= 4 && (strings.Contains(b, a) || strings.Contains(a, b)) {
			d = min(d, 1)
		}
		if d < near {
			best, near = t.Name, d
		}
	}
	return best
}
