package tool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime/debug"
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
	Timeout   time.Duration    // of a tool that has none of its own; 0: 60 s
}

// Set runs tool calls. It may be used by several goroutines.
type Set struct {
	tools     map[string]entry
	specs     []loci.ToolSpec // by name
	gate      Gate
	log       *slog.Logger
	maxResult int
	private   []string
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
		log:       cmp.Or(c.Logger, slog.New(slog.DiscardHandler)),
		maxResult: max(cmp.Or(c.MaxResult, defaultMaxResult), minMaxResult),
		now:       c.Now,
		private:   c.Private,
		slots:     make(chan struct{}, maxRunning),
		open:      sandbox.New,
	}
	if s.gate == nil {
		s.gate = AskFirst{}
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

// Specs lists what may be offered, by name: everything to the owner, to others
// what only computes or looks into folders that they have.
func (s *Set) Specs(scope loci.Scope) []loci.ToolSpec {
	return slices.DeleteFunc(slices.Clone(s.specs), func(t loci.ToolSpec) bool { return !may(scope, t) })
}

// may tells whether a tool is for the one who calls it at all: others than the owner
// have what only computes, or only looks into folders that are theirs.
func may(scope loci.Scope, t loci.ToolSpec) bool {
	looks := t.Files && t.SideEffects == loci.EffectRead && len(scope.Folders) > 0
	return scope.Principal.Owner || !t.Dangerous && (t.SideEffects == loci.EffectNone || looks)
}

// Doing says what a call does, in words for a person who watches.
func (s *Set) Doing(call loci.ToolCall) string {
	t, args, err := s.find(loci.Scope{}, call)
	if err != nil || t.Doing == nil {
		return call.Name
	}
	return t.Doing(args)
}

// Ask tells what a person has to agree to before a call may run. It is nil for
// one that may run as it is, and for one that cannot work anyway: [Set.Call]
// tells why.
func (s *Set) Ask(ctx context.Context, scope loci.Scope, call loci.ToolCall) *loci.Ask {
	t, args, err := s.find(scope, call)
	if err != nil {
		return nil
	}
	d := s.gate.Decide(ctx, scope, t.ToolSpec, args)
	if d.Verdict != Ask {
		return nil
	}
	p, err := s.preview(ctx, scope, t, args)
	if err != nil {
		return nil
	}
	return &loci.Ask{Preview: p.Text, Reason: d.Reason, Touches: p.Touches, Fingerprint: fingerprint(t, args, p)}
}

// Call runs one call. Approved is the fingerprint of the [Set.Ask] that a person
// said yes to, empty if nobody did. It never fails: what went wrong is in the
// result, in words for the model, and in Text for the person. The arguments in
// the result's Call are valid JSON, mended where the model's were not.
func (s *Set) Call(ctx context.Context, scope loci.Scope, call loci.ToolCall, approved string) loci.ToolResult {
	start := time.Now()
	if len(call.Arguments) > 0 && !json.Valid(call.Arguments) {
		text, _ := json.Marshal(string(call.Arguments)) // a string always marshals
		call.Arguments = text
	}
	result := loci.ToolResult{Call: call}
	if err := s.call(ctx, scope, &result, approved); err != nil {
		result.Err = s.toolError(ctx, call.Name, err)
		result.Text = result.Err.Text()
	}
	result.Took = time.Since(start)
	s.log.InfoContext(ctx, "tool call", "stage", "tool", "tool", known(s, call.Name), "session", scope.Session, "turn", scope.Turn, "call", call.ID,
		"failed", result.Err != nil, "refused", result.Refused, "bytes", len(result.Data), "duration", result.Took)
	return result
}

// known keeps names that a model made up out of the log.
func known(s *Set, name string) string {
	if _, ok := s.tools[name]; ok {
		return name
	}
	return "unknown"
}

// find is the tool of a call, with the call's arguments as its schema has them.
func (s *Set) find(scope loci.Scope, call loci.ToolCall) (entry, json.RawMessage, error) {
	t, ok := s.tools[call.Name]
	if !ok {
		return entry{}, nil, toolcall.Unknown(call.Name, s.Specs(scope)).ToolError()
	}
	args, err := t.schema.Arguments(call.Arguments)
	return t, args, err
}

// call takes one call through the stations, and fills the result.
func (s *Set) call(ctx context.Context, scope loci.Scope, result *loci.ToolResult, approved string) error {
	t, args, err := s.find(scope, result.Call)
	if err != nil {
		return err
	}
	result.Call.Arguments = args
	basis := ""
	switch d := s.gate.Decide(ctx, scope, t.ToolSpec, args); d.Verdict {
	case Allow:
	case Ask:
		if basis, err = s.agreed(ctx, scope, t, args, approved); err != nil {
			result.Refused = true
			return err
		}
	default:
		result.Refused = true
		return &loci.ToolError{Message: d.Reason, Suggestion: d.Suggestion}
	}
	o, err := guard(ctx, s, scope, t, func(ctx context.Context, env Env) (outcome, error) {
		env.Basis = basis
		return s.work(ctx, env, t, args)
	})
	if err != nil {
		return unfinished(t, err)
	}
	result.Data, result.Text = o.data, o.text
	return nil
}

// agreed holds a call against the yes that a person gave, and gives the basis of
// what they were shown.
func (s *Set) agreed(ctx context.Context, scope loci.Scope, t entry, args json.RawMessage, approved string) (basis string, err error) {
	p, err := s.preview(ctx, scope, t, args)
	switch {
	case err != nil:
		return "", err
	case approved == "":
		return "", &loci.ToolError{
			Message:    t.Name + " needs a yes from the person first; it was not run.",
			Suggestion: "Tell the person what you would do.",
		}
	case approved != fingerprint(t, args, p):
		return "", errChanged
	}
	return p.Basis, nil
}

// unfinished is the error of a call that was left behind at its deadline. What
// changes something may go on all the same.
func unfinished(t entry, err error) error {
	changes := t.SideEffects != loci.EffectNone && t.SideEffects != loci.EffectRead
	if changes && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		return loci.ErrOutcomeUnknown
	}
	return err
}

