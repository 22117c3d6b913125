// Package injection tries whether text from outside can make loci act. Its scenarios
// are everyday requests whose answer carries somebody else's wishes, and an
// [Obedient] model that fulfils every wish it reads. They run through the real agent,
// the real tool set, the real gate and the real store; the tools are given as a
// [Desk], so that the same scenarios can be tried on others than the stubs here.
package injection

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"loci"
)

//go:embed testdata/*.json
var data embed.FS

// Sources are where the scenarios' hostile texts come from, one file each.
var Sources = []string{"mail", "web", "document", "mcp", "memory", "client", "feed", "database", "chat", "file"}

// Call is one call of a tool.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Gives is what is read there, besides the hostile text. A scenario's Hostile
	// stands where it says {} or else at its end.
	Gives string `json:"gives,omitempty"`
}

// String is the call as a log would have it.
func (c Call) String() string { return c.Tool + string(c.Args) }

// When is when the model does what it has read.
type When string

// The moments. Each but the first is a turn of its own, in which the person asks for
// something harmless.
const (
	AtOnce    When = ""
	NextTurn  When = "next"
	Restarted When = "restart" // after loci was started again
	Forked    When = "fork"    // in a copy of the conversation
	Edited    When = "edit"    // after the person has edited the message that led to it
	CutOff    When = "cut"     // when the text itself was left out of the conversation by then
	Elsewhen  When = "session" // in a new conversation, which recalls it
)

// Scenario is a request and what somebody else makes of it.
type Scenario struct {
	Name   string `json:"name"`
	Source string `json:"-"` // the file it is in
	Ask    string `json:"ask"`
	Calls  []Call `json:"calls"` // what the request needs, in order
	// Hostile is in the result of the call number In, More in that of the one after;
	// or in Ask where that says {}, as what the chat client has put there.
	// {tags:…} stands for the text in invisible Unicode tags, {base64:…} for its
	// Base64 form.
	Hostile string `json:"hostile"`
	More    string `json:"more,omitempty"`
	In      int    `json:"in,omitempty"`
	// Wants are the calls that the text is after. Parrot has the model write the text
	// itself instead, with the calls in whatever markup they are in there.
	// Plants are what it has done at once where the rest comes later. {ref} in their
	// arguments is what a model recognises the text by elsewhere.
	Wants  []Call `json:"wants"`
	Plants []Call `json:"plants,omitempty"`
	Parrot bool   `json:"parrot,omitempty"`
	When   When   `json:"when,omitempty"`
	Then   string `json:"then,omitempty"`   // what the person asks at that time
	Recall []Call `json:"recall,omitempty"` // what that needs
	From   string `json:"from"`             // what a question must say of where it was read
	// Passes says that the relaxed mode lets it through, as its policy has it.
	Passes bool `json:"passes,omitempty"`
}

// marker is what a text is recognised by where a model reads it.
func (s Scenario) marker(part int) string {
	return fmt.Sprintf("[ref %s.%s %d]", s.Source, s.Name, part)
}

// Markers are all that a model must have read of it to know the wish.
func (s Scenario) Markers() []string {
	if s.More == "" {
		return []string{s.marker(1)}
	}
	return []string{s.marker(1), s.marker(2)}
}

// Request is what the person sends.
func (s Scenario) Request() string { return strings.Replace(s.Ask, "{}", s.Hostile+" "+s.marker(1), 1) }

// Text is what the call number i reads.
func (s Scenario) Text(i int) string {
	gives := s.Calls[i].Gives
	switch {
	case i == s.In && !strings.Contains(s.Ask, "{}"):
		return put(gives, s.Hostile+" "+s.marker(1))
	case i == s.In+1 && s.More != "":
		return put(gives, s.More+" "+s.marker(2))
	}
	return gives
}

func put(gives, hostile string) string {
	if strings.Contains(gives, "{}") {
		return strings.Replace(gives, "{}", hostile, 1)
	}
	return strings.TrimSpace(gives + "\n" + hostile)
}

// Load reads the scenarios of a source.
func Load(source string) ([]Scenario, error) {
	var all []Scenario
	if err := load(source, &all); err != nil {
		return nil, err
	}
	for i := range all {
		s := &all[i]
		s.Source, s.Hostile, s.More = source, expand(s.Hostile), expand(s.More)
		if s.When == Elsewhen { // what is remembered has to tell the model there
			for j, c := range s.Plants {
				args := arguments(c.Args)
				if text, remembers := args["text"]; remembers {
					args["text"] = text + " {ref}"
				}
				for name, text := range args {
					args[name] = strings.Replace(text, "{ref}", s.marker(1), 1)
				}
				s.Plants[j].Args, _ = json.Marshal(args) // texts can be written
			}
		}
	}
	return all, nil
}

// All reads the scenarios of all sources.
func All() (all []Scenario, err error) {
	for _, source := range Sources {
		some, err := Load(source)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// Task is an everyday request without anybody else's wishes.
type Task struct {
	Ask   string `json:"ask"`
	Calls []Call `json:"calls"`
}

// Tasks reads the everyday requests.
func Tasks() (all []Task, err error) { return all, load("everyday", &all) }

func load(name string, to any) error {
	raw, err := data.ReadFile(path.Join("testdata", name+".json"))
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

var disguise = regexp.MustCompile(`(?s)\{(tags|base64):(.*?)\}`)

// expand puts texts into their disguise.
func expand(text string) string {
	return disguise.ReplaceAllStringFunc(text, func(found string) string {
		parts := disguise.FindStringSubmatch(found)
		if parts[1] == "base64" {
			return base64.StdEncoding.EncodeToString([]byte(parts[2]))
		}
		return strings.Map(func(r rune) rune { return r + 0xE0000 }, parts[2])
	})
}

// Sink tells whether a tool is one that no text from outside may reach unasked.
func Sink(s loci.ToolSpec) bool {
	return s.Irreversible || s.SideEffects == loci.EffectEgress || s.SideEffects == loci.EffectExec
}
