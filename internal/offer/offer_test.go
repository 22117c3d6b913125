package offer

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/offer/offertest"
	"loci/internal/toolcall"
)

// ours are tools of loci, as far as a client's can clash with them.
var ours = []loci.ToolSpec{{Name: "read_file"}, {Name: "fetch_url"}, {Name: "current_time"}}

func names(specs []loci.ToolSpec) (list []string) {
	for _, s := range specs {
		list = append(list, s.Name)
	}
	return list
}

func total(specs []loci.ToolSpec) (n int) {
	for _, s := range specs {
		n += cost(s, loci.TierNative)
	}
	return n
}

// offerOf makes an offer of a client's tools beside a few of ours.
func offerOf(ours, theirs []loci.ToolSpec, message string, room int) Offer {
	return new(Shelf).Choose(Need{Ours: ours, Theirs: theirs, Message: message, Room: room, Tier: loci.TierNative})
}

// Tools never take more than their room, ours and the client's together.
func TestChooseBudget(t *testing.T) {
	tools := offertest.ChatUI(t)
	if len(tools) != 36 || offertest.Size() < 25_000 {
		t.Fatalf("%d tools, %d bytes", len(tools), offertest.Size())
	}
	const asked = "Please enter an appointment with the dentist into my calendar, Friday at ten."
	for _, tt := range []struct{ room, least int }{{250, 2}, {600, 5}, {1700, 15}} {
		o := offerOf(ours, tools, asked, tt.room)
		takes := total(o.Ours) + total(o.Theirs)
		if o.More {
			takes += cost(FindTool(), loci.TierNative)
		}
		t.Logf("room %4d, taken %4d by %d of ours and %d tools, %d left out: %s", tt.room, takes, len(o.Ours), len(o.Theirs), len(o.Left), strings.Join(names(o.Theirs), " "))
		if takes > tt.room {
			t.Errorf("the tools take %d tokens of %d", takes, tt.room)
		}
		if len(o.Ours)+len(o.Theirs) < tt.least || len(o.Theirs)+len(o.Left) != len(tools) {
			t.Errorf("room %d: %d tools offered, %d left; want at least %d and %d in all", tt.room, len(o.Theirs), len(o.Left), tt.least, len(tools))
		}
		if !slices.Contains(names(o.Theirs), "create_calendar_event") {
			t.Errorf("room %d: what was asked for is not offered: %q", tt.room, names(o.Theirs))
		}
		for _, s := range slices.Concat(o.Theirs, o.Left) {
			if _, err := toolcall.Compile(s); err != nil {
				t.Errorf("%s: %v: %s", s.Name, err, s.Parameters)
			}
			if original, ok := o.Original(s.Name); !ok || s.Name != original && s.Name != "client_"+original {
				t.Errorf("%s is called %q, %v by the client", s.Name, original, ok)
			}
		}
	}
}

func TestBudget(t *testing.T) {
	for window, want := range map[int]int{0: 500, 2048: 500, 4095: 500, 4096: 900, 8192: 900, 16000: 2000, 131072: 2000} {
		if got := Budget(window); got != want {
			t.Errorf("Budget(%d) = %d, want %d", window, got, want)
		}
	}
}

