package offer

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

var isLegal = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func specs(names ...string) (list []loci.ToolSpec) {
	for _, n := range names {
		list = append(list, loci.ToolSpec{Name: n, Description: "of " + n})
	}
	return list
}

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 66)
	tests := []struct {
		name   string
		theirs []string
		want   []string
	}{
		{"as they are", []string{"web_search", "Web-Search", "b__c"}, []string{"web_search", "Web-Search", "b__c"}},
		{"ours", []string{"read_file", "other"}, []string{"client_read_file", "other"}},
		{"ours in other spellings", []string{"readFile", "READ-FILE", "read_file"}, []string{"client_readFile", "client_READ-FILE", "client_read_file"}},
		{"find_tool is ours", []string{"findTool"}, []string{"client_findTool"}},
		{"the way out is taken", []string{"read_file", "client_read_file"}, []string{"client_2_read_file", "client_read_file"}},
		{"the later of two counts", []string{"a", "b", "a"}, []string{"b", "a"}},
		{"without a name", []string{"", "a"}, []string{"a"}},
		{"dots and slashes", []string{"pages/update.title", "pages.update/title"}, []string{"pages_update_title_f93a90", "pages_update_title_2fb3e8"}},
		{"no letter left", []string{"Поиск", "搜索"}, []string{"tool_180f58", "tool_44ce7a"}},
		{"long, equal in the first 66", []string{long + "aaaa", long + "bbbb"}, []string{long[:57] + "_6b8cc8", long[:57] + "_e85a0f"}},
		{"ours after all", []string{"read file"}, []string{"read_file_121414"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := offerOf(ours, specs(tt.theirs...), "", 1<<20)
			if diff := cmp.Diff(tt.want, names(o.Theirs)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, s := range o.Theirs {
				original, ok := o.Original(s.Name)
				if !ok || s.Description != "of "+original || !slices.Contains(tt.theirs, original) {
					t.Errorf("%q leads to %q, %v; it is %s", s.Name, original, ok, s.Description)
				}
			}
			back := slices.Clone(tt.theirs)
			slices.Reverse(back)
			if diff := cmp.Diff(o.originals, offerOf(ours, specs(back...), "", 1<<20).originals); diff != "" {
				t.Errorf("the order matters:\n%s", diff)
			}
		})
	}
	// The name of a tool stays when others come and go.
	alone := names(offerOf(ours, specs("pages/update.title"), "", 600).Theirs)
	among := names(offerOf(ours, specs("pages.update/title", "pages_update_title", "pages/update.title"), "", 600).Theirs)
	if alone[0] != among[2] {
		t.Errorf("%q alone, %q among others", alone, among)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("read_file", "client_read_file", "client_2_read_file")
	f.Add("a.b", "a/b", "a_b")
	f.Add("\xff", "", strings.Repeat("ж", 100))
	f.Fuzz(func(t *testing.T, a, b, c string) {
		tools := named(ours, specs(a, b, c))
		seen := map[string]bool{}
		for _, tool := range tools {
			if !isLegal.MatchString(tool.name) || seen[tool.name] || clashes(tool.name, ours) {
				t.Fatalf("%q is called %q", tool.Name, tool.name)
			}
			seen[tool.name] = true
		}
		if diff := cmp.Diff(originals(tools), originals(named(ours, specs(c, b, a)))); diff != "" {
			t.Fatalf("the order matters:\n%s", diff)
		}
	})
}

func TestChoice(t *testing.T) {
	o := offerOf([]loci.ToolSpec{{Name: "read_file"}}, []loci.ToolSpec{{Name: "read_file"}, {Name: "note"}}, "", 600)
	required := func(name string) loci.ToolChoice { return loci.ToolChoice{Mode: loci.ChoiceRequired, Name: name} }
	for asked, want := range map[loci.ToolChoice]loci.ToolChoice{
		{}:                      {},
		{Mode: loci.ChoiceAuto}: {},
		{Mode: loci.ChoiceNone}: {},
		required(""):            required(""),
		required("note"):        required("note"),
		required("read_file"):   required("client_read_file"),
		required("gone"):        {},
	} {
		if got := o.Choice(asked); got != want {
			t.Errorf("%+v: %+v, want %+v", asked, got, want)
		}
	}
	if got := (Offer{}).Choice(required("")); got != (loci.ToolChoice{}) {
		t.Errorf("nothing is offered: %+v", got)
	}
}
