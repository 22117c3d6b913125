package injection

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"loci"
	"loci/internal/sandbox"
	"loci/internal/tool"
	"loci/internal/toolkit"
)

// Desk is a set of tools that scenarios are tried on.
type Desk interface {
	// Place makes a call of a tool that reads find a text.
	Place(call Call, text string) error
	Tools() []tool.Tool
	// Folder is the person's own; what is in its folder downloads comes from others.
	Folder() string
	// Done takes the list of the calls that were carried out, in their order.
	Done() []Call
}

// stubs are tools that only write down what they were called for, with those of
// toolkit for files.
type stubs struct {
	folder, trash string

	mu     sync.Mutex
	texts  map[string]string // what calls read
	memory []memory
	done   []Call
}

// memory is something that was remembered, and where from outside it is.
type memory struct {
	text   string
	origin string
}

// Stubs makes a desk whose tools do nothing, but for those for files, which work
// below root.
func Stubs(root string) (Desk, error) {
	d := &stubs{folder: filepath.Join(root, "home"), trash: filepath.Join(root, "trash"), texts: map[string]string{}}
	for _, dir := range []string{filepath.Join(d.folder, "downloads"), d.trash} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{"notes.md": "Buy milk.\n", "budget.csv": "rent,900\nfood,310\n", "todo.md": "- call the dentist\n"} {
		if err := os.WriteFile(filepath.Join(d.folder, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *stubs) Folder() string { return d.folder }

// Place writes files for the tools that read them, and notes the text for the others.
func (d *stubs) Place(call Call, text string) error {
	if text == "" {
		return nil
	}
	args := arguments(call.Args)
	at := filepath.Join(d.folder, filepath.FromSlash(args["path"]))
	switch call.Tool {
	case "list_dir": // the text is the name of a file
		at, text = filepath.Join(at, text), "-"
	case "search_files":
		at = filepath.Join(at, "found.txt")
	case "read_file":
	case "move_file": // the text is in what is moved
		if at = filepath.Join(d.folder, filepath.FromSlash(args["source"])); filepath.Ext(at) == "" {
			at = filepath.Join(at, "text.md")
		}
	case "recall":
		d.mu.Lock()
		defer d.mu.Unlock()
		d.memory = append(d.memory, memory{text, args["origin"]})
		return nil
	default:
		d.mu.Lock()
		defer d.mu.Unlock()
		d.texts[key(call.Tool, call.Args)] = text
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	return os.WriteFile(at, []byte(text), 0o600)
}

// Read is what a tool of the chat client finds.
func (d *stubs) Read(call Call) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.texts[key(call.Tool, call.Args)]
}

func (d *stubs) Done() []Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	done := d.done
	d.done = nil
	return done
}

// key identifies a call, however its arguments are laid out.
func key(tool string, args json.RawMessage) string {
	var value any
	if json.Unmarshal(args, &value) != nil {
		return tool + string(args)
	}
	text, _ := json.Marshal(value) // what was read from JSON can be written
	return tool + string(text)
}

// arguments are the texts among the arguments of a call.
func arguments(args json.RawMessage) map[string]string {
	var values map[string]any
	_ = json.Unmarshal(args, &values) // then there are none
	found := map[string]string{}
	for name, value := range values {
		if text, ok := value.(string); ok {
			found[name] = text
		}
	}
	return found
}

// stub is a tool in a line.
type stub struct {
	name    string
	args    string // names, the required ones with a !; those of lists end in []
	effects loci.SideEffects
	flags   string // asks, for good (irreversible), outside
	to      string // destinations
	origin  func(args map[string]string) string
}

var allStubs = []stub{
	{"read_email", "from!", loci.EffectRead, "outside", "", called("mail from ", "from")},
	{"fetch_url", "url!", loci.EffectEgress, "outside", "url", hosted("web ")},
	{"read_feed", "url!", loci.EffectEgress, "outside", "url", hosted("feed ")},
	{"http_request", "method! url! body", loci.EffectEgress, "outside asks", "url", hosted("web ")},
	{"wiki_search", "query!", loci.EffectRead, "outside", "", named("MCP server wiki")},
	{"crm_lookup", "customer!", loci.EffectRead, "outside", "", named("MCP server crm")},
	{"tickets_list", "project!", loci.EffectRead, "outside", "", named("MCP server tickets")},
	{"query_db", "database! sql!", loci.EffectRead, "outside", "", called("database ", "database")},
	{"read_chat", "channel!", loci.EffectRead, "outside", "", called("chat ", "channel")},
	{"send_email", "to! cc[] subject body!", loci.EffectEgress, "asks for-good", "to cc", nil},
	{"send_message", "to! text!", loci.EffectEgress, "asks", "to", nil},
	{"share_file", "path! with!", loci.EffectEgress, "asks", "with", nil},
	{"invite", "title! when with!", loci.EffectEgress, "asks", "with", nil},
	{"post_public", "site! text!", loci.EffectEgress, "asks for-good", "site", nil},
	{"pay", "to! amount! note", loci.EffectEgress, "asks for-good", "to", nil},
	{"run_command", "argv[]!", loci.EffectExec, "asks", "", nil},
	{"purge_file", "path!", loci.EffectWrite, "asks for-good", "", nil},
	{"change_db", "database! sql!", loci.EffectWrite, "asks for-good", "", nil},
	{"schedule_task", "when! what!", loci.EffectWrite, "asks", "", nil},
	{"add_event", "title! when!", loci.EffectWrite, "asks", "", nil},
	{"media_control", "action!", loci.EffectWrite, "asks", "", nil},
}

func called(prefix, arg string) func(map[string]string) string {
	return func(args map[string]string) string { return prefix + args[arg] }
}

func named(name string) func(map[string]string) string {
	return func(map[string]string) string { return name }
}

func hosted(prefix string) func(map[string]string) string {
	return func(args map[string]string) string {
		u, err := url.Parse(args["url"])
		if err != nil {
			return prefix + "somewhere"
		}
		return prefix + u.Host
	}
}

// Tools gives all tools, each of which writes down that it was called.
func (d *stubs) Tools() []tool.Tool {
	all := slices.DeleteFunc(toolkit.All(toolkit.Config{Trash: d.trash}), func(t tool.Tool) bool {
		return slices.ContainsFunc(allStubs, func(s stub) bool { return s.name == t.Name })
	})
	all = append(all, d.remember(), d.recall())
	for _, s := range allStubs {
		all = append(all, d.tool(s))
	}
	for i, t := range all {
		work := t.Handler
		all[i].Handler = func(ctx context.Context, env tool.Env, args json.RawMessage) (any, error) {
			result, err := work(ctx, env, args)
			if err == nil {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.done = append(d.done, Call{Tool: t.Name, Args: args})
			}
			return result, err
		}
	}
	return all
}

// gave is what a stub gives.
type gave struct {
	Text string `json:"text"`
	from string
}

// Origin tells where from outside it is.
func (g gave) Origin() string { return g.from }

func render(_ string, result any) string { return result.(gave).Text }

func (d *stubs) tool(s stub) tool.Tool {
	t := tool.Tool{
		ToolSpec: loci.ToolSpec{
			Name: s.name, Description: "Does what its name says.", Parameters: parameters(s.args), SideEffects: s.effects,
			Dangerous: strings.Contains(s.flags, "asks"), Irreversible: strings.Contains(s.flags, "for-good"),
			Outside: strings.Contains(s.flags, "outside"), Destinations: strings.Fields(s.to),
		},
		Handler: func(_ context.Context, _ tool.Env, args json.RawMessage) (any, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			g := gave{Text: d.texts[key(s.name, args)]}
			if s.origin != nil {
				g.from = s.origin(arguments(args))
			}
			return g, nil
		},
		Render:    render,
		MaxResult: 64 << 10,
	}
	if t.Dangerous {
		t.Preview = func(_ context.Context, _ tool.Env, args json.RawMessage) (tool.Preview, error) {
			return tool.Preview{Basis: string(args), Binding: string(args), Subject: s.name}, nil
		}
	}
	return t
}

// remember keeps a text together with what the conversation had read from outside by
// then, and asks first where it had.
func (d *stubs) remember() tool.Tool {
	return tool.Tool{
		ToolSpec: loci.ToolSpec{Name: "remember", Description: "Keeps something in mind.", Parameters: parameters("text!"), SideEffects: loci.EffectWrite},
		Handler: func(_ context.Context, env tool.Env, args json.RawMessage) (any, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.memory = append(d.memory, memory{arguments(args)["text"], strings.Join(env.Scope.Taint, ", ")})
			return gave{Text: "Kept."}, nil
		},
		Render: render,
		Preview: func(_ context.Context, env tool.Env, _ json.RawMessage) (tool.Preview, error) {
			if len(env.Scope.Taint) == 0 {
				return tool.Preview{}, nil
			}
			return tool.Preview{Warning: "It would be remembered for other conversations, and may not be in your words."}, nil
		},
	}
}

func (d *stubs) recall() tool.Tool {
	return tool.Tool{
		ToolSpec: loci.ToolSpec{Name: "recall", Description: "Looks for what was kept in mind.", Parameters: parameters("query! origin"), SideEffects: loci.EffectRead},
		Handler: func(context.Context, tool.Env, json.RawMessage) (any, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			var g gave
			for _, m := range d.memory {
				g.Text += m.text + "\n"
				if m.origin != "" && !strings.Contains(g.from, m.origin) {
					g.from = strings.TrimPrefix(g.from+", "+m.origin, ", ")
				}
			}
			return g, nil
		},
		Render: render,
	}
}

// parameters is the schema for the names of arguments.
func parameters(list string) json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for name := range strings.FieldsSeq(list) {
		name, must := strings.CutSuffix(name, "!")
		name, many := strings.CutSuffix(name, "[]")
		if must {
			required = append(required, name)
		}
		properties[name] = map[string]any{"type": "string"}
		if many {
			properties[name] = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		}
	}
	slices.Sort(required)
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	if err != nil {
		panic(fmt.Sprint("a schema of a stub: ", err)) // a fault of this file
	}
	return schema
}

// rules are those of a person who trusts their tools: everything in their folder may
// be changed unasked, but for what others have sent.
func rules(folder string, generous bool) sandbox.Rules {
	own := sandbox.Rule{Path: folder, Access: sandbox.AskFirst}
	if generous {
		own.Access = sandbox.Free
	}
	return sandbox.Rules{own, {Path: filepath.Join(folder, "downloads"), Access: sandbox.AskFirst, Outside: true}}
}
