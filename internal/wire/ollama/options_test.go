package ollama

import (
	"encoding/json"
	"testing"

	"loci"
)

func TestUncut(t *testing.T) {
	for want, o := range map[string]loci.Options{
		`{"model":"m","stream":true,"shift":false,"truncate":false}`: {Extra: map[string]json.RawMessage{"n": json.RawMessage("2")}, ExtraDialect: loci.OpenAI},
		`{"model":"m","stream":true,"shift":false,"truncate":true}`:  {Extra: map[string]json.RawMessage{"truncate": json.RawMessage("true")}, ExtraDialect: loci.Ollama},
	} {
		got, err := EncodeChat(loci.Request{Model: "m", Options: Uncut(o)}, true)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}
