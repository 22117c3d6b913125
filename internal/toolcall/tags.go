package toolcall

import (
	"regexp"
	"slices"
	"strings"

	"loci/internal/jsonrepair"
	"loci/internal/jsontree"
	"loci/internal/text"
)

// tagDialects are those whose markup is an element, or looks like one.
//
//   - <tool> is the form that Describe teaches.
//   - <tool_call> is that of Hermes, Qwen and, with <arg_key>, GLM. Models put JSON, a
//     Python call, the function form or other elements there, and misspell the tag.
//   - <tool_calls> is around a list with Hunyuan, Jamba and MiniMax M1.
//   - <function=…> is that of Llama 3.1 and Qwen3-Coder; the tags around it are often
//     lost. Seed and MiniMax M2 have a namespace before theirs.
//   - <invoke name="…"> and the same attribute in other tags are what models
//     make of forms they half remember. DeepSeek 3.2 has it with its own marks, and
//     version 4 another name around it.
//   - <tools> is where Hermes's prompt lists the tools. Models that mix it up with the
//     tag of calls put one there; a list of tools stays prose.
//   - <tool_use> and <use_mcp_tool> have the name in an element of its own.
//   - [name(…)] is the list of Python calls of Llama 3.2 and 4. As prose may begin a
//     line with a bracket, only offered names count.
//   - [TOOL_REQUEST] is LM Studio's, [tool_call: …] what clients write into logs.
func tagDialects() []dialect {
	all := []dialect{
		{open: "<function=", keep: true, close: "</function>", begins: (*Reader).beginsElement, closed: true, read: readFunctions},
		{open: "<function_calls>", close: "</function_calls>", begins: (*Reader).beginsTag, read: readTag},
		{open: "<｜DSML｜function_calls>", close: "</｜DSML｜function_calls>", begins: beginsDSML, read: readDSML},
		{open: "<｜DSML｜tool_calls>", close: "</｜DSML｜tool_calls>", begins: beginsDSML, read: readDSML},
		{open: "<｜DSML｜invoke name=", close: "</｜DSML｜invoke>", closed: true, begins: (*Reader).beginsElement, read: readDSMLElement},
		{open: "<tools>", line: true, close: "</tools>", doubtful: true, begins: (*Reader).beginsListed, read: readObjects},
		{open: "[", line: true, keep: true, closed: true, begins: beginsCalls, read: readExpressions},
		{open: "```tool_code", line: true, close: "```", last: true, begins: beginsCode, read: readCode},
		{open: "[TOOL_REQUEST]", close: "[END_TOOL_REQUEST]", begins: (*Reader).beginsTag, read: readTag},
		{open: "[TOOL_CALL]", close: "[/TOOL_CALL]", begins: (*Reader).beginsTag, read: readTag},
		{open: "[tool_call:", line: true, keep: true, closed: true, alone: true, begins: (*Reader).beginsTag, read: readBracketed},
	}
	for _, tag := range []string{
		"tool", "tool_call", "TOOL", "TOOL_CALL", "toolcall", "TOOLCALL", "tool_calls", "tool_use", "use_mcp_tool", "function_call", "functioncall",
		"tool_code", "longcat_tool_call", "seed:tool_call", "minimax:tool_call",
	} {
		all = append(all, dialect{open: "<" + tag + ">", close: "</" + tag + ">", begins: (*Reader).beginsTag, read: readTag})
	}
	for _, tag := range []string{"tool", "tool_call", "function", "function_call", "invoke"} {
		all = append(all, dialect{open: "<" + tag + " name=", close: "</" + tag + ">", begins: (*Reader).beginsElement, read: readElement})
	}
	return all
}

// beginsCalls judges what follows the bracket of a list of calls.
func beginsCalls(r *Reader, rest string) verdict {
	name, s := leadingName(rest)
	if s == "" && (name == "" || r.mayOffer(name)) {
		return undecided
	}
	return markupIf(opensCall(s) && r.offers(name))
}

// statement is a line of a program that is a call, or one around it: Gemini's models were
// taught to print what a call gives, or to keep it and print that.
var statement = regexp.MustCompile(`^\s*(?:\w+\s*=\s*)?(?:print\(\s*([\w.]+\(.*\))\s*\)|([\w.]+\(.*\))|)\s*;?\s*$`)

