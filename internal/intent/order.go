package intent

import (
	"regexp"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// Whoever talks about files has the same words as one who gives orders about them: "Bob
// deleted a.txt", "I refuse to delete a.txt", "commit message: delete a.txt". So a goal
// that acts, and that no rule read from the whole of the words, needs an order: a clause
// that begins with a verb of the very tool, or one of the few forms that people use
// instead ("a.txt can go", "the port should be 9090"). Nothing else in the words may
// refuse it, put it off, or tell that somebody else said it.

// ordered tells whether words order what a goal does. The naming is of the words.
func (u *utterance) ordered(g goal, n naming) bool {
	if !acts(g) {
		return true
	}
	if changesFile(g) && (whoseFile.has(n.words) || severalDeeds.has(n.words)) || !u.orders(n) {
		return false
	}
	return u.asked(g, n)
}

var (
	// noOrder are words by which a sentence with a verb of doing orders nothing: it asks
	// how, tells of the past, forbids, or only thinks of it.
	noOrder = newPattern(`^(?:(?:and|but|so|well|ok|hey)[, ]+)*(?:how|why|who|when|what|which|should|would|did|does|do (?:i|you|we|they|people)|was|were|has|have|had|if|suppose|imagine|pretend|explain|describe|tell|is it|are you|i (?:just |already |once |accidentally |have )?(?:deleted|removed|moved|renamed|lost|was|were|used|dreamt|dreamed|love|hate|wrote|tried|am|had)|(?:my|our|his|her|the) (?:\pL+ )?(?:\pL+ed|brother|sister|boss|friend|cat|dog|kid|son|daughter|wife|husband|colleague))\b` +
		`|\b(?:don't|do not|dont|never|(?:should|must|shall|may|will|would|could|need) not|not to|without|cannot|can't|didn't|wouldn't|shouldn't|if|unless|maybe|perhaps|might|someone|somebody|he|she|story|poem|joke|dream|hypothetically|yesterday|accidentally|by accident|by mistake|wonder|wondering)\b` +
		`|怎么|如何|为什么|不要|别|如果|假如|我应该|昨天|(?:^| )(?:ne|nechci|kdyby|jak|proč|omylem|včera|kdo|jestli)(?: |$)|(?:^| )ne(?:maž|přesouvej|přejmen|mazat|měň|piš)\pL*`)
	// politeAsk makes an order of a question.
	politeAsk = newPattern(`\b(?:can|could|would|will|please|pls|plz|mind)\b|请|麻烦|可以|能|prosím|můžeš|mohl`)
)

// orders tells that the words order something to be done now.
func (u *utterance) orders(n naming) bool {
	if u.endsInQuestion() && !politeAsk.has(u.Text) {
		return false
	}
	return !noOrder.has(notNeeded.compiled().ReplaceAllString(n.words, " "))
}

// changesFile tells whether a goal changes a file.
func changesFile(g goal) bool { return slices.Contains(changers, g.first()) }

var (
	// whoseFile is a file before whose name stands a word that may belong to it.
	whoseFile = newPattern(`\b(?:my|our|your|new|text) ‹file|(?:můj|moje|náš|nový) ‹file`)
	// severalDeeds are more than one thing to do.
	severalDeeds = newPattern(`\b(?:and|then|,) (?:then |also |please )*(?:list|show|read|open|create|move|rename|run|copy|print|display|search|find|count|summari[sz]e)\b(?: \pL|$)|然后|再(?:列出|显示|打开|读)|(?:^| )(?:a|pak|potom) (?:ukaž|vypiš|přečti|otevři)`)
)

// notNeeded is why something may go, in spite of its no.
var notNeeded = newPattern(`\b(?:i |we |you |nobody |that |it )*(?:don't|do not|dont|no longer|isn't|is not|not|won't|never|can't) (?:really )?(?:need|want|use|require|like|stand|see)\w*(?: (?:it|that|this|them|any ?more|any longer|now))*|\b(?:no longer|any ?more|not) (?:needed|used|useful|wanted|necessary|required)|(?:已经)?(?:不需要|不要|没用|用不着|不用)(?:它)?了|už (?:ho|ji|to|jej)? ?nepotřebuj\pL*|k ničemu není`)

// asked is ordered for a part of the words that a rule read: what stands around it is
// looked at, and it may have a no that forbids nothing.
func (u *utterance) asked(g goal, n naming) bool {
	words := orderWords(g, n)
	if !u.meant(g) {
		return false
	}
	if isMaterial(words) || putOff.has(words) || changesFile(g) && takesBackFile.has(words) {
		return false
	}
	if u.endsInQuestion() && !asksFor.has(strings.TrimSpace(u.Text)) && (g.first() == deleteFile || !asksWhether.has(n.words)) {
		return false
	}
	switch u.Lang {
	case lang.Chinese:
		return !notOrderedZH.has(words) && (!isQuestionZH.has(u.Text) || asksForZH.has(u.Text))
	case lang.Czech:
		return !notOrderedCS.has(words) && (g.first() != deleteFile && g.first() != moveFile || anyClause(words, orderCS))
	}
	forms, ok := orderForms[g.first()]
	return !ok || anyClause(words, orderCS) || slices.ContainsFunc(forms, func(p pattern) bool { return anyClause(words, p) })
}

// meant tells of a goal that acts whether it can be meant, whatever read it: a value is a
// value and a text a text, and the words do not ask or forbid.
func (u *utterance) meant(g goal) bool {
	core := notNeeded.compiled().ReplaceAllString(unused.compiled().ReplaceAllString(u.core, " "), " ")
	switch {
	case notAsked.has(core) && !reassures.has(core), thoughtOf.has(core):
		return false
	case g.first() == editFile && u.endsInQuestion() && statesValue.has(core) && !asksFor.has(u.Text):
		return false
	case slices.ContainsFunc(newTexts(g), noNewText.has), slices.ContainsFunc(newValues(g), noNewValue.has):
		return false
	case !anyQuote.MatchString(core) && slices.ContainsFunc(newValues(g), severalSwaps.has):
		return false
	}
	return g.first() != mediaControl || ofPlayer(u.core)
}

// newTexts are the texts that a goal puts somewhere.
func newTexts(g goal) []string {
	switch g := g.(type) {
	case appending:
		return []string{g.text}
	case change:
		text, _ := g.args["content"].(string)
		return []string{text}
	case lineCut:
		return []string{g.instead}
	}
	return nil
}

// newValues are what a goal puts in the place of something.
func newValues(g goal) (all []string) {
	switch g := g.(type) {
	case setting:
		all = append(all, g.value)
	case replacing:
		for _, s := range g.swaps {
			all = append(all, s.new)
		}
	case change:
		text, _ := g.args["new_text"].(string)
		all = append(all, text)
	}
	return all
}

// orderWords are the words with signs, in small letters, without the reason that has a no
// in it, and without the texts that are to be written: those may say anything.
func orderWords(g goal, n naming) string {
	words := strings.ToLower(n.words)
	if g.first() != writeFile { // no reason to write something
		words = notNeeded.compiled().ReplaceAllString(words, " ")
	} else if notNeeded.has(words) {
		return ""
	}
	texts := newTexts(g)
	switch g := g.(type) {
	case replacing:
		texts = append(texts, g.swaps[0].new)
		for _, s := range g.swaps {
			texts = append(texts, s.old)
		}
	case setting:
		texts = append(texts, g.value)
	}
	for _, t := range texts {
		if t = strings.ToLower(strings.Join(strings.Fields(t), " ")); len(t) > 2 {
			words = strings.ReplaceAll(words, t, "‹text›")
		}
	}
	return strings.Join(strings.Fields(words), " ")
}

// anyClause tells whether a clause of the words, or what begins with one, has a form.
func anyClause(words string, form pattern) bool {
	for from := 0; ; {
		if form.has(words[from:]) {
			return true
		}
		at := clauseEnd.FindStringIndex(words[from:])
		if at == nil {
			return false
		}
		from += at[1]
	}
}

// clauseEnd is between two clauses.
var clauseEnd = regexp.MustCompile(`\s*[,;:.!?…](?:\s+|$)|\s+[-–—]+\s+|\s+(?:and|so|but|because|since|as|then)\s+|\s+(?:a|tak|pak)\s+`)

// isMaterial tells whether words are something to speak of: a title or a message after a
// colon, or what is to be translated.
func isMaterial(words string) bool {
	before, _, ok := strings.Cut(words, ":")
	if colon := strings.Index(words, "："); !ok && colon >= 0 {
		before, ok = words[:colon], true
	}
	return ok && !strings.Contains(before, "‹") && !beforeColon.has(before) || speaksOf.has(words)
}

var (
	// beforeColon may lead to an order.
	beforeColon = newPattern(`^(?:` + leading + `|do (?:this|the following)|one (?:more )?thing|(?:new )?(?:task|order|job|request)|favou?r|` + changeVerbs + `\b.*)*$`)
	// speaksOf asks for words about what follows.
	speaksOf = newPattern(`^(?:(?:please|now|can you|could you|just) )*(?:translate|summari[sz]e|explain|repeat|rephrase|proofread|paraphrase|define|spell out|read out|quote|pronounce|say ‹text|spell ‹|say (?:delete|remove|move|rename)|write (?:a|an|me a) (?:story|poem|song|joke|essay)|tell|imagine|pretend|suppose)\b|^(?:翻译|解释|总结|重复|朗读)|^(?:přelož|vysvětli|zopakuj|shrň|oprav mi větu)`)
	// putOff is for later, or only if something else happens.
	putOff = newPattern(`\b(?:tomorrow|later|tonight|some ?day|one day|next (?:week|month|year|time|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|in (?:an?|one|two|\d+) (?:minute|hour|day|week|month|year)s?|in the future|eventually|sooner or later)\b` +
		`|\b(?:when|once|after|before|until|till|as soon as|whenever|while) (?:i|you|we|they|he|she|it|everyone|\pL+ (?:agrees|says|is|are|has|comes|arrives))\b|^(?:before|after|until) ` +
		`|\b(?:no way|never mind|nevermind|just kidding|kidding|joking|only joking|forget it|i would never|for now leave|not yet|leave (?:it|that|them) (?:for now|alone|be|as it is|there)|undo|used to be|refuse\w*|forgot|regret|thought|believed|hesitate|said|told|suggested|heard)\b`)
	// takesBackFile keeps a file from what is done to it.
	takesBackFile = newPattern(`\b(?:but|and) (?:first |please |also )?(?:keep|save|leave|make|take|wait|not|back up|backup|copy)\b|\b(?:protect|prevent|avoid|refrain|forbid\w*|forbidden|dangerous|mistake|bad idea|wrong to|afraid|tempted|shame|no reason|no need)\b|\bnot (?:belong|be)\b|\b(?:doesn't|isn't|wasn't) (?:belong|be)\b`)
	// asksFor makes an order of a question, and asksWhether may.
	asksFor     = newPattern(`^(?:(?:hey|hi|hello|ok|so|and|now|well|please)[, ]+)*(?:can|could|would|will) (?:you|we)\b|^(?:would you |do you )?mind\b|\b(?:please|pls|plz|would you|could you|can you|will you)\b|^(?:why don't you|how about you)\b|prosím|můžeš|můžete|mohl|请|麻烦|能|可以|帮`)
	asksWhether = newPattern(`^(?:(?:hey|hi|ok|so|and|now)[, ]+)*(?:can|could|may) (?:the |my |i |we )`)
)

// Words before the verb of an order, before a thing that is spoken of, and verbs of
// changing.
const (
	leading = `(?:(?:please|pls|plz|just|now|then|and|so|ok|okay|well|also|hey|hi|hello|loci|kindly|quickly|hmm?|ugh|oh|yes|yeah|sure|right|thanks|actually|instead|finally|simply|better|maybe just|again|first|` +
		`go ahead|(?:can|could|would|will) (?:you|we|i|u)|let's|lets|let us|let me|help me(?: to)?|try to|be so kind(?: as)? to|do me a favou?r|feel free to|you (?:can|may|could|should|must|might as well|have to|need to)|(?:we|i) (?:should|must|have to|had better)|` +
		`i(?:'d| would)? (?:really |just )?(?:want|need|like|love|prefer|wish)(?: you)?(?: to)?|we (?:want|need)(?: you)?(?: to)?|i(?:'d)? wanna|wanna|gotta|need(?: to)?|want(?: to)?|(?:would|do) you mind|mind|why don't you|it's time to|time to|have|see|get)[, ]+)`
	// thePlayer is what plays, and what is played.
	thePlayer  = `(?:music|songs?|tracks?|tunes?|playback|videos?|films?|movies?|player|sound|audio|radio|podcast|album|playlist|speakers?|beats?)`
	aboutIt    = `(?:(?:the|my|our|that|this|a|an|in|inside|of|for|file|document|note|list|text|word|words|old|stupid|silly|whole|now|also|so|and|then|ok|please|let|i|want|would|like|need|i'd|can|could|may|hey|next|all|every|name|title|value|first|last|second|line|spelling|number|photo|picture|song|one|make|sure|see|to|it|that|well|new|have)[,:]? )`
	deletes    = `(?:delet(?:e|ing)|remov(?:e|ing)|eras(?:e|ing)|trash(?:ing)?|binn?(?:ing)?|toss(?:ing)?|del|rm|scrap(?:ping)?|dump(?:ing)?|ditch(?:ing)?|discard(?:ing)?|nuke|zap|chuck(?:ing)?|wip(?:e|ing)|shred|gett?(?:ing)? rid|throw(?:ing)?|do away|dispos(?:e|ing)|lose|kill|drop|purge|clear|clean|destroy|unlink|axe|burn|take out|away with|down with|out with)`
	moves      = `(?:mov(?:e|ing)|shift(?:ing)?|putt?(?:ing)?|get(?:ting)?|stick|drop|drag|transfer(?:ring)?|relocat(?:e|ing)|file|tuck|stash|archiv(?:e|ing)|send|place|bring|take|throw|store|sort|shove|park|keep|mv|push|slide|toss|pop|chuck|re-?nam(?:e|ing)|call(?:ing)?|nam(?:e|ing)|retitle|relabel|chang(?:e|ing)|turn|make|give|new name)`
	edits      = `(?:chang(?:e|ing)|replac(?:e|ing)|swap(?:ping)?|switch(?:ing)?|turn(?:ing)?|sett?(?:ing)?|updat(?:e|ing)|make|correct(?:ing)?|fix(?:ing)?|edit(?:ing)?|us(?:e|ing)|writ(?:e|ing)|putt?(?:ing)?|say|substitut(?:e|ing)|exchang(?:e|ing)|alter|convert|adjust|re-?nam(?:e|ing)|insert|add(?:ing)?|remov(?:e|ing)|delet(?:e|ing)|eras(?:e|ing)|take|tak(?:ing)|drop|strike|cross|tick|check|scratch|cut|sort out|mend|sed|open|mark|get|amend|modify|rewrite|overwrite|increase|decrease|raise|lower|bump|enable|disable|spell|give|let|instead|clean|clear|rip|kick|scrap|pull|lose|append|stick)`
	writeVerbs = `(?:writ(?:e|ing)|putt?(?:ing)?|sav(?:e|ing)|stor(?:e|ing)|creat(?:e|ing)|mak(?:e|ing)|add(?:ing)?|append(?:ing)?|includ(?:e|ing)|insert(?:ing)?|tack|stick|pop|throw|list|jot(?:ting)?|not(?:e|ing)|record(?:ing)?|enter(?:ing)?|typ(?:e|ing)|keep|start|open|generat(?:e|ing)|produce|build|set up|prepare|give|place|scribble|dump|echo|copy|paste|drop|new|another|leave|log|touch|fill|be written)`
	runs       = `(?:run(?:ning)?|execut(?:e|ing)|try|do|start|launch|type|perform|fire|invoke|give|show|tell|know|check|find|see|call|use|print|what does|what's|grep|in|inside|with|the output of|output of|learn|from)`
	// changeVerbs are those of files.
	changeVerbs = `(?:` + deletes + `|` + moves + `|` + edits + `|` + writeVerbs + `)`
	mustDo      = `(?:should|must|has to|have to|needs?(?: to)?|ought to|is (?:supposed|meant|free|ready|due) to|was (?:supposed|meant) to|wants?(?: to)?|can|could|may|shall|had better|belongs?|goes|is to|to)`
)

// orderForms are the orders for a tool in English; other tools have none.
var orderForms = map[string][]pattern{
	deleteFile: newPatterns(
		`^`+leading+`*(?:‹[a-z]+\d+› )?`+leading+`*(?:run )?`+deletes+`\b`,
		`^`+leading+`*(?:put|move|send|throw) (?:it|that|‹file\d+›) (?:away|out|in(?:to)? the (?:trash|bin))`,
		`^`+aboutIt+`*‹file\d+›(?: in ‹folder\d+›)?(?: \pL+)? `+mustDo+`(?: (?:now|also|just|really|finally|safely|please|to))*(?: be)? ?(?:go|deleted|removed|erased|trashed|binned|gone|purged|tossed|discarded|scrapped|deletion|deleting|removing|thrown (?:away|out))\b`,
		`^(?:it|that|this|they|`+leading+`*‹file\d+›),? (?:please )?(?:`+mustDo+` (?:please |now |be )*(?:go|gone|deleted|removed)|gone (?:please|now)|please gone)`,
		`^(?:please |now )*(?:gone|out|away)(?: (?:please|with it|it|now))*$`, `^off (?:it|you|to the bin)`, `^i (?:want|need|would like|'d like) .{0,20}‹file\d+› (?:gone|deleted|removed|erased|away)`, `^i'd (?:like|love) .{0,12}‹file\d+›.{0,12}(?:gone|deleted|removed)`,
	),
	moveFile: newPatterns(
		`^`+leading+`*(?:‹[a-z]+\d+›,? )?`+leading+`*`+moves+`\b`,
		`^`+aboutIt+`*‹file\d+›(?: \pL+){0,2}? `+mustDo+`\b`,
		`^(?:it|that|this) (?:really |rather |actually )?`+mustDo+`\b`,
		`^`+aboutIt+`*‹file\d+›(?: \pL+){0,2} (?:go|move|be|live|sit|belong)\b`, `^‹file\d+› (?:->|=>|→)`,
	),
	editFile: newPatterns(
		`^`+leading+`*(?:in |inside )?(?:(?:the|my|file) )*(?:‹[a-z]+\d+›,? )?`+leading+`*`+edits+`\b`,
		`^`+aboutIt+`*(?:[\w‹›'-]+ ){0,4}?(?:should|must|has to|have to|needs?(?: to)?|ought to|is (?:supposed|meant) to|was (?:supposed|meant) to|wants?(?: to)?|shall|had better|->|=>|→|instead of|rather than|not|misspelled|misspelt)(?: |$)`,
		`(?:->|=>|→)|\b(?:typo|misspelled|misspelt|instead of|rather than)\b|\bbut (?:i )?(?:meant|it should|should)\b|\bmake (?:it|that)\b`,
	),
	writeFile: newPatterns(
		`^`+leading+`*(?:in |inside |to |into |at the (?:end|bottom|top) of |on |down )?(?:(?:the|my|file|a|an|new) )*(?:‹[a-z]+\d+›,? )?`+leading+`*`+writeVerbs+`\b`,
		`^`+leading+`+(?:(?:an?|the|new|text|small|short|little|another|my|this|that|these|following) )*(?:file|document|note|‹|text)`,
		`^`+aboutIt+`*‹file\d+›(?: \pL+){0,3}? (?:`+mustDo+`|is missing|is still missing|lacks)\b`, `^(?:new|another) (?:text )?(?:file|note|document)`, `^it (?:should|must) `, `^‹text\d*› (?:`+mustDo+`|saved|goes|as|to|into|>)`,
	),
	openApp: newPatterns(
		`^` + leading + `*(?:‹[a-z]+\d+›,? )?(?:i )?` + leading + `*(?:open(?:ing)?|start(?:ing)?|launch(?:ing)?|bring|fire|boot|pull|load|get|run(?:ning)?|us(?:e|ing)|switch|turn|need|pop|go|begin|kick|show|view|visit|edit|give|need)\b`,
	),
	runCommand: newPatterns(`^`+leading+`*`+runs+`\b`, `^`+leading+`+‹text`),
}

// ofPlayer tells whether words are about what plays: "hold on" and "next please" by
// themselves are said to people.
func ofPlayer(words string) bool {
	return !toPeople.has(words) && saysPlayer.has(words)
}

var (
	saysPlayer = newPattern(`\b(?:` + thePlayer + `|episodes?|titles?|chapter|volumes?|loud\w*|quiet\w*|soft\w*|noise|noisy|hear|listen\w*|pauz\w*|paus\w*|unpause\w*|mute|unmute|resume|replay|play\w*|skip\w*|crank|rewind|silence|on hold|turn (?:it|that|this|the) (?:up|down|off)|(?:turn|bring|pump|tone|dial|keep) (?:it|that|this) (?:up|down)|(?:previous|last) one|one before|jump|percent|shh+)\b|\d ?%|音乐|歌|声音|音量|视频` +
		`|下一|上一|放|播|听|前一|换一|切|首|静音|暂停|继续|大声|小声|大点|小点|响|停|zesil|ztiš|ztlum|ztiš|zeslab|stáhni|přidej|uber|hlas|tišeji|potichu|hudb|hudeb|písni|skladb|zvuk|paus|pauz|přehr|přesk|přehoď|další|předchozí|zastav|pozastav|pokračuj|pusť|vypni|ztichni|ticho|hraj`)
	// toPeople are idioms, and stories.
	toPeople = newPattern(`^(?:keep (?:it|that|this) up|hold (?:on|it|that thought)|keep going|(?:turn|bring|take) (?:it|that|this) (?:down|off|up),? .*\b(?:offer|job|invitation|said|told|because he|because she)\b.*|skip (?:the )?(?:introduction|intro|details?|explanations?|formalities|small ?talk|breakfast|lunch|dinner|class|school|work|that part|chapter|question)|play (?:along|fair|dumb|dead|it safe|it cool|nice|chess|a game|hide and seek)|one more|next(?: one)?)$|^(?:he|she|they|my \pL+|\pL+) (?:turned|played|skipped|paused|muted|stopped)\b`)
	// noDeed looks like an order for a deed and asks for words.
	noDeed = newPattern(`^(?:flip|toss) (?:a|the|me a) coin|^(?:roll|throw) (?:a|the|two|some|me a|me some) (?:die|dice|d\d+)|^print (?:me )?(?:the|all|every|numbers?|a) ?(?:alphabet|numbers?|letters?|multiplication|days|months|words?|poem|haiku|list|table)\b|^(?:post|send) (?:me )?(?:a|an|another) (?:haiku|poem|joke|riddle|limerick|quote|fact|story)|^(?:derive|code|factor|integrate|differentiate|deduce|program) (?:me )?(?:a|an|the|this|that|\w+)|^rename the (?:hero|heroine|main character|character|villain|protagonist|dog|cat|story|chapter)|^close encounters|^let's .*\b(?:what|which|how) (?:do|should|would|can) we`)
	// passingTalk is talk, though it begins as if it went on from something.
	passingTalk = newPattern(`^(?:(?:and|also|now|then|but|so|ok|okay|well)[, ]+)+(?:please )?(?:(?:tell|write|give|sing|make up)(?: me| us)? (?:an?|another|some) (?:\pL+ )?(?:jokes?|poems?|stor(?:y|ies)|riddles?|songs?|haikus?|facts?)|how are you(?: doing)?(?: today)?|thanks?(?: you)?(?: (?:so|very) much| a lot)?|goodbye|bye|good night|hello|hi)$`)
	// asksMeaning asks for what the model knows.
	asksMeaning = newPattern(`^remind me (?:again )?(?:what (?:an? \pL+ is|\pL+ (?:means|is|are))|what is an? |how \pL+ (?:works?|work)|who (?:wrote|invented|discovered|painted))\b`)
	// unused says that a thing is of no use.
	unused = newPattern(`^(?:nobody|no one) (?:uses|needs|wants|reads|opens|likes)`)
	// thoughtOf begins what somebody thought or said.
	thoughtOf = newPattern(`^(?:i|we|he|she|they|you|everybody|everyone|\pL+) (?:thought|believed|assumed|said|told|heard|dreamt|dreamed|wondered|wished|hoped|guess|suppose|bet)\b|(?:坏|好|馊)主意$|^我?们?(?:打算|计划)`)
	// statesValue says what a value is to be, and orders nothing as a question.
	statesValue = newPattern(`^(?:the |my |in |is |does |must |should )*[^,;]* (?:should|must|has to|needs to|ought to|is supposed to) `)
	// noNewText is no text to write.
	noNewText = newPattern(`^(?:nothing|nothing at all|no text)$|^了|(?:什么|哪些|多少)$`)
	// noNewValue tells of a value and is none.
	noNewValue = newPattern(`^(?:(?:much|a bit|a little|somewhat|way|any|some) )*(?:higher|lower|more|less|greater|bigger|larger|smaller|at (?:least|most)|above|below|between|under|over|different|another|changed|correct|right|wrong|something|unique|valid|the same|closed|open|free|blocked|available|set|configured|documented|checked|fine|ok|okay|safe|secret|hidden|encrypted)\b`)
	// severalSwaps are two texts for two others.
	severalSwaps = newPattern(` and [^,]+ (?:for|with|by|to) `)
)

var (
	notOrderedZH = newPattern(`不想|不要|不用|不愿|不能|不该|不应|不可以|不确定|别|拒绝|(?:他|她|们|老板|经理|老师|妈妈|爸爸|朋友|同事|书上|人)(?:说|让|叫|要|想|告诉)|(?:^|[，。])(?:我|他|她|我们|他们|小\p{Han}|老\p{Han}|\p{Han}{2})(?:已经|刚刚?|昨天)?(?:把|将|删|改|移)[^，。]*了$|已经|昨天|明天|后天|以后|下周|稍后|应该删|以为|如果|是否|什么|谁|应不应该|不见`)
	isQuestionZH = newPattern(`[吗？?]\s*[。！]*$`)
	asksForZH    = newPattern(`^(?:请|麻烦|你?能|你?可以|可不可以|可否|帮)|帮我|请`)
	notOrderedCS = newPattern(`(?:^|[^\pL])(?:řek\pL*|říkal\pL*|říká|prý|nechc\pL*|nechtěl\pL*|chce|chtějí|chtěl|bojím|bojí|zítra|včera|později|příště|možná|asi|myslel\pL*|až|jestli|pokud|kdyby|než|měl|byl\pL*|zapomněl\pL*|odmít\pL*|nesmí\pL*|nemá\pL*|nemůž\pL*|zakaz\pL*|napsal\pL*|nikdy|nikdo|smazal\pL*|přejmenoval\pL*|přesunul\pL*)(?:[^\pL]|$)`)
	orderCS      = newPattern(`^(?:(?:prosím|tě|vás|můžeš|můžete|mohl|mohla|bys|byste|mi|už|tak|a|pak|teď|hned|potřebuji|potřebuju|chci|je třeba|je potřeba|klidně|ho|ji|to|jej|ten|tu|tenhle|starý|soubor|souboru|složky|do|z|ze|ve?|na|rovnou|radši|‹[a-z]+\d+›)[, ]+)*(?:smaž|smazat|vymaž|vymazat|odstraň|odstranit|zahoď|zahodit|vyhoď|vyhodit|zruš|přesuň|přesunout|přemísti|dej|dát|hoď|hodit|ulož|uložit|přejmenuj|přejmenovat|pojmenuj|pojmenovat|změň|patří|bude|má být|musí|oprav|nahraď|zaměň|vyměň|přepiš|připiš|přidej|dopiš|doplň|napiš|zapiš)\pL*`)
)

// emptyFileIfNone is the goal of an empty file where there is none. One that is there keeps what
// is in it.
type emptyFileIfNone struct{ path string }

// first is the tool that makes it.
func (emptyFileIfNone) first() string { return writeFile }

// next looks whether it is there, then makes it.
func (g emptyFileIfNone) next(u *utterance, done []loci.ToolResult) loci.Move {
	switch {
	case len(done) == 0:
		return call(readFile, arguments{"path": g.path})
	case done[len(done)-1].Call.Name != readFile:
		return sayChange(done[len(done)-1])
	case isMissing(done[0]):
		return changing(writeFile, arguments{"path": g.path, "content": ""})
	case done[0].Err != nil:
		return say(u, done[0])
	}
	return loci.Move{Say: isThere.In(u.Lang, g.path)}
}

var isThere = lang.Words{
	EN: "%s is already there, and I have left it as it is.",
	ZH: "%s 已经存在，我没有改动它。",
	CS: "%s už existuje a nechal jsem ho tak, jak je.",
}
