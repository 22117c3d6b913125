package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// What clients write about the tools they bring, and what it means.
func TestDecodeTools(t *testing.T) {
	const f, g = `{"name":"f","parameters":{"type":"object","properties":{}}}`, `{"name":"g"}`
	const both = `"tools":[{"type":"function","function":` + f + `},{"type":"function","function":` + g + `}]`
	auto, none, must := loci.ToolChoice{Mode: "auto"}, loci.ToolChoice{Mode: "none"}, loci.ToolChoice{Mode: "required"}
	one := loci.ToolChoice{Mode: "required", Name: "f"}
	tests := []struct {
		name, body string
		tools      []string
		choice     loci.ToolChoice
	}{
		{"tools", both, []string{"f", "g"}, loci.ToolChoice{}},
		{"hosted tools are passed over", `"tools":[{"type":"web_search","search_context_size":"low"},{"type":"custom","custom":{"name":"x"}},{"type":"mcp","function":5},{"type":"function","function":` + f + `}]`, []string{"f"}, loci.ToolChoice{}},
		{"no type", `"tools":[{"function":` + g + `}]`, []string{"g"}, loci.ToolChoice{}},
		{"null", `"tools":null,"tool_choice":null,"functions":null`, nil, loci.ToolChoice{}},
		{"none", both + `,"tool_choice":"none"`, []string{"f", "g"}, none},
		{"auto", `"tool_choice":"auto",` + both, []string{"f", "g"}, auto},
		{"required", both + `,"tool_choice":"required"`, []string{"f", "g"}, must},
		{"any", both + `,"tool_choice":"any"`, []string{"f", "g"}, must},
		{"empty", both + `,"tool_choice":""`, []string{"f", "g"}, loci.ToolChoice{}},
		{"a word in an object", both + `,"tool_choice":{"type":"auto"}`, []string{"f", "g"}, auto},
		{"by name", both + `,"tool_choice":{"type":"function","function":{"name":"f"}}`, []string{"f", "g"}, one},
		{"by name, shorter", both + `,"tool_choice":{"type":"function","name":"f"}`, []string{"f", "g"}, one},
		{"a hosted tool", both + `,"tool_choice":{"type":"web_search"}`, []string{"f", "g"}, loci.ToolChoice{}},
		{"some allowed", `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"g"}}]}},` + both, []string{"g"}, must},
		{"functions", `"functions":[` + f + `,` + g + `]`, []string{"f", "g"}, loci.ToolChoice{}},
		{"functions, none", `"functions":[` + f + `],"function_call":"none"`, []string{"f"}, none},
		{"functions, by name", `"function_call":{"name":"f"},"functions":[` + f + `]`, []string{"f"}, one},
		{"tools before functions", `"functions":[` + g + `],"function_call":"none",` + both + `,"tool_choice":"auto"`, []string{"f", "g"}, auto},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DecodeChat([]byte(`{"model":"m","messages":[],` + tt.body + `}`))
			var names []string
			for _, s := range got.Tools {
				names = append(names, s.Name)
				if string(s.Parameters) != `{"type":"object","properties":{}}` {
					t.Errorf("%s takes %s", s.Name, s.Parameters)
				}
			}
			if diff := cmp.Diff(tt.tools, names); diff != "" || got.ToolChoice != tt.choice || err != nil {
				t.Errorf("choice %+v, want %+v, error %v; tools (-want +got):\n%s", got.ToolChoice, tt.choice, err, diff)
			}
			if diff := cmp.Diff(loci.Options{}, got.Options); diff != "" {
				t.Errorf("passed on a second time:\n%s", diff)
			}
			// To a server it means the same.
			body, err := EncodeChat(loci.Request{Model: "m", Tools: got.Tools, ToolChoice: got.ToolChoice}, false)
			if err != nil {
				t.Fatal(err)
			}
			again, err := DecodeChat(body)
			if len(got.Tools) == 0 {
				got.ToolChoice = loci.ToolChoice{}
			}
			if diff := cmp.Diff(got.Tools, again.Tools); diff != "" || again.ToolChoice != got.ToolChoice || err != nil {
				t.Errorf("sent on as %s, error %v\n%s", body, err, diff)
			}
		})
	}
}

// parallel_tool_calls is for a server of the same protocol to follow.
func TestParallelToolCalls(t *testing.T) {
	req, err := DecodeChat([]byte(`{"messages":[],"parallel_tool_calls":false}`))
	if err != nil || string(req.Options.Extra["parallel_tool_calls"]) != "false" || req.Options.ExtraDialect != loci.OpenAI {
		t.Errorf("%+v, %v", req.Options, err)
	}
}

// Calls and their results, as clients of one age and another write them.
func TestDecodeCalls(t *testing.T) {
	const user = `{"role":"user","content":"x"}`
	call := func(id, args string) loci.Message {
		return loci.Message{Role: loci.Assistant, ToolCalls: []loci.ToolCall{newCall(id, "f", args)}}
	}
	result := func(id, name string) loci.Message {
		return loci.Message{Role: loci.ToolRole, ToolCallID: id, ToolName: name, Content: "42"}
	}
	tests := []struct {
		name, messages string
		want           []loci.Message
	}{
		{"by the book", `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}}]},{"role":"tool","tool_call_id":"a","content":"42"}`,
			[]loci.Message{call("a", `{"x":1}`), result("a", "f")}},
		{"arguments as an object, no content", `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]},{"role":"tool","tool_call_id":"a","name":"f","content":[{"type":"text","text":"42"}]}`,
			[]loci.Message{call("a", `{"x":1}`), result("a", "f")}},
		{"null calls", `{"role":"assistant","content":"42","tool_calls":null}`, []loci.Message{{Role: loci.Assistant, Content: "42"}}},
		{"legacy", `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"42"}`,
			[]loci.Message{call("call_1_0", `{}`), result("call_1_0", "f")}},
		{"no ids", `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":""}}]},{"role":"tool","content":"42"}`,
			[]loci.Message{call("call_1_0", `{}`), result("call_1_0", "f")}},
		{"answered twice", `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"a","content":"42"},{"role":"tool","tool_call_id":"a","content":"42"}`,
			[]loci.Message{call("a", `{}`), result("a", "f"), result("a", "f")}},
		{"an answer to nothing", `{"role":"tool","tool_call_id":"b","content":"42"}`, []loci.Message{result("b", "")}},
		{"left open before", `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},` + user + `,{"role":"tool","content":"42"}`,
			[]loci.Message{call("a", `{}`), {Role: loci.User, Content: "x"}, result("", "")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DecodeChat([]byte(`{"messages":[` + user + `,` + tt.messages + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Messages[1:]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
