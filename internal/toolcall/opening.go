package toolcall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// verdict is what the beginning of a text tells about the rest. Once it is not
// undecided, more text never changes it: otherwise the cuts between pieces would.
type verdict uint8

const (
	undecided verdict = iota // too short to tell
	isProse
	isMarkup // to all appearances a call, a thought or what else the mark stands for
)

// space is the white space between the parts of markup.
const space = " \t\r\n"

// judge asks the dialect whether rest, which follows its opening, can be the
// beginning of a call. Where no more text comes, the closing tag is taken for
// the next: a stop sequence may have taken it off.
func (d *dialect) judge(r *Reader, rest string, final bool) verdict {
	if d.begins == nil {
		return isMarkup
	}
	v := d.begins(r, rest)
	if v == undecided && final {
		end := d.close
		if end == "" {
			end = "{" // what has not begun breaks off
		}
		return markupIf(d.begins(r, rest+end) == isMarkup)
	}
	return v
}

// beginsTag judges the inside of an element that holds JSON, name(…), or another
// element.
func (r *Reader) beginsTag(rest string) verdict {
	s := strings.TrimLeft(rest, space)
	if strings.HasPrefix(s, "`") {
		info, body, ok := strings.Cut(strings.TrimLeft(s, "`"), "\n")
		switch {
		case !ok && len(info) <= maxInfo && strings.Trim(info, "`") == info:
			return undecided
		case !ok || len(info) > maxInfo || !strings.HasPrefix(s, "```"):
			return isProse
		}
		s = strings.TrimLeft(body, space)
	}
	gap := rest[:len(rest)-len(s)]
	switch {
	case s == "":
		return undecided
	case s[0] == '[':
		if v := beginsList(r, s); v != isProse {
			return v
		}
		s = strings.TrimLeft(s[1:], space)
	case s[0] == '<':
		return r.beginsInner(s)
	case s[0] == '{':
		return r.beginsObject(s)
	}
	if r.place.blank && strings.Contains(gap, "\n") {
		if v := r.beginsAnnounced(s); v != isProse {
			return v
		}
		if v := r.beginsYAML(s); v != isProse {
			return v
		}
	}
	return r.beginsName(s, gap == "" || strings.Contains(gap, "\n"))
}

// beginsAnnounced judges an element on lines of its own in which words say what the
// model is about to do, and an object follows.
func (r *Reader) beginsAnnounced(s string) verdict {
	words, _, ok := strings.Cut(s, "{")
	switch {
	case strings.ContainsAny(words, "<\n") || !strings.Contains(words, " "):
		return isProse
	case !ok:
		return undecided
	case !announces(words):
		return isProse
	}
	return r.objectCall(s[len(words):])
}

// beginsYAML judges an element on lines of its own whose first names an offered tool. It
// is a call in a form that is not read.
func (r *Reader) beginsYAML(s string) verdict {
	const label = "name:"
	rest, ok := strings.CutPrefix(s, label)
	if !ok {
		if strings.HasPrefix(label, s) {
			return undecided
		}
		return isProse
	}
	name, _, ended := strings.Cut(rest, "\n")
	if !ended && len(name) < longestMark {
		return undecided
	}
	return markupIf(r.offers(strings.TrimSpace(name)))
}

// beginsListed judges what follows a tag that lists tools as well as it holds a call.
func (r *Reader) beginsListed(rest string) verdict {
	s := strings.TrimLeft(rest, space+"[")
	switch {
	case s == "":
		return undecided
	case s[0] == '{':
		return r.objectCall(s)
	}
	return isProse
}

// innerTags are the elements that may stand right inside another.
var innerTags = []string{"<function=", "<function name=", invokeOpen, "<tool>", "<tool_call>", "<name>", "<tool_name>", "<function_name>", "<server_name>"}

// beginsInner judges an element inside another. An empty one is a call that
// failed only where a line begins with it; in a sentence it is what the sentence
// is about.
func (r *Reader) beginsInner(s string) verdict {
	for _, open := range innerTags {
		switch rest, ok := strings.CutPrefix(s, open); {
		case ok && (open == "<tool>" || open == "<tool_call>"):
			return r.beginsTag(rest)
		case ok && strings.HasSuffix(open, "="):
			return r.beginsElement(rest)
		case ok:
			return markupIf(r.place.blank)
		case strings.HasPrefix(open, s):
			return undecided
		}
	}
	switch {
	case r.place.blank && strings.HasPrefix(s, "</"):
		return isMarkup
	case s == "<":
		return undecided
	}
	return isProse
}

