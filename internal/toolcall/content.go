package toolcall

import (
	"encoding/json"
	"fmt"
	"strings"

	"loci"
)

// controlMarks are the marks with which chat templates begin and end messages.
// Servers read them wherever they stand, so text from outside must not have
// them.
var controlMarks = []string{
	"<|", "|>", "<｜", "｜>", "<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>",
	"<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "[TOOL_CALLS]", "<unused",
}

var inJSON, inText = replacers()

// replacers make control marks harmless: in JSON by an escape, which leaves the
// value as it is, in other text by a space.
func replacers() (inJSON, inText *strings.Replacer) {
	var escaped, spaced []string
	for _, mark := range controlMarks {
		r := []rune(mark)
		escaped = append(escaped, mark, fmt.Sprintf("\\u%04x%s", r[0], string(r[1:])))
		spaced = append(spaced, mark, string(r[:1])+" "+string(r[1:]))
	}
	return strings.NewReplacer(escaped...), strings.NewReplacer(spaced...)
}

// Inert gives a text from outside without the marks that a chat template would
// take for the end of a message.
func Inert(text string) string { return inText.Replace(text) }

// Content is what a model reads as the result of a call: compact JSON, in which
// nothing that came from a file or a page can end the message and begin
// another.
func Content(r loci.ToolResult) string {
	data := r.Data
	if r.Err != nil {
		var err error
		if data, err = json.Marshal(r.Err); err != nil { // two strings and a bool always marshal
			return `{"error":"the error could not be encoded","canRetry":false,"suggestion":""}`
		}
	}
	return inJSON.Replace(string(data))
}
