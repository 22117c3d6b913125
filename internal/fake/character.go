package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"loci"
)

// A Character answers the trials by which loci finds out how to use a model, as a
// model of that kind on a server of that kind does. Set a Model's Answer to its
// method. The zero Character only talks: it calls nothing, and its server honours
// neither stop sequences nor schemas.
type Character struct {
	Native     bool        // calls tools that it is offered
	Hasty      bool        // calls them also when nobody wants it to
	Written    loci.Markup // writes calls in this dialect, when it was taught that, or offered tools that it does not call
	Stops      bool        // its server honours stop sequences
	Constrains bool        // and schemas
	Chooses    bool        // and the demand for a call of a certain tool
	Obedient   bool        // it keeps to a form that it is told
	Thinks     bool        // it thinks first, unless it is told not to
	// Roles is what its server says of a conversation that its template does not take.
	Roles Refusal
}

// Refusal is what a server says when a chat template does not take the roles of a
// conversation, and when.
type Refusal struct {
	Status  int
	Said    string
	System  bool // it takes no system message
	Systems bool // it takes one at the beginning only
	Turns   bool // user and assistant have to take turns
}

// Refusals that servers are known to give.
var (
	GemmaOnVLLM = Refusal{http.StatusBadRequest, "System role not supported", true, true, false}
	// Mistral's first template knows no system message and counts it as a turn.
	MistralOnVLLM = Refusal{http.StatusBadRequest, "Conversation roles must alternate user/assistant/user/assistant/...", true, true, true}
	QwenOnLlama   = Refusal{http.StatusInternalServerError, "\n------------\nWhile executing CallExpression at line 85, column 32 in source:\nError: Jinja Exception: System message must be at the beginning.", false, true, false}
	MistralLlama  = Refusal{http.StatusInternalServerError, "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.", false, true, true}
)

// refuses tells whether the server refuses a conversation.
func (f Refusal) refuses(messages []loci.Message) bool {
	var turns []loci.Role
	for i, m := range messages {
		if m.Role == loci.System && (f.System || i > 0 && f.Systems) {
			return true
		}
		if m.Role == loci.User || m.Role == loci.Assistant && len(m.ToolCalls) == 0 {
			turns = append(turns, m.Role)
		}
	}
	for i, r := range turns {
		if f.Turns && (r == loci.User) != (i%2 == 0) {
			return true
		}
	}
	return false
}

// Answer is for Model.Answer.
func (c Character) Answer(r *Request) (Reply, bool) {
	if c.Roles.refuses(r.Messages) {
		return Reply{Status: c.Roles.Status, Error: c.Roles.Said}, true
	}
	reply := c.says(r)
	if c.Stops {
		for _, stop := range r.Options.Stop {
			reply.Text, _, _ = strings.Cut(reply.Text, stop)
		}
	}
	if c.Thinks && string(r.Options.Think) != "false" {
		reply.Reasoning = "The user wants an answer."
	}
	return reply, true
}

// says is the reply before the server has had its way with it.
func (c Character) says(r *Request) Reply {
	said := r.Messages[len(r.Messages)-1].Content
	name, args := wanted(said)
	switch {
	case c.Constrains && len(r.Options.Format) > 0:
		return Reply{Text: forced(r.Options.Format)}
	case c.Chooses && r.ToolChoice.Mode == loci.ChoiceRequired && r.ToolChoice.Name != "":
		return Reply{Calls: []loci.ToolCall{Call(r.ToolChoice.Name, `{}`)}}
	case len(r.Tools) > 0 && c.Native && name != "":
		return Reply{Calls: []loci.ToolCall{Call(name, args)}}
	case len(r.Tools) > 0 && c.Native && c.Hasty:
		return Reply{Calls: []loci.ToolCall{Call(r.Tools[0].Name, `{}`)}}
	case c.Written != "" && name != "" && (len(r.Tools) > 0 || c.taught(r.Messages)):
		return Reply{Text: written(c.Written, name, args)}
	case strings.Contains(said, "nothing but a JSON object") && c.Obedient:
		return Reply{Text: `{"capital": "Paris", "country": "France"}`}
	case strings.Contains(said, "capital of France"):
		return Reply{Text: "The capital of France is Paris."}
	case strings.Contains(said, "days of the week"):
		return Reply{Text: "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday."}
	}
	return Reply{Text: "Hello."}
}

// wanted is the call that a request of the trials takes.
func wanted(said string) (name, args string) {
	switch {
	case strings.HasSuffix(said, "weather in Paris? Use a tool."):
		return "get_weather", `{"city": "Paris"}`
	case strings.HasSuffix(said, "17 plus 25? Use a tool."):
		return "add_numbers", `{"a": 17, "b": 25}`
	}
	return "", ""
}

// marks are by what a dialect is known in the words that teach it.
var marks = map[loci.Markup]string{
	loci.MarkupTool: "<tool>", loci.MarkupToolCall: "<tool_call>", loci.MarkupJSON: "```json", loci.MarkupReAct: "Action Input:",
}

// taught tells whether a conversation teaches the model its dialect.
func (c Character) taught(messages []loci.Message) bool {
	return slices.ContainsFunc(messages, func(m loci.Message) bool { return strings.Contains(m.Content, marks[c.Written]) })
}

// written is a call in a dialect.
func written(m loci.Markup, name, args string) string {
	object := fmt.Sprintf(`{"name": %q, "arguments": %s}`, name, args)
	switch m {
	case loci.MarkupToolCall:
		return "<tool_call>" + object + "</tool_call>"
	case loci.MarkupJSON:
		return "```json\n" + object + "\n```"
	case loci.MarkupReAct:
		return "Action: " + name + "\nAction Input: " + args
	}
	return "<tool>" + name + "(" + args + ")</tool>"
}

// forced is an object that fits a schema of texts that can each be but one.
func forced(schema json.RawMessage) string {
	var s struct {
		Properties map[string]struct {
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return "{}"
	}
	object := map[string]string{}
	for name, p := range s.Properties {
		if len(p.Enum) > 0 {
			object[name] = p.Enum[0]
		}
	}
	b, err := json.Marshal(object)
	if err != nil { // texts always marshal
		return "{}"
	}
	return string(b)
}
