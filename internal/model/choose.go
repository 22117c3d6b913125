package model

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"loci"
)

// choiceTokens is enough for the JSON around an option, and for any option that
// a person would be shown.
const choiceTokens = 64

// Choose has a model choose among a few answers to a question, and gives the
// index of its choice. The reply is held to the options by a JSON Schema; one
// that is none of them all the same is an error of code [loci.Refused].
func (h *Hub) Choose(ctx context.Context, model, question string, options []string) (int, error) {
	schema, err := json.Marshal(map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"choice": map[string]any{"enum": options}},
		"required":             []string{"choice"},
		"additionalProperties": false,
	})
	if err != nil {
		return 0, err
	}
	req := loci.Request{
		Model:    model,
		Messages: []loci.Message{{Role: loci.User, Content: question}},
		Options:  loci.Options{Format: schema, Temperature: new(0.0), MaxTokens: new(choiceTokens)},
		Purpose:  loci.PurposeBackground,
	}
	var text strings.Builder
	for chunk, err := range h.Chat(ctx, req) {
		if err != nil {
			return 0, err
		}
		text.WriteString(chunk.Text)
	}
	var reply struct{ Choice string }
	if err := json.Unmarshal([]byte(text.String()), &reply); err != nil {
		return 0, loci.Errorf(loci.Refused, "The model did not choose in the form it was asked to: %w", err)
	}
	i := slices.Index(options, reply.Choice)
	if i < 0 {
		return 0, loci.Errorf(loci.Refused, "The model chose something that was not offered.")
	}
	return i, nil
}
