package loci_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// layer is a height in the import picture.
type layer int

const (
	vocabulary layer = iota // words
	ground                  // files, bytes, texts and processes
	abilities               // what a turn can use
	engine                  // a turn
	access                  // clients
	wiring                  // the program as a value, and the commands that start it
	tests                   // stand-ins and measurements; no part of the program
)

// knows says which layers a package may import from. No layer knows a higher
// one, so data goes down; and the engine does not know the abilities, nor access
// the engine: they declare what they need, and the wiring plugs it in.
var knows = map[layer][]layer{
	vocabulary: {},
	ground:     {vocabulary, ground},
	abilities:  {vocabulary, ground, abilities},
	engine:     {vocabulary, ground, engine},
	access:     {vocabulary, ground, access},
	wiring:     {vocabulary, ground, abilities, engine, access, wiring},
	tests:      {vocabulary, ground, abilities, engine, access, wiring, tests},
}

// row is a package in the import picture.
type row struct {
	layer   layer
	imports string // packages of ours, separated by spaces
}

// arrows is the import picture: which of our packages each package may import.
// Every package has a row. A new arrow is a decision, made here.
var arrows = map[string]row{
	"": {vocabulary, ""},

	"cmd/loci":     {wiring, "internal/cli internal/confine"},
	"internal/cli": {wiring, ". internal/app internal/approval internal/config internal/embedded internal/redact internal/secret internal/text internal/wire internal/where"},
	"internal/app": {wiring, ". internal/agent internal/api internal/argv internal/config internal/confine internal/database internal/desktop internal/door internal/embedded internal/gate internal/heap internal/intent " +
		"internal/keyring internal/model internal/model/server internal/prompt internal/redact internal/sandbox internal/secret internal/store internal/tool internal/toolkit internal/transcript internal/undo internal/where"},

	"internal/api":     {access, ". internal/chore internal/wire internal/wire/openai internal/wire/ollama"},
	"internal/door":    {access, ". internal/config"},
	"internal/keyring": {access, ". internal/config"},
	"internal/chore":   {access, ". internal/lang internal/wire"},

	"internal/agent":      {engine, ". internal/approval internal/lang internal/offer internal/prompt internal/receipt internal/text internal/transcript internal/toolcall internal/where"},
	"internal/transcript": {engine, "."},
	"internal/approval":   {engine, ". internal/lang internal/text"},
	"internal/prompt":     {engine, "."},
	"internal/receipt":    {engine, ". internal/prompt"},
	"internal/offer":      {engine, ". internal/jsontree internal/text internal/toolcall"},

	"internal/tool":          {abilities, ". internal/lang internal/sandbox internal/toolcall"},
	"internal/gate":          {abilities, ". internal/lang internal/sandbox internal/tool"},
	"internal/toolkit":       {abilities, ". internal/argv internal/confine internal/database internal/desktop internal/jsonrepair internal/lang internal/sandbox internal/text internal/tool internal/toolkit/arith internal/where"},
	"internal/undo":          {abilities, ". internal/sandbox"},
	"internal/toolkit/arith": {abilities, ". internal/text"},
	"internal/database":      {abilities, ". internal/text internal/where"},
	"internal/desktop":       {abilities, ". internal/text"},
	"internal/model":         {abilities, ". internal/jsonrepair internal/model/server internal/redact internal/text internal/toolcall internal/wire internal/wire/ollama"},
	"internal/model/server":  {abilities, ". internal/redact internal/wire internal/wire/openai internal/wire/ollama internal/where"},
	"internal/intent":        {abilities, ". internal/intent/fill internal/intent/phrase internal/lang"},
	"internal/intent/fill":   {ground, ""},
	"internal/intent/phrase": {ground, ""},

	"internal/store":         {ground, ". internal/audit internal/text"},
	"internal/audit":         {ground, "."},
	"internal/config":        {ground, ". internal/secret internal/text"},
	"internal/secret":        {ground, ". internal/redact internal/text"},
	"internal/redact":        {ground, ""},
	"internal/sandbox":       {ground, ". internal/text internal/where"},
	"internal/argv":          {ground, "internal/lang internal/text internal/where"},
	"internal/confine":       {ground, ". internal/where"},
	"internal/embedded":      {ground, ". internal/embedded/gguf"},
	"internal/embedded/gguf": {ground, ""},
	"internal/toolcall":      {ground, ". internal/jsonrepair internal/jsontree internal/lang internal/text"},
	"internal/jsonrepair":    {ground, ""},
	"internal/jsontree":      {ground, ""},
	"internal/lang":          {ground, ""},
	"internal/heap":          {ground, ""},
	"internal/where":         {ground, ""},
	"internal/text":          {ground, ""},
	"internal/wire":          {ground, ". internal/jsonrepair"},
	"internal/wire/openai":   {ground, ". internal/wire"},
	"internal/wire/ollama":   {ground, ". internal/wire"},

	"internal/fake":                    {tests, ". internal/wire internal/wire/openai internal/wire/ollama"},
	"internal/tool/tooltest":           {tests, ". internal/tool internal/sandbox internal/toolcall"},
	"internal/desktop/desktoptest":     {tests, ""},
	"internal/embedded/embeddedtest":   {tests, ". internal/embedded"},
	"internal/jsonrepair/repairtest":   {tests, ""},
	"internal/chore/choretest":         {tests, ""},
	"internal/wire/wiretest":           {tests, "."},
	"internal/offer/offertest":         {tests, "."},
	"internal/model/server/servertest": {tests, "."},
	"internal/await":                   {tests, ""},
	"test/program":                     {tests, ""},
	"test/bench":                       {tests, ""},
	"test/bench/tools":                 {tests, ". internal/fake"},
	"test/bench/bfcl":                  {tests, ". internal/embedded internal/intent internal/lang internal/model internal/model/server internal/toolcall"},
	"test/natural":                     {tests, ". internal/argv internal/desktop internal/tool internal/toolkit internal/toolkit/arith"},
	"test/injection": {tests, ". internal/agent internal/gate internal/prompt internal/sandbox internal/store internal/tool internal/toolkit " +
		"internal/transcript"},
}

