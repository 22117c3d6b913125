package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"loci"
	"loci/internal/text"
)

// menu is what a reply may call, and what markup of these tools begins with.
type menu struct {
	specs   []loci.ToolSpec
	schemas map[string]*Schema // of those that were looked at
	marks   [][]mark           // thoughts, calls and what is left over from them, names of the tools
	stops   [256]stop          // the bytes that marks, code, block quotes and lines begin with
}

// stop says where a byte may begin something other than prose.
type stop uint8

const (
	nowhere   stop = iota
	lineStart      // where nothing but white space is before it in its line
	anywhere
)

// newMenu makes the menu of the offered tools. Without any it has the marks of thoughts
// alone.
func newMenu(offered []loci.ToolSpec) *menu {
	m := &menu{specs: offered, marks: [][]mark{thoughtMarks}}
	if len(offered) > 0 {
		m.marks = append(m.marks, callMarks)
		for _, t := range offered {
			m.marks = append(m.marks, marksOf(t.Name))
		}
	}
	m.stops['\n'], m.stops['`'] = anywhere, anywhere
	m.stops['>'], m.stops['|'], m.stops['~'] = lineStart, lineStart, lineStart
	for _, marks := range m.marks {
		for _, mark := range marks {
			if s := &m.stops[mark.text[0]]; !mark.line {
				*s = anywhere
			} else if *s == nowhere {
				*s = lineStart
			}
		}
	}
	return m
}

// offers tells whether a name means an offered tool.
func (m *menu) offers(name string) bool {
	_, ok := Name(name, m.specs)
	return ok
}

// mayOffer tells whether a name is, or can become, that of an offered tool. Once it can
// not, it never can.
func (m *menu) mayOffer(name string) bool {
	name = strings.TrimSuffix(name, ":")
	begun := looseName(name)
	for _, t := range m.specs {
		if begun != "" && strings.HasPrefix(looseName(t.Name), begun) {
			return true
		}
	}
	return name != "" && slices.ContainsFunc(namePrefixes, func(p string) bool { return strings.HasPrefix(name, p) || strings.HasPrefix(p, name) })
}

// offersAny tells whether a tool of wishes is offered.
func (m *menu) offersAny(wishes []wish) bool {
	for _, w := range wishes {
		if m.offers(w.name) {
			return true
		}
	}
	return false
}

// needsNothing tells whether an offered tool can be called without arguments.
func (m *menu) needsNothing(tool string) bool {
	tool, _ = Name(tool, m.specs)
	s, err := m.schema(tool)
	return err == nil && len(s.root.Required) == 0
}

// hasParameter tells whether an offered tool has a parameter of this name.
func (m *menu) hasParameter(tool, name string) bool {
	tool, _ = Name(tool, m.specs)
	s, err := m.schema(tool)
	return err == nil && slices.ContainsFunc(s.order, func(p string) bool { return looseName(p) == looseName(name) })
}

// check finds the tool that a wish means and fits the arguments to it. These are
// the same rules that native calls go through, so it makes no difference to
// what may run in which form a model asks.
func (m *menu) check(w wish) (loci.ToolCall, *Fault) {
	name, ok := Name(w.name, m.specs)
	if !ok {
		return loci.ToolCall{}, Unknown(w.name, m.specs)
	}
	s, err := m.schema(name)
	if err != nil {
		return loci.ToolCall{}, &Fault{Tool: name, Problem: "The tool " + name + " cannot be used: " + text.Clip(err.Error(), 200)}
	}
	v, f := s.arrange(w)
	var raw json.RawMessage
	if f == nil {
		raw, f = s.fit(v)
	}
	if f != nil {
		return loci.ToolCall{}, s.blame(f, given(v, w.positional))
	}
	return loci.ToolCall{ID: loci.NewID(loci.CallPrefix), Name: name, Arguments: raw}, nil
}

// schema compiles a tool's schema when it is first called.
func (m *menu) schema(name string) (*Schema, error) {
	if s, ok := m.schemas[name]; ok {
		return s, nil
	}
	for _, t := range m.specs {
		if t.Name == name {
			s, err := Compile(t)
			if err != nil {
				return nil, err
			}
			if m.schemas == nil {
				m.schemas = make(map[string]*Schema)
			}
			m.schemas[name] = s
			return s, nil
		}
	}
	return nil, Unknown(name, m.specs)
}
