package agent

import (
	"strings"
	"time"

	"loci"
)

// lasting is how long a yes for a span of time holds.
const lasting = 30 * time.Minute

// remember keeps a yes that was given for longer than this once. It is stored with
// the answer.
func (t *turn) remember(q loci.Approval, to loci.ApprovalState) {
	span := t.spot.span
	if to != loci.ApprovalYes || span == "" || span == loci.GrantOnce {
		return
	}
	g := loci.Grant{
		ID: loci.NewID(loci.GrantPrefix), Approval: q.ID, Tool: q.Tool, Subject: q.Subject,
		Binding: q.Binding, Span: span, Given: loci.Now(), By: t.spot.by,
	}
	switch span {
	case loci.GrantMinutes:
		end := loci.Time{Time: g.Given.Add(lasting)}
		g.Expires = &end
	case loci.GrantSession:
		g.Session = q.Session
	}
	t.pending.Grants = append(t.pending.Grants, g)
}

// spans lists the spans of a question in words.
func spans(q loci.Approval) string {
	names := make([]string, len(q.Grants))
	for i, g := range q.Grants {
		names[i] = string(g)
	}
	return strings.Join(names, ", ")
}
