package loci

import (
	"encoding/json"
	"time"
)

// Purpose tells a loopback backend why it is called (header X-Loci-Purpose).
type Purpose string

// The purposes of model calls. Chat is the first call of a turn, Step every
// later call on the session's transcript, Job a client's background task, and
// Background any other call of loci's own.
const (
	PurposeChat       Purpose = "chat"
	PurposeStep       Purpose = "step"
	PurposeJob        Purpose = "job"
	PurposeProbe      Purpose = "probe"
	PurposeWarmup     Purpose = "warmup"
	PurposeEmbed      Purpose = "embed"
	PurposeSummary    Purpose = "summary"
	PurposeBackground Purpose = "background"
)

// Dialect is a wire protocol of a model server or a client.
type Dialect string

// The dialects that loci speaks on both sides.
const (
	OpenAI Dialect = "openai"
	Ollama Dialect = "ollama"
)

// Request is one call of a chat model.
type Request struct {
	Model    string     `json:"model"`
	Messages []Message  `json:"messages"`
	Tools    []ToolSpec `json:"tools,omitempty"` // offered natively; empty in the text and tiny tiers
	// ToolChoice is not sent without Tools: servers refuse it.
	ToolChoice ToolChoice `json:"tool_choice,omitzero"`
	Options    Options    `json:"options"`
	Purpose    Purpose    `json:"purpose"`
}

// ToolChoice says whether a reply may, must or must not call tools. The zero
// value leaves it to the server, which lets the model choose.
type ToolChoice struct {
	Mode ChoiceMode `json:"mode"`
	Name string     `json:"name,omitempty"` // with ChoiceRequired: the one tool to call
}

// ChoiceMode is one of the choices.
type ChoiceMode string

// The choices of the OpenAI protocol.
const (
	ChoiceAuto     ChoiceMode = "auto"
	ChoiceNone     ChoiceMode = "none"
	ChoiceRequired ChoiceMode = "required"
)

// Options are the generation settings of a call. A nil pointer or empty field
// was not set by anybody and is not sent: the server's default holds.
type Options struct {
	Temperature *float64        `json:"temperature,omitempty"`
	TopP        *float64        `json:"top_p,omitempty"`
	TopK        *int            `json:"top_k,omitempty"`
	MaxTokens   *int            `json:"max_tokens,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
	Stop        []string        `json:"stop,omitempty"`
	Format      json.RawMessage `json:"format,omitempty"`     // a JSON Schema the reply must fit, or the string "json"
	Think       json.RawMessage `json:"think,omitempty"`      // true, false or a level such as "high"
	KeepAlive   json.RawMessage `json:"keep_alive,omitempty"` // number of seconds or a duration string; Ollama only

	// Extra holds the fields of the client's request that loci does not know.
	// They go unchanged to a backend that speaks the dialect they came in.
	Extra        map[string]json.RawMessage `json:"extra,omitempty"`
	ExtraDialect Dialect                    `json:"extra_dialect,omitempty"`
}

// Finish is why a model stopped.
type Finish string

// The reasons a complete reply can end for. A reply without one was cut.
const (
	FinishStop   Finish = "stop"
	FinishLength Finish = "length"
	FinishTools  Finish = "tool_calls"
)

// Chunk is a piece of a streamed reply. The last chunk of a complete reply has
// Finish set; tool calls arrive whole and only there, so a call that was cut
// on the way can never run.
type Chunk struct {
	Text      string
	Reasoning string
	Doing     string // what is done for the reply meanwhile, in words of loci
	ToolCalls []ToolCall
	Cut       string // the tool whose call broke off, which is not among ToolCalls; empty if none did
	Finish    Finish
	Usage     *Usage
}

// Usage counts the tokens of one model call. Cached is nil where the server
// does not tell how much of the prompt it had in its cache.
type Usage struct {
	Prompt     int           `json:"prompt_tokens"`     // whole prompt, cached part included
	Completion int           `json:"completion_tokens"` // generated tokens
	Cached     *int          `json:"cached_tokens,omitempty"`
	PromptTime time.Duration `json:"prompt_ns,omitempty"`
	OutputTime time.Duration `json:"output_ns,omitempty"`
}

// ModelInfo is one entry of the merged model list.
type ModelInfo struct {
	ID           string `json:"id"`     // what a client writes in "model"
	Server       string `json:"server"` // base URL of the backend that has it
	Size         int64  `json:"size,omitempty"`
	Digest       string `json:"digest,omitempty"`
	Modified     Time   `json:"modified,omitzero"`
	Format       string `json:"format,omitempty"`
	Family       string `json:"family,omitempty"`
	Parameters   string `json:"parameter_size,omitempty"`
	Quantization string `json:"quantization_level,omitempty"`
	Embedding    bool   `json:"embedding,omitempty"` // an embedding model, not for chat
	Passthrough  bool   `json:"passthrough,omitempty"`
}
