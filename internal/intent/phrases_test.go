package intent

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"loci"
	"loci/internal/intent/phrase"
	"loci/internal/lang"
	"loci/test/natural"
)

// TestPhrases has every phrase read its own examples, and no other phrase of its kind
// before it: a phrase that can be left out should be.
func TestPhrases(t *testing.T) {
	for _, k := range book().Kinds {
		for i, p := range k.Phrases {
			if len(shownBy(t, p)) == 0 {
				t.Errorf("%s has no example", p.Where())
			}
			for _, e := range shownBy(t, p) {
				reads(t, k, p, e)
				heard, _ := heardBy(k, e.Says)
				for _, before := range k.Phrases[:i] {
					if patternOf(before).has(heard) {
						t.Errorf("%s: %q is read by %s already", p.Where(), e.Says, before.Where())
					}
				}
			}
			for _, says := range p.Leaves {
				says, _ := heardBy(k, says)
				for _, other := range k.Phrases {
					if m, ok := patternOf(other).match(says); ok {
						t.Errorf("%s: %q is read by %s, as %v", p.Where(), says, other.Where(), m)
					}
				}
			}
		}
	}
}

// shownBy gives the examples of a phrase.
func shownBy(t *testing.T, p *phrase.Phrase) []phrase.Example {
	t.Helper()
	all, err := p.Reads()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// heardBy are the words that the phrases of a kind see of a sentence: for frames, with
// signs for what is named. The function puts the names back.
func heardBy(k *phrase.Kind, says string) (heard string, said func(string) string) {
	if k.Name == "edits/must be" || k.Name == "edits/other words" {
		n := hears(says).named()
		return n.without(n.files[0]), n.said
	}
	for _, f := range slices.Concat(earlyFrames(), frames()) {
		if f.kind == k.Name {
			n := hears(says).named()
			return n.words, n.said
		}
	}
	return says, func(words string) string { return words }
}

// reads checks what a phrase makes of an example.
func reads(t *testing.T, k *phrase.Kind, p *phrase.Phrase, e phrase.Example) {
	t.Helper()
	heard, said := heardBy(k, e.Says)
	m, ok := patternOf(p).match(heard)
	if !ok {
		t.Errorf("%s: %q is not read", p.Where(), heard)
		return
	}
	for name, words := range m {
		m[name] = strings.TrimSpace(said(words))
	}
	if p.Into != "" {
		words := patternOf(p).compiled().ReplaceAllString(e.Says, p.Replacement())
		if strings.TrimSpace(words) != e.Becomes {
			t.Errorf("%s: %q becomes %q, not %q", p.Where(), e.Says, words, e.Becomes)
		}
		return
	}
	if !maps.Equal(m, captures(e.Slots)) {
		t.Errorf("%s: %q is read as %v, not %v", p.Where(), e.Says, m, e.Slots)
	}
}

// TestPhraseLanguages holds phrases to what is said of their language: those that are
// Chinese are not even tried on other words.
func TestPhraseLanguages(t *testing.T) {
	for _, k := range book().Kinds {
		for _, p := range k.Phrases {
			for _, e := range shownBy(t, p) {
				if isChinese(e.Says) != (p.Lang == "zh") {
					t.Errorf("%s is of language %s, but reads %q", p.Where(), p.Lang, e.Says)
				}
			}
			if p.Lang != "zh" && isChinese(p.Template) {
				t.Errorf("%s has Chinese words, but is of language %s", p.Where(), p.Lang)
			} else if p.Lang == "zh" && compile(exprOf(p)).MatchString(strings.Map(noHan, shownBy(t, p)[0].Says)) {
				t.Errorf("%s reads %q without its Chinese words", p.Where(), shownBy(t, p)[0].Says)
			}
		}
	}
}

func noHan(r rune) rune {
	if isChinese(string(r)) {
		return -1
	}
	return r
}

// TestPhrasesAreUsed tells of kinds and lists that nothing asks for, and the code of
// kinds that are not there.
func TestPhrasesAreUsed(t *testing.T) {
	asked := kindsAsked(t)
	for _, k := range book().Kinds {
		if !slices.Contains(asked, k.Name) {
			t.Errorf("no rule uses the phrases %q", k.Name)
		}
	}
	for _, name := range asked {
		if book().Kind(name) == nil {
			t.Errorf("the code uses phrases %q, which are not there", name)
		}
	}
}

// TestPhrasesLead has the router do for an example what the rule of its phrase does:
// no other rule may read it first and do something else.
func TestPhrasesLead(t *testing.T) {
	r := New(Config{})
	rules := rulesByPhrase(r)
	for _, k := range book().Kinds {
		for _, p := range k.Phrases {
			for _, e := range shownBy(t, p) {
				if want, ok := ledTo(r, rules, k, p, e.Says); ok {
					if got := moveFor(t, r, e.Says); got != want {
						t.Errorf("%s: %q leads to %s, not %s", p.Where(), e.Says, got, want)
					}
				}
			}
		}
	}
}

// rulesByPhrase are the rules of a router by the expressions of their patterns.
func rulesByPhrase(r *Router) map[string]rule {
	found := map[string]rule{}
	for _, some := range [][]rule{r.texts, r.changing, r.rules} {
		for _, rule := range some {
			for _, p := range rule.patterns {
				found[p.compiled().String()] = rule
			}
		}
	}
	return found
}

// ledTo is the move that the rule of a phrase leads to. It is false for phrases that
// belong to no rule.
func ledTo(r *Router, rules map[string]rule, k *phrase.Kind, p *phrase.Phrase, says string) (string, bool) {
	u := r.understand(situation(says))
	for _, w := range r.wishes {
		if k.Name == "later/"+w.tool {
			return asText(loci.Move{Say: w.answer.In(u.Lang)}), true
		}
	}
	rule, ok := rules[patternOf(p).compiled().String()]
	if !ok {
		return "", false
	}
	m, ok := patternOf(p).match(u.core)
	if !ok {
		return "nothing: it is read without " + says, true
	}
	if g := rule.goal(u, m); g != nil {
		return asText(g.next(u, nil)), true
	}
	return "nothing", true
}

func moveFor(t *testing.T, r *Router, says string) string {
	m, err := r.Next(t.Context(), situation(says))
	if err != nil {
		t.Fatal(err)
	}
	return asText(m)
}

func situation(says string) loci.Situation {
	var offered []loci.ToolSpec
	for _, tool := range natural.Tools("") {
		offered = append(offered, tool.ToolSpec)
	}
	return loci.Situation{Text: says, Lang: lang.Of(says), Tools: offered, Now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

func asText(m loci.Move) string {
	raw, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// TestPhraseLines keeps the files fit for reading.
func TestPhraseLines(t *testing.T) {
	files, err := filepath.Glob("phrases/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no phrases", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			if n++; utf8.RuneCountInString(line) > 150 {
				t.Errorf("%s:%d has more than 150 signs", file, n)
			}
		}
	}
}

// kindsAsked are the kinds that the code of this package names.
func kindsAsked(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	families := map[string]bool{}
	for _, k := range book().Kinds {
		family, _, _ := strings.Cut(k.Name, "/")
		families[family] = true
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range kindNamed.FindAllStringSubmatch(string(code), -1) {
			if !strings.HasSuffix(file, "_test.go") && families[m[2]] {
				names = append(names, m[1])
			}
		}
	}
	return names
}

var kindNamed = regexp.MustCompile(`"((\w+)/[^"]+)"`)
