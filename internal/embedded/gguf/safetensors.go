package gguf

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// maxHeader bounds the JSON header of a safetensors file. A BERT of six layers
// needs 11 kB.
const maxHeader = 4 << 20

// tensor is one entry of a safetensors header. Offsets count bytes from the end
// of the header.
type tensor struct {
	Name    string   `json:"-"`
	DType   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// size is the number of bytes that the tensor's data takes in the file.
func (t tensor) size() int64 { return t.Offsets[1] - t.Offsets[0] }

// readHeader reads a safetensors header and leaves r at the first byte of the
// data. The tensors come in file order and cover the data without gaps, which
// is what allows reading them as a stream.
func readHeader(r io.Reader) ([]tensor, error) {
	var n uint64
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return nil, fmt.Errorf("safetensors: no header: %w", err)
	}
	if n > maxHeader {
		return nil, fmt.Errorf("safetensors: a header of %d bytes is too long", n)
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, fmt.Errorf("safetensors: header cut short: %w", err)
	}
	var byName map[string]tensor
	if err := json.Unmarshal(raw, &byName); err != nil {
		return nil, fmt.Errorf("safetensors: header: %w", err)
	}
	delete(byName, "__metadata__")
	list := make([]tensor, 0, len(byName))
	for name, t := range byName {
		t.Name = name
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b tensor) int { return cmp.Compare(a.Offsets[0], b.Offsets[0]) })
	var end int64
	for _, t := range list {
		if t.Offsets[0] != end || t.Offsets[1] < end {
			return nil, fmt.Errorf("safetensors: %.80q lies at %d, expected %d", t.Name, t.Offsets[0], end)
		}
		end = t.Offsets[1]
	}
	return list, nil
}
