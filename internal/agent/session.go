package agent

import (
	"context"
	"slices"

	"loci"
)

// Fork copies a session of p up to and including a turn, or all of it when turn
// is empty, into a new one. The copy can go another way; both keep their past.
func (a *Agent) Fork(ctx context.Context, p loci.Principal, session, turn string) (loci.Session, error) {
	if err := a.owns(ctx, p, session); err != nil {
		return loci.Session{}, err
	}
	old, err := a.Store.Session(ctx, session)
	if err != nil {
		return loci.Session{}, err
	}
	path, err := a.Store.Path(ctx, old.Head)
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
	fork.Created, fork.Updated = old.Created, loci.Now()
	nodes := make([]loci.Node, len(path))
	for i, n := range path {
		base := n.ID == old.Base
		n.ID, n.Session = loci.NewID(loci.NodePrefix), fork.ID
		if i > 0 {
			n.Parent = nodes[i-1].ID
		}
		if base {
			fork.Base = n.ID
		}
		nodes[i] = n
	}
	fork.Head = ""
	if len(nodes) > 0 {
		fork.Head = nodes[len(nodes)-1].ID
	}
	return fork, a.Store.Save(ctx, loci.Batch{Session: &fork, Nodes: nodes})
}

// Recover ends the turns that were running when the program stopped without
// warning; started are their turn.started events. They are not taken up again:
// whoever asked is gone, and what a tool has done is not known.
func (a *Agent) Recover(ctx context.Context, started []loci.Event) error {
	for _, e := range started {
		end := loci.Event{
			V: loci.EventVersion, Session: e.Session, Turn: e.Turn, Time: loci.Now(),
			Type: loci.EventTurnFinished, Data: loci.TurnFinished{State: loci.TurnInterrupted},
		}
		if err := a.Store.Save(ctx, loci.Batch{Events: []*loci.Event{&end}}); err != nil {
			return err
		}
	}
	return nil
}
