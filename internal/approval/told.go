package approval

import (
	"fmt"
	"strings"

	"loci"
	"loci/internal/lang"
)

var (
	yesNo = map[Verdict]lang.Words{
		Yes: {EN: "yes", ZH: "是", CS: "ano"},
		No:  {EN: "no", ZH: "否", CS: "ne"},
	}
	or        = lang.Words{EN: "%s or %s", ZH: "%s 或 %s", CS: "%s nebo %s"}
	questions = lang.Counted{
		One: "open question", Many: "open questions", ZH: "个未回答的问题",
		CSOne: "otevřená otázka", CSFew: "otevřené otázky", CSAll: "otevřených otázek",
	}
	states = map[loci.ApprovalState]lang.Words{
		loci.ApprovalOpen: {
			EN: "The question %s is still open.",
			ZH: "问题 %s 还没有回答。",
			CS: "Otázka %s je stále otevřená.",
		},
		loci.ApprovalYes: {
			EN: "The question %s already has its answer: yes.",
			ZH: "问题 %s 已经回答过：是。",
			CS: "Otázka %s už svou odpověď má: ano.",
		},
		loci.ApprovalNo: {
			EN: "The question %s already has its answer: no. Nothing was done. Ask again if you still want it.",
			ZH: "问题 %s 已经回答过：否。没有执行任何操作。如果仍然需要，请再说一次。",
			CS: "Otázka %s už svou odpověď má: ne. Nic se nestalo. Pokud to přesto chcete, řekněte si o to znovu.",
		},
		loci.ApprovalExpired: {
			EN: "The question %s has expired; nothing was done. Ask again if you still want it.",
			ZH: "问题 %s 已过期，没有执行任何操作。如果仍然需要，请再说一次。",
			CS: "Otázka %s vypršela, nic se nestalo. Pokud to stále chcete, řekněte si o to znovu.",
		},
		loci.ApprovalWithdrawn: {
			EN: "The question %s no longer stands, because it was stopped or the conversation went on; nothing was done. Ask again if you still want it.",
			ZH: "问题 %s 已失效，因为对话在没有回答的情况下继续了；没有执行任何操作。如果仍然需要，请再说一次。",
			CS: "Otázka %s už neplatí, protože rozhovor pokračoval bez odpovědi; nic se nestalo. Pokud to stále chcete, řekněte si o to znovu.",
		},
		loci.ApprovalUsed: {
			EN: "The yes to %s was used already; nothing is done twice.",
			ZH: "对 %s 的同意已经用过；不会重复执行。",
			CS: "Souhlas s %s už byl využit; nic se neprovede dvakrát.",
		},
	}
	onlyOnce = lang.Words{
		EN: "A yes to %[1]s holds for this once only. Answer **yes %[1]s** or **no %[1]s**.",
		ZH: "对 %[1]s 的同意只能用一次。请回答 **是 %[1]s** 或 **否 %[1]s**。",
		CS: "Souhlas s %[1]s platí jen jednou. Odpovězte **ano %[1]s** nebo **ne %[1]s**.",
	}
	dropped     = lang.Words{EN: "(Question %s was taken back; nothing was done.)", ZH: "（问题 %s 已撤回；没有执行任何操作。）", CS: "(Otázka %s byla vzata zpět, nic se nestalo.)"}
	unknownCode = lang.Words{EN: "There is no question %s.", ZH: "没有问题 %s。", CS: "Otázka %s neexistuje."}
	youHave     = lang.Words{EN: "You have %s.", ZH: "您有 %s。", CS: "Máte %s."}
	howTo       = lang.Words{EN: "Answer each with its code: %s.", ZH: "请分别用代码回答：%s。", CS: "Na každou odpovězte jejím kódem: %s."}
	howToOne    = lang.Words{EN: "Answer %s.", ZH: "请回答 %s。", CS: "Odpovězte %s."}
	comma       = lang.Words{EN: ", ", ZH: "、", CS: ", "}
	onlyNo      = lang.Words{
		EN: "Your key cannot allow anything, so nothing is done yet. Allow it where loci runs, with %s, or answer no here.",
		ZH: "您的密钥无权同意，因此还没有执行任何操作。请在运行 loci 的机器上用 %s 同意，或在这里回答否。",
		CS: "Váš klíč nic povolit nemůže, takže se zatím nic nestalo. Povolte to tam, kde loci běží, pomocí %s, nebo zde odpovězte ne.",
	}
	noted     = lang.Words{EN: "Noted: %s.", ZH: "已记下：%s。", CS: "Rozumím: %s."}
	stillOpen = lang.Words{EN: "Still open: %s.", ZH: "尚未回答：%s。", CS: "Ještě čeká: %s."}
)

// Told is what became of a question, for a person who answers it too late or
// once more.
func Told(a loci.Approval, lang string) string {
	if a.State == loci.ApprovalOpen && a.Expired() { // and nobody has noticed yet
		a.State = loci.ApprovalExpired
	}
	w, ok := states[a.State]
	if !ok {
		return Unknown(a.Code, nil, lang)
	}
	s := w.In(lang, a.Code)
	if a.State == loci.ApprovalOpen {
		s += gap(lang) + Remind([]string{a.Code}, lang)
	}
	return s
}

// OnlyNo is what a person is told whose key cannot allow what they said yes to.
func OnlyNo(codes []string, lang string) string {
	commands := make([]string, len(codes))
	for i, code := range codes {
		commands[i] = "`loci approvals yes " + code + "`"
	}
	return onlyNo.In(lang, strings.Join(commands, comma.In(lang)))
}

// Unknown is what a person is told whose code names no question, with those that
// are open.
func Unknown(code string, open []string, lang string) string {
	s := unknownCode.In(lang, prose(code, longValue))
	if len(open) > 0 {
		s += gap(lang) + Remind(open, lang)
	}
	return s
}

// which is what a person is told whose answer may be to any of the open
// questions.
func which(open []string, lang string) string {
	return youHave.In(lang, questions.In(lang, len(open))) + gap(lang) + Remind(open, lang)
}

// Remind tells how to answer the open questions.
func Remind(open []string, lang string) string {
	var ways []string
	for _, code := range open {
		ways = append(ways, or.In(lang, say(Yes, code, lang), say(No, code, lang)))
	}
	if len(ways) == 1 {
		return howToOne.In(lang, ways[0])
	}
	return howTo.In(lang, strings.Join(ways, semicolon.In(lang)))
}

// Noted is what a person is told who has answered some of the questions: which,
// and which are left.
func Noted(v Verdict, codes, open []string, lang string) string {
	var said []string
	for _, code := range codes {
		said = append(said, yesNo[v].In(lang)+" "+code)
	}
	s := noted.In(lang, strings.Join(said, comma.In(lang)))
	if len(open) > 0 {
		s += gap(lang) + stillOpen.In(lang, strings.Join(open, comma.In(lang))) + gap(lang) + Remind(open, lang)
	}
	return s
}

// say is an answer as a person types it. [Read] understands it.
func say(v Verdict, code, lang string) string {
	return fmt.Sprintf("**%s %s**", yesNo[v].In(lang), code)
}

// gap stands between two sentences; Chinese has none.
func gap(tag string) string {
	if lang.Base(tag) == lang.Chinese {
		return ""
	}
	return " "
}

// Dropped is what a person is told who wrote something else than an answer.
func Dropped(codes []string, lang string) string {
	return dropped.In(lang, strings.Join(codes, comma.In(lang)))
}
