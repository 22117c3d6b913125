package intent

import (
	"slices"
	"strings"
	"unicode"

	"loci"
	"loci/internal/lang"
)

// After a change, what no rule understands is not left to the model: it takes the
// form of the last reply for something to repeat, and tells of changes that nobody
// made ("and mango" is answered with "Added mango."). Questions about what was
// done are never left to it either, as it knows nothing of that.

var (
	notByItself = lang.Words{
		EN: "I have done nothing now: I only do what one sentence says by itself. Say it whole, with the full name of the file.",
		ZH: "我现在什么也没有做：我只做一句话里完整说出的事。请完整地说一遍，并写出完整的文件名。",
		CS: "Teď jsem nic neudělal: dělám jen to, co jedna věta říká sama. Řekněte to celé, i s celým názvem souboru.",
	}
	notByItselfLike = lang.Words{
		EN: "I have done nothing now: I only do what one sentence says by itself. Say it whole, the way you said “%s”.",
		ZH: "我现在什么也没有做：我只做一句话里完整说出的事。请像“%s”那样完整地说一遍。",
		CS: "Teď jsem nic neudělal: dělám jen to, co jedna věta říká sama. Řekněte to celé, tak jako „%s“.",
	}
	deedsAbove = lang.Words{
		EN: "All that I did stands in my replies above; I have done nothing else, and of what others do I know nothing. To see how a file is now, ask for it by its name.",
		ZH: "我做过的都写在上面的回复里，此外什么也没有做；其他人或程序做了什么，我不知道。想看文件现在的内容，请说出文件名。",
		CS: "Vše, co jsem udělal, stojí v mých odpovědích výše; nic jiného jsem neudělal a o tom, co dělají jiní, nevím. Jak soubor vypadá teď, ukážu, když řeknete jeho název.",
	}
	noDeeds = lang.Words{
		EN: "I have done nothing in this conversation yet, and of what others do I know nothing. To see how a file is now, ask for it by its name.",
		ZH: "在这次对话里我还什么也没有做；其他人或程序做了什么，我不知道。想看文件现在的内容，请说出文件名。",
		CS: "V tomto rozhovoru jsem zatím nic neudělal a o tom, co dělají jiní, nevím. Jak soubor vypadá teď, ukážu, když řeknete jeho název.",
	}
)

// doneTo is what was done, as it is named in questions.
const doneTo = `(?:done|deleted|removed|erased|gone|saved|stored|written|added|appended|changed|edited|modified|updated|fixed|corrected|moved|renamed|replaced|overwritten|created|finish(?:ed)?|completed?|sent|copied|backed up|ticked(?: off)?|marked(?: as done)?|restored|undone|cleared|emptied|downloaded|uploaded|installed|applied|succeed(?:ed)?|work(?:ed)?)`