// preview tells what a call would do.
func (s *Set) preview(ctx context.Context, scope loci.Scope, t entry, args json.RawMessage) (Preview, error) {
	if t.Preview == nil {
		return Preview{}, nil
	}
	return guard(ctx, s, scope, t, func(ctx context.Context, env Env) (Preview, error) { return t.Preview(ctx, env, args) })
}

// fingerprint identifies a call and what its preview was made from.
func fingerprint(t entry, args json.RawMessage, p Preview) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(t.Name), args, []byte(p.Basis)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// outcome is what a call gives: JSON for a model, words for a person.
type outcome struct {
	data json.RawMessage
	text string
}

// guard does a part of a call in a goroutine of its own, because neither
// opening a folder on a dead network drive nor reading from it can be cancelled:
// after the deadline the goroutine is left behind and what it returns in the
// end is dropped. A panic becomes an error.
func guard[R any](ctx context.Context, s *Set, scope loci.Scope, t entry, part func(context.Context, Env) (R, error)) (R, error) {
	var none R
	select {
	case s.slots <- struct{}{}:
	default:
		return none, errBusy
	}
	type ended struct {
		result R
		err    error
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	done := make(chan ended, 1)
	go func() {
		var e ended
		defer func() {
			if p := recover(); p != nil {
				e = ended{err: fmt.Errorf("panic in %s: %v\n%s", t.Name, p, debug.Stack())}
			}
			<-s.slots
			done <- e
		}()
		e.result, e.err = within(ctx, s, scope, t, part)
	}()
	select {
	case e := <-done:
		return e.result, e.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// within opens the folders for a tool that needs them while a part of a call
// runs.
func within[R any](ctx context.Context, s *Set, scope loci.Scope, t entry, part func(context.Context, Env) (R, error)) (r R, err error) {
	env := Env{Scope: scope, Now: s.now()}
	if t.Files {
		env.Files, err = s.open(sandbox.Config{Folders: scope.Folders, Work: scope.Working, Partial: true, Private: s.private})
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, env.Files.Close()) }()
	}
	if err := ctx.Err(); err != nil { // nobody waits any more
		return r, err
	}
	return part(ctx, env)
}

// work runs a tool's handler and writes down what it returned.
func (s *Set) work(ctx context.Context, env Env, t entry, args json.RawMessage) (o outcome, err error) {
	value, err := t.Handler(ctx, env, args)
	if err != nil {
		return o, err
	}
	data, err := encode(value)
	if err != nil {
		return o, err
	}
	return outcome{shorten(data, cmp.Or(t.MaxResult, s.maxResult)), t.Render(env.Scope.Lang, value)}, nil
}

// errBusy refuses calls while too many handlers hang.
var errBusy = &loci.ToolError{
	Message:    "Too many tool calls are still running.",
	CanRetry:   true,
	Suggestion: "Wait a moment, then try again.",
}

// toolError turns any error into one that a model can read. What it does not
// know goes to the log and becomes a plain sentence: no stack, no path of the
// program, no text of a library reaches a model or a person.
func (s *Set) toolError(ctx context.Context, name string, err error) *loci.ToolError {
	if e, ok := errors.AsType[*loci.ToolError](err); ok {
		return e
	}
	if f, ok := errors.AsType[*toolcall.Fault](err); ok {
		return f.ToolError()
	}
	if e, ok := errors.AsType[*loci.Error](err); ok {
		return &loci.ToolError{Message: e.Message, CanRetry: e.Code == loci.Timeout || e.Code == loci.Overloaded, Suggestion: e.Hint, ForPerson: e.Hint}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &loci.ToolError{
			Message:    name + " timed out: it took too long and was stopped.",
			CanRetry:   true,
			Suggestion: "Try again with less to do, such as a smaller folder.",
			ForPerson:  "Ask for less, such as a smaller folder.",
		}
	case errors.Is(err, context.Canceled):
		return &loci.ToolError{Message: name + " was stopped.", Suggestion: "Wait for the person to say what to do next."}
	}
	s.log.ErrorContext(ctx, "tool failed", "tool", name, "error", err)
	return &loci.ToolError{
		Message:    name + " failed because of a fault inside loci.",
		Suggestion: "Tell the person that the log has the details; do not try the same call again.",
		ForPerson:  "The log has the details.",
	}
}
