package toolcall

import (
	"slices"
	"strings"

	"loci/internal/jsontree"
)

// endTokens end a message or a reply. A server should not send them.
var endTokens = []string{"<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>", "<|return|>", "</s>", "<bot_end>", "<|end_of_text|>",
	"<|endoftext|>", "<eos>", "<end_of_turn>"}

// closings are the tags and tokens that end calls and replies. One may be there whose
// opening is lost. </function> is none of them: see [Reader.ambiguous].
var closings = closingTags()

func closingTags() []string {
	all := slices.Clone(endTokens)
	for _, d := range dialects() {
		if c := d.close; len(c) > 2 && (c[0] == '<' || c[0] == '[') && c != "</function>" && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// withoutEnd takes a token off the end of a text.
func withoutEnd(s string) string { return trimEnds(s, endTokens) }

// trimEnds takes marks off the end of a text, each once.
func trimEnds(s string, ends []string) string {
	s = strings.TrimSpace(s)
	for _, end := range ends {
		s = strings.TrimSpace(strings.TrimSuffix(s, end))
	}
	return s
}

// tokenDialects are those whose markup is tokens of the model's own, which the server
// should have kept to itself. A closing token is often a stop token, and not there.
//
//   - The fullwidth bars are DeepSeek's; Kimi K2 and Step have the same form in their
//     own tokens.
//   - <|tool_call> is Gemma 4's, <start_function_call> FunctionGemma's,
//     <|tool_call_start|> LFM's, <|tool_call|> that of Granite and Phi-4 and functools[
//     Phi-4 mini's.
//   - <|python_tag|> is Llama 3's, <|python_start|> Llama 4's, <|action_start|> InternLM's, <|START_ACTION|>
//     Command R's, <|tools_prefix|> Apertus's.
//   - [TOOL_CALLS] is Mistral's: before a list, or since version 11 of its tokenizer
//     before a name, perhaps [CALL_ID] and [ARGS], and an object.
//   - A channel with a recipient is Harmony's (gpt-oss); some servers take its tokens
//     off and leave the words.
func tokenDialects() []dialect {
	all := []dialect{
		{open: "<|tool_call>", close: "<tool_call|>", begins: (*Reader).beginsTag, read: readGemma},
		{open: "<start_function_call>", close: "<end_function_call>", begins: (*Reader).beginsTag, read: readGemma},
		{open: "<|tool_call_start|>", close: "<|tool_call_end|>", begins: (*Reader).beginsTag, read: readTag},
		{open: "<|tool_call|>", closed: true, begins: (*Reader).beginsTag, read: readTag},
		{open: "functools[", line: true, keep: true, closed: true, begins: beginsItem, read: readFunctools},
		{open: "<|python_tag|>", close: "<|eom_id|>", begins: (*Reader).beginsTag, read: readTag},
		{open: "<|python_start|>", close: "<|python_end|>", begins: (*Reader).beginsTag, read: readTag},
		{open: "<|action_start|>", close: "<|action_end|>", begins: beginsPlugin, read: readPlugin},
		{open: "<|START_ACTION|>", close: "<|END_ACTION|>", begins: beginsList, read: readObjects},
		{open: "<|tools_prefix|>", close: "<|tools_suffix|>", begins: beginsList, read: readObjects},
		{open: "[TOOL_CALLS]", closed: true, begins: (*Reader).beginsMistral, read: readMistral},
		{open: "<|channel|>", keep: true, close: "<|call|>", begins: beginsChannel, read: readHarmony},
		{open: "commentary to=", line: true, keep: true, closed: true, begins: beginsStripped, read: readStripped},
		{open: "assistantcommentary to=", line: true, keep: true, closed: true, begins: beginsStripped, read: readStripped},
		{open: "<|start|>assistant", keep: true, close: "<|call|>", begins: beginsChannel, read: readHarmony},
	}
	for _, m := range markedForms {
		all = append(all, dialect{open: m.open, close: m.close, begins: m.begins, read: m.read})
	}
	return all
}

// marked is a form in which each call is between tokens: a name, a separator and the
// arguments.
type marked struct {
	open, close           string // of all calls
	begin, separator, end string // of one
}

// markedForms are the forms of this kind. Where the tokens around all calls are lost,
// those of the first call stand for them.
var markedForms = []marked{
	{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"},
	{"<｜tool▁call▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"},
	{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"},
	{"<|tool_call_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"},
	{"<|tool_calls_begin|>", "<|tool_calls_end|>", "<|tool_call_begin|>", "<|tool_sep|>", "<|tool_call_end|>"},
	{"<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", "<｜tool_call_begin｜>", "<｜tool_sep｜>", "<｜tool_call_end｜>"},
}

// begins judges what follows the first token: another, or a name and one.
func (m marked) begins(_ *Reader, rest string) verdict {
	s := strings.TrimLeft(rest, space)
	if !strings.HasPrefix(s, "<") {
		_, s = leadingName(s)
		s = strings.TrimLeft(s, space)
	}
	return beginsWith(s, m.begin, m.separator)
}

// read reads the calls. DeepSeek 3 and Step write the word function before the
// separator and the name behind it, with fenced JSON or an <invoke> element; the
// others the name before it, with bare JSON behind. Kimi counts its calls at the end
// of the name.
func (m marked) read(body string) ([]wish, *Fault) {
	var wishes []wish
	for part := range strings.SplitSeq(body, m.begin) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		part = strings.TrimSpace(strings.TrimSuffix(part, m.close))
		part = strings.TrimSpace(strings.TrimSuffix(part, m.end))
		name, rest, ok := strings.Cut(part, m.separator)
		if !ok {
			return nil, &Fault{Cut: true, Problem: "The call breaks off in the tool's name"}
		}
		rest = strings.TrimSpace(rest)
		if inner := strings.ReplaceAll(rest, "steptml:", ""); strings.HasPrefix(inner, invokeOpen) {
			w, f := readInvokes(inner)
			if f != nil {
				return nil, f
			}
			wishes = append(wishes, w...)
			continue
		}
		if !strings.HasPrefix(rest, "{") && !strings.HasPrefix(rest, "```") {
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
// quotation marks lets a text hold any of these unescaped; FunctionGemma has another.
func readGemma(body string) ([]wish, *Fault) {
	body = strings.TrimPrefix(strings.TrimSpace(body), "call:")
	return readExpressions(strings.ReplaceAll(body, "<escape>", `<|"|>`))
}

// readMistral reads Mistral's JSON list, or a name and an object.
func readMistral(body string) ([]wish, *Fault) {
	if strings.HasPrefix(strings.TrimLeft(body, space+"["), "{") {
		return readObjects(body)
	}
	name, rest := leadingName(strings.TrimLeft(body, space))
	rest = strings.TrimLeft(rest, space)
	if id, ok := strings.CutPrefix(rest, "[CALL_ID]"); ok {
		_, rest = leadingName(id)
	}
	arguments, f := parseText(strings.TrimPrefix(rest, "[ARGS]"))
	if f != nil {
		return nil, f
	}
	return []wish{{name: name, arguments: arguments}}, nil
}

// beginsMistral judges what follows [TOOL_CALLS].
func (r *Reader) beginsMistral(rest string) verdict {
	if v := beginsList(r, rest); v != isProse {
		return v
	}
	touching := strings.TrimLeft(rest, space)
	name, s := leadingName(touching)
	// Behind a space it may be a sentence about the token.
	strange := len(touching) < len(rest) && !r.mayOffer(name)
	switch s = strings.TrimLeft(s, space); {
	case strange, name == "" && s != "":
		return isProse
	case s == "":
		return undecided
	}
	return beginsWith(s, "{", "[ARGS]", "[CALL_ID]")
}

// readFunctools reads Phi-4 mini's list.
func readFunctools(body string) ([]wish, *Fault) {
	return readObjects(strings.TrimPrefix(body, "functools"))
}

// readPlugin reads InternLM's call, which has the kind of tool before it.
func readPlugin(body string) ([]wish, *Fault) {
	return readObjects(strings.TrimPrefix(strings.TrimLeft(body, space), "<|plugin|>"))
}

// beginsPlugin judges what follows <|action_start|>.
func beginsPlugin(_ *Reader, rest string) verdict {
	return beginsWith(strings.TrimLeft(rest, space), "<|plugin|>")
}

// message is the token between a channel and what is said in it.
const message = "<|message|>"

// readHarmony reads a message of Harmony that has a recipient, from its header on. The
// recipient stands behind the channel or behind the role before it.
func readHarmony(body string) ([]wish, *Fault) {
	header, arguments, ok := strings.Cut(body, message)
	if !ok {
		return nil, cutBefore(message)
	}
	_, to, _ := strings.Cut(header, "to=")
	name, _ := leadingName(to + " ")
	return []wish{{name: name, arguments: jsontree.Of(withoutEnd(arguments))}}, nil
}

// beginsChannel judges the header of a message: it is a call if it has a recipient.
func beginsChannel(_ *Reader, rest string) verdict {
	header, _, ok := strings.Cut(rest, message)
	_, to, addressed := strings.Cut(header, "to=")
	name, after := leadingName(to)
	switch {
	case addressed && after != "":
		return markupIf(name != "")
	case !ok && !strings.Contains(header, "\n"):
		return undecided
	}
	return markupIf(ok && addressed && name != "")
}

// beginsStripped judges what follows "commentary to=" where the tokens were taken off: a
// name, perhaps the word json, and an object.
func beginsStripped(_ *Reader, rest string) verdict {
	name, s := leadingName(rest)
	if name == "" && s != "" {
		return isProse
	}
	s = strings.TrimLeft(s, " ")
	for _, word := range []string{"<|constrain|>", "json", message} {
		if after, ok := strings.CutPrefix(s, word); ok {
			s = strings.TrimLeft(after, " ")
		} else if strings.HasPrefix(word, s) {
			return undecided
		}
	}
	return markupIf(s[0] == '{')
}

// readStripped reads such a call.
func readStripped(body string) ([]wish, *Fault) {
	_, to, _ := strings.Cut(body, "to=")
	name, _ := leadingName(to)
	arguments, f := parseText(body[max(0, strings.IndexByte(body, '{')):])
	return []wish{{name: name, arguments: arguments}}, f
}
