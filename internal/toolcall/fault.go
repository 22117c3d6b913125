package toolcall

import (
	"fmt"
	"strconv"
	"strings"

	"loci"
	"loci/internal/jsontree"
	"loci/internal/text"
)

// Fault says what is wrong with a call, in words a model can act on: which
// argument, what about it, and what would be right. Small models mend what is
// named and repeat what is not, so there are no general phrases.
type Fault struct {
	Tool  string // the offered tool that was meant; empty if none could be told
	Field string // the argument at fault; empty if it is the call as a whole
	// Problem is what is wrong: a predicate such as "is missing" where there is
	// a Field and nothing was Cut, otherwise a sentence without its full stop.
	Problem string
	Want    string // what the field must be, such as "a whole number"; may be empty
	// Cut says that the call breaks off. The cure is to send less at a time,
	// not to mend the JSON.
	Cut bool

	right   *Schema        // of the tool that was meant
	example jsontree.Value // arguments of a right call of it
	called  string         // the name that nobody offered
	advice  string         // what to do instead, where it is not another call
}

// Error makes a Fault usable as an error; it is the same as Message.
func (f *Fault) Error() string { return f.Message() }

// Message is the fault in one or two sentences.
func (f *Fault) Message() string {
	var b strings.Builder
	switch {
	case f.Field == "" || f.Cut:
		b.WriteString(f.Problem)
	default:
		fmt.Fprintf(&b, "The argument %q %s", text.Clip(f.Field, 80), f.Problem)
	}
	b.WriteByte('.')
	if f.Want != "" {
		fmt.Fprintf(&b, " It must be %s.", f.Want)
	}
	return b.String()
}

// cutBefore is the fault of a call that lacks what it needs to go on or to end.
func cutBefore(what string) *Fault {
	return &Fault{Cut: true, Problem: "The call breaks off before " + what}
}

// cutAfter is the fault of a call that ends too early, with the end of what there is.
func cutAfter(s string) *Fault {
	return &Fault{Cut: true, Problem: "The call breaks off in the middle, after " + strconv.Quote(lastBytes(s, 40))}
}

// brokenAt is the fault of JSON in which something is wrong at a place, or at its end
// where nothing is near. It quotes what stands there: a model finds a quotation faster
// than an offset.
func brokenAt(near, problem string) *Fault {
	if near == "" {
		return &Fault{Problem: "The JSON is broken at its end: " + problem}
	}
	return &Fault{Problem: fmt.Sprintf("The JSON is broken at %q: %s", near, problem)}
}

// CutOff is the fault of a native call that breaks off.
func CutOff(tool string) *Fault {
	return &Fault{Tool: tool, Cut: true, Problem: "The call of " + text.Clip(tool, 80) + " breaks off in its arguments"}
}

// unclosed is a Cut of a call whose closing tag is there all the same: then it
// was not the output limit that cut the call.
func (f *Fault) unclosed() *Fault {
	const cause = "a quotation mark or bracket is not closed"
	if f.Field == "" {
		return &Fault{Tool: f.Tool, Problem: f.Problem + "; " + cause}
	}
	return &Fault{Tool: f.Tool, Field: f.Field, Problem: "has no end: " + cause}
}

// Kind tells faults that are the same but for what was written: the same argument of
// the same tool, the same name that nobody offered, or a call of one tool that cannot
// be read. Whoever makes a fault of the same kind again was not helped by a correction.
func (f *Fault) Kind() string {
	switch {
	case f.Cut:
		return "cut"
	case f.called != "":
		return "unknown " + f.called
	case f.Field != "":
		return f.Tool + "." + f.Field
	}
	return f.Tool + " unreadable"
}

// Suggestion says what to do instead, with a right call as an example. After a
// cut it says that nothing was done, lest the model believe half of it was.
func (f *Fault) Suggestion() string {
	switch {
	case f.Cut:
		return "Nothing was done. The output limit was probably reached: send a shorter call, a long text in several smaller pieces."
	case f.advice != "":
		return f.advice
	case f.right != nil:
		return looksLike + " " + f.right.tool + " " + string(f.example.AppendJSON(nil))
	}
	return "Write the call again, with the name of an offered tool and its arguments as one JSON object."
}

const looksLike = "A right call looks like this:"

// ToolError is the fault as the result of the call.
func (f *Fault) ToolError() *loci.ToolError {
	return &loci.ToolError{Message: f.Message(), CanRetry: true, Suggestion: f.Suggestion()}
}

// Correction is the fault as the next message to a model that was taught a dialect:
// the error as a result, and behind it the right form as the model has to write it,
// which inside the result would be full of escapes.
func (f *Fault) Correction(m loci.Markup) string {
	e := f.ToolError()
	if f.Cut || f.advice != "" {
		return Output(loci.ToolResult{Err: e})
	}
	e.Suggestion = "Make the call again in the right form."
	return Output(loci.ToolResult{Err: e}) + "\n" + f.rightForm(m)
}

// rightForm is a right call in a dialect, with values that may come from anywhere, or how calls are written in it.
func (f *Fault) rightForm(m loci.Markup) string {
	if f.right == nil {
		return Form(m)
	}
	return looksLike + "\n" + write(m, f.right.tool, f.example)
}

// Unknown is the fault of a call whose name [Name] does not find.
func Unknown(called string, offered []loci.ToolSpec) *Fault {
	f := &Fault{Problem: fmt.Sprintf("There is no tool named %q", text.Clip(called, 80)), called: text.Clip(called, 80)}
	if called == "" {
		f.Problem, f.called = "The call does not name a tool", "(none)"
	}
	end := ". "
	if s := similar(called, offered); s != "" {
		f.Problem += "; did you mean " + s
		end = "? "
	}
	if len(offered) == 0 {
		f.Problem += end + "No tools are offered"
		return f
	}
	names := make([]string, len(offered))
	for i, t := range offered {
		names[i] = t.Name
	}
	f.Problem += end + "The tools are: " + strings.Join(names, ", ")
	return f
}