// drawers are package names that say nothing about what is inside.
var drawers = []string{"util", "utils", "common", "helpers", "types", "models", "interfaces", "manager", "service", "misc"}

const module = "loci"

// source is one parsed Go file.
type source struct {
	path string // slash-separated, from the module root
	file *ast.File
	set  *token.FileSet
	text string
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }
func (s source) folder() string {
	return strings.TrimSuffix(strings.TrimSuffix(s.path, path.Base(s.path)), "/")
}
func (s source) lines(n ast.Node) int {
	return s.set.Position(n.End()).Line - s.set.Position(n.Pos()).Line + 1
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{filepath.ToSlash(p), f, set, string(text)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestImports(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		r, ok := arrows[s.folder()]
		if !ok {
			t.Errorf("%s: package %s has no row in the import table", s.path, s.folder())
			continue
		}
		used[s.folder()] = true
		for _, imp := range s.file.Imports {
			p := strings.Trim(imp.Path.Value, `"`)
			name, own := strings.CutPrefix(p, module+"/")
			if p == module {
				name, own = ".", true
			}
			if own && !slices.Contains(strings.Fields(r.imports), name) {
				t.Errorf("%s imports %s, which the import table does not allow", s.path, p)
			}
		}
	}
	for folder := range arrows {
		if !used[folder] {
			t.Errorf("the import table has a row for %q, but there is no such package", folder)
		}
	}
}

// TestTour has the two texts that show a newcomer around name every package.
func TestTour(t *testing.T) {
	for _, file := range []string{"doc.go", "docs/architecture.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for folder, r := range arrows {
			name := strings.TrimPrefix(folder, "internal/")
			if folder == "" || r.layer == tests && file == "doc.go" {
				continue
			}
			if !regexp.MustCompile(`(?m)(^|[^\w/])` + regexp.QuoteMeta(name) + `([^\w/]|$)`).Match(text) {
				t.Errorf("%s does not tell of %s", file, name)
			}
		}
	}
}

// TestLayers checks the table itself: no row may be written that lets a package
// import from a layer it should not know.
func TestLayers(t *testing.T) {
	for from, to := range knows {
		for _, l := range to {
			if l > from {
				t.Errorf("layer %d knows layer %d, which is above it", from, l)
			}
		}
	}
	for folder, r := range arrows {
		for name := range strings.FieldsSeq(r.imports) {
			to, ok := arrows[strings.TrimPrefix(name, ".")]
			if !ok {
				t.Errorf("%s may import %s, which has no row", folder, name)
			} else if !slices.Contains(knows[r.layer], to.layer) {
				t.Errorf("%s (layer %d) may import %s (layer %d), which it should not know", folder, r.layer, name, to.layer)
			}
		}
	}
}

