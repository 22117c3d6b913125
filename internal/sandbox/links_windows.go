package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// Windows has no pipes in its folders, and os.Root refuses device names there.
const (
	readFlags = os.O_RDONLY
	dirFlags  = os.O_RDONLY
)

// linkCount is how many names a file has.
func linkCount(file *os.File, _ fs.FileInfo) (uint64, error) {
	var d syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(file.Fd()), &d); err != nil {
		return 0, err
	}
	return uint64(d.NumberOfLinks), nil
}

// mayHaveNames tells whether a file can have several names at all, which Windows
// says only of an opened one.
func mayHaveNames(fs.FileInfo) bool { return true }
