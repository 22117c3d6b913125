package loci

import (
	"math"
	"time"
)

// Tier is how tools are offered to a model.
type Tier string

// The tiers of the design: native tool calls, text markup, and the tiny path
// where the runtime chooses and the model only phrases.
const (
	TierNative Tier = "native"
	TierText   Tier = "text"
	TierTiny   Tier = "tiny"
)

// Markup is a way to write a tool call as text: a dialect that a model without
// native calls can be taught. Calls are read in any dialect, whatever was taught.
type Markup string

// The dialects that are taught. The empty one stands for MarkupTool.
const (
	MarkupTool     Markup = "tool"      // <tool>name(argument="value")</tool>
	MarkupToolCall Markup = "tool_call" // <tool_call>{"name": …, "arguments": {…}}</tool_call>, of Hermes and Qwen
	MarkupJSON     Markup = "json"      // the same object in a fence of Markdown
	MarkupReAct    Markup = "react"     // Action: and Action Input: (arXiv:2210.03629)
)

// Finding is what is known about something that a model or its server may do.
type Finding string

// The findings.
const (
	Unknown Finding = "" // nobody told, and no trial did
	Yes     Finding = "yes"
	No      Finding = "no"
)

// Found is the finding that something is so, or is not.
func Found(so bool) Finding {
	if so {
		return Yes
	}
	return No
}

// Profile is what loci knows about a model on a server: what the server tells,
// what trials have shown, and what the person has set.
type Profile struct {
	Server string `json:"server"` // base URL
	Model  string `json:"model"`  // name on that server
	Digest string `json:"digest"` // changes when the weights do; empty where the server does not tell
	Tier   Tier   `json:"tier"`
	Family string `json:"family,omitempty"` // such as llama or qwen2; picks prompt texts
	Window int    `json:"window"`           // served context length in tokens; 4096 where nobody tells
	Vision bool   `json:"vision,omitempty"`
	Think  bool   `json:"think,omitempty"`
	Params int64  `json:"params,omitempty"` // number of weights; 0 where unknown
	// Speaks are the languages that it can talk in, as tags; empty: nobody knows of one
	// that it cannot.
	Speaks []string `json:"speaks,omitempty"`
	Slots  int      `json:"slots,omitempty"` // replies it makes at the same time; 0 where unknown
	// Stops are stop sequences of the model that the server forgets when a call has
	// some of its own.
	Stops []string `json:"stops,omitempty"`
	// ToolsMove says that the chat template writes the tools elsewhere with each
	// message, as calls have shown: they are put into the text instead.
	ToolsMove bool   `json:"tools_move,omitempty"`
	Reason    string `json:"reason"` // one sentence: why this tier

	Native    Finding `json:"native,omitempty"`        // it calls tools that it is offered natively
	Text      Finding `json:"text,omitempty"`          // it writes calls that can be read, as Markup
	Markup    Markup  `json:"dialect,omitempty"`       // how it is taught to write calls
	Constrain Finding `json:"constrain,omitempty"`     // the server holds a reply to a JSON Schema
	Choice    Finding `json:"choice,omitempty"`        // it calls the tool that it is told to (tool_choice), from the same prompt
	Schema    Finding `json:"schema,omitempty"`        // a reply keeps to one that it was only told
	Stopping  Finding `json:"stopping,omitempty"`      // the server ends a reply at a stop sequence
	System    Finding `json:"system,omitempty"`        // it takes a system message
	Systems   Finding `json:"second_system,omitempty"` // and another one later on
	Alternate Finding `json:"alternate,omitempty"`     // it demands that user and assistant take turns

	Counting Counting `json:"counting,omitzero"`

	Speed  Speed `json:"speed,omitzero"`
	Probed Time  `json:"probed,omitzero"` // when the trials came to their end; zero: not yet
}

// Counting is how many tokens a model makes of texts, and its chat template writes around
// them, as its server has counted. What is 0 is not known.
type Counting struct {
	// Weights are what the tokenizer makes of kinds of text for one token of the usual
	// estimate (package text).
	Weights TextWeights `json:"weights,omitzero"`
	Message float64     `json:"message,omitempty"` // tokens around a message
	Prompt  float64     `json:"prompt,omitempty"`  // around all messages
	// Of a prompt with tools: Tools is what it takes more for that alone, Tool what stands
	// around each, and Schema what its name, description and parameters take for one token
	// of their estimate.
	Tools  float64 `json:"tools,omitempty"`
	Tool   float64 `json:"tool,omitempty"`
	Schema float64 `json:"schema,omitempty"`
}

// What chat templates write at most, in tokens. They take some 3 to 15 around a message;
// a default system prompt and the date come before all messages, and a page of rules before
// tools. What a server tells far beyond that would leave a conversation no room.
const (
	mostAroundMessage = 64
	mostAroundTool    = 256
	mostAroundAll     = 1024
)

// Sane is c without what no chat template writes, which counts as not known.
func (c Counting) Sane() Counting {
	beyond := func(n, most float64) bool { return !(n >= -most && n <= most) } // nor NaN
	if c.Message < 0 || beyond(c.Message, mostAroundMessage) || beyond(c.Prompt, mostAroundAll) {
		c.Message, c.Prompt = 0, 0
	}
	if c.Schema < 0 || beyond(c.Schema, 5) || beyond(c.Tool, mostAroundTool) || beyond(c.Tools, mostAroundAll) {
		c.Tools, c.Tool, c.Schema = 0, 0, 0
	}
	return c
}

// TextWeights are the weights of package text, which says what they are.
type TextWeights struct {
	Words   float64 `json:"words"`
	Names   float64 `json:"names"`
	Marks   float64 `json:"marks"`
	Blanks  float64 `json:"blanks"`
	Digits  float64 `json:"digits"`
	Accents float64 `json:"accents"`
	Han     float64 `json:"han"`
	Letters float64 `json:"letters"`
	Mixed   float64 `json:"mixed"`
}

// Speed is how fast a model reads and writes, in tokens a second; 0 where
// unknown.
type Speed struct {
	Read  float64 `json:"read,omitempty"`  // of the prompt, as far as it is not in the server's cache
	Write float64 `json:"write,omitempty"` // of the reply
}

// FirstToken predicts the time until a reply begins for a prompt of so many
// tokens that the server does not have in its cache; 0 where that is unknown.
func (s Speed) FirstToken(tokens int) time.Duration {
	if s.Read <= 0 || tokens <= 0 {
		return 0
	}
	seconds := math.Min(float64(tokens)/s.Read, 24*60*60) // a duration has an end
	return time.Duration(seconds * float64(time.Second))
}

// What a model reads, in tokens, before it answers the first question of a conversation
// in a window of some 8k.
const (
	UsualBlock    = 900 // the most that the system block and the tools may take
	UsualQuestion = 50
	UsualPrompt   = UsualBlock + UsualQuestion
)

// ModelState is a listed model with what is known about it. Profile is nil before
// the first contact.
type ModelState struct {
	ModelInfo
	Profile *Profile `json:"profile"`
}

// smallParams is the number of weights up to which a model without native tools cannot
// be trusted to choose among tools that are described in words. Those that are sold as
// models of 1B have up to 1.24 billion (Llama 3.2).
const smallParams = 1_250_000_000

// IsSmall tells whether a model has no more weights than that; one of which the number
// is unknown, 0, is not small.
func IsSmall(params int64) bool { return params > 0 && params <= smallParams }