// askedDeeds ask what was done, or whether something was.
var askedDeeds = []struct {
	lang    string
	pattern pattern
}{
	{lang.English, newPattern(`^(?:(?:so|and|but|ok|okay|well|then|wait|hey)[, ]+)*(?:did|didn't|have|haven't|had) you(?: .*)?$`)},
	{lang.English, newPattern(`^(?:(?:so|and|but|ok|okay|well|then|wait|hey)[, ]+)*(?:what|which|where|when|how many)(?: (?:else|exactly|all|things?|files?|lines?|changes?))*(?: (?:did|have) you)(?: (?:just|actually|already|now))* (?:do|did|done|delete|remove|erase|save|store|write|wrote|put|add|append|change|edit|modif|update|fix|move|rename|replace|create|made|make)\w*(?: .*)?$`)},
	{lang.English, newPattern(`^(?:(?:so|and|but|ok|okay|well|then|wait|hey)[, ]+)*(?:what (?:was|were|has been|have been) (?:just )?` + doneTo + `(?: (?:now|just now|so far|by you))*|which (?:files?|lines?) (?:was|were|has been|have been) (?:just ` + doneTo + `|` + doneTo + ` by you))$`)},
	{lang.English, newPattern(`^(?:(?:so|and|but|ok|okay|well|then|wait|hey)[, ]+)*(?:is|isn't|are|was|wasn't|were|has|hasn't|have|did|didn't) (?:it|that|this|they|everything|all(?: of (?:it|that|them))?|(?:the|my|this|that|our|your) [\w.-]+(?: [\w.-]+)?|["'“]?[\w./-]+\.[a-z]\w{0,5}["'”]?)(?: (?:been|be|all|really|already|now|actually))* ` + doneTo + `(?: (?:now|yet|already|by now|correctly|properly|too|as well|for good|permanently|forever))*$`)},
	{lang.Chinese, newPattern(`^(?:那|那么)?你?(?:刚才|刚刚|已经|都|还)*(?:做|干|删除|删|修改|改|保存|存|写入|写|移动|添加|加)(?:了|过)(?:什么|些什么|哪些.*|.{0,12}(?:吗|没有|没))$`)},
	{lang.Chinese, newPattern(`^(?:它|这个|那个|文件|.{1,15})?(?:已经|都)?(?:被)?(?:删除|删|保存|存|修改|改|写入|写|移动|添加|备份|下载|发送)(?:好|完|掉)?了(?:吗|没有|没)$`)},
	{lang.Chinese, newPattern(`^(?:它|这个|那个|.{1,15})?(?:删除|保存|修改|写入|移动|备份|下载)(?:成功|完成)了?(?:吗|没有|没)$`)},
	{lang.Czech, newPattern(`^(?:a |tak )?(?:co|které soubory|který soubor) (?:všechno )?jsi (?:(?:právě|teď|už|všechno) )*(?:udělal|smazal|změnil|zapsal|uložil|přesunul|napsal|přidal|přejmenoval|opravil)a?(?: .*)?$`)},
	{lang.Czech, newPattern(`^(?:a |tak )?(?:už )?(?:jsi (?:to |ho |je |už )*)?(?:udělal|smazal|změnil|zapsal|uložil|přesunul|napsal|přidal|přejmenoval|opravil|dokončil|poslal)a?(?: jsi)?(?: (?:to|ho|je|už|soubor|ten|můj|\S+\.\w+))*$`)},
	{lang.Czech, newPattern(`^(?:a |tak )?(?:už )?(?:je|jsou|bylo|byla|byly|byl) (?:to|(?:ten )?soubor|vše|všechno|záloha|\S+\.\w+)(?: už)? (?:hotov|smazán|uložen|změněn|zapsán|přesunut|přidán|přejmenován|odstraněn)\pL*$`)},
}

// otherDeeds are no deeds of an assistant, or are told of by what it can do.
var otherDeeds = newPattern(`^(?:(?:so|and|but|ok|okay|well|then|wait|hey)[, ]+)*(?:did|didn't|have|haven't|had) you (?:ever |also |really |already |just |even )*(?:know|known|hear|heard|like|liked|enjoy|enjoyed|mean|sleep|slept|eat|eaten|dream|watch|watched|read|see|seen|think|thought|feel|felt|miss|missed|have|had|been|got|met|meet|say|said|tell|told|any|an?|some|notice|noticed|learn|learned|live|lived|play|played|tried|try|visit|visited|fall|fallen|grow|go|gone|love|loved|a|friends|feelings|hobbies|siblings|parents|children)(?: |$)`)

// aboutDeeds gives the goal of a question about what was done, or nil.
func (u *utterance) aboutDeeds() goal {
	if otherDeeds.has(u.said) {
		return nil
	}
	for _, asked := range askedDeeds {
		switch {
		case !asked.pattern.has(u.said):
		case u.lastReply() == "":
			return saying{noDeeds.In(asked.lang)}
		default:
			return saying{deedsAbove.In(asked.lang)}
		}
	}
	return nil
}

// honestly gives the move, unless it is talk in which the model would tell of
// changes that are none.
func (r *Router) honestly(u *utterance, move loci.Move) loci.Move {
	if move.Talk == nil || *move.Talk != (loci.Talk{}) {
		return move
	}
	asked, ok := r.changedBefore(u)
	if !ok || u.elsewhere(asked) {
		return move
	}
	language := u.Lang
	if language == lang.English && asked != "" { // "a rohlíky" alone tells no language
		language = lang.Of(asked)
	}
	const longest = 80 // bytes of an example
	if asked == "" || len(asked) > longest || strings.ContainsAny(asked, "\n“”„") || carriesOn.has(asked) || pronoun.has(asked) || sameOfDay.has(asked) {
		return loci.Move{Say: notByItself.In(language)}
	}
	return loci.Move{Say: notByItselfLike.In(language, asked)}
}

