package agent

import (
	"testing"
	"time"
)

// How long a model reads is said in the person's language, and in round numbers.
func TestInWords(t *testing.T) {
	for _, c := range []struct {
		lang string
		d    time.Duration
		want string
	}{
		{"en", 7600 * time.Millisecond, "8 seconds"},
		{"en", 119 * time.Second, "119 seconds"},
		{"en", 2 * time.Minute, "2 minutes"},
		{"zh-CN", 10 * time.Minute, "10 分钟"},
		{"cs", 3 * time.Minute, "3 minuty"},
		{"cs", 80 * time.Second, "80 sekund"},
		{"fr", 10 * time.Second, "10 seconds"},
	} {
		if got := inWords(c.lang, c.d); got != c.want {
			t.Errorf("%s, %v: %q, want %q", c.lang, c.d, got, c.want)
		}
	}
}
