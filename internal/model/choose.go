package model

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"loci"
	"loci/internal/text"
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
	answer, err := h.aside(ctx, loci.Request{
		Model:    model,
		Messages: []loci.Message{{Role: loci.User, Content: question}},
		Options:  loci.Options{Format: schema, Temperature: new(0.0), MaxTokens: new(choiceTokens)},
	})
	if err != nil {
		return 0, err
	}
	var reply struct{ Choice string }
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		return 0, loci.Errorf(loci.Refused, "The model did not choose in the form it was asked to: %w", err)
	}
	i := slices.Index(options, reply.Choice)
	if i < 0 {
		return 0, loci.Errorf(loci.Refused, "The model chose something that was not offered.")
	}
	return i, nil
}

// Write has a model answer one question apart from any conversation, in a form that is
// a JSON Schema where its server can hold it to one. What does not fit the model's
// window is an error of code [loci.Context], and so is an answer that was cut.
func (h *Hub) Write(ctx context.Context, model, system, question string, form json.RawMessage) (string, error) {
	p, err := h.Profile(ctx, model)
	if err != nil {
		return "", err
	}
	if need := text.Tokens(system) + text.Tokens(question); need > p.Window*3/4 { // the rest is for the answer
		return "", loci.Errorf(loci.Context, "That is about %d tokens, too many for the window of %s, %d tokens.", need, p.Model, p.Window).WithHint("Ask for a smaller part.")
	}
	return h.aside(ctx, loci.Request{
		Model:    model,
		Messages: []loci.Message{{Role: loci.System, Content: system}, {Role: loci.User, Content: question}},
		Options:  loci.Options{Format: form, Temperature: new(0.0)},
	})
}

// aside makes a call of loci's own and gives the whole reply.
func (h *Hub) aside(ctx context.Context, req loci.Request) (string, error) {
	req.Purpose = loci.PurposeBackground
	var reply strings.Builder
	for chunk, err := range h.Chat(ctx, req) {
		if err != nil {
			return "", err
		}
		reply.WriteString(chunk.Text)
		if chunk.Finish == loci.FinishLength {
			return "", loci.Errorf(loci.Context, "The model's answer was longer than it may be.").WithHint("Ask for a smaller part.")
		}
	}
	if _, answer, thought := strings.Cut(reply.String(), "</think>"); thought {
		return answer, nil
	}
	return reply.String(), nil
}
