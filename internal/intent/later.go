package intent

import (
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// What loci does not do yet, but people rightly ask of an assistant: each wish is
// recognised, and answered with what stands in for it. Nothing else may be run for it:
// a text to remember is no file, and a web address no path. Where the tool is offered
// after all, because a client or an MCP server brought it, the wish is left to it.
var (
	notYetWeb = lang.Words{
		EN: "I cannot open web pages: this version of loci does not reach the internet. If you save the page as a file, I can read that.",
		ZH: "我不能打开网页：这个版本的 loci 还不能访问互联网。如果您把网页保存为文件，我可以阅读它。",
		CS: "Webové stránky otevřít neumím: tato verze loci nemá přístup na internet. Když stránku uložíte do souboru, přečtu ho.",
	}
	notYetHTTP = lang.Words{
		EN: "I cannot send web requests: this version of loci does not reach the internet. I can run a command that you write out, such as: run curl https://example.com",
		ZH: "我不能发送网络请求：这个版本的 loci 还不能访问互联网。我可以运行您完整写出的命令，例如：运行 curl https://example.com",
		CS: "Webové požadavky posílat neumím: tato verze loci nemá přístup na internet. Umím spustit příkaz, který celý napíšete, třeba: spusť curl https://example.com",
	}
	notYetFeed = lang.Words{
		EN: "I cannot read feeds or news: this version of loci does not reach the internet. I can look things up in the files on this computer.",
		ZH: "我不能读取订阅源或新闻：这个版本的 loci 还不能访问互联网。我可以在这台电脑的文件中查找内容。",
		CS: "Kanály ani zprávy z internetu číst neumím: tato verze loci na něj nemá přístup. Umím hledat v souborech na tomto počítači.",
	}
	notYetMail = lang.Words{
		EN: "I cannot send or read e-mail and messages, or make calls: this version of loci has no mailbox. I can write a draft to a file: write \"Dear Bob\" to mail.txt.",
		ZH: "我不能收发电子邮件和消息，也不能打电话：这个版本的 loci 还没有邮箱功能。我可以把草稿写入文件：把“您好”写入 mail.txt。",
		CS: "Neumím posílat ani číst e-maily a zprávy, ani telefonovat: tato verze loci nemá schránku. Koncept umím zapsat do souboru: zapiš \"Dobrý den\" do mail.txt.",
	}
	notYetNotion = lang.Words{
		EN: "I cannot reach Notion: this version of loci has no connection to it. I can keep notes in files here: add \"call Eva\" to notes.txt.",
		ZH: "我不能访问 Notion：这个版本的 loci 还没有与它的连接。我可以把笔记写入这里的文件：把“给小王打电话”写入 notes.txt。",
		CS: "Do Notion se nedostanu: tato verze loci s ním není propojená. Poznámky umím psát do souborů: přidej \"zavolat Evě\" do notes.txt.",
	}
	notYetSchedule = lang.Words{
		EN: "I cannot remind you, set alarms, keep a calendar or do things on a schedule: this version of loci only acts when you ask. I can tell the date and time, and note it in a file: add \"dentist on Friday\" to todo.txt.",
		ZH: "我不能设置提醒、闹钟、日历或定时任务：这个版本的 loci 只在您询问时行动。我可以告诉您日期和时间，也可以记在文件里：把“周五看牙医”写入 todo.txt。",
		CS: "Neumím připomínat, budit, vést kalendář ani pracovat podle plánu: tato verze loci jedná, jen když se ptáte. Umím říct datum a čas a zapsat to: přidej \"v pátek zubař\" do todo.txt.",
	}
	notYetMemory = lang.Words{
		EN: "I cannot remember things from one conversation to another: this version of loci has no memory of its own, so there is nothing to recall or forget either. I can keep it in a file: add \"the key is under the pot\" to notes.txt.",
		ZH: "我不能在对话之间记住事情：这个版本的 loci 还没有自己的记忆，所以也没有可以回忆或忘记的内容。我可以写入文件：把“钥匙在花盆下”写入 notes.txt。",
		CS: "Mezi rozhovory si nic nepamatuji: tato verze loci nemá vlastní paměť, takže není co si vybavit ani zapomenout. Umím to zapsat: přidej \"klíč je pod květináčem\" do notes.txt.",
	}
	notYetDocuments = lang.Words{
		EN: "I have no index of your documents: this version of loci cannot collect them. I can search the text files here: which files mention warranty?",
		ZH: "我没有您文档的索引：这个版本的 loci 还不能收集文档。我可以搜索这里的文本文件：哪些文件提到了保修？",
		CS: "Rejstřík vašich dokumentů nemám: tato verze loci je sbírat neumí. Umím prohledat zdejší textové soubory: které soubory obsahují slovo záruka?",
	}
	notYetPaper = lang.Words{
		EN: "I cannot read PDF, Word and other office documents: this version of loci reads plain text alone. If you save it as text, such as %s.txt, I can read that.",
		ZH: "我不能阅读 PDF、Word 等文档：这个版本的 loci 只能阅读纯文本。如果您把它另存为文本，例如 %s.txt，我就可以阅读。",
		CS: "Dokumenty PDF, Word a podobné číst neumím: tato verze loci čte jen prostý text. Když ho uložíte jako text, třeba %s.txt, přečtu ho.",
	}
	notYetWeather = lang.Words{
		EN: "I cannot tell the weather: this version of loci does not reach the internet, so it has no forecast. I can tell the date and time.",
		ZH: "我无法告诉您天气：这个版本的 loci 还不能访问互联网，没有天气预报。我可以告诉您日期和时间。",
		CS: "Jaké je nebo bude počasí nevím: tato verze loci nemá přístup na internet, a tak ani předpověď. Umím říct datum a čas.",
	}
	notYetStock = lang.Words{
		EN: "I cannot tell prices of stocks, currencies and the like: this version of loci does not reach the internet. I can work out a sum that you give me.",
		ZH: "我无法提供股票、货币等行情：这个版本的 loci 还不能访问互联网。我可以帮您计算给出的算式。",
		CS: "Ceny akcií, měn a podobně nevím: tato verze loci nemá přístup na internet. Umím spočítat příklad, který mi dáte.",
	}
)

// wish is what a tool would be for that is still to come.
type wish struct {
	tool   string
	answer lang.Words
	words  words
}

// later gives the goal of saying that a wish cannot be fulfilled yet, or nil.
func (r *Router) later(u *utterance) goal {
	if calendarWeek.has(u.core) || saysNo.has(u.core) || asksHow.has(u.core) || asksMeaning.has(u.core) {
		return nil
	}
	for _, w := range r.wishes {
		if !w.words.has(u.core) {
			continue
		}
		if u.offersAny(w.tool) || u.fileNamed() != "" && !anyURL.has(u.core) {
			return nil
		}
		return saying{w.answer.In(u.Lang)}
	}
	return u.officePaper()
}

// offersAny tells whether a tool may be called, or one of several whose names begin
// as it does up to a star.
func (u *utterance) offersAny(tool string) bool {
	start, many := strings.CutSuffix(tool, "*")
	return slices.ContainsFunc(u.Tools, func(t loci.ToolSpec) bool {
		return t.Name == tool || many && strings.HasPrefix(t.Name, start)
	})
}

// readDocument is the tool for documents that are no plain text.
const readDocument = "read_document"

// officePaper answers a wish to read a document that is no plain text.
func (u *utterance) officePaper() goal {
	path := u.fileNamed()
	m, ok := officeFile.match(path)
	if !ok || u.offers(readDocument) || !readsOffice.has(u.core) || notReading.has(u.core) {
		return nil
	}
	return saying{notYetPaper.In(u.Lang, baseName(m["stem"]))}
}

var (
	calendarWeek = wordsOf("later/calendar week")
	saysNo       = wordsOf("later/no order")
	asksHow      = wordsOf("later/how it is done")
	anyURL       = wordsOf("later/web address")
	officeFile   = wordsOf("later/office file")
	readsOffice  = wordsOf("later/wants its text")
	notReading   = wordsOf("later/wants the file")
)

// wishes are the wishes by tool. The first that fits is meant.
func wishes() []wish {
	return []wish{
		{"read_feed", notYetFeed, wordsOf("later/read_feed")},
		{"http_request", notYetHTTP, wordsOf("later/http_request")},
		{"fetch_url", notYetWeb, wordsOf("later/fetch_url")},
		{"notion_*", notYetNotion, wordsOf("later/notion_*")},
		{"recall", notYetMemory, wordsOf("later/recall")},
		{"schedule_*", notYetSchedule, wordsOf("later/schedule_*")},
		{"forget", notYetMemory, wordsOf("later/forget")},
		{"remember", notYetMemory, wordsOf("later/remember")},
		{"search_documents", notYetDocuments, wordsOf("later/search_documents")},
		{"weather", notYetWeather, wordsOf("later/weather")},
		{"stock", notYetStock, wordsOf("later/stock")},
		{"read_email", notYetMail, wordsOf("later/read_email")},
		{"send_email", notYetMail, wordsOf("later/send_email")},
	}
}
