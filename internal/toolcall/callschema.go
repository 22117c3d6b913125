package toolcall

import (
	"cmp"
	"encoding/json"
	"fmt"

	"loci"
)

// CallSchema is the JSON Schema of one call of a tool as an object of its name and its
// arguments, the form that every [Reader] takes as a whole reply.
func CallSchema(spec loci.ToolSpec) json.RawMessage {
	arguments := cmp.Or(string(spec.Parameters), `{"type":"object"}`)
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"name":{"const":%q},"arguments":%s},"required":["name","arguments"],"additionalProperties":false}`,
		spec.Name, arguments))
}
