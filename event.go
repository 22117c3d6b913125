package loci

import (
	"encoding/json"
	"fmt"
	"time"
)

// EventType names what happened. Readers ignore types they do not know.
type EventType string

// The durable event types are stored before they are shown; EventDelta is
// transient.
const (
	EventTurnStarted      EventType = "turn.started"
	EventStepFinished     EventType = "step.finished"
	EventToolStarted      EventType = "tool.started"
	EventToolFinished     EventType = "tool.finished"
	EventApprovalAsked    EventType = "approval.asked"
	EventApprovalAnswered EventType = "approval.answered"
	EventTurnWaiting      EventType = "turn.waiting"
	EventMessage          EventType = "message"
	EventNotice           EventType = "notice"
	EventTurnFinished     EventType = "turn.finished"
	EventDelta            EventType = "delta"
)

// EventVersion is the value of every event's v field.
const EventVersion = 1

// Event is one thing that happened in a session. Seq counts per session from 1
// without gaps; a delta carries the Seq of the durable event before it.
type Event struct {
	V       int       `json:"v"`
	Seq     int64     `json:"seq"`
	Session string    `json:"session"`
	Turn    string    `json:"turn"`
	Time    Time      `json:"time"`
	Type    EventType `json:"type"`
	// Data is one of the payload structs below while the turn runs, and a
	// json.RawMessage when the event was read back from the store.
	Data any `json:"data"`
}

// TurnStarted is the payload of EventTurnStarted.
type TurnStarted struct {
	Model   string `json:"model"`
	Tier    Tier   `json:"tier"`
	Message string `json:"message"` // its first 4,000 bytes
}

// StepFinished is the payload of EventStepFinished: one model call is over.
type StepFinished struct {
	Step    int        `json:"step"` // 1 is the first call of the turn
	Text    string     `json:"text,omitempty"`
	Calls   []ToolCall `json:"calls,omitempty"`
	Finish  Finish     `json:"finish,omitempty"`
	Receipt Receipt    `json:"receipt"`
}

// Receipt says what a model call cost, or the calls of a turn together.
//
// Tokens of a prompt are reused from the server's cache or evaluated. Of those
// that are evaluated some are new, which is the price of saying something; the rest
// was read before, and is wasted: evaluated less appended, never below 0. All four
// are nil where the server does not tell. Those of a turn are the sums over its
// calls, so its Prompt is no prompt of that size: Context is.
type Receipt struct {
	Calls int `json:"calls"` // model calls that this receipt sums up
	// Corrections are the replies that were asked for again because of a call that could
	// not be read or did not fit, Nudges those that should have had a call and had none.
	Corrections int  `json:"corrections,omitempty"`
	Nudges      int  `json:"nudges,omitempty"`
	Prompt      int  `json:"prompt_tokens"`
	Context     int  `json:"context_tokens,omitempty"` // the prompt of the last call
	Completion  int  `json:"completion_tokens"`
	Reused      *int `json:"reused_tokens"`
	Evaluated   *int `json:"evaluated_tokens"`
	Appended    *int `json:"appended_tokens"`
	Wasted      *int `json:"wasted_tokens"`
	// Estimated says that the server did not count them itself: they are inferred from
	// the time it took, or from bytes.
	Estimated bool `json:"estimated,omitempty"`
	// Counted says that Reused and Evaluated are the server's own counts.
	Counted bool   `json:"-"`
	Broke   *Break `json:"broke,omitempty"` // why tokens were wasted; of a turn the first
	Millis  int64  `json:"ms"`
	// PromptTime and OutputTime are what the server says it spent on the prompt
	// and on the reply; 0 where it does not tell.
	PromptTime time.Duration `json:"prompt_ns,omitempty"`
	OutputTime time.Duration `json:"output_ns,omitempty"`
}

// BreakCause is why the beginning of a prompt had to be evaluated again.
type BreakCause string

// The causes of a break: what is sent is no longer what was sent; or it is, and
// the server has it no more, since another conversation took its place; or it is,
// and the chat template puts the tools elsewhere each time.
const (
	BreakMoved    BreakCause = "moved"
	BreakEvicted  BreakCause = "evicted"
	BreakTemplate BreakCause = "template"
)

// Break is the place from which on a prompt had to be evaluated again.
type Break struct {
	Cause   BreakCause `json:"cause"`
	Section string     `json:"section"` // such as "facts", "tools" or "message 3 (user)"
	// Byte is the first one in the section that is another than before; nil where
	// that is not known, which is so for every cause but moved.
	Byte *int `json:"byte,omitempty"`
}

// String is the break in a line of a log, such as "moved: facts, byte 17"; empty for
// nil.
func (b *Break) String() string {
	switch {
	case b == nil:
		return ""
	case b.Byte == nil:
		return fmt.Sprintf("%s: %s", b.Cause, b.Section)
	}
	return fmt.Sprintf("%s: %s, byte %d", b.Cause, b.Section, *b.Byte)
}

// ToolStarted is the payload of EventToolStarted.
type ToolStarted struct {
	Call  ToolCall `json:"call"`
	Doing string   `json:"doing"` // in words: "reading notes.md"
}

// ToolFinished is the payload of EventToolFinished.
type ToolFinished struct {
	Result ToolResult `json:"result"`
	Undo   *Undo      `json:"undo,omitempty"` // where what it changed can be taken back
}

// TurnWaiting is the payload of EventTurnWaiting: the turn has stopped until the
// questions are answered, and a client that cannot wait has its reply.
type TurnWaiting struct {
	Approvals []string `json:"approvals"` // ids of the questions that are open
	Text      string   `json:"text"`      // the questions in words, to go on a chat's reply with
	Receipt   Receipt  `json:"receipt"`   // of the turn so far
}

// MessageData is the payload of EventMessage: the whole reply as shown. A turn
// that waited for answers has one before each wait, if it said something, and
// one at its end.
type MessageData struct {
	Text       string `json:"text"`
	Reasoning  string `json:"reasoning,omitempty"`
	Incomplete bool   `json:"incomplete,omitempty"` // cut by an error, a stop or a limit
}

// Notice is the payload of EventNotice: something the person should know.
type Notice struct {
	Text string `json:"text"`
}

// TurnState is how a turn ended.
type TurnState string

// The ways a turn ends.
const (
	TurnDone        TurnState = "done"
	TurnInterrupted TurnState = "interrupted" // stopped, or the client left
	TurnFailed      TurnState = "failed"
	TurnWaits       TurnState = "waiting" // for an answer: it has not ended
)

// TurnFinished is the payload of EventTurnFinished.
type TurnFinished struct {
	State   TurnState `json:"state"`
	Finish  Finish    `json:"finish,omitempty"` // of the last model call
	Error   *Error    `json:"error,omitempty"`
	Receipt Receipt   `json:"receipt"`
	// Calls are for the client to run, which asks on with their results.
	Calls []ToolCall `json:"calls,omitempty"`
}

// Delta is the payload of EventDelta: text as it is generated. Offset is the
// number of bytes before this piece of the text that the next EventMessage has.
type Delta struct {
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Offset    int    `json:"offset"`
}

// DecodeData fills v from an event's payload, whether it is still a struct or
// was read back from the store.
func (e Event) DecodeData(v any) error {
	raw, ok := e.Data.(json.RawMessage)
	if !ok {
		b, err := json.Marshal(e.Data)
		if err != nil {
			return err
		}
		raw = b
	}
	return json.Unmarshal(raw, v)
}
