package intent

import (
	"strings"

	"loci"
	"loci/internal/lang"
)

// saying is a goal that is reached by a sentence of the runtime's own.
type saying struct{ text string }

// first is no tool.
func (saying) first() string { return "" }

// next says it.
func (g saying) next(*utterance, []loci.ToolResult) loci.Move { return loci.Move{Say: g.text} }

// sayRule makes a rule that answers with fixed words.
func sayRule(w lang.Words, patterns ...string) rule {
	return rule{newPatterns(patterns...), func(u *utterance, _ captures) goal { return saying{w.In(u.Lang)} }}
}

// shrugRule makes a rule that answers with fixed words where no other wording helps.
func shrugRule(w lang.Words, patterns ...string) rule {
	return rule{newPatterns(patterns...), func(u *utterance, _ captures) goal { return shrug{saying{w.In(u.Lang)}} }}
}

// What is said to what people say first. A model of a hundred million weights
// answers a greeting with somebody else's life.
var (
	hello       = lang.Words{EN: "Hello%s! What would you like to know?", ZH: "您好%s！您想了解什么？", CS: "Dobrý den%s! Co byste chtěli vědět?"}
	goodMorning = lang.Words{EN: "Good morning%s! What would you like to know?", ZH: "早上好%s！您想了解什么？", CS: "Dobré ráno%s! Co byste chtěli vědět?"}
	goodEvening = lang.Words{EN: "Good evening%s! What would you like to know?", ZH: "晚上好%s！您想了解什么？", CS: "Dobrý večer%s! Co byste chtěli vědět?"}
	goodNight   = lang.Words{EN: "Good night!", ZH: "晚安！", CS: "Dobrou noc!"}
	welcome     = lang.Words{EN: "You are welcome!", ZH: "不客气！", CS: "Není zač!"}
	goodbye     = lang.Words{EN: "Goodbye! I will be here when you need me.", ZH: "再见！需要时我都在。", CS: "Na shledanou! Kdykoli budete potřebovat, jsem tu."}
	fine        = lang.Words{EN: "I am fine, thank you! What can I do for you?", ZH: "我很好，谢谢！有什么可以帮您？", CS: "Mám se dobře, děkuji! Co pro vás mohu udělat?"}
	allRight    = lang.Words{EN: "All right. What else would you like to know?", ZH: "好的。您还想了解什么？", CS: "Dobře. Co dalšího byste chtěli vědět?"}
	noHarm      = lang.Words{EN: "No harm done. What would you like to know?", ZH: "没关系。您想了解什么？", CS: "Nic se neděje. Co byste chtěli vědět?"}
	whoIAm      = lang.Words{EN: "I am loci, an assistant that runs on your own computer. I look things up in the folders that you allow, tell about this computer, and calculate.", ZH: "我是 loci，一个运行在您自己电脑上的助手。我可以在您允许的文件夹中查找内容、介绍这台电脑，还会计算。", CS: "Jsem loci, pomocník, který běží na vašem počítači. Hledám ve složkách, které povolíte, řeknu vám o tomto počítači a umím počítat."}
	whichModel  = lang.Words{EN: " The language model behind me is %s.", ZH: "我背后的语言模型是 %s。", CS: " Jazykový model za mnou je %s."}
	whatICan    = lang.Words{
		EN: "I can list, read, search and sum up the files in the folders that you allow, tell about this computer (memory, disk, programs), tell the date and time, and calculate. For example:\n- Which files changed today?\n- What does notes.md say?",
		ZH: "我可以列出、阅读、搜索和总结您允许的文件夹中的文件，介绍这台电脑（内存、磁盘、程序），告诉您日期和时间，还会计算。例如：\n- 今天修改了哪些文件？\n- notes.md 里写了什么？",
		CS: "Umím vypsat, přečíst, prohledat a shrnout soubory ve složkách, které povolíte, říct vám o tomto počítači (paměť, disk, programy), kolik je hodin a jaký je den, a počítat. Například:\n- Které soubory se dnes změnily?\n- Co je v souboru notes.md?",
	}
	whatIChange = lang.Words{
		EN: "\nI can also write, change, rename, move and delete a file, and ask you first:\n- Write \"buy milk\" to todo.txt",
		ZH: "\n我还可以写入、修改、重命名、移动和删除文件，并且会先询问您：\n- 把“买牛奶”写入 todo.txt",
		CS: "\nUmím také soubor zapsat, změnit, přejmenovat, přesunout a smazat a předem se zeptám:\n- Zapiš „koupit mléko“ do todo.txt",
	}
	youAre      = lang.Words{EN: "You are %s.", ZH: "您是%s。", CS: "Jste %s."}
	whoAreYou   = lang.Words{EN: "I do not know your name.", ZH: "我不知道您的名字。", CS: "Vaše jméno neznám."}
	namedBefore = newPattern(`(?:^|[ ,.!])(?:my name is|call me|jmenuji se|jmenuju se|我叫|我的名字是)\s*(?P<name>\pL[\pL'-]{0,40})`)
	addressed   = `(?:,? (?:there|loci|again|everyone|all|friend|my friend|buddy))*`
	howAreYou   = `(?:how are you(?: doing| feeling)?(?: today)?|how(?:'s| is) it going|how are things|how do you do|how(?:'s| is) your day|what's up|你好吗|你怎么样|最近怎么样|最近好吗|jak se (?:máš|máte|vede|daří)(?: dnes)?|jak to jde|jak je)`
	anyGreeting = `(?:hi+|hello+|hey+|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|你好|您好|嗨|ahoj|čau|nazdar|zdravím|dobrý den)`
	whoQuestion = `(?:(?:who|what) (?:exactly )?are you|what(?:'s| is) your name|do you have a name|introduce yourself|tell me about yourself|who are you and what can you do|who (?:made|created|built|wrote|developed|programmed|trained|owns) you|are you (?:an? )?(?:chatgpt|gpt\S*|claude|gemini|llama|siri|alexa|human|robot|bot|ai|a person|real|an ai|machine|program)|你是谁|你是什么|你叫什么(?:名字)?|介绍一下你自己|谁(?:创造|开发|制作|制造)了?你的?|kdo jsi|kdo jste|co jsi(?: zač)?|jak se jmenuješ|jak se jmenujete|kdo tě (?:vytvořil|udělal|naprogramoval))`
	canQuestion = `(?:help(?: me)?|what (?:can|do) you do(?: for me)?|what (?:else )?can you (?:do|help)(?: me)?(?: with)?(?: for me)?|how can you help(?: me)?|what can i (?:ask|do|say)(?: you)?(?: here)?|what are you (?:able to do|capable of|good (?:at|for))|what are your (?:abilities|capabilities|skills|functions|features)|how (?:do|can) i use (?:you|this|loci)|how does (?:this|loci) work|what is (?:this|loci)|can you help me|what (?:tools|commands) (?:do you have|are there)|你能做什么|你会(?:做)?什么|你能帮我做什么|你可以做什么|你有什么功能|帮助|帮帮我|怎么用|co (?:umíš|umíte|dovedeš|všechno umíš|dokážeš)|s čím (?:mi )?(?:můžeš|můžete) pomoci?|(?:pomoz mi|pomoc|nápověda)|jak tě (?:mám )?použ\pL+)`
)

