package model

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"loci"
	"loci/internal/model/server"
	"loci/internal/wire/ollama"
)

// The prefixes of a name: barePrefix asks for a model without the agent,
// aliasPrefix for one with it; the alias alone is the default model.
const (
	barePrefix  = "bare/"
	alias       = "loci"
	aliasPrefix = alias + "/"
	defaultName = "default"
)

// Target is what a name means: a model on a server.
type Target struct {
	Server *server.Client
	// Model is as the server lists it. Passthrough says that it is to be served
	// bare, without the agent.
	Model loci.ModelInfo

	queue *courtesy // of the server
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
// server that has a chat model, the first of more than 1.25 billion parameters or
// of unknown size, or else the first: smaller ones are the fallback of those
// who have nothing larger. (Ollama lists what was fetched last first.)
func (h *Hub) Resolve(ctx context.Context, name string) (*Target, error) {
	name = strings.TrimSpace(name)
	lists, err := h.lists(ctx, 0)
	if err != nil {
		return nil, err
	}
	if t, ok := h.find(lists, name); ok {
		return &t, nil
	}
	// What was not there may be there now.
	if lists, err = h.lists(ctx, missAge); err != nil {
		return nil, err
	}
	if t, ok := h.find(lists, name); ok {
		return &t, nil
	}
	if t, ok := h.absent(lists, name); ok {
		return &t, nil
	}
	return nil, unknown(lists, h.plain(name))
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
	if ollama.TrimLatest(name) == alias { // it is listed, so Ollama's clients may write it so
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
	m.Passthrough = h.bare(m.ID)
	return Target{Server: l.client, Model: m, queue: l.queue}
}

// as applies the prefix that a target was asked for with.
func (t Target) as(name string) Target {
	switch {
	case strings.HasPrefix(name, barePrefix):
		t.Model.Passthrough = true
	case strings.HasPrefix(name, aliasPrefix):
		t.Model.Passthrough = false
	}
	return t
}

// Bare tells by a name alone, also where no server lists it, whether its model is meant
// to be served without the agent.
func (h *Hub) Bare(name string) bool { return strings.HasPrefix(name, barePrefix) || h.bare(name) }

// bare tells whether a model is configured to be served without the agent.
func (h *Hub) bare(model string) bool {
	return slices.ContainsFunc(h.config.Passthrough, func(name string) bool { return exactly(model, name) })
}

// The ways in which a listed name can be the one asked for, strictest first.

func exactly(listed, asked string) bool { return ollama.TrimLatest(listed) == ollama.TrimLatest(asked) }

func foldedly(listed, asked string) bool {
	return strings.EqualFold(ollama.TrimLatest(listed), ollama.TrimLatest(asked))
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

// first chooses the default model; see Resolve. Size is the only thing that a
// list tells about what a model can do, and asking each would take long.
func (h *Hub) first(lists []listed) (Target, bool) {
	for _, l := range lists {
		chat := slices.DeleteFunc(slices.Clone(l.models), func(m loci.ModelInfo) bool { return m.Embedding })
		if len(chat) == 0 {
			continue
		}
		i := slices.IndexFunc(chat, func(m loci.ModelInfo) bool {
			return !loci.IsSmall(server.Params(m))
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
		return h.target(lists[0], loci.ModelInfo{ID: plain, Server: lists[0].client.Backend().URL}).as(name), true
	}
	return Target{}, false
}
