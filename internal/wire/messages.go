package wire

import (
	"fmt"
	"slices"

	"loci"
)

// Messages makes messages of the field "messages". Each is decoded by its wire form, under
// its name in errors; calls and their results then belong together.
func Messages[M any](list []M, decode func(m M, field string) (loci.Message, error)) ([]loci.Message, error) {
	messages := make([]loci.Message, len(list))
	for i, m := range list {
		var err error
		if messages[i], err = decode(m, fmt.Sprintf("messages[%d]", i)); err != nil {
			return nil, err
		}
	}
	pairCalls(messages)
	return messages, nil
}

// pairCalls gives ids to tool calls that have none, and to the tool messages that
// answer them: clients of Ollama and of older OpenAI leave ids out, other
// servers insist on them. They are made of positions, so that the same
// conversation has the same ids each time it is sent. A tool message also gets
// the name of its tool, which Ollama's templates print.
func pairCalls(messages []loci.Message) {
	names := map[string]string{} // of tools, by the id of the newest call
	var open []loci.ToolCall     // calls without an answer yet, oldest first
	for i := range messages {
		m := &messages[i]
		switch m.Role {
		case loci.User: // what is unanswered by now stays so
			open = nil
		case loci.Assistant:
			for j := range m.ToolCalls {
				c := &m.ToolCalls[j]
				if c.ID == "" {
					c.ID = fmt.Sprintf("%s%d_%d", loci.CallPrefix, i, j)
				}
				names[c.ID] = c.Name
				open = append(open, *c)
			}
		case loci.ToolRole:
			open = pair(m, open)
			if name := names[m.ToolCallID]; name != "" {
				m.ToolName = name
			}
		}
	}
}

// pair finds the call that a tool message answers, by its id where it has one,
// else by the name of the tool, else in order, and returns the calls that are
// still open.
func pair(m *loci.Message, open []loci.ToolCall) []loci.ToolCall {
	near := open[:min(len(open), MaxCalls)] // no reply has more
	at := slices.IndexFunc(near, func(c loci.ToolCall) bool {
		if m.ToolCallID != "" {
			return c.ID == m.ToolCallID
		}
		return m.ToolName == "" || c.Name == m.ToolName
	})
	if at < 0 {
		return open
	}
	m.ToolCallID = open[at].ID
	return slices.Delete(open, at, at+1)
}
