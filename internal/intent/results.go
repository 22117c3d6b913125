package intent

import (
	"encoding/json"
	"path/filepath"

	"loci"
)

// The results of the tools, as far as decisions depend on them. This package
// does not import the tools, data goes up to it; a test holds these fields to
// what the tools really return.

// searchResult is what search_files tells.
type searchResult struct {
	Lines   *int        `json:"lines"` // nil where no text was searched for
	Matches []foundFile `json:"matches"`
}

// foundFile is a file or folder that a search found.
type foundFile struct {
	Path     string      `json:"path"`
	Type     string      `json:"type"` // file, folder, …
	Modified loci.Time   `json:"modified"`
	Hits     []foundLine `json:"hits"`
}

// foundLine is a line that a search found.
type foundLine struct {
	Text string `json:"text"`
}

// listResult is what list_dir tells.
type listResult struct {
	Path    string        `json:"path"` // absolute
	Entries []listedEntry `json:"entries"`
}

// listedEntry is one thing in a folder.
type listedEntry struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// readResult is what read_file tells.
type readResult struct {
	Path  string `json:"path"` // absolute
	Pages int    `json:"pages"`
	Text  string `json:"text"`
}

// files are the paths of the files, in the order of the list.
func (l listResult) files() []string {
	var paths []string
	for _, e := range l.Entries {
		if e.Type == "file" {
			paths = append(paths, filepath.Join(l.Path, e.Name))
		}
	}
	return paths
}

// decode reads the data of a result. One that failed, or is not of the form,
// gives the zero value: nothing was found.
func decode[R any](r loci.ToolResult) R {
	var result, none R
	if r.Err != nil || json.Unmarshal(r.Data, &result) != nil {
		return none
	}
	return result
}
