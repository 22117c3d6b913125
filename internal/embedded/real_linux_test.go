package embedded_test

import (
	"testing"

	"loci/internal/embedded"
	"loci/internal/embedded/embeddedtest"
)

// TestRealEngineEndsWithLoci: killed with SIGKILL, loci leaves no engine behind.
func TestRealEngineEndsWithLoci(t *testing.T) {
	embeddedtest.Engine(t)
	dir, err := embeddedtest.Dir()
	if err != nil {
		t.Fatal(err)
	}
	embedded.Orphan(t, dir+"/embedded", t.TempDir(), "none", "")
}
