package loci

import (
	"encoding/json"
	"strings"
	"time"
)

// SideEffects says what a tool does to the world. The gate decides by it.
type SideEffects string

// What a tool can do, from harmless to worst.
const (
	EffectNone   SideEffects = "none"   // computes
	EffectRead   SideEffects = "read"   // looks at this machine
	EffectWrite  SideEffects = "write"  // changes files or settings
	EffectEgress SideEffects = "egress" // sends data off this machine
	EffectExec   SideEffects = "exec"   // runs programs
)

// ToolSpec describes a tool to models, people and the gate.
type ToolSpec struct {
	Name        string          `json:"name"` // [a-z0-9_]{1,64}, unique
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments object
	SideEffects SideEffects     `json:"side_effects"`
	Dangerous   bool            `json:"dangerous"`          // asks first
	Files       bool            `json:"files,omitempty"`    // works only inside the folders of the scope
	Examples    []string        `json:"examples,omitempty"` // what a person says when this tool is wanted
	Core        bool            `json:"core,omitempty"`     // wanted so often that it is offered before others
	Timeout     time.Duration   `json:"timeout_ns,omitempty"`
	// Dormant tools cannot do anything here as things are set up. They are not offered
	// to models, whose prompt is short; a call of one tells what would have to be set up.
	Dormant bool `json:"dormant,omitempty"`
	// Irreversible tools do what nobody can take back, such as sending a letter.
	Irreversible bool `json:"irreversible,omitempty"`
	// Destinations are the arguments that say where something goes: an address, a URL.
	Destinations []string `json:"destinations,omitempty"`
	// Outside says that whatever the tool gives comes from outside the person's own
	// things, such as from the web; Origin of a result says it of one result.
	Outside bool `json:"outside,omitempty"`
}

// ToolError is what a model reads when a call failed.
type ToolError struct {
	Message    string `json:"error"`
	CanRetry   bool   `json:"canRetry"`
	Suggestion string `json:"suggestion"`
	// ForPerson is what to do in words for a person, where that is not what a
	// model should do; empty: nothing more than the message.
	ForPerson string `json:"-"`
}

// ErrOutcomeUnknown is for a call that had begun to change something when it was
// last heard of.
var ErrOutcomeUnknown = &ToolError{
	Message:    "This had begun and was not heard of again, so it is not known whether it was done.",
	Suggestion: "Look at how it is now before you do it again.",
	ForPerson:  "Look at how it is now before you ask for it again.",
}

// Text is the error in words for a person.
func (e *ToolError) Text() string { return strings.TrimSpace(e.Message + " " + e.ForPerson) }

// Error makes a ToolError usable as an error inside tools.
func (e *ToolError) Error() string { return e.Message }

// ToolResult is the outcome of one tool call. Exactly one of Data and Err is set.
type ToolResult struct {
	Call ToolCall        `json:"call"`
	Data json.RawMessage `json:"data,omitempty"` // structured result
	Err  *ToolError      `json:"error,omitempty"`
	// Refused is set when the gate did not let the call through.
	Refused bool `json:"refused,omitempty"`
	// Origin is where from outside the person's own things the result was read, such
	// as "web example.org"; empty: from nowhere outside.
	Origin string `json:"origin,omitempty"`
	// Change is the id of what was done to a file, where it can be taken back. It is
	// for people: models do not see it.
	Change string `json:"change,omitempty"`
	// Text is the outcome in words a person can read, in the language that the
	// call was made in.
	Text string        `json:"text"`
	Took time.Duration `json:"took_ns"`
}

// Situation is what the tiny tier decides from: the person's words and what
// has been done about them so far in this turn.
type Situation struct {
	Text    string       // the person's newest message, in their own words
	Added   bool         // a client put documents beside these words
	History []Message    // shown messages before it, oldest first
	Results []ToolResult // calls already made in this turn, in order
	Tools   []ToolSpec   // what may be called
	Demands bool         // the client wants one of them called, whatever the words are
	Folders []string     // absolute paths of the folders that may be looked into
	User    string       // how to call the person; may be empty
	Lang    string       // language of Text: "en", "zh" or "cs"
	Model   string       // the session's model, as clients call it
	Params  int64        // number of its weights; 0: unknown
	Speaks  []string     // languages that it can talk in, as tags; empty: taken for all
	Now     time.Time
}

// Move is the tiny tier's next step; exactly one of its fields is set.
type Move struct {
	Call *ToolCall // run this tool, then ask for the next move
	Say  string    // the whole reply, in words that need no model
	Talk *Talk     // let the model speak
}

// Talk is what a small model is asked to phrase.
type Talk struct {
	Instruction string // replaces the person's message for the model; empty: as they wrote it
	Lead        string // text shown before the model's words, such as the name of the file
}
