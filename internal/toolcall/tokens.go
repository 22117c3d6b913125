package toolcall

import "strings"

// readDeepSeek reads the calls between DeepSeek's marker tokens. Version 3
// writes "function", a separator, the name and fenced JSON; version 3.1 the
// name, a separator and bare JSON.
func readDeepSeek(body string) ([]wish, *Fault) {
	var wishes []wish
	for part := range strings.SplitSeq(body, "<｜tool▁call▁begin｜>") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		part = strings.TrimSuffix(part, "<｜tool▁call▁end｜>")
		name, rest, ok := strings.Cut(part, "<｜tool▁sep｜>")
		if !ok {
			return nil, &Fault{Cut: true, Problem: "The call breaks off in the tool's name"}
		}
		if !strings.HasPrefix(strings.TrimSpace(rest), "{") {
			name, rest, _ = strings.Cut(rest, "\n")
		}
		arguments, f := parseText(rest)
		if f != nil {
			return nil, f
		}
		wishes = append(wishes, wish{name: strings.TrimSpace(name), arguments: arguments})
	}
	return wishes, nil
}

// readGemma reads Gemma's call:name{key:<|"|>value<|"|>}. The token in place of
// quotation marks lets a text hold any of these unescaped.
func readGemma(body string) ([]wish, *Fault) {
	body = strings.TrimPrefix(strings.TrimSpace(body), "call:")
	return readExpressions(body)
}

// readMistral reads Mistral's JSON list, whose end is also that of the markup.
func readMistral(body string) ([]wish, *Fault) { return readObjects(body + "]") }

// readAction reads what follows ReAct's Action: a name, and a JSON object whose
// last bracket is the end of the markup.
func readAction(body string) ([]wish, *Fault) {
	name, input, _ := strings.Cut(body, "\n")
	arguments, f := parseText(strings.TrimPrefix(strings.TrimSpace(input), "Action Input:") + "}")
	return []wish{{name: strings.TrimSpace(name), arguments: arguments}}, f
}