// beginsObject judges a JSON object by the character after its bracket.
func (r *Reader) beginsObject(s string) verdict {
	s = strings.TrimLeft(s[1:], space)
	switch c, _ := utf8.DecodeRuneInString(s); {
	case !utf8.FullRuneInString(s):
		return undecided
	case strings.ContainsRune(quoting+"}_", c), unicode.IsLetter(c), r.place.blank:
		return isMarkup
	}
	return isProse
}

// beginsList judges the beginning of a list of JSON objects.
func beginsList(r *Reader, rest string) verdict {
	s := strings.TrimLeft(rest, space)
	switch {
	case s == "":
		return undecided
	case s[0] != '[':
		return isProse
	}
	return beginsItem(r, s[1:])
}

// beginsItem judges the inside of a list of JSON objects.
func beginsItem(_ *Reader, rest string) verdict {
	return beginsWith(strings.TrimLeft(rest, space), "{")
}

// beginsName judges a name and what follows it. Any name before a bracket can
// be a call, so that one of a tool that is not offered can be refused in words.
// Without a bracket, only an offered name that touches the tag (attached) is.
func (r *Reader) beginsName(s string, attached bool) verdict {
	name, rest := leadingName(s)
	if rest == "" {
		return undecided
	}
	offered := name != "" && r.offers(name)
	after := strings.TrimLeft(rest, space)
	switch {
	case name == "":
		return isProse
	case opensCall(rest), offered && attached:
		return isMarkup
	case after == "", strings.HasPrefix(argumentKey, after):
		return undecided
	case after[0] == '{', strings.HasPrefix(after, argumentKey):
		return markupIf(offered || r.place.blank)
	case opensCall(after):
		return markupIf(offered)
	}
	return markupIf(strings.HasPrefix(after, "</") && (offered || r.place.blank || attached && r.mayOffer(name)))
}

// opensCall tells whether what follows a name is the bracket before arguments, also
// as Chinese keyboards write it.
func opensCall(s string) bool { return strings.HasPrefix(s, "(") || strings.HasPrefix(s, "（") }

// markupIf is the verdict on what is a call if yes, and prose otherwise.
func markupIf(yes bool) verdict {
	if yes {
		return isMarkup
	}
	return isProse
}

// beginsElement judges the name in a tag, with or without quotes, and what
// follows the tag: XML that merely looks alike holds other things.
func (r *Reader) beginsElement(rest string) verdict {
	name, after := leadingName(strings.TrimLeft(rest, `"'`))
	switch {
	case after == "":
		return undecided
	case r.offers(name):
		return isMarkup
	}
	tag, inside, ok := strings.Cut(after, ">")
	inside = strings.TrimLeft(inside, space)
	switch {
	case name == "" || strings.Trim(tag, `"' `) != "":
		return isProse
	case !ok || inside == "":
		return undecided
	case inside[0] == '{':
		return r.beginsObject(inside)
	}
	return beginsWith(inside, "<parameter=", "<parameter ", "</function>")
}

// beginsWith judges markup by what has to come next.
func beginsWith(s string, marks ...string) verdict {
	for _, mark := range marks {
		switch {
		case strings.HasPrefix(s, mark):
			return isMarkup
		case strings.HasPrefix(mark, s):
			return undecided
		}
	}
	return isProse
}

// inSentence judges a tag that marks a thought or an output by what follows it.
// A sentence goes on behind its words in small letters or with a mark.
func inSentence(rest string) verdict {
	if rest == "" {
		return undecided
	}
	if strings.IndexByte(",.;:!?)", rest[0]) >= 0 {
		if len(rest) == 1 {
			return undecided
		}
		rest = rest[1:]
		if strings.IndexByte(space, rest[0]) >= 0 {
			return isProse
		}
		return isMarkup
	}
	s := strings.TrimLeft(rest, " ")
	c, _ := utf8.DecodeRuneInString(s)
	switch {
	case len(s) == len(rest):
		return isMarkup
	case !utf8.FullRuneInString(s):
		return undecided
	}
	return markupIf(!unicode.IsLower(c))
}

// leadingName splits s behind the characters that tools' names and their
// prefixes consist of.
func leadingName(s string) (name, rest string) {
	i := strings.IndexFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-.:/$", c)
	})
	switch {
	case i < 0:
		return s, ""
	case !utf8.FullRuneInString(s[i:]): // half a character may be a letter
		return s[:i], ""
	}
	return s[:i], s[i:]
}
