package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"loci/internal/lang"
	"loci/internal/wire"
)

// general is the tag for what has no better one.
var general = lang.Words{EN: "General", ZH: "综合", CS: "Obecné"}

// short is the answer to a job without a model; false where only a model can
// answer. Whatever it says is safe to show.
func (j job) short() (string, bool) {
	first, last := spoken(j.talk)
	switch j.kind {
	case jobTitle:
		return j.form(heading(first)), true
	case jobTags:
		return j.form(general.In(lang.Of(first))), true
	case jobFollowUps:
		return j.form(), true
	case jobQueries:
		// With an empty list Open WebUI would search for nothing, and the person
		// who has switched the search on wants one.
		return j.form(search(last)...), true
	case jobAutocomplete:
		return j.form(""), true
	case jobEmoji:
		return j.form("🙂"), true
	}
	return "", false
}

// search is what to search for to answer a message: its beginning, if it says
// anything.
func search(said string) []string {
	const most = 200
	said = strings.Join(strings.Fields(said), " ")
	if runes := []rune(said); len(runes) > most {
		said = string(runes[:most])
	}
	if said == "" {
		return nil
	}
	return []string{said}
}

// form writes a result as the client wants it: in its JSON object, or bare.
func (j job) form(values ...string) string {
	if j.key == "" {
		return strings.Join(values, "\n")
	}
	var value any = append([]string{}, values...)
	if !j.list && len(values) == 1 {
		value = values[0]
	}
	b, err := wire.Marshal(map[string]any{j.key: value})
	if err != nil { // texts always marshal
		return "{}"
	}
	return string(b)
}

// tidy makes a model's reply what the client expects, and nothing around it;
// false if there is nothing of use in it.
func (j job) tidy(reply string) (string, bool) {
	if _, after, found := cutLast(reply, "</think>"); found {
		reply = after
	}
	reply = strings.TrimSpace(reply)
	switch {
	case reply == "":
		return "", false
	case j.key != "":
		values, ok := j.find(reply)
		if !ok && j.kind == jobImage {
			return j.form(reply), true // a description is one without braces too
		}
		return j.form(values...), ok
	case j.kind == jobTitle:
		return bareTitle(reply)
	case j.kind == jobEmoji:
		return reply, utf8.RuneCountInString(reply) <= 8 && !strings.ContainsFunc(reply, unicode.IsLetter)
	}
	return reply, true
}

// find looks for the object in a reply that may have fences or words around it.
func (j job) find(reply string) (values []string, ok bool) {
	const tries = 50 // more braces than that are a program, not an answer
	for at, n := strings.IndexByte(reply, '{'), 0; at >= 0 && n < tries; n++ {
		var object map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(reply[at:])).Decode(&object) == nil {
			if values, ok := j.values(object[j.key]); ok {
				return values, true
			}
			for _, key := range slices.Sorted(maps.Keys(object)) {
				if values, ok := j.values(object[key]); ok && jobKeys[plainKey(key)] == j.kind {
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
func (j job) values(raw json.RawMessage) ([]string, bool) {
	var all []string
	if json.Unmarshal(raw, &all) == nil && all != nil {
		kept := all[:0]
		for _, v := range all {
			if v = strings.TrimSpace(v); v != "" {
				kept = append(kept, v)
			}
		}
		return kept, j.list || len(kept) > 0
	}
	var one string
	if json.Unmarshal(raw, &one) != nil || wire.IsNull(raw) {
		return nil, false
	}
	if j.kind == jobAutocomplete {
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
