package intent

import (
	"strings"

	"loci/internal/lang"
)

// More of what loci cannot do: what sounds near to what it can.
var (
	cannotDuplicates = lang.Words{
		EN: "I cannot look for duplicates; I can compare two files that you name: is a.txt the same as b.txt?",
		ZH: "我不能查找重复的文件；我可以显示您指定的两个文件：a.txt 和 b.txt 一样吗？",
		CS: "Duplicity hledat neumím (I cannot); ukážu dva soubory, které řeknete: jsou a.txt a b.txt stejné?",
	}
	cannotTrash = lang.Words{
		EN: "I cannot empty the trash or take things out of it; what I delete is kept there for 30 days.",
		ZH: "我不能清空回收站，也不能从中恢复；我删除的内容会在那里保留 30 天。",
		CS: "Vysypat koš ani z něj nic vrátit neumím; co smažu, v něm zůstává 30 dní.",
	}
	cannotNote = lang.Words{
		EN: "I cannot remind you, and remember nothing from one conversation to another; I keep notes only in a file that you name: write \"dentist on Friday\" to notes.txt, or add \"dentist on Friday\" to notes.txt.",
		ZH: "我不能提醒您，也不能在对话之间记住事情；笔记只能写入您指定的文件：把“周五看牙医”写入 notes.txt。",
		CS: "Připomínat neumím, mezi rozhovory si nic nepamatuji a poznámky píšu jen do souboru, který řeknete: přidej \"v pátek zubař\" do notes.txt.",
	}
	cannotUndo = lang.Words{
		EN: "I cannot undo a change from here, but you can, for 30 days: run loci undo in a terminal. loci undo --list shows what there is.",
		ZH: "我不能在这里撤销更改，但您可以，30 天内有效：在终端运行 loci undo。loci undo --list 会列出可撤销的更改。",
		CS: "Odtud změnu vrátit neumím, ale vy můžete, po 30 dní: spusťte v terminálu loci undo. Co lze vrátit, ukáže loci undo --list.",
	}
	onlyThisTalk = lang.Words{
		EN: "I only know what stands in this conversation; of others I remember nothing.",
		ZH: "我只知道这次对话里的内容，其他对话我不记得。",
		CS: "Vím jen to, co stojí v tomto rozhovoru; z jiných si nic nepamatuji.",
	}
	whoseName = lang.Words{
		EN: "I cannot tell whether “%[1]s” belongs to the name. Put the whole name in quotation marks: delete \"%[1]s %[2]s\" or delete \"%[2]s\".",
		ZH: "我分不清“%[1]s”是不是文件名的一部分。请给完整的文件名加上引号：删除“%[1]s %[2]s”或删除“%[2]s”。",
		CS: "Nepoznám, jestli „%[1]s“ patří k názvu. Dejte celý název do uvozovek: smaž \"%[1]s %[2]s\" nebo smaž \"%[2]s\".",
	}
	cannotClose = lang.Words{
		EN: "I keep no file open, so there is nothing to close.",
		ZH: "我不会让文件一直打开，所以没有需要关闭的。",
		CS: "Žádný soubor nedržím otevřený, takže není co zavírat.",
	}
	cannotSort = lang.Words{
		EN: "I cannot sort or add up what is in a file; I can only show the whole text, or count lines: try “How many lines does %s have?”",
		ZH: "我不能排序或计算文件中的内容；我只能显示全文或统计行数：试试“%s 有多少行？”",
		CS: "Seřadit ani sečíst obsah souboru neumím; umím jen ukázat celý text nebo spočítat řádky: zkuste „Kolik řádků má %s?“",
	}
)