// printing is a line that prints what was kept.
var printing = regexp.MustCompile(`^\s*print\(\w+\)\s*$`)

// callsOf takes from a program what its statements do with their calls. What has a text
// over several lines, or another statement, stays as it is.
func callsOf(program string) string {
	var calls []string
	for line := range strings.Lines(program) {
		m := statement.FindStringSubmatch(line)
		switch {
		case strings.Count(line, `"`)%2+strings.Count(line, "'")%2 > 0 || m == nil:
			return program
		case !printing.MatchString(line):
			calls = append(calls, m[1]+m[2])
		}
	}
	return strings.Join(calls, "\n")
}

// beginsCode judges a block of code that says that it is a call.
func beginsCode(r *Reader, rest string) verdict {
	s := strings.TrimLeft(rest, space)
	s = strings.TrimPrefix(s, "print(")
	name, after := leadingName(s)
	if kept := strings.TrimLeft(after, " "); strings.HasPrefix(kept, "=") {
		if name, after = leadingName(strings.TrimLeft(kept[1:], " ")); after == "" {
			return undecided
		}
	} else if kept == "" && !strings.Contains(name, ".") {
		return undecided
	}
	if after == "" && (name == "" || r.mayOffer(name) || strings.HasPrefix("print", name)) {
		return undecided
	}
	return markupIf(strings.TrimLeft(rest, " \t\r")[0] == '\n' && opensCall(after) && r.offers(name))
}

// readCode reads such a block.
func readCode(body string) ([]wish, *Fault) {
	return readLiterals(callsOf(strings.TrimSpace(body)))
}

// readTag reads the inside of an element of tool calls, whichever form it has.
func readTag(body string) ([]wish, *Fault) {
	body = strings.TrimSpace(unfence(withoutEnd(body)))
	for _, tag := range []string{"tool", "tool_call"} { // both, to be sure
		if inner, ok := strings.CutPrefix(body, "<"+tag+">"); ok {
			body = strings.TrimSpace(strings.TrimSuffix(inner, "</"+tag+">"))
		}
	}
	switch {
	case body == "":
		return nil, &Fault{Problem: "The tool markup is empty"}
	case strings.HasPrefix(body, "<function="):
		if !strings.HasSuffix(body, "</function>") {
			return nil, cutBefore("</function>")
		}
		return readFunctions(strings.TrimSuffix(body, "</function>"))
	case strings.HasPrefix(body, invokeOpen):
		return readInvokes(body)
	case strings.HasPrefix(body, "<function name="):
		if !strings.HasSuffix(body, "</function>") {
			return nil, cutBefore("</function>")
		}
		return readElement(strings.TrimSuffix(strings.TrimPrefix(body, "<function name="), "</function>"))
	case body[0] == '<':
		return readNamed(body)
	case body[0] == '{', body[0] == '[' && strings.HasPrefix(strings.TrimLeft(body[1:], space), "{"):
		return readObjects(body)
	}
	if name, inside := leadingName(body); strings.HasPrefix(strings.TrimLeft(inside, space), argumentKey) {
		return readPairs(name, strings.TrimSpace(inside))
	}
	if i := strings.IndexByte(body, '{'); i > 0 && announces(body[:i]) {
		return readObjects(body[i:])
	}
	return readExpressions(body)
}

// readBracketed reads [tool_call: …] with its brackets.
func readBracketed(body string) ([]wish, *Fault) {
	body = strings.TrimPrefix(body, "[tool_call:")
	inner, ok := strings.CutSuffix(body, "]")
	if !ok {
		return nil, cutBefore("]")
	}
	return readTag(inner)
}

// readDSML reads DeepSeek's <invoke> elements, whose tags have a mark before the name.
func readDSML(body string) ([]wish, *Fault) { return readTag(withoutDSML(body)) }

// readDSMLElement reads one of them that has lost the element around it.
func readDSMLElement(body string) ([]wish, *Fault) { return readElement(withoutDSML(body)) }

func withoutDSML(s string) string { return strings.ReplaceAll(s, "｜DSML｜", "") }

