package agent

import (
	"context"
	"slices"

	"loci"
)

// Fork copies a session of p up to and including a turn, or all of it when turn
// is empty, into a new one. The copy can go another way; both keep their past.
func (a *Agent) Fork(ctx context.Context, p loci.Principal, session, turn string) (loci.Session, error) {
	old, err := a.cfg.Transcripts.Session(ctx, p.ID, session)
	if err != nil {
		return loci.Session{}, err
	}
	path, err := a.cfg.Transcripts.Path(ctx, p.ID, old.Head)
	if err != nil {
		return loci.Session{}, err
	}
	if turn != "" {
		last := 0
		for i, n := range path {
			if n.Turn == turn {
				last = i + 1
			}
		}
		if last == 0 {
			return loci.Session{}, loci.Errorf(loci.NotFound, "There is no turn %.60q in this session.", turn)
		}
		path = path[:last]
	}
	fork := old
	fork.ID, fork.Thread = loci.NewID(loci.SessionPrefix), ""
	fork.Tools, fork.Folders = slices.Clone(old.Tools), slices.Clone(old.Folders)
	fork.Updated = loci.Now()
	nodes := make([]loci.Node, len(path))
	for i, n := range path {
		base, digested := n.ID == old.Base, n.ID == old.Digested
		n.ID, n.Session = loci.NewID(loci.NodePrefix), fork.ID
		if i > 0 {
			n.Parent = nodes[i-1].ID
		}
		if base {
			fork.Base = n.ID
		}
		if digested {
			fork.Digested = n.ID
		}
		nodes[i] = n
	}
	fork.Head = ""
	if len(nodes) > 0 {
		fork.Head = nodes[len(nodes)-1].ID
	}
	return fork, a.cfg.Log.Save(ctx, loci.Batch{Session: &fork, Nodes: nodes})
}

// Delete removes a session of p for good. A turn that runs in it is stopped
// first, so that its client hears how it ended, and one that waits does not
// begin; those who follow the session then come to the end.
func (a *Agent) Delete(ctx context.Context, p loci.Principal, session string) error {
	if _, err := a.cfg.Transcripts.Session(ctx, p.ID, session); err != nil {
		return err
	}
	a.lanes.clear(session)
	_, leave, err := a.lanes.queue(ctx, session, 0)
	if err != nil {
		return err
	}
	defer leave()
	if err := a.cfg.Log.DeleteSession(ctx, p.ID, session); err != nil {
		return err
	}
	a.clock.drop(session)
	a.resting.drop(session)
	a.feeds.end(session) // whoever joins from now on does not find the session
	return nil
}
