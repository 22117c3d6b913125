package tool

import (
	"bytes"
	"encoding/json"
	"fmt"

	"loci/internal/toolcall"
)

// encode writes a result as one compact JSON object; anything that is no
// object becomes its member "result".
func encode(result any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // < is one token for a model, \u003c is six
	if err := enc.Encode(result); err != nil {
		return nil, err
	}
	data := bytes.TrimSpace(b.Bytes())
	if len(data) == 0 || data[0] != '{' {
		data = append(append([]byte(`{"result":`), data...), '}')
	}
	return data, nil
}

// shorten cuts a JSON object that is longer than limit bytes, and says so in it.
func shorten(data json.RawMessage, limit int) json.RawMessage {
	return toolcall.Shorten(data, limit, func(kept, all int) string {
		return fmt.Sprintf("Only the first %d of %d bytes of this result are shown. Ask for less, or for the next page.", kept, all)
	})
}
