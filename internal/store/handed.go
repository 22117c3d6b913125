package store

import (
	"context"

	"loci"
)

// A text and a path never have the same hash, so one parameter is enough for both.
// What nothing follows has no answer yet.
const nodesHanded = `SELECT` + nodeColumns + ` FROM node
	WHERE principal = ?1 AND (path_hash = ?2 OR text_hash = ?2) AND (?3 = '' OR session = ?3)
		AND unsent AND EXISTS (
			SELECT 1 FROM json_each(node.rest, '$.tool_calls') AS call
			WHERE ?4 = '' OR call.value ->> 'id' = ?4)
	ORDER BY EXISTS (
		SELECT 1 FROM node AS next WHERE next.session = node.session AND next.parent = node.id),
		n DESC
	LIMIT ?5`

// NodesHanded finds the principal's nodes with this path or text hash that handed
// calls to the client, among them the one with this id unless that is empty: first
// those that have no answer yet, and the newest first of either. The session limits
// the search unless it is empty. At most limit nodes are given.
func (db *DB) NodesHanded(ctx context.Context, principal, session string, hash [32]byte, call string, limit int) ([]loci.Node, error) {
	return list(ctx, db, scanNode, nodesHanded, principal, hash[:], session, call, limit)
}
