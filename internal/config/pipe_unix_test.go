//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is no configuration, and nobody waits for it.
func TestLoadOfWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipe can be made here:", err)
	}
	for _, path := range []string{pipe, dir, os.DevNull} {
		_, _, err := Load(Sources{File: path, Env: variables()})
		if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), "regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := AddFolder(Sources{File: pipe, Env: variables()}, dir); err == nil {
		t.Error("a folder was added to a pipe")
	}
}
