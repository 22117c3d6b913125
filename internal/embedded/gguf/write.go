package gguf

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"
)

const (
	version   = 3  // of the file format
	alignment = 32 // bytes; the default that readers assume
)

// The type numbers of metadata values.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9
)

// The type numbers of tensors.
const (
	tensorF32 = 0
	tensorF16 = 1
)

// pair is one line of metadata: a string, uint32, float32, bool, []string or
// []int32.
type pair struct {
	key   string
	value any
}

// info describes a tensor in the file's header. Shape counts from the slowest
// dimension to the fastest, as safetensors does; GGUF writes it the other way.
type info struct {
	name  string
	shape []int64
	kind  uint32
}

// size is the number of bytes of the tensor's data.
func (i info) size() int64 {
	n := int64(4)
	if i.kind == tensorF16 {
		n = 2
	}
	for _, d := range i.shape {
		n *= d
	}
	return n
}

// writer writes little-endian values and remembers the first error.
type writer struct {
	buf *bufio.Writer
	n   int64 // bytes written
	err error
}

// newWriter buffers w; the caller flushes.
func newWriter(w io.Writer) *writer { return &writer{buf: bufio.NewWriterSize(w, 1<<16)} }

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.buf.Write(p)
	w.n += int64(n)
	w.err = err
	return n, err
}

// put writes numbers and slices of numbers.
func (w *writer) put(values ...any) {
	for _, v := range values {
		if w.err == nil {
			w.err = binary.Write(w, binary.LittleEndian, v)
		}
	}
}

// string writes a length in bytes and the bytes.
func (w *writer) string(s string) {
	w.put(uint64(len(s)), []byte(s))
}

// pad fills up to the next multiple of the alignment.
func (w *writer) pad() {
	w.put(make([]byte, (alignment-w.n%alignment)%alignment))
}

// header writes everything before the tensors' data. Each tensor begins at a
// multiple of the alignment, counted from the end of the header, which is
// padded itself.
func (w *writer) header(meta []pair, tensors []info) {
	w.put([]byte("GGUF"), uint32(version), uint64(len(tensors)), uint64(len(meta)))
	for _, p := range meta {
		w.string(p.key)
		w.value(p.value)
	}
	var offset int64
	for _, t := range tensors {
		w.string(t.name)
		w.put(uint32(len(t.shape)))
		for _, d := range slices.Backward(t.shape) {
			w.put(uint64(d))
		}
		w.put(t.kind, uint64(offset))
		offset += (t.size() + alignment - 1) / alignment * alignment
	}
	w.pad()
}

// value writes a type number and the value. The types are those of pair.
func (w *writer) value(v any) {
	switch v := v.(type) {
	case string:
		w.put(uint32(typeString))
		w.string(v)
	case uint32:
		w.put(uint32(typeUint32), v)
	case float32:
		w.put(uint32(typeFloat32), v)
	case bool:
		w.put(uint32(typeBool), v)
	case []string:
		w.put(uint32(typeArray), uint32(typeString), uint64(len(v)))
		for _, s := range v {
			w.string(s)
		}
	case []int32:
		w.put(uint32(typeArray), uint32(typeInt32), uint64(len(v)), v)
	}
}
