package toolcall_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/toolcall"
)

// everyCut reads a reply whole, cut in two at every place, and byte by byte, and
// checks that it makes no difference.
func everyCut(t *testing.T, reply string) reading {
	t.Helper()
	want := read(all, reply)
	for i := range len(reply) {
		if got := read(all, reply[:i], reply[i:]); !reflect.DeepEqual(got, want) {
			t.Errorf("cut after %q: %+v instead of %+v", reply[:i], got, want)
		}
	}
	pieces := make([]string, len(reply))
	for i := range len(reply) {
		pieces[i] = reply[i : i+1]
	}
	if diff := cmp.Diff(want, read(all, pieces...)); diff != "" {
		t.Errorf("%q byte by byte (-want +got):\n%s", reply, diff)
	}
	return want
}

// Who writes about markup shows what it wrote, and called nothing.
func TestReaderWordsOfMarkup(t *testing.T) {
	for _, reply := range []string{
		"To write HTML you use the <tool> element, see below.\nMore text follows here.",
		"Qwen writes <tool_call> tags. Then it waits.",
		"In XML: <parameter>x</parameter> closes.",
		"The closing tag is </tool_call>, easy.",
		"<tool> is a tag.\nSo is </tool>.",
		"Hermes begins with <tool_call> and ends with </tool_call>: between them is JSON.",
		"Write <tool></tool> around it.",
		"Qwen3 has <function=name> and <parameter=key>, then </parameter> and </function>.",
		"Qwen3 has <function=name>\n<parameter=…> too.",
		"The <tool> element (see below) is new, and <tool_call> {…} too.",
		"Say <tool>name(argument=\"value\")</tool>, no more.",
		"As in <tool_call>{\"name\": \"x\", \"arguments\": {}}</tool_call> of Hermes.",
		"In Svelte it is <tool>{name}</tool>.",
		"It hopes for <tool>frobnicate(x means to call it.\nThen it waits.",
		"What is <tool>frobnicate(a, b) good for? Nothing.\n",
		"DeepSeek begins with <｜tool▁calls▁begin｜>, Gemma with <|tool_call>, LFM with <|tool_call_start|> and Mistral with [TOOL_CALLS].",
		"<tools>\n  <tool name=\"hammer\">Hammer</tool>\n</tools>",
		"<tool name=\"hammer\" weight=\"2\"/>\n<function name='f' />",
		"The words <invoke name=…> and <function_calls> are markup.",
		"The system answers with <tool_output> and </tool_output>.",
		"<tool_output> is what the system writes.",
		"The tags <think> and </think>, which mark thoughts, are words here.",
		"Action: run away.\nAction Input: none",
		"Action: list_dir\nis what you press.",
		"Action: list_dir\nAction Input: {\"path\": \".\"}\nThat is how ReAct writes it.",
		"list_dir(path=\".\") lists the folder.",
		"list_dir lists, read_file reads.",
		"read_file(path)",
		"read_file(os.getenv(\"HOME\"))",
		"read_file(path=\"a",
		"```python\nlist_dir(path=\".\")\nprint('done')\n```",
		"```python\nlist_dir(folder=\".\")\n```",
		"```tool_code\nprint(sorted(list_dir(path=\".\")))\n```",
		"```tool_code\nlist_dir(path=\".\")\n```\nwould list it.",
		"Shall I read it?\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}",
		"There are two ways. One is JSON.\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}",
		"I will.\n{\"name\": \"Anna\", \"arguments\": {}}",
		"I will.\n```json\n{\"name\": \"read_file\", \"arguments\": {\"file\": \"a\"}}\n```",
		"I will.\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```\nDone.",
		"Write <tool>",
		"Tool: list_dir\nIt lists folders.",
		"Function: list_dir\n\nParameters: path — the folder",
		"Call: list_dir(path='.') to list.",
		"Steps:\n1. Action: list_dir\n2. Action Input: .",
		"<list_dir> is the tag that Cline uses.",
		"```xml\n<list_dir>\n<path>.</path>\n</list_dir>\n```\nshows Cline's form.",
		"{\"list_dir\": {\"count\": 3, \"ok\": true}}",
		"{\"list_dir\": {\"path\": \".\"}, \"read_file\": {\"path\": \"a\"}}",
		"{\"calculate\": {\"result\": 3}}",
		"[{\"name\": \"list_dir\"}, {\"name\": \"read_file\"}]",
		"{\"name\": \"list_dir\", \"description\": \"Lists a folder\", \"parameters\": {\"type\": \"object\"}}",
		"{\"tools\": [{\"name\": \"list_dir\", \"description\": \"Lists\"}]}",
		"{\"thought\": \"It is fine\", \"answer\": 42}",
		"{\"role\": \"assistant\", \"content\": \"Hello\"}",
		"Sure! {\"name\":\"list_dir\",\"arguments\":{\"path\":\".\"}}",
		"It would look like this:\n```json\n{\"name\": \"run_shell\", \"arguments\": {\"command\": \"rm -r build\"}}\n```", // case 7B
		"Example:\n<tool>list_dir(\".\")</tool>",
		"**Example:** <tool>list_dir(\".\")</tool>",
		"例如：<tool>list_dir(\".\")</tool>",
		"Například <tool>list_dir(\".\")</tool>",
		"Příkaz <tool>list_dir(\".\")</tool> vypíše složku.",
		"2026-11-30 12:00 INFO <tool>list_dir(\".\")</tool> ok",
		"[tool_call: list_dir(path=\".\")] took 3 ms",
		"log: [tool_call: list_dir(path=\".\")]",
		"<!-- <tool>list_dir(\".\")</tool> -->",
		"<code><tool>list_dir(\".\")</tool></code>",
		"<pre>\n<tool>list_dir(\".\")</tool>\n</pre>",
		"~~~\n<tool>list_dir(\".\")</tool>\n~~~\nis a fence of tildes.",
		"| form | example |\n|---|---|\n| ours | <tool>list_dir(\".\")</tool> |",
		"[list_dir(path=\".\")](https://example.org) is a link.",
		"level=info msg=\"<tool>list_dir(\\\".\\\")</tool>\" step=1",
		"list_dir {curly} is no call.",
		"commentary to=me is what he wrote.",
		"files/list_dir(path=\".\")",
		"functools[0] is how Python indexes.",
		"Also <|tool_call|> is Granite's token, and ✿FUNCTION✿: is Qwen-Agent's.",
		"list_dir(\".\")，列出文件。",
		"工具：锤子\n参数：无",
		"Harmony has <|channel|> and <|start|>assistant before a role.",
	} {
		if diff := cmp.Diff(reading{Visible: reply}, everyCut(t, reply)); diff != "" {
			t.Errorf("reply %q (-want +got):\n%s", reply, diff)
		}
	}
}

