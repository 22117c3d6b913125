//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// O_NONBLOCK makes the opening of a pipe return at once instead of waiting for
// a writer; on regular files it has no effect.
const (
	readFlags = os.O_RDONLY | syscall.O_NONBLOCK
	dirFlags  = readFlags | syscall.O_DIRECTORY
)

// linkCount is how many names a file has.
func linkCount(_ *os.File, info fs.FileInfo) (uint64, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1, nil
	}
	return uint64(st.Nlink), nil // 16 bits wide on macOS, 64 on Linux
}

// mayHaveNames tells whether a file can have several names at all.
func mayHaveNames(info fs.FileInfo) bool {
	n, err := linkCount(nil, info)
	return err != nil || n > 1
}
