package model

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"loci"
)

// The prefixes of a name: barePrefix asks for a model without the agent,
// aliasPrefix for one with it; the alias alone is the default model.
const (
	barePrefix  = "bare/"
	alias       = "loci"
	aliasPrefix = alias + "/"
	defaultName = "default"
	latest      = ":latest"
)

// maxSimilar is how many names an error about an unknown one suggests.
const maxSimilar = 5

// Target is what a name means: a model on a server.
type Target struct {
	Client      *Client
	Model       string // name on that server
	Passthrough bool   // to be served bare, without the agent
	digest      string
}

// Resolve finds the model of a name. In this order it may be
//
//   - the name that a server lists, with or without ":latest";
//   - "", "loci" or "loci/default": the default model;
//   - one of the configured aliases;
//   - "loci/NAME", that model with the agent, or "bare/NAME", without it;
//   - the listed name in other upper and lower case, without the folder and
//     ending of a model file, or without its tag if only one model fits.
//
// The default model is the configured one. Without that it is, on the first
// server that has a chat model, the first of more than a billion parameters or
// of unknown size, or else the first: smaller ones are the fallback of those
// who have nothing larger. (Ollama lists what was fetched last first.)
func (h *Hub) Resolve(ctx context.Context, name string) (Target, error) {
	name = strings.TrimSpace(name)
	lists, err := h.lists(ctx, 0)
	if err != nil {
		return Target{}, err
	}
	if t, ok := h.find(lists, name); ok {
		return t, nil
	}
	// What was not there may be there now.
	if lists, err = h.lists(ctx, missAge); err != nil {
		return Target{}, err
	}
	if t, ok := h.find(lists, name); ok {
		return t, nil
	}
	if t, ok := h.absent(lists, name); ok {
		return t, nil
	}
	return Target{}, unknown(lists, h.plain(name))
}

// find looks a name up in the models that servers list.
func (h *Hub) find(lists []listed, name string) (Target, bool) {
	if name != "" { // a model may really be called "loci/x"
		if t, ok := h.lookup(lists, name, exactly); ok {
			return t, true
		}
	}
	plain := h.plain(name)
	if plain == "" {
		t, ok := h.first(lists)
		return t.as(name), ok
	}
	for _, same := range []func(listed, asked string) bool{exactly, foldedly, asFile, untagged} {
		if t, ok := h.lookup(lists, plain, same); ok {
			return t.as(name), true
		}
	}
	return Target{}, false
}

// plain strips a name of its prefix and follows aliases; the default model is
// "" unless one is configured.
func (h *Hub) plain(name string) string {
	name = strings.TrimPrefix(name, barePrefix)
	if name == alias {
		name = ""
	}
	name = strings.TrimPrefix(name, aliasPrefix)
	if name == defaultName {
		name = ""
	}
	name = cmp.Or(name, h.config.Default)
	return cmp.Or(h.config.Aliases[name], name)
}

// lookup finds the one model that is the same as name. Several on one server
// are none, unless one is it to the letter: a guess would talk to a model that
// the person did not mean. Between servers the first one wins.
func (h *Hub) lookup(lists []listed, name string, same func(listed, asked string) bool) (Target, bool) {
	for _, l := range lists {
		var found []loci.ModelInfo
		for _, m := range l.models {
			if m.ID == name {
				return h.target(l, m), true
			}
			if same(m.ID, name) {
				found = append(found, m)
			}
		}
		if len(found) == 1 {
			return h.target(l, found[0]), true
		}
	}
	return Target{}, false
}

func (h *Hub) target(l listed, m loci.ModelInfo) Target {
	return Target{Client: l.client, Model: m.ID, Passthrough: h.bare(m.ID), digest: m.Digest}
}

// as applies the prefix that a target was asked for with.
func (t Target) as(name string) Target {
	switch {
	case strings.HasPrefix(name, barePrefix):
		t.Passthrough = true
	case strings.HasPrefix(name, aliasPrefix):
		t.Passthrough = false
	}
	return t
}

// bare tells whether a model is configured to be served without the agent.
func (h *Hub) bare(model string) bool {
	return slices.ContainsFunc(h.config.Passthrough, func(name string) bool { return sameName(model, name) })
}

// The ways in which a listed name can be the one asked for, strictest first.

func exactly(listed, asked string) bool { return sameName(listed, asked) }

func foldedly(listed, asked string) bool {
	return strings.EqualFold(strings.TrimSuffix(listed, latest), strings.TrimSuffix(asked, latest))
}

