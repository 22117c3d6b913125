package agent

import (
	"context"

	"loci"
)

// Beginning is the call with which a new session of p would begin on a model, up to
// the person's first words: a server that has read it needs to read only those. The
// empty name is the default model.
func (a *Agent) Beginning(ctx context.Context, p loci.Principal, model string) (loci.Request, error) {
	t := a.newTurn(&loci.TurnRequest{Principal: p, Model: model})
	t.isNew, t.log = true, t.logger()
	if err := t.meet(ctx); err != nil {
		return loci.Request{}, err
	}
	t.equip()
	req := t.request()
	req.Messages = append(req.Messages, loci.Message{Role: loci.User, Content: "."}) // templates want one
	return *req, nil
}
