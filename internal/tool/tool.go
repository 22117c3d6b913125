// Package tool is the one place that every tool call passes through.
//
// A [Tool] is a description for models, people and the gate, together with a
// handler that does the work and a renderer that puts the outcome in words.
// [Define] makes one from two ordinary Go types; the JSON Schema that models
// see is inferred from the first.
//
// A [Set] holds the tools and runs calls; [Set.Call] takes each through the same
// stations: find the tool, read its arguments, ask the [Gate]; where that wants a
// person's yes, hold the call against what was agreed to; then, in a goroutine of
// its own and under a deadline, open the allowed folders if the tool works in files,
// run the handler, cap the result, render it. No path leads around the gate, nothing
// touches a disk before it, and nothing that a tool does (hang, panic, return too
// much) gets further than an ordinary error result; of a change that hangs, the
// result says that it may be done.
//
// What a person agrees to is what [Set.Ask] gives: a [Preview], and a fingerprint of
// the call and of what the preview was made from, which Call compares again.
//
// The tools themselves are in [loci/internal/toolkit]; package tooltest checks
// any tool against the rules that all of them share.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"loci"
	"loci/internal/sandbox"
)

// Env is what a handler may know about the call besides its arguments.
type Env struct {
	Scope loci.Scope
	// Files is the folders of Scope, opened, for a tool whose spec says Files,
	// and nil for others; it is closed when the handler returns.
	Files *sandbox.Folders
	Now   time.Time // in the person's time zone
	// Basis is the Preview's that a person agreed to; empty while it is made.
	Basis string
	// Asking says that this is the making of a preview: what it shows goes to a person.
	Asking bool
	Call   string // id of the call; empty while it is asked about
}

// Still returns an error unless the basis as it is now is what a person agreed to.
// A handler that changes something asks this when nobody else can come in between
// any more.
func (e Env) Still(basis string) error {
	if e.Basis != "" && e.Basis != basis {
		return errChanged
	}
	return nil
}

var errChanged = &loci.ToolError{
	Message:    "What the person agreed to has changed in the meantime; it was not done.",
	CanRetry:   true,
	Suggestion: "Look at it again, then make the call again: the person will be asked about it as it is now.",
	ForPerson:  "Ask for it again, and you will be shown it as it is now.",
}

// Foreign is a result that tells where from outside the person's own things it was
// read, such as "web example.org"; empty: from nowhere outside. A tool that reads what
// others wrote has a result of this kind, or a spec that says Outside: what it gives
// marks the conversation.
type Foreign interface{ Origin() string }

// Undoable is a result that tells the id of the change that was made, by which it can be
// taken back; empty: it cannot.
type Undoable interface{ Change() string }

// Tool is something a model can call.
type Tool struct {
	loci.ToolSpec
	// Handler does the work. Its result may be Foreign and Undoable. Its error is best a *loci.ToolError; any other is
	// logged and shown as an internal one. It must stop when the context ends:
	// if it does not, it is left behind and its result is dropped.
	Handler func(ctx context.Context, env Env, args json.RawMessage) (any, error)
	// Render writes what Handler returned in words that a person can read
	// without a model, in the language lang.
	Render func(lang string, result any) string
	// Doing says in a few words what a call does, for a person who watches: "reading
	// notes.md". nil: the tool's name does.
	Doing func(args json.RawMessage) string
	// Prepare makes the arguments that a person is asked about, and that run, of those
	// that the model gave, where that takes more than to read them. It changes nothing
	// else, and is called once for each call. nil: they stay as they are.
	Prepare func(ctx context.Context, env Env, args json.RawMessage) (json.RawMessage, error)
	// Preview tells, without changing anything, what a call would do: what a
	// person is shown before they agree to it. An error is why the call cannot
	// work. nil: the arguments say it all.
	Preview func(ctx context.Context, env Env, args json.RawMessage) (Preview, error)
	// MaxResult overrides the set's limit on the size of the result, in bytes
	// of JSON; 0 leaves it.
	MaxResult int

	fault error // why Define could not make it; New returns it
}

