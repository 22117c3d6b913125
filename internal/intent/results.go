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
	Files   int         `json:"files"`
	Folders int         `json:"folders"`
	Lines   *int        `json:"lines"` // nil where no text was searched for
	Times   int         `json:"times"` // how often the text occurs, where that was counted
	Note    string      `json:"note"`  // what was left out
	Groups  []foundPart `json:"groups"`
	Matches []foundFile `json:"matches"`
}

// foundPart is a value that lines were grouped by.
type foundPart struct {
	Value string `json:"value"`
	Lines int    `json:"lines"`
}

// foundFile is a file or folder that a search found.
type foundFile struct {
	Path     string      `json:"path"`
	Type     string      `json:"type"` // file, folder, …
	Size     int64       `json:"size"`
	Modified loci.Time   `json:"modified"`
	Lines    int         `json:"lines"` // that match
	Hits     []foundLine `json:"hits"`
}

// foundLine is a line that a search found.
type foundLine struct {
	Line int    `json:"line"`
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

// writeResult is what write_file tells.
type writeResult struct {
	Path string `json:"path"` // absolute
}

// writeArguments are what write_file was called with.
type writeArguments struct {
	Content string `json:"content"`
}

// searchArguments are what search_files was called with.
type searchArguments struct {
	GroupBy string `json:"group_by"`
}

// clockResult is what current_time tells.
type clockResult struct {
	Date string `json:"date"` // 2026-11-30
}

// sumResult is what calculate tells.
type sumResult struct {
	Result string `json:"result"`
}

// processResult is what list_processes tells.
type processResult struct {
	Total int `json:"total"`
}

// systemResult is what system_info tells of disks.
type systemResult struct {
	Disks []struct {
		Total int64 `json:"total_bytes"`
		Free  int64 `json:"free_bytes"`
	} `json:"disks"`
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
