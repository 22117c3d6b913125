package openai

import (
	"io"
	"strconv"
	"time"

	"loci"
	"loci/internal/wire"
)

// A Stream writes a reply as server-sent events. Each event is one Write, so a
// writer that flushes after every Write shows each token at once. The first
// event says who speaks; it is written before the first piece of the reply, or
// by Start. A Stream is for one goroutine at a time.
//
//	s := openai.NewStream(w, model, includeUsage)
//	for c, err := range chunks {
//		if err != nil {
//			return s.Error(loci.AsError(err))
//		}
//		if err := s.Text(c.Text); err != nil {
//			return err
//		}
//	}
//	return s.Finish(loci.FinishStop, usage)
//
// Every method returns the error of the writer, which means that the client has
// left. A reply ends with one of Finish and Error.
type Stream struct {
	w     io.Writer
	usage bool
	text  bool // legacy text completion instead of chat

	head    string // of every chunk, up to the list of choices
	piece   string // head and the first choice, up to what is new in it
	started bool
	calls   int // tool calls written so far
	buf     []byte
}

// tail closes a chunk that is not the last.
const tail = `},"finish_reason":null}]}` + "\n\n"

// NewStream writes a chat reply to w. All its chunks have the same id, time
// and model, as clients group them by that. With includeUsage the token counts
// follow in a chunk of their own.
func NewStream(w io.Writer, model string, includeUsage bool) *Stream {
	s := &Stream{w: w, usage: includeUsage}
	s.head = "data: " + string(appendHead(nil, loci.NewID("chatcmpl-"), "chat.completion.chunk", model)) + `"choices":[`
	s.piece = s.head + `{"index":0,"delta":{`
	return s
}

// NewCompletionStream writes the reply to a legacy text completion to w.
func NewCompletionStream(w io.Writer, model string, includeUsage bool) *Stream {
	s := &Stream{w: w, usage: includeUsage, text: true, started: true}
	s.head = "data: " + string(appendHead(nil, loci.NewID("cmpl-"), "text_completion", model)) + `"choices":[`
	s.piece = s.head + `{"index":0,"text":`
	return s
}

// appendHead begins a reply object, and leaves it open after a comma.
func appendHead(dst []byte, id, object, model string) []byte {
	dst = append(dst, `{"id":"`...)
	dst = append(dst, id...)
	dst = append(dst, `","object":"`...)
	dst = append(dst, object...)
	dst = append(dst, `","created":`...)
	dst = strconv.AppendInt(dst, time.Now().Unix(), 10)
	dst = append(dst, `,"model":`...)
	dst = wire.AppendString(dst, model)
	return append(dst, ',')
}

// Start writes the first event, so that a client sees a beginning while the
// model has still to find its first word.
func (s *Stream) Start() error {
	if s.started {
		return nil
	}
	s.started = true
	s.begin()
	s.buf = append(s.buf, `"role":"assistant","content":""`...)
	return s.write(tail)
}

// Text writes a piece of the reply.
func (s *Stream) Text(text string) error {
	if s.text {
		s.begin()
		s.buf = wire.AppendString(s.buf, text)
		return s.write(`,"logprobs":null,"finish_reason":null}]}` + "\n\n")
	}
	return s.delta(`"content":`, text)
}

// Reasoning writes a piece of what the model thinks before it answers. A text
// completion has no place for it and leaves it out.
func (s *Stream) Reasoning(text string) error {
	if s.text {
		return nil
	}
	return s.delta(`"reasoning_content":`, text)
}

// delta writes one member of a delta, after the first event.
func (s *Stream) delta(name, text string) error {
	if err := s.Start(); err != nil {
		return err
	}
	s.begin()
	s.buf = append(s.buf, name...)
	s.buf = wire.AppendString(s.buf, text)
	return s.write(tail)
}

// ToolCalls asks the client to run these calls. Calls that loci runs itself
// must not be written: the client would run them too. Each call is an event of
// its own, as some clients read no more than one of an event.
func (s *Stream) ToolCalls(calls []loci.ToolCall) error {
	if err := s.Start(); err != nil {
		return err
	}
	for _, c := range calls {
		s.begin()
		s.buf = append(s.buf, `"tool_calls":[{"index":`...)
		s.buf = strconv.AppendInt(s.buf, int64(s.calls), 10)
		s.buf = append(s.buf, ',')
		s.buf = append(appendCall(s.buf, c), ']')
		if err := s.write(tail); err != nil {
			return err
		}
		s.calls++
	}
	return nil
}

// appendCall writes the members of a call and its closing brace.
func appendCall(dst []byte, c loci.ToolCall) []byte {
	dst = append(dst, `"id":`...)
	dst = wire.AppendString(dst, c.ID)
	dst = append(dst, `,"type":"function","function":{"name":`...)
	dst = wire.AppendString(dst, c.Name)
	dst = append(dst, `,"arguments":`...)
	dst = wire.AppendString(dst, string(wire.ArgumentsObject(c.Arguments)))
	return append(dst, '}', '}')
}

// Status writes a line about what is going on, which Open WebUI shows above
// the reply. Other clients may not expect it; its empty list of choices is for
// those that ignore what they do not know.
func (s *Stream) Status(text string, done bool) error {
	if err := s.Start(); err != nil {
		return err
	}
	s.buf = append(s.buf[:0], s.head...)
	s.buf = append(s.buf, `],"event":{"type":"status","data":{"description":`...)
	s.buf = wire.AppendString(s.buf, text)
	s.buf = append(s.buf, `,"done":`...)
	s.buf = strconv.AppendBool(s.buf, done)
	return s.write("}}}\n\n")
}

// Finish completes the reply. Nothing may be written after it.
func (s *Stream) Finish(f loci.Finish, u loci.Usage) error {
	if err := s.Start(); err != nil {
		return err
	}
	s.begin()
	if s.text {
		s.buf = append(s.buf, `"","logprobs":null`...)
	} else {
		s.buf = append(s.buf, '}')
	}
	s.buf = append(s.buf, `,"finish_reason":`...)
	s.buf = wire.AppendString(s.buf, string(reason(f, s.calls)))
	if err := s.write("}]}\n\n"); err != nil {
		return err
	}
	if s.usage {
		s.buf = append(s.buf[:0], s.head...)
		s.buf = append(s.buf, "],"...)
		s.buf = appendUsage(s.buf, u)
		if err := s.write("}\n\n"); err != nil {
			return err
		}
	}
	return s.done()
}

// Error ends the stream with an error. Nothing may be written after it; there
// is no finish_reason, so no client takes the reply for complete.
func (s *Stream) Error(e *loci.Error) error {
	s.buf = append(s.buf[:0], "data: "...)
	s.buf = append(s.buf, EncodeError(e)...)
	if err := s.write("\n\n"); err != nil {
		return err
	}
	return s.done()
}

// KeepAlive writes a comment, which readers skip, so that nothing between here
// and there takes a silent connection for a dead one.
func (s *Stream) KeepAlive() error {
	s.buf = s.buf[:0]
	return s.write(": keep-alive\n\n")
}

// begin starts a chunk in the buffer, which is used again for each.
func (s *Stream) begin() { s.buf = append(s.buf[:0], s.piece...) }

// done writes the mark that ends every stream: the official clients stop reading
// there, not at the end of the connection.
func (s *Stream) done() error {
	s.buf = s.buf[:0]
	return s.write("data: [DONE]\n\n")
}

// write sends the buffer followed by end.
func (s *Stream) write(end string) error {
	s.buf = append(s.buf, end...)
	_, err := s.w.Write(s.buf)
	return err
}
