// Package phrase reads descriptions of sentences that people can read and check, and
// turns each into a regular expression.
//
// A book of phrases is a few text files. A kind of sentence begins with its name; then
// come its phrases, each with a language and with sentences that it reads (+) or leaves
// alone (-); what a sentence's slots hold is behind an arrow:
//
//	## by extension
//	# Files by the ending of their names.
//	en: <seek> [all|the]* files (that end|ending) in {extension}
//	  + show me all the files ending in md => extension=md
//	  - how does the story end
//	<seek> = find | locate | (look|search) for | show [me]
//
// In a phrase
//
//	find the file    words, in any case, Czech ones with or without their marks
//	(find|look for)  one of several
//	[the]            words that may be left out, with the space beside them
//	(the|my)+        one or more of them, [the|my]* none or more
//	<seek>           what the book lists under that name
//	{file}           a part with a name: <file>, or {where:here|there} of its own words
//	rain~            a word and whatever letters it goes on with
//	time_zone        two words that some write as one
//	...              any words or none; at an end, the sentence may go on there
//	...20            up to twenty signs
//	`\d{1,2}`        a regular expression, for what words cannot say
//	\(               a sign that means something else without the stroke
//
// Parts with a space between them are apart in the sentence, others are not, as Chinese
// words are. A phrase takes a whole sentence. One that ends in "-> move {file} to {where}"
// puts the sentence in other words; its examples show them behind the arrow.
//
// A kind may say what is in all of its English sentences, so that others need not be
// tried: "only with: loud | quiet | <player>".
//
// What it looks like is owed to the sentence templates of Home Assistant.
package phrase

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Book is what some files say: kinds of sentences, and lists of words. It is safe for
// concurrent use.
type Book struct {
	Kinds []*Kind
	lists map[string]string // as they are written, by the family, a slash and the name
	raw   map[string]string // regular expressions that the program gave

	mu    sync.Mutex
	nodes map[string]node // the lists that were read
}

// Kind is the sentences that mean one thing.
type Kind struct {
	Name    string // the file's name, a slash, and its own
	About   string
	Phrases []*Phrase

	book *Book
	only string // as it is written
}

// Only are parts of words of which one is in all sentences that a kind reads, at least in
// English; none: it says nothing about that.
func (k *Kind) Only() (parts []string) {
	if k.only == "" {
		return nil
	}
	family, _, _ := strings.Cut(k.Name, "/")
	for part := range strings.SplitSeq(k.only, "|") {
		if part = strings.TrimSpace(part); strings.HasPrefix(part, "<") {
			for word := range strings.SplitSeq(k.book.written(family, strings.Trim(part, "<>")), "|") {
				parts = append(parts, strings.TrimSpace(word))
			}
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

// written is a list as it is written, or nothing.
func (b *Book) written(family, name string) string {
	return cmp.Or(b.lists[family+"/"+name], b.lists[Shared+"/"+name], b.raw[name])
}

// Phrase is one form of a sentence.
type Phrase struct {
	Lang     string // en, zh, cs, or any
	Template string
	Into     string   // other words for it, or empty
	Leaves   []string // sentences that it must not read

	book         *Book
	family, file string
	line         int
	examples     []string // as they are written: the program does not need them
}

// Where is the file and line of a phrase, for whoever looks for it.
func (p *Phrase) Where() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// Reads are the sentences that a phrase is said to read.
func (p *Phrase) Reads() (all []Example, err error) {
	for _, words := range p.examples {
		e, err := example(words, p.Into != "")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Where(), err)
		}
		all = append(all, e)
	}
	return all, nil
}

// Example is a sentence that a phrase reads.
type Example struct {
	Says    string
	Slots   map[string]string // what some of its slots hold
	Becomes string            // the other words for it, where the phrase has some
}

// languages are what a phrase may be in.
var languages = []string{"en", "zh", "cs", "any"}

// Read reads the files *.txt of a folder. Lists that words cannot write, such as names
// of files, are given as regular expressions.
func Read(folder fs.FS, raw map[string]string) (*Book, error) {
	b := &Book{lists: map[string]string{}, raw: raw, nodes: map[string]node{}}
	files, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		r := reader{book: b, file: file, family: strings.TrimSuffix(path.Base(file), ".txt")}
		for line := range strings.Lines(string(text)) {
			r.line++
			if err := r.read(strings.TrimRight(line, " \r\n")); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, r.line, err)
			}
		}
	}
	return b, nil
}

// Kind gives the kind of that name, or nil.
func (b *Book) Kind(name string) *Kind {
	if i := slices.IndexFunc(b.Kinds, func(k *Kind) bool { return k.Name == name }); i >= 0 {
		return b.Kinds[i]
	}
	return nil
}

// Shared is the family whose lists all others may use.
const Shared = "words"

