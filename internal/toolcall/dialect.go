package toolcall

import (
	"slices"

	"loci/internal/jsontree"
)

// wish is a call as it was written, before its name and arguments are checked.
// Every dialect ends in wishes, so what may run is decided in one place.
type wish struct {
	name       string
	arguments  jsontree.Value   // an object, or a text that holds one
	positional []jsontree.Value // arguments without names, in the order of the parameters
	// words is the text between the brackets where it is not a list of literals,
	// as in calculate(1 + 2): a tool with one text parameter gets it whole.
	words string
	fault *Fault // what keeps words from being read as a list of literals
	// keyed says that the name was the key of the arguments, as in {"name": {…}}, or
	// stood among them: most JSON of these forms is something else.
	keyed bool
}

// dialect is one way of writing calls as text.
type dialect struct {
	open string // what the markup begins with
	line bool   // only at the beginning of a line
	keep bool   // open is part of what read gets
	// close is what the markup ends with. Where it is empty, the markup ends where
	// its brackets do.
	close string
	// begins judges by what follows open whether a call can have begun: people
	// and models also write about markup. Nil means that open alone is enough.
	begins func(r *Reader, rest string) verdict
	// closed says that the end of the reply does not stand in for close.
	closed bool
	// last says that the call must end the reply. Before a text it is an example.
	last bool
	// refused, where it is one, is why the call that ends the reply does not run.
	refused *Fault
	// labelled says that it is lines with labels, which articles about agents have too.
	labelled bool
	// alone says that nothing may follow in its line.
	alone bool
	// doubtful says that what cannot be read is prose, whatever it names.
	doubtful bool
	// read reads what is between open and close. A fault that says Cut asks for
	// more: the close that was found may be part of a text.
	read func(body string) ([]wish, *Fault)
}

// dialects are the ways of writing calls that the Reader knows, by family: see
// tagDialects, tokenDialects and lineDialects. A call that is the whole reply, as
// bare or fenced JSON or as name(…), has no opening: see start. What depends on the
// names of the tools is in toolDialects.
func dialects() []dialect {
	return slices.Concat(tagDialects(), tokenDialects(), lineDialects())
}

// toolDialects are the ways of writing a call that begin with the name of an
// offered tool.
//
//   - <name><parameter>…</parameter></name> is the form of Cline and Roo Code.
//   - <name parameter="…"/> is what some models make of it, and <name/> where there are
//     no arguments.
func toolDialects(name string) (all []dialect) {
	for _, spelt := range spellings(name) {
		all = append(all,
			dialect{open: "<" + spelt + ">", line: true, close: "</" + spelt + ">", closed: true, begins: beginsParameters(name),
				read: func(body string) ([]wish, *Fault) { return readParametersOf(name, body) }},
			dialect{open: "<" + spelt + " ", line: true, close: ">", closed: true, begins: beginsAttributes(name),
				read: func(body string) ([]wish, *Fault) { return readAttributes(name, body) }},
			dialect{open: "<" + spelt + "/>", line: true, close: "\n", alone: true, begins: beginsEmpty(name),
				read: func(string) ([]wish, *Fault) { return []wish{{name: name}}, nil }})
	}
	return all
}

// bareCall is the dialect of a reply that begins with the name of an offered
// tool and a bracket. Without markup around it, only literals count.
func bareCall(open string) dialect {
	return dialect{open: open, keep: true, closed: true, last: true, doubtful: true, read: readLiterals}
}
