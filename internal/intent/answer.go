package intent

import (
	"regexp"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// A yes or no that reaches the router answers nothing: a change that waits for a
// yes is not asked about here. A small model makes up what it was for ("The file
// was deleted"), so such words get a fixed sentence; but where loci asked whether
// another name was meant, a yes does the same with that name.

// answerWords are the words of a message that is nothing but an answer, in one
// language.
type answerWords struct {
	lang    string // of the words of loci; empty: as in nothing
	yes, no string // as alternatives of an expression
	asks    string // whether it is done, or doubt
	polite  string // no answer by itself
	nothing string // that nothing waits for an answer, where lang is empty
}

// answers are the languages in which an answer is known. The first that knows all
// the words counts.
var answers = []answerWords{
	{lang: lang.English,
		yes:    `yes|yep|yeah|yea|yup|y|sure|of course|ok|okay|k|alright|all right|go ahead|go on|go|proceed|continue|do (?:it|that|so|this)|please do|absolutely|definitely|certainly|correct|exactly|right|that one|i agree|agreed|confirm(?:ed)?|approved?`,
		no:     `no|nope|nah|n|never ?mind|don't(?: do (?:it|that|this))?|do not(?: do (?:it|that|this))?|not now|(?:cancel|stop|abort)(?: it| that)?|forget it|leave it|no way|wrong`,
		asks:   `maybe|perhaps|(?:is it |are you |all )?done|(?:did|have) you (?:do|done) (?:it|that)(?: yet)?|has it been done|(?:are|were) you sure|really|(?:can|will|could) you do (?:it|that)|is that all|did it work|(?:is it |are you )?(?:ready|finished)|ready`,
		polite: `please|pls|thanks|thank you|then|now|loci|and|well|just`},
	{lang: lang.Chinese,
		yes:    `是的?|对的?|好[的吧啊]?|可以|行|嗯|同意|确认|确定|没问题|当然|继续|做吧|执行`,
		no:     `不是?|不要|不行|不用了?|不可以|别|取消|算了|停`,
		asks:   `完成了吗|好了吗|做好了吗|做完了吗|也许`,
		polite: `请|谢谢|吧|啊`},
	{lang: lang.Czech,
		yes:    `ano|jo|jojo|jj|jasně|dobře|dobrá|souhlasím|můžeš|udělej to|pokračuj|určitě|samozřejmě|klidně|přesně`,
		no:     `ne|nechci|nedělej to|zruš to|zrušit|radši ne|nech to`,
		asks:   `hotovo|(?:už )?je to hotov[oé]|udělals? to|možná`,
		polite: `prosím|díky|děkuji|tak`},
	{yes: `ja|jawohl|klar|gerne|einverstanden|mach (?:es|das)|in ordnung|natürlich`, no: `nein|nee|nicht|lieber nicht|abbrechen`, asks: `fertig|erledigt|vielleicht`, polite: `bitte|danke|ok`,
		nothing: "Nichts wartet auf eine Antwort, und ich habe jetzt nichts getan. " + germanOnly},
	{yes: `да|ага|конечно|хорошо|ладно|давай|согласен|согласна|сделай(?: это)?`, no: `нет|не надо|не нужно|отмена|стоп`, asks: `готово`, polite: `пожалуйста|спасибо|ок`,
		nothing: "Сейчас ничто не ждёт ответа, и я ничего не сделал. " + russianOnly},
	{yes: `sí|si|claro|vale|por supuesto|de acuerdo|hazlo|adelante`, no: `no|mejor no|cancela|para`, asks: `listo|hecho`, polite: `por favor|gracias|ok`,
		nothing: "Nada espera una respuesta, y ahora no he hecho nada. " + spanishOnly},
	{yes: `oui|ouais|d'accord|bien sûr|vas-y|fais-le|allez-y`, no: `non|pas maintenant|annule|arrête`, asks: `fini`, polite: `s'il (?:te|vous) plaît|merci|ok`,
		nothing: "Rien n'attend de réponse, et je n'ai rien fait maintenant. " + frenchOnly},
}

// nothingWaits is said where nothing waits for an answer, and nothingYet where
// nothing was said before.
var (
	nothingWaits = lang.Words{
		EN: "Nothing waits for an answer, and I have done nothing now; what I did before stands in my replies above. Say what you want in one sentence, such as “Which files are here?”",
		ZH: "现在没有需要您回答的问题，我也没有做任何事；之前做过的都写在上面的回复里。请用一句话说出您想要什么，例如“这里有哪些文件？”",
		CS: "Na odpověď nic nečeká a nic jsem teď neudělal; co jsem udělal dříve, stojí v mých odpovědích výše. Řekněte jednou větou, co chcete, třeba „Jaké soubory tu jsou?“",
	}
	nothingYet = lang.Words{
		EN: "Nothing waits for an answer, and I have done nothing yet. Say what you want in one sentence, such as “Which files are here?”",
		ZH: "现在没有需要您回答的问题，我也还没有做任何事。请用一句话说出您想要什么，例如“这里有哪些文件？”",
		CS: "Na odpověď nic nečeká a nic jsem zatím neudělal. Řekněte jednou větou, co chcete, třeba „Jaké soubory tu jsou?“",
	}
)

// nothingToAnswer is what is said to a yes or no that answers nothing.
func (u *utterance) nothingToAnswer(language string) string {
	if u.lastReply() == "" {
		return nothingYet.In(language)
	}
	return nothingWaits.In(language)
}

// didYouMean is how a reply ends that names what may have been meant, after what
// was said.
var didYouMean = regexp.MustCompile(`"([^"\n]+)"[^"\n]*\. Did you mean "([^"\n]+)"\?$`)

// answerPattern tells what an answer is.
type answerPattern struct{ whole, some, no pattern }

// answerPatterns are the patterns of all answers, in their order.
var answerPatterns = func() (all []answerPattern) {
	const marks = `[ ,.!?！。，？…]`
	for _, a := range answers {
		some := a.yes + `|` + a.no + `|` + a.asks
		between := marks + `+`
		edge := [2]string{`(?:^|` + marks + `)`, `(?:$|` + marks + `)`}
		if a.lang == lang.Chinese {
			between, edge = marks+`*`, [2]string{}
		}
		word := `(?:` + some + `|` + a.polite + `)`
		all = append(all, answerPattern{
			whole: newPattern(`^` + word + `(?:` + between + word + `)*$`),
			some:  newPattern(edge[0] + `(?:` + some + `)` + edge[1]),
			no:    newPattern(edge[0] + `(?:` + a.no + `)` + edge[1]),
		})
	}
	return all
}()

// answer gives the goal of words that are nothing but a yes or a no; nil if they
// are more.
func (r *Router) answer(u *utterance) goal {
	if onceMore.has(u.said) {
		if g := r.again(u, "", ""); g != nil {
			return g
		}
		return saying{u.nothingToAnswer(u.Lang)}
	}
	i := slices.IndexFunc(answerPatterns, func(p answerPattern) bool { return p.whole.has(u.said) && p.some.has(u.said) })
	if i < 0 {
		return nil
	}
	if meant := didYouMean.FindStringSubmatch(strings.TrimSpace(u.lastReply())); meant != nil {
		if answerPatterns[i].no.has(u.said) {
			return saying{allRight.In(answers[i].lang)}
		}
		if g := r.again(u, meant[1], meant[2]); g != nil {
			return g
		}
	}
	if answers[i].nothing != "" {
		return saying{answers[i].nothing}
	}
	text := u.nothingToAnswer(answers[i].lang)
	if justFine.has(u.said) {
		text = allRight.In(answers[i].lang) + " " + text
	}
	return saying{text}
}

// justFine says no more than that what was said is heard.
var justFine = newPattern(`^(?:ok|okay|alright|all right)$`)

// onceMore asks for the same again.
var onceMore = newPattern(`^(?:(?:please )?(?:do|try|say) (?:it|that|this) (?:again|once more)|(?:try )?again(?: please)?|once (?:more|again)|repeat(?: (?:it|that))?|one more time|same again|再来一次|再试一次|再试试|重试|(?:zkus|udělej) to znovu|znovu|ještě jednou)$`)

// again does what was asked for last, with another name in the place of what was
// said where there is one.
func (r *Router) again(u *utterance, said, meant string) goal {
	for i, m := range slices.Backward(u.History) {
		if m.Role != loci.User {
			continue
		}
		before := u.Situation
		before.Text, before.History, before.Lang = strings.Replace(m.Content, said, meant, 1), u.History[:i], lang.Of(m.Content)
		v := r.understand(before)
		if g := r.ruled(v); g != nil && (before.Text != m.Content || said == "") {
			return instead{g, v}
		}
		return nil
	}
	return nil
}

// instead is a goal of other words than those that were said.
type instead struct {
	goal

	words *utterance
}

// next goes on as if the other words had been said.
func (g instead) next(_ *utterance, done []loci.ToolResult) loci.Move {
	return g.goal.next(g.words, done)
}
