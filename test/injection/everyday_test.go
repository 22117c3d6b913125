package injection

import (
	"fmt"
	"testing"

	"loci"
	"loci/internal/gate"
)

// everyday are the modes, with the most everyday tasks of a hundred in which a person
// may have to be asked something: in a conversation of its own, and in one that has
// read a letter before. What asks more costs people's patience, and then they say yes
// to everything.
var everyday = []struct {
	mode       gate.Mode
	cold, warm int
}{
	{Heedless, 50, 52},
	{gate.Relaxed, 52, 60},
	{gate.Strict, 53, 62},
}

// TestEverydayTasks counts how many everyday tasks have to ask in each mode.
func TestEverydayTasks(t *testing.T) {
	tasks, err := Tasks()
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) < 60 {
		t.Errorf("%d tasks", len(tasks))
	}
	t.Logf("of %d tasks, those that ask (questions in all):", len(tasks))
	t.Logf("%-10s %18s %18s", "mode", "own conversation", "after a letter")
	least := 0
	for _, e := range everyday {
		w := New(t, Setting{Tier: loci.TierNative, Mode: e.mode})
		cold, coldQuestions := w.count(tasks, false)
		warm, warmQuestions := w.count(tasks, true)
		t.Logf("%-10s %3d %3d %% (%3d) %6d %3d %% (%3d)", e.mode, cold, cold*100/len(tasks), coldQuestions, warm, warm*100/len(tasks), warmQuestions)
		if cold*100 > e.cold*len(tasks) || warm*100 > e.warm*len(tasks) {
			t.Errorf("%s: %d and %d of %d tasks ask, more than %d %% and %d %%", e.mode, cold, warm, len(tasks), e.cold, e.warm)
		}
		if cold < least || warm < cold {
			t.Errorf("%s: %d and %d tasks ask, less than where less is known", e.mode, cold, warm)
		}
		least = cold
	}
}

// count does all tasks, and counts those that ask, and their questions.
func (w *World) count(tasks []Task, warm bool) (asked, questions int) {
	w.t.Helper()
	for _, task := range tasks {
		n := w.do(task, warm)
		if questions += n; n > 0 {
			asked++
		}
	}
	return asked, questions
}

// do has everything done that a task needs, and gives how many questions it took. It
// does by itself what the agent does around the tools: pass on what was read, and what
// was agreed to.
func (w *World) do(task Task, warm bool) (questions int) {
	w.t.Helper()
	w.furnish()
	w.place(Scenario{Calls: task.Calls, In: len(task.Calls)})
	set := w.set()
	scope := loci.Scope{Principal: owner, Session: "ses_1", Folders: []string{w.desk.Folder()}, Lang: "en", Said: []string{task.Ask}}
	if warm {
		scope.Taint = []string{"mail from friend@home.example"}
	}
	for i, c := range task.Calls {
		call := loci.ToolCall{ID: fmt.Sprint("call_", i), Name: c.Tool, Arguments: c.Args}
		var approved *loci.Approval
		if ask := set.Ask(w.t.Context(), scope, call); ask != nil {
			questions++
			approved = &loci.Approval{ID: "apr_1", State: loci.ApprovalYes, Fingerprint: ask.Fingerprint}
		}
		r := set.Call(w.t.Context(), scope, call, approved)
		if r.Err != nil {
			w.t.Errorf("%q: %s: %+v", task.Ask, c, r.Err)
		}
		if r.Origin != "" {
			scope.Taint = append(scope.Taint, r.Origin)
		}
	}
	return questions
}
