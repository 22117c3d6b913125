package embedded_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"go.uber.org/goleak"

	"loci/internal/embedded"
	"loci/internal/embedded/embeddedtest"
)

func TestMain(m *testing.M) {
	if embedded.Impersonate() {
		return
	}
	code := m.Run()
	embeddedtest.Stop()
	http.DefaultClient.CloseIdleConnections()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
