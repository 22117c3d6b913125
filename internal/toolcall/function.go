package toolcall

import (
	"regexp"
	"strings"

	"loci/internal/jsontree"
	"loci/internal/text"
)

// invokeOpen is the beginning of an <invoke name="…"> element.
const invokeOpen = "<invoke name="

// Borders between calls, and between the parameters of one. They are two tags
// together, because one alone may be part of a value.
var (
	functionBorder  = regexp.MustCompile(`</function>\s*<function=`)
	invokeBorder    = regexp.MustCompile(`</invoke>\s*<invoke name=`)
	parameterBorder = regexp.MustCompile(`</param(?:eter)?>\s*<param(?:eter)?(?:=|\s+name=)`)
	parameterOpen   = regexp.MustCompile(`^<param(?:eter)?(?:=|\s+name=)`)
)

// readFunctions reads the XML-like form of the coder models,
//
//	<function=name><parameter=key>value</parameter></function>
//
// one or several, up to the last closing tag. Values are texts; the schema says
// what to make of them. A value ends only where another parameter or the end of
// the function follows, because values such as file contents may hold the tags
// themselves.
func readFunctions(body string) ([]wish, *Fault) {
	body = strings.TrimPrefix(strings.TrimSpace(body), "<function=")
	return readElements(functionBorder.Split(body, -1))
}

// readInvokes reads <invoke> elements, one or several. The last closing tag is
// part of the body.
func readInvokes(body string) ([]wish, *Fault) {
	inside, ok := strings.CutSuffix(strings.TrimPrefix(strings.TrimSpace(body), invokeOpen), "</invoke>")
	if !ok {
		return nil, cutBefore("</invoke>")
	}
	return readElements(invokeBorder.Split(inside, -1))
}

// readElement reads one element from its name attribute up to its closing tag.
func readElement(body string) ([]wish, *Fault) { return readElements([]string{body}) }

// readElements reads elements from their names up to their closing tags. Inside
// are <parameter> elements, or the arguments as a JSON object.
func readElements(parts []string) ([]wish, *Fault) {
	var wishes []wish
	for _, part := range parts {
		tag, inside, ok := strings.Cut(part, ">")
		if !ok {
			return nil, &Fault{Cut: true, Problem: "The call breaks off in the tool's name"}
		}
		name, rest := leadingName(strings.TrimLeft(tag, `"' `))
		if strings.Trim(rest, `"' `) != "" {
			return nil, &Fault{Problem: "In the tag of " + text.Clip(name, 80) + " something follows the name; arguments belong between the tags"}
		}
		w := wish{name: name, arguments: jsontree.Value{Kind: jsontree.Object}}
		inside = strings.TrimSpace(inside)
		var f *Fault
		if strings.HasPrefix(inside, "{") {
			w.arguments, f = parseText(inside)
		} else {
			f = readParameters(&w, inside)
		}
		if f != nil {
			return nil, f
		}
		wishes = append(wishes, w)
	}
	return wishes, nil
}

// loneLine tells whether the last value in a text is a line of its own without a tag in
// it. Where such a value has lost its closing tag, it ends with its line.
func loneLine(s string) bool {
	if borders := parameterBorder.FindAllStringIndex(s, -1); borders != nil {
		s = s[borders[len(borders)-1][1]:]
	}
	_, s, ok := strings.Cut(s, ">\n")
	return ok && s != "" && !strings.ContainsAny(s, "<>\n")
}

// readParameters reads the inside of an element.
func readParameters(w *wish, body string) *Fault {
	if body == "" {
		return nil
	}
	open := parameterOpen.FindString(body)
	if open == "" && body[0] == '<' {
		fields, f := readChildren(body)
		w.arguments.Fields = fields
		return f
	}
	if open == "" {
		return &Fault{Problem: "After the name " + text.Clip(w.name, 80) + " comes something that is not <parameter=…>"}
	}
	inside, ok := strings.CutSuffix(body[len(open):], "</parameter>")
	if !ok {
		inside, ok = strings.CutSuffix(inside, "</param>")
	}
	if !ok && !loneLine(inside) {
		return cutBefore("</parameter>")
	}
	seen := make(map[string]string)
	for _, part := range parameterBorder.Split(inside, -1) {
		name, s, ok := strings.Cut(part, ">")
		if !ok {
			return &Fault{Problem: "A <parameter= tag is not closed"}
		}
		// Behind the name, DeepSeek says whether the value is a text; the schema does too.
		name, _, _ = strings.Cut(strings.TrimLeft(name, `"' `), `" `)
		name = strings.Trim(name, `"' `)
		if f := checkUnique(seen, name); f != nil {
			return f
		}
		w.arguments.Add(name, written(s))
	}
	return nil
}
