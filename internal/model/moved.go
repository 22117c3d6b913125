package model

import (
	"context"

	"loci"
)

// movedReason is why a model with native tools gets them as text.
const movedReason = "Its chat template puts the tools elsewhere with each message, so they stay in the text, where the server keeps them in its cache."

// ToolsMove marks a model whose chat template does not keep the tools where they
// were, as calls have shown: new sessions write them into the system block. It tells
// whether the template does so, and whether that is news. Calls may show it wrongly, where
// other programs have used the server in between: one that shows what its template writes
// is asked first.
func (h *Hub) ToolsMove(model string) (moves, news bool) {
	t, err := h.Resolve(h.ctx, model)
	if err != nil { // its server is gone
		return true, false
	}
	a := h.acquaintance(t)
	if a.known().Tier != loci.TierNative {
		return true, false
	}
	ctx, cancel := context.WithTimeout(h.ctx, measureLimit)
	defer cancel()
	if m := (measuring{t: t, ctx: ctx, ok: true}); m.toolsMove() == loci.No {
		h.config.Logger.Info("calls look as if a chat template moved the tools, and it does not: another program may use the model server", "model", model)
		return false, false
	}
	news = a.update(func(p *loci.Profile) bool { changed := !p.ToolsMove; p.ToolsMove = true; return changed })
	if news {
		h.keep(t)
	}
	return true, news
}

// heedMoved gives a model the tier that spares it a template which moves the tools.
func heedMoved(p loci.Profile) loci.Profile {
	if p.ToolsMove && p.Tier == loci.TierNative {
		p.Tier, p.Reason = loci.TierText, movedReason
	}
	return p
}
