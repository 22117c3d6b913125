package agent

import (
	"loci"
	"loci/internal/lang"
	"loci/internal/toolcall"
)

// What the person reads of a reply that is not what it should be.
var (
	noAnswer = lang.Words{
		EN: "(The model gave no answer. Ask again, or in other words.)",
		ZH: "（模型没有回答。请再问一次，或换个说法。）",
		CS: "(Model neodpověděl. Zeptejte se znovu nebo jinými slovy.)",
	}
	callBrokeOff = lang.Words{
		EN: "(The model's call of a tool broke off again at the limit of its reply's length, and nothing was done. Ask for less at once, or allow longer replies.)",
		ZH: "（模型的工具调用又因回复长度的上限而中断，什么都没有做。请一次少要一些，或允许更长的回复。）",
		CS: "(Volání nástroje se znovu přerušilo na mezi délky odpovědi a nic se nestalo. Chtějte toho naráz méně, nebo povolte delší odpovědi.)",
	}
	onlyThought = lang.Words{
		EN: "(The limit of the reply's length was reached before the model had answered. Ask for less at once, or allow longer replies.)",
		ZH: "（模型还没有作答，就到了回复长度的上限。请一次少要一些，或允许更长的回复。）",
		CS: "(Meze délky odpovědi bylo dosaženo dřív, než model odpověděl. Chtějte toho naráz méně, nebo povolte delší odpovědi.)",
	}
	cutShort = lang.Words{
		EN: `(The reply ends here because the model's window or its limit is full. Say "go on" to have the rest.)`,
		ZH: "（模型的窗口或长度上限已满，回复到此为止。说“继续”可看其余部分。）",
		CS: "(Odpověď tu končí, protože okno modelu nebo jeho mez je plná. Zbytek dostanete, když řeknete „pokračuj“.)",
	}
	pastWindow = lang.Words{
		EN: `(The reply is longer than the model's window, so the model no longer sees how it began. It was ended here. Say "go on" to have more.)`,
		ZH: "（回复比模型的窗口还长，模型已看不到它的开头，因此在此结束。说“继续”可看更多。）",
		CS: "(Odpověď je delší než okno modelu, takže model už nevidí její začátek. Proto byla tady ukončena. Další dostanete, když řeknete „pokračuj“.)",
	}
	thoughtInCircles = lang.Words{
		EN: "(The model went round in circles in its thoughts, so it was ended before it had answered. Ask again, or in other words.)",
		ZH: "（模型的思考一直在绕圈，因此还没有作答就被结束了。请再问一次，或换个说法。）",
		CS: "(Model se v myšlenkách točil v kruhu, a tak byl ukončen dřív, než odpověděl. Zeptejte se znovu nebo jinými slovy.)",
	}
	saidInCircles = lang.Words{
		EN: "(The model said the same over and over again, so it was ended here. Ask again, or in other words.)",
		ZH: "（模型一遍又一遍地说同样的话，因此在此结束。请再问一次，或换个说法。）",
		CS: "(Model říkal pořád dokola totéž, a tak byl tady ukončen. Zeptejte se znovu nebo jinými slovy.)",
	}
	wrongCall = lang.Words{
		EN: "(The model did not get its call of %s right, so it did not run: %s)",
		ZH: "（模型没能正确调用 %s，所以没有执行：%s）",
		CS: "(Modelu se nepodařilo správně zavolat %s, a tak se nic neprovedlo: %s)",
	}
	unreadableCall = lang.Words{
		EN: "(The model tried to use a tool in a form that cannot be read, so nothing ran: %s)",
		ZH: "（模型想使用工具，但写法无法读懂，所以什么都没有执行：%s）",
		CS: "(Model chtěl použít nástroj, ale v podobě, která se nedá přečíst, a tak se nic neprovedlo: %s)",
	}
)

// amiss tells the person of a call that does not come right. What is wrong with it is
// quoted as the model was told it, in English.
func amiss(f *toolcall.Fault, language string) string {
	if f.Tool != "" {
		return wrongCall.In(language, f.Tool, f.Message())
	}
	return unreadableCall.In(language, f.Message())
}

// told says why a reply ends here.
func (r runaway) told() lang.Words {
	switch {
	case r.from < 0:
		return pastWindow
	case r.which == inThoughts:
		return thoughtInCircles
	}
	return saidInCircles
}

// What the person reads of how the model's server deals with tools.
var (
	textInstead = lang.Words{
		EN: "This model has no native tool calls; loci lets it write them as text.",
		ZH: "这个模型不支持原生的工具调用；loci 让它以文本形式写出调用。",
		CS: "Tento model neumí volat nástroje přímo; loci ho nechá psát volání jako text.",
	}
	templateMoves = lang.Words{
		EN: "The chat template of %s puts the tools elsewhere with each message, so the model server reads them again every time. In new conversations loci writes them into the text, where they stay.",
		ZH: "%s 的对话模板随每条消息把工具放到别处，模型服务器因此每次都要重读。在新的对话里，loci 会把工具写进文本，让它们留在原处。",
		CS: "Šablona rozhovoru modelu %s dává nástroje s každou zprávou jinam, takže je server modelu čte pokaždé znovu. V nových rozhovorech je loci píše do textu, kde zůstanou.",
	}
	outcomeUnknown = lang.Words{
		EN: "%s: " + loci.ErrOutcomeUnknown.Text(),
		ZH: "%s：这已经开始，之后再没有消息，所以不知道是否完成。再次要求之前，请先看看现在的情况。",
		CS: "%s: Začalo to a víc o tom není známo, takže se neví, jestli se to provedlo. Než o to požádáte znovu, podívejte se, jak to teď je.",
	}
)
