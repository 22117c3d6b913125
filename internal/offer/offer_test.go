package offer

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
	"loci/internal/toolcall"
)

// chatUI are tools such as a chat UI brings along: 36 of them, 26 kB.
func chatUI(t testing.TB) (tools []loci.ToolSpec, size int) {
	t.Helper()
	raw, err := os.ReadFile("testdata/chat-ui.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Function loci.ToolSpec }
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		tools = append(tools, l.Function)
	}
	return tools, len(raw)
}

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
		n += cost(s)
	}
	return n
}

// The tools of a client never take more of a window than their part of it.
func TestMergeBudget(t *testing.T) {
	tools, size := chatUI(t)
	if len(tools) != 36 || size < 25_000 {
		t.Fatalf("%d tools, %d bytes", len(tools), size)
	}
	const asked = "Please enter an appointment with the dentist into my calendar, Friday at ten."
	whole := 0
	for _, tool := range tools {
		whole += cost(tool)
	}
	t.Logf("as the client sends them: %d tokens", whole)
	for _, tt := range []struct{ window, room, least int }{
		{2 << 10, 256, 3}, {4 << 10, 512, 5}, {8 << 10, 1024, 12}, {32 << 10, 2000, 26},
	} {
		o := Merge(ours, tools, asked, tt.window)
		takes := total(o.Tools)
		if len(o.Left) > 0 {
			takes += cost(FindTool())
		}
		t.Logf("window %5d: room %4d, taken %4d by %d tools, %d left out: %s", tt.window, tt.room, takes, len(o.Tools), len(o.Left), strings.Join(names(o.Tools), " "))
		if roomFor(tt.window) != tt.room || takes > tt.room {
			t.Errorf("window %d: the tools take %d tokens of %d, want at most %d", tt.window, takes, roomFor(tt.window), tt.room)
		}
		if len(o.Tools) < tt.least || len(o.Tools)+len(o.Left) != len(tools) {
			t.Errorf("window %d: %d tools offered, %d left; want at least %d and %d in all", tt.window, len(o.Tools), len(o.Left), tt.least, len(tools))
		}
		if !slices.Contains(names(o.Tools), "create_calendar_event") {
			t.Errorf("window %d: what was asked for is not offered: %q", tt.window, names(o.Tools))
		}
		for _, s := range slices.Concat(o.Tools, o.Left) {
			if _, err := toolcall.Compile(s); err != nil {
				t.Errorf("%s: %v: %s", s.Name, err, s.Parameters)
			}
			if original, ok := o.Original(s.Name); !ok || s.Name != original && s.Name != "client_"+original {
				t.Errorf("%s is called %q, %v by the client", s.Name, original, ok)
			}
		}
	}
}

func TestRoom(t *testing.T) {
	for window, want := range map[int]int{0: 256, 512: 256, 2048: 256, 4096: 512, 8192: 1024, 16000: 2000, 131072: 2000} {
		if got := roomFor(window); got != want {
			t.Errorf("roomFor(%d) = %d, want %d", window, got, want)
		}
	}
}

func TestMergeSelects(t *testing.T) {
	tools, _ := chatUI(t)
	for message, want := range map[string]string{
		"Search my notes for the recipe":                          "search_notes",
		"what did we say about Lisbon in an earlier conversation": "search_chats",
		"Draw a picture of a snail":                               "generate_image",
		"Remember that I am allergic to nuts":                     "add_memory",
		"cancel the meeting tomorrow":                             "delete_calendar_event",
		"run this Python program":                                 "execute_code",
		"delete the automation":                                   "delete_automation",
	} {
		if o := Merge(ours, tools, message, 4096); !slices.Contains(names(o.Tools), want) {
			t.Errorf("%q offers %q, not %s", message, names(o.Tools), want)
		}
	}
	// Where nothing fits, the client's own order decides.
	o := Merge(ours, tools, "kuře na paprice", 2048)
	if got := names(o.Tools); len(got) < 3 || got[0] != "get_current_timestamp" || got[1] != "calculate_timestamp" {
		t.Errorf("a message about none of them offers %q", got)
	}
}