// greeting greets, by name where it is known.
func greeting(w lang.Words, patterns ...string) rule {
	return rule{newPatterns(patterns...), func(u *utterance, _ captures) goal {
		name := u.User
		if name != "" {
			name = lang.Words{EN: ", ", ZH: "，", CS: ", "}.In(u.Lang) + name
		}
		return saying{w.In(u.Lang, name)}
	}}
}

// smallTalk answers greetings, thanks and questions about loci. Its patterns
// match the words as they were said, because what is politeness before a request
// is all there is here.
func smallTalk() []rule {
	return []rule{
		talkRule(surelyTalk),
		sayRule(fine, `^(?:`+anyGreeting+addressed+`[,.!！， ]*)?`+howAreYou+`$`),
		greeting(goodMorning, `^(?:good morning|morning|早上好|早安|早|dobré ráno|dobré jitro)`+addressed+`$`),
		greeting(goodEvening, `^(?:good evening|晚上好|dobrý večer)`+addressed+`$`),
		sayRule(goodNight, `^(?:good ?night|晚安|dobrou noc|dobrou)`+addressed+`$`),
		greeting(hello, `^(?:`+anyGreeting+`)`+addressed+`$`),
		sayRule(welcome, `^(?:(?:ok|okay|great|good|perfect|nice|no|yes),? )?(?:thanks|thank you|thx|ty|cheers|many thanks|谢谢|多谢|感谢|谢了|díky|děkuji|děkuju|dík)(?: (?:a lot|so much|very much|you|loci|again|a bunch|for (?:your|the) help|moc|mockrát|pěkně)|你|您|了)*(?:,? (?:that's all|that is all|that helped|to je vše|bye))?$`),
		sayRule(goodbye, `^(?:ok |okay )?(?:bye|goodbye|good bye|bye bye|see you|see ya|cya|farewell|so long|take care|再见|拜拜|回头见|na shledanou|nashledanou|sbohem|měj se|mějte se|tak zatím)(?:,? (?:loci|bye|now|then|later|soon|tomorrow))*$`),
		sayRule(noHarm, `^(?:i'm |i am )?(?:sorry|apologies|对不起|抱歉|promiň|promiňte|omlouvám se)$`),
		sayRule(allRight, `^(?:ok|okay|great|cool|nice|good|perfect|awesome|wonderful|fine|got it|i see|alright|all right|understood|well done|good job|not bad|好的|好|知道了|明白了|很好|太好了|dobře|jasně|super|skvěle|výborně|chápu|fajn)$`),
		{newPatterns(`^(?:` + anyGreeting + addressed + `[,.!！， ]*)?(?:` + whoQuestion + `|(?:what|which) (?:language )?model (?:are you(?: using)?|is this|do you use|am i (?:talking|speaking) to)|你是什么模型|jaký jsi model)$`),
			func(u *utterance, _ captures) goal {
				text := whoIAm.In(u.Lang)
				if u.Model != "" {
					text += whichModel.In(u.Lang, u.Model)
				}
				return saying{text}
			}},
		{newPatterns(`^(?:` + anyGreeting + addressed + `[,.!！， ]*)?(?:please )?` + canQuestion + `$`), func(u *utterance, _ captures) goal {
			text := whatICan.In(u.Lang)
			if u.offers(writeFile) {
				text += whatIChange.In(u.Lang)
			}
			return saying{text}
		}},
		{newPatterns(`^(?:do you (?:know|remember) )?(?:(?:what(?:'s| is)|tell me) my (?:first |own )?name(?: is)?|my name|who am i|who i am)$`, `^(?:你知道)?我(?:叫什么(?:名字)?|是谁|的名字是什么)$`, `^(?:víš,? )?(?:jak se jmenuj[iu]|kdo jsem|jaké je (?:mé|moje) jméno)$`),
			func(u *utterance, _ captures) goal {
				if name := u.name(); name != "" {
					return saying{youAre.In(u.Lang, name)}
				}
				return saying{whoAreYou.In(u.Lang)}
			}},
	}
}

