package agent

import (
	"regexp"
	"slices"
	"strings"

	"loci/internal/lang"
	"loci/internal/text"
)

// A model that announces a call and stops has not understood that saying is not doing.
// What tells such a reply from an answer is its last sentence: somebody is about to look
// at something that a tool can look at. Whatever may be meant for the person, an offer,
// a condition, a plan, a question, is left alone: to be nudged for an answer is worse
// than not to be nudged.

const (
	longestPromise  = 600 // bytes of a reply that only announces something
	longestSentence = 240
	longestWish     = 2000 // bytes of the person's words that are looked through: what is longer was pasted
)

// thing is what tools work with, in the languages that the runtime knows. A name of a
// file counts, and the name of a tool.
const thing = `(?:\b(?:files?|folders?|director(?:y|ies)|contents|documents?|disk|drive|process(?:es)?|command|database|tables?|logs?|log file|system info\w*|system information|memory usage|notes|web ?(?:page|site)|url|tool|function)\b` +
	`|文件|目录|资料夹|文档|日志|进程|命令|数据库|磁盘|系统信息|网页|工具|内容` +
	`|soubor\pL*|složk\pL*|adresář\pL*|dokument\pL*|obsah\pL*|log\pL{0,3}[ .,]|proces[yůu]|příkaz\pL*|databáz\pL*|disk\pL*|poznám\pL*|stránk\pL*|nástroj\pL*` +
	`|[\pL\d_-]+\.(?:[a-z]\w{0,4})(?:[^\pL\d]|$))`