// What can be no call is shown before the reply ends.
func TestReaderShowsWordsOfMarkupSoon(t *testing.T) {
	for _, reply := range []string{
		"Use the <tool> element. See", "Qwen writes <tool_call> tags. It", "It is </tool_call>, easy",
		"A <function=name> and", "Action: run away", "A [TOOL_CALLS] is", "<tool_output> is what", "A </think>, which",
		"list_dir(path=\".\") lists", "```json\n{\"name\": \"list_dir\", \"arguments\": {}}\n```\nSo",
		"A <tool>frobnicate(a, b)</tool> is",
	} {
		if got := toolcall.NewReader(all).Write(reply); got != reply {
			t.Errorf("%q shows only %q", reply, got)
		}
	}
}

func TestReaderForms(t *testing.T) {
	const dir, file = `list_dir {"path":"."}`, `read_file {"path":"a"}`
	for _, tc := range []struct {
		name, reply, visible string
		calls                []string
	}{
		{"attribute and JSON", `<tool name="list_dir">{"path":"."}</tool>`, "", []string{dir}},
		{"attribute, a stop sequence took the end", `I look. <tool name="list_dir">{"path":"."}`, "I look. ", []string{dir}},
		{"attribute, nothing inside", "<tool name='list_dir'></tool>", "", []string{"list_dir {}"}},
		{"attribute of tool_call", `<tool_call name="list_dir">{"path":"."}</tool_call>`, "", []string{dir}},
		{"attribute and parameters", `<tool name="list_dir"><parameter name="path">.</parameter></tool>`, "", []string{dir}},
		{"function attribute", `<function name="list_dir"><parameter name="path">.</parameter></function>`, "", []string{dir}},
		{"invoke", `<invoke name="list_dir"><parameter name="path">.</parameter></invoke>`, "", []string{dir}},
		{"invoke with JSON", `<invoke name="list_dir">{"path":"."}</invoke>`, "", []string{dir}},
		{"invoke in a tag", `<tool_call><invoke name="list_dir"><parameter name="path">.</parameter></invoke></tool_call>`, "", []string{dir}},
		{"invokes in their element", "I look.\n<function_calls>\n<invoke name=\"list_dir\">\n<parameter name=\"path\">.</parameter>\n</invoke>\n<invoke name=\"read_file\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</function_calls>", "I look.", []string{dir, file}},
		{"invoke with its end in a value", `<invoke name="write_file"><parameter name="path">a</parameter><parameter name="content">x </invoke> y</parameter></invoke>`, "",
			[]string{`write_file {"path":"a","content":"x </invoke> y"}`}},
		{"ReAct", "Thought: I look.\nAction: list_dir\nAction Input: {\"path\": \".\"}", "Thought: I look.", []string{dir}},
		{"ReAct with an invented end", "Action: list_dir\nAction Input: {\"path\": \".\"}\nObservation: a.txt\nThought: done", "", []string{dir}},
		{"ReAct, nested", "Action: devide\nAction Input: {\"a\": 1, \"b\": {\"x\": 1}}\n", "", nil},
		{"tool_code", "```tool_code\nlist_dir(path=\".\")\n```", "", []string{dir}},
		{"two in tool_code", "```tool_code\nlist_dir(path=\".\")\nread_file(\"a\")\n```", "", []string{dir, file}},
		{"tool_code after a sentence", "I will look.\n```tool_code\nprint(default_api.list_dir(path=\".\"))\n```", "I will look.", []string{dir}},
		{"a block of Python", "```python\nlist_dir(path=\".\")\n```", "", []string{dir}},
		{"bare expression", `list_dir(path=".")`, "", []string{dir}},
		{"bare expression, bracket in a text", "write_file(path=\"a\", content=\"f(x)\")\n", "", []string{`write_file {"path":"a","content":"f(x)"}`}},
		{"bare expression after a thought", "<think>Hm.</think>\nlist_dir(path=\".\")", "", []string{dir}},
		{"Mistral", `[TOOL_CALLS][{"name": "list_dir", "arguments": {"path": "."}}, {"name": "read_file", "arguments": {"path": "a"}}]`, "", []string{dir, file}},
		{"Mistral after a sentence", `I look. [TOOL_CALLS] [{"name": "list_dir", "arguments": {"path": "."}}]`, "I look. ", []string{dir}},
		{"LFM", `<|tool_call_start|>[list_dir(path=".")]<|tool_call_end|>`, "", []string{dir}},
		{"LFM, two", `<|tool_call_start|>[list_dir(path="."), read_file("a")]<|tool_call_end|>I look.`, "I look.", []string{dir, file}},
		{"tag in the tag", "<tool_call>\n<tool>list_dir(\".\")</tool>\n</tool_call>", "", []string{dir}},
		{"the same tag twice", "<tool>\n<tool>list_dir(\".\")</tool>\n</tool>", "", []string{dir}},
		{"fence in the tag", "<tool_call>\n```json\n{\"name\": \"list_dir\", \"arguments\": {\"path\": \".\"}}\n```\n</tool_call>", "", []string{dir}},
		{"words of markup before a call", "With <tool> I call.\n<tool>list_dir(\".\")</tool>", "With <tool> I call.", []string{dir}},
		{"an open example before a call", "As <tool>frob(x) says.\n<tool>list_dir(\".\")</tool>", "As <tool>frob(x) says.", []string{dir}},
		{"leftover right behind", "<tool>list_dir(\".\")</tool>\n</tool_call>", "", []string{dir}},
		{"closing tag as a word behind a call", "<tool>list_dir(\".\")</tool> ends with </tool>.", "ends with </tool>.", []string{dir}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := everyCut(t, tc.reply)
			if (got.Fault != "") != (tc.calls == nil) {
				t.Errorf("fault: %s", got.Fault)
			}
			if diff := cmp.Diff(tc.calls, got.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if strings.TrimSpace(got.Visible) != strings.TrimSpace(tc.visible) {
				t.Errorf("visible = %q, want %q", got.Visible, tc.visible)
			}
		})
	}
}