// nearlyRules answer requests that no tool fulfils, though it looks so.
func nearlyRules() []rule {
	return []rule{
		{newPatterns(`^(?:delete|remove|erase|trash|smaž|smazat|vymaž|odstraň) (?P<whose>my|our|můj|moje|náš) (?P<name>[^"“”„/\\*?,;&]*[^\s"“”„/\\*?,;&.]\.[a-z]\w{0,5})$`), func(u *utterance, m captures) goal {
			if !u.offers(deleteFile) || !isKnownFile(m["name"]) || manyNames.MatchString(m["name"]) || someWords.has(m["name"]) {
				return nil
			}
			return saying{whoseName.In(u.Lang, m["whose"], m["name"])}
		}},
		sayRule(cannotDuplicates,
			`^(?:(?:are|is) there |do i have |have i(?: got)? |find |show |list |search for |look for |which (?:files )?are |delete |remove )?(?:me )?(?:any |all |the |my )*(?:duplicates?|duplicate (?:files?|documents?|photos?|pictures?|lines)|files? that (?:are|exist) (?:twice|double))(?: (?:files|here|there|in .+|of .+))*$`,
			`^(?:有没有|查找|找出|删除)?(?:任何|所有)?重复的?(?:文件|照片)?$`, `^(?:jsou tu|mám|najdi|smaž)(?: mi)?(?: nějaké| všechny)* duplicit\pL+(?: .*)?$`),
		sayRule(cannotTrash,
			`^(?:empty|clear|clean|purge|delete|restore|open|show)(?: (?:me|out|up))?(?: the| my| everything (?:in|from) the| all (?:in|from) the| files from the)* (?:trash|recycle bin|rubbish bin|wastebasket|bin|trash can)(?: .*)?$`, `^what(?:'s| is) in (?:the|my) (?:trash|recycle bin|bin)$`,
			`^(?:清空|打开|恢复)(?:我的)?(?:回收站|垃圾桶|垃圾箱).*$`, `^(?:vysyp|vyprázdni|otevři|obnov z) koš\pL*$`),
		sayRule(cannotUndo,
			`^(?:undo|revert|roll ?back)(?: (?:it|that|this|everything|all|the (?:last )?(?:change|edit|deletion|action)s?|what you (?:did|wrote|changed|deleted)))?$`, `^(?:restore|undelete|recover|put back|bring back|get back) \S+$`, `^(?:put|take|bring|get) (?:it|that|them) back$`,
			`^(?:撤销|撤回|恢复)(?:它|更改|修改|删除|上一步|刚才的.*|\s*\S+)?$`, `^(?:vrať|obnov) (?:to|ho|zpět|zpátky|to zpět|změnu|\S+\.\w+)(?: zpět| zpátky)?$`),
		sayRule(cannotClose,
			`^(?:close|shut)(?: (?:the|this|that|my|a|all|all the|open|current))* (?:files?|documents?|it|\S+\.[a-z]\w{0,5})$`, `^关闭?(?:这个|那个)?(?:文件|文档)$`, `^zavři (?:ho|to|(?:ten )?(?:soubor|dokument))$`),
		sayRule(cannotNote,
			`^(?:make|take|write|add|create|leave|keep)(?: me)?(?: a| this)?(?: new| short| quick)* notes?(?: ?[:,-] ?| (?:that|to|about|of|for) ).+$`, `^(?:note|memo|reminder|to-?do) ?: ?.+$`,
			`^(?:记一下|记下|做个笔记|备忘)[:：,，]?.+$`, `^(?:poznamenej|zapiš) si[:,]? .+$`, `^poznámka ?: ?.+$`),
		sayRule(onlyThisTalk,
			`^what (?:did|have|were) (?:we|i|you) (?:talk|talked|talking|speak|spoken|chat|discuss|discussed|ask|asked|say|said|tell|told)(?: (?:you|me|to you|with you|about))*(?: (?:yesterday|last (?:week|time|month|night)|before|earlier|this morning|the other day|on \w+day|\d+ days ago))+$`,
			`^(?:do you )?remember (?:what|when|our) (?:we|i|you|last|conversation).*$`, `^我们(?:昨天|上次|上周|之前)(?:聊|谈|说)了?(?:什么|些什么)$`, `^o čem jsme (?:včera|minule|naposledy) (?:mluvili|psali|hovořili)$`),
		{newPatterns(
			`^(?:sort|order|arrange|rank|reverse|shuffle|alphabeti[sz]e)(?: .*)? .+$|^(?:sort|order|arrange|rank|reverse|shuffle|alphabeti[sz]e) \S+$`,
			`^in \S+,? (?:sort|order|arrange|rank|reverse|add up|sum)(?: .*)?$`,
			`^(?:(?:what(?:'s| is) |calculate |compute |give me |work out )?(?:the )?(?:sum|total|average|mean|median|minimum|maximum|highest|lowest) (?:of|in) .+|(?:add up|total|average|sum) .+)$`,
			`^(?:给|把|将)?.+(?:排序|求和|求平均值?|相加)$`, `^(?:seřaď|setřiď|sečti|zprůměruj) .+$`,
		), func(u *utterance, _ captures) goal {
			path := u.fileNamed()
			if path == "" {
				path = strings.TrimRight(u.path(), ",;:")
			}
			if path == "" || sumsUp.has(u.core) || counts.has(u.core) && ofLines.has(u.core) && !ordersLines.has(u.core) {
				return nil
			}
			return calls{lang.Words{EN: cannotSort.In(u.Lang, path)}, []oneCall{{tool: readFile, args: arguments{"path": path}}}}
		}},
	}
}

var (
	// sumsUp asks for a summary.
	sumsUp = newPattern(`^sum up `)
	// ordersLines asks for an order of lines.
	ordersLines = newPattern(`^(?:sort|order|arrange|rank|reverse|shuffle|alphabeti[sz]e)(?: |$)|排序|^(?:seřaď|setřiď) `)
)
