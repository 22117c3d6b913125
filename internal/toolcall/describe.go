package toolcall

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"loci"
	"loci/internal/jsontree"
)

// lesson is how a dialect is taught.
type lesson struct {
	// form tells how to write a call, after "To use a tool, ".
	form string
	// argument is what stands before the list of tools about the arguments.
	arguments string
	written   func(tool string, arguments jsontree.Value) string // a call
	stops     []string                                           // what ends a call, and what only the system writes
}

// outputTag and outputEnd stand around what only the system writes, in every dialect.
const (
	outputName = "tool_output"
	outputTag  = "<" + outputName + ">"
	outputEnd  = "</" + outputName + ">"
)

// named and inObject are what to say of the arguments in the list of tools.
const (
	named    = "Texts stand in quotes; arguments with ? may be left out."
	inObject = "Arguments with ? may be left out."
)

// lessons are the dialects that can be taught; see [loci.Markup]. All of them are
// short, since every word is read before the first question.
var lessons = map[loci.Markup]lesson{
	loci.MarkupTool: {
		form:      "write a line of this form and stop there:\n<tool>name(argument=\"value\")</tool>\n",
		arguments: named, written: keyworded, stops: []string{"</tool>", outputTag},
	},
	loci.MarkupToolCall: {
		form:      "write a line of this form and stop there:\n<tool_call>{\"name\": \"name\", \"arguments\": {\"argument\": \"value\"}}</tool_call>\n",
		arguments: inObject, written: func(tool string, v jsontree.Value) string { return "<tool_call>" + object(tool, v) + "</tool_call>" },
		stops: []string{"</tool_call>", outputTag},
	},
	loci.MarkupJSON: {
		form:      "answer with nothing but this form:\n```json\n{\"name\": \"name\", \"arguments\": {\"argument\": \"value\"}}\n```\n",
		arguments: inObject, written: func(tool string, v jsontree.Value) string { return "```json\n" + object(tool, v) + "\n```" },
		stops: []string{outputTag}, // a fence also ends what is no call
	},
	loci.MarkupReAct: {
		form:      "write two lines of this form and stop there:\nAction: name\nAction Input: {\"argument\": \"value\"}\n",
		arguments: inObject, written: acted, stops: []string{"Observation:", outputTag},
	},
}

// lessonOf gives the lesson of a dialect; one that is not taught is the usual one.
func lessonOf(m loci.Markup) lesson {
	if l, ok := lessons[m]; ok {
		return l
	}
	return lessons[loci.MarkupTool]
}

