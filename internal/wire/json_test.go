package wire

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"loci"
)

func TestArguments(t *testing.T) {
	tests := []struct {
		name, text, want string
		whole            bool
	}{
		{"nothing", "", `{}`, true},
		{"null", " null ", `{}`, true},
		{"object", "{\"a\": 1}\n", `{"a":1}`, true},
		{"spaces in strings stay", `{"a": "x  y"}`, `{"a":"x  y"}`, true},
		{"trailing comma", `{"path": "a",}`, `"{\"path\": \"a\",}"`, true},
		{"single quotes", `{'a': 'it"s'}`, `"{'a': 'it\"s'}"`, true},
		{"raw line break", "{\"a\": \"x\ny\"}", `"{\"a\": \"x\ny\"}"`, true},
		{"two glued", `{}{"a":1}`, `"{}{\"a\":1}"`, true},
		{"cut in a string", `{"path":"report.md","content":"# Re`, `"{\"path\":\"report.md\",\"content\":\"# Re"`, false},
		{"cut in a list", `{"commands":["a","b"`, `"{\"commands\":[\"a\",\"b\""`, false},
		{"cut after a backslash", `{"a":"\`, `"{\"a\":\"\\"`, false},
		// These are wrong, but they have an end. Who reads the arguments mends or
		// refuses them, and then the model hears what is wrong with its JSON.
		{"wrong bracket", `{"a":[1}`, `"{\"a\":[1}"`, true},
		{"one bracket too many", `{"a":1}}`, `"{\"a\":1}}"`, true},
		{"apostrophe without quotes", `{a: it's}`, `"{a: it's}"`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, whole := Arguments(tt.text)
			want := strings.ReplaceAll(tt.want, "\n", `\n`)
			if string(got) != want || whole != tt.whole {
				t.Errorf("Arguments = %s, %v; want %s, %v", got, whole, want, tt.whole)
			}
			if back := ArgumentsText(got); !json.Valid([]byte(tt.text)) && tt.text != "" && back != tt.text {
				t.Errorf("ArgumentsText gives %q back", back)
			}
		})
	}
}

// However arguments are cut, what is left is not taken for whole.
func TestArgumentsCutAnywhere(t *testing.T) {
	for _, text := range []string{
		`{"path":"a \"b\" {c}.txt","n":[1,{"x":null}],"ok":true}`,
		`{'path': 'a', "list": ['x', "y"],}`,
	} {
		for at := 1; at < len(text); at++ {
			if args, whole := Arguments(text[:at]); whole {
				t.Errorf("Arguments(%q) = %s, whole", text[:at], args)
			}
		}
		if _, whole := Arguments(text); !whole {
			t.Errorf("Arguments(%q) is not whole", text)
		}
	}
}

func TestArgumentsText(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "null": "", `"{\"a\":1}"`: `{"a":1}`, `{"a":1}`: `{"a":1}`, `""`: "", "7": "7",
	} {
		if got := ArgumentsText(json.RawMessage(raw)); got != want {
			t.Errorf("ArgumentsText(%s) = %q, want %q", raw, got, want)
		}
	}
}

