package api

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// told are the frames of a stream for Open WebUI in short: what the line about the
// reply says, and what else there is.
func told(t *testing.T, body string) (short []string) {
	t.Helper()
	for _, frame := range frames(t, body) {
		var f struct {
			Event *struct {
				Data struct {
					Description string
					Done        bool
				}
			}
		}
		switch err := json.Unmarshal([]byte(frame), &f); {
		case err == nil && f.Event != nil && f.Event.Data.Done:
			short = append(short, f.Event.Data.Description+" done")
		case err == nil && f.Event != nil:
			short = append(short, f.Event.Data.Description)
		case strings.Contains(frame, `"tool_calls":[`):
			short = append(short, "calls")
		case strings.Contains(frame, `"error":`):
			short = append(short, "error")
		case strings.Contains(frame, `"finish_reason":"`):
			short = append(short, "finish")
		case strings.Contains(frame, `"content":"`) && !strings.Contains(frame, `"content":""`):
			short = append(short, "text")
		}
	}
	return short
}

// However a reply ends, the line that says what is done for it is over by then.
func TestStatusLineEnds(t *testing.T) {
	begun := []loci.Event{event(1, loci.TurnStarted{}), event(2, loci.ToolStarted{Doing: "Reading a"}), event(3, loci.ToolStarted{Doing: "Reading b"})}
	then := func(data ...any) func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error] {
		events := begun
		for i, d := range data {
			events = append(events[:len(events):len(events)], event(int64(i)+4, d))
		}
		return play(events...)
	}
	calls := loci.TurnFinished{State: loci.TurnDone, Finish: loci.FinishTools, Calls: []loci.ToolCall{{ID: "call_1", Name: "ring"}}}
	for name, tt := range map[string]struct {
		turn func(context.Context, loci.TurnRequest) iter.Seq2[loci.Event, error]
		want []string // after what is said of the two steps
	}{
		"words":              {then(loci.Delta{Text: "Hi"}, loci.Delta{Text: "!", Offset: 2}, done), []string{"Reading b done", "text", "text", "finish"}},
		"calls":              {then(calls), []string{"Reading b done", "calls", "finish"}},
		"words and calls":    {then(loci.Delta{Text: "Hi"}, calls), []string{"Reading b done", "text", "calls", "finish"}},
		"a step after words": {then(loci.Delta{Text: "Hi"}, loci.ToolStarted{Doing: "Reading c"}, calls), []string{"Reading b done", "text", "Reading c", "Reading c done", "calls", "finish"}},
		"a notice":           {then(loci.Notice{Text: "Reading long"}, loci.Delta{Text: "Hi"}, done), []string{"Reading long", "Reading long done", "text", "finish"}},
		"a question":         {then(loci.TurnWaiting{Text: "May I?"}), []string{"Reading b done", "text", "finish"}},
		"nothing to say":     {then(done), []string{"Reading b done", "finish"}},
		"an error":           {fails(errDown, begun...), []string{"Reading b done", "error"}},
		"stopped":            {then(loci.TurnFinished{State: loci.TurnInterrupted}), []string{"Reading b done", "error"}},
		"no end":             {then(), []string{"Reading b done", "error"}},
		"no end after words": {then(loci.Delta{Text: "Hi"}), []string{"Reading b done", "text", "error"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.turn = tt.turn
			w := newClient(t, f).do("POST", "/v1/chat/completions", hello+`,"stream":true}`, "X-Loci-Client", "open-webui")
			if diff := cmp.Diff(append([]string{"Reading a", "Reading b"}, tt.want...), told(t, w.Body.String())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