// beginsDSML judges what follows the opening of DeepSeek's calls.
func beginsDSML(_ *Reader, rest string) verdict {
	return beginsWith(strings.TrimLeft(rest, space), "<｜DSML｜invoke name=")
}

// The tags of GLM's arguments.
const argumentKey, argumentValue = "<arg_key>", "<arg_value>"

// readPairs reads GLM's name<arg_key>key</arg_key><arg_value>value</arg_value>….
func readPairs(name, body string) ([]wish, *Fault) {
	w := wish{name: name, arguments: jsontree.Value{Kind: jsontree.Object}}
	seen := make(map[string]string)
	for i, part := range strings.Split(body, argumentKey) {
		if i == 0 {
			continue // nothing stands before the first
		}
		key, rest, ok := strings.Cut(part, "</arg_key>")
		if !ok {
			return nil, cutBefore("</arg_key>")
		}
		v := strings.TrimPrefix(strings.TrimSpace(rest), argumentValue)
		if v, ok = strings.CutSuffix(v, "</arg_value>"); !ok {
			return nil, cutBefore("</arg_value>")
		}
		if f := checkUnique(seen, strings.TrimSpace(key)); f != nil {
			return nil, f
		}
		w.arguments.Add(strings.TrimSpace(key), written(v))
	}
	return []wish{w}, nil
}

// written is the value of a parameter that is an element. One line break at each end
// belongs to the layout and not to the value.
func written(s string) jsontree.Value {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "\n"), "\n")
	return jsontree.Of(strings.ToValidUTF8(s, "\uFFFD"))
}

// maxChildren bounds the elements in one, which keeps reading linear.
const maxChildren = 32

// readChildren reads elements that follow each other and have texts in them. As a text
// may hold the tag of its element or of another one too, an element ends where its tag
// is closed for the last time, or else where it is closed first and the rest can be
// read.
func readChildren(body string) ([]jsontree.Field, *Fault) {
	tries := maxTries
	return childrenAfter(nil, body, &tries)
}

// childrenAfter reads the elements in body that follow those which were read.
func childrenAfter(before []jsontree.Field, body string, tries *int) ([]jsontree.Field, *Fault) {
	if body = strings.TrimSpace(body); body == "" {
		return before, nil
	}
	tag, inside, ok := strings.Cut(body[1:], ">")
	if body[0] != '<' || !ok || len(before) == maxChildren || !plainName(tag) {
		return nil, &Fault{Problem: "The arguments are not elements such as <path>…</path>: " + text.Clip(body, 80)}
	}
	seen := make(map[string]string)
	for _, f := range append(slices.Clip(before), jsontree.Field{Name: tag}) {
		if f := checkUnique(seen, f.Name); f != nil {
			return nil, f
		}
	}
	end := "</" + tag + ">"
	last := strings.LastIndex(inside, end)
	if last < 0 {
		f := cutBefore(end)
		f.Field = tag
		return nil, f
	}
	endingAt := func(i int) ([]jsontree.Field, *Fault) {
		return childrenAfter(append(slices.Clip(before), jsontree.Field{Name: tag, Value: written(inside[:i])}), inside[i+len(end):], tries)
	}
	fields, fault := endingAt(last)
	if first := strings.Index(inside, end); fault != nil && first < last && *tries > 0 {
		*tries--
		if fields, f := endingAt(first); f == nil {
			return fields, nil
		}
	}
	return fields, fault
}

// plainName tells whether s is the name of an element without attributes.
func plainName(s string) bool {
	name, rest := leadingName(s + ">")
	return name != "" && rest == ">" && !strings.HasPrefix(name, "/")
}

