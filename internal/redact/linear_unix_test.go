//go:build unix

package redact

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// used is the processor time of this process, which a busy machine does not change
// much.
func used(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Twenty times the text takes about twenty times as long, whatever it is made of.
func TestTimeIsLinear(t *testing.T) {
	r := New("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "keykeykey=")
	for _, piece := range []string{"a", "key=", "://a:b@", "eyJ", "eyJabcdefghij.", "sk-", "password:", `\"`, `"key":"`, "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "bearer ", "basic QUFB", "=", "cookie: "} {
		took := func(size int) time.Duration {
			s := strings.Repeat(piece, size/len(piece))
			least := time.Hour
			for range 3 {
				began := used(t)
				r.Text(s)
				least = min(least, used(t)-began)
			}
			return least
		}
		small, large := took(5_000), took(100_000)
		if large > 100*small+10*time.Millisecond { // 20 times the text
			t.Errorf("%q: %v, and %v for twenty times as much", piece, small, large)
		}
	}
}