// What began as a call of an offered tool, or begins a line as a call, is not
// shown and not lost without a word.
func TestReaderFormsFail(t *testing.T) {
	for _, tc := range []struct{ name, reply, visible, fault string }{
		{"name cut off", "I look. <tool>list_d", "I look. ", "There is no tool"},
		{"name cut off in JSON", `<tool_call>{`, "", "breaks off"},
		{"unclosed after an offered name", "I look. <tool>list_dir path=.\nDone.", "I look. ", "is not a call"},
		{"unknown at the beginning of a line", "Look:\n<tool>frobnicate(1)</tool>", "Look:", "There is no tool named"},
		{"unknown at the end of a line", "Look: <tool>frobnicate(1)</tool>\n", "Look: ", "There is no tool named"},
		{"element with a wrong argument", `<tool name="read_file">{"file":"a"}</tool>`, "", `"file" is not known`},
		{"arguments as attributes", `<tool name="list_dir" path="."/>`, "", "arguments belong between the tags"},
		{"element cut off", `<tool name="write_file"><parameter name="path">a</parameter><parameter name="content">Use </parameter>`, "", "breaks off"},
		{"invoke cut off", `<invoke name="list_dir"><parameter name="path">.</parameter>`, "", "breaks off before </invoke>"},
		{"invokes cut off", `<function_calls><invoke name="list_dir"><parameter name="path">.</parameter>`, "", "breaks off"},
		{"value with a whole closing", `<invoke name="write_file"><parameter name="path">a</parameter><parameter name="content">x</parameter></invoke> y</parameter></invoke>`, " y", "too many"},
		{"ReAct without JSON's end", "Action: list_dir\nAction Input: {\"path\": \".\"", "", "breaks off"},
		{"ReAct with a wrong argument", "Action: read_file\nAction Input: {\"file\": \"a\"}", "", `"file" is not known`},
		{"Mistral cut off", `[TOOL_CALLS][{"name": "list_dir", "arguments": {`, "", "breaks off"},
		{"bare expression with a wrong argument", `read_file(file="a")`, "", `"file" is not known`},
		{"an empty marker", "A <｜tool▁calls▁begin｜><｜tool▁call▁begin｜><｜tool▁calls▁end｜>\n", "A <｜tool▁calls▁begin｜><｜tool▁call▁begin｜><｜tool▁calls▁end｜>\n", ""},
		{"invented output in a reply of its own", "I look.\n<tool_output>{\"a\": 1}</tool_output>\nIt is 1.", "I look.", "no tool was called"},
		{"unknown, Qwen-Agent", "✿FUNCTION✿: frob\n✿ARGS✿: {}", "", "There is no tool named"},
		{"unknown, ReAct", "Thought: I go.\nAction: frob\nAction Input: {\"a\": 1}", "Thought: I go.", "There is no tool named"},
		{"unknown, Harmony", "<|channel|>commentary to=functions.frob<|message|>{}<|call|>", "", "There is no tool named"},
		{"Mistral, a name alone", "[TOOL_CALLS]list_dir", "", "breaks off"},
		{"Mistral, cut off in the arguments", "[TOOL_CALLS]list_dir[ARGS]{\"path\": \"", "", "breaks off"},
		{"Harmony, cut off", "<|channel|>commentary to=functions.list_dir <|constrain|>json<|message|>{\"pa", "", "breaks off"},
		{"Kimi, cut off", "<|tool_calls_section_begin|><|tool_call_begin|>functions.list_dir:0<|tool_call_argument_begin|>{\"pa", "", "breaks off"},
		{"GLM, cut off", "<tool_call>list_dir\n<arg_key>path</arg_key>\n<arg_value>.", "", "breaks off"},
		{"Cline, cut off", "<write_file>\n<path>a</path>\n<content>half", "", "breaks off"},
		{"attributes, cut off", "<read_file path=\"a\"", "", "breaks off"},
		{"bare JSON and a text", "{\"name\":\"list_dir\",\"arguments\":{}}\n\nThis lists the files.", "{\"name\":\"list_dir\",\"arguments\":{}}\n\nThis lists the files.", "did not run"},
		{"a path as invented output", "<tool_output>./a.txt", "", "no tool was called"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := everyCut(t, tc.reply)
			if len(got.Calls) > 0 {
				t.Errorf("calls = %v, want none", got.Calls)
			}
			if !strings.Contains(got.Fault, tc.fault) || (got.Fault == "") != (tc.fault == "") {
				t.Errorf("fault = %q, want one that contains %q", got.Fault, tc.fault)
			}
			if strings.TrimSpace(got.Visible) != strings.TrimSpace(tc.visible) {
				t.Errorf("visible = %q, want %q", got.Visible, tc.visible)
			}
		})
	}
}

