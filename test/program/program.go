// Package program builds loci for the tests that run it from outside, as people do.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Main builds loci, says where it is, and runs the tests. What it gives is the code to
// exit with.
func Main(m *testing.M, path *string) int {
	dir, err := os.MkdirTemp("", "loci-built")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*path = filepath.Join(dir, "loci")
	build := exec.Command("go", "build", "-o", *path, "loci/cmd/loci")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building loci: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
