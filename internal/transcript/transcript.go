// Package transcript finds the place of a new message among the conversations
// that are stored.
//
// A chat client that resends the whole conversation with each message saw only
// the shown side of it. The sent side, with tool rounds and volatile tails, is
// ours; so the client's history is matched against shown texts, and where it
// matches, the stored nodes are used and the model sees the same bytes again.
//
// Three cases follow from comparing the two from the front. Everything matches:
// the conversation goes on. A difference at some message: the person edited or
// regenerated it, and the transcript forks there. Nothing matches from the
// root, but the client's history is the tail of a stored path: the client
// trimmed the front, and the conversation goes on as well.
//
// Between the two sides are nodes that are shown and never sent: a question of loci
// and its answer, or the place where tool calls were handed to the client. Where a
// question was answered elsewhere, the client has not seen what came of it; the path
// has it all the same, since the model must know what was done.
package transcript

import (
	"context"
	"slices"

	"loci"
)

// Store is what is needed to look up stored conversations. All lookups are
// limited to one principal. A missing row is a loci.NotFound error.
type Store struct {
	Sessions
	Nodes
}

// Sessions finds conversations.
type Sessions interface {
	Session(ctx context.Context, principal, id string) (loci.Session, error)
	SessionByThread(ctx context.Context, principal, thread string) (loci.Session, error)
}

// Nodes finds places in them.
type Nodes interface {
	// NodesByHash gives up to limit nodes with that path hash, newest first; session
	// limits the search unless it is empty.
	NodesByHash(ctx context.Context, principal, session string, path [32]byte, limit int) ([]loci.Node, error)
	// NodesByText gives up to limit nodes with that text hash, newest first.
	NodesByText(ctx context.Context, principal string, text [32]byte, limit int) ([]loci.Node, error)
	// NodesHanded gives up to limit nodes with that path or text hash that handed calls
	// to the client, among them the one with this id unless that is empty: first those
	// that nothing follows, and the newest first of either.
	NodesHanded(ctx context.Context, principal, session string, hash [32]byte, call string, limit int) ([]loci.Node, error)
	// TurnHead gives the newest node of a turn.
	TurnHead(ctx context.Context, principal, session, turn string) (loci.Node, error)
	// Path gives the nodes from the root to the given one.
	Path(ctx context.Context, principal, node string) ([]loci.Node, error)
}

// Place is where a new message belongs.
type Place struct {
	Session  loci.Session // not stored yet if New
	New      bool
	Path     []loci.Node // stored nodes from the root to the parent of the new message
	Unseen   int         // how many of them, at the end, the client has not seen
	Imported []loci.Node // what the client remembers after Path and we do not; to be stored first
}

// Parent is the id of the node that the new message follows; empty at the root.
func (p Place) Parent() string {
	if n := p.last(); n != nil {
		return n.ID
	}
	return ""
}

// PathHash is the hash of the shown path up to the new message.
func (p Place) PathHash() [32]byte {
	if n := p.Seen(); n != nil {
		return n.PathHash
	}
	return [32]byte{}
}

// Seen is the last message that the client shows before the new one; nil if it
// shows none.
func (p Place) Seen() *loci.Node {
	for _, nodes := range [][]loci.Node{p.Imported, p.Path[:len(p.Path)-p.Unseen]} {
		for i, n := range slices.Backward(nodes) {
			if n.Shown != nil {
				return &nodes[i]
			}
		}
	}
	return nil
}

func (p Place) last() *loci.Node {
	if len(p.Imported) > 0 {
		return &p.Imported[len(p.Imported)-1]
	}
	if len(p.Path) > 0 {
		return &p.Path[len(p.Path)-1]
	}
	return nil
}

// Locate finds the place of req.Message, or makes a new session for it.
func Locate(ctx context.Context, s Store, req loci.TurnRequest) (Place, error) {
	known, err := named(ctx, s, req)
	if err != nil {
		return Place{}, err
	}
	switch {
	case known != nil && !req.Resent:
		return resume(ctx, s, *known)
	case known != nil:
		return match(ctx, s, req, known)
	case req.Thread == "" && hasAssistant(req.History):
		return match(ctx, s, req, nil)
	default:
		return fresh(req), nil
	}
}

