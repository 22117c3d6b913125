package intent

import (
	"encoding/json"
	"slices"
	"strings"

	"loci"
)

// lookers are the tools that tell what nobody can know from memory. The date is in
// every prompt, and a sum can be done in the head.
var lookers = []string{listDir, readFile, searchFiles, systemInfo, listProcesses, queryDB}

// Tells gives the call that would tell what a person wants to know, by rules alone:
// their words ask for a look at a file that they name, at a folder, or at this machine.
// Words that may be meant otherwise, such as a question about formats of files or
// about a paper whose file would be a guess, are left to the model.
func (r *Router) Tells(s loci.Situation) (loci.ToolCall, bool) {
	if len(s.Text) > maxWords {
		return loci.ToolCall{}, false
	}
	u := r.understand(s)
	if talkOpening.has(u.core) || writes.has(u.core) {
		return loci.ToolCall{}, false
	}
	g := r.ruled(u)
	if _, guessed := g.(recall); g == nil || guessed || !slices.Contains(lookers, g.first()) {
		return loci.ToolCall{}, false
	}
	move := g.next(u, nil)
	if move.Call == nil || !slices.Contains(lookers, move.Call.Name) || !namesFile(*move.Call, s.Text) {
		return loci.ToolCall{}, false
	}
	return *move.Call, true
}

// namesFile tells whether a file that a call reads stands in the words.
func namesFile(c loci.ToolCall, words string) bool {
	if c.Name != readFile && c.Name != queryDB {
		return true
	}
	var args struct{ Path, Database string }
	_ = json.Unmarshal(c.Arguments, &args) // made here
	file := args.Path + args.Database
	return isFile(file) && strings.Contains(strings.ToLower(words), strings.ToLower(file))
}
