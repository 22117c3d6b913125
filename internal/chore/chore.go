// Package chore knows what chat UIs ask a model for besides what a person says:
// a title for the conversation, tags, questions to suggest, search queries. Such
// a request is no turn: it has no session, and nothing is kept of it.
//
// [Recognise] tells one from a turn, by what the client calls it or by its form.
// No standard describes the forms: they are those of Open WebUI (most of them),
// LibreChat, Chatbox, LobeChat and Cherry Studio, as these send them, and stand as
// a table in forms.go; talk.go reads the conversations that are pasted into them.
// A [Chore] that is recognised can be answered without a model (short.go), and
// makes of a model's reply what the client wants to read (tidy.go).
//
// All of it is text in, text out. Whether a model is asked, package api decides.
package chore

import (
	"strings"

	"loci/internal/wire"
)

// Kind is what a chore asks for.
type Kind string

// The kinds of chores.
const (
	Title        Kind = "title"
	Tags         Kind = "tags"
	FollowUps    Kind = "follow-ups"   // what the person might say next
	Queries      Kind = "queries"      // what to search for
	Autocomplete Kind = "autocomplete" // the rest of what the person types
	Emoji        Kind = "emoji"
	Image        Kind = "image" // a description to draw from
	Merge        Kind = "merge" // one answer from those of several models
	Other        Kind = "other"
)

// Chore is a request that a client makes on its own.
type Chore struct {
	Kind Kind
	Key  string // member of the JSON object that is wanted; empty: bare words
	List bool   // that member is a list
	Talk string // the conversation that was pasted in
}

// Answer writes a result as the client wants it: in its JSON object, or bare.
func (c Chore) Answer(values ...string) string {
	if c.Key == "" {
		return strings.Join(values, "\n")
	}
	var value any = append([]string{}, values...)
	if !c.List && len(values) == 1 {
		value = values[0]
	}
	b, err := wire.Marshal(map[string]any{c.Key: value})
	if err != nil { // texts always marshal
		return "{}"
	}
	return string(b)
}

// kinds are the members by which clients want the result, without regard to
// case and marks.
var kinds = map[string]Kind{
	"title": Title, "heading": Title, "headline": Title, "chattitle": Title, "conversationtitle": Title,
	"tags": Tags, "tag": Tags,
	"followups": FollowUps, "followup": FollowUps, "followupquestions": FollowUps, "suggestions": FollowUps,
	"queries": Queries, "searchqueries": Queries,
	"text":   Autocomplete,
	"emoji":  Emoji,
	"prompt": Image,
}

// kindOf is the kind of result that a member has; empty if it says nothing.
func kindOf(key string) Kind {
	return kinds[strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))]
}
