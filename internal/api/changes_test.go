package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"loci"
)

func TestChanges(t *testing.T) {
	f := newFake()
	f.changes = []loci.Change{
		{ID: "c3", Kind: loci.ChangeDeleted, Principal: "owner", Session: "ses_1"}, {ID: "c2", Kind: loci.ChangeMoved, Principal: "user:eve"}, {ID: "c1", Kind: loci.ChangeWritten, Principal: "owner"},
	}
	c := newClient(t, f)
	for path, want := range map[string]string{"": "c3 c1", "?session=ses_1": "c3", "?limit=1": "c3", "?session=none": ""} {
		var list []loci.Change
		w := c.do(http.MethodGet, "/api/agent/changes"+path, "")
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		var ids []string
		for _, c := range list {
			ids = append(ids, c.ID)
		}
		if got := strings.Join(ids, " "); got != want || list == nil {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	for _, limit := range []string{"0", "-1", "x", "10001"} {
		if w := c.do(http.MethodGet, "/api/agent/changes?limit="+limit, ""); w.Code != http.StatusBadRequest {
			t.Errorf("limit %s: %d %s", limit, w.Code, w.Body)
		}
	}
	for _, tt := range []struct {
		id, key string
		want    int
	}{{"c1", chatKey, http.StatusForbidden}, {"c1", ownerKey, http.StatusOK}, {"c1", ownerKey, http.StatusConflict}, {"c2", ownerKey, http.StatusNotFound}, {"none", ownerKey, http.StatusNotFound}} {
		c.key = tt.key
		w := c.do(http.MethodPost, "/api/agent/changes/"+tt.id+"/undo", "")
		if w.Code != tt.want || tt.want == http.StatusOK && !strings.Contains(w.Body.String(), `"undoes":"c1"`) {
			t.Errorf("%s with %.5s: %d %s", tt.id, tt.key, w.Code, w.Body)
		}
	}
}

// TestUndoLink gives the way back with each step, and with the event of it.
func TestUndoLink(t *testing.T) {
	result := loci.ToolResult{Call: loci.ToolCall{Name: "write_file", Arguments: json.RawMessage(`{}`)}, Data: json.RawMessage(`{"path":"/w/a"}`), Change: "20261130-120000-0123abcd"}
	var out summary
	for _, e := range []loci.Event{
		event(1, loci.ToolFinished{Result: result, Undo: result.Undo()}),
		event(2, loci.ToolFinished{Result: loci.ToolResult{Call: loci.ToolCall{Name: "read_file"}}}),
	} {
		e.Type = loci.EventToolFinished
		if err := out.add(e); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(e)
		if want := `"undo":{"id":"20261130-120000-0123abcd","href":"/api/agent/changes/20261130-120000-0123abcd/undo"}`; err != nil || strings.Contains(string(raw), want) != (e.Seq == 1) {
			t.Errorf("%s", raw)
		}
	}
	raw, err := json.Marshal(out.Steps)
	if err != nil || strings.Count(string(raw), `"undo":{"id":`) != 1 || !strings.HasPrefix(string(raw), `[{"tool":"write_file","arguments":{},"result":{"path":"/w/a"},"undo":{`) {
		t.Errorf("%s", raw)
	}
}
