package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"loci"
	"loci/internal/fake"
)

// A script makes a [fake.Model] give the replies of one record after the other.
// When those of a record are used up, the model has nothing to add but doneText.
type script struct {
	mu     sync.Mutex
	record *Record
	first  *fake.Request // of the record
	step   int
	told   strings.Builder
}

const doneText = "All done."

// begin goes on to a record.
func (s *script) begin(r *Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record, s.first, s.step = r, nil, 0
	s.told.Reset()
}

// end gives what the model was told after its first reply.
func (s *script) end() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = nil
	return s.told.String()
}

// answer is for [fake.Model].
func (s *script) answer(r *fake.Request) (fake.Reply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	inTurn := r.Purpose == "" || r.Purpose == loci.PurposeChat || r.Purpose == loci.PurposeStep
	if s.record == nil || !inTurn {
		return fake.Reply{}, false
	}
	if s.first == nil {
		s.first = r
	} else {
		s.hear(r)
	}
	s.step++
	if s.step > len(s.record.replies) {
		return fake.Reply{Text: doneText}, true
	}
	return s.record.replies[s.step-1].reply(r, s.step), true
}

// hear notes what is new since the first request and does not come from the model.
func (s *script) hear(r *fake.Request) {
	s.told.Reset() // requests grow; the last one has it all
	for i, m := range r.Messages {
		if i >= len(s.first.Messages) && m.Role != loci.Assistant {
			s.told.WriteString(m.Content + "\n")
		}
	}
}

// reply puts a scripted reply into the form of the request.
func (s scripted) reply(r *fake.Request, step int) fake.Reply {
	switch s.form {
	case "native":
		c, err := parseCall(s.text)
		if err != nil {
			return broken(err)
		}
		args, err := json.Marshal(c.Arguments)
		if err != nil {
			return broken(err)
		}
		call := fake.Call(c.Tool, string(args))
		call.ID = fmt.Sprint("call_", step)
		return fake.Reply{Calls: []loci.ToolCall{call}}
	case "deltas":
		return s.openai(r)
	case "messages":
		return s.ollama(r)
	}
	return fake.Reply{Text: s.text, Pieces: s.cut(), Reasoning: s.think, Finish: loci.Finish(s.finish)}
}

func broken(err error) fake.Reply { return fake.Reply{Status: 500, Error: err.Error()} }

// cut divides the text as a model's tokens might: three or four runes each, so that
// nearly every marker is torn somewhere.
func (s scripted) cut() (pieces []string) {
	size := 1
	for rest := []rune(s.text); len(rest) > 0; {
		if s.pieces != "runes" {
			size = 3 + len(pieces)%2
		}
		n := min(size, len(rest))
		pieces, rest = append(pieces, string(rest[:n])), rest[n:]
	}
	return pieces
}

// lines reads the JSON objects of a section, one a line.
func (s scripted) lines() (list []map[string]any, err error) {
	for line := range strings.Lines(s.text) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		list = append(list, m)
	}
	return list, nil
}

// openai sends deltas as they are; as a whole reply, put together.
func (s scripted) openai(r *fake.Request) fake.Reply {
	deltas, err := s.lines()
	if err != nil {
		return broken(err)
	}
	head := map[string]any{"id": "c1", "created": 1, "model": r.Model, "object": "chat.completion.chunk"}
	if !r.Stream {
		head["object"] = "chat.completion"
		head["choices"] = []any{map[string]any{"index": 0, "message": whole(deltas), "finish_reason": s.finish}}
		head["usage"] = map[string]int{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
		return fake.Reply{Raw: text(head)}
	}
	var b strings.Builder
	send := func(delta any, finish any) {
		head["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
		b.WriteString("data: " + text(head) + "\n\n")
	}
	send(map[string]any{"role": "assistant"}, nil)
	for _, d := range deltas {
		send(d, nil)
	}
	send(map[string]any{}, s.finish)
	b.WriteString("data: [DONE]\n\n")
	return fake.Reply{Raw: b.String()}
}

// ollama sends messages, a line each.
func (s scripted) ollama(r *fake.Request) fake.Reply {
	messages, err := s.lines()
	if err != nil {
		return broken(err)
	}
	if !r.Stream {
		messages = []map[string]any{whole(messages)}
	}
	var b strings.Builder
	for i, m := range messages {
		line := map[string]any{"model": r.Model, "created_at": "2026-11-30T14:32:00Z", "message": m, "done": false}
		if i == len(messages)-1 && !r.Stream {
			line["done"], line["done_reason"] = true, s.finish
		}
		b.WriteString(text(line) + "\n")
	}
	if r.Stream {
		b.WriteString(text(map[string]any{"model": r.Model, "created_at": "2026-11-30T14:32:00Z", "done": true, "done_reason": s.finish,
			"message": map[string]any{"role": "assistant", "content": ""}, "prompt_eval_count": 100, "eval_count": 10}) + "\n")
	}
	return fake.Reply{Raw: b.String()}
}

// whole puts deltas together as a server does that does not stream: a call begins
// with a name, unless that id is there already, and goes on with arguments.
func whole(deltas []map[string]any) map[string]any {
	message := map[string]any{"role": "assistant", "content": ""}
	var calls []map[string]any
	for _, d := range deltas {
		for key, value := range d {
			switch v := value.(type) {
			case string:
				if was, ok := message[key].(string); ok && key != "role" {
					v = was + v
				}
				message[key] = v
			case []any:
				for _, c := range v {
					calls = join(calls, c.(map[string]any))
				}
			case map[string]any:
				message[key] = v
			}
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return message
}

func join(calls []map[string]any, c map[string]any) []map[string]any {
	function, _ := c["function"].(map[string]any)
	name, _ := function["name"].(string)
	same := func(o map[string]any) bool {
		return o["index"] == c["index"] && (name == "" || c["id"] != nil && o["id"] == c["id"])
	}
	i := slices.IndexFunc(calls, same)
	if i < 0 {
		c = maps.Clone(c)
		c["function"] = maps.Clone(function)
		return append(calls, c)
	}
	before := calls[i]["function"].(map[string]any)
	was, _ := before["arguments"].(string)
	more, _ := function["arguments"].(string)
	before["arguments"] = was + more
	return calls
}

// text encodes what came from JSON or is made of its kinds.
func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