// WithDoing gives a tool that Define made the words for what a call does.
func WithDoing[A any](t Tool, doing func(A) string) Tool {
	t.Doing = func(raw json.RawMessage) string {
		args, err := decode[A](raw)
		if err != nil {
			return t.Name
		}
		return doing(args)
	}
	return t
}

// Preview is what a call would do.
type Preview struct {
	Text string // a diff, or the beginning of what would be written
	// Basis identifies what the preview was made from, such as the path and the
	// content of the file as it is now. When it is another one later, a yes to
	// this preview no longer holds. See [Env.Still].
	Basis   string
	Touches []string // what would change, such as the real paths of files
	// Warning is why even a tool that only looks has to ask this time, in a sentence;
	// empty: nothing is out of the ordinary.
	Warning string
	// Binding identifies what a lasting yes would hold for, besides the tool: the real
	// path and the content. Unlike Basis it stays the same when the call has run and
	// is made again. Empty: a yes holds only once. Subject says it in words.
	Binding string
	Subject string
}

// WithPreview gives a tool that Define made a preview with the same typed
// arguments.
func WithPreview[A any](t Tool, preview func(context.Context, Env, A) (Preview, error)) Tool {
	t.Preview = func(ctx context.Context, env Env, raw json.RawMessage) (Preview, error) {
		args, err := decode[A](raw)
		if err != nil {
			return Preview{}, err
		}
		env.Asking = true
		return preview(ctx, env, args)
	}
	return t
}

// Define makes a tool from a spec without Parameters and a handler with typed
// arguments and result. A is a struct: each field is an argument, optional if
// it is omitempty or omitzero, described by its jsonschema tag, and limited to
// the words of an enum tag ("a,b,c") where it has one.
//
// Put small fields first in R and long lists or texts last: a result that is
// too large is cut from its end. A type that has no schema is an error of [New].
func Define[A, R any](spec loci.ToolSpec, handle func(context.Context, Env, A) (R, error), render func(lang string, result R) string) Tool {
	parameters, err := schemaOf[A]()
	spec.Parameters = parameters
	return Tool{
		ToolSpec: spec,
		fault:    err,
		Handler: func(ctx context.Context, env Env, raw json.RawMessage) (any, error) {
			args, err := decode[A](raw)
			if err != nil {
				return nil, err
			}
			return handle(ctx, env, args)
		},
		Render: func(lang string, result any) string {
			r, ok := result.(R)
			if !ok {
				return ""
			}
			return render(lang, r)
		},
	}
}

// decode reads typed arguments.
func decode[A any](raw json.RawMessage) (args A, err error) {
	if json.Unmarshal(raw, &args) != nil {
		return args, &loci.ToolError{
			Message:    "The arguments do not fit the tool.",
			CanRetry:   true,
			Suggestion: "Write them as one JSON object that follows the tool's schema.",
		}
	}
	return args, nil
}

// schemaOf infers the closed JSON Schema of an arguments struct. Its bytes are
// the same in every run: they are part of the prompt that must not move.
func schemaOf[A any]() (json.RawMessage, error) {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		return nil, err
	}
	if s.Properties == nil { // some servers insist on the member
		s.Properties = map[string]*jsonschema.Schema{}
	}
	for _, p := range s.Properties { // that an argument is optional is not told twice
		if i := slices.Index(p.Types, "null"); i >= 0 && len(p.Types) == 2 {
			p.Type, p.Types = p.Types[1-i], nil
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[A]()) {
		words := field.Tag.Get("enum")
		if words == "" {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		p, ok := s.Properties[name]
		if !ok {
			return nil, fmt.Errorf("field %s has an enum tag but no JSON name", field.Name)
		}
		for word := range strings.SplitSeq(words, ",") {
			p.Enum = append(p.Enum, word)
		}
	}
	return json.Marshal(s)
}
