// Package wiretest has what the tests of the protocols share: recorded requests and
// replies of a real server, and streams that are read to their end.
package wiretest

import (
	"encoding/json"
	"errors"
	"iter"
	"os"
	"strings"
	"testing"

	"loci"
)

// Exchange is one recorded request and reply.
type Exchange struct {
	Note     string          `json:"note"`
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Request  json.RawMessage `json:"request"`
	Status   int             `json:"status"`
	Response string          `json:"response"`
}

// Recordings are those of the protocol that is tested.
func Recordings(t testing.TB) (list []Exchange) {
	t.Helper()
	raw, err := os.ReadFile("testdata/ollama-0.17.4.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var e Exchange
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		t.Fatal("no recordings")
	}
	return list
}

// Recorded is the recording of a path with a note.
func Recorded(t testing.TB, path, note string) Exchange {
	t.Helper()
	for _, e := range Recordings(t) {
		if e.Path == path && e.Note == note {
			return e
		}
	}
	t.Fatalf("no recording of %s %q", path, note)
	return Exchange{}
}

// Collect reads a stream: all text and reasoning, and the last chunk.
func Collect(stream iter.Seq2[loci.Chunk, error]) (got loci.Chunk, err error) {
	var text, reasoning strings.Builder
	for c, err := range stream {
		if err != nil {
			return loci.Chunk{Text: text.String(), Reasoning: reasoning.String()}, err
		}
		if got.Finish != "" {
			return got, errors.New("a chunk came after the last one")
		}
		text.WriteString(c.Text)
		reasoning.WriteString(c.Reasoning)
		got = c
	}
	got.Text, got.Reasoning = text.String(), reasoning.String()
	return got, nil
}
