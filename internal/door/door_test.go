package door

import (
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"loci"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An address for other machines is one that they can reach.
func TestOutside(t *testing.T) {
	for _, tt := range []struct{ hosts, at, want string }{
		{"", "127.0.0.1:1", ""},
		{"", "[::1]:1", ""},
		{"", "192.0.2.7:1", "http://192.0.2.7:1"},
		{"box:1 127.0.0.1:1 [fe80::1]:1 192.0.2.7:1 192.0.2.8:1", "0.0.0.0:1", "http://192.0.2.7:1"},
		{"box:1 [::1]:1 [2001:db8::1]:1", "[::]:1", "http://[2001:db8::1]:1"},
		{"box:1 127.0.0.1:1", "0.0.0.0:1", "http://0.0.0.0:1"},
	} {
		if got := Outside(strings.Fields(tt.hosts), netip.MustParseAddrPort(tt.at)); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.at, tt.hosts, got, tt.want)
		}
	}
}

func TestBadAddress(t *testing.T) {
	if _, err := Listen(t.Context(), "5624"); loci.AsError(err).Code != loci.Invalid {
		t.Errorf("%v", err)
	}
}
