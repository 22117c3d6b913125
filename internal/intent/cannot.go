package intent

import "loci/internal/lang"

// What loci cannot do, in one sentence with what it can do instead. A small
// model says "Done!" to all of these.
var (
	cannotChange = lang.Words{
		EN: "I cannot change files here; I can list, read and search them.",
		ZH: "我在这里不能修改文件；我可以列出、阅读和搜索它们。",
		CS: "Tady neumím měnit soubory; umím je vypsat, přečíst a prohledat.",
	}
	oneNamed = lang.Words{
		EN: "I change one file at a time, by its full name, and ask first. For example:\n- write \"buy milk\" to todo.txt\n- replace \"80\" with \"8080\" in hosts.ini\n- rename a.txt to b.txt\n- delete old.log",
		ZH: "我一次只修改一个文件，需要完整的文件名，并且会先询问您。例如：\n- 把“买牛奶”写入 todo.txt\n- 把 hosts.ini 里的“80”改成“8080”\n- 把 a.txt 改名为 b.txt\n- 删除 old.log",
		CS: "Měním vždy jeden soubor, uvedený celým jménem, a předem se zeptám. Například:\n- zapiš \"koupit mléko\" do todo.txt\n- nahraď \"80\" za \"8080\" v hosts.ini\n- přejmenuj a.txt na b.txt\n- smaž old.log",
	}
	cannotCopy = lang.Words{
		EN: "I cannot copy, pack or encrypt files or make folders; I can write, change, rename, move and delete one file at a time, and ask first.",
		ZH: "我不能复制、压缩或加密文件，也不能新建文件夹；我可以逐个写入、修改、重命名、移动和删除文件，并且会先询问您。",
		CS: "Neumím kopírovat, balit ani šifrovat soubory ani zakládat složky; umím po jednom soubory zapsat, změnit, přejmenovat, přesunout a smazat a předem se zeptám.",
	}
	cannotRun = lang.Words{
		EN: "I cannot do that. I can run a command that you write out (run git status), open an application that you have set up (open the app editor), and tell what is running.",
		ZH: "我做不到这一点。我可以运行您完整写出的命令（运行 git status），打开您已配置的应用（打开应用 editor），并告诉您哪些程序在运行。",
		CS: "To neumím. Umím spustit příkaz, který celý napíšete (spusť git status), otevřít aplikaci, kterou jste nastavili (otevři aplikaci editor), a říct, co běží.",
	}
	cannotNews = lang.Words{
		EN: "I cannot tell news, prices or results of today, because I do not reach the internet.",
		ZH: "我无法提供新闻、行情或赛果，因为我不能访问互联网。",
		CS: "Zprávy, ceny ani výsledky nevím, na internet nemám přístup.",
	}
	cannotPlay = lang.Words{
		EN: "I cannot choose music or videos to play; I can pause, go on, skip and set the volume of what plays, and find such files by name.",
		ZH: "我不能挑选要播放的音乐或视频；我可以暂停、继续、切换正在播放的内容并调节音量，也可以按名称查找这些文件。",
		CS: "Neumím vybrat hudbu ani video k přehrání; umím pozastavit, pustit dál, přeskočit a zesílit to, co hraje, a najít takové soubory podle jména.",
	}
	cannotHeat = lang.Words{
		EN: "I cannot tell temperatures, fans or the battery of this computer; I can tell how busy its processor is.",
		ZH: "我无法得知这台电脑的温度、风扇或电池状态；我可以告诉您处理器有多忙。",
		CS: "Teplotu, větráky ani baterii tohoto počítače nevidím; umím říct, jak vytížený je procesor.",
	}
	cannotDraw = lang.Words{
		EN: "I cannot make or look at pictures; I can find them by name.",
		ZH: "我不能制作或查看图片；我可以按名称查找它们。",
		CS: "Neumím kreslit ani prohlížet obrázky; umím je najít podle jména.",
	}
)

// aFile is a file, folder or list as the object of a change: called one, mine, or by a name
// with an ending.
const aFile = `(?:(?:the |a |an |my |this |that |all |all my |every |new |empty |text |these |those )*(?:files?|folders?|director(?:y|ies)|documents?|subfolders?|shopping list|to-?do list|my notes)(?: .*)?|(?:the |my )?["'“]?[^\s"']*[^\s."'/]\.[a-z]\w{0,5}["'”]?(?: .*)?)`

// place is where a text is put.
const place = `(?:to|in|into|on|onto|from|as|at the end of) (?:(?:the|a|an|my|this|new|file|document|text) )*(?:["'“]?[^\s"']*[^\s."'/]\.[a-z]\w{0,5}["'”]?|file|files|folder|document|notes|shopping list|to-?do list)(?: .*)?`

