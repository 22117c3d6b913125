package loci

import (
	"encoding/json"
	"fmt"
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
	Timeout     time.Duration   `json:"timeout_ns,omitempty"`
}

// ToolError is what a model reads when a call failed.
type ToolError struct {
	Message    string `json:"error"`
	CanRetry   bool   `json:"canRetry"`
	Suggestion string `json:"suggestion"`
}

// Error makes a ToolError usable as an error inside tools.
func (e *ToolError) Error() string { return e.Message }

// ToolResult is the outcome of one tool call. Exactly one of Data and Err is set.
type ToolResult struct {
	Call ToolCall        `json:"call"`
	Data json.RawMessage `json:"data,omitempty"` // structured result
	Err  *ToolError      `json:"error,omitempty"`
	// Refused is set when the gate did not let the call through.
	Refused bool `json:"refused,omitempty"`
	// Text is the outcome in words a person can read, in the language that the
	// call was made in.
	Text string        `json:"text"`
	Took time.Duration `json:"took_ns"`
}

// Content is what the model reads as the result of the call: compact JSON, in
// which nothing that came from a file or a page can end the message and begin
// another.
func (r ToolResult) Content() string {
	if r.Err != nil {
		b, err := json.Marshal(r.Err)
		if err != nil { // a struct of two strings and a bool always marshals
			return `{"error":"the error could not be encoded","canRetry":false,"suggestion":""}`
		}
		return string(b)
	}
	return inJSON.Replace(string(r.Data))
}

// control are the marks with which chat templates begin and end messages.
// Servers read them wherever they stand, so text from outside must not have
// them.
var control = []string{
	"<|", "|>", "<｜", "｜>", "<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>",
	"<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "[TOOL_CALLS]", "<unused",
}

var inJSON, inText = replacers()

// replacers make control marks harmless: in JSON by an escape, which leaves the
// value as it is, in other text by a space.
func replacers() (inJSON, inText *strings.Replacer) {
	var escaped, spaced []string
	for _, mark := range control {
		r := []rune(mark)
		escaped = append(escaped, mark, fmt.Sprintf("\\u%04x%s", r[0], string(r[1:])))
		spaced = append(spaced, mark, string(r[:1])+" "+string(r[1:]))
	}
	return strings.NewReplacer(escaped...), strings.NewReplacer(spaced...)
}

// Inert gives a text from outside without the marks that a chat template would
// take for the end of a message.
func Inert(text string) string { return inText.Replace(text) }

// Situation is what the tiny tier decides from: the person's words and what
// has been done about them so far in this turn.
type Situation struct {
	Text    string       // the person's newest message
	History []Message    // shown messages before it, oldest first
	Results []ToolResult // calls already made in this turn, in order
	Tools   []ToolSpec   // what may be called
	Folders []string     // absolute paths of the folders that may be looked into
	Params  int64        // number of weights of the model; 0: unknown
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
