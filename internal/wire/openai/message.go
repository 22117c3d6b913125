package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"loci"
	"loci/internal/wire"
)

// message is one entry of "messages" as it goes over the wire, both ways.
type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"` // a string, a list of parts, or null
	Reasoning  string          `json:"reasoning_content,omitempty"`
	ToolCalls  []toolCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Name       string          `json:"name,omitempty"`
	// FunctionCall is the one call that a message could have before there were
	// several; only read.
	FunctionCall *function `json:"function_call,omitempty"`
}

// toolCall is a call in a message; pieces of one in a stream are callDeltas.
type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

// function is a call. Arguments is a string by the book; an object, null and
// nothing are read too.
type function struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// part is an element of a content list; Type says which field counts.
type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Refusal  string    `json:"refusal,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

// imageURL is where a picture is: here always a data URL.
type imageURL struct {
	URL string `json:"url"`
}

// UnmarshalJSON reads {"url": …}, or the bare URL that some clients send.
func (u *imageURL) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &u.URL)
	}
	type plain imageURL
	return json.Unmarshal(b, (*plain)(u))
}

// textMessage is a message whose content is a string or null.
type textMessage struct {
	message
	Text string `json:"content"` // in place of the Content in message
}

// parse reads the array of messages. Most conversations are text only, and are
// read in one pass, which takes half the time; those with a "type", that is
// with a part or a call, and those with a fault are read with care.
func parse(raw json.RawMessage) ([]textMessage, error) {
	var list []textMessage
	if !bytes.Contains(raw, []byte(`"type"`)) && json.Unmarshal(raw, &list) == nil {
		return list, nil
	}
	var mixed []message
	err := wire.Decode("messages", raw, &mixed)
	list = make([]textMessage, len(mixed))
	for i, m := range mixed {
		list[i].message = m
	}
	return list, err
}

// decodeMessages reads the "messages" field.
func decodeMessages(raw json.RawMessage) ([]loci.Message, error) {
	list, err := parse(raw)
	if err != nil {
		return nil, err
	}
	return wire.Messages(list, textMessage.decode)
}

// decode is that of the message, with its text.
func (m textMessage) decode(field string) (loci.Message, error) {
	msg, err := m.message.decode(field)
	msg.Content += m.Text // one of them is empty
	return msg, err
}

// decode makes a message of the wire form; field is its name in errors. Roles
// that mean the same to a model become one: developer is a newer word for
// system, function an older one for tool.
func (m message) decode(field string) (loci.Message, error) {
	msg := loci.Message{Reasoning: m.Reasoning}
	switch m.Role {
	case "system", "developer":
		msg.Role = loci.System
	case "user":
		msg.Role = loci.User
	case "assistant":
		msg.Role = loci.Assistant
		for _, c := range m.ToolCalls {
			msg.ToolCalls = append(msg.ToolCalls, c.decode())
		}
		if m.FunctionCall != nil && len(msg.ToolCalls) == 0 {
			msg.ToolCalls = []loci.ToolCall{toolCall{Function: *m.FunctionCall}.decode()}
		}
	case "tool", "function":
		msg.Role = loci.ToolRole
		msg.ToolCallID, msg.ToolName = m.ToolCallID, m.Name
	default:
		return msg, loci.Errorf(loci.Invalid, "The field %s.role is %q.", field, wire.Clip(m.Role)).
			WithHint("It must be system, developer, user, assistant or tool.")
	}
	err := decodeContent(field+".content", m.Content, &msg)
	return msg, err
}

// decode makes a call of the wire form. A call in the history has been run, so
// it does not matter here whether its arguments are whole.
func (c toolCall) decode() loci.ToolCall {
	args, _ := wire.Arguments(wire.ArgumentsText(c.Function.Arguments))
	return loci.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: args}
}

// decodeContent reads a string or a list of parts. Texts are joined by line
// breaks, as servers that take only a string have no other way to hold them.
func decodeContent(field string, raw json.RawMessage, msg *loci.Message) error {
	if wire.IsNull(raw) {
		return nil
	}
	if raw[0] != '[' { // a string, or an error that says it must be one
		return wire.Decode(field, raw, &msg.Content)
	}
	var parts []part
	if err := wire.Decode(field, raw, &parts); err != nil {
		return err
	}
	var texts []string
	for i, p := range parts {
		switch p.Type {
		case "text", "input_text":
			texts = append(texts, p.Text)
		case "refusal":
			texts = append(texts, p.Refusal)
		case "image_url":
			image, err := p.ImageURL.decode(fmt.Sprintf("%s[%d].image_url", field, i))
			if err != nil {
				return err
			}
			msg.Images = append(msg.Images, image)
		default: // audio, files: leaving them out would change the question
			return loci.Errorf(loci.Invalid, "The field %s[%d] has the type %q, which cannot be passed to a model here.",
				field, i, wire.Clip(p.Type)).WithHint("Text and image_url parts are understood.")
		}
	}
	msg.Content = strings.Join(texts, "\n")
	return nil
}

// decode takes a picture out of its data URL (RFC 2397).
func (u *imageURL) decode(field string) (loci.Image, error) {
	if u == nil || u.URL == "" {
		return loci.Image{}, loci.Errorf(loci.Invalid, "The field %s is missing.", field)
	}
	head, data, found := strings.Cut(u.URL, ",")
	mediaType, inline := strings.CutPrefix(head, "data:")
	if !found || !inline {
		return loci.Image{}, loci.Errorf(loci.Invalid, "The field %s is a web address, and loci does not fetch pictures.", field).
			WithHint("Pictures must be sent inline, as a data:image/…;base64 URL.")
	}
	mediaType, isBase64 := strings.CutSuffix(mediaType, ";base64")
	if !isBase64 || !wire.IsBase64(data) {
		return loci.Image{}, loci.Errorf(loci.Invalid, "The field %s does not hold a picture in base64.", field)
	}
	mediaType, _, _ = strings.Cut(mediaType, ";") // parameters say nothing about a picture
	return loci.Image{MediaType: mediaType, Base64: data}, nil
}

// encodeMessage makes the wire form of m. Content is always there and never
// null, as some chat templates print null as text.
func encodeMessage(m loci.Message) (message, error) {
	out := message{Role: string(m.Role), Reasoning: m.Reasoning}
	var content any = m.Content
	if len(m.Images) > 0 {
		content = parts(m)
	}
	var err error
	if out.Content, err = wire.Marshal(content); err != nil {
		return out, err
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, encodeCall(c))
	}
	// The name is not in the book, but templates of some model families need it.
	if m.Role == loci.ToolRole {
		out.ToolCallID, out.Name = m.ToolCallID, m.ToolName
	}
	return out, nil
}

// encodeCall makes the wire form of a call, whose arguments are an object
// written out in a string.
func encodeCall(c loci.ToolCall) toolCall {
	args := wire.AppendString(nil, string(wire.ArgumentsObject(c.Arguments)))
	return toolCall{ID: c.ID, Type: "function", Function: function{Name: c.Name, Arguments: args}}
}

// parts is the content of a message with pictures, text first.
func parts(m loci.Message) []part {
	var list []part
	if m.Content != "" {
		list = append(list, part{Type: "text", Text: m.Content})
	}
	for _, image := range m.Images {
		url := "data:" + mediaType(image) + ";base64," + image.Base64
		list = append(list, part{Type: "image_url", ImageURL: &imageURL{URL: url}})
	}
	return list
}

// mediaType is the picture's type, found in its first bytes where the client
// did not say.
func mediaType(image loci.Image) string {
	if image.MediaType != "" {
		return image.MediaType
	}
	const enough = 64 // characters, more than any signature of an image format
	head, _ := base64.StdEncoding.DecodeString(image.Base64[:min(len(image.Base64), enough)])
	return http.DetectContentType(head)
}
