package toolcall

import (
	"strings"

	"loci"
)

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
	// closed says that the end of the reply does not stand in for close.
	closed bool
	// read reads what is between open and close. A fault that says Cut asks for
	// more: the close that was found may be part of a text.
	read func(body string) ([]wish, *Fault)
}

// dialects are the ways of writing calls that the Reader knows. None of the
// openings is the beginning of another. A call that is the whole reply, as bare
// or fenced JSON, has no opening: see wholeCall.
//
//   - <tool> is the form that Describe teaches.
//   - <tool_call> is that of Hermes and Qwen, with JSON inside; some models put
//     a Python call or the function form there.
//   - <function=…> is that of Qwen3-Coder; the tags around it are often lost.
//   - The fullwidth bars are DeepSeek's, <|tool_call> is Gemma's.
//   - [name(…)] is the list of Python calls of Llama 3.2 and 4. As prose may
//     begin a line with a bracket, only offered names count.
func dialects(offered []loci.ToolSpec) []dialect {
	all := []dialect{
		{open: "<tool>", close: "</tool>", read: readTag},
		{open: "<tool_call>", close: "</tool_call>", read: readTag},
		{open: "<function=", keep: true, close: "</function>", closed: true, read: readFunctions},
		{open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>", read: readDeepSeek},
		{open: "<|tool_call>", close: "<tool_call|>", read: readGemma},
	}
	for _, t := range offered {
		all = append(all, dialect{open: "[" + t.Name + "(", line: true, keep: true, close: "]", closed: true, read: readExpressions})
	}
	return all
}

// readTag reads the inside of a <tool> or <tool_call> element, whichever form
// it has.
func readTag(body string) ([]wish, *Fault) {
	body = strings.TrimSpace(unfence(body))
	switch {
	case body == "":
		return nil, &Fault{Problem: "The tool markup is empty"}
	case strings.HasPrefix(body, "<function="):
		if !strings.HasSuffix(body, "</function>") {
			return nil, &Fault{Cut: true, Problem: "The call breaks off before </function>"}
		}
		return readFunctions(strings.TrimSuffix(body, "</function>"))
	case body[0] == '{', body[0] == '[' && strings.HasPrefix(strings.TrimLeft(body[1:], " \t\r\n"), "{"):
		wishes, f := readJSON(body)
		if f == nil && len(wishes) == 0 {
			f = &Fault{Problem: `The JSON is not a call: it needs a "name" and "arguments"`}
		}
		return wishes, f
	}
	return readExpressions(body)
}
