package toolcall_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each family of models has its own way of writing a call, and its ways of losing the
// tokens around it.
func TestReaderFamilies(t *testing.T) {
	const dir, file = `list_dir {"path":"."}`, `read_file {"path":"a"}`
	const object, list = `{"name": "list_dir", "arguments": {"path": "."}}`, `[{"name": "list_dir", "arguments": {"path": "."}}, {"name": "read_file", "arguments": {"path": "a"}}]`
	for _, tc := range []struct {
		name, reply, visible string
		calls                []string
	}{
		{"Llama 3.1, JSON", `<|python_tag|>{"name": "list_dir", "parameters": {"path": "."}}<|eom_id|>`, "", []string{dir}},
		{"Llama 3.1, no end", `<|python_tag|>{"name": "list_dir", "parameters": {"path": "."}}`, "", []string{dir}},
		{"Llama 3.1, another end", `<|python_tag|>{"name": "list_dir", "parameters": {"path": "."}}<|eot_id|>`, "", []string{dir}},
		{"Llama 3.1, two", `<|python_tag|>{"name": "list_dir", "parameters": {"path": "."}}; {"name": "read_file", "parameters": {"path": "a"}}`, "", []string{dir, file}},
		{"Llama 3.1, tool.call", `<|python_tag|>list_dir.call(path=".")<|eom_id|>`, "", []string{dir}},
		{"Llama 3.1, Python", "I look.\n<|python_tag|>list_dir(\".\")", "I look.", []string{dir}},
		{"Llama 3.1, function", `<function=list_dir>{"path": "."}</function>`, "", []string{dir}},
		{"Mistral 11", `[TOOL_CALLS]list_dir{"path": "."}`, "", []string{dir}},
		{"Mistral 11, two", `[TOOL_CALLS]list_dir{"path": "."}[TOOL_CALLS]read_file{"path": "a"}</s>`, "", []string{dir, file}},
		{"Mistral 13", `I look.[TOOL_CALLS]list_dir[ARGS]{"path": "."}`, "I look.", []string{dir}},
		{"Mistral with an id", `[TOOL_CALLS]list_dir[CALL_ID]a1b2c3d4e[ARGS]{"path": "."}`, "", []string{dir}},
		{"Mistral, many brackets in a text", `[TOOL_CALLS][{"name": "write_file", "arguments": {"path": "a", "content": "[1] [2] [3] {4} [5] [6] [7] [8] [9] [10] \" ]"}}]`, "",
			[]string{`write_file {"path":"a","content":"[1] [2] [3] {4} [5] [6] [7] [8] [9] [10] \" ]"}`}},
		{"Harmony", `<|channel|>commentary to=functions.list_dir <|constrain|>json<|message|>{"path": "."}<|call|>`, "", []string{dir}},
		{"Harmony, thought first", "<|channel|>analysis<|message|>I could <tool>run_shell(\"id\")</tool>.<|end|><|start|>assistant<|channel|>commentary to=functions.list_dir <|constrain|>json<|message|>{\"path\": \".\"}", "", []string{dir}},
		{"Harmony, recipient in the role", `<|start|>assistant to=functions.list_dir<|channel|>commentary json<|message|>{"path":"."}<|call|>`, "", []string{dir}},
		{"Harmony, preamble", `<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.list_dir<|message|>{"path":"."}<|call|>`, "I look.", []string{dir}},
		{"Kimi K2", `<|tool_calls_section_begin|><|tool_call_begin|>functions.list_dir:0<|tool_call_argument_begin|>{"path": "."}<|tool_call_end|><|tool_call_begin|>functions.read_file:1<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>`, "", []string{dir, file}},
		{"Kimi K2, section lost", `<|tool_call_begin|>functions.list_dir:0<|tool_call_argument_begin|>{"path": "."}<|tool_call_end|>`, "", []string{dir}},
		{"DeepSeek 3.1, section lost", `<｜tool▁call▁begin｜>list_dir<｜tool▁sep｜>{"path":"."}<｜tool▁call▁end｜>`, "", []string{dir}},
		{"DeepSeek 3.2", "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"list_dir\">\n<｜DSML｜parameter name=\"path\" string=\"true\">.</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", "", []string{dir}},
		{"Step", `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="list_dir"><steptml:parameter name="path">.</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`, "", []string{dir}},
		{"Qwen-Agent", "✿FUNCTION✿: list_dir\n✿ARGS✿: {\"path\": \".\"}\n✿RESULT✿: a.txt", "", []string{dir}},
		{"InternLM", "I look.<|action_start|><|plugin|>\n{\"name\": \"list_dir\", \"parameters\": {\"path\": \".\"}}<|action_end|>", "I look.", []string{dir}},
		{"Granite", "<|tool_call|>" + list, "", []string{dir, file}},
		{"Granite 3.1", "<tool_call>" + list, "", []string{dir, file}},
		{"Granite 20B", "<function_call> " + object, "", []string{dir}},
		{"Phi-4", "<|tool_call|>" + list + "<|/tool_call|>", "", []string{dir, file}},
		{"Phi-4 mini", "functools" + list, "", []string{dir, file}},
		{"Command R7B", "<|START_THINKING|>I look.<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"list_dir\", \"parameters\": {\"path\": \".\"}}\n]<|END_ACTION|>", "", []string{dir}},
		{"Command R, the list alone", `[{"tool_name": "list_dir", "parameters": {"path": "."}}]`, "", []string{dir}},
		{"Apertus", `<|tools_prefix|>[{"list_dir": {"path": "."}}]<|tools_suffix|>`, "", []string{dir}},
		{"Nemotron", "<TOOLCALL>" + list + "</TOOLCALL>", "", []string{dir, file}},
		{"Hunyuan", "<tool_calls>\n" + list + "\n</tool_calls>", "", []string{dir, file}},
		{"calls inside a list of calls", "<tool_calls>\n<tool_call>" + object + "</tool_call>\n</tool_calls>", "", []string{dir}},
		{"MiniMax M1", "<tool_calls>\n" + object + "\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_calls>", "", []string{dir, file}},
		{"MiniMax M2", "<minimax:tool_call>\n<invoke name=\"list_dir\">\n<parameter name=\"path\">.</parameter>\n</invoke>\n</minimax:tool_call>", "", []string{dir}},
		{"Seed", "<seed:think>Hm.</seed:think><seed:tool_call>\n<function=list_dir>\n<parameter=path>.</parameter>\n</function>\n</seed:tool_call>", "", []string{dir}},
		{"GLM", "<tool_call>list_dir\n<arg_key>path</arg_key>\n<arg_value>.</arg_value>\n</tool_call>", "", []string{dir}},
		{"GLM 4.7", "I look.<tool_call>write_file<arg_key>path</arg_key><arg_value>a</arg_value><arg_key>content</arg_key><arg_value>x\ny</arg_value></tool_call>", "I look.", []string{`write_file {"path":"a","content":"x\ny"}`}},
		{"MiniCPM", `<function name="list_dir"><param name="path">.</param></function>`, "", []string{dir}},
		{"LongCat", "<longcat_tool_call>" + object + "</longcat_tool_call>", "", []string{dir}},
		{"FunctionGemma", `<start_function_call>call:list_dir{path:<escape>.<escape>}<end_function_call>`, "", []string{dir}},
		{"Gemma in an element", "<tool_code>list_dir(path=\".\")</tool_code>", "", []string{dir}},
		{"LM Studio", "[TOOL_REQUEST]" + object + "[END_TOOL_REQUEST]", "", []string{dir}},
		{"brackets, call", `[tool_call: list_dir(path=".")]`, "", []string{dir}},
		{"brackets, JSON", "I look.\n[tool_call: " + object + "]", "I look.", []string{dir}},
		{"brackets as tags", "[TOOL_CALL]\n" + object + "\n[/TOOL_CALL]", "", []string{dir}},
		{"Magistral", "[THINK]<tool>run_shell(\"id\")</tool>[/THINK][TOOL_CALLS]list_dir[ARGS]{\"path\": \".\"}", "", []string{dir}},
		{"misspelt tag", "<toolcall>" + object + "</toolcall>", "", []string{dir}},
		{"Glaive", `<functioncall> {"name": "list_dir", "arguments": '{"path": "."}'}`, "", []string{dir}},
		{"Cherry Studio", "<tool_use>\n  <name>list_dir</name>\n  <arguments>{\"path\": \".\"}</arguments>\n</tool_use>", "", []string{dir}},
		{"name and arguments as elements", "<tool_call>\n<name>list_dir</name>\n<arguments>\n<path>.</path>\n</arguments>\n</tool_call>", "", []string{dir}},
		{"Cline, MCP", "<use_mcp_tool>\n<server_name>files</server_name>\n<tool_name>list_dir</tool_name>\n<arguments>\n{\"path\": \".\"}\n</arguments>\n</use_mcp_tool>", "", []string{dir}},
		{"Cline", "I look.\n<list_dir>\n<path>.</path>\n</list_dir>", "I look.", []string{dir}},
		{"Cline, tags in a text", "<write_file>\n<path>a.html</path>\n<content>\n<p>x</p>\n</content> <content>\n</content>\n</write_file>", "",
			[]string{`write_file {"path":"a.html","content":"<p>x</p>\n</content> <content>"}`}},
		{"Cline, JSON inside", `<list_dir>{"path": "."}</list_dir>`, "", []string{dir}},
		{"Cline, no arguments", `<system_info></system_info>`, "", []string{"system_info {}"}},
		{"attributes", `<read_file path="a" limit=5 />`, "", []string{`read_file {"path":"a","limit":5}`}},
		{"ReAct, a word", "Thought: I look.\nAction: list_dir\nAction Input: .", "Thought: I look.", []string{dir}},
		{"ReAct, a word and an invention", "Action: list_dir\nAction Input: .\nObservation: a.txt\nFinal Answer: a.txt", "", []string{dir}},
		{"ReAct, a sentence", "Action: run_shell\nAction Input: echo one, two\n", "", []string{`run_shell {"command":"echo one, two"}`}},
		{"ReAct, name=value", "Action: list_dir\nAction Input: path=\".\"\n", "", []string{dir}},
		{"ReAct, quotes", "Action: list_dir\nAction Input: \".\"\n", "", []string{dir}},
		{"ReAct, nothing", "Action: system_info\nAction Input: None", "", []string{"system_info {}"}},
		{"ReAct, call", "Thought: I look.\nAction: list_dir(path=\".\")", "Thought: I look.", []string{dir}},
		{"ReAct, call with a word", "Action: list_dir(.)\n", "", []string{dir}},
		{"ReAct, bold", "**Action:** list_dir\n**Action Input:** {\"path\": \".\"}", "", []string{dir}},
		{"ReAct, fenced", "Action: list_dir\nAction Input:\n```json\n{\"path\": \".\"}\n```", "", []string{dir}},
		{"ReAct, many brackets", "Action: write_file\nAction Input: {\"path\": \"a.c\", \"content\": \"{}{}{}{}{}{}{}{}{}{}\"}", "", []string{`write_file {"path":"a.c","content":"{}{}{}{}{}{}{}{}{}{}"}`}},
		{"LangChain lines", "I look.\nTool: list_dir\nArguments: {\"path\": \".\"}", "I look.", []string{dir}},
		{"function lines", "Function: list_dir\nParameters: {\"path\": \".\"}\n", "", []string{dir}},
		{"Chinese lines", "我来看看。\n工具：list_dir\n参数：{\"path\": \".\"}", "我来看看。", []string{dir}},
		{"NexusRaven", "Call: list_dir(path='.')<bot_end> \nThought: it lists.", "", []string{dir}},
		{"LangChain JSON", `{"tool": "list_dir", "tool_input": {"path": "."}}`, "", []string{dir}},
		{"LangChain JSON with a thought", "```json\n{\"thought\": \"I look\", \"action\": \"list_dir\", \"action_input\": {\"path\": \".\"}}\n```", "", []string{dir}},
		{"name as key", `{"list_dir": {"path": "."}}`, "", []string{dir}},
		{"name as key, fenced", "```json\n{\"list_dir\": {\"path\": \".\"}}\n```", "", []string{dir}},
		{"a message", `{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "list_dir", "arguments": "{\"path\": \".\"}"}}]}`, "", []string{dir}},
		{"legacy message", `{"function_call": {"name": "list_dir", "arguments": "{\"path\": \".\"}"}}`, "", []string{dir}},
		{"calls in a row", "list_dir(path=\".\")\nread_file(\"a\")\n", "", []string{dir, file}},
		{"calls with prose between", "<tool>list_dir(\".\")</tool>\nThen the file:\n<tool>read_file(\"a\")</tool>\nDone.", "Then the file:\n\nDone.", []string{dir, file}},
		{"fullwidth brackets", "<tool>list_dir（“.”）</tool>", "", []string{dir}},
		{"fullwidth everything", "<tool>get_temperature（city＝“長崎，市”，time＝“12/32”）</tool>", "", []string{`get_temperature {"city":"長崎，市","time":"12/32"}`}},
		{"fullwidth, words", "<tool>get_temperature（長崎，12/32）</tool>", "", []string{`get_temperature {"city":"長崎","time":"12/32"}`}},
		{"fullwidth, the whole reply", "get_temperature（city＝\"長崎\"，time＝\"12/32\"）", "", []string{`get_temperature {"city":"長崎","time":"12/32"}`}},
		{"no closing tag between", "<tool_call>" + object + "\n<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}</tool_call>", "", []string{dir, file}},
		{"no closing tag between, calls", "<tool>list_dir(\".\")\n<tool>read_file(\"a\")</tool>", "", []string{dir, file}},
		{"a turn invented", "<tool>list_dir(\".\")</tool>\n<|im_start|>user\nThanks!<|im_end|>", "", []string{dir}},
		{"ReAct in a fence", "```\nAction: list_dir\nAction Input: {\"path\": \".\"}\n```", "", []string{dir}},
		{"Cline in a fence", "```xml\n<list_dir>\n<path>.</path>\n</list_dir>\n```", "", []string{dir}},
		{"attributes and an end", "<read_file path=\"a\"></read_file>", "", []string{file}},
		{"Harmony, tokens taken off", "commentary to=functions.list_dir json {\"path\": \".\"}", "", []string{dir}},
		{"Harmony, more taken off", "assistantcommentary to=functions.list_dir json{\"path\":\".\"}", "", []string{dir}},
		{"a name and an object", "list_dir\n{\"path\": \".\"}", "", []string{dir}},
		{"a name and an object, touching", "list_dir{\"path\": \".\"}", "", []string{dir}},
		{"bare with a prefix", "functions.list_dir({\"path\": \".\"})", "", []string{dir}},
		{"bare with MCP's prefix", "mcp__files__list_dir(path=\".\")", "", []string{dir}},
		{"capital tags", "<TOOL_CALL>" + object + "</TOOL_CALL>", "", []string{dir}},
		{"fullwidth colons", "<tool>get_temperature(city：“東京”，time：“今天”)</tool>", "", []string{`get_temperature {"city":"東京","time":"今天"}`}},
		{"fullwidth JSON", "<tool_call>{“name”：“list_dir”，“arguments”：{“path”：“.”}}</tool_call>", "", []string{dir}},
		{"mixed arguments", `<tool>read_file("a", limit=3, raw=true)</tool>`, "", []string{`read_file {"path":"a","limit":3,"raw":true}`}},
		{"nested quotes", `<tool>write_file(path='a', content='say "it\'s" 「好」')</tool>`, "", []string{`write_file {"path":"a","content":"say \"it's\" 「好」"}`}},
		{"Chinese sentence", "好的，我来列出文件：<tool>list_dir(\".\")</tool>", "好的，我来列出文件：", []string{dir}},
		{"in the sentence that makes it", "I will use <tool>list_dir(\".\")</tool> to list the files.", "I will use  to list the files.", []string{dir}},
		{"in a sequence", "First <tool>list_dir(\".\")</tool> then <tool>read_file(\"a\")</tool>", "First  then", []string{dir, file}},
		{"in a Chinese sentence", "我来用 <tool>list_dir(\".\")</tool> 看看。", "我来用  看看。", []string{dir}},
		{"Czech sentence", "Podívám se do složky. <tool>list_dir(\".\")</tool>", "Podívám se do složky.", []string{dir}},
		{"after an attribute", "See <a href=\"x\">it</a>.\n<tool>list_dir(\".\")</tool>", "See <a href=\"x\">it</a>.", []string{dir}},
		{"after inches", "A 5\" disk. <tool>list_dir(\".\")</tool>", "A 5\" disk.", []string{dir}},
		{"after a quotation", "You said \"list it\". <tool>list_dir(\".\")</tool>", "You said \"list it\".", []string{dir}},
		{"after a block quote", "> list it\n\n<tool>list_dir(\".\")</tool>", "> list it", []string{dir}},
		{"after an apostrophe", "It's the users' folder. <tool>list_dir(\".\")</tool>", "It's the users' folder.", []string{dir}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := everyCut(t, tc.reply)
			if got.Fault != "" {
				t.Errorf("fault: %s", got.Fault)
			}
			if diff := cmp.Diff(tc.calls, got.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if strings.TrimSpace(got.Visible) != tc.visible {
				t.Errorf("visible = %q, want %q", got.Visible, tc.visible)
			}
		})
	}
}
