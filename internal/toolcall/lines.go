package toolcall

import (
	"strings"

	"loci/internal/jsontree"
)

// labels are what stands before the name of a tool and before its arguments, where
// each has a line of its own.
type labels struct {
	tool   string
	inputs []string
	// scalar says that the arguments may be a text up to the end of the line. Where
	// the labels are ordinary words, that would be the documentation of a function.
	scalar bool
	// strange says that the labels are none of prose, so that names which nobody
	// offers are calls too.
	strange bool
}

// lineForms are the labels that models use: those of ReAct (arXiv:2210.03629), which
// LangChain's prompts made common, also as Markdown and in Chinese; Hermes's and
// others' paraphrases of them; and those of Qwen-Agent.
var lineForms = []labels{
	{tool: "Action:", inputs: []string{"Action Input:", "Action_Input:", "Action Arguments:", "Input:", "Arguments:"}, scalar: true},
	{tool: "**Action:**", inputs: []string{"**Action Input:**"}, scalar: true},
	{tool: "**Action**:", inputs: []string{"**Action Input**:"}, scalar: true},
	{tool: "Tool:", inputs: []string{"Arguments:", "Args:", "Input:", "Parameters:", "Tool Input:"}},
	{tool: "Tool Call:", inputs: []string{"Arguments:", "Args:", "Input:", "Parameters:"}},
	{tool: "Tool call:", inputs: []string{"Arguments:", "Args:", "Input:", "Parameters:"}},
	{tool: "TOOL:", inputs: []string{"ARGUMENTS:", "ARGS:", "INPUT:", "PARAMETERS:"}},
	{tool: "Function:", inputs: []string{"Arguments:", "Args:", "Input:", "Parameters:"}},
	{tool: "工具：", inputs: []string{"参数：", "参数:", "輸入：", "输入："}},
	{tool: "行动：", inputs: []string{"行动输入："}, scalar: true},
	{tool: "✿FUNCTION✿:", inputs: []string{"✿ARGS✿:"}, scalar: true, strange: true},
	{tool: "✿FUNCTION✿：", inputs: []string{"✿ARGS✿："}, scalar: true, strange: true},
	{tool: "Call:"}, // NexusRaven, with name(…)
}

// observations are what the model may invent behind such a call.
// An action behind an action does not wait for it either.
var observations = []string{"Observation:", "Action:", "✿RESULT✿", "✿RETURN✿", "Thought:", "观察："}

// lineDialects are those that are lines with labels. Only offered names are calls, and
// only at the end of the reply, because the labels are also words. There are three for
// each pair of labels: an object, a text up to the end of the line, and name(…).
func lineDialects() []dialect {
	var all []dialect
	for _, l := range lineForms {
		d := dialect{open: l.tool, line: true, closed: true, last: true, labelled: true}
		object, scalar, expression, empty := d, d, d, d
		expression.begins, expression.read = l.beginsExpression, readLabelled
		all = append(all, expression)
		if len(l.inputs) > 0 {
			empty.begins, empty.read, empty.close, empty.closed = l.beginsNothing, l.read, endOfReply, false
			object.begins, object.read = l.beginsInput("{"), l.read
			all = append(all, empty, object)
		}
		if l.scalar {
			scalar.begins, scalar.read, scalar.close, scalar.closed = l.beginsInput(""), l.read, "\n", false
			all = append(all, scalar)
		}
	}
	// Command R and smolagents have the whole call behind the label.
	return append(all, dialect{open: "Action:", line: true, closed: true, last: true, labelled: true, begins: beginsWhole, read: readObjectsFenced})
}

// endOfReply is a character that no reply has: what it ends, the reply ends.
const endOfReply = "\x04"

// beginsNothing judges a second label that the reply ends with: a call where the tool
// needs no arguments.
func (l labels) beginsNothing(r *Reader, rest string) verdict {
	name, input, more, ok := l.split(rest)
	input = strings.TrimLeft(input, space)
	switch {
	case !ok:
		return isProse
	case more, input == "":
		return undecided
	}
	return markupIf(input == endOfReply && r.offers(name) && r.needsNothing(name))
}

// beginsWhole judges a call with its name behind a label.
func beginsWhole(r *Reader, rest string) verdict {
	s := strings.TrimLeft(rest, space)
	if strings.HasPrefix(s, "`") {
		info, body, ok := strings.Cut(strings.TrimLeft(s, "`"), "\n")
		switch {
		case len(info) > maxInfo:
			return isProse
		case !ok:
			return undecided
		}
		s = body
	}
	switch s = strings.TrimLeft(s, space+"["); {
	case s == "":
		return undecided
	case s[0] == '{':
		return r.objectCall(s)
	}
	return isProse
}