// A sentence and a call in the form of an example: it stays to be seen, does not
// run, and the model hears of it.
func TestReaderUnmarkedCall(t *testing.T) {
	for _, reply := range []string{
		"I will read it:\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.md\"}}\n```",
		"I will read a.md.\n\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.md\"}}\n",
		"I will read it: {\"name\": \"read_file\", \"arguments\": {\"path\": \"a.md\"}}",
		"I will read it.\nread_file(path=\"a.md\")",
		"I will read it.\n```\n<tool>read_file(path=\"a.md\")</tool>\n```",
		"让我看看。\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.md\"}}\n```",
		"Podívám se do něj:\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.md\"}}\n```",
	} {
		got := everyCut(t, reply)
		if got.Visible != reply || len(got.Calls) > 0 || !strings.Contains(got.Fault, "did not run") {
			t.Errorf("reply %q became %+v", reply, got)
		}
	}
	r := toolcall.NewReader(all)
	r.Write("I will.\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.md\"}}")
	_, _, fault := r.Close()
	want := "\nA right call looks like this:\n<tool>read_file(path=\"…\")</tool>"
	if got := fault.Correction(loci.MarkupTool); !strings.HasSuffix(got, want) || fault.Tool != "read_file" {
		t.Errorf("the correction is %q, and does not end in %q", got, want)
	}
}

