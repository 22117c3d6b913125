package agent

import (
	"regexp"
	"strings"
	"sync"

	"loci/internal/lang"
	"loci/internal/text"
)

// A tiny model is let talk and nothing else, and says all the same that it has done
// something, or is about to. A line behind its words says that it has not. Whoever asked
// for words, a story or a letter, gets them without it.

// onlyTalked is that line.
var onlyTalked = lang.Words{
	EN: "(These are only the model's words: nothing was done.)",
	ZH: "（这只是模型的话：实际上什么也没有做。）",
	CS: "(To jsou jen slova modelu: nic se nestalo.)",
}

// Deeds as they are told of and as they are promised, and the words between.
const (
	deedDone   = `(?:sent|turned (?:on|off|up|down|the|your|it)|switched|ordered|booked|called|phoned|texted|messaged|paid|bought|purchased|reserved|scheduled|cancell?ed|locked|unlocked|opened|closed|installed|uninstalled|updated|upgraded|downloaded|uploaded|printed|deleted|moved|renamed|copied|saved|stored|set|started|restarted|rebooted|shut down|connected|disconnected|muted|lowered|raised|dimmed|delivered|posted|submitted|placed|transferred|forwarded|notified|contacted|emailed|recorded|activated|deactivated|enabled|disabled|added|removed|cleaned|fed|watered)`
	deedToDo   = `(?:send|turn (?:on|off|up|down|the|your|it)|switch|order|book|call (?:the|your|him|her|them|mum|mom|dad|my|a|an|[a-z]+$)|phone|text|pay|buy|purchase|reserve|schedule|cancel|lock|unlock|open|close|install|uninstall|update|upgrade|download|upload|print|delete|move|rename|copy|save|store|start|restart|reboot|shut down|connect|disconnect|mute|lower|raise|dim|deliver|post|submit|place|transfer|forward|notify|contact|email|record|activate|deactivate|enable|disable|remove|clean|feed|water)`
	deedAdverb = `(?: (?:just|now|already|successfully|gladly|be happy to|immediately|right away))*`
)

// claim is a form of a claim, with an example.
type claim struct {
	form    *regexp.Regexp
	example string
}

// toldOf says of the world what was done there, by whom or when.
var toldOf = regexp.MustCompile(`(?i)\b(?:has|have) been [\pL ]+ (?:by (?:the |\pL)|in (?:the )?\d{3,4}|since |during |for (?:years|centuries|decades))`)

// claims are all of them. They take half a megabyte, and only a tiny model needs them.
var claims = sync.OnceValue(func() []claim {
	return []claim{
		{regexp.MustCompile(`(?i)^(?:all )?done[.!]*$`), "Done!"},
		{regexp.MustCompile(`(?i)\bI(?:['’]ve| have)` + deedAdverb + ` ` + deedDone + `\b`), "I've just sent the message."},
		{regexp.MustCompile(`(?i)\bI` + deedAdverb + ` ` + deedDone + ` (?:the|your|it|a|an)\b`), "I turned off the light."},
		{regexp.MustCompile(`(?i)\bI(?:['’]ll| will| am going to|['’]m going to)` + deedAdverb + ` ` + deedToDo + `\b`), "I'll order it now."},
		{regexp.MustCompile(`(?i)\bI(?:['’]m| am)` + deedAdverb + ` (?:sending|turning (?:on|off)|ordering|booking|calling|paying|buying|locking|opening|closing|installing|updating|downloading|printing|deleting|restarting)\b`), "I am now calling your mother."},
		{regexp.MustCompile(`(?i)(?:^|[,;] |\band )(?:now,? )?(?:your|it|this|that|the|all)\b[^,;]{0,40}? (?:has|have) been` + deedAdverb + ` ` + deedDone + `\b`), "Your order has been placed."},
		{regexp.MustCompile(`(?i)\bis now (?:on|off|locked|unlocked|open|closed|playing|set|installed|running|muted|connected)\b`), "The light is now off."},
		{regexp.MustCompile(`我?已经?(?:为您|为你|帮您|帮你|把|将|给)?.{0,8}(?:发送|打开|关闭|关掉|删除|预订|订购|下单|支付|安装|拨打|锁定|保存|添加|设置|完成)`), "已为您打开空调。"},
		{regexp.MustCompile(`(?i)^hotovo[.!]*$|(?:^|[^\pL])(?:právě |už |teď )*jsem (?:vám |ti |to |právě |už )*(?:odeslal|poslal|zapnul|vypnul|objednal|zarezervoval|zavolal|zaplatil|koupil|zamkl|otevřel|zavřel|nainstaloval|smazal|uložil|přidal)a?(?:[^\pL]|$)`), "Právě jsem vypnul světlo."},
	}
})

// wordsAsked begins requests for words, in which anything may be told.
var wordsAsked = regexp.MustCompile(`(?i)^(?:(?:please|can you|could you|would you|hey|ok|now|and),? )*(?:write|tell|make|imagine|pretend|act|play|role-?play|say|compose|draft|rewrite|rephrase|translate|correct|continue|finish|complete|invent|sing|summari[sz]e|describe|explain|give|let's|be|repeat|suppose|what|who|why|how|when|where|go on|more|another|i(?:'d)? (?:want|need|would like|like)(?: to hear)? (?:an?|some|the|another) (?:\pL+ ){0,3}(?:story|tale|poem|letter|song|joke|e-?mail|speech|essay|dialogue|script|fairy ?tale|rhyme|text|scene|toast|love letter))\b|写|讲|说|翻译|编|扮演|假装|想象|^(?:napiš|vymysli|řekni|přelož|představ|hraj|vyprávěj|pokračuj|oprav)`)

// claimsDeed tells whether a reply to what was asked says at its beginning that something
// is done.
func claimsDeed(said, asked string) bool {
	if wordsAsked.MatchString(strings.TrimSpace(text.Clip(asked, longestWish))) {
		return false
	}
	const sentences = 3
	said = strings.TrimSpace(text.Clip(said, longestPromise))
	for i, s := range sentence.Split(said, -1) {
		if i == sentences {
			break
		}
		s = strings.Trim(s, " \t\"'")
		if conditional.MatchString(s) || toldOf.MatchString(s) {
			continue
		}
		for _, c := range claims() {
			if c.form.MatchString(s) {
				return true
			}
		}
	}
	return false
}
