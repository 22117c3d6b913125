package offer

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

func TestTerms(t *testing.T) {
	for in, want := range map[string][]string{
		"search_notes":               {"search", "not"},
		"fetchURL and readFile2":     {"fetch", "url", "read", "file2"},
		"Searches the NOTES.":        {"search", "not"},
		"memories, memory":           {"memory", "memory"},
		"searching images":           {"search", "imag"},
		"an image is not a note":     {"imag", "not"},
		"please could you":           nil,
		"查天气预报":                      {"查天", "天气", "气预", "预报"},
		"用Python画":                   {"用", "python", "画"},
		"příští schůzka v kalendáři": {"příští", "schůzka", "v", "kalendáři"},
		"":                           nil,
		"<<>>":                       nil,
	} {
		if diff := cmp.Diff(want, terms(in)); diff != "" {
			t.Errorf("terms(%q) (-want +got):\n%s", in, diff)
		}
	}
}

func TestScore(t *testing.T) {
	var documents []document
	for _, s := range []loci.ToolSpec{
		{Name: "search_notes", Description: "Search the notes of the person."},
		{Name: "search_web", Description: "Search the web."},
		{Name: "weather", Description: "查询天气预报"},
		{Name: "note", Description: "About searching."},
	} {
		documents = append(documents, newDocument(s))
	}
	for query, want := range map[string]int{"search notes": 0, "web search": 1, "明天的天气怎么样": 2, "weather": 2} {
		if order := byScore(score(documents, query)); order[0] != want {
			t.Errorf("%q: %v %v", query, order, score(documents, query))
		}
	}
	if order := byScore(score(documents, "zzz")); !slices.IsSorted(order) {
		t.Errorf("nothing in common: %v", order)
	}
	if got := byScore(score(nil, "x")); len(got) != 0 {
		t.Errorf("no documents: %v", got)
	}
}
