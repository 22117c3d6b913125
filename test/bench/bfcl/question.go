package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"loci"
)

// question is one of the leaderboard's: what is asked, which functions there are, and
// which calls are right.
type question struct {
	ID        string
	System    string // may be empty
	Text      string
	Functions []function
	// Right holds the one right call: the values that each argument may have, by the name
	// of the function. Without one, no call is right.
	Right map[string]map[string][]any
}

// function is as the leaderboard describes it.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// load reads a category from the folder of the leaderboard's files.
func load(dir, category string) ([]question, error) {
	name := "BFCL_v4_" + category + ".json"
	right := map[string]map[string]map[string][]any{}
	err := lines(filepath.Join(dir, "possible_answer", name), func(line []byte) error {
		var a struct {
			ID    string                        `json:"id"`
			Truth []map[string]map[string][]any `json:"ground_truth"`
		}
		if err := json.Unmarshal(line, &a); err != nil {
			return err
		}
		if len(a.Truth) != 1 {
			return fmt.Errorf("%s has %d right calls", a.ID, len(a.Truth))
		}
		right[a.ID] = a.Truth[0]
		return nil
	})
	if err != nil && (!errors.Is(err, fs.ErrNotExist) || category != "irrelevance") {
		return nil, err
	}
	var all []question
	err = lines(filepath.Join(dir, name), func(line []byte) error {
		var q struct {
			ID       string `json:"id"`
			Question [][]struct {
				Role    string `json:"role"`
				Content string `json:"content"`
			} `json:"question"`
			Functions []function `json:"function"`
		}
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		one := question{ID: q.ID, Functions: q.Functions, Right: right[q.ID]}
		for _, m := range q.Question[0] {
			if m.Role == "system" {
				one.System = m.Content
			} else {
				one.Text = m.Content
			}
		}
		if one.Right == nil && category != "irrelevance" {
			return fmt.Errorf("%s has no answer", q.ID)
		}
		all = append(all, one)
		return nil
	})
	return all, err
}

func lines(file string, each func([]byte) error) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if err := each(s.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	return s.Err()
}

// sample draws n of the odd questions, always the same ones: the even ones were looked
// at when the spans and their bound were made. 0: all of them, the even ones too.
func sample(all []question, n int) []question {
	if n == 0 {
		return all
	}
	var odd []question
	for i, q := range all {
		if i%2 == 1 {
			odd = append(odd, q)
		}
	}
	rand.New(rand.NewPCG(20261130, 0)).Shuffle(len(odd), func(i, j int) { odd[i], odd[j] = odd[j], odd[i] })
	return odd[:min(n, len(odd))]
}

// tools are the functions as a client would offer them: types named as in JSON Schema,
// and names without dots, which the OpenAI protocol does not allow.
func (q question) tools() ([]loci.ToolSpec, error) {
	var all []loci.ToolSpec
	for _, f := range q.Functions {
		// Only the order of the parameters as written is the order of positional arguments.
		raw := json.RawMessage(typeNames.Replace(string(f.Parameters)))
		if !json.Valid(raw) {
			return nil, fmt.Errorf("%s: the parameters are not JSON", q.ID)
		}
		all = append(all, loci.ToolSpec{Name: plainName(f.Name), Description: f.Description, Parameters: raw})
	}
	return all, nil
}

// typeNames are Python's names of types, and what they are in JSON Schema.
var typeNames = strings.NewReplacer(
	`"type": "dict"`, `"type": "object"`, `"type": "float"`, `"type": "number"`, `"type": "tuple"`, `"type": "array"`, `"type": "any"`, `"description": ""`,
)

// plainName is a name as the OpenAI protocol allows it.
func plainName(name string) string { return strings.ReplaceAll(name, ".", "_") }