// changedBefore tells whether the conversation was about a change or a report of
// lines just now, and how the person asked for it where that is known. Words that
// go on from something go on from what is further back, too.
func (r *Router) changedBefore(u *utterance) (asked string, ok bool) {
	const (
		between = 2  // other exchanges that may be between
		most    = 40 // messages that are looked at
	)
	others := 0
	for i, m := range slices.Backward(u.History) {
		if i < len(u.History)-most || others > between && !carriesOn.has(u.said) {
			return "", ok
		}
		switch {
		case m.Role == loci.Assistant:
			ok = ok || changeTold.has(m.Content)
		case m.Role != loci.User:
		case others <= between && r.asksChange(u, i):
			return strings.TrimSpace(m.Content), true
		case ok:
			return "", true
		case i+1 >= len(u.History) || !inPassing(u.History[i+1].Content) && !hasAny(u.History[i+1].Content, undone()):
			others++
		}
	}
	return "", ok
}

// asksChange tells whether a message of the conversation asks for a change of a
// file, or a report.
func (r *Router) asksChange(u *utterance, i int) bool {
	before := u.Situation
	before.Text, before.History, before.Results = u.History[i].Content, u.History[:i], nil
	before.Lang = lang.Of(before.Text)
	if len(before.Text) > maxWords {
		return false
	}
	v := r.understand(before)
	g := r.ruled(v)
	if again, ok := g.(instead); ok {
		g = again.goal
	}
	switch g := g.(type) {
	case nil:
		return false
	case report:
		return true
	case saying:
		return g.text == oneNamed.In(v.Lang)
	default:
		return slices.Contains(changingTools, g.first())
	}
}

// changingTools are the tools that change files.
var changingTools = []string{writeFile, editFile, moveFile, deleteFile}

// elsewhere tells whether the words are surely about something else than what was
// asked for before: a whole question, or a request for a text, with none of its words.
func (u *utterance) elsewhere(asked string) bool {
	if passingTalk.has(u.said) {
		return true
	}
	if before := strings.ToLower(asked); slices.ContainsFunc(askedWords(u.core), func(w string) bool { return strings.Contains(before, w) }) {
		return false
	}
	known := asksKnown.has(u.core)
	if carriesOn.has(u.said) || pointsBack.has(asksKnown.compiled().ReplaceAllString(u.core, "")) || len(u.filesNamed()) > 0 {
		return false
	}
	han := 0
	for _, c := range u.core {
		if unicode.Is(unicode.Han, c) {
			han++
		}
	}
	const wholeWords, wholeHan = 4, 5
	whole := known || len(strings.Fields(u.core)) >= wholeWords || han >= wholeHan
	return textWanted.has(u.core) || textWanted.has(u.said) || tellAbout.has(u.said) || defined.has(u.core) || whole && wholeQuestion.has(u.core)
}

