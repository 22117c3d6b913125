package loci

import "encoding/json"

// Role says who a message is from.
type Role string

// The roles of the chat protocols that loci speaks.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one entry of a conversation, free of any wire format.
type Message struct {
	Role       Role       `json:"role"`
	Content    string     `json:"content"`
	Reasoning  string     `json:"reasoning,omitempty"`
	Images     []Image    `json:"images,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // the call that a tool message answers
	ToolName   string     `json:"tool_name,omitempty"`    // the tool that a tool message comes from
	// Own are the places of those of its results that are loci's own words, such as what
	// is wrong with a call, and not those of a tool. No server is sent it.
	Own []int `json:"own,omitempty"`
}

// Image is a picture sent along with a message.
type Image struct {
	MediaType string `json:"media_type"` // such as image/png; empty when the client did not say
	Base64    string `json:"base64"`     // standard base64, without a data: prefix
}

// ToolCall is a model's wish to use a tool.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // one JSON object
}
