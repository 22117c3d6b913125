package intent

import (
	"regexp"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// An order for a deed that no tool does ("lock the screen", "order a pizza") is not left
// to the model: one of a hundred million weights says that it has done it. There is no
// end of such deeds, so they are told by their form: what begins like an order, and asks
// for no words, is one.

var (
	cannotDeed = lang.Words{
		EN: "I cannot do that, and nothing was done. I can note it down for you: add \"%s\" to todo.txt",
		ZH: "这个我做不到，什么也没有做。我可以替您记下来：把“%s”添加到 todo.txt",
		CS: "To neumím a nic jsem neudělal. Mohu vám to poznamenat: přidej \"%s\" do todo.txt",
	}
	cannotDeedAtAll = lang.Words{
		EN: "I cannot do that, and nothing was done. Ask “what can you do?” for what I can.",
		ZH: "这个我做不到，什么也没有做。问我“你能做什么？”可以了解我会做的事。",
		CS: "To neumím a nic jsem neudělal. Co umím, řeknu na otázku „co umíš?“",
	}
	cannotReach = lang.Words{
		EN: "I cannot reach anybody, and nothing was sent. I can note it down for you: add \"%s\" to todo.txt",
		ZH: "我无法联系任何人，什么也没有发送。我可以替您记下来：把“%s”添加到 todo.txt",
		CS: "Nikoho nezastihnu a nic jsem neposlal. Mohu vám to poznamenat: přidej \"%s\" do todo.txt",
	}
)

// deedFields are what deeds are about, with what can be done instead.
var deedFields = []struct {
	form  []form
	words lang.Words
}{
	{forms(
		`^(?:call|phone|ring|text|message|dial|tweet|post|send|invite|mail|email|dm|share|contact) `, "call mum",
		`电话|微信|短信`, "给妈妈打电话",
		`^(?:zavolej|pošli|odešli|napiš|pozvi)(?:te)? `, "zavolej mámě",
	), cannotReach},
	{forms(
		`^take (?:an? |me a )?(?:photo|picture|selfie|snapshot|screenshot)`, "take a selfie",
		`拍照|截[图屏]`, "截图",
		`^(?:vyfoť|udělej (?:snímek|fotku))(?: |$)`, "vyfoť obrazovku",
	), cannotDraw},
	{forms(
		`\b(?:screen|computer|laptop|windows|wi-?fi|bluetooth|drivers?|software|programs?|apps?|browser|tabs?|printer|router|server|desktop|wallpaper|brightness)\b`, "lock the screen",
		`^(?:install|uninstall|update|upgrade|download|reboot|restart) `, "install photoshop",
		`屏|安装|卸载|重启|下载|蓝牙`, "安装微信",
		`(?:^| )(?:obrazovk\pL+|počítač\pL*|nainstaluj|restartuj|stáhni|tiskárn\pL+)(?: |$)`, "restartuj počítač",
	), cannotRun},
}

var (
	// deedLead is what may stand before an order.
	deedLead = newPattern(`^(?:(?P<asks>let's|can you|could you|would you|will you|would you mind|mind)|please|pls|plz|hey|hi|hello|ok|okay|so|well|now|then|and|also|just|quickly|quick|kindly|loci|computer|go ahead and|go and|i(?:'d| would) like you to|i (?:want|need) you to|you (?:must|should|have to|need to))[,!:]? (?P<rest>\S.*)$`)
	// condition stands before an order that is for later.
	condition = newPattern(`^(?:if|when|once|after|before|as soon as) [^,]+, (?P<rest>\S.*)$`)
	// orderEnd parts the sentences of a message.
	orderEnd = regexp.MustCompile(`[.!?]+\s+|\n+`)
	// states is a verb that makes a statement of what may have begun like an order.
	states = wordSet(`is are was were has had will would can could should means matters isn't aren't wasn't doesn't don't can't won't sucks rocks seems makes looks sounds`)
	// subordinate ends the part of an order in which there is no such verb.
	subordinate = wordSet(`that if when because who which and but so before after until unless while what where how as since for`)
	// theGreat are names of people and of things that look like a verb and its object.
	theGreat = regexp.MustCompile(`^\p{Lu}\pL+ the \p{Lu}`)
	// givenText is a text that something is to be done with.
	givenText = regexp.MustCompile(`:\s*\S+\s+\S|["“„]`)
)

// foreignDeeds are orders for deeds in the languages whose verbs are known by their form.
var foreignDeeds = forms(
	`^(?:锁屏|锁定|截图|截屏|拍照|关灯|开灯|关机|关窗|开门|关门)`, "锁屏",
	`^(?:(?:帮我|给我|替我|给)?.{0,6}打(?:个)?电话|呼叫|拨打)`, "给妈妈打电话",
	`^(?:帮我|给我|替我)?(?:订|预订|预定|买|购买|支付|付|转账|退|租)(?:一|两|三|个|张|份|房|票|餐|外卖|披萨|机票|酒店|牛奶|账单|钱|款|了)`, "订一个披萨",
	`^(?:帮我|给我|替我)?(?:打印|安装|卸载|下载|上传|重启|连接|断开|静音|录音|录像|叫车|叫外卖|打车)`, "打印这一页",
	`^(?:打开|关闭|关掉|开启|调高|调低|调大|调小).{0,6}(?:灯|空调|电视|蓝牙|无线|wi-?fi|音量|亮度|暖气|门|窗|风扇|飞行模式)`, "打开空调",
	`^(?:zamkni|odemkni|rozsviť|zhasni|vypni|zapni|ztlum|zesil|zeslab|restartuj|odinstaluj|nainstaluj|aktualizuj|vytiskni|vyfoť|nahraj|připoj|odpoj)(?:te)? `, "zhasni světlo",
	`^(?:objednej|kup|zaplať|zarezervuj|rezervuj|zruš|zavolej|prodej|pronajmi|stáhni|pošli|odešli)(?:te)? `, "objednej pizzu",
	`^(?:uvař|upeč|ukliď|umyj|vyper|vyžehli|vysaj|nakrm|vyvenči|zalij|přines|přivez|odvez|zavři|posekej)(?:te)? `, "uvař kávu",
)

// deed gives the sentence for an order that no tool carries out; empty where the words
// are no such order.
func (u *utterance) deed() string {
	const longest = 300 // bytes of an order
	if len(u.said) > longest {
		return ""
	}
	order := u.orderedDeed()
	if order == "" {
		return ""
	}
	words := cannotDeed
	for _, f := range deedFields {
		if slices.ContainsFunc(f.form, func(p form) bool { return p.has(order) }) {
			words = f.words
			break
		}
	}
	switch {
	case words == cannotRun && !u.offers(runCommand):
		return cannotDeedAtAll.In(u.Lang)
	case words != cannotDeed && words != cannotReach:
		return words.In(u.Lang)
	}
	const longestNote = 60
	if !u.offers(writeFile) || len(order) > longestNote || strings.ContainsAny(order, "\"“”„\n") {
		return cannotDeedAtAll.In(u.Lang)
	}
	return words.In(u.Lang, order)
}

// orderedDeed is the order for a deed in what was said, without what stands before it.
// Where another sentence asks for words, the person talks.
func (u *utterance) orderedDeed() string {
	if u.Lang != lang.English {
		for _, d := range foreignDeeds {
			if d.has(u.core) {
				return u.core
			}
		}
		return ""
	}
	found := ""
	if noDeed.has(u.core) || noDeed.has(u.said) {
		return ""
	}
	for _, s := range orderEnd.Split(u.Text, -1) {
		order, asked := orderOf(s)
		words := strings.Fields(strings.ToLower(order))
		if len(words) == 0 {
			continue
		}
		switch {
		case isDeed(order, asked):
			found = order
		case wordVerbs[words[0]] && !nounVerbs[words[0]] && found == "":
			return ""
		}
	}
	return found
}

// orderOf takes off a sentence what stands before the order, and tells whether it is
// put as a question.
func orderOf(s string) (order string, asked bool) {
	s = trimEnd(strings.Join(strings.Fields(strings.ReplaceAll(s, "’", "'")), " "))
	for range 6 {
		m, ok := deedLead.match(s)
		if !ok {
			if m, ok = condition.match(s); !ok {
				break
			}
		}
		asked = asked || m["asks"] != ""
		s = m["rest"]
	}
	return s, asked
}

// isDeed tells whether a sentence orders a deed. One that is put as a question must have
// a verb that is surely one of deeds, or name what it is to be done to.
func isDeed(order string, asked bool) bool {
	words := strings.Fields(strings.ToLower(strings.NewReplacer(",", "", ";", "", "(", "", ")", "").Replace(order)))
	if len(words) < 2 || !isVerbForm(words[0]) || theGreat.MatchString(order) || stated(order) || sorts.has(order) {
		return false
	}
	verb, next := words[0], words[1]
	switch {
	case hasOf(words[2:], outWorld) && (outVerbs[verb] || !noVerbs[verb] && !wordVerbs[verb] && (objectWords[next] || worldVerbs[verb] || nounVerbs[verb])):
		return true
	case reaches(verb) && wordThings[next], !reaches(verb) && (hasOf(words[1:], wordThings) || givenText.MatchString(order)):
		return false
	case len(words) > 2 && (next == "it" || next == "them" || next == "everything") && particles[words[2]] && particleVerbs[verb], towards[verb] && (next == "to" || next == "for"):
		return true
	case particleVerbs[verb] && particles[next]:
		return len(words) > 2 || verb != "put"
	case worldVerbs[verb]:
		return !noVerbs[next] || objectWords[next] || next == "more" || next == "to" || next == "it" || next == "them" || people[next] || reaches(verb) || joins[next] && len(words) > 2 && objectWords[words[2]]
	case nounVerbs[verb]:
		return nounDeed(order, words)
	case verb == "go":
		return len(words) > 2 && next == "to" && (objectWords[words[2]] && len(words) > 3 || strings.Contains(words[2], "."))
	case wordVerbs[verb], noVerbs[verb]:
		return false
	case strings.HasSuffix(order, " for me") && len(words) > 3 && next != "it" && next != "this":
		return true
	case len(words) > 3 && (next == "me" || next == "us"):
		return !asked && objectWords[words[2]]
	case len(words) > 3 && particles[next] && next != "in" && objectWords[words[2]]:
		return !asked
	}
	return len(words) > 2 && objectWords[next] && next != "that" && (!asked || pointed[next])
}

// joins stand between a verb and its object: pay for the meal.
var joins = wordSet(`for from at on into out off`)

// pointed are the words of an object that is at hand: who asks would you eat a bug does
// not want it done.
var pointed = wordSet(`the my our this these those`)

// sorts puts things in an order.
var sorts = newPattern(` (?:by (?:size|age|name|date|length|weight|height|colou?r|price|importance|distance|speed)|alphabetically|from .+ to .+est)$`)

// nounDeed tells whether a word that may be a noun, or ask for words, orders a deed.
func nounDeed(order string, words []string) bool {
	verb, next := words[0], words[1]
	object := objectWords[next]
	switch {
	case verb == "call" && (next == "it" || next == "this" || next == "that"):
		return ofThings(words[2:]) || len(words) > 2 && words[2] == "number"
	case verb == "make":
		return makesThing(words[1:])
	case next == "me" || next == "us":
		if verb == "call" && len(words) == 3 { // by a name
			return particles[words[2]] || words[2] == "later"
		}
		return len(words) > 2 && (particles[words[2]] || ofThings(words[2:]) || verb == "call" || verb == "get" && isVerbForm(words[2]) && (!noVerbs[words[2]] || objectWords[words[2]]))
	case wordVerbs[verb]: // make, take, find, set and their like
		return (object || len(words) == 2) && ofThings(words[1:]) || endsInParticle(words) && object
	case object, people[next], next[0] >= '0' && next[0] <= '9':
		return len(words) > 2 || people[next] || !object
	case particles[next]:
		return particleVerbs[verb]
	}
	second := strings.Fields(order)[1]
	return inCapital.MatchString(second) || ofThings(words[1:min(3, len(words))]) || outWorld[next]
}

// makesThing tells whether a thing is to be made, and not something to be made so: make
// it short.
func makesThing(words []string) bool {
	if words[0] == "me" || words[0] == "us" {
		words = words[1:]
	}
	if len(words) > 1 && (words[0] == "a" || words[0] == "an" || words[0] == "some" || words[0] == "two" || words[0] == "three") {
		return true
	}
	return ofThings(words)
}

// inCapital begins with a capital letter, as people do.
var inCapital = regexp.MustCompile(`^\p{Lu}\p{Ll}`)

// endsInParticle is the form of "turn the lights off in the kitchen".
func endsInParticle(words []string) bool {
	if !particleVerbs[words[0]] {
		return false
	}
	for _, w := range words[2:] {
		if w == "off" || w == "on" || w == "up" || w == "down" {
			return true
		}
	}
	return false
}

// ofThings tells whether a thing of the world is among words.
func ofThings(words []string) bool { return hasOf(words, madeThings) }

func hasOf(words []string, set map[string]bool) bool {
	for _, w := range words {
		if subordinate[w] {
			return false
		}
		if set[strings.Trim(w, ".,:;!?'\"")] {
			return true
		}
	}
	return false
}

// stated tells whether words make a statement, before the reason they may give: print is
// dead.
func stated(order string) bool {
	first, _, _ := strings.Cut(strings.ToLower(order), ", ")
	return hasOf(strings.Fields(first)[1:], states)
}

// reaches tells whether a verb says something to somebody else.
func reaches(verb string) bool {
	switch strings.Trim(verb, ":") {
	case "text", "message", "tweet", "post", "send", "email", "mail", "dm", "call", "phone", "contact":
		return true
	}
	return false
}

// isVerbForm tells whether a word can be a verb in an order: no past, no plural.
func isVerbForm(w string) bool {
	switch {
	case worldVerbs[w], nounVerbs[w], towards[w]:
		return true
	case strings.HasSuffix(w, "ing") && len(w) > 5, strings.HasSuffix(w, "ly") && len(w) > 4, strings.HasSuffix(w, "ed") && len(w) > 4, strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"), strings.ContainsAny(w, "'0123456789:./"):
		return false
	}
	return len(w) > 1
}

// refusedDeed keeps orders for deeds away from the model.
func (u *utterance) refusedDeed(move loci.Move) loci.Move {
	if move.Talk == nil || *move.Talk != (loci.Talk{}) {
		return move
	}
	if text := u.deed(); text != "" {
		return loci.Move{Say: text}
	}
	return move
}
