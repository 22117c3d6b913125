package gate

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/tool"
)

// granted is a store of grants that holds for the bindings in it.
type granted map[string]string

func (g granted) Grant(_ context.Context, principal, session, binding string) (loci.Grant, error) {
	if id, ok := g[principal+" "+session+" "+binding]; ok {
		return loci.Grant{ID: id}, nil
	}
	return loci.Grant{}, loci.Errorf(loci.NotFound, "There is no such grant.")
}

// broken is a store that cannot be read.
type broken struct{}

func (broken) Grant(context.Context, string, string, string) (loci.Grant, error) {
	return loci.Grant{ID: "gra_half"}, errors.New("the disk is gone")
}

const home = "/home/mira"

// spec makes a tool of a name that says what it does, such as "egress dangerous".
func spec(words string) loci.ToolSpec {
	s := loci.ToolSpec{Name: "try_it"}
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "dangerous":
			s.Dangerous = true
		case "irreversible":
			s.Irreversible = true
		case "files":
			s.Files = true
		case "to":
			s.Destinations = []string{"to"}
		default:
			s.SideEffects = loci.SideEffects(word)
		}
	}
	return s
}

// TestDecide goes through what a decision is made from. A case is an allowed permit,
// "ask" for a question whose yes may last, or "once".
func TestDecide(t *testing.T) {
	const (
		ask, once = "ask", "once"
		free      = "allow " + tool.PermitRule
		grant     = "allow gra_1"
		allow     = "allow "
	)
	for _, test := range []struct {
		spec    string
		has     string // what situation knows
		strict  string
		relaxed string
	}{
		{"none", "", allow, allow},
		{"none", "tainted", allow, allow},
		{"none dangerous", "", ask, ask},
		{"none irreversible", "", allow, allow},
		{"none irreversible", "tainted", once, once},
		{"read", "", allow, allow},
		{"read files", "tainted", allow, allow},
		{"read", "warned", once, once},
		{"read", "tainted warned", once, once},
		{"read files", "warned granted freed", once, once},
		{"read dangerous", "", ask, ask},
		{"read dangerous", "granted", grant, grant},
		{"read dangerous", "tainted granted", grant, grant},
		{"write", "", allow, allow},
		{"write", "tainted", allow, allow},
		{"write dangerous", "", ask, ask},
		{"write dangerous", "freed", ask, ask}, // the rules are for files
		{"write dangerous files", "", ask, ask},
		{"write dangerous files", "freed", free, free},
		{"write dangerous files", "elsewhere freed", ask, ask},
		{"write dangerous files", "nowhere freed", ask, ask},
		{"write dangerous files", "tainted", ask, ask},
		{"write dangerous files", "tainted freed", free, free}, // it can be undone
		{"write dangerous files", "tainted granted", grant, grant},
		{"write dangerous files", "warned freed granted", once, once},
		{"write dangerous files irreversible", "", once, once},
		{"write dangerous files irreversible", "freed granted", once, once},
		{"write dangerous files irreversible", "tainted freed granted", once, once},
		{"egress", "", allow, allow},
		{"egress", "tainted", once, once},
		{"egress to", "tainted named", once, allow},
		{"egress to", "tainted", once, once},
		{"egress to", "tainted granted unasked freed", once, once},
		{"egress dangerous to", "", ask, ask},
		{"egress dangerous to", "granted", grant, grant},
		{"egress dangerous to", "freed unasked", ask, ask},
		{"egress dangerous to", "tainted granted", once, once},
		{"egress dangerous to", "tainted named", once, ask},
		{"egress dangerous to", "tainted named granted", once, grant},
		{"egress dangerous to", "tainted named warned granted", once, once},
		{"egress dangerous to irreversible", "", once, once},
		{"egress dangerous to irreversible", "named granted", once, once},
		{"egress dangerous to irreversible", "tainted named granted", once, once},
		{"egress irreversible to", "tainted named", once, once},
		{"exec dangerous", "", ask, ask},
		{"exec dangerous", "unasked", free, free},
		{"exec dangerous", "freed", ask, ask},
		{"exec dangerous", "granted", grant, grant},
		{"exec dangerous", "warned unasked granted", once, once},
		{"exec dangerous", "tainted unasked granted freed", once, once},
		{"exec dangerous to", "tainted named unasked", once, free},
		{"exec dangerous irreversible", "unasked granted", once, once},
	} {
		for mode, want := range map[Mode]string{Strict: test.strict, Relaxed: test.relaxed, "": test.strict, "odd": test.strict} {
			c, g := situation(test.spec, test.has, mode)
			d := g.Decide(t.Context(), c)
			got := map[tool.Verdict]string{tool.Allow: "allow " + d.Permit, tool.Ask: ask, tool.Refuse: "refuse"}[d.Verdict]
			if d.Once {
				got = once
			}
			if got != want {
				t.Errorf("%q, %q, %q: %s, want %s", test.spec, test.has, mode, got, want)
			}
			if d.Verdict == tool.Ask && d.Reason == "" {
				t.Errorf("%q, %q, %q: it asks without a reason", test.spec, test.has, mode)
			}
		}
	}
}