// Lists are the names of the lists, each behind its family and a slash.
func (b *Book) Lists() (names []string) {
	for name := range b.lists {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// reader reads a file line by line.
type reader struct {
	book         *Book
	file, family string
	line         int
	kind         *Kind
	phrase       *Phrase
	list         string // the one that may go on in the next line
	only         bool   // what a kind has in all its sentences may go on there
}

func (r *reader) read(line string) error {
	word := strings.TrimLeft(line, " \t")
	indented := word != line
	if !indented {
		r.only = false
	}
	switch {
	case word == "":
		r.phrase, r.list = nil, ""
	case strings.HasPrefix(line, "## "):
		r.kind = &Kind{Name: r.family + "/" + line[3:], book: r.book}
		if r.book.Kind(r.kind.Name) != nil {
			return fmt.Errorf("there are two kinds %q", r.kind.Name)
		}
		r.book.Kinds = append(r.book.Kinds, r.kind)
		r.phrase, r.list = nil, ""
	case strings.HasPrefix(line, "#"):
		if r.kind != nil && len(r.kind.Phrases) == 0 {
			r.kind.About = strings.TrimSpace(r.kind.About + " " + strings.TrimLeft(line, "# "))
		}
	case indented:
		return r.more(word)
	case strings.HasPrefix(line, "<"):
		return r.newList(line)
	case strings.HasPrefix(line, onlyWith):
		return r.newOnly(line)
	default:
		return r.newPhrase(line)
	}
	return nil
}

// more reads what belongs to the line above.
func (r *reader) more(words string) error {
	mark, says, _ := strings.Cut(words, " ")
	switch {
	case r.list != "":
		r.book.lists[r.list] += " " + words
	case r.only:
		r.kind.only += " " + words
	case r.phrase == nil:
		return fmt.Errorf("nothing above it goes on with %q", words)
	case mark == "+":
		r.phrase.examples = append(r.phrase.examples, says)
	case mark == "-":
		r.phrase.Leaves = append(r.phrase.Leaves, says)
	case len(r.phrase.examples)+len(r.phrase.Leaves) > 0:
		return fmt.Errorf("a phrase goes on behind its examples: %q", words)
	default:
		r.set(r.phrase.whole() + " " + words)
	}
	return nil
}

func (r *reader) newList(line string) error {
	name, words, ok := strings.Cut(line, "> =")
	name = r.family + "/" + strings.TrimPrefix(name, "<")
	switch _, twice := r.book.lists[name]; {
	case !ok:
		return fmt.Errorf("a list is written <name> = words, not %q", line)
	case twice:
		return fmt.Errorf("there are two lists %s", name)
	}
	r.book.lists[name] = strings.TrimSpace(words)
	r.list, r.phrase = name, nil
	return nil
}

// onlyWith begins the line that says what is in all sentences of a kind.
const onlyWith = "only with: "

func (r *reader) newOnly(line string) error {
	if r.kind == nil || r.kind.only != "" {
		return fmt.Errorf("%q is of no kind, or its second one", line)
	}
	r.kind.only = strings.TrimPrefix(line, onlyWith)
	r.phrase, r.list, r.only = nil, "", true
	return nil
}

func (r *reader) newPhrase(line string) error {
	lang, template, ok := strings.Cut(line, ": ")
	switch {
	case !ok || !slices.Contains(languages, lang):
		return fmt.Errorf("a phrase begins with one of %s and a colon: %q", strings.Join(languages, ", "), line)
	case r.kind == nil:
		return fmt.Errorf("a phrase of no kind: %q", line)
	}
	r.phrase = &Phrase{Lang: lang, book: r.book, family: r.family, file: r.file, line: r.line}
	r.kind.Phrases = append(r.kind.Phrases, r.phrase)
	r.list = ""
	r.set(strings.TrimSpace(template))
	return nil
}

// set takes the template and the other words for it apart.
func (r *reader) set(whole string) {
	r.phrase.Template, r.phrase.Into = whole, ""
	if i := strings.LastIndex(whole, " -> "); i >= 0 {
		r.phrase.Template, r.phrase.Into = whole[:i], whole[i+4:]
	} else if left, ok := strings.CutSuffix(whole, " ->"); ok { // to nothing
		r.phrase.Template, r.phrase.Into = left, "..."
	}
}

// whole is a phrase as it is written.
func (p *Phrase) whole() string {
	if p.Into == "" {
		return p.Template
	}
	return p.Template + " -> " + p.Into
}

// example reads "words => slot=what it holds; other=what that holds", or "words =>
// other words" for a phrase with other words.
func example(words string, reworded bool) (Example, error) {
	says, slots, _ := strings.Cut(words, " => ")
	e := Example{Says: strings.TrimSpace(says), Slots: map[string]string{}}
	if reworded {
		e.Becomes = strings.TrimSpace(slots)
		return e, nil
	}
	if slots == "" {
		return e, nil
	}
	for part := range strings.SplitSeq(slots, "; ") {
		name, holds, ok := strings.Cut(part, "=")
		if !ok {
			return e, fmt.Errorf("a slot of an example is written name=what it holds, not %q", part)
		}
		e.Slots[strings.TrimSpace(name)] = strings.TrimSpace(holds)
	}
	return e, nil
}
