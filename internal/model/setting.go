package model

import (
	"cmp"

	"loci"
)

// Setting is what a person has set for one model. It counts for more than what the
// server tells and what trials show; an empty field leaves that as it is.
type Setting struct {
	Tier   loci.Tier
	Markup loci.Markup
	Window int      // context length in tokens; Ollama is asked for it
	Think  string   // "on" or "off": what to ask for where the client does not say
	Stops  []string // stop sequences for every call
	Speaks []string // languages that it can talk in, as tags

	Stopping, Constrain, Choice, System, Systems, Alternate loci.Finding
}

// setting gives what is set for a model of that name on its server. The person may
// have written the name in any of the ways that Resolve knows.
func (c Config) setting(model string) Setting {
	for _, same := range []func(listed, asked string) bool{exactly, foldedly, asFile} {
		for name, s := range c.Models {
			if same(model, name) || same(model, c.Aliases[name]) {
				return s
			}
		}
	}
	return Setting{}
}

// window is the context length to ask Ollama for.
func (c Config) window(model string) int { return cmp.Or(c.setting(model).Window, c.Window) }

// set puts what the person has set into a profile.
func (h *Hub) set(p loci.Profile) loci.Profile {
	s := h.config.setting(p.Model)
	if tier := cmp.Or(s.Tier, h.config.Tier); tier != "" {
		p.Tier, p.Reason = tier, "The configuration says so."
	}
	p.Window = cmp.Or(s.Window, p.Window)
	p.Markup = cmp.Or(s.Markup, p.Markup)
	p.Stopping = cmp.Or(s.Stopping, p.Stopping)
	p.Constrain = cmp.Or(s.Constrain, p.Constrain)
	p.Choice = cmp.Or(s.Choice, p.Choice)
	p.System = cmp.Or(s.System, p.System)
	p.Systems = cmp.Or(s.Systems, p.Systems)
	p.Alternate = cmp.Or(s.Alternate, p.Alternate)
	p.Speaks = s.Speaks
	if len(s.Speaks) == 0 {
		p.Speaks = languagesOf(p.Model)
	}
	if len(s.Stops) > 0 {
		p.Stops = s.Stops
	}
	return p
}