// situation makes a call of a tool, and the gate that decides about it.
func situation(words, has string, mode Mode) (tool.Case, *Gate) {
	p := loci.Principal{ID: "owner", Owner: true}
	c := tool.Case{
		Scope:     loci.Scope{Principal: p, Session: "ses_1", Lang: "en", Said: []string{"Send it."}},
		Spec:      spec(words),
		Arguments: json.RawMessage(`{"to":"petra@office.example"}`),
		Preview:   tool.Preview{Touches: []string{home + "/a.md"}, Binding: "b"},
	}
	g := Config{Taint: mode, Grants: granted{}}
	for word := range strings.FieldsSeq(has) {
		switch word {
		case "tainted":
			c.Scope.Taint = []string{"web page.example"}
		case "named":
			c.Scope.Said = []string{"Send it to petra@office.example."}
		case "warned":
			c.Preview.Warning = "There is a second name for it."
		case "elsewhere":
			c.Preview.Touches = append(c.Preview.Touches, "/home/other/a.md")
		case "nowhere":
			c.Preview.Touches = nil
		case "freed":
			g.Rules = func(loci.Principal) sandbox.Rules { return sandbox.Rules{{Path: home, Access: sandbox.Free}} }
		case "unasked":
			g.Command = func(tool.Case) (tool.Verdict, string) { return tool.Allow, "" }
		case "granted":
			g.Grants = granted{"owner ses_1 " + tool.Binding(c.Spec.Name, c.Preview): "gra_1"}
		}
	}
	return c, New(g)
}

// TestGrantsAreForTheCall tries a grant on what it was not given for.
func TestGrantsAreForTheCall(t *testing.T) {
	for name, change := range map[string]func(*tool.Case){
		"another tool":      func(c *tool.Case) { c.Spec.Name = "other" },
		"another thing":     func(c *tool.Case) { c.Preview.Binding = "c" },
		"nothing bound":     func(c *tool.Case) { c.Preview.Binding = "" },
		"another session":   func(c *tool.Case) { c.Scope.Session = "ses_2" },
		"another principal": func(c *tool.Case) { c.Scope.Principal.ID = "eve" },
	} {
		c, g := situation("read dangerous", "granted", Strict)
		if change(&c); g.Decide(t.Context(), c).Verdict != tool.Ask {
			t.Errorf("%s: not asked", name)
		}
	}
}

// TestWithoutGrants asks where nobody can tell what was agreed to.
func TestWithoutGrants(t *testing.T) {
	for name, c := range map[string]Config{"none": {}, "broken": {Grants: broken{}}} {
		call, _ := situation("exec dangerous", "", Strict)
		if d := New(c).Decide(t.Context(), call); d.Verdict != tool.Ask || d.Permit != "" {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestCommandSeesTheCall has the configuration decide by what the call is. What it
// refuses is refused whatever was agreed to.
func TestCommandSeesTheCall(t *testing.T) {
	for said, want := range map[tool.Verdict]tool.Verdict{tool.Allow: tool.Allow, tool.Ask: tool.Ask, tool.Refuse: tool.Refuse} {
		c, _ := situation("exec dangerous", "", Strict)
		g := New(Config{Command: func(c tool.Case) (tool.Verdict, string) {
			if strings.Contains(string(c.Arguments), "petra") {
				return said, "because"
			}
			return tool.Ask, "otherwise"
		}})
		if d := g.Decide(t.Context(), c); d.Verdict != want || want != tool.Allow && d.Reason != "because" || want == tool.Allow && d.Permit != tool.PermitRule {
			t.Errorf("%d: %+v", said, d)
		}
		if c.Arguments = json.RawMessage(`{}`); g.Decide(t.Context(), c).Verdict != tool.Ask {
			t.Errorf("%d: another call does not ask", said)
		}
		if c.Spec = spec("egress dangerous"); g.Decide(t.Context(), c).Verdict != tool.Ask {
			t.Errorf("%d: it decides about more than programs", said)
		}
	}
	c, with := situation("exec dangerous", "granted", Strict)
	with.cfg.Command = func(tool.Case) (tool.Verdict, string) { return tool.Refuse, "never" }
	for _, taint := range [][]string{nil, {"web page.example"}} {
		if c.Scope.Taint = taint; with.Decide(t.Context(), c).Verdict != tool.Refuse {
			t.Errorf("a grant is stronger than a refusal, with %q", taint)
		}
	}
}

// TestReasonInWords says why in the person's language, also where a tool by itself
// does not ask.
func TestReasonInWords(t *testing.T) {
	for lang, want := range map[string]string{"en": "read from outside", "zh": "外部", "cs": "odjinud"} {
		c, g := situation("egress", "tainted", Strict)
		c.Scope.Lang = lang
		if d := g.Decide(t.Context(), c); !strings.Contains(d.Reason, want) {
			t.Errorf("%s: %q", lang, d.Reason)
		}
	}
}
