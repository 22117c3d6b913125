package toolcall_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/toolcall"
)

func tool(name, parameters string) loci.ToolSpec {
	return loci.ToolSpec{Name: name, Description: "Does " + name + ".", Parameters: json.RawMessage(parameters)}
}

var (
	readFile = tool("read_file", `{"type":"object","properties":{
		"path":{"type":"string","description":"the path of the file"},
		"limit":{"type":["integer","null"]},"raw":{"type":"boolean"}},"required":["path"],"additionalProperties":false}`)
	writeFile = tool("write_file", `{"type":"object","properties":{
		"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`)
	listDir    = tool("list_dir", `{"type":"object","properties":{"path":{"type":"string"}}}`)
	deleteFile = tool("delete_file", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	runShell   = tool("run_shell", `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)
	multiply   = tool("multiply", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)
	divide     = tool("devide", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)
	weather    = tool("get_temperature", `{"type":"object","properties":{"city":{"type":"string"},"time":{"type":"string"}},"required":["city","time"]}`)
	calculate  = tool("calculate", `{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`)
	systemInfo = tool("system_info", `{"type":"object"}`)
	all        = []loci.ToolSpec{readFile, writeFile, listDir, deleteFile, runShell, multiply, divide, weather, calculate, systemInfo}
)

// reading is what a Reader made of a reply, calls as "name {arguments}".
type reading struct {
	Visible, Thought string
	Calls            []string
	Fault            string
	Cut              bool
}

func read(offered []loci.ToolSpec, pieces ...string) reading {
	return collect(offered, func(*toolcall.Reader) {}, pieces...)
}

// collect reads a reply with a Reader that was prepared for it.
func collect(offered []loci.ToolSpec, prepare func(*toolcall.Reader), pieces ...string) reading {
	r := toolcall.NewReader(offered)
	prepare(r)
	var got reading
	var visible, thought strings.Builder
	for _, p := range pieces {
		visible.WriteString(r.Write(p))
		thought.WriteString(r.Reasoning())
	}
	rest, calls, fault := r.Close()
	got.Visible = visible.String() + rest
	got.Thought = thought.String() + r.Reasoning()
	for _, c := range calls {
		got.Calls = append(got.Calls, c.Name+" "+string(c.Arguments))
	}
	if fault != nil {
		got.Fault, got.Cut = fault.Message(), fault.Cut
	}
	return got
}

func TestReaderCalls(t *testing.T) {
	for _, tc := range []struct {
		name, reply string
		visible     string
		calls       []string
	}{
		{"seed 004, first turn", "<tool>multiply(111, 222)</tool>", "", []string{`multiply {"a":111,"b":222}`}},
		{"seed 004, second turn", "<tool>devide(24642, 777)</tool>", "", []string{`devide {"a":24642,"b":777}`}},
		{"seed 004, Chinese texts", `<tool>get_temperature(city="長崎", time="12/32")</tool>`, "", []string{`get_temperature {"city":"長崎","time":"12/32"}`}},
		{"Chinese texts without quotes", `<tool>get_temperature(長崎, 12/32)</tool>`, "", []string{`get_temperature {"city":"長崎","time":"12/32"}`}},
		{"Chinese quotes", `<tool>get_temperature(city=「長崎」, time=“12/32”)</tool>`, "", []string{`get_temperature {"city":"長崎","time":"12/32"}`}},
		{"case 2A trailing commas", "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"notes/plan.md\",},}\n</tool_call>", "", []string{`read_file {"path":"notes/plan.md"}`}},
		{"case 2B raw line break", "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"a.md\", \"content\": \"line one\nline two\"}}\n</tool_call>", "", []string{`write_file {"path":"a.md","content":"line one\nline two"}`}},
		{"case 4A no opening tag", "<function=read_file>\n<parameter=path>\ndocs/guide.md\n</parameter>\n</function>\n</tool_call>", "", []string{`read_file {"path":"docs/guide.md"}`}},
		{"case 4B tags in the value", "<tool_call>\n<function=write_file>\n<parameter=path>\nt.txt\n</parameter>\n<parameter=content>\nClose a value with </parameter> and a call with </tool_call>, then stop.\n</parameter>\n</function>\n</tool_call>", "",
			[]string{`write_file {"path":"t.txt","content":"Close a value with </parameter> and a call with </tool_call>, then stop."}`}},
		{"case 5A list after prose", "Let me look at both files first.\n\n[read_file(path=\"a (1).txt\"), read_file(path='it\\'s.txt', limit=None, raw=True)]", "Let me look at both files first.\n\n",
			[]string{`read_file {"path":"a (1).txt"}`, `read_file {"path":"it's.txt","limit":null,"raw":true}`}},
		{"case 5B DeepSeek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{\"path\":\"a.txt\"}\n```<｜tool▁call▁end｜>", "", []string{`read_file {"path":"a.txt"}`}},
		{"DeepSeek 3.1", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{\"path\":\"a.txt\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "", []string{`read_file {"path":"a.txt"}`}},
		{"case 5C Gemma", `<|tool_call>call:read_file{path:<|"|>a.txt<|"|>,limit:5}<tool_call|>`, "", []string{`read_file {"path":"a.txt","limit":5}`}},
		{"case 7A whole reply fenced", "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"README.md\"}}\n```", "", []string{`read_file {"path":"README.md"}`}},
		{"whole reply bare", `{"name": "read_file", "arguments": {"path": "README.md"}}`, "", []string{`read_file {"path":"README.md"}`}},
		{"whole reply bare, other keys", `{'tool': 'readFile', 'args': {'path': 'README.md'}}`, "", []string{`read_file {"path":"README.md"}`}},
		{"whole reply bare, arguments as text", `{"name": "read_file", "arguments": "{\"path\": \"README.md\"}"}`, "", []string{`read_file {"path":"README.md"}`}},
		{"whole reply bare, OpenAI form", `{"type":"function","function":{"name":"read_file","arguments":{"path":"a"}}}`, "", []string{`read_file {"path":"a"}`}},
		{"whole reply bare, arguments first", `{"arguments":{"path":"a"},"name":"read_file"}`, "", []string{`read_file {"path":"a"}`}},
		{"whole reply a list", `[{"name":"list_dir","arguments":{}},{"name":"read_file","arguments":{"path":"a"}}]`, "", []string{`list_dir {}`, `read_file {"path":"a"}`}},
		{"opening tag lost", "{\"name\": \"list_dir\", \"arguments\": {}}\n</tool_call>", "", []string{`list_dir {}`}},
		{"whole reply fenced markup", "```\n<tool>list_dir(\".\")</tool>\n```", "", []string{`list_dir {"path":"."}`}},
		{"whole reply in backticks", "`<tool>list_dir(\".\")</tool>`", "", []string{`list_dir {"path":"."}`}},
		{"closing tag taken by a stop sequence", `I look. <tool>list_dir(path=".")`, "I look. ", []string{`list_dir {"path":"."}`}},
		{"closing tag in a text", `<tool>write_file(path="a", content="x </tool> y")</tool>`, "", []string{`write_file {"path":"a","content":"x </tool> y"}`}},
		{"two calls", "<tool>list_dir()</tool>\n<tool>read_file('a')</tool>", "", []string{`list_dir {}`, `read_file {"path":"a"}`}},
		{"two calls in one tag", "<tool>\nlist_dir()\nread_file('a')\n</tool>", "", []string{`list_dir {}`, `read_file {"path":"a"}`}},
		{"name alone", "<tool>system_info</tool>", "", []string{`system_info {}`}},
		{"JSON in tool tag", `<tool>{"name":"list_dir","arguments":{"path":"/tmp"}}</tool>`, "", []string{`list_dir {"path":"/tmp"}`}},
		{"object as the only argument", `<tool>read_file({"path": "a.txt"})</tool>`, "", []string{`read_file {"path":"a.txt"}`}},
		{"name before an object", "<tool_call>read_file\n{\"path\": \"a.txt\"}</tool_call>", "", []string{`read_file {"path":"a.txt"}`}},
		{"path without quotes", `<tool>read_file(notes/my file.md)</tool>`, "", []string{`read_file {"path":"notes/my file.md"}`}},
		{"keyword path without quotes", `<tool>read_file(path=C:\notes\a.md, limit=3)</tool>`, "", []string{`read_file {"path":"C:\\notes\\a.md","limit":3}`}},
		{"expression without quotes", `<tool>calculate(111 x 222 / 777)</tool>`, "", []string{`calculate {"expression":"111 x 222 / 777"}`}},
		{"expression with brackets", `<tool>calculate((3+4)*5)</tool>`, "", []string{`calculate {"expression":"(3+4)*5"}`}},
		{"expression with a comma", `<tool>calculate(max(2, 3) * 2)</tool>`, "", []string{`calculate {"expression":"max(2, 3) * 2"}`}},
		{"function prefix and camel case", `<tool>functions.listDir(Path=".")</tool>`, "", []string{`list_dir {"path":"."}`}},
		{"triple quotes", "<tool>write_file(\"a\", \"\"\"say \"hi\"\nand go\"\"\")</tool>", "", []string{`write_file {"path":"a","content":"say \"hi\"\nand go"}`}},
		{"after a thought", "<think>I could <tool>run_shell(\"rm\")</tool></think>\n\n<tool>list_dir()</tool>", "", []string{`list_dir {}`}},
		{"invented output is cut off", "<tool>list_dir()</tool>\n<tool_output>a.txt</tool_output>\nThere is a.txt.", "", []string{`list_dir {}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := read(all, tc.reply)
			if got.Fault != "" {
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

func TestReaderProse(t *testing.T) {
	for _, reply := range []string{
		"Use [see_docs(page=3)] for details.", // case 5D
		"It would look like this:\n```json\n{\"name\": \"run_shell\", \"arguments\": {\"command\": \"rm -r build\"}}\n```\nI have not run it.", // case 7B
		"```json\n{\"name\":\"Anna\",\"arguments\":{\"age\":3}}\n```",                                                                          // case 7D
		"```json\n{\"name\": \"run_shell\", \"arguments\": {\"command\": \"id\"}}\n```\nThat would be the call.",
		"{\"name\": \"Anna\", \"age\": 3}",
		"{\"answer\": 42}",
		"{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}}}",
		"[1, 2, 3]",
		"[]",
		"{",
		"```python\nprint('<tool>list_dir()</tool>')\n```\nThat prints it.",
		"```xml\n<tool name=\"x\"/>\n```",
		"Markup such as `<tool>list_dir()</tool>` calls a tool.",
		"Look:\n\n- ```\n  <tool>run_shell(\"id\")</tool>\n  ```\n",
		"a < b and b <to c, x[0] <",
		"if (a<tool) {}",
		"A backtick ` alone\nand ``two `inside` `` too.",
		"One line\n\n  indented\n",
		"Čeština a 中文 se ukážou hned.",
	} {
		got := read(all, reply)
		if diff := cmp.Diff(reading{Visible: reply}, got); diff != "" {
			t.Errorf("reply %q (-want +got):\n%s", reply, diff)
		}
	}
}

func TestReaderFaults(t *testing.T) {
	for _, tc := range []struct {
		name, reply, visible, fault string
		cut                         bool
	}{
		{"case 2C lost quote", "<tool_call>\n{\"name\": \"read_file \"arguments\": {\"path\": \"notes/plan.md\"}}\n</tool_call>", "", "arguments", false},
		{"case 10A cut", `<tool_call>{"name":"write_file","arguments":{"path":"report.md","content":"# Report\n\n## Part 1\nSome te`, "", "breaks off", true},
		{"case 10A cut, bare", `{"name":"write_file","arguments":{"path":"report.md","content":"# Report\n\n## Part 1\nSome te`, "", "breaks off", true},
		{"case 10A cut, call form", `I write it. <tool>write_file("report.md", "# Report`, "I write it. ", "breaks off", true},
		{"case 10C cut before the brackets", `<tool>run_shell("rm -r data"`, "", "breaks off", true},
		{"cut after a tag inside a value", "<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\nUse </parameter>", "", "</function>", true},
		{"cut number", `<tool>multiply(111, 22`, "", "breaks off", true},
		{"value with a whole closing", "<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\nx</parameter></function> and more\n</parameter>\n</function>", " and more\n\n", "too many", false},
		{"case 11D unknown", `<tool>execute_python("1")</tool>`, "", `There is no tool named "execute_python"`, false},
		{"case 11E not guessed", `<tool>delete("a")</tool>`, "", `There is no tool named "delete"`, false},
		{"case 11F empty", `<tool_call>{"name":"","arguments":{}}</tool_call>`, "", "does not name a tool", false},
		{"missing argument", `<tool>read_file()</tool>`, "", `The argument "path" is missing. It must be a text: the path of the file.`, false},
		{"wrong type", `<tool>multiply(a="x", b=2)</tool>`, "", `The argument "a" is "x". It must be a number.`, false},
		{"unknown argument", `<tool>read_file(path="a", mode="r")</tool>`, "", `"mode" is not known`, false},
		{"too many arguments", `<tool>list_dir("a", "b")</tool>`, "", "too many", false},
		{"nothing is evaluated", `<tool>read_file(path=os.getenv("HOME"))</tool>`, "", "expected a text in quotes", false},
		{"given twice", `<tool>read_file("a", path="b")</tool>`, "", "given twice", false},
		{"whole reply with a wrong argument", `{"name":"read_file","arguments":{"file":"a"}}`, "", `"file" is not known`, false},
		{"whole reply broken", "{\"name\":\"read_file\",, \"arguments\":{\"path\":\"a\"}}", "", "broken", false},
		{"no call in the tag", `<tool_call>{"path":"a"}</tool_call>`, "", `needs a "name"`, false},
		{"empty tag", `<tool></tool>Well.`, "Well.", "empty", false},
		{"invented output", "<tool_output>a.txt</tool_output>There is a.txt.", "", "no tool was called", false},
		{"a fence behind a fault", "<tool>read_file()</tool>\n\n```xml\n<a/>\n```\nDone.", "```xml\n<a/>\n```\nDone.", "is missing", false},
		{"quote not closed", `<tool>list_dir("a)</tool> Done.`, " Done.", "not closed", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := read(all, tc.reply)
			if len(got.Calls) > 0 {
				t.Errorf("calls = %v, want none", got.Calls)
			}
			if !strings.Contains(got.Fault, tc.fault) || got.Fault == "" {
				t.Errorf("fault = %q, want one that contains %q", got.Fault, tc.fault)
			}
			if got.Cut != tc.cut {
				t.Errorf("cut = %v, want %v", got.Cut, tc.cut)
			}
			if strings.TrimSpace(got.Visible) != strings.TrimSpace(tc.visible) {
				t.Errorf("visible = %q, want %q", got.Visible, tc.visible)
			}
		})
	}
}

func TestReaderThoughts(t *testing.T) {
	for _, tc := range []struct {
		reply string
		want  reading
	}{
		{"<think>Hm, <tool>list_dir()</tool>?</think>\n\nHello", reading{Visible: "Hello", Thought: "Hm, <tool>list_dir()</tool>?"}},
		{"<think>never ends <tool>list_dir()</tool>", reading{Thought: "never ends <tool>list_dir()</tool>"}},
		{"<thinking>a</thinking>{\"name\":\"list_dir\",\"arguments\":{}}", reading{Thought: "a", Calls: []string{"list_dir {}"}}},
		{"I could <tool>list_dir()</tool>\n</think>\nHello", reading{Visible: "I could \n\nHello"}},
		{"The <think> tag marks thoughts.", reading{Visible: "The <think> tag marks thoughts."}},
	} {
		if diff := cmp.Diff(tc.want, read(all, tc.reply)); diff != "" {
			t.Errorf("reply %q (-want +got):\n%s", tc.reply, diff)
		}
	}
}

func TestReaderWithoutTools(t *testing.T) {
	const reply = "<tool>list_dir()</tool> and {\"name\":\"list_dir\"}"
	if diff := cmp.Diff(reading{Visible: reply, Thought: "x"}, read(nil, "<think>x</think>"+reply)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReaderShowsProseAtOnce(t *testing.T) {
	r := toolcall.NewReader(all)
	shown := ""
	const reply = "Prose flows, a < b, x[1], `code` and\n\na new line <b>bold</b>."
	for i, c := range reply {
		shown += r.Write(string(c))
		if held := i + 1 - len(shown); held > len("<｜tool▁calls▁begin｜>") {
			t.Fatalf("after %q, %d bytes are held back", reply[:i+1], held)
		}
	}
	if got := read(all, reply).Visible; got != reply {
		t.Errorf("visible = %q", got)
	}
}

// TestReaderPieces checks that the cuts between pieces make no difference.
func TestReaderPieces(t *testing.T) {
	for _, reply := range []string{
		"Look.\n\n<tool>write_file(path=\"a\", content=\"x </tool> y\")</tool> `<tool>` ``` <tool>x</tool> ``` done",
		"<think>a</think>\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"README.md\"}}\n```\n",
		"[read_file(path=\"a]b\")]</tool_call><function=list_dir></function>\n",
		"<tool>list_dir(\"a)</tool> Done <tool_output>x",
	} {
		want := read(all, reply)
		for i := range len(reply) {
			if diff := cmp.Diff(want, read(all, reply[:i], reply[i:])); diff != "" {
				t.Errorf("cut after %q (-want +got):\n%s", reply[:i], diff)
			}
		}
		if diff := cmp.Diff(want, read(all, strings.Split(reply, "")...)); diff != "" {
			t.Errorf("one character at a time (-want +got):\n%s", diff)
		}
	}
}

func TestReaderIsLinear(t *testing.T) {
	for _, unit := range []string{"<tool>a(\"</tool>", "</tool>", "<tool>", "`", "[", "<function=a>", "<think>a</think>", "{\"name\":\"list_dir\"}", "[list_dir(\"]",
		"<tool>a(", "a <tool>a(", "a <tool>a()</tool> ", "list_dir(", "list_dir()", "Action: list_dir\nAction Input: {}\n", "Action: list_dir\nAction Input: {",
		"[TOOL_CALLS][{", "[TOOL_CALLS]a{", "[TOOL_CALLS]list_dir{'", "<list_dir><path>", "<list_dir><path>.</path>", "<list_dir path=", "\"<tool>a(", "“<tool>list_dir()</tool>", "> <tool>", "~~~\n",
		"|<tool>|", "<reasoning>", "<|channel|>", "<|channel|>analysis<|message|>", "<|tool_call_begin|>", "✿FUNCTION✿: list_dir\n✿ARGS✿: ", "Action: list_dir(", "list_dir()\n", "（",
		"<tool>list_dir(（", "<tool_call>a<arg_key>", "example: <tool>list_dir()</tool> ", "a <tool>list_dir()</tool> b ", "'", "{\"list_dir\":", "<tool_call>{a", "<invoke name=a><parameter=b>", "</parameter>", "{\n", "a\n{\"name\":\"list_dir\"}", "</think>, "} {
		linear(t, unit, func(reply string) { read(all, reply) })
		linear(t, unit, func(reply string) {
			r := toolcall.NewReader(all)
			for len(reply) > 0 {
				n := min(len(reply), 64)
				r.Write(reply[:n])
				reply = reply[n:]
			}
			r.Close()
		})
	}
}

// Attributes with names of their own, as no repeated text has.
func TestAttributesAreLinear(t *testing.T) {
	linear(t, "x", func(input string) {
		var b strings.Builder
		b.WriteString("<list_dir path=a")
		for i := 0; b.Len() < len(input); i++ {
			fmt.Fprintf(&b, " a%d=%d b%d=\"%d\"", i, i, i, i)
		}
		read(all, b.String()+"/>")
	})
}

// linear checks that eight times the input takes nowhere near 64 times as long.
// On a busy machine one measurement says little, so several get the chance.
func linear(t *testing.T, unit string, f func(input string)) {
	t.Helper()
	if testing.Short() {
		t.Skip("measures time")
	}
	cost := func(n int) time.Duration {
		input := strings.Repeat(unit, n/len(unit))
		began := time.Now()
		f(input)
		return time.Since(began)
	}
	var small, large time.Duration
	for range 10 {
		if small, large = cost(8<<10), cost(64<<10); large < 32*small {
			return
		}
	}
	t.Errorf("%q: 8 times the length takes %v instead of %v", unit, large, small)
}

func ExampleReader() {
	r := toolcall.NewReader([]loci.ToolSpec{multiply})
	fmt.Print(r.Write("Let me multiply.\n<tool>mult"))
	fmt.Print(r.Write("iply(111, 222)</tool>"))
	_, calls, _ := r.Close()
	fmt.Println(calls[0].Name, string(calls[0].Arguments))
	// Output:
	// Let me multiply.
	// multiply {"a":111,"b":222}
}

func FuzzReader(f *testing.F) {
	f.Add("Look <tool>list_dir()</tool>\n<tool_output>", 5)
	f.Add("<think>a</think>```json\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n```", 20)
	f.Add("[read_file(path=\"a\")]<function=list_dir></function></parameter>", 7)
	f.Add("<|tool_call>call:read_file{path:<|\"|>a<|\"|>}<tool_call|>", 9)
	f.Add("As <tool>frob(x) says <tool_call> tags, </tool>\n<tool name=\"list_dir\">{\"path\":\".\"}</tool>", 8)
	f.Add("<function_calls><invoke name=\"list_dir\"><parameter name=\"path\">.</parameter></invoke></function_calls>", 30)
	f.Add("Thought\nAction: list_dir\nAction Input: {\"path\": \".\"}\nObservation: x", 60)
	f.Add("I look:\n```json\n{\"name\":\"list_dir\",\"arguments\":{}}\n```", 12)
	f.Add("[TOOL_CALLS][{\"name\":\"list_dir\"}]<|tool_call_start|>[list_dir()]<|tool_call_end|>", 12)
	f.Add("list_dir(path=\".\")\n", 12)
	f.Add("list_dir(path=\".\")\nread_file（“a”）\n", 30)
	f.Add("[TOOL_CALLS]list_dir[ARGS]{\"path\": \".\"}[TOOL_CALLS]read_file{\"path\": \"a\"}", 20)
	f.Add("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.list_dir<|message|>{}<|call|>", 50)
	f.Add("<|tool_calls_section_begin|><|tool_call_begin|>functions.list_dir:0<|tool_call_argument_begin|>{}<|tool_call_end|>", 50)
	f.Add("I look.\n<list_dir>\n<path>.</path>\n</list_dir>\n<read_file path=\"a\"/>", 20)
	f.Add("<tool_call>list_dir\n<arg_key>path</arg_key><arg_value>.</arg_value></tool_call>", 20)
	f.Add("You said \"<tool>list_dir()</tool>\", and „<tool>list_dir()</tool>“.\n| <tool>list_dir()</tool> |\n~~~\n<tool>list_dir()</tool>\n~~~", 12)
	f.Add("✿FUNCTION✿: list_dir\n✿ARGS✿: .\n✿RESULT✿: x", 25)
	f.Add("**Action:** list_dir\n**Action Input:** path='.'\n", 30)
	f.Add("<tool_use><name>list_dir</name><arguments>{\"path\": \".\"}</arguments></tool_use><reasoning><tool>list_dir()</tool></reasoning>", 30)
	f.Add("[tool_call: list_dir(path=\".\")]\n{\"list_dir\": {\"path\": \".\"}} and", 33)
	f.Fuzz(func(t *testing.T, reply string, cut int) {
		want := read(all, reply)
		cut = min(max(cut, 0), len(reply))
		if diff := cmp.Diff(want, read(all, reply[:cut], reply[cut:])); diff != "" {
			t.Errorf("cut at %d (-want +got):\n%s", cut, diff)
		}
		// Where nothing was called and nothing found fault with, all is there but
		// the tags of thoughts.
		if seen, all := words(want.Visible)+words(want.Thought), words(reply); len(want.Calls) == 0 && want.Fault == "" && seen != all && !tokens.MatchString(reply) {
			t.Errorf("of %q, %q and %q are left", reply, want.Visible, want.Thought)
		}
		// What a tool has returned never runs, and neither does a block quote.
		if got := collect(all, func(r *toolcall.Reader) { r.Quotable("", reply) }, reply); len(got.Calls) > 0 {
			t.Errorf("out of a tool's output came %v", got.Calls)
		}
		if got := read(all, "> "+strings.ReplaceAll(reply, "\n", "\n> ")); len(got.Calls) > 0 && !tokens.MatchString(reply) {
			t.Errorf("out of a block quote came %v", got.Calls)
		}
		for _, c := range want.Calls {
			name, arguments, _ := strings.Cut(c, " ")
			if _, ok := toolcall.Name(name, all); !ok || !json.Valid([]byte(arguments)) {
				t.Errorf("call %s", c)
			}
		}
	})
}

// tokens are those of thoughts and channels, which are no words.
var tokens = regexp.MustCompile(`<\||</think|THINK\]|seed:think|<channel\|>`)

// words counts the bytes that are neither white space nor the tags of thoughts.
func words(s string) int {
	s = strings.NewReplacer("<think>", "", "<thinking>", "", " ", "", "\t", "", "\r", "", "\n", "").Replace(s)
	return len(s)
}
