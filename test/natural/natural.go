// Package natural measures what loci makes of requests as people write them: whether
// it takes the right tool, with the right arguments, and leaves the world alone while
// it is only talked to.
//
// The requests and the files that they speak of are test data of internal/intent. They
// were written before the rules were tuned to them and are frozen (a test there holds
// their sums). One half is for tuning; of the other nothing but numbers is ever printed.
//
// Whoever plays the requests, the Router alone or the whole program with the real
// engine, hands what was done to a [Judge].
package natural

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"loci"
)

// Talk is the tool of requests that want none.
const Talk = "talk"

// Request is what a person asks, and what would be right.
type Request struct {
	ID   string `json:"id"`
	Lang string `json:"lang"`
	Say  string `json:"say"`
	Want []Want `json:"want"` // any one of them is right
}

// Want is one right way to do it.
type Want struct {
	// Tool is the name, Talk, or a beginning of names such as "notion_*".
	Tool string `json:"tool"`
	// Args are the right values of each argument: null and "" stand for leaving it
	// out, "*" for any value, "+" for any that is not empty. An argument that is not
	// named must be left out. Without any, the arguments do not count: so it is with tools
	// that are still to come.
	Args map[string][]any `json:"args"`
	// Files are what files hold afterwards, whatever the arguments were.
	Files map[string]string `json:"files"`
}

// Half is a half of the evaluation set.
type Half struct {
	Name     string
	Requests []Request
	// Secret halves are counted and never shown.
	Secret bool
}

// Load reads both halves from the folder that they are in.
func Load(dir string) (tune, unseen Half, err error) {
	tune, unseen = Half{Name: "tune"}, Half{Name: "unseen", Secret: true}
	for _, h := range []*Half{&tune, &unseen} {
		if h.Requests, err = read(filepath.Join(dir, "natural_"+h.Name+".jsonl")); err != nil {
			return tune, unseen, err
		}
	}
	return tune, unseen, nil
}

func read(file string) (all []Request, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var r Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// Kind is what the request is filed under: the tool of its first want.
func (r Request) Kind() string { return r.Want[0].Tool }

// Talks tells that no tool is wanted.
func (r Request) Talks() bool { return r.Kind() == Talk }

// Outcome is what was done about a request.
type Outcome struct {
	// Calls are those that were made or would have been after a yes, in order.
	Calls []loci.ToolCall
	// Said is the reply, and Fixed tells that no model had a part in its words.
	Said  string
	Fixed bool
}
