package gguf

import (
	"fmt"
	"strings"
)

// phantomSpace marks the start of a word. llama.cpp keeps the SentencePiece
// convention for all vocabularies, so WordPiece's is turned round: words get
// the mark, and continuations lose their "##".
const phantomSpace = "\u2581"

// The kinds of token that a GGUF vocabulary tells apart, as far as BERT has them.
const (
	tokenNormal  = 1
	tokenControl = 3
)

// tokenizer is the part of tokenizer.json that the GGUF file carries.
type tokenizer struct {
	Added []struct {
		ID      int64  `json:"id"`
		Content string `json:"content"`
		Special bool   `json:"special"`
	} `json:"added_tokens"`
	Normalizer struct {
		Lowercase    bool  `json:"lowercase"`
		StripAccents *bool `json:"strip_accents"` // null: as Lowercase
	} `json:"normalizer"`
	Model struct {
		Type  string           `json:"type"`
		Vocab map[string]int64 `json:"vocab"`
	} `json:"model"`
}

// specials are BERT's special tokens and the keys that hold their numbers (the
// misspelling is llama.cpp's).
var specials = []struct{ token, key string }{
	{"[PAD]", "tokenizer.ggml.padding_token_id"},
	{"[UNK]", "tokenizer.ggml.unknown_token_id"},
	{"[CLS]", "tokenizer.ggml.cls_token_id"},
	{"[CLS]", "tokenizer.ggml.bos_token_id"},
	{"[SEP]", "tokenizer.ggml.seperator_token_id"},
	{"[MASK]", "tokenizer.ggml.mask_token_id"},
}

// metadata gives the vocabulary of exactly size tokens. Their numbers must be a
// permutation of 0 to size-1, since each is a row of the embedding table.
func (t tokenizer) metadata(size int64) ([]pair, error) {
	if t.Model.Type != "WordPiece" {
		return nil, fmt.Errorf("only WordPiece can be converted, this is %.20q", t.Model.Type)
	}
	if int64(len(t.Model.Vocab)) != size {
		return nil, fmt.Errorf("%d tokens, expected %d", len(t.Model.Vocab), size)
	}
	special := make(map[string]bool)
	for _, a := range t.Added {
		if id, ok := t.Model.Vocab[a.Content]; !ok || id != a.ID {
			return nil, fmt.Errorf("the added token %.20q is not in the vocabulary", a.Content)
		}
		special[a.Content] = a.Special
	}
	tokens, kinds := make([]string, size), make([]int32, size)
	for token, id := range t.Model.Vocab {
		if id < 0 || id >= size || kinds[id] != 0 {
			return nil, fmt.Errorf("the token %.20q has number %d, which is taken or out of range", token, id)
		}
		tokens[id], kinds[id] = mark(token), tokenNormal
		if special[token] {
			tokens[id], kinds[id] = token, tokenControl
		}
	}
	strip := t.Normalizer.Lowercase
	if t.Normalizer.StripAccents != nil {
		strip = *t.Normalizer.StripAccents
	}
	meta := []pair{
		{"tokenizer.ggml.model", "bert"},
		{"tokenizer.ggml.pre", "default"},
		{"tokenizer.ggml.tokens", tokens},
		{"tokenizer.ggml.token_type", kinds},
		{"tokenizer.ggml.normalizer.lowercase", t.Normalizer.Lowercase},
		{"tokenizer.ggml.normalizer.strip_accents", strip},
	}
	for _, s := range specials {
		id, ok := t.Model.Vocab[s.token]
		if !ok {
			return nil, fmt.Errorf("no %s token", s.token)
		}
		meta = append(meta, pair{s.key, uint32(id)})
	}
	return meta, nil
}

// mark turns a WordPiece token into its form in the GGUF vocabulary.
func mark(token string) string {
	if rest, ok := strings.CutPrefix(token, "##"); ok {
		return rest
	}
	return phantomSpace + token
}