// surelyTalk are words for the model that other rules would take for a request.
var surelyTalk = forms(
	`^let's play(?: (?:an? |some )?(?:\pL+ )?games?(?: .*)?)?$`, "let's play a word game",
	`^take your time$`, "take your time",
	`^share (?:an?|some|your|one)(?: \pL+){0,2} (?:facts?|stor(?:y|ies)|thoughts?|jokes?|ideas?|opinions?|tips?|quotes?|poems?|secrets?)(?: .*)?$`, "share a fun fact",
	`^(?:grade|rate|judge|mark) (?:this|my) answer: `, "grade this answer: 2+2=5",
	`^(?:paint|draw)(?: me)? .+ (?:with|in|using) words$`, "paint a picture with words",
	`^turn (?:this|these|that|it|my [\pL ]+) into an? (?:poem|song|story|haiku|rap|joke|list|letter|dialogue)(?:[: ].*)?$`, "turn it into a poem",
	`^draw (?:an? |some |the |your )?(?:conclusions?|parallels?|comparisons?|lessons?|distinctions?)(?: .*)?$`, "draw a conclusion from that",
	`^(?:spill the (?:tea|beans)|save the best for last|sell me this pen|break (?:a leg|the ice)|drop the (?:act|attitude)|cut to the chase|bite the bullet|hit the road|call it a day)$`, "break a leg",
)

// talkRule makes a rule that leaves words to the model.
func talkRule(known []form) rule {
	r := rule{goal: func(*utterance, captures) goal { return talking{} }}
	for _, f := range known {
		r.patterns = append(r.patterns, f.pattern)
	}
	return r
}

// talking is the goal of words that the model answers.
type talking struct{}

// first is no tool.
func (talking) first() string { return "" }

// next lets the model talk.
func (talking) next(*utterance, []loci.ToolResult) loci.Move { return letTalk }

// name is how the person is called: as they said in this conversation, or else
// as it is set.
func (u *utterance) name() string {
	name := u.User
	for _, m := range u.History {
		if m.Role != loci.User {
			continue
		}
		if said, ok := namedBefore.match(strings.Join(strings.Fields(m.Content), " ")); ok {
			name = said["name"]
		}
	}
	return name
}
