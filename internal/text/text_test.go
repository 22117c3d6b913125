package text

import (
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for _, tc := range []struct {
		in   string
		most int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"日本語", 3, "日…"},
		{"日本語", 4, "日…"},
		{"日本語", 2, "…"},
		{"a\xffb", 9, "a\ufffdb"},
	} {
		if got := Clip(tc.in, tc.most); got != tc.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tc.in, tc.most, got, tc.want)
		}
	}
}

func TestFirst(t *testing.T) {
	for _, tc := range []struct {
		in   string
		most int
		want string
	}{
		{"", 0, ""}, {"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"日本語", 2, "日本"}, {"日本語", 3, "日本語"}, {"日本語", 0, ""}, {"abc", -1, ""}, {"a\xffb", 2, "a\xff"},
	} {
		if got := First(tc.in, tc.most); got != tc.want {
			t.Errorf("First(%q, %d) = %q, want %q", tc.in, tc.most, got, tc.want)
		}
	}
}

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{
		"":               "",
		" one \n two":    "one",
		"twelve chars":   "twelve chars",
		"thirteen chars": "thirteen ch…",
		"日本語日本語日本語日本語日": "日本語日本語日本語日本…",
	} {
		if got := Title(in, 12); got != want {
			t.Errorf("Title(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"listDir", "list_dir", 2}, {"složka", "složky", 1},
	} {
		if got := Distance(tc.a, tc.b); got != tc.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
		if Distance(tc.a, tc.b) != Distance(tc.b, tc.a) {
			t.Errorf("%q and %q are not as far from each other both ways", tc.a, tc.b)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add("日本語\xff", 4)
	f.Fuzz(func(t *testing.T, s string, most int) {
		if most < 0 || most > 1<<16 {
			return
		}
		if got := Clip(s, most); !utf8.ValidString(got) {
			t.Errorf("Clip(%q, %d) = %q", s, most, got)
		}
	})
}

func TestHidden(t *testing.T) {
	for _, r := range "\x00\n\r\t\x1b\x7f\u0085\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u180b\u200b\u200c\u200d\u200e\u2028\u202e\u2060\u2066\u2800\u3164\ufe00\ufe0e\ufeff\uffa0\ufff9\U000e0041\U000e0100\ue000\U0010ffff" {
		if !Hidden(r) {
			t.Errorf("%U can be seen", r)
		}
	}
	for _, r := range "aŽ字🐢 \u00a0\u3000\u0301\ufffd" {
		if Hidden(r) {
			t.Errorf("%U cannot be seen", r)
		}
	}
}

func TestEscape(t *testing.T) {
	for r, want := range map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`, 0x1b: `\u001b`, 0x202e: `\u202e`, 0xe0041: `\U000e0041`} {
		if got := Escape(r); got != want {
			t.Errorf("%U is %s, want %s", r, got, want)
		}
	}
}