// noTool are changes that no tool makes, even where files may be changed.
var noTool = newPattern(`^(?:copy|duplicate|back ?up|zip|unzip|compress|encrypt|merge|split|zkopíruj|复制|备份|压缩)|^(?:create|make|new|vytvoř|založ|创建|新建)\b.{0,20}(?:folder|directory|složk|adresář)|^(?:创建|新建).{0,12}(?:文件夹|目录)`)

// howToChange is what to say to a request to change files that is none for one
// call: that it cannot be, or how to put it.
func (u *utterance) howToChange() lang.Words {
	switch {
	case !u.offers(writeFile) && !u.offers(editFile) && !u.offers(moveFile) && !u.offers(deleteFile):
		return cannotChange
	case noTool.has(u.core):
		return cannotCopy
	}
	return oneNamed
}

// cannotRules answer requests for what no tool does. They match requests alone: a
// poem about rain, or a draft of a letter, is for the model.
func cannotRules() []rule {
	return []rule{
		{newPatterns(
			`^(?:delete|remove|erase|trash|rename|move|copy|duplicate|edit|modify|change|update|overwrite|rewrite|replace|create|make|save|write|append|fix|clean up|clear out|tidy up|empty|sort out|merge|split|organi[sz]e|back ?up|zip|unzip|compress|encrypt) `+aFile+`$`,
			`^(?:delete|remove|erase|write|save|append|add|put|insert|replace|note down|store|copy|paste) .+ `+place+`$`,
			`^(?:swap|exchange|correct|fix|replace|substitute|change) .+ in (?:the file )?["'“]?[^\s"']*[^\s."'/]\.[a-z]\w{0,5}["'”]?$`,
			`^(?:delete|remove|erase|rename|move) (?:everything|it|them|this|that)(?: .*)?$`,
			`^(?:delete|remove|erase|trash|rename|move)(?: (?:all|every|any|some|the|my|those|these|old|of|\*\.\w+)){1,4}(?: \S+){0,3} (?:files?|folders?|documents?|photos?|pictures?|images?|logs|notes)(?: .*)?$`,
			`^(?:make|create) (?:a |an )?(?:new )?(?:folder|directory|file)(?: .*)?$`,
			`^(?:save|remember|write down|note down) (?:this|that|it)(?: .*)?$`,
			`^(?:删除|删掉|移除|重命名|移动|复制|修改|编辑|创建|新建|保存|写入|备份|压缩)(?:一个|这个|那个|我的|所有)*\s*(?:新的?)?\s*(?:文件夹|文件|目录|文档|\S+\.\w{1,6}).*$`, `^(?:删除|删掉|清理|清空|移动|重命名)(?:所有|全部|这些|那些).*$`, `^(?:整理|清理|清空)(?:一下)?.*(?:文件|目录|桌面|文档).*$`, `^(?:删除|删掉|重命名|移动)(?:它|这个|那个)(?:文件)?$`, `^把.+(?:删除|删掉|删了|移到|移动到|重命名|改名|保存|复制|写入|加到|添加到).*$`,
			`^(?:smaž|smazat|vymaž|odstraň|přejmenuj|přesuň|zkopíruj|ukliď|vyčisti|uspořádej|uprav|změň|přepiš|vytvoř|založ|ulož)(?: mi)?(?: .*)? ?(?:soubor\pL*|složk\pL+|adresář\pL*|dokument\pL*|fot(?:k\pL+|ek)|obrázk\pL+|log\pL*|\S+\.[a-z]\w{0,5})(?: .*)?$`, `^(?:napiš|zapiš|přidej|ulož|připiš) .+ (?:do|na) (?:souboru|složky|seznamu|poznámek|\S+\.[a-z]\w{0,5})$`,
		), func(u *utterance, _ captures) goal { return shrug{saying{u.howToChange().In(u.Lang)}} }},
		shrugRule(cannotRun,
			`^(?:run|execute|launch|start)(?: the| a| my)?(?: program| app| application| script| command)? (?:\S+\.(?:sh|py|exe|js|bat|rb|pl|jar)|firefox|chrome|chromium|safari|spotify|word|excel|vs ?code|vim|docker|python|node|git|npm|make|ls|rm|sudo .+|bash|a (?:program|script|command|shell)|the (?:program|script|command|tests?|browser|server))(?: .*)?$`,
			`^open(?: the| my| up)* (?:firefox|chrome|chromium|safari|edge|spotify|word|excel|vs ?code|terminal|a terminal|browser|web browser|calculator|settings|app|application|program|steam|zoom|teams|outlook)(?: for me)?$`,
			`^(?:kill|stop|close|quit|end|terminate|restart|install|uninstall|update)(?: the| my)?(?: process| program| app)? (?:\d+|firefox|chrome|chromium|safari|spotify|docker|process|program|app|all (?:programs|processes)|\S+ process)$`,
			`^(?:shut ?down|restart|reboot|turn off|lock|sleep|hibernate)(?: (?:the|my|this) (?:computer|machine|pc|laptop|system))?$`,
			`^(?:运行|执行|启动|打开|关闭|结束)(?:程序|脚本|命令|应用|浏览器|进程|电脑|\s*\S+\.(?:sh|py|exe)).*$`, `^(?:关机|重启)(?:电脑)?$`,
			`^(?:spusť|zapni|vypni|ukonči|zavři|restartuj|nainstaluj|otevři)(?: mi)? (?:program|skript|aplikaci|příkaz|proces|počítač|prohlížeč|firefox|chrome|spotify|\S+\.(?:sh|py|exe))(?: .*)?$`),
		sayRule(cannotNews,
			`^(?:what(?:'s| is| are)|show|read|give|tell)(?: me)?(?: (?:in|on|about|up in))?(?: the| today's| any| some)*(?: latest| newest| current| recent| top)* (?:news|headlines)(?: (?:today|now|about .+|from .+|in .+))*$`, `^(?:any |latest |today's )?(?:news|headlines)(?: today)?$`, `^what(?:'s| is) (?:happening|going on|new) in the world(?: today)?$`,
			`^(?:what(?:'s| is)|how much is|show|check)(?: me)?(?: the)?(?: current| latest)? (?:bitcoin|stock|share|gold|oil|exchange rate|price of (?:bitcoin|gold|oil|tesla|apple)|bitcoin price|stock price|stock market|dollar|euro)(?: .*)?$`, `^who won (?:the |yesterday's |today's )?(?:game|match|race|election)(?: .*)?$`,
			`^.{0,6}(?:新闻|头条)(?:有哪些|有什么|是什么)?$`, `^今天有什么新闻$`, `^(?:jaké jsou|co je|ukaž|přečti)(?: mi)?(?: dnešní| nového| poslední| nejnovější)*(?: ve)? (?:zprávy|zprávách|nového ve světě|novinky)(?: dnes)?$`, `^co je nového(?: ve světě)?$`),
		shrugRule(cannotPlay,
			`^(?:play|put on|start)(?: me)?(?: some| a| the| my| any)*(?: \pL+){0,2} (?:music|songs?|video|movie|film|radio|playlist|album|audiobook|podcast)(?: .*)?$`, `^play (?:\S+\.(?:mp3|mp4|wav|ogg|flac|avi|mkv)|.+ by .+)$`, `^(?:stop|pause) the (?:music|song|video)$`,
			`^(?:播放|放)(?:一首|一些|一点|首|点)?.{0,8}(?:音乐|歌|歌曲|视频|电影).*$`, `^(?:pusť|přehraj|zahraj)(?: mi)?(?: .*)? ?(?:hudbu|písničk\pL+|píseň|video|film|rádio|\S+\.mp3)(?: .*)?$`),
		sayRule(cannotHeat,
			`^(?:how (?:hot|warm|cool|cold) is|what(?:'s| is) the temperature of|is)(?: my| the| this)? (?:cpu|gpu|processor|computer|laptop|machine|pc|graphics card|disk|ssd)(?: (?:too )?(?:hot|overheating|warm))?$`, `^(?:what(?:'s| is)(?: the| my)* )?(?:cpu|gpu|processor|computer) temperature$`, `^(?:how (?:full|much) (?:is )?|what(?:'s| is) )?(?:my |the )?(?:battery|battery (?:level|status|life|percentage))(?: .*)?$`, `^how much battery(?: .*)?$`,
			`^.{0,6}(?:CPU|处理器|电脑|显卡).{0,3}(?:温度|多热|多少度).{0,4}$`, `^.{0,5}(?:电池|电量).{0,8}$`, `^(?:jakou teplotu má|jak (?:horký|teplý) je)(?: můj)? (?:procesor|cpu|počítač)$`, `^(?:kolik|jak) .{0,10}bateri\pL+.{0,10}$`),
		sayRule(cannotDraw,
			`^(?:draw|paint|sketch|generate|create|make|design)(?: me)?(?: a| an| the| some)*(?: \pL+)? (?:picture|image|photo|drawing|painting|logo|illustration|sketch)s?(?: .*)?$`, `^(?:draw|paint|sketch)(?: me)? .+$`, `^(?:画|生成)(?:一张|一幅|一个)?.*(?:图|图片|画|照片)$`, `^(?:nakresli|namaluj|vygeneruj obrázek)(?: mi)? .+$`),
	}
}
