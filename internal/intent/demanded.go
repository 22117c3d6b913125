package intent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"loci"
	"loci/internal/lang"
)

// Writer lets a model, named as clients do, answer a question in a form that is a JSON
// Schema.
type Writer interface {
	Write(ctx context.Context, model, system, question string, form json.RawMessage) (string, error)
}

// forArguments is what the model is told: the tool's name, and what it does.
const forArguments = "Give the arguments for %s as JSON, taken from the person's words. It does this: %s"

var notAllThere = lang.Words{
	EN: "%s was to be called, but your words do not hold what it needs.",
	ZH: "需要调用 %s，但您的话里没有它所需的全部信息。",
	CS: "Měl se zavolat nástroj %s, ale ve vašich slovech není vše, co potřebuje.",
}

// demanded is the move that a client demands, which wants one of its tools called
// whatever the words are: the nearest whose arguments are all among them, or else the
// nearest with arguments that the model writes. It is what clients do to have a text
// taken apart, so nothing is asked of the words.
func (r *Router) demanded(ctx context.Context, u *utterance) (loci.Move, error) {
	all := u.known(u.Tools, nil)
	if len(all) > 1 {
		if _, err := r.weigh(ctx, u, all); err != nil {
			return loci.Move{}, err
		}
	}
	all = byScore(all)
	for _, k := range all {
		if k.whole && all[0].score-k.score < choiceBelow {
			return k.call(), nil
		}
	}
	k := all[0]
	if r.writer != nil {
		text, err := r.writer.Write(ctx, u.Model, fmt.Sprintf(forArguments, k.Name, k.Description), u.Text, k.Parameters)
		switch {
		case ctx.Err() != nil:
			return loci.Move{}, ctx.Err()
		case err != nil:
			r.log.WarnContext(ctx, "the model wrote no arguments", "tool", k.Name, "error", err.Error())
		default:
			var written map[string]any
			if json.Unmarshal([]byte(text), &written) == nil && written != nil {
				maps.Copy(written, k.args) // what the words have is sure
				k.args = written
				return k.call(), nil
			}
		}
	}
	return loci.Move{Say: notAllThere.In(u.Lang, k.Name)}, nil
}
