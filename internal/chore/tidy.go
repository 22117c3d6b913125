package chore

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"loci/internal/wire"
)

// Tidy makes a model's reply what the client expects, and nothing around it;
// false if there is nothing of use in it.
func (c Chore) Tidy(reply string) (string, bool) {
	if _, after, found := cutLast(reply, "</think>"); found {
		reply = after
	}
	reply = strings.TrimSpace(reply)
	switch {
	case reply == "":
		return "", false
	case c.Key != "":
		values, ok := c.find(reply)
		if !ok && c.Kind == Image {
			return c.Answer(reply), true // a description is one without braces too
		}
		return c.Answer(values...), ok
	case c.Kind == Title:
		return bareTitle(reply)
	case c.Kind == Emoji:
		return reply, utf8.RuneCountInString(reply) <= 8 && !strings.ContainsFunc(reply, unicode.IsLetter)
	}
	return reply, true
}

// find looks for the object in a reply that may have fences or words around it.
func (c Chore) find(reply string) (values []string, ok bool) {
	const tries = 50 // more braces than that are a program, not an answer
	for at, n := strings.IndexByte(reply, '{'), 0; at >= 0 && n < tries; n++ {
		var object map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(reply[at:])).Decode(&object) == nil {
			if values, ok := c.values(object[c.Key]); ok {
				return values, true
			}
			for _, key := range slices.Sorted(maps.Keys(object)) {
				if values, ok := c.values(object[key]); ok && kindOf(key) == c.Kind {
					return values, true
				}
			}
		}
		next := strings.IndexByte(reply[at+1:], '{')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return nil, false
}

// values reads a member, whether it is a text or a list. An empty list is an
// answer where one is wanted, an empty text only for autocompletion.
func (c Chore) values(raw json.RawMessage) ([]string, bool) {
	var all []string
	if json.Unmarshal(raw, &all) == nil && all != nil {
		kept := all[:0]
		for _, v := range all {
			if v = strings.TrimSpace(v); v != "" {
				kept = append(kept, v)
			}
		}
		return kept, c.List || len(kept) > 0
	}
	var one string
	if json.Unmarshal(raw, &one) != nil || wire.IsNull(raw) {
		return nil, false
	}
	if c.Kind == Autocomplete {
		return []string{one}, true // it may begin with a space
	}
	one = strings.TrimSpace(one)
	return []string{one}, one != ""
}

// bareTitle takes the title out of a reply that should be nothing else.
func bareTitle(reply string) (string, bool) {
	line, _, _ := strings.Cut(reply, "\n")
	if before, after, found := strings.Cut(line, ":"); found && strings.EqualFold(strings.Trim(before, "*# "), "title") {
		line = after
	}
	line = strings.Trim(line, " \t\r\"'`*#“”„")
	return line, line != "" && utf8.RuneCountInString(line) <= 100
}
