package intent

import (
	"fmt"
	"strings"

	"loci"
)

// words is one text in each language.
type words struct{ en, zh, cs string }

// What the router says in its own words. Everything else is said by the tools.
var (
	whichOne = words{
		en: "There are several files named %s (%d). Which one do you mean?\n%s",
		zh: "有多个名为 %s 的文件（%d 个）。您指的是哪一个？\n%s",
		cs: "Souborů s názvem %s je víc (%d). Který myslíte?\n%s",
	}
	beginningOnly = words{en: ", its beginning", zh: "（开头部分）", cs: ", jeho začátek"}
	todayAt       = words{en: "today %s", zh: "今天 %s", cs: "dnes %s"}
	inItsWords    = words{en: ", in its own words:", zh: "，原文要点：", cs: ", jeho vlastními slovy:"}
	summariseThis = words{
		en: "Summarise this text in two or three sentences. Say only what it says.\n\n%s",
		zh: "请用两三句话概括下面的文字，只说其中有的内容。\n\n%s",
		cs: "Shrň tento text ve dvou nebo třech větách. Piš jen to, co v něm je.\n\n%s",
	}
	failed = words{en: "%s", zh: "没有成功：%s", cs: "Nepovedlo se to: %s"}
)

// sentence formats words in a language.
func sentence(lang string, w words, args ...any) string {
	format := w.en
	switch lang {
	case "zh":
		format = w.zh
	case "cs":
		format = w.cs
	}
	return fmt.Sprintf(format, args...)
}

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
	text := sentence(u.lang, failed, r.Err.Message)
	// Suggestions speak to a model; some are of use to a person too.
	for _, start := range []string{"Did you mean", "Allowed are", "There is one", "Ask the person to allow", "Tell the person to "} {
		if strings.HasPrefix(r.Err.Suggestion, start) {
			hint := strings.TrimPrefix(r.Err.Suggestion, "Tell the person to ")
			text += " " + strings.ToUpper(hint[:1]) + hint[1:]
			break
		}
	}
	return loci.Move{Say: text}
}