// named is the session that the client names, or nil when it names none or
// names a thread that is new.
func named(ctx context.Context, s Store, req loci.TurnRequest) (*loci.Session, error) {
	var found loci.Session
	var err error
	switch {
	case req.Session != "":
		found, err = s.Session(ctx, req.Principal.ID, req.Session)
	case req.Thread != "":
		found, err = s.SessionByThread(ctx, req.Principal.ID, req.Thread)
		if loci.IsNotFound(err) {
			return nil, nil
		}
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &found, nil
}

// resume goes on at the head of a session.
func resume(ctx context.Context, s Store, session loci.Session) (Place, error) {
	p := Place{Session: session}
	if session.Head == "" {
		return p, nil
	}
	var err error
	p.Path, err = s.Path(ctx, session.Principal, session.Head)
	return p, err
}

// at is the place after a stored node, with what the client has beyond it.
func at(ctx context.Context, s Store, principal string, node loci.Node, beyond []loci.Message) (Place, error) {
	session, err := s.Session(ctx, principal, node.Session)
	if err != nil {
		return Place{}, err
	}
	p := Place{Session: session}
	if p.Path, err = s.Path(ctx, principal, node.ID); err != nil {
		return Place{}, err
	}
	if len(beyond) == 0 && node.Unsent {
		err := p.catchUp(ctx, s, node)
		return p, err
	}
	p.Imported = graft(session.ID, node.ID, node.PathHash, beyond)
	return p, nil
}

// catchUp adds what a turn did after it had stopped at a question that was then
// answered elsewhere: the client has not seen it, but it happened, wherever the
// conversation went on from since.
func (p *Place) catchUp(ctx context.Context, s Store, question loci.Node) error {
	last, err := s.TurnHead(ctx, p.Session.Principal, p.Session.ID, question.Turn)
	if err != nil {
		return err
	}
	path, err := s.Path(ctx, p.Session.Principal, last.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(path, func(n loci.Node) bool { return n.ID == question.ID })
	if at < 0 {
		return nil // the turn went on from another of its questions
	}
	seen := at + 1
	for at++; at < len(path) && path[at].Turn == question.Turn; at++ {
	}
	p.Path, p.Unseen = path[:at], at-seen
	return nil
}

// fresh is the place of the first message of a new session. What the client
// remembers of a conversation that we never saw is taken as it is.
func fresh(req loci.TurnRequest) Place {
	id := loci.NewID(loci.SessionPrefix)
	return Place{
		Session:  loci.Session{ID: id, Principal: req.Principal.ID, Thread: req.Thread},
		New:      true,
		Imported: graft(id, "", [32]byte{}, req.History),
	}
}

// graft makes nodes of messages that the client had elsewhere.
func graft(session, parent string, path [32]byte, messages []loci.Message) []loci.Node {
	nodes := make([]loci.Node, 0, len(messages))
	for _, m := range messages {
		n := NewNode(session, parent, "", path, m.Content, m)
		nodes = append(nodes, n)
		parent, path = n.ID, n.PathHash
	}
	return nodes
}

// NewNode makes a node that the client sees as shown and the model as sent.
// Path is the path hash of the shown node before it.
func NewNode(session, parent, turn string, path [32]byte, shown string, sent loci.Message) loci.Node {
	text := TextHash(loci.Message{Role: sent.Role, Content: shown})
	return loci.Node{
		ID:       loci.NewID(loci.NodePrefix),
		Session:  session,
		Parent:   parent,
		Turn:     turn,
		Shown:    &shown,
		Sent:     sent,
		PathHash: PathHash(path, text),
		TextHash: text,
		Created:  loci.Now(),
	}
}

// ResultNode makes a node of what a client's tool gave: shown as the client sends
// it, sent as the model reads it, whatever role that has there.
func ResultNode(session, parent, turn string, path [32]byte, shown string, sent loci.Message) loci.Node {
	n := NewNode(session, parent, turn, path, shown, loci.Message{Role: loci.ToolRole})
	n.Sent = sent
	return n
}

// UnsentNode makes a node that is between the client and loci alone: the model
// never reads it.
func UnsentNode(session, parent, turn string, path [32]byte, role loci.Role, shown string) loci.Node {
	n := NewNode(session, parent, turn, path, shown, loci.Message{Role: role})
	n.Unsent = true
	return n
}

// HiddenNode makes a node that no client sees: a step between the question and
// the reply.
func HiddenNode(session, parent, turn string, sent loci.Message) loci.Node {
	return loci.Node{
		ID:      loci.NewID(loci.NodePrefix),
		Session: session,
		Parent:  parent,
		Turn:    turn,
		Sent:    sent,
		Created: loci.Now(),
	}
}

func hasAssistant(messages []loci.Message) bool {
	return slices.ContainsFunc(messages, func(m loci.Message) bool { return m.Role == loci.Assistant })
}
