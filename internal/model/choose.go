package model

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"loci"
	"loci/internal/jsonrepair"
	"loci/internal/text"
)

// choiceTokens is enough for the JSON around an option, and for any option that
// a person would be shown.
const choiceTokens = 64

// Choose has a model choose among a few answers to a question, and gives the
// index of its choice. The reply is held to the options by a JSON Schema; where the
// server is known not to do that, the model is told the options, and the one that its
// reply names is taken. A reply that is none of them, or names several, is an error of
// code [loci.Refused].
func (h *Hub) Choose(ctx context.Context, model, question string, options []string) (int, error) {
	p, err := h.Profile(ctx, model)
	if err != nil {
		return 0, err
	}
	if p.Constrain == loci.No {
		return h.chooseFreely(ctx, model, question, options)
	}
	schema, err := json.Marshal(map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"choice": map[string]any{"enum": options}},
		"required":             []string{"choice"},
		"additionalProperties": false,
	})
	if err != nil {
		return 0, err
	}
	answer, err := h.apart(ctx, loci.Request{
		Model:    model,
		Messages: []loci.Message{{Role: loci.User, Content: question}},
		Options:  loci.Options{Format: schema, Temperature: new(0.0), MaxTokens: new(choiceTokens)},
	})
	if err != nil {
		return 0, err
	}
	return chosen(answer, options)
}

// chosen reads a choice that is written as JSON.
func chosen(answer string, options []string) (int, error) {
	var reply struct{ Choice string }
	fixed, how, err := jsonrepair.Repair([]byte(answer))
	if err == nil && how.Cut {
		err = errors.New("it breaks off")
	}
	if err == nil {
		err = json.Unmarshal(fixed, &reply)
	}
	if err != nil {
		return 0, loci.Errorf(loci.Refused, "The model did not choose in the form it was asked to: %w", err)
	}
	i := slices.Index(options, reply.Choice)
	if i < 0 {
		return 0, loci.Errorf(loci.Refused, "The model chose something that was not offered.")
	}
	return i, nil
}

// chooseFreely tells a model the options and takes the one that it names.
func (h *Hub) chooseFreely(ctx context.Context, model, question string, options []string) (int, error) {
	answer, err := h.apart(ctx, loci.Request{
		Model:    model,
		Messages: []loci.Message{{Role: loci.User, Content: question + "\n\nAnswer with one of these, word for word, and nothing else:\n- " + strings.Join(options, "\n- ")}},
		Options:  loci.Options{Temperature: new(0.0), MaxTokens: new(choiceTokens)},
	})
	if err != nil {
		return 0, err
	}
	if i, err := chosen(answer, options); err == nil {
		return i, nil
	}
	if i, ok := onlyNamed(answer, options); ok {
		return i, nil
	}
	return 0, loci.Errorf(loci.Refused, "The model did not choose one of what was offered.")
}

// onlyNamed finds the one option that stands in a reply. A shorter option within a
// longer one does not count.
func onlyNamed(answer string, options []string) (int, bool) {
	answer = strings.ToLower(answer)
	byLength := make([]int, len(options))
	for i := range options {
		byLength[i] = i
	}
	slices.SortStableFunc(byLength, func(a, b int) int { return len(options[b]) - len(options[a]) })
	found := -1
	for _, i := range byLength {
		rest, stands := without(answer, strings.ToLower(options[i]))
		if stands && found >= 0 {
			return 0, false
		}
		if stands {
			found, answer = i, rest
		}
	}
	return max(found, 0), found >= 0
}

// without takes a word or several out of a text, and tells whether they were there, not
// as a part of longer words.
func without(s, words string) (rest string, stood bool) {
	if words == "" {
		return s, false
	}
	var b strings.Builder
	for {
		i := strings.Index(s, words)
		if i < 0 {
			b.WriteString(s)
			return b.String(), stood
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(words):])
		b.WriteString(s[:i])
		if goesOn(before) || goesOn(after) {
			b.WriteString(words)
		} else {
			b.WriteByte('\n')
			stood = true
		}
		s = s[i+len(words):]
	}
}

// goesOn tells whether a letter belongs to the word beside it. Chinese has no spaces.
func goesOn(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
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
	return h.apart(ctx, loci.Request{
		Model:    model,
		Messages: []loci.Message{{Role: loci.System, Content: system}, {Role: loci.User, Content: question}},
		Options:  loci.Options{Format: form, Temperature: new(0.0)},
	})
}

// apart makes a call of loci's own, outside any conversation, and gives the whole reply
// without its thoughts.
func (h *Hub) apart(ctx context.Context, req loci.Request) (string, error) {
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
	// A toolcall.Reader has shown what comes before the end of a thought whose beginning
	// stood in the chat template. Nothing was shown here, so that is left out too.
	if _, answer, thought := strings.Cut(reply.String(), "</think>"); thought {
		return answer, nil
	}
	return reply.String(), nil
}
