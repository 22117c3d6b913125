// Package where tells what lies where: paths in folders, and hosts on this machine. It
// goes by names alone; whether a file may be opened is decided in package sandbox, where
// it is opened.
package where

import (
	"cmp"
	"net/netip"
	"path/filepath"
	"strings"
)

// Below is a path as seen from a folder that it is, or lies in. Both are absolute or
// both relative, and links are not looked at: see [Real].
func Below(path, folder string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// In tells whether a path is a folder or lies in it.
func In(path, folder string) bool {
	_, ok := Below(path, folder)
	return ok
}

// Real is a path without symbolic links, as far as it exists. What does not exist yet is
// no less in its place: somebody may make it.
func Real(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if dir := filepath.Dir(path); err != nil && dir != path {
		real = filepath.Join(Real(dir), filepath.Base(path))
	}
	return cmp.Or(real, path)
}

// Here tells whether what is sent to a host stays on this machine. No name is resolved
// for it.
func Here(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}
