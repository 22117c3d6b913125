package redact

import (
	"encoding/json"
	"testing"
)

func TestJSON(t *testing.T) {
	r := New("hunter-synthetic", "123456789", awkward)
	quoted, _ := json.Marshal(awkward)
	for said, want := range map[string]string{
		`{"url":"https://example.org/x?token=ZXCV1234&q=1","headers":{"X-Api-Key":"KEYKEY42"}}`: `{"url":"https://example.org/x?token=[hidden]&q=1","headers":{"X-Api-Key":"[hidden]"}}`,
		`{"dsn":"postgres://u:pw-9f@db/x"}`:                                                     `{"dsn":"postgres://u:[hidden]@db/x"}`,
		`{"a":["hunter-synthetic", 12345, 123456789, 91234567890]}`:                             `{"a":["[hidden]", 12345, "[hidden]", "[hidden]"]}`,
		`{"a":"h\u0075nter-synthetic\n"}`:                                                       `{"a":"[hidden]\n"}`,
		`{"hunter-synthetic":1}`:                                                                `{"[hidden]":1}`,
		`{"password":["a",1,true,null,{"a":"b"}],"token":5}`:                                    `{"password":["[hidden]","[hidden]",true,null,{"a":"b"}],"token":5}`,
		`{"clientSecret":"x","max_tokens":5,"key":"Enter"}`:                                     `{"clientSecret":"[hidden]","max_tokens":5,"key":"Enter"}`,
		`{"key":"0123456789abcdef"}`:                                                            `{"key":"[hidden]"}`,
		`{"arguments":"{\"api_key\":\"\\u0061b\",\"q\":\"1\"}"}`:                                `{"arguments":"{\"api_key\":\"[hidden]\",\"q\":\"1\"}"}`,
		`[` + string(quoted) + `]`:                                                              `["[hidden]"]`,
		`"hunter-synthetic"`:                                                                    `"[hidden]"`,
		`{"a": [1, {"b": "c"}], "d": -1.5e3}`:                                                   `{"a": [1, {"b": "c"}], "d": -1.5e3}`,
		`not JSON, password=x`:                                                                  `not JSON, password=[hidden]`,
		``:                                                                                      ``,
	} {
		if got := string(r.JSON(json.RawMessage(said))); got != want {
			t.Errorf("%s became\n%s, not\n%s", said, got, want)
		}
	}
}

// A prompt keeps what only looks like a secret.
func TestKnownJSON(t *testing.T) {
	r := New("nabcdef")
	for said, want := range map[string]string{
		`{"password":"x","content":"token=abc nabcdef"}`: `{"password":"x","content":"token=abc [hidden]"}`,
		`{"content":"line\nabcdef"}`:                     `{"content":"line\nabcdef"}`, // the n is part of an escape
	} {
		if got := string(r.Known().JSON(json.RawMessage(said))); got != want {
			t.Errorf("%s became\n%s, not\n%s", said, got, want)
		}
	}
	var none *Redactor
	if got := string(none.Known().JSON(json.RawMessage(`{"a":1}`))); got != `{"a":1}` {
		t.Error(got)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a":["hunter-synthetic",{"password":1}],"token":"\u0061"}`, "hunter-synthetic")
	f.Add(`"{\"a\":\"[1,\\\"abcdefg\\\"]\"}"`, "abcdefg")
	f.Add(`[123456789, -1e9]`, "345678")
	f.Fuzz(func(t *testing.T, said, secret string) {
		r := New(secret)
		for _, got := range []json.RawMessage{r.JSON(json.RawMessage(said)), r.Known().JSON(json.RawMessage(said))} {
			if !json.Valid([]byte(said)) {
				continue
			}
			var before, after any
			if err := json.Unmarshal(got, &after); err != nil {
				t.Fatalf("%s became %s: %v", said, got, err)
			}
			_ = json.Unmarshal([]byte(said), &before)
			if a, b := shapeOf(before), shapeOf(after); a != b {
				t.Errorf("%s became %s: %d lists and entries are not %d", said, got, b, a)
			}
		}
	})
}

// shapeOf counts the lists of a value and what is in them. Names may become one
// when they are masked, so objects are not counted.
func shapeOf(v any) (lists int) {
	switch v := v.(type) {
	case []any:
		lists = 1 + len(v)
		for _, e := range v {
			lists += shapeOf(e)
		}
	}
	return lists
}
