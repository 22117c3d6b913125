package ollama

import (
	"io"
	"strconv"
	"time"

	"loci"
	"loci/internal/wire"
)

// A Stream writes a reply as lines of JSON. Each line is one Write, so a
// writer that flushes after every Write shows each token at once. A Stream is
// for one goroutine at a time. Its methods are those of the other protocol's
// stream, but for what this one has no form for; each returns the error of the
// writer, which means that the client has left. A reply ends with one of
// Finish, Load and Error.
type Stream struct {
	w        io.Writer
	started  time.Time
	generate bool
	head     string // of every line, up to the time
	calls    int    // tool calls written so far
	buf      []byte
}

// NewStream writes the reply of /api/chat to w.
func NewStream(w io.Writer, model string) *Stream { return newStream(w, model, false, time.Now()) }

// NewGenerateStream writes the reply of /api/generate to w.
func NewGenerateStream(w io.Writer, model string) *Stream {
	return newStream(w, model, true, time.Now())
}

// newStream makes the part of every line that never changes once, as there will
// be a line for every token.
func newStream(w io.Writer, model string, generate bool, started time.Time) *Stream {
	head := append([]byte(`{"model":`), wire.AppendString(nil, model)...)
	head = append(head, `,"created_at":"`...)
	return &Stream{w: w, started: started, generate: generate, head: string(head)}
}

// Text writes a piece of the reply.
func (s *Stream) Text(text string) error {
	s.begin(loci.Chunk{Text: text})
	return s.write(`,"done":false}`)
}

// Reasoning writes a piece of what the model thinks before it answers.
func (s *Stream) Reasoning(text string) error {
	s.begin(loci.Chunk{Reasoning: text})
	return s.write(`,"done":false}`)
}

// ToolCalls asks the client to run these calls. Calls that loci runs itself
// must not be written: the client would run them too. The protocol has no
// place for calls in the reply of /api/generate, which leaves them out.
func (s *Stream) ToolCalls(calls []loci.ToolCall) error {
	s.begin(loci.Chunk{ToolCalls: calls})
	return s.write(`,"done":false}`)
}

// Finish completes the reply. Nothing may be written after it.
func (s *Stream) Finish(f loci.Finish, u loci.Usage) error {
	s.begin(loci.Chunk{})
	s.end(f, &u)
	return s.write("")
}

// Load is the whole reply to a request that only loads a model, or unloads it.
func (s *Stream) Load(unload bool) error {
	s.begin(loci.Chunk{})
	if unload {
		return s.write(`,"done":true,"done_reason":"unload"}`)
	}
	return s.write(`,"done":true,"done_reason":"load"}`)
}

// Error ends the stream with an error. Nothing may be written after it; there
// is no line that says done, so no client takes the reply for complete.
func (s *Stream) Error(e *loci.Error) error {
	s.buf = append(s.buf[:0], EncodeError(e)...)
	return s.write("")
}

// KeepAlive writes a piece without text, so that nothing between here and
// there takes a silent connection for a dead one: NDJSON has no comments.
func (s *Stream) KeepAlive() error { return s.Text("") }

// EncodeReply makes the body of a whole reply of /api/chat; started is when the
// request came in.
func EncodeReply(model string, reply loci.Chunk, started time.Time) []byte {
	return encodeReply(model, reply, false, started)
}

// EncodeGenerateReply makes the body of a whole reply of /api/generate.
func EncodeGenerateReply(model string, reply loci.Chunk, started time.Time) []byte {
	return encodeReply(model, reply, true, started)
}

// encodeReply makes a whole reply: it is a stream of one line.
func encodeReply(model string, reply loci.Chunk, generate bool, started time.Time) []byte {
	s := newStream(nil, model, generate, started)
	s.begin(reply)
	s.end(reply.Finish, reply.Usage)
	return s.buf
}

// begin starts a line with the chunk's text, reasoning and calls. Text is
// always there: clients do not expect null.
func (s *Stream) begin(c loci.Chunk) {
	s.buf = append(s.buf[:0], s.head...)
	s.buf = time.Now().UTC().AppendFormat(s.buf, time.RFC3339Nano)
	if s.generate {
		s.buf = append(s.buf, `","response":`...)
	} else {
		s.buf = append(s.buf, `","message":{"role":"assistant","content":`...)
	}
	s.buf = wire.AppendString(s.buf, c.Text)
	if c.Reasoning != "" {
		s.buf = append(s.buf, `,"thinking":`...)
		s.buf = wire.AppendString(s.buf, c.Reasoning)
	}
	if s.generate {
		return
	}
	for i, call := range c.ToolCalls {
		if i == 0 {
			s.buf = append(s.buf, `,"tool_calls":[`...)
		} else {
			s.buf = append(s.buf, ',')
		}
		s.buf = appendCall(s.buf, call, s.calls)
		s.calls++
	}
	if len(c.ToolCalls) > 0 {
		s.buf = append(s.buf, ']')
	}
	s.buf = append(s.buf, '}')
}

// appendCall writes a call; index counts the calls of the reply.
func appendCall(dst []byte, c loci.ToolCall, index int) []byte {
	dst = append(dst, `{"id":`...)
	dst = wire.AppendString(dst, c.ID)
	dst = append(dst, `,"function":{"index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(dst, `,"name":`...)
	dst = wire.AppendString(dst, c.Name)
	dst = append(dst, `,"arguments":`...)
	dst = wire.AppendCompact(dst, wire.ArgumentsObject(c.Arguments))
	return append(dst, '}', '}')
}

// end completes the last line. Like Ollama it leaves out what is zero.
func (s *Stream) end(f loci.Finish, u *loci.Usage) {
	reason := "stop"
	if f == loci.FinishLength {
		reason = "length"
	}
	s.buf = append(s.buf, `,"done":true,"done_reason":"`...)
	s.buf = append(s.buf, reason...)
	s.buf = append(s.buf, '"')
	s.count("total_duration", int64(time.Since(s.started)))
	if u != nil {
		s.count("prompt_eval_count", int64(u.Prompt))
		s.count("prompt_eval_duration", int64(u.PromptTime))
		s.count("eval_count", int64(u.Completion))
		s.count("eval_duration", int64(u.OutputTime))
	}
	s.buf = append(s.buf, '}')
}

// count writes a number that is known.
func (s *Stream) count(name string, n int64) {
	if n <= 0 {
		return
	}
	s.buf = append(s.buf, `,"`...)
	s.buf = append(s.buf, name...)
	s.buf = append(s.buf, `":`...)
	s.buf = strconv.AppendInt(s.buf, n, 10)
}

// write sends the buffer followed by end, as one line.
func (s *Stream) write(end string) error {
	s.buf = append(s.buf, end...)
	s.buf = append(s.buf, '\n')
	_, err := s.w.Write(s.buf)
	return err
}