// readObjectsFenced reads calls that may stand in a code fence.
func readObjectsFenced(body string) ([]wish, *Fault) { return readObjects(unfence(body)) }

// split takes the name and what follows the second label. More says that what is there
// may go on.
func (l labels) split(s string) (name, input string, more, ok bool) {
	name, s = leadingName(strings.TrimLeft(s, " \t`"))
	line, s, ended := strings.Cut(s, "\n")
	switch {
	case strings.Trim(line, " \t\r`") != "":
		return "", "", false, false
	case !ended:
		return name, "", true, true
	}
	s = strings.TrimLeft(s, space)
	for _, label := range l.inputs {
		if input, ok := strings.CutPrefix(s, label); ok {
			return name, input, false, true
		}
		more = more || strings.HasPrefix(label, s)
	}
	return name, "", more, more
}

// beginsInput judges what follows the first label, for arguments that begin with mark;
// without one, for those that are a text.
func (l labels) beginsInput(mark string) func(*Reader, string) verdict {
	return func(r *Reader, rest string) verdict {
		name, input, more, ok := l.split(rest)
		switch {
		case !ok:
			return isProse
		case more:
			return undecided
		case name == "", !r.offers(name) && !l.strange && !(l.scalar && mark == "{" && r.reacts()):
			return isProse
		}
		input = strings.TrimLeft(input, " \t")
		if bare := strings.TrimLeft(input, space); strings.HasPrefix(bare, "{") || strings.HasPrefix(bare, "```") {
			return markupIf(mark == "{")
		} else if strings.HasPrefix("```", bare) {
			return undecided // an object may stand on the next line, or in a fence
		}
		return markupIf(mark == "")
	}
}

// reacts tells whether the reply follows ReAct: it begins with an action, or has a
// thought before it. Then a name that nobody offers is a call too.
func (r *Reader) reacts() bool {
	return r.page.empty() || strings.Contains(r.page.before(), "Thought:")
}

// readLabelled reads name(…), or name[…] as the paper about ReAct writes it, where the
// brackets hold a text.
func readLabelled(body string) ([]wish, *Fault) {
	name, rest := leadingName(strings.TrimLeft(body, " \t`"))
	inside, ok := strings.CutPrefix(strings.TrimSpace(rest), "[")
	if !ok {
		return readExpressions(body)
	}
	if inside, ok = strings.CutSuffix(inside, "]"); !ok {
		return nil, cutBefore("]")
	}
	w := wish{name: name, arguments: jsontree.Value{Kind: jsontree.Object}}
	if inside = strings.Trim(inside, space+`"'`); inside != "" {
		w.positional = []jsontree.Value{jsontree.Of(strings.ToValidUTF8(inside, "\uFFFD"))}
	}
	return []wish{w}, nil
}

// beginsExpression judges name(…) or name[…] behind the first label.
func (l labels) beginsExpression(r *Reader, rest string) verdict {
	name, s := leadingName(strings.TrimLeft(rest, " \t`"))
	if s == "" {
		return undecided
	}
	return markupIf((opensCall(s) || l.scalar && s[0] == '[') && r.offers(name))
}

// read reads a name, the second label and the arguments. What is no object is the one
// argument of the tool, or name=value.
func (l labels) read(body string) ([]wish, *Fault) {
	name, input, more, ok := l.split(body)
	if !ok || more {
		return nil, cutBefore("its arguments")
	}
	w := wish{name: name}
	input = strings.TrimSpace(unfence(input))
	if inner, ok := strings.CutPrefix(input, "`"); ok && strings.HasSuffix(inner, "`") {
		input = strings.TrimSuffix(inner, "`")
	}
	if strings.HasPrefix(input, "{") {
		var f *Fault
		w.arguments, f = parseText(input)
		return []wish{w}, f
	}
	switch strings.ToLower(input) {
	case "", "none", "null", "n/a", "()", "无":
		w.arguments.Kind = jsontree.Object
		return []wish{w}, nil
	}
	p := newParser(name + "(" + input + ")")
	if all, f := p.calls(); f == nil && len(all) == 1 && len(all[0].arguments.Fields) > 0 {
		return all, nil
	}
	v, f := parseText(input)
	if f != nil || v.Kind == jsontree.Null || v.Kind == jsontree.List {
		v = jsontree.Of(input)
	}
	w.arguments, w.positional = jsontree.Value{Kind: jsontree.Object}, []jsontree.Value{v}
	return []wish{w}, nil
}
