package prompt_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/prompt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var prague = time.FixedZone("CET", 3600)

func someFacts(tier loci.Tier) prompt.Facts {
	return prompt.Facts{
		Now:     time.Date(2026, 11, 30, 14, 32, 0, 0, prague),
		Zone:    "Europe/Prague",
		User:    "Mira",
		Purpose: "the household accounts",
		Folders: []string{"/home/mira/accounts", "/home/mira/notes"},
		Working: "/home/mira/accounts",
		Tools: []loci.ToolSpec{
			{Name: "list_dir", SideEffects: loci.EffectRead},
			{Name: "calculate", SideEffects: loci.EffectNone},
		},
		Tier:   tier,
		Client: "Answer in rhymes.",
	}
}

// The golden files are what a person sees in the debug view: read them when
// they change. Their size is a promise as well.
func TestSystemGolden(t *testing.T) {
	for _, tc := range []struct {
		name   string
		facts  func(*prompt.Facts)
		tier   loci.Tier
		tokens int // at four characters a token
	}{
		{name: "native", tier: loci.TierNative, tokens: 450},
		{name: "text", tier: loci.TierText, tokens: 480, facts: func(f *prompt.Facts) { f.Markup = "To use a tool, write a call." }},
		{name: "tiny", tier: loci.TierTiny, tokens: 40},
		{name: "bare", tier: loci.TierNative, tokens: 400, facts: func(f *prompt.Facts) {
			*f = prompt.Facts{Now: f.Now, Tier: f.Tier}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := someFacts(tc.tier)
			if tc.facts != nil {
				tc.facts(&f)
			}
			got := prompt.Join(prompt.System(f, prompt.Default()))
			if again := prompt.Join(prompt.System(f, prompt.Default())); again != got {
				t.Error("the same facts gave other bytes")
			}
			if n := len(got) / 4; n > tc.tokens {
				t.Errorf("the block has about %d tokens, more than %d", n, tc.tokens)
			}
			golden := filepath.Join("testdata", tc.name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got+"\n"); d != "" {
				t.Errorf("system block (-want +got):\n%s", d)
			}
		})
	}
}

func TestKeyRuleIsLast(t *testing.T) {
	texts := prompt.Default()
	sections := prompt.System(someFacts(loci.TierNative), texts)
	if last := sections[len(sections)-1]; last.Text != texts.KeyRule {
		t.Errorf("the last section is %q", last.Name)
	}
	texts.KeyRuleFirst = true
	block := prompt.Join(prompt.System(someFacts(loci.TierNative), texts))
	if strings.Count(block, texts.KeyRule) != 2 {
		t.Error("a family that drifts should read the key rule first and last")
	}
}

func TestForFamily(t *testing.T) {
	overrides := map[string]prompt.Texts{"gemma3": {KeyRule: "Be right.", KeyRuleFirst: true}}
	got := prompt.ForFamily(prompt.Default(), overrides, "Gemma3")
	want := prompt.Default()
	want.KeyRule, want.KeyRuleFirst = "Be right.", true
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(prompt.Default(), prompt.ForFamily(prompt.Default(), overrides, "llama")); d != "" {
		t.Errorf("another family changed (-want +got):\n%s", d)
	}
}

func TestTail(t *testing.T) {
	since := time.Date(2026, 11, 30, 9, 0, 0, 0, prague)
	other := "Be brief."
	for _, tc := range []struct {
		name string
		now  time.Time
		m    prompt.Moved
		want string
	}{
		{"same day", since.Add(time.Hour), prompt.Moved{Since: since}, "\n\n[now: 10:00]"},
		{"next day", since.Add(24 * time.Hour), prompt.Moved{Since: since}, "\n\n[now: Tuesday, 1 December 2026, 09:00]"},
		{"past midnight in UTC only", time.Date(2026, 11, 30, 23, 30, 0, 0, time.UTC).In(prague), prompt.Moved{Since: since},
			"\n\n[now: Tuesday, 1 December 2026, 00:30]"},
		{"folder", since, prompt.Moved{Since: since, Opened: []string{"/x", "/y"}}, "\n\n[now: 09:00; also open to you: /x, /y]"},
		{"client", since, prompt.Moved{Since: since, Client: &other}, "\n\n[now: 09:00]\n\nThe chat client adds:\nBe brief."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := prompt.Tail(tc.now, tc.m); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSeason(t *testing.T) {
	for _, tc := range []struct {
		month time.Month
		zone  string
		want  string
	}{
		{time.December, "Europe/Prague", "early winter"},
		{time.January, "Asia/Shanghai", "winter"},
		{time.February, "", "late winter"},
		{time.March, "America/New_York", "early spring"},
		{time.July, "Europe/Prague", "summer"},
		{time.November, "Europe/Prague", "late autumn"},
		{time.December, "Australia/Sydney", "early summer"},
		{time.July, "America/Sao_Paulo", "winter"},
	} {
		if got := prompt.Season(time.Date(2026, tc.month, 10, 0, 0, 0, 0, time.UTC), tc.zone); got != tc.want {
			t.Errorf("%s in %q: %q, want %q", tc.month, tc.zone, got, tc.want)
		}
	}
}

func TestProfiles(t *testing.T) {
	for _, name := range []string{"general", "coding", "writing"} {
		if style, ok := prompt.Profile(name); !ok || style == "" {
			t.Errorf("no profile %q", name)
		}
	}
	if _, ok := prompt.Profile("poetry"); ok {
		t.Error("a profile that nobody wrote")
	}
}
