package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"loci"
)

// defaultWindow is the context length in tokens of a model whose server does
// not tell.
const defaultWindow = 4096

// tinyParams is the size in parameters up to which a model without native
// tools cannot be trusted to choose among tools described in words.
const tinyParams = 1_000_000_000

// ProfileStore keeps profiles from one run of the program to the next.
type ProfileStore interface {
	LoadProfile(ctx context.Context, server, model string) (loci.Profile, bool, error)
	SaveProfile(ctx context.Context, p loci.Profile) error
}

// Profile finds out how a model can be used. It asks the server, and runs the
// model only if the server does not tell whether it calls tools.
func (c *Client) Profile(ctx context.Context, model string) (loci.Profile, error) {
	return c.profile(ctx, model, loci.Profile{})
}

// profile is Profile with what was known before: if that is of the same
// weights, no trial call is made again. What the server tells itself is always
// taken anew, for the window may have changed with the same weights.
func (c *Client) profile(ctx context.Context, model string, before loci.Profile) (loci.Profile, error) {
	info, err := c.info(ctx, model)
	if err != nil {
		return loci.Profile{}, err
	}
	f, err := c.facts(ctx, info)
	if err != nil {
		return loci.Profile{}, err
	}
	p := loci.Profile{
		Server: c.Backend().URL,
		Model:  model,
		Digest: info.Digest,
		Family: f.family,
		Window: f.window,
		Vision: f.vision != nil && *f.vision,
		Think:  f.think != nil && *f.think,
		Params: f.params,
	}
	if p.Window <= 0 {
		p.Window = defaultWindow
	}
	said := "Its server says that it"
	tools := f.tools
	if tools == nil {
		if before.Tier != "" && before.Digest == p.Digest {
			p.Tier, p.Reason = before.Tier, before.Reason
			return p, nil
		}
		said = "A trial call showed that it"
		called, err := c.tryTool(ctx, model)
		if err != nil {
			return loci.Profile{}, err
		}
		tools = &called
	}
	p.Tier, p.Reason = judge(*tools, p.Params, said)
	return p, nil
}

// judge chooses the tier of a model and says why, in a sentence that begins
// with said. Native tools count for more than size: a small model that was
// trained for them uses them better than any words about them.
func judge(tools bool, params int64, said string) (loci.Tier, string) {
	switch {
	case tools:
		return loci.TierNative, said + " calls tools natively."
	case params > 0 && params <= tinyParams:
		return loci.TierTiny, fmt.Sprintf("%s does not call tools natively, and %s parameters are too few to choose among described ones.", said, countOf(params))
	}
	return loci.TierText, said + " does not call tools natively."
}

// info finds a model in the server's list. One that is not listed, or whose
// server cannot list, is described by its name alone.
func (c *Client) info(ctx context.Context, model string) (loci.ModelInfo, error) {
	models, err := c.Models(ctx)
	if err != nil && loci.AsError(err).Code != loci.Refused && loci.AsError(err).Code != loci.NotFound {
		return loci.ModelInfo{}, err
	}
	for _, m := range models {
		if m.ID == model {
			return m, nil
		}
	}
	return loci.ModelInfo{ID: model, Server: c.Backend().URL}, nil
}

// trialTool is offered in the trial call. It takes no arguments, so that even
// a short reply is a whole call.
var trialTool = loci.ToolSpec{
	Name:        "ping",
	Description: "Answers with pong. Call it to check that tools work.",
	Parameters:  json.RawMessage(`{"type":"object","properties":{}}`),
}

// Tokens of the trial call: enough for a call, and enough for a call after
// some thinking.
const (
	trialTokens      = 32
	trialThinkTokens = 1024
)

// tryTool makes a model call a tool, and tells whether it did. It takes as
// long as the model needs to load.
func (c *Client) tryTool(ctx context.Context, model string) (called bool, err error) {
	for _, tokens := range []int{trialTokens, trialThinkTokens} {
		called, thought, err := c.trial(ctx, model, tokens)
		// Tokens that all went into thinking prove nothing.
		if err != nil || called || !thought {
			return called, err
		}
	}
	return false, nil
}

func (c *Client) trial(ctx context.Context, model string, tokens int) (called, thought bool, err error) {
	req := loci.Request{
		Model:    model,
		Messages: []loci.Message{{Role: loci.User, Content: "Call the tool ping."}},
		Tools:    []loci.ToolSpec{trialTool},
		Purpose:  loci.PurposeProbe,
		Options: loci.Options{
			MaxTokens:    &tokens,
			Temperature:  new(0.0),
			Extra:        map[string]json.RawMessage{"tool_choice": json.RawMessage(`"required"`)},
			ExtraDialect: loci.OpenAI,
		},
	}
	var text bool
	for chunk, err := range c.Chat(ctx, req) {
		if err != nil {
			e := loci.AsError(err)
			if errors.Is(err, loci.ErrNoTools) || e.Code == loci.Refused {
				return false, false, nil
			}
			return false, false, err
		}
		called = called || len(chunk.ToolCalls) > 0
		thought = thought || chunk.Reasoning != ""
		text = text || chunk.Text != ""
	}
	return called, thought && !text, nil
}
