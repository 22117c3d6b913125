package model

import (
	"strings"
	"testing"

	"loci"
	"loci/internal/fake"
	"loci/internal/model/server"
)

func TestChoose(t *testing.T) {
	options := []string{"list_dir", "read_file", "none"}
	for reply, want := range map[string]int{
		`{"choice":"read_file"}`:    1,
		" {\"choice\": \"none\"}\n": 2,
		`{"choice": "none",}`:       2,
		`{"choice": "none`:          -1,
		`{"choice":"rm"}`:           -1,
		`{"choice":1}`:              -1,
		`read_file`:                 -1,
		``:                          -1,
	} {
		protocols(t, nil, func(t *testing.T, m *fake.Model, h *Hub) {
			m.On(loci.PurposeBackground, fake.Reply{Text: reply})
			got, err := h.Choose(t.Context(), "loci/fake", "Which?", options)
			if want < 0 {
				if loci.AsError(err) == nil || loci.AsError(err).Code != loci.Refused {
					t.Errorf("%q: %d, %v", reply, got, err)
				}
				return
			}
			if got != want || err != nil {
				t.Errorf("%q: %d, %v", reply, got, err)
			}
			asked := m.Last()
			if asked.Model != "fake" || len(asked.Messages) != 1 || asked.Messages[0].Content != "Which?" || *asked.Options.Temperature != 0 {
				t.Errorf("the model was asked %+v", asked.Request)
			}
			if format := string(asked.Options.Format); !strings.Contains(format, `"enum":["list_dir","read_file","none"]`) {
				t.Errorf("the reply was held to %s", format)
			}
		})
	}
}

// TestChooseFreely tells the options where the server holds no reply to a schema, and
// takes the one that a reply names.
func TestChooseFreely(t *testing.T) {
	options := []string{"Lists a folder", "Reads a file", "Reads a file aloud", "none", "读取文件"}
	for reply, want := range map[string]int{
		"Reads a file":                         1,
		"I would say: **reads a file**.":       1,
		"- Reads a file aloud":                 2,
		`{"choice": "Lists a folder"}`:         0,
		`{choice: 'Lists a folder',}`:          0,
		"我选择读取文件。":                             4,
		"Lists a folder, or else Reads a file": -1,
		"Nonetheless, I do not know":           -1,
		"Reads a file or Reads a file aloud":   -1,
		"Hm.":                                  -1,
		"":                                     -1,
	} {
		h, m := played(t, fake.Character{}, nil, Config{Models: map[string]Setting{"fake": {Constrain: loci.No}}})
		m.Answer = nil
		m.On(loci.PurposeBackground, fake.Reply{Text: reply})
		got, err := h.Choose(t.Context(), "fake", "Which?", options)
		if want < 0 && (loci.AsError(err) == nil || loci.AsError(err).Code != loci.Refused) || want >= 0 && (got != want || err != nil) {
			t.Errorf("%q: %d, %v", reply, got, err)
		}
		asked := m.Last()
		if said := asked.Messages[0].Content; len(asked.Options.Format) > 0 || !strings.HasPrefix(said, "Which?\n") || !strings.Contains(said, "\n- Reads a file aloud\n") {
			t.Errorf("the model was asked %q in the form %s", said, asked.Options.Format)
		}
	}
}

// TestChooseOf asks the model that is named, not the default one.
func TestChooseOf(t *testing.T) {
	one, two := fake.NewModel(), fake.NewModel()
	one.Name, two.Name = "one", "two"
	h := hub(t, Config{Backends: []server.Backend{backend(one.Ollama(t), server.KindOllama), backend(two.Ollama(t), server.KindOllama)}})
	two.On(loci.PurposeBackground, fake.Reply{Text: `{"choice":"yes"}`})
	if i, err := h.Choose(t.Context(), "two", "Well?", []string{"no", "yes"}); i != 1 || err != nil || len(one.Requests()) != 0 {
		t.Errorf("%d, %v", i, err)
	}
}