// readNamed reads a call whose name and arguments are elements of their own. The
// arguments are JSON or elements again.
func readNamed(body string) ([]wish, *Fault) {
	fields, f := readChildren(body)
	if f != nil {
		return nil, f
	}
	var w wish
	var flat []jsontree.Field // arguments beside the name
	for _, fd := range fields {
		inside := strings.TrimSpace(fd.Value.Text)
		switch {
		case slices.Contains(nameKeys, fd.Name):
			w.name = inside
		case slices.Contains(argumentKeys, fd.Name) && strings.HasPrefix(inside, "<"):
			w.arguments.Kind = jsontree.Object
			w.arguments.Fields, f = readChildren(inside)
		case slices.Contains(argumentKeys, fd.Name):
			w.arguments, f = parseText(inside)
		case fd.Name != "server_name" && !slices.Contains(otherKeys, fd.Name):
			flat = append(flat, fd)
		}
		if f != nil {
			return nil, f
		}
	}
	switch {
	case len(flat) > 0 && (w.name == "" || w.arguments.Kind != jsontree.Null):
		return nil, &Fault{Problem: "A call has no element <" + flat[0].Name + ">"}
	case len(flat) > 0:
		w.arguments = jsontree.Value{Kind: jsontree.Object, Fields: flat}
	}
	return []wish{w}, nil
}

// readParametersOf reads what is between the tags that are named like the tool.
func readParametersOf(name, body string) ([]wish, *Fault) {
	w := wish{name: name, arguments: jsontree.Value{Kind: jsontree.Object}}
	var f *Fault
	if body = strings.TrimSpace(body); strings.HasPrefix(body, "{") {
		w.arguments, f = parseText(body)
	} else {
		w.arguments.Fields, f = readChildren(body)
	}
	return []wish{w}, f
}

// beginsParameters judges what follows <name>: the element of a parameter, or JSON.
// XML of the person's own may have an element of this name.
func beginsParameters(tool string) func(*Reader, string) verdict {
	return func(r *Reader, rest string) verdict {
		s := strings.TrimLeft(rest, space)
		switch {
		case s == "":
			return undecided
		case s[0] == '{':
			return r.beginsObject(s)
		case s[0] != '<':
			return isProse
		}
		if end := "</" + tool + ">"; strings.HasPrefix(end, s) {
			return undecided
		} else if strings.HasPrefix(s, end) {
			return isMarkup
		}
		name, after := leadingName(s[1:])
		switch {
		case after == "":
			return undecided
		case after[0] == '>':
			return markupIf(r.hasParameter(tool, name))
		}
		return isProse
	}
}

// readAttributes reads what follows <name up to the end of the tag, as in
// <name path="." recursive="true"/>.
func readAttributes(name, body string) ([]wish, *Fault) {
	p := newParser(strings.TrimSuffix(strings.TrimSpace(body), "/"))
	w := wish{name: name, arguments: jsontree.Value{Kind: jsontree.Object}}
	seen := make(map[string]string)
	for p.space(); p.i < len(p.s); p.space() {
		key := p.word()
		if p.space(); key == "" || !p.take("=") {
			return nil, p.broken("expected an attribute")
		}
		if f := checkUnique(seen, key); f != nil {
			return nil, f
		}
		v, f := p.attribute()
		if f != nil {
			return nil, f
		}
		w.arguments.Add(key, v)
	}
	return []wish{w}, nil
}

// attribute reads the value of an attribute, which ends at white space where it has
// no quotes or brackets around it.
func (p *parser) attribute() (jsontree.Value, *Fault) {
	p.space()
	rest := p.s[p.i:]
	if rest == "" || p.at("{") || p.at("[") {
		return p.value()
	}
	if n := jsonrepair.Quoted(rest, 0); n > 0 { // alone, because what follows is no part of it
		p.i += n
		return newParser(rest[:n]).value()
	}
	end := strings.IndexAny(rest, space)
	if end < 0 {
		end = len(rest)
	}
	p.i += end
	return written(rest[:end]), nil
}

// beginsAttributes judges what follows <name and a space: an attribute that is a
// parameter of the tool.
func beginsAttributes(tool string) func(*Reader, string) verdict {
	return func(r *Reader, rest string) verdict {
		name, after := leadingName(strings.TrimLeft(rest, space))
		if after == "" {
			return undecided
		}
		return markupIf(after[0] == '=' && r.hasParameter(tool, name))
	}
}

// beginsEmpty judges what follows <name/>: nothing in its line, where the tool needs no
// arguments.
func beginsEmpty(tool string) func(*Reader, string) verdict {
	return func(r *Reader, rest string) verdict {
		switch rest = strings.TrimLeft(rest, " \t\r"); {
		case !r.needsNothing(tool):
			return isProse
		case rest == "":
			return undecided
		}
		return markupIf(rest[0] == '\n')
	}
}
