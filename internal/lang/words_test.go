package lang

import (
	"regexp"
	"strings"
	"testing"
)

func TestCounted(t *testing.T) {
	file := Counted{One: "file", Many: "files", ZH: "个文件", CSOne: "soubor", CSFew: "soubory", CSAll: "souborů"}
	for lang, want := range map[string]string{
		"en":    "0 files, 1 file, 3 files, 5 files",
		"zh":    "0 个文件, 1 个文件, 3 个文件, 5 个文件",
		"cs-CZ": "0 souborů, 1 soubor, 3 soubory, 5 souborů",
		"":      "0 files, 1 file, 3 files, 5 files",
		"fr":    "0 files, 1 file, 3 files, 5 files",
	} {
		var got []string
		for _, n := range []int{0, 1, 3, 5} {
			got = append(got, file.In(lang, n))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s", lang, s)
		}
	}
}

func TestWords(t *testing.T) {
	w := Words{EN: "%d of %s", ZH: "%[2]s 的 %[1]d"}
	for lang, want := range map[string]string{"en": "2 of x", "zh-CN": "x 的 2", "ZH": "x 的 2", "cs": "2 of x"} {
		if got := w.In(lang, 2, "x"); got != want {
			t.Errorf("%s: %s, want %s", lang, got, want)
		}
	}
	if got := (Words{EN: "100 %"}).In("en"); got != "100 %" {
		t.Error(got)
	}
}

// TestSize also holds SizeForm to what Size writes.
func TestSize(t *testing.T) {
	form := regexp.MustCompile(`^` + SizeForm + `$`)
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 5 << 30: "5.0 GiB", 1 << 62: "4096.0 PiB",
	} {
		if got := Size(English, n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
		for _, lang := range []string{English, Chinese, Czech} {
			if got := Size(lang, n); !form.MatchString(got) {
				t.Errorf("%s: %q is not of the form", lang, got)
			}
		}
	}
	for _, n := range []int64{2, 5} {
		if got := Size(Czech, n); !form.MatchString(got) {
			t.Errorf("%q is not of the form", got)
		}
	}
}
