package tool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/toolcall"
)

const (
	defaultTimeout   = 60 * time.Second
	defaultMaxResult = 16 << 10 // bytes
	minMaxResult     = 512      // bytes; room for an honest note

	// maxRunning is how many handlers may run at once, those included that hang
	// on after their deadline.
	maxRunning = 64
)

// Config is what a Set is made of.
type Config struct {
	Tools     []Tool
	Gate      Gate             // nil: AskFirst
	Logger    *slog.Logger     // nil: nothing is logged
	MaxResult int              // bytes of JSON that a result may have; 0: 16 kB
	Now       func() time.Time // nil: time.Now
	Private   []string         // folders that stay closed inside allowed ones
	// Rules give what may be done where; nil: no rules.
	Rules   func(loci.Principal) sandbox.Rules
	Origins *sandbox.Origins // what in the folders has come from outside; nil: nothing
	Timeout time.Duration    // of a tool that has none of its own; 0: 60 s
	Ledger  Ledger           // nil: nothing is written down
	Mask    Mask             // nil: results are as they are
}

// Set runs tool calls. It may be used by several goroutines.
type Set struct {
	tools     map[string]entry
	specs     []loci.ToolSpec // by name
	gate      Gate
	ledger    Ledger
	mask      Mask
	log       *slog.Logger
	maxResult int
	private   []string
	rules     func(loci.Principal) sandbox.Rules
	origins   *sandbox.Origins
	now       func() time.Time
	slots     chan struct{} // one taken for each handler that runs
	open      func(sandbox.Config) (*sandbox.Folders, error)
}

// entry is a tool whose schema was compiled.
type entry struct {
	Tool
	schema *toolcall.Schema
}

var nameForm = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// New checks the tools and gives each one without a timeout that of c. Its
// errors are faults of the program, or of a plug-in, not of a person.
func New(c Config) (*Set, error) {
	s := &Set{
		tools:     make(map[string]entry, len(c.Tools)),
		gate:      c.Gate,
		ledger:    c.Ledger,
		mask:      c.Mask,
		log:       cmp.Or(c.Logger, slog.New(slog.DiscardHandler)),
		maxResult: max(cmp.Or(c.MaxResult, defaultMaxResult), minMaxResult),
		now:       c.Now,
		private:   c.Private,
		rules:     c.Rules,
		origins:   c.Origins,
		slots:     make(chan struct{}, maxRunning),
		open:      sandbox.New,
	}
	if s.gate == nil {
		s.gate = AskFirst{}
	}
	if s.ledger == nil {
		s.ledger = noLedger{}
	}
	if s.mask == nil {
		s.mask = noMask{}
	}
	if s.rules == nil {
		s.rules = func(loci.Principal) sandbox.Rules { return nil }
	}
	if s.now == nil {
		s.now = time.Now
	}
	for _, t := range c.Tools {
		t.Timeout = cmp.Or(t.Timeout, c.Timeout, defaultTimeout)
		if _, twice := s.tools[t.Name]; twice {
			return nil, fmt.Errorf("two tools are named %s", t.Name)
		}
		if err := check(t); err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		schema, err := toolcall.Compile(t.ToolSpec)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		s.tools[t.Name] = entry{t, schema}
		s.specs = append(s.specs, t.ToolSpec)
	}
	slices.SortFunc(s.specs, func(a, b loci.ToolSpec) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

// check finds what is wrong with a tool before anybody calls it.
func check(t Tool) error {
	switch {
	case t.fault != nil:
		return t.fault
	case !nameForm.MatchString(t.Name):
		return errors.New("the name must be 1 to 64 of a-z, 0-9 and _")
	case t.Description == "":
		return errors.New("it has no description")
	case t.Handler == nil || t.Render == nil:
		return errors.New("it has no handler or no renderer")
	case t.Timeout < 0:
		return errors.New("its timeout is negative")
	case t.SideEffects == loci.EffectExec && !t.Dangerous, t.SideEffects == loci.EffectWrite && t.Files && !t.Dangerous:
		return errors.New("what changes files or runs programs must be dangerous")
	case t.Dangerous && t.Files && t.Preview == nil:
		return errors.New("it is dangerous, works in files, and has no preview")
	}
	effects := []loci.SideEffects{loci.EffectNone, loci.EffectRead, loci.EffectWrite, loci.EffectEgress, loci.EffectExec}
	if !slices.Contains(effects, t.SideEffects) {
		return fmt.Errorf("its side effects are %q, which is none of %v", t.SideEffects, effects)
	}
	var closed struct {
		Type                 string `json:"type"`
		AdditionalProperties *bool  `json:"additionalProperties"`
	}
	if err := json.Unmarshal(t.Parameters, &closed); err != nil {
		return fmt.Errorf("its parameters are no JSON Schema of an object: %w", err)
	}
	if closed.Type != "object" || closed.AdditionalProperties == nil || *closed.AdditionalProperties {
		return errors.New("its parameters must be an object with additionalProperties false")
	}
	return nil
}

// Specs lists what may be offered, by name. It is not for the caller to change.
func (s *Set) Specs(scope loci.Scope) []loci.ToolSpec {
	if !slices.ContainsFunc(s.specs, func(t loci.ToolSpec) bool { return !may(scope, t) }) {
		return slices.Clip(s.specs) // the rule, and no copy for as long as a turn lasts
	}
	return slices.DeleteFunc(slices.Clone(s.specs), func(t loci.ToolSpec) bool { return !may(scope, t) })
}

// may tells whether a tool is for the one who calls it at all: what looks or changes
// something needs the right to that, and to look into folders that somebody was given
// is one of it.
func may(scope loci.Scope, t loci.ToolSpec) bool {
	p := scope.Principal
	switch {
	case t.SideEffects == loci.EffectNone && !t.Dangerous:
		return true
	case t.Files && !p.Owner && len(scope.Folders) == 0:
		return false
	case t.SideEffects == loci.EffectRead && !t.Dangerous:
		return t.Files && !p.Owner || p.May(loci.RightReadTools)
	}
	return p.May(loci.RightWriteTools)
}

// Doing says what a call does, in words for a person who watches.
func (s *Set) Doing(call loci.ToolCall) string {
	t, args, err := s.find(loci.Scope{}, call)
	if err != nil || t.Doing == nil {
		return call.Name
	}
	return t.Doing(args)
}
