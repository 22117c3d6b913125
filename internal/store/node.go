package store

import (
	"context"
	"encoding/json"

	"loci"
)

// nodeColumns are in the order in which scanNode reads them.
const nodeColumns = `
	node.id, node.session, coalesce(node.parent, ''), node.turn, node.shown,
	node.role, node.content, node.rest, node.path_hash, node.text_hash, node.created, node.unsent`

const (
	nodeByID = `SELECT` + nodeColumns + ` FROM node WHERE id = ?`

	// The first row of the index in descending order is the newest: n counts up.
	nodesByHash = `SELECT` + nodeColumns + ` FROM node
		WHERE principal = ?1 AND path_hash = ?2 AND (?3 = '' OR session = ?3)
		ORDER BY n DESC LIMIT ?4`

	nodesByText = `SELECT` + nodeColumns + ` FROM node
		WHERE principal = ? AND text_hash = ? ORDER BY n DESC LIMIT ?`

	turnHead = `SELECT` + nodeColumns + ` FROM node
		WHERE session = ? AND turn = ? AND principal = ? ORDER BY n DESC LIMIT 1`

	// The climb collects row numbers only; the texts are fetched once, in order.
	pathToNode = `
		WITH RECURSIVE up (n, parent, height) AS (
			SELECT n, parent, 0 FROM node WHERE id = ? AND principal = ?
			UNION ALL
			SELECT node.n, node.parent, height + 1 FROM up JOIN node ON node.id = up.parent)
		SELECT` + nodeColumns + ` FROM up JOIN node USING (n) ORDER BY height DESC`

	putNode = `
		INSERT INTO node (id, session, parent, turn, principal, shown, role, content, rest, path_hash, text_hash, created, unsent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// Node finds a node by its id.
func (db *DB) Node(ctx context.Context, id string) (loci.Node, error) {
	return find(ctx, db, "message", scanNode, nodeByID, id)
}

// NodesByHash finds the principal's nodes with this path hash, in the given session,
// or in any when that is empty, newest first, at most limit of them.
func (db *DB) NodesByHash(ctx context.Context, principal, session string, pathHash [32]byte, limit int) ([]loci.Node, error) {
	return list(ctx, db, scanNode, nodesByHash, principal, pathHash[:], session, limit)
}

// NodesByText finds the principal's newest nodes with this text hash, newest
// first, at most limit of them.
func (db *DB) NodesByText(ctx context.Context, principal string, textHash [32]byte, limit int) ([]loci.Node, error) {
	return list(ctx, db, scanNode, nodesByText, principal, textHash[:], limit)
}

// TurnHead gives the newest node of a turn in one of the principal's sessions.
func (db *DB) TurnHead(ctx context.Context, principal, session, turn string) (loci.Node, error) {
	return find(ctx, db, "message", scanNode, turnHead, session, turn, principal)
}

// Path gives the nodes from the root to one of the principal's, both included. The path to ""
// has no nodes: that is the Head of a session in which nothing was said.
func (db *DB) Path(ctx context.Context, principal, node string) ([]loci.Node, error) {
	if node == "" {
		return nil, nil
	}
	path, err := list(ctx, db, scanNode, pathToNode, node, principal)
	if err == nil && len(path) == 0 {
		err = errNoRow("message")
	}
	return path, err
}

// sentRest is what a message has besides role and text, as it is stored. The
// arguments of a call are a string here, so that they come back byte for byte:
// as JSON inside JSON they would lose their spaces and gain escapes, and a
// prompt that is sent again would no longer start with the same bytes.
type sentRest struct {
	Reasoning  string       `json:"reasoning,omitempty"`
	Images     []loci.Image `json:"images,omitempty"`
	ToolCalls  []sentCall   `json:"tool_calls,omitempty"`
	ToolCallID string       `json:"tool_call_id,omitempty"`
	ToolName   string       `json:"tool_name,omitempty"`
	Own        []int        `json:"own,omitempty"`
}

type sentCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// encodeRest gives nil for a message that is only a role and a text.
func encodeRest(m loci.Message) (*string, error) {
	r := sentRest{Reasoning: m.Reasoning, Images: m.Images, ToolCallID: m.ToolCallID, ToolName: m.ToolName, Own: m.Own}
	for _, c := range m.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, sentCall{c.ID, c.Name, string(c.Arguments)})
	}
	if r.Reasoning == "" && r.Images == nil && r.ToolCalls == nil && r.ToolCallID == "" && r.ToolName == "" && r.Own == nil {
		return nil, nil // most messages
	}
	b, err := json.Marshal(r)
	return new(string(b)), err
}

// decodeRest fills in what encodeRest took from a message.
func decodeRest(data []byte, m *loci.Message) error {
	if data == nil {
		return nil
	}
	var r sentRest
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	m.Reasoning, m.Images, m.ToolCallID, m.ToolName, m.Own = r.Reasoning, r.Images, r.ToolCallID, r.ToolName, r.Own
	for _, c := range r.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, loci.ToolCall{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
	}
	return nil
}

// putNode adds a node. A second one with the same id, or a parent that is not
// in the session, is an error.
func (t *tx) putNode(n *loci.Node, principal string) error {
	rest, err := encodeRest(n.Sent)
	if err != nil {
		return err
	}
	_, err = t.exec(putNode, n.ID, n.Session, orNull(n.Parent), n.Turn, principal, n.Shown,
		string(n.Sent.Role), n.Sent.Content, rest, hashOrNull(n.PathHash), hashOrNull(n.TextHash), n.Created.UnixMilli(), n.Unsent)
	return err
}

// scanNode reads the nodeColumns of a row.
func scanNode(scan scanner) (loci.Node, error) {
	var n loci.Node
	var rest, path, text []byte
	var created int64
	err := scan(&n.ID, &n.Session, &n.Parent, &n.Turn, &n.Shown,
		&n.Sent.Role, &n.Sent.Content, &rest, &path, &text, &created, &n.Unsent)
	if err != nil {
		return n, err
	}
	copy(n.PathHash[:], path)
	copy(n.TextHash[:], text)
	n.Created = fromMillis(created)
	return n, decodeRest(rest, &n.Sent)
}

// orNull stores an absent parent as NULL, which needs no node to exist.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// hashOrNull keeps nodes that no client saw out of the indexes of hashes.
func hashOrNull(h [32]byte) any {
	if h == ([32]byte{}) {
		return nil
	}
	return h[:]
}