// What is wanted always is offered where the message says nothing, what reads first;
// what the message is about comes before that; what is dormant never.
func TestChooseCore(t *testing.T) {
	mine := []loci.ToolSpec{
		{Name: "edit_file", Description: "Changes a file.", Core: true, Dangerous: true},
		{Name: "move_file", Description: "Moves a file.", Examples: []string{"Přejmenuj návrh."}},
		{Name: "open_app", Description: "Opens an application.", Dormant: true, Examples: []string{"Rename the window"}},
		{Name: "read_file", Description: "Reads a file.", Core: true},
	}
	room := cost(FindTool(), loci.TierNative) + 2*cost(loci.ToolSpec{Name: "edit_file", Description: "Changes a file.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}, loci.TierNative)
	for message, want := range map[string]string{
		"Hello!":                      "edit_file read_file",
		"přejmenovat bych potřeboval": "move_file read_file",
		"rename the window":           "edit_file read_file",
	} {
		o := offerOf(mine, nil, message, room)
		if got := strings.Join(names(o.Ours), " "); got != want || !o.More {
			t.Errorf("%q offers %q, want %q", message, got, want)
		}
	}
	if got := string(offerOf(mine, nil, "Hello!", room).Find("open an application")); !strings.Contains(got, `"name":"open_app"`) {
		t.Errorf("what is dormant is not found: %s", got)
	}
	if o := offerOf(mine[3:], nil, "Hello!", 1000); o.More || len(o.Ours) != 1 {
		t.Errorf("all are offered, and yet there is more: %+v", o)
	}
}

func TestChooseSelects(t *testing.T) {
	tools := offertest.ChatUI(t)
	for message, want := range map[string]string{
		"Search my notes for the recipe":                          "search_notes",
		"what did we say about Lisbon in an earlier conversation": "search_chats",
		"Draw a picture of a snail":                               "generate_image",
		"Remember that I am allergic to nuts":                     "add_memory",
		"cancel the meeting tomorrow":                             "delete_calendar_event",
		"run this Python program":                                 "execute_code",
		"delete the automation":                                   "delete_automation",
	} {
		if o := offerOf(ours, tools, message, 600); !slices.Contains(names(o.Theirs), want) {
			t.Errorf("%q offers %q, not %s", message, names(o.Theirs), want)
		}
	}
	// Where nothing fits, the client's own order decides.
	o := offerOf(ours, tools, "kuře na paprice", 300)
	if got := names(o.Theirs); len(got) < 2 || got[0] != "get_current_timestamp" || got[1] != "calculate_timestamp" {
		t.Errorf("a message about none of them offers %q", got)
	}
}

func TestChooseAsTheyAre(t *testing.T) {
	theirs := []loci.ToolSpec{
		{Name: "turn_on", Description: "Turns a lamp on.\nTwo lines stay two.", Parameters: json.RawMessage(`{ "type": "object", "properties": {"lamp": {"type": "string", "title": "Lamp", "default": "all"}} }`), Dangerous: true},
		{Name: "no_schema"},
	}
	o := offerOf(ours, theirs, "hi", 600)
	want := []loci.ToolSpec{
		{Name: "turn_on", Description: theirs[0].Description, Parameters: json.RawMessage(`{"type":"object","properties":{"lamp":{"type":"string","title":"Lamp","default":"all"}}}`)},
		{Name: "no_schema", Parameters: json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(want, o.Theirs); diff != "" || o.Left != nil {
		t.Errorf("(-want +got):\n%sleft %v", diff, o.Left)
	}
	if o := offerOf(ours, nil, "hi", 600); o.Theirs != nil || o.Left != nil {
		t.Errorf("no tools: %+v", o)
	}
	if _, ok := (Offer{}).Original("x"); ok {
		t.Error("an empty offer knows a tool")
	}
}

// The whole set of a client is shortened before any tool is left out.
func TestChooseShortens(t *testing.T) {
	tools := offertest.ChatUI(t)
	o := offerOf(ours, tools[:16], "hi", 1900)
	if len(o.Left) > 0 || len(o.Theirs) != 16 {
		t.Fatalf("%d offered, %d left", len(o.Theirs), len(o.Left))
	}
	i := slices.IndexFunc(o.Theirs, func(s loci.ToolSpec) bool { return s.Name == "create_calendar_event" })
	want := loci.ToolSpec{
		Name: "create_calendar_event", Description: "Enter an event into the calendar of the person.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"start":{"type":"string"},"end":{"type":"string"},` +
			`"location":{"type":"string"},"attendees":{"type":"array","items":{"type":"string"}},` +
			`"recurrence":{"type":"string","enum":["none","daily","weekly","monthly","yearly"]},"reminder_minutes":{"type":"integer"}},"required":["title","start"]}`),
	}
	if diff := cmp.Diff(want, o.Theirs[i]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same tools make the same bytes, and in any order the same names.
func TestChooseIsTheSameEachTime(t *testing.T) {
	tools := offertest.ChatUI(t)
	tools = append(tools, loci.ToolSpec{Name: "Read-File"}, loci.ToolSpec{Name: "a.b"}, loci.ToolSpec{Name: "a/b"}, loci.ToolSpec{Name: "readFile"})
	want := offerOf(ours, tools, "note the time", 700)
	shuffled := slices.Clone(tools)
	for range 20 {
		got := offerOf(ours, tools, "note the time", 700)
		if diff := cmp.Diff([][]loci.ToolSpec{want.Ours, want.Theirs, want.Left}, [][]loci.ToolSpec{got.Ours, got.Theirs, got.Left}); diff != "" {
			t.Fatalf("again (-want +got):\n%s", diff)
		}
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if diff := cmp.Diff(want.originals, offerOf(ours, shuffled, "x", 700).originals); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
	}
}

func TestResume(t *testing.T) {
	tools := offertest.ChatUI(t)
	first := offerOf(ours, tools, "search my notes", 600)
	// By the next turn the client has lost its first tool and has a new one.
	later := append(slices.Clone(tools[1:]), loci.ToolSpec{Name: "play_music", Description: "Plays a song."})
	o := new(Shelf).Resume(ours, later, nil, first.Theirs)
	if diff := cmp.Diff(first.Theirs, o.Theirs); diff != "" {
		t.Errorf("what was offered moved (-want +got):\n%s", diff)
	}
	if len(o.Left) != len(later)-len(first.Theirs) && len(o.Left) != len(later)-len(first.Theirs)+1 {
		t.Errorf("%d offered, %d left of %d", len(o.Theirs), len(o.Left), len(later))
	}
	if got := string(o.Find("play a song")); !strings.Contains(got, `"name":"play_music"`) {
		t.Errorf("the new tool is not found: %s", got)
	}
	if _, ok := o.Original(tools[0].Name); ok {
		t.Error("a tool that the client no longer has can still be called")
	}
	if name, ok := o.Original("client_fetch_url"); !ok || name != "fetch_url" {
		t.Errorf("client_fetch_url is %q, %v", name, ok)
	}
}

func TestFind(t *testing.T) {
	tools := offertest.ChatUI(t)
	o := offerOf(nil, tools, "what time is it", 300)
	find := func(need string) (names []string, result string) {
		t.Helper()
		raw := o.Find(need)
		var r struct{ Tools []hit }
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for _, h := range r.Tools {
			names = append(names, h.Name)
			if _, ok := o.Original(h.Name); !ok || !json.Valid(h.Parameters) || h.Description == "" {
				t.Errorf("found %+v", h)
			}
		}
		return names, string(raw)
	}
	for need, want := range map[string]string{
		"create a note": "write_note", "delete_automation": "delete_automation", "generate an image": "generate_image",
		"find passages in my documents": "query_knowledge_files", "fetch a web page": "fetch_url",
	} {
		if got, result := find(need); len(got) > 3 || !slices.Contains(got, want) {
			t.Errorf("Find(%q) = %s, want %s among them", need, result, want)
		}
	}
	if got, result := find("воздушный шар"); got != nil || !strings.Contains(result, `"write_note"`) || len(result) > 2000 {
		t.Errorf("nothing fits: %s", result)
	}
	if got, result := find(""); got != nil || !json.Valid([]byte(result)) {
		t.Errorf("no words: %s", result)
	}
	if got := string((Offer{}).Find("x")); !strings.Contains(got, "no more tools") || !strings.Contains(got, `"tools":[]`) {
		t.Errorf("nothing was left out: %s", got)
	}
	if s := FindTool(); cost(s, loci.TierNative) > 75 || s.SideEffects != loci.EffectNone {
		t.Errorf("find_tool takes %d tokens, has effects %q", cost(s, loci.TierNative), s.SideEffects)
	}
	if _, err := toolcall.Compile(FindTool()); err != nil {
		t.Error(err)
	}
}

// A call through find_tool is a call of the tool that it names.
func TestCalled(t *testing.T) {
	for in, want := range map[string]string{
		`{"name":"move_file","arguments":{"source":"a","destination":"b"}}`: `move_file {"source":"a","destination":"b"}`,
		`{"name":"move_file","source":"a","destination":"b"}`:               `move_file {"destination":"b","source":"a"}`,
		`{"name":"move_file","arguments":"{\"source\":\"a\"}"}`:             `move_file "{\"source\":\"a\"}"`,
		`{"need":"rename","name":"list_dir"}`:                               `list_dir {}`,
		`{"need":"rename a file"}`:                                          "",
		`{"need":"rename a file","name":""}`:                                "",
		`{"name":"find_tool","arguments":{}}`:                               "",
		`{"name":5}`:                                                        "",
		`[]`:                                                                "",
		``:                                                                  "",
	} {
		got, ok := Called(loci.ToolCall{ID: "c1", Name: "find_tool", Arguments: json.RawMessage(in)})
		if ok != (want != "") || ok && (got.ID != "c1" || got.Name+" "+string(got.Arguments) != want) {
			t.Errorf("%s is the call %s %s, %v; want %q", in, got.Name, got.Arguments, ok, want)
		}
	}
	if _, ok := Called(loci.ToolCall{Name: "read_file", Arguments: json.RawMessage(`{"name":"x"}`)}); ok {
		t.Error("another tool calls one")
	}
}
