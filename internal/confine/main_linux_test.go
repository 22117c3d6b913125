package confine

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	Main()
	if len(os.Args) > 1 && os.Args[1] == "as a parent" {
		parent()
	}
	os.Setenv("LOCI_KEY", "SECRET") // which no command may see
	goleak.VerifyTestMain(m)
}