func TestPackages(t *testing.T) {
	comments := map[string][]string{}
	for _, s := range sources(t) {
		if slices.Contains(drawers, s.file.Name.Name) {
			t.Errorf("%s: package %s says nothing about what is inside", s.path, s.file.Name.Name)
		}
		if s.test() {
			continue
		}
		comments[s.folder()] = append(comments[s.folder()], "")
		if s.file.Doc != nil {
			comments[s.folder()] = append(comments[s.folder()], s.path)
		}
	}
	for folder, files := range comments {
		files = slices.DeleteFunc(files, func(f string) bool { return f == "" })
		if len(files) != 1 {
			t.Errorf("package %q needs exactly one package comment, has %d: %v", folder, len(files), files)
		}
	}
}

func TestSizes(t *testing.T) {
	var lengths []int
	for _, s := range sources(t) {
		most := 500
		if s.test() {
			most = 800
		}
		if n := strings.Count(s.text, "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", s.path, n, most)
		}
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.lines(f)
			lengths = append(lengths, n)
			if n > 100 {
				t.Errorf("%s: %s has %d lines, more than 100", s.path, f.Name.Name, n)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				if m := methods(s.file, i); m > 5 {
					t.Errorf("%s: an interface has %d methods, more than 5", s.path, m)
				}
			}
			return true
		})
	}
	slices.Sort(lengths)
	if p90 := lengths[len(lengths)*9/10]; p90 > 40 {
		t.Errorf("nine of ten functions are up to %d lines long, more than 40", p90)
	}
	long := len(lengths) - slices.IndexFunc(append(lengths, 61), func(n int) bool { return n > 60 })
	if long*100 > len(lengths)*4 {
		t.Errorf("%d of %d functions are longer than 60 lines, more than 4 %%", long, len(lengths))
	}
}

// methods counts the methods of an interface, those of the interfaces of the same
// file included that it embeds. One from elsewhere counts as one.
func methods(file *ast.File, i *ast.InterfaceType) (n int) {
	for _, f := range i.Methods.List {
		embedded, ok := f.Type.(*ast.Ident)
		if len(f.Names) > 0 || !ok || embedded.Obj == nil {
			n++
			continue
		}
		if spec, ok := embedded.Obj.Decl.(*ast.TypeSpec); ok {
			if part, ok := spec.Type.(*ast.InterfaceType); ok {
				n += methods(file, part)
			}
		}
	}
	return n
}

func TestExportedDocumented(t *testing.T) {
	all, missing := 0, []string{}
	count := func(s source, name string, docs ...*ast.CommentGroup) {
		if !ast.IsExported(name) {
			return
		}
		all++
		if !slices.ContainsFunc(docs, func(d *ast.CommentGroup) bool { return d != nil }) {
			missing = append(missing, s.path+": "+name)
		}
	}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				count(s, d.Name.Name, d.Doc)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						count(s, spec.Name.Name, d.Doc, spec.Doc)
					case *ast.ValueSpec:
						count(s, spec.Names[0].Name, d.Doc, spec.Doc, spec.Comment)
					}
				}
			}
		}
	}
	if len(missing)*100 > all*5 {
		t.Errorf("%d of %d exported names have no comment, more than 5 %%:\n%s", len(missing), all, strings.Join(missing, "\n"))
	}
}

func TestNoSleepInTests(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() && s.path != "layout_test.go" && strings.Contains(s.text, "time.Sleep(") {
			t.Errorf("%s sleeps; use testing/synctest or a channel", s.path)
		}
	}
}

// TestDependencies keeps docs/dependencies.md complete and go.mod plain.
func TestDependencies(t *testing.T) {
	raw, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := map[string]bool{}
	for _, r := range mod.Require {
		if !r.Indirect {
			direct[r.Mod.Path] = true
			if !strings.Contains(string(doc), "`"+r.Mod.Path+"`") {
				t.Errorf("docs/dependencies.md gives no reason for %s", r.Mod.Path)
			}
		}
	}
	built, _, _ := strings.Cut(string(doc), "\nUsed by tests")
	for path := range direct {
		if !strings.Contains(built, "`"+path+"`") {
			delete(direct, path) // no part of the program
		}
	}
	if len(direct) > 20 {
		t.Errorf("the program has %d direct dependencies, more than 20: %v", len(direct), slices.Sorted(maps.Keys(direct)))
	}
	if len(mod.Replace) > 0 {
		t.Error("go.mod has a replace directive")
	}
}
