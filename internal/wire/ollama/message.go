package ollama

import (
	"cmp"
	"encoding/json"
	"strings"

	"loci"
	"loci/internal/wire"
)

// message is one entry of "messages" as it goes over the wire, both ways.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	Thinking   string     `json:"thinking,omitempty"`
	Images     []string   `json:"images,omitempty"` // base64
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolName   string     `json:"tool_name,omitempty"`
	Name       string     `json:"name,omitempty"` // what ToolName was called before; only read
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// toolCall has an id since Ollama 0.12; older servers and most clients have none.
type toolCall struct {
	ID       string   `json:"id,omitempty"`
	Function function `json:"function"`
}

// function is a call. Arguments is an object by the book; a string that holds
// one, null and nothing are read too.
type function struct {
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// decodeMessages reads the "messages" field.
func decodeMessages(m wire.Member) ([]loci.Message, error) {
	var list []message
	if err := m.Decode(&list); err != nil {
		return nil, err
	}
	return wire.Messages(list, message.decode)
}

// decode makes a message of the wire form; field is its name in errors.
func (m message) decode(field string) (loci.Message, error) {
	msg := loci.Message{Role: loci.Role(m.Role), Content: m.Content, Reasoning: m.Thinking}
	switch msg.Role {
	case loci.System, loci.User:
	case loci.Assistant:
		for _, c := range m.ToolCalls {
			msg.ToolCalls = append(msg.ToolCalls, c.decode())
		}
	case loci.ToolRole:
		msg.ToolCallID, msg.ToolName = m.ToolCallID, cmp.Or(m.ToolName, m.Name)
	default:
		return msg, loci.Errorf(loci.Invalid, "The field %s.role is %q.", field, wire.Clip(m.Role)).
			WithHint("It must be system, user, assistant or tool.")
	}
	var err error
	msg.Images, err = decodeImages(field+".images", m.Images)
	return msg, err
}

// decodeImages reads pictures in base64. Some clients leave the head of a data
// URL in front of them.
func decodeImages(field string, list []string) ([]loci.Image, error) {
	var images []loci.Image
	for i, data := range list {
		var image loci.Image
		if rest, ok := strings.CutPrefix(data, "data:"); ok {
			image.MediaType, data, _ = strings.Cut(rest, ";base64,")
		}
		if !wire.IsBase64(data) {
			return nil, loci.Errorf(loci.Invalid, "The field %s[%d] does not hold a picture in base64.", field, i)
		}
		image.Base64 = data
		images = append(images, image)
	}
	return images, nil
}

// decode makes a call of the wire form; one without an id keeps none.
func (c toolCall) decode() loci.ToolCall {
	args, _ := wire.Arguments(wire.ArgumentsText(c.Function.Arguments))
	return loci.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: args}
}

// encodeMessage makes the wire form of m.
func encodeMessage(m loci.Message) message {
	out := message{Role: string(m.Role), Content: m.Content, Thinking: m.Reasoning, Images: encodeImages(m.Images)}
	for i, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, encodeCall(c, i))
	}
	// Templates print the name, so a tool message without one loses its origin.
	if m.Role == loci.ToolRole {
		out.ToolName, out.ToolCallID = m.ToolName, m.ToolCallID
	}
	return out
}

// encodeCall makes the wire form of the call at index in its message.
func encodeCall(c loci.ToolCall, index int) toolCall {
	return toolCall{ID: c.ID, Function: function{
		Index: index, Name: c.Name, Arguments: wire.ArgumentsObject(c.Arguments),
	}}
}

// encodeImages drops the media types: Ollama looks at the bytes.
func encodeImages(images []loci.Image) []string {
	var list []string
	for _, image := range images {
		list = append(list, image.Base64)
	}
	return list
}