var (
	// opener is words before an announcement.
	opener = `^(?:(?:ok(?:ay)?|sure(?: thing)?|certainly|of course|alright|all right|got it|great|absolutely|yes|no problem|` + lang.SequenceEN + `|so|to (?:do (?:this|that|so)|find out|answer (?:this|that|it|your question)|check(?: this| that)?|help(?: you)?(?: with (?:this|that))?)` +
		`|` + lang.SequenceZH + `|好的?|当然|没问题|那么|接下来|可以|行|明白了?` +
		`|` + lang.SequenceCS + `|dobře|jistě|samozřejmě|jasně|ano|tak|hned)[,.!:，。！： ]*)*`
	announced = regexp.MustCompile(`(?i)` + opener + `(?:` +
		`(?:` + lang.ActingEN + `)(?: (?:going to|first|now|just|quickly|then|also|go ahead and|start by|begin by|need to|have to|try to|have a|take a|do a|run a|make a))*` +
		` (?:read|reading|open|opening|check|checking|look|list|listing|search|searching|find|fetch|get|retrieve|examine|inspect|view|scan|see what|run|execute|query|access|load|use the|use|call|write|save|create|delete|move|rename|edit|update)\b` +
		`|(?:让我(?:来|先|们)?|我(?:现在|马上|先|来|将|会|就|这就|需要|要|去|得)+)(?:使用|调用|用)?.{0,12}?(?:读取|读一下|阅读|打开|查看|看看|看一下|检查|列出|搜索|查找|查询|获取|运行|执行|调用|写入|删除|使用)|我(?:看看|看一下|查一下)` +
		`|(?:(?:teď|nyní|hned|nejprve|nejdřív|nejdříve|si|se|to|ho|vám|ti) )*(?:` + lang.ActingCS + `|musím (?:se |si )*(?:nejprve |nejdřív )?(?:podívat|přečíst|otevřít|zkontrolovat|načíst|prohledat|spustit)|(?:nech|nechte) mě (?:se )?(?:podívat|přečíst|zkontrolovat))(?:[^\pL]|$)` +
		`)`)
	// doing is an announcement only where the reply ends as if it went on.
	doing = regexp.MustCompile(`(?i)` + opener + `(?:(?:reading|opening|checking|listing|searching|looking|fetching|retrieving|scanning|inspecting|running|querying)\b|正在(?:读取|打开|查看|检查|列出|搜索|查找|查询|获取|运行|执行)[^的]` +
		`|(?:čtu|otevírám|prohledávám|načítám|kontroluji|vypisuji|spouštím) )`)
	goesOn = regexp.MustCompile(`(?i)(?:\bnow|teď|nyní|\.\.\.|…|:|：)[.。]?$`)
	// conditional is what makes an offer or a condition of it, or tells the person what to
	// do with a thing.
	conditional = regexp.MustCompile(`(?i)[?？]$|\b(?:if|unless|once you|when you|after you|would you|you can|you could|you need|you should|you may|you might|you have to|please (?:send|share|upload|paste|provide|tell|give)|let me know|happy to|for example|such as|as an example|would|could|might|later|tomorrow|next time|explain|assume|suppose|imagine|example|story|cannot|can['’]t|unable|not able|don['’]t|not)\b` +
		`|如果|假如|要是|的话|您可以|你可以|您需要|你需要|请(?:把|将|您|你|提供|上传|告诉|发)|是否|吗[。.]?$|例如|比如|解释|介绍|无法|不能|不会|没有办法|以后|明天|希望|假设|故事` +
		`|(?:^|[^\pL])(?:pokud|jestli|jestliže|kdybys|kdybyste|můžete|můžeš|chcete|chceš|potřebujete|potřebuješ|prosím (?:pošl|nahr|vlož|zadej|řekn)\pL*|například|nemohu|nemůžu|neumím|nelze|až mi|až budete|vysvětlím|zítra|později|příště)(?:[^\pL]|$)`)
	// waits are words behind an announcement.
	waits    = regexp.MustCompile(`(?i)^(?:please wait|please hold on|hold on|(?:just )?(?:one|a) (?:moment|second|sec)|one moment,? please|please stand by|give me a (?:moment|second)|this (?:may|will) (?:only )?take a (?:moment|second)|请稍[等候]|稍等|请等一下|马上就好|chvilku|okamžik|moment|vydržte|chvilku strpení|strpení|prosím čekejte|chvíli strpení)(?: prosím|,? please|片刻|一下)?$`)
	listLine = regexp.MustCompile(`(?m)^\s*(?:[-*•]|\d+[.)])\s|` + "```")
	// planned asks for words about what would be done, and no deed.
	planned = regexp.MustCompile(`(?i)\b(?:plan|steps|how (?:would|will|do|can|could|should) (?:you|i|we)|what (?:would|will) you|explain|describe how|write (?:me )?(?:a|an|the)? ?(?:story|poem|dialogue|script|letter|email|sentence)|translate|without (?:using|calling|reading|opening)|don['’]t (?:read|open|look|run|use|do)|do not)\b` +
		`|计划|步骤|怎么(?:做|办)|如何|翻译|写(?:一个|一篇|一首|个)|不要|别|解释|plán|kroky|postup|jak bys|jak byste|jak (?:budeš|budete)|přelož|vysvětli|napiš (?:příběh|báseň|větu|dopis)|ne(?:čti|otevírej|dělej|spouštěj)`)
	thingNamed = regexp.MustCompile(`(?i)` + thing)
	sentence   = regexp.MustCompile(`[.!。！…]+(?:\s+|$)|[。！]|\n+`)
)

// promises tells whether a reply to what was asked only announces a call of one of the
// tools.
func promises(said, asked string, tools []string) bool {
	said = strings.TrimSpace(strings.NewReplacer("**", "", "`", "").Replace(said))
	if said == "" || len(said) > longestPromise || listLine.MatchString(said) {
		return false
	}
	last := lastSentence(said)
	if len(last) > longestSentence || conditional.MatchString(last) || !announced.MatchString(last) && !(doing.MatchString(last) && goesOn.MatchString(said)) {
		return false
	}
	named := thingNamed.MatchString(last) || slices.ContainsFunc(tools, func(name string) bool { return strings.Contains(last, name) })
	return named && !planned.MatchString(text.Clip(asked, longestWish))
}

// lastSentence is the last sentence that is not a plea for patience.
func lastSentence(said string) string {
	var last string
	for said != "" {
		at := sentence.FindStringIndex(said)
		one := said
		if at == nil {
			said = ""
		} else {
			one, said = said[:at[0]], said[at[1]:]
		}
		if one = strings.Trim(one, " \t\n:：,，"); one != "" && !waits.MatchString(one) {
			last = one
		}
	}
	return last
}