// Messages are sentences.
func TestReaderFaultSentences(t *testing.T) {
	for _, tc := range []struct{ reply, want string }{
		{`<tool>read_file(path="a)</tool>`, `The argument "path" has no end: a quotation mark or bracket is not closed.`},
		{`<tool>read_file("a)</tool>`, `The call breaks off in the middle, after "read_file(\"a)"; a quotation mark or bracket is not closed.`},
		{`<tool_call>{"name":"read_file","arguments":{"path":"a}}</tool_call>`, `The argument "path" has no end: a quotation mark or bracket is not closed.`},
	} {
		if got := everyCut(t, tc.reply); got.Fault != tc.want || got.Cut {
			t.Errorf("%s: fault = %q, want %q", tc.reply, got.Fault, tc.want)
		}
	}
}

func TestRestoreElement(t *testing.T) {
	const cut = `I look. <tool name="list_dir">{"path":"."}`
	if got := toolcall.Restore(cut); got != cut+"</tool>" {
		t.Errorf("restored: %q", got)
	}
}

// A tool's name may be a word, and then sentences have it.
func TestReaderToolNamedLikeAWord(t *testing.T) {
	search := tool("search", `{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`)
	const reply = "search for it, or use the <tool> search field. Search (not find) is it."
	if diff := cmp.Diff(reading{Visible: reply}, read([]loci.ToolSpec{search}, reply)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
