package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Arguments is what loci makes of the text of a tool call's arguments. Nothing
// at all and null are "{}": a call without parameters. Valid JSON comes back
// compact. Anything else comes back as a JSON string that holds the model's
// text, for a tolerant reader to make sense of.
//
// Whole is false when the text was cut on the way: a quote or bracket is still
// open. Such a call must not run, however easily it could be closed.
func Arguments(text string) (args json.RawMessage, whole bool) {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return json.RawMessage("{}"), true
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) == nil {
		return compact.Bytes(), true
	}
	return AppendString(nil, text), balanced(text)
}

// ArgumentsText is the text of a call's arguments from a value as servers send
// it: a string, an object, null or nothing. It undoes [Arguments] too.
func ArgumentsText(raw json.RawMessage) string {
	if IsNull(raw) {
		return ""
	}
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// ArgumentsObject is args where they are a JSON object and {} where not. What
// goes back to a model server as history is always an object: templates fail
// on anything else.
func ArgumentsObject(args json.RawMessage) json.RawMessage {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || args[0] != '{' || !json.Valid(args) {
		return json.RawMessage("{}")
	}
	return args
}

// balanced reports whether every quote and bracket that text opens is closed
// again. It knows single quotes, which are no JSON but which models write.
func balanced(text string) bool {
	var stack []byte
	var inside byte // the quote of the string that the scan is in, or 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inside != 0 && c == '\\':
			i++
		case inside != 0:
			if c == inside {
				inside = 0
			}
		case c == '"' || c == '\'':
			inside = c
		case c == '{':
			stack = append(stack, '}')
		case c == '[':
			stack = append(stack, ']')
		case c == '}' || c == ']':
			if len(stack) == 0 || stack[len(stack)-1] != c {
				return false
			}
			stack = stack[:len(stack)-1]
		}
	}
	return inside == 0 && len(stack) == 0
}
