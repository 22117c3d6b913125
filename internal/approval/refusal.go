package approval

import (
	"loci"
	"loci/internal/lang"
)

// Refusal is what became of a call that got no yes: Err for the model, and Text
// in words for the person.
type Refusal struct {
	Err  *loci.ToolError
	Text string
}

// refuse words a refusal. The tool stands in all of them.
func refuse(tool, message, suggestion, tag string, text lang.Words) Refusal {
	return Refusal{
		Err:  &loci.ToolError{Message: tool + " was not run: " + message, Suggestion: suggestion},
		Text: text.In(tag, toolName(tool)),
	}
}

// Declined is the refusal after a no.
func Declined(tool, tag string) Refusal {
	return refuse(tool, "the person said no to this call.",
		"Do not try it again or reach the same by another way. Ask the person what they would like instead.", tag, lang.Words{
			EN: "All right, %s was not run. What would you like instead?",
			ZH: "好的，没有运行 %s。您希望怎么做？",
			CS: "Dobře, nástroj %s jsem nespustil. Co byste chtěli místo toho?",
		})
}

// NotNow is the refusal when the person wrote something else than an answer.
func NotNow(tool, tag string) Refusal {
	return refuse(tool, "the person was asked about this call, but wrote something else.",
		"Do what their newest message says. Make the call again only if they still want it.", tag, lang.Words{
			EN: "%s was not run, because you wrote something else than yes or no.",
			ZH: "没有运行 %s，因为您的回复不是“是”或“否”。",
			CS: "Nástroj %s jsem nespustil, protože jste odpověděli jinak než ano nebo ne.",
		})
}

// Expired is the refusal when nobody answered in time.
func Expired(tool, tag string) Refusal {
	return refuse(tool, "nobody answered the question about this call in time.",
		"Tell the person that nothing was done, and that they can ask for it again.", tag, lang.Words{
			EN: "%s was not run, because the question got no answer in time. Ask again if you still want it.",
			ZH: "没有运行 %s，因为问题没有及时得到回答。如果仍然需要，请再说一次。",
			CS: "Nástroj %s jsem nespustil, protože otázka zůstala bez odpovědi. Pokud to stále chcete, řekněte si o to znovu.",
		})
}

// Withdrawn is the refusal when the conversation went another way: it was
// stopped, edited or forked.
func Withdrawn(tool, tag string) Refusal {
	return refuse(tool, "the question about this call was withdrawn, because the conversation went another way.",
		"Go on from the newest message. Make the call again only if it asks for it.", tag, lang.Words{
			EN: "%s was not run, because the conversation went another way.",
			ZH: "没有运行 %s，因为对话转向了别的方向。",
			CS: "Nástroj %s jsem nespustil, protože se rozhovor ubral jinudy.",
		})
}
