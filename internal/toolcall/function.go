package toolcall

import (
	"regexp"
	"strings"
)

// Borders between calls, and between the parameters of one. They are two tags
// together, because one alone may be part of a value.
var (
	functionBorder  = regexp.MustCompile(`</function>\s*<function=`)
	parameterBorder = regexp.MustCompile(`</parameter>\s*<parameter=`)
)

// readFunctions reads the XML-like form of the coder models,
//
//	<function=name><parameter=key>value</parameter></function>
//
// one or several, up to the last closing tag. Values are texts; the schema says
// what to make of them. A value ends only where another
// parameter or the end of the function follows, because values such as file
// contents may hold the tags themselves.
func readFunctions(body string) ([]wish, *Fault) {
	var wishes []wish
	for _, part := range functionBorder.Split(strings.TrimSpace(body), -1) {
		part = strings.TrimPrefix(part, "<function=")
		name, rest, ok := strings.Cut(part, ">")
		if !ok {
			return nil, &Fault{Cut: true, Problem: "The call breaks off in the tool's name"}
		}
		w := wish{name: strings.Trim(name, `"' `), arguments: value{kind: object}}
		if f := readParameters(&w, strings.TrimSpace(rest)); f != nil {
			return nil, f
		}
		wishes = append(wishes, w)
	}
	return wishes, nil
}

// readParameters reads the inside of a function element. One line break at each
// end of a value belongs to the layout and not to the value.
func readParameters(w *wish, body string) *Fault {
	if body == "" {
		return nil
	}
	first, ok := strings.CutPrefix(body, "<parameter=")
	if !ok {
		return &Fault{Problem: "After <function=" + clip(w.name, 80) + "> comes something that is not <parameter=…>"}
	}
	inside, ok := strings.CutSuffix(first, "</parameter>")
	if !ok {
		return &Fault{Cut: true, Problem: "The call breaks off before </parameter>"}
	}
	seen := make(map[string]string)
	for _, part := range parameterBorder.Split(inside, -1) {
		name, s, ok := strings.Cut(part, ">")
		if !ok {
			return &Fault{Problem: "A <parameter= tag is not closed"}
		}
		name = strings.Trim(name, `"' `)
		if f := unique(seen, name); f != nil {
			return f
		}
		s = strings.TrimSuffix(strings.TrimPrefix(s, "\n"), "\n")
		w.arguments.fields = append(w.arguments.fields, field{name, value{kind: text, text: strings.ToValidUTF8(s, "\uFFFD")}})
	}
	return nil
}