func TestArgumentsObject(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, ` {} `: `{}`, `"{'a':1}"`: `{}`, `[1]`: `{}`, ``: `{}`, `{"a"`: `{}`, `null`: `{}`,
	} {
		if got := ArgumentsObject(json.RawMessage(in)); string(got) != want {
			t.Errorf("ArgumentsObject(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestSchema(t *testing.T) {
	for in, want := range map[string]string{
		``:                        `{"type":"object","properties":{}}`,
		`null`:                    `{"type":"object","properties":{}}`,
		`{"type":"object"}`:       `{"type":"object","properties":{}}`,
		`{"type":"object","a":1}`: `{"type":"object","properties":{},"a":1}`,
		`{"type":"object","properties":{"p":{"type":"string"}}}`: `{"type":"object","properties":{"p":{"type":"string"}}}`,
		`{"anyOf":[]}`: `{"anyOf":[]}`,
	} {
		if got := Schema(json.RawMessage(in)); string(got) != want {
			t.Errorf("Schema(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestServerError(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		code   loci.Code
		says   string
	}{
		{"openai envelope", 400, `{"error":{"message":"bad tool","type":"x","code":null}}`, loci.Refused, "bad tool"},
		{"ollama envelope", 400, `{"error":"m does not support tools"}`, loci.Refused, "m does not support tools"},
		{"detail", 422, `{"detail":"field required"}`, loci.Refused, "field required"},
		{"message only", 400, `{"object":"error","message":"no"}`, loci.Refused, "no"},
		{"plain text", 400, "go away", loci.Refused, "go away"},
		{"html", 502, "<html><h1>Bad Gateway</h1></html>", loci.Unreachable, "HTTP status 502"},
		{"empty", 500, "", loci.Unreachable, "HTTP status 500"},
		{"not found", 404, `{"error":"model 'nope' not found"}`, loci.NotFound, "model 'nope' not found"},
		{"key", 401, `{"error":{"message":"Incorrect API key"}}`, loci.Refused, "Incorrect API key"},
		{"busy", 429, `{"error":"slow down"}`, loci.Overloaded, "slow down"},
		{"loading", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, loci.Overloaded, "Loading model"},
		{"llama-server context", 400, `{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}`, loci.Context, "exceeds the available context size"},
		{"llama-server context, older", 500, `{"error":{"message":"the request exceeds the available context size"}}`, loci.Context, ""},
		{"ollama context", 400, `{"error":"the input length exceeds the context length"}`, loci.Context, ""},
		{"vllm context", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"}`, loci.Context, ""},
		{"vllm decoder", 400, `{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096."}}`, loci.Context, ""},
		{"openai context", 400, `{"error":{"message":"too many tokens","code":"context_length_exceeded"}}`, loci.Context, ""},
		{"lm studio context", 400, `{"error":"Trying to keep the first 5000 tokens when context the overflows."}`, loci.Context, ""},
		{"not about the window", 400, `{"error":"unknown field context"}`, loci.Refused, "unknown field context"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := ServerError(tt.status, []byte(tt.body))
			if e.Code != tt.code || !strings.Contains(e.Message, tt.says) {
				t.Errorf("got %s: %s", e.Code, e.Message)
			}
			if e.Err == nil || !strings.Contains(e.Err.Error(), tt.says) {
				t.Errorf("the cause is %v, want the server's own words", e.Err)
			}
		})
	}
	if e := ServerError(http.StatusForbidden, nil); !strings.Contains(e.Hint, "key") {
		t.Errorf("a refused key has the hint %q", e.Hint)
	}
	if e := ServerError(400, []byte(strings.Repeat("я", 10_000))); utf8.RuneCountInString(e.Message) > 260 {
		t.Errorf("the message echoes %d characters", utf8.RuneCountInString(e.Message))
	}
}

func TestInStreamError(t *testing.T) {
	for raw, want := range map[string]loci.Code{
		`{"code":500,"message":"template could not be rendered"}`: loci.Unreachable,
		`{"code":400,"message":"prompt larger than the context"}`: loci.Context,
		`{"code":429,"message":"busy"}`:                           loci.Overloaded,
		`{"error":"runner stopped"}`:                              loci.Unreachable,
		`{"code":"invalid","message":"bad"}`:                      loci.Unreachable,
		`"just text"`:                                             loci.Unreachable,
		`not json`:                                                loci.Unreachable,
	} {
		if e := InStreamError(json.RawMessage(raw)); e.Code != want {
			t.Errorf("InStreamError(%s) has the code %s, want %s", raw, e.Code, want)
		}
	}
}

func TestDecodeNamesTheField(t *testing.T) {
	var list []struct {
		Content string `json:"content"`
		Deep    struct {
			N int `json:"n"`
		} `json:"deep"`
	}
	for raw, want := range map[string]string{
		`[{"content":"a"},{"content":5}]`: `"messages[1].content" must be a text, not a number`,
		`[{"deep":{"n":"x"}}]`:            `"messages[0].deep.n" must be a number, not a text`,
		`{}`:                              `"messages" must be a list, not an object`,
		`[{"content":"a"},7]`:             `"messages[1]" must be an object, not a number`,
		`[`:                               "messages is not valid JSON",
	} {
		err := Decode("messages", json.RawMessage(raw), &list)
		if e, ok := errors.AsType[*loci.Error](err); !ok || e.Code != loci.Invalid || !strings.Contains(e.Message, want) {
			t.Errorf("Decode(%s) = %v, want it to say %q", raw, err, want)
		}
	}
}

func TestDecodeBodyNamesTheField(t *testing.T) {
	var body struct {
		Message string   `json:"message"`
		Folders []string `json:"folders"`
		Stream  *bool    `json:"stream"`
		Count   int8     `json:"count"`
		Deep    []struct {
			Name string `json:"name"`
		} `json:"deep"`
	}
	for raw, want := range map[string]string{
		`{"message":[]}`:                          `"message" must be a text, not a list.`,
		`{"stream":null,"message":{"a":1}}`:       `"message" must be a text, not an object.`,
		`{"MESSAGE":true}`:                        `"message" must be a text, not true or false.`,
		`{"message":"x", "folders" : ["a" , 2 ]}`: `"folders[1]" must be a text, not a number.`,
		`{"folders":[5]}`:                         `"folders[0]" must be a text, not a number.`,
		`{"folders":[[]]}`:                        `"folders[0]" must be a text, not a list.`,
		`{"folders":"a"}`:                         `"folders" must be a list, not a text.`,
		`{"stream":"yes"}`:                        `"stream" must be true or false, not a text.`,
		`{"count":1000}`:                          `"count" must be a number, not 1000.`,
		`{"deep":[{},{"name":7}]}`:                `"deep[1].name" must be a text, not a number.`,
		`[]`:                                      "The request body is not a JSON object.",
		`"x"`:                                     "The request body is not a JSON object.",
		`{"message":`:                             "The request body is not valid JSON.",
	} {
		err := DecodeBody([]byte(raw), &body)
		if e, ok := errors.AsType[*loci.Error](err); !ok || e.Code != loci.Invalid || e.Message != want {
			t.Errorf("DecodeBody(%s) = %v, want %s", raw, err, want)
		}
	}
}

func TestInt(t *testing.T) {
	for in, want := range map[string]Int{"8": 8, "8.0": 8, "8e2": 800, "-3": -3, "null": 0} {
		var n Int
		if err := json.Unmarshal([]byte(in), &n); err != nil || n != want {
			t.Errorf("%s = %d, %v", in, n, err)
		}
	}
	for _, in := range []string{"8.5", `"8"`, "1e300", "true"} {
		var n Int
		if err := json.Unmarshal([]byte(in), &n); err == nil {
			t.Errorf("%s was taken for %d", in, n)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "Снег, 雪, 🐢", "\u2028\u2029", "a\xffb\xe4\xbd", "<&>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		want := string([]rune(s)) // each invalid byte one U+FFFD
		if back != want {
			t.Fatalf("%q came back as %q", s, back)
		}
	})
}

func TestAppendVector(t *testing.T) {
	got := AppendVector(nil, []float32{0.5, -6.023494e-33, float32(math.NaN()), float32(math.Inf(1)), 3})
	if string(got) != "[0.5,-6.023494e-33,0,0,3]" || !json.Valid(got) {
		t.Errorf("got %s", got)
	}
}

func TestAppendMembers(t *testing.T) {
	members := map[string]json.RawMessage{"z": json.RawMessage(" 1 "), "a": json.RawMessage(`[1, 2]`), "Model": json.RawMessage(`"x"`)}
	got, err := AppendMembers([]byte(`{"model":"m"}`), members, []string{"model"})
	if err != nil || string(got) != `{"model":"m","a":[1,2],"z":1}` {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err = AppendMembers([]byte("{}"), members, nil); err != nil || string(got) != `{"Model":"x","a":[1,2],"z":1}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err = AppendMembers([]byte("{}"), map[string]json.RawMessage{"a": json.RawMessage("{")}, nil); err == nil {
		t.Error("took a member that is not JSON")
	}
	if _, err = AppendMembers([]byte("[]"), nil, nil); err == nil {
		t.Error("took a list for an object")
	}
}

func TestIsBase64(t *testing.T) {
	for in, want := range map[string]bool{
		"aGk=": true, "aA==": true, "YWJj": true, "": false, "a": false, "====": false, "aGk": false, "aG k": false, "a-_=": false,
	} {
		if IsBase64(in) != want {
			t.Errorf("IsBase64(%q) = %v", in, !want)
		}
	}
}

func TestClip(t *testing.T) {
	if got := Clip("  a\n\tb \xff "); got != "a b \ufffd" {
		t.Errorf("got %q", got)
	}
	if got := Clip(strings.Repeat("雪", 300)); utf8.RuneCountInString(got) != 201 {
		t.Errorf("got %d characters", utf8.RuneCountInString(got))
	}
}
