package intent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeySentences(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		most       int
		want       []string
	}{
		{"short", "Dear Anna, the boat is repaired. We sail on Saturday.", 3, []string{"Dear Anna, the boat is repaired.", "We sail on Saturday."}},
		{"list", "# Plan\n- Buy milk\n- Call Dr. Novak at 5 p.m. today\n---\n", 5, []string{"Plan", "Buy milk", "Call Dr. Novak at 5 p.m. today"}},
		{"picks", "The boat is repaired. It was a Tuesday. My aunt has a cat. The repaired boat will sail to the island. The island has a lamp.", 2,
			[]string{"The boat is repaired.", "The repaired boat will sail to the island."}},
		{"Chinese", "船修好了。我们星期六去岛上。请带上地图！", 2, []string{"船修好了。", "我们星期六去岛上。"}},
		{"nothing", " \n---\n", 3, nil},
	} {
		if d := cmp.Diff(tc.want, keySentences(tc.text, tc.most)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
}

// Every sentence that is picked stands in the text, whatever the text is.
func FuzzKeySentences(f *testing.F) {
	f.Add("The boat. 船修好了。\n- x\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := keySentences(text, 3)
		if len(got) > 3 {
			t.Fatalf("%d sentences", len(got))
		}
		for _, s := range got {
			if s == "" || !strings.Contains(text, s) {
				t.Fatalf("%q is not in %q", s, text)
			}
		}
	})
}