var (
	// changeTold is a reply that tells of a change, or of one that was refused.
	changeTold = newPattern(`^(?:Wrote|Changed|Deleted|Moved) [^\n]*[.:]|^[^\n]{1,200} (?:is|was) written[:,]|^(?:All right, )?\S+ was not run[,.]|^(?:已写入|已修改|已删除|已将) |^(?:好的，)?没有运行|^(?:Zapsáno do|Změněno v|Smazáno:|Přesunuto:) |nástroj \S+ jsem nespustil|^Soubor [^\n]{1,200} (?:je zapsán|byl zapsán)|^I have not written |^没有写入 |jsem proto nezapsal`)
	// carriesOn begins words that go on from others.
	carriesOn = newPattern(`^(?:and|also|plus|but|or|now|then|next|the same|same|do the same|likewise|ditto|instead|again|once more|as well|with|without|only|just|another|one more|not|no,|change it|make it|(?:what|how) about|why not|how come|a|i|ještě|také|taky|teď|pak|totéž|to samé|to stejné|znovu|místo) |^(?:再|也|还|又|同样|然后|接着|那|以及|和|改成|另外)|(?:[ ,](?:too|as well|also|again|instead|back|také|taky|znovu|zpátky)|也一样|一样)$|也`)
	// pointsBack are words for what was spoken of, or done.
	pointsBack = newPattern(`\b(?:it|its|that|this|these|those|them|they|one|ones|there|same|other|others|else|next|last|previous|before|new|rest|left|remaining|remains|missing|done|saved?|deleted?|removed?|changed?|changes|written|wrote|add(?:ed)?|put|mark(?:ed)?|tick(?:ed)?|append(?:ed)?|insert(?:ed)?|keep|moved?|renamed?|replaced?|created?|copied|copy|undo|files?|folders?|documents?|lists?|lines?|items?|entry|entries|reports?|logs?|errors?|trash|todo|you)\b|(?:^|[ ,])(?:(?:je|jsou|jsem|jsi|bylo) to|ho|ten|tam|tom|jej|další|poslední|zbývá|zbylo|hotov\pL*|smaz\pL+|ulož\pL+|změn\pL+|zaps\pL+|přid\pL+|soubor\pL*|složk\pL*|řád\pL+)(?: |$)|^to | to$|它|这|那|文件|删|改|存|写入|写上|添加|加|换|替|放|标记|移动|还剩|剩下|完成|上面|刚才`)
	// wholeQuestion begins like a question.
	wholeQuestion = newPattern(`^(?:who|whom|whose|what|what's|when|where|where's|which|why|how|is|are|was|were|do (?:i|we|they|people|most|all|any)|does|did|can|could|should|would|will|kdo|co|kdy|kde|kam|proč|jak|jaký|jaká|jaké|který|která|které|kolik|čí|komu)(?: |$)|(?:吗|呢|什么|谁|哪|为什么|怎么|多少|几)`)
	// defined asks what a word means.
	defined = newPattern(`^(?:what|who) (?:is|are|was|were) (?:an? |the )?\pL{3,}$|^(?:explain|describe|define|translate|recommend|suggest|imagine) (?:\pL+ ?){1,8}$`)
	// tellAbout asks for what the model knows.
	tellAbout = newPattern(`^(?:please )?tell me (?:something |more |a bit )?about (?:\pL+ ?){1,5}$`)
	// textWanted asks for a text of the model's own.
	textWanted = newPattern(`^(?:write|compose|make up|tell|give|sing|recite)(?: (?:me|us))?(?: (?:an?|some|another))(?: \pL+){0,2} (?:poems?|story|stories|jokes?|songs?|haikus?|limericks?|essays?|riddles?|fairy ?tales?|letters?|e-?mails?|recipes?|facts?|ideas?)(?: .*)?$|^(?:napiš|vymysli|slož|řekni|vyprávěj)(?: mi| nám)? (?:\pL+ )?(?:básn|vtip|pohádk|příběh|povídk|píseň|písničk|hádank|esej)\pL*(?: .*)?$|^(?:请)?(?:给我|帮我)?(?:讲|写|说|编)(?:一|个|首|篇|段)*.{0,8}(?:笑话|故事|诗|文章|歌)`)
)

// sameOfDay asks for the last report of another day.
var sameOfDay = newPattern(`^(?:(?:and|now|also|then|ok|okay|please|so)[, ]+)*(?:(?:do |make )?the same(?: report)?(?: again)? )?(?:for |of |with )?(?P<day>today|yesterday)(?:'s)?(?: too| as well)?$|^(?:那|那么|再|还有)?(?P<day>今天|昨天)的?(?:呢)?$`)

// days are pairs of days that stand for each other.
var days = [][2]string{{"yesterday", "today"}, {"today", "yesterday"}, {"昨天", "今天"}, {"今天", "昨天"}}

// ofOtherDay gives the goal of the report that was asked for last, of the day that
// is named now; nil if there is none.
func (r *Router) ofOtherDay(u *utterance) goal {
	m, ok := sameOfDay.match(u.said)
	if !ok {
		return nil
	}
	for _, d := range days {
		if d[1] != strings.ToLower(m["day"]) {
			continue
		}
		if g, ok := r.again(u, d[0], d[1]).(instead); ok {
			if _, ok := g.goal.(report); ok {
				return g
			}
		}
	}
	return nil
}
