package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"loci/internal/jsonrepair"
)

// Arguments is what loci makes of the text of a tool call's arguments. Nothing
// at all and null are "{}": a call without parameters. Valid JSON comes back
// compact. Anything else comes back as a JSON string that holds the model's
// text, for a tolerant reader to make sense of.
//
// Whole is false when the text was cut on the way: a quote or bracket was never
// closed. Such a call must not run, however easily it could be closed.
func Arguments(text string) (args json.RawMessage, whole bool) {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return json.RawMessage("{}"), true
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) == nil {
		return compact.Bytes(), true
	}
	_, how, _ := jsonrepair.Repair([]byte(text)) // what cannot be repaired is refused where it is read
	return AppendString(nil, text), !how.Cut
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
