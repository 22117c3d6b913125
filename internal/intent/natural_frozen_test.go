package intent_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"loci/test/natural"
)

// The evaluation set of natural requests was written before the rules were tuned to
// it, and it stays as it was written: a request that is changed because it is missed
// measures nothing. The half "unseen" is only ever counted, never read by who tunes.
func TestNaturalSetIsFrozen(t *testing.T) {
	for name, want := range map[string]string{
		"natural_scene.json":   "2a6b2a7b714ada1f88a49502b0adde111ed37eaee929cc94caa9be4aa59a6763",
		"natural_tune.jsonl":   "a68b83c442759fac42a6d325ad979e4e486a79c98b4b549db124514b5e5c7403",
		"natural_unseen.jsonl": "46d293e615f15c37e6cfdf2deb74ba5403fc5bbfd3aa2728e7d5acab00b3a386",
	} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s was changed: its SHA-256 is %x, not %s", name, sum, want)
		}
	}
}

// The labelled sentences that requests are compared with are none of the half that
// measures, and each says what it asks for.
func TestNoExampleIsOfTheUnseenHalf(t *testing.T) {
	_, unseen, err := natural.Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("sentences.tsv")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		label, words, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || label == "" || words == "" {
			t.Errorf("%q is no label and sentence", line)
		}
		examples[plainWords(words)] = true
	}
	shared := 0
	for _, q := range unseen.Requests {
		if examples[plainWords(q.Say)] {
			shared++
		}
	}
	t.Logf("%d examples", len(examples))
	if shared > 0 {
		t.Errorf("%d requests of the unseen half are among the examples", shared)
	}
}

// plainWords are words without case and marks.
func plainWords(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" .,;:!?", r) }), " ")
}