// asFile compares with the file name of a model that is listed by its path, as
// llama-server does.
func asFile(listed, asked string) bool {
	base := path.Base(strings.ReplaceAll(listed, `\`, "/"))
	return strings.EqualFold(base, asked) || strings.EqualFold(strings.TrimSuffix(base, ".gguf"), asked)
}

func untagged(listed, asked string) bool {
	name, _, ok := strings.Cut(listed, ":")
	return ok && strings.EqualFold(name, asked)
}

// sameName compares two names of models; a missing tag is ":latest".
func sameName(a, b string) bool {
	return strings.TrimSuffix(a, latest) == strings.TrimSuffix(b, latest)
}

// first chooses the default model; see Resolve. Size is the only thing that a
// list tells about what a model can do, and asking each would take long.
func (h *Hub) first(lists []listed) (Target, bool) {
	for _, l := range lists {
		chat := slices.DeleteFunc(slices.Clone(l.models), func(m loci.ModelInfo) bool { return m.Embedding })
		if len(chat) == 0 {
			continue
		}
		i := slices.IndexFunc(chat, func(m loci.ModelInfo) bool {
			n := cmp.Or(paramsOf(m.Parameters), paramsOf(m.ID))
			return n == 0 || n > tinyParams
		})
		return h.target(l, chat[max(i, 0)]), true
	}
	return Target{}, false
}

// absent finds a server for a name that none lists: one that had the model
// before it went down, so that the person hears that it is down; or the only
// server, if it cannot list.
func (h *Hub) absent(lists []listed, name string) (Target, bool) {
	before := slices.Clone(lists)
	for i := range before {
		if before[i].err != nil {
			before[i].models = before[i].known
		}
	}
	if t, ok := h.find(before, name); ok {
		return t, true
	}
	plain := h.plain(name)
	if len(lists) != 1 || lists[0].err == nil || plain == "" {
		return Target{}, false
	}
	switch loci.AsError(lists[0].err).Code {
	case loci.Refused, loci.NotFound:
		return h.target(lists[0], loci.ModelInfo{ID: plain}).as(name), true
	}
	return Target{}, false
}

// unknown is the error for a name that no server knows. If it may be because a
// server is down, that is what the person needs to hear. The sentence itself is
// Ollama's own, to the letter: its clients look for it.
func unknown(lists []listed, name string) error {
	var names []string
	var down error
	for _, l := range lists {
		for _, m := range l.models {
			if !m.Embedding && !slices.Contains(names, m.ID) {
				names = append(names, m.ID)
			}
		}
		if down == nil {
			down = l.err
		}
	}
	switch {
	case len(names) == 0 && down != nil:
		return down
	case len(lists) == 0:
		return loci.Errorf(loci.Unreachable, "There is no model server.").
			WithHint("Start Ollama, LM Studio or llama-server, or let loci fetch a model with: loci up")
	case len(names) == 0:
		b := lists[0].client.Backend()
		e := loci.Errorf(loci.NotFound, "%s %s.", b, problemNoModels)
		if b.Kind == KindOllama {
			return e.WithHint("Fetch one with: ollama pull llama3.2")
		}
		return e.WithHint("Load one there, or let loci fetch a model with: loci up")
	}
	e := loci.Errorf(loci.NotFound, "model '%s' not found", clip(name))
	hint := "There is: "
	if alike := similar(names, name); len(alike) > 0 {
		names, hint = alike, "Did you mean: "
	}
	for i, name := range names[:min(len(names), maxSimilar)] {
		if i > 0 {
			hint += ", "
		}
		hint += clip(name)
	}
	if down != nil {
		hint += ". (" + loci.AsError(down).Message + ")"
	}
	return e.WithHint("%s", hint)
}

// similar picks the names that a wrong one may have meant, likeliest first. It
// looks at so many names and so much of each that a server with an absurd list
// cannot keep it busy.
func similar(names []string, wrong string) []string {
	wrong = strings.ToLower(clip(wrong))
	type scored struct {
		name string
		far  int
	}
	var near []scored
	for _, name := range names[:min(len(names), 1000)] {
		if far := farness(strings.ToLower(clip(name)), wrong); far <= max(2, len(wrong)/3) {
			near = append(near, scored{name, far})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.far, b.far) })
	found := make([]string, len(near))
	for i, n := range near {
		found[i] = n.name
	}
	return found
}

// farness tells how unlike two names are; 0 if one is part of the other. A
// different tag makes less of a difference than a different name.
func farness(name, wrong string) int {
	if strings.Contains(name, wrong) || strings.Contains(wrong, name) {
		return 0
	}
	base, _, _ := strings.Cut(name, ":")
	asked, _, _ := strings.Cut(wrong, ":")
	return min(distance(name, wrong), 1+distance(base, asked))
}

// distance is the number of bytes to insert, delete or replace to make b of a
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
