package intent

import (
	"loci"
	"loci/internal/lang"
)

// What the router says in its own words. Everything else is said by the tools.
var (
	whichOne = lang.Words{
		EN: "There are several files named %s (%d). Which one do you mean?\n%s",
		ZH: "有多个名为 %s 的文件（%d 个）。您指的是哪一个？\n%s",
		CS: "Souborů s názvem %s je víc (%d). Který myslíte?\n%s",
	}
	beginningOnly = lang.Words{EN: ", its beginning", ZH: "（开头部分）", CS: ", jeho začátek"}
	todayAt       = lang.Words{EN: "today %s", ZH: "今天 %s", CS: "dnes %s"}
	keyOnly       = lang.Words{EN: ", key sentences:", ZH: "，关键句：", CS: ", hlavní věty:"}
	logLevels     = lang.Words{EN: "%s, lines by level: %s.", ZH: "%s，各级别的行数：%s。", CS: "%s, počet řádků podle úrovně: %s."}
	noPaper       = lang.Words{EN: "I find no file that is named like your %s.", ZH: "没有找到名称类似“%s”的文件。", CS: "Nenacházím soubor, který by se jmenoval jako %s."}
	oneAtATime    = lang.Words{EN: "I can do that with one file at a time. Which one?", ZH: "我一次只能处理一个文件。您要哪一个？", CS: "Umím to s jedním souborem naráz. Který to má být?"}
	summariseThis = lang.Words{
		EN: "Summarise this text in two or three sentences. Say only what it says.\n\n%s",
		ZH: "请用两三句话概括下面的文字，只说其中有的内容。\n\n%s",
		CS: "Shrň tento text ve dvou nebo třech větách. Piš jen to, co v něm je.\n\n%s",
	}
	notDone = lang.Words{EN: "%s", ZH: "没有成功：%s", CS: "Nepovedlo se to: %s"}
)

// say makes the reply from a result: the words that the tool put it in, or what
// went wrong and what can be done about it. The model has no part in it, so no
// number and no name can change on the way.
func say(u *utterance, r loci.ToolResult) loci.Move {
	if r.Err == nil {
		if r.Text == "" {
			return loci.Move{Say: string(r.Data)}
		}
		return loci.Move{Say: r.Text}
	}
	text := notDone.In(u.Lang, r.Err.Message)
	if r.Err.ForPerson != "" {
		text += " " + r.Err.ForPerson
	}
	return loci.Move{Say: text}
}
