package api

import "loci"

// statusWriter writes a line about what is going on beside the reply; openai.Stream
// does.
type statusWriter interface {
	Status(text string, done bool) error
}

// narrator writes a reply and, while its text does not come yet, what is done for
// it: as the line that Open WebUI has for that, or else among the thoughts, which
// clients fold away. On a slow machine that is all there is to see for minutes.
type narrator struct {
	encoder
	status func(text string, done bool) error // nil: there is no such line
	doing  string                             // what the line says at the moment
}

// say writes the pieces of one chunk.
func (n *narrator) say(c loci.Chunk) error {
	if c.Doing != "" {
		if err := n.tell(c.Doing); err != nil {
			return err
		}
	}
	if c.Reasoning != "" {
		if err := n.Reasoning(c.Reasoning); err != nil {
			return err
		}
	}
	if c.Text != "" || len(c.ToolCalls) > 0 {
		if err := n.done(); err != nil {
			return err
		}
	}
	if c.Text != "" {
		if err := n.Text(c.Text); err != nil {
			return err
		}
	}
	if len(c.ToolCalls) > 0 {
		return n.ToolCalls(c.ToolCalls)
	}
	return nil
}

// tell says what is done now.
func (n *narrator) tell(doing string) error {
	if n.status == nil {
		return n.Reasoning("· " + doing + "\n")
	}
	n.doing = doing
	return n.status(doing, false)
}

// done leaves the line as it is: what it said is over. A line that is never done
// goes on moving in Open WebUI, also in a reply that has ended.
func (n *narrator) done() error {
	if n.doing == "" {
		return nil
	}
	doing := n.doing
	n.doing = ""
	return n.status(doing, true)
}