// Describe is the text that teaches a model without native tool calls how to
// use these tools, in one of the dialects. The same tools always give the same
// bytes, because the text is part of a prompt that must not move. One line a tool
// keeps it near 300 tokens for the seven that only look: with their whole schemas
// it would be three times as long, and a model of this size would read it no
// better.
func Describe(m loci.Markup, tools []loci.ToolSpec) string {
	if len(tools) == 0 {
		return ""
	}
	l := lessonOf(m)
	var b strings.Builder
	b.WriteString("To use a tool, " + l.form +
		"Then wait for " + outputTag + "…" + outputEnd + ", which only the system writes. " + l.arguments +
		"\nTools:\n")
	b.WriteString(Lines(tools))
	for _, t := range tools {
		if s, err := Compile(t); err == nil && len(s.example.Fields) > 0 {
			example := l.written(s.tool, s.example)
			if strings.Contains(example, "\n") { // it has its own lines
				example = "\n" + example
			}
			b.WriteString("Example: " + example)
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

// keyworded is a call as [loci.MarkupTool] has it. Names that cannot be keywords are
// those of an object.
func keyworded(tool string, arguments jsontree.Value) string {
	args := make([]string, len(arguments.Fields))
	for i, f := range arguments.Fields {
		if !keyword.MatchString(f.Name) {
			args = []string{string(arguments.AppendJSON(nil))}
			break
		}
		args[i] = f.Name + "=" + string(f.Value.AppendJSON(nil))
	}
	if arguments.Kind != jsontree.Object {
		args = []string{string(arguments.AppendJSON(nil))}
	}
	return "<tool>" + tool + "(" + strings.Join(args, ", ") + ")</tool>"
}

var keyword = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// object is a call as one JSON object.
func object(tool string, arguments jsontree.Value) string {
	return fmt.Sprintf(`{"name": %q, "arguments": %s}`, tool, arguments.AppendJSON(nil))
}

// acted is a call as [loci.MarkupReAct] has it.
func acted(tool string, arguments jsontree.Value) string {
	return "Action: " + tool + "\nAction Input: " + string(arguments.AppendJSON(nil))
}

// Write is a call as a model writes it that was taught a dialect. Arguments that cannot
// be read are written as a text.
func Write(m loci.Markup, c loci.ToolCall) string {
	v, f := unquotedObject(string(c.Arguments))
	if f != nil {
		v = jsontree.Of(string(c.Arguments))
	}
	return write(m, c.Name, v)
}

// write is Write for arguments that are read already. What they hold can neither end the
// message nor pretend to be a result: all of it stands in JSON texts.
func write(m loci.Markup, tool string, arguments jsontree.Value) string {
	return inJSON.Replace(noOutput.Replace(lessonOf(m).written(tool, arguments)))
}

// noOutput and noTags write our tags with the JSON escape of <: those of an output, and
// those of calls too. Of an output's it takes the name alone, whatever follows.
var (
	noOutput = strings.NewReplacer(escaped("<"+outputName, "</"+outputName)...)
	noTags   = strings.NewReplacer(escaped("<"+outputName, "</"+outputName, "<tool>", "</tool>", "<tool_call>", "</tool_call>")...)
)

// escaped pairs each tag with its escape.
func escaped(tags ...string) (pairs []string) {
	for _, tag := range tags {
		pairs = append(pairs, tag, `\u003c`+tag[1:])
	}
	return pairs
}

// Form tells how calls are written in a dialect.
func Form(m loci.Markup) string { return "To use a tool, " + strings.TrimSpace(lessonOf(m).form) }

// Example is a right call of a tool in a dialect; empty where its schema cannot be
// read.
func Example(m loci.Markup, spec loci.ToolSpec) string {
	s, err := Compile(spec)
	if err != nil {
		return ""
	}
	return lessonOf(m).written(s.tool, s.example)
}

// Stops are the stop sequences for a model that was taught a dialect by
// [Describe]: what it writes after a call, it writes without the result, so it is
// better not written at all. A server takes the sequence off the reply; the Reader
// does not need it. A text argument that holds one of them is cut there, which the
// Reader reports as a call that breaks off.
func Stops(m loci.Markup) []string { return slices.Clone(lessonOf(m).stops) }

// Output renders a result as the next message to a model that was taught by
// [Describe]: what native models get as a tool message, between our tags.
func Output(r loci.ToolResult) string { return AsOutput(Content(r)) }

// AsOutput puts the content of a result between our tags. Our tags inside are written
// with the JSON escape of <, so that a file cannot end its own quotation.
func AsOutput(content string) string { return outputTag + noTags.Replace(content) + outputEnd }

// Outputs are the contents of the results that a message begins with, without what is
// said behind each; none where it does not begin with one.
func Outputs(content string) []string {
	if !strings.HasPrefix(content, outputTag) {
		return nil
	}
	parts := strings.Split(content, outputTag)[1:]
	for i, p := range parts {
		parts[i], _, _ = strings.Cut(p, outputEnd)
	}
	return parts
}

// Restore puts back the end of a call that the server took off with its stop
// sequence, so that the reply reads as the model wrote it and as the server's
// cache has it.
func Restore(reply string) string {
	for _, tag := range []string{"tool", "tool_call"} {
		opened := max(strings.LastIndex(reply, "<"+tag+">"), strings.LastIndex(reply, "<"+tag+" name="))
		if opened > strings.LastIndex(reply, "</"+tag+">") {
			return reply + "</" + tag + ">"
		}
	}
	return reply
}
