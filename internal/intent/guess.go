package intent

import (
	"context"
	"slices"
	"strings"

	"loci/internal/lang"
)

// The bounds of cosines, found on testdata/paraphrases.tsv with MiniLM. A path
// in a request is a strong sign of its own, which talk seldom has.
const (
	surely           = 0.52 // a tool that is at least so near is meant
	surelyWithPath   = 0.45
	overTalk         = 0.12 // how much nearer than talk it must be
	overTalkWithPath = 0.02
	choiceBelow      = 0.06 // tools nearer to each other than this need a choice
)

// talkOpening begins requests for knowledge or writing. They may be about
// files and computers and still need no tool.
var talkOpening = newPattern(`^(?:write|compose|explain|translate|recommend|suggest|imagine|define|describe|rewrite|correct|who (?:is|was|were|wrote|invented|made|discovered)|why (?:do|does|did|are)|how (?:do|does|did|can|could|should) (?:i|you|we|they|people|one|an?|the)|how (?:does|do) \w+ work|what (?:is|are) (?:an?|the (?:best|difference|meaning|point|purpose))|what (?:makes|would|should|could|happens|happened)|i (?:like|love|hate|feel|think|am|was|bought|wrote|have been))(?: |$)`)

// asksForFile asks for a file after all.
var asksForFile = newPattern(`\b(?:which|what) (?:file|note|document)\b|\bwhere (?:is|was|did|have)\b.*\b(?:file|note|document)\b`)

// guess chooses by the nearest examples what no rule knew. The embedded
// embedder knows English only, so other languages are left to talk.
func (r *Router) guess(ctx context.Context, u *utterance) (goal, error) {
	if r.examples == nil || u.Lang != lang.English || u.core == "" || talkOpening.has(u.core) && u.path() == "" && !asksForFile.has(u.core) {
		return nil, nil
	}
	ranked, err := r.examples.rank(ctx, u)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.log.WarnContext(ctx, "no nearest examples: only plain requests are understood", "error", err.Error())
		return nil, nil
	}
	near := u.near(ranked)
	if len(near) == 0 {
		return nil, nil
	}
	best := near[0]
	if len(near) > 1 && r.chooser != nil {
		if best, err = r.choose(ctx, u, near); err != nil {
			return nil, err
		}
	}
	return u.aimed(best.label), nil
}

// near are the one to three tools that can be meant, the nearest first; none
// if it may as well be talk.
func (u *utterance) near(ranked []candidate) []candidate {
	path, bound, distance := u.path(), surely, overTalk
	if path != "" {
		bound, distance = surelyWithPath, overTalkWithPath
	}
	var tools []candidate
	talks := 0.0
	for _, c := range ranked {
		switch {
		case c.tool == talkLabel:
			talks = c.score
		case path != "" && (c.tool == listDir && isFile(path) || c.tool == readFile && !isFile(path)):
			// the path itself tells that this is not meant
		case len(tools) < 3 && (len(tools) == 0 || tools[0].score-c.score < choiceBelow):
			tools = append(tools, c)
		}
	}
	if len(tools) == 0 || tools[0].score < bound || tools[0].score-talks < distance {
		return nil
	}
	return tools
}

// choose asks the model which of a few candidates is meant, or whether none is.
// When it fails, doubt is talk.
func (r *Router) choose(ctx context.Context, u *utterance, near []candidate) (candidate, error) {
	none := candidate{tool: talkLabel}
	near = append(slices.Clone(near), none)
	options := make([]string, len(near))
	for i, c := range near {
		options[i] = "answer without looking anything up"
		for _, t := range u.Tools {
			if t.Name == c.tool {
				options[i], _, _ = strings.Cut(t.Description, ". ")
			}
		}
	}
	i, err := r.chooser.Choose(ctx, u.Model, u.Text, options)
	switch {
	case ctx.Err() != nil:
		return none, ctx.Err()
	case err != nil:
		r.log.WarnContext(ctx, "the model could not choose among tools", "error", err.Error())
		return none, nil
	case i < 0 || i >= len(near):
		return none, nil
	}
	return near[i], nil
}

// wordedPart is a part of what a tool can tell, and the words for it.
type wordedPart struct {
	pattern pattern
	part    string
}

// namedPart is the first part that words name, or none.
func namedPart(parts []wordedPart, words string) string {
	for _, p := range parts {
		if p.pattern.has(words) {
			return p.part
		}
	}
	return ""
}

// Words that name the arguments of a tool that was chosen by meaning.
var (
	machineParts = []wordedPart{
		{newPattern(`\b(?:memory|ram)\b`), "memory"},
		{newPattern(`\b(?:disk|drive|storage|space|ssd)\b`), "disk"},
		{newPattern(`\b(?:cpu|processor|cores?)\b`), "cpu"},
		{newPattern(`\b(?:ip|network|address|wifi)\b`), "network"},
		{newPattern(`\b(?:os|operating system|linux|windows|kernel|uptime|version)\b`), "os"},
	}
	inZone    = newPattern(`\bin (?P<zone>[A-Z][\pL]+(?: [A-Z][\pL]+)?)$`)
	aForm     = newPattern(`^` + inForm + `$`)
	pathWords = newPattern("(?P<path>\"[^\"]+\"|'[^']+'|\\S*[/\\\\.~]\\S+)")
)

// path is the path that the words contain, if any.
func (u *utterance) path() string {
	m, ok := pathWords.match(u.core)
	if !ok {
		return ""
	}
	if p, inQuotes := unquote(m["path"]); inQuotes || isPath(p) {
		return p
	}
	return ""
}