func TestMergeAsTheyAre(t *testing.T) {
	theirs := []loci.ToolSpec{
		{Name: "turn_on", Description: "Turns a lamp on.\nTwo lines stay two.", Parameters: json.RawMessage(`{ "type": "object", "properties": {"lamp": {"type": "string", "title": "Lamp", "default": "all"}} }`), Dangerous: true},
		{Name: "no_schema"},
	}
	o := Merge(ours, theirs, "hi", 4096)
	want := []loci.ToolSpec{
		{Name: "turn_on", Description: theirs[0].Description, Parameters: json.RawMessage(`{"type":"object","properties":{"lamp":{"type":"string","title":"Lamp","default":"all"}}}`)},
		{Name: "no_schema", Parameters: json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(want, o.Tools); diff != "" || o.Left != nil {
		t.Errorf("(-want +got):\n%sleft %v", diff, o.Left)
	}
	if o := Merge(ours, nil, "hi", 4096); o.Tools != nil || o.Left != nil {
		t.Errorf("no tools: %+v", o)
	}
	if _, ok := (Offer{}).Original("x"); ok {
		t.Error("an empty offer knows a tool")
	}
}

// The whole set of a client is shortened before any tool is left out.
func TestMergeShortens(t *testing.T) {
	tools, _ := chatUI(t)
	o := Merge(ours, tools[:20], "hi", 16_000)
	if len(o.Left) > 0 || len(o.Tools) != 20 {
		t.Fatalf("%d offered, %d left", len(o.Tools), len(o.Left))
	}
	i := slices.IndexFunc(o.Tools, func(s loci.ToolSpec) bool { return s.Name == "create_calendar_event" })
	want := loci.ToolSpec{
		Name: "create_calendar_event", Description: "Enter an event into the calendar of the person.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"start":{"type":"string"},"end":{"type":"string"},` +
			`"location":{"type":"string"},"attendees":{"type":"array","items":{"type":"string"}},` +
			`"recurrence":{"type":"string","enum":["none","daily","weekly","monthly","yearly"]},"reminder_minutes":{"type":"integer"}},"required":["title","start"]}`),
	}
	if diff := cmp.Diff(want, o.Tools[i]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same tools make the same bytes, and in any order the same names.
func TestMergeIsTheSameEachTime(t *testing.T) {
	tools, _ := chatUI(t)
	tools = append(tools, loci.ToolSpec{Name: "Read-File"}, loci.ToolSpec{Name: "a.b"}, loci.ToolSpec{Name: "a/b"}, loci.ToolSpec{Name: "readFile"})
	want := Merge(ours, tools, "note the time", 8192)
	shuffled := slices.Clone(tools)
	for range 20 {
		if diff := cmp.Diff(want, Merge(ours, tools, "note the time", 8192), cmp.AllowUnexported(Offer{}, document{})); diff != "" {
			t.Fatalf("again (-want +got):\n%s", diff)
		}
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if diff := cmp.Diff(want.originals, Merge(ours, shuffled, "x", 8192).originals); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
	}
}

func TestResume(t *testing.T) {
	tools, _ := chatUI(t)
	first := Merge(ours, tools, "search my notes", 4096)
	// By the next turn the client has lost its first tool and has a new one.
	later := append(slices.Clone(tools[1:]), loci.ToolSpec{Name: "play_music", Description: "Plays a song."})
	o := Resume(ours, later, first.Tools, 4096)
	if diff := cmp.Diff(first.Tools, o.Tools); diff != "" {
		t.Errorf("what was offered moved (-want +got):\n%s", diff)
	}
	if len(o.Left) != len(later)-len(first.Tools) && len(o.Left) != len(later)-len(first.Tools)+1 {
		t.Errorf("%d offered, %d left of %d", len(o.Tools), len(o.Left), len(later))
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
	tools, _ := chatUI(t)
	o := Merge(ours, tools, "what time is it", 2048)
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
		"find passages in my documents": "query_knowledge_files", "fetch a web page": "client_fetch_url",
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
	if s := FindTool(); cost(s) > 90 || s.SideEffects != loci.EffectNone {
		t.Errorf("find_tool takes %d tokens, has effects %q", cost(s), s.SideEffects)
	}
	if _, err := toolcall.Compile(FindTool()); err != nil {
		t.Error(err)
	}
}
