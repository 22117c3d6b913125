package openai

import (
	"loci"
	"loci/internal/wire"
)

// Completion is a legacy /v1/completions request: the model goes on where the
// prompt ends. Suffix is what shall follow the gap, for models that fill in.
type Completion struct {
	Model        string
	Prompt       string
	Suffix       string
	Stream       bool
	IncludeUsage bool
	Options      loci.Options
}

// DecodeCompletion reads the body of a text completion request. A prompt of
// tokens, or of more than one text, is an error of code Invalid.
func DecodeCompletion(body []byte) (Completion, error) {
	var c Completion
	for m, err := range wire.Members(body) {
		if err != nil {
			return c, err
		}
		if wire.IsNull(m.Value) {
			continue
		}
		switch m.Name {
		case "model":
			err = m.Decode(&c.Model)
		case "prompt":
			c.Prompt, err = decodePrompt(m)
		case "suffix":
			err = m.Decode(&c.Suffix)
		case "stream":
			err = m.Decode(&c.Stream)
		case "stream_options":
			c.IncludeUsage, err = decodeIncludeUsage(m)
		default:
			err = decodeOption(m, &c.Options)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// decodePrompt reads the one text that shall be continued.
func decodePrompt(m wire.Member) (string, error) {
	texts, err := m.Texts()
	if err != nil {
		return "", err
	}
	if len(texts) != 1 {
		return "", loci.Errorf(loci.Invalid, "The field prompt must be one text, not %d.", len(texts))
	}
	return texts[0], nil
}
