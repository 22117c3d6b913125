//go:build !linux

package database

import (
	"os"
	"path/filepath"
)

// vfsName is empty: SQLite's own VFS is used.
const vfsName = ""

// place is where an opened file is, and the name by which SQLite opens it.
type place struct {
	file *os.File
	name string // for SQLite
	real string // for people
}

// placeOf finds where an opened file is.
func placeOf(file *os.File) (*place, error) {
	real, err := filepath.EvalSymlinks(file.Name())
	if err != nil {
		return nil, err
	}
	p := &place{file: file, name: real, real: real}
	return p, p.check()
}

// check tells whether the name leads to the file. It is asked before and after each
// opening; unlike on Linux, a file that was swapped for a moment could go unnoticed.
func (p *place) check() error {
	named, err := os.Stat(p.real)
	if err != nil {
		return err
	}
	opened, err := p.file.Stat()
	if err == nil && !os.SameFile(named, opened) {
		err = os.ErrNotExist
	}
	return err
}

// Close gives nothing back: the file is the caller's.
func (p *place) Close() error { return nil }
