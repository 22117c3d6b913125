package toolcall

import (
	"fmt"
	"slices"
	"strings"

	"loci"
)

// Describe is the text that teaches a model without native tool calls how to
// use these tools. The same tools always give the same bytes, because the text
// is part of a prompt that must not move. One line a tool keeps it near 300
// tokens for the seven that only look: with their whole schemas it would be
// three times as long, and a model of this size would read it no better.
func Describe(tools []loci.ToolSpec) string {
	if len(tools) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`To use a tool, write a line of this form and stop there:
<tool>name(argument="value")</tool>
Then wait for <tool_output>…</tool_output>, which only the system writes. Texts stand in quotes; arguments with ? may be left out.
Tools:
`)
	b.WriteString(Lines(tools))
	for _, t := range tools {
		if s, err := Compile(t); err == nil && strings.Contains(s.marked(), "=") {
			b.WriteString("Example: " + s.marked())
			break
		}
	}
	return strings.TrimSpace(b.String())
}

// Lines describes each tool in a line.
func Lines(tools []loci.ToolSpec) string {
	var b strings.Builder
	for _, t := range tools {
		parameters := t.Name + "()"
		if s, err := Compile(t); err == nil {
			parameters = s.signature()
		}
		fmt.Fprintf(&b, "%s: %s\n", parameters, firstSentence(t.Description, 150))
	}
	return b.String()
}

// signature names the tool and its parameters; optional ones are marked.
func (s *Schema) signature() string {
	names := make([]string, len(s.order))
	for i, name := range s.order {
		names[i] = name
		if !slices.Contains(s.root.Required, name) {
			names[i] += "?"
		}
	}
	return s.tool + "(" + strings.Join(names, ", ") + ")"
}

// marked is an example call in the form that Describe teaches.
func (s *Schema) marked() string {
	args := make([]string, len(s.example.fields))
	for i, f := range s.example.fields {
		args[i] = f.name + "=" + string(f.value.appendJSON(nil))
	}
	return "<tool>" + s.tool + "(" + strings.Join(args, ", ") + ")</tool>"
}

// Stops are the stop sequences for a model that was taught by [Describe]: what
// it writes after a call, it writes without the result, so it is better not
// written at all. A server takes the sequence off the reply; the Reader does not
// need it. A text argument that holds one of them is cut there, which the
// Reader reports as a call that breaks off.
func Stops() []string { return []string{"</tool>", "<tool_output>"} }

// Output renders a result as the next message to a model that was taught by
// [Describe]: what native models get as a tool message, between our tags. Our
// tags inside are written with the JSON escape of <, so that a file cannot end
// its own quotation.
func Output(r loci.ToolResult) string {
	content := strings.NewReplacer(
		"<tool_output", `\u003ctool_output`, "</tool_output", `\u003c/tool_output`,
		"<tool>", `\u003ctool>`, "</tool>", `\u003c/tool>`,
	).Replace(Content(r))
	return "<tool_output>" + content + "</tool_output>"
}

// Restore puts back the end of a call that the server took off with its stop
// sequence, so that the reply reads as the model wrote it and as the server's
// cache has it.
func Restore(reply string) string {
	opened := max(strings.LastIndex(reply, "<tool>"), strings.LastIndex(reply, "<tool name="))
	if opened > strings.LastIndex(reply, "</tool>") {
		return reply + "</tool>"
	}
	return reply
}
