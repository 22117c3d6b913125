package toolcall

import "strings"

// wish is a call as it was written, before its name and arguments are checked.
// Every dialect ends in wishes, so what may run is decided in one place.
type wish struct {
	name       string
	arguments  value   // an object, or a text that holds one
	positional []value // arguments without names, in the order of the parameters
	// words is the text between the brackets where it is not a list of literals,
	// as in calculate(1 + 2): a tool with one text parameter gets it whole.
	words string
	fault *Fault // what keeps words from being read as a list of literals
}

// dialect is one way of writing calls as text.
type dialect struct {
	open  string // what the markup begins with
	line  bool   // only at the beginning of a line
	keep  bool   // open is part of what read gets
	close string // what it ends with
	// begins judges by what follows open whether a call can have begun: people
	// and models also write about markup. Nil means that open alone is enough.
	begins func(r *Reader, rest string) verdict
	// closed says that the end of the reply does not stand in for close.
	closed bool
	// last says that the call must end the reply. Before a text it is an example.
	last bool
	// doubtful says that what cannot be read is prose, whatever it names.
	doubtful bool
	// read reads what is between open and close. A fault that says Cut asks for
	// more: the close that was found may be part of a text.
	read func(body string) ([]wish, *Fault)
}

// dialects are the ways of writing calls that the Reader knows. None of the
// openings is the beginning of another. A call that is the whole reply, as bare
// or fenced JSON or as name(…), has no opening: see start. That of a list depends on
// what is offered: see callList.
//
//   - <tool> is the form that Describe teaches.
//   - <tool_call> is that of Hermes and Qwen, with JSON inside; some models put
//     a Python call or the function form there.
//   - <function=…> is that of Qwen3-Coder; the tags around it are often lost.
//   - <invoke name="…"> and the same attribute in other tags are what models
//     make of forms they half remember.
//   - The fullwidth bars are DeepSeek's, <|tool_call> is Gemma's,
//     <|tool_call_start|> LFM's and [TOOL_CALLS] Mistral's.
//   - Action: with Action Input: is that of ReAct (arXiv:2210.03629).
func dialects() []dialect {
	all := []dialect{
		{open: "<tool>", close: "</tool>", begins: (*Reader).beginsTag, read: readTag},
		{open: "<tool_call>", close: "</tool_call>", begins: (*Reader).beginsTag, read: readTag},
		{open: "<function=", keep: true, close: "</function>", begins: (*Reader).beginsElement, closed: true, read: readFunctions},
		{open: "<function_calls>", close: "</function_calls>", begins: (*Reader).beginsInvokes, read: readInvokes},
		{open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>", begins: (*Reader).beginsDeepSeek, read: readDeepSeek},
		{open: "<|tool_call>", close: "<tool_call|>", begins: (*Reader).beginsTag, read: readGemma},
		{open: "<|tool_call_start|>", close: "<|tool_call_end|>", begins: (*Reader).beginsTag, read: readTag},
		{open: "[TOOL_CALLS]", close: "]", begins: beginsList, closed: true, read: readMistral},
		{open: "Action:", line: true, close: "}", begins: (*Reader).beginsAction, closed: true, last: true, read: readAction},
	}
	for _, tag := range []string{"tool", "tool_call", "function", "invoke"} {
		all = append(all, dialect{open: "<" + tag + " name=", close: "</" + tag + ">", begins: (*Reader).beginsElement, read: readElement})
	}
	return all
}

// callList is the dialect of [name(…)], the list of Python calls of Llama 3.2 and 4.
// As prose may begin a line with a bracket, only offered names count.
func callList(name string) dialect {
	return dialect{open: "[" + name + "(", line: true, keep: true, close: "]", closed: true, read: readExpressions}
}

// bareCall is the dialect of a reply that begins with the name of an offered
// tool and a bracket. Without markup around it, only literals count.
func bareCall(name string) dialect {
	return dialect{open: name + "(", keep: true, close: ")", closed: true, last: true, doubtful: true,
		read: func(body string) ([]wish, *Fault) { return readLiterals(body + ")") }}
}

// readTag reads the inside of a <tool> or <tool_call> element, whichever form
// it has.
func readTag(body string) ([]wish, *Fault) {
	body = strings.TrimSpace(unfence(body))
	if inner, ok := strings.CutPrefix(body, "<tool>"); ok { // both, to be sure
		body = strings.TrimSpace(strings.TrimSuffix(inner, "</tool>"))
	}
	switch {
	case body == "":
		return nil, &Fault{Problem: "The tool markup is empty"}
	case strings.HasPrefix(body, "<function="):
		if !strings.HasSuffix(body, "</function>") {
			return nil, &Fault{Cut: true, Problem: "The call breaks off before </function>"}
		}
		return readFunctions(strings.TrimSuffix(body, "</function>"))
	case strings.HasPrefix(body, invokeOpen):
		return readInvokes(body)
	case body[0] == '{', body[0] == '[' && strings.HasPrefix(strings.TrimLeft(body[1:], space), "{"):
		return readObjects(body)
	}
	return readExpressions(body)
}
