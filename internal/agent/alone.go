package agent

import (
	"loci"
	"loci/internal/lang"
)

// withoutModel ends a reply that was made while no model server answered.
var withoutModel = lang.Words{
	EN: "(No model is connected, so I only do plain requests. loci doctor tells what is missing.)",
	ZH: "（没有连接任何模型，因此我只能处理简单的请求。loci doctor 会说明缺少什么。）",
	CS: "(Není připojen žádný model, takže zvládnu jen prosté požadavky. Co chybí, řekne loci doctor.)",
}

// manage goes on without a model where no server answers: the runtime chooses tools by
// itself, as for a tiny model, and what they say is the reply. What needs a model ends
// in the error, so talk does, and so does a conversation that another tier began. The
// session keeps no model: with the first that answers, it goes on as that one's.
func (t *turn) manage(err error) error {
	t.alone, t.unmet = nil, err != nil
	if err == nil || loci.AsError(err).Code != loci.Unreachable || t.agent.cfg.Chooser == nil || !t.isNew && t.session.Tier != loci.TierTiny {
		return err
	}
	t.alone, t.req.Model = err, ""
	t.profile = loci.Profile{Tier: loci.TierTiny, Window: windowUntold}
	return nil
}
