package intent

import (
	"regexp"
	"strings"
)

// Words that ask for changes of files. A text that is written or taken out is read by
// the rules of its own; here are names and places.
const (
	takeAway = `(?:delete|remove|erase|trash|bin|toss|del|rm|scrap|dump|ditch|discard|nuke|zap|chuck|wipe|shred|get rid of|throw (?:away|out)|do away with|dispose of)`
	carry    = `(?:move|shift|put|get|stick|drop|drag|transfer|relocate|file|tuck|stash|archive|send|place|bring|take|throw|store|sort|shove|park|keep|want|need|goes?|belongs?|should (?:be|go|live)|must go)`
	anyFile  = `(?:(?:up|out|the|my|our|that|this|old|stupid|silly|useless|whole|entire|file|document|note|photo|picture|song|called|named|away) )*`
)

// changeFrames ask for a change of a file as a whole.
func changeFrames() []frame {
	return []frame{
		{tool: deleteFile, cues: []cue{
			on(takeAway+` (?:the |that |my )?(?:[\w-]+ )?(?:in|from) {folder}[:,]* (?:(?:it's|i mean|called|named|the one called) )?{file}$`, "trash the song in downloads, song.mp3"),
			on(takeAway+` `+anyFile+`{file}(?: (?:in|from|out of) {folder})?(?:$|[,.;:!]| (?:because|since|as|please|now|for|it|that|cause|i|we|so|right|too|again|already)\b)`, "now toss out that old draft2.txt because it is wrong"),
			on(`{file}.{0,60}?\b(?:can|could|may|should|must|has to|needs to|is free to|is to|ought to)(?: (?:now|also|just|really|finally|safely))* (?:go|be (?:deleted|removed|erased|trashed|binned|gone|purged|tossed|discarded|scrapped|thrown (?:away|out)))\b`, "I already sent that letter, so letter_to_bank.txt can be deleted"),
			on(`{file}.{0,60}?(?:,|;|:|\.|!| -| –| so| and|,? then) ?(?:you can |please |just |so |and |go ahead and |then |kindly |feel free to )*`+takeAway+` (?:it|that|this|that one|this one|the thing|the file)\b`, "draft2.txt is outdated, feel free to delete it"),
			on(`{file}.{0,60}?\b(?:throw|toss|chuck|put) (?:it|that|this) (?:away|out|in the (?:trash|bin))\b`, "tmp/junk.tmp is junk - throw it out"),
			on(`^{file} ?[-:,–]+ ?(?:please )?(?:gone|delete|remove|trash|bin it|out|away)(?: (?:please|with it|it))*$`, "recipes/goulash.md - gone please"),
			on(`{file}.{0,60}?(?:,|;|:|\.|!| -| –)(?: (?:so|and|then))? (?:you|we) (?:may|can|could|might as well|should)(?: (?:now|just|safely|also|please))* `+takeAway+` (?:it|that|this|that one)\b`, "nobody uses logs/old/app-2025.log anymore, you may erase it"),
			on(`\b(?:away|out|down|gone) with {file}`, "away with tmp/cache.tmp"),
			on(`(?:not|don't|dont|never|no longer) (?:\pL+ )?(?:need|want|use)(?:ed)? {file}.{0,30}?(?:,|;|\.| so| -) ?(?:so |please |just )*`+takeAway, "I don't need draft2.txt any more, delete it please"),
			on(`{file}\s*(?:这个)?(?:文件)?.{0,14}?(?:删了?|删除|删掉|移除|清掉|扔掉|丢掉)(?:了|掉|吧|它)*$`, "poznamky.txt 不要了，删了吧"),
			on(`(?:删除|删掉|删了|移除|清除|扔掉)(?:掉)?(?:那个|这个|我的|文件|旧的)*\s*{file}`, "麻烦删掉那个 draft2.txt"),
			on(`{file}.{0,50}?(?:,|\.|;| a| tak) ?(?:tak )?(?:smaž|smazat|vymaž|odstraň|zahoď|vyhoď)(?: (?:ho|ji|to|jej|prosím))*$`, "Soubor tmp/cache.tmp už nepotřebuju, smaž ho"),
			on(`(?:smaž|smazat|vymaž|odstraň|zahoď|vyhoď)(?: (?:mi|ten|tu|to|starý|soubor|prosím|už))* {file}(?:$|[,.;])`, "Smaž už ten starý soubor draft2.txt, je k ničemu"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if len(n.files) != 1 || n.names(textSign) {
				return nil
			}
			file := m["file"]
			if m["folder"] != "" {
				if hasSeparator(file) {
					return nil
				}
				file = within(m["folder"], file)
			}
			return u.deletion(quoteName(file))
		}},
		{tool: moveFile, cues: []cue{
			on(`{file}.{0,40}?\b(?:be|is|gets?|as|it|that|this|name|names|file)?(?: (?:be|now|better|to be|from now on|instead))* ?(?:re)?(?:named?|called?|titled?|make|turn into|change(?:d)? to|become)\b(?: (?:it|that|this|to|as|into|be|now|just|instead|please))* ?:? {to}`, "I want work/plan_v1.md to be called work/plan_old.md"),
			on(`\b(?:re-?name|call|name|retitle|relabel|change|turn|make)\b.{0,40}?{file}.{0,30}?\b(?:to|into|as|be|called|named|name|it)\b.{0,16}?{to}$`, "change how draft.txt is called into letter.txt"),
			on(`\b(?:re-?name|rename it|new name)\b.{0,20}{file}.{0,12}{to}`, "rename draft.txt -> letter.txt"),
			on(`\bmake (?:it|that|the name) {to}.{0,20}(?:instead of|not|rather than) {file}`, "make the name letter.txt instead of draft.txt"),
			on(`{file}\s*(?:这个文件)?.{0,6}?(?:改名|重命名|改叫|改称|命名|更名|改成|换成)(?:叫|为|成|做|作)*\s*{to}`, "把 draft.txt 改名叫 letter.txt"),
			on(`(?:přejmenuj|přejmenovat|pojmenuj) .{0,30}?{file}.{0,14}? (?:na|jako) {to}`, "Přejmenuj prosím soubor draft.txt na letter.txt"),
			on(`{file}.{0,40}?(?:přejmenuj|přejmenovat|pojmenuj)(?: (?:ho|ji|to|prosím))* (?:na|jako) {to}`, "draft.txt je blbý název, přejmenuj ho na letter.txt"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if len(n.files) != 2 || n.names(textSign) || notRenamed.has(n.words) {
				return nil
			}
			return u.rename(quoteName(m["file"]), quoteName(m["to"]))
		}},
		{tool: moveFile, cues: []cue{
			on(`^(?:could|can|may|would)? ?{file}(?: (?:please|now|also))* (?:go|move|be moved|be put|live|sit|belong)(?: (?:over|back))?(?: (?:to|into|in|inside|under)) {folder}`, "could draft.txt go into the archive folder please"),
			on(`\b`+carry+`\b.{0,30}?{file}.{0,40}?\b(?:to|into|in|inside|under|over|within)(?: (?:the|my|to))* {folder}`, "get draft2.txt out of the way, into the tmp folder"),
			on(`{file}.{0,40}?\b`+carry+`\b.{0,20}?\b(?:to|into|in|inside|under|within) {folder}`, "photos/cat.jpg really belongs in the downloads folder"),
			on(`(?:把|将)?{file}\s*.{0,4}?(?:移|挪|放|搬|挪动|移动|归档)(?:动)?(?:到|进|去|入)*\s*{folder}`, "把 draft.txt 放进 archive 文件夹"),
			on(`(?:přesuň|přemísti|dej|hoď|ulož|přesunout) .{0,20}?{file}.{0,10}? (?:do|na) {folder}`, "Hoď mi draft.txt do složky archive"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if len(n.files) != 1 || n.names(textSign) || notMoved.has(n.words) {
				return nil
			}
			return u.move(quoteName(m["file"]), "folder "+m["folder"])
		}},
		{tool: listDir, cues: []cue{ // looks whether it is a folder, then moves
			on(`^(?:\pL+ ){0,2}?`+carry+`\b(?: (?:the|my|file|that))* {file}(?: (?:over|away|out of the way|down|up|out|back|across))*(?: ?, ?)?(?: (?:to|into|in|inside|under))+(?: (?:the|my))* (?P<bare>[\w-]+)$`, "shove draft2.txt out of the way into archive"),
			on(`{file}.{0,30}?,? (?:so )?(?:move|put|stick|drop|shift|take|bring) (?:it|that|this)(?: over)? (?:to|into|in|inside|under)(?: (?:the|my))* (?P<bare>[\w-]+)$`, "photos/cat.jpg is in the wrong place, put it in archive"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			if len(n.files) != 1 || n.names(textSign, folderSign) || vagueWord.has(m["bare"]) || someWords.has(m["bare"]) || notMoved.has(n.words) || thisFolder.has(m["bare"]) || noFolderName.has(m["bare"]) {
				return nil
			}
			return u.move(quoteName(m["file"]), m["bare"])
		}},
	}
}

var (
	// notRenamed are other things to do with two files.
	notRenamed = newPattern(`\b(?:copy|copies|compare|diff|merge|append|concat\w*|same|difference|between|both|and then|backup)\b|复制|比较|对比|合并|kopír|porovnej`)
	// notMoved are words by which a file stays where it is.
	notMoved = newPattern(`\b(?:copy|copies|backup|find|search|look|list|show|read|what|which|line|word|text|mention\w*)\b|复制|查找|kopír|najdi|najít`)
)

// textFrames ask for a text in a file.
func textFrames() []frame {
	const (
		write = `(?:write|put|save|store|enter|type|note|jot|keep|record|stick|create|make|start|need|want|have|generate)`
		add   = `(?:add|append|include|tack|insert|also put|put|stick|pop|throw|list|note|jot|write)`
		noun  = `(?:words?|text|sentence|line|phrase|quote|message|note)`
	)
	return []frame{
		{tool: readFile, cues: []cue{ // reads, then adds
			on(`^(?:also |and |then |now )*`+add+`(?: down)? (?:(?:an?|another|one more|the|this|that|new|extra) )*(?:(?:line|item|entry|task|point) )?(?:saying |that says |with )?{text}(?: (?:too|as well|down))?,? (?:to|on|onto|in|into|at the end of|at the bottom of)(?: (?:the|my|our|list|file))* {file}$`, "stick \"buy glue\" on the todo.txt"),
			on(`^(?:also |and |then |now )*(?:add|append|include|tack)(?: on)? (?P<line>[^‹›,;:]{2,60}?)(?: (?:too|as well|also))?,? (?:to|on|onto|in|into|at the end of|at the bottom of)(?: (?:the|my|our|list|file))* {file}$`, "also add oat milk to the shopping list.txt"),
			on(`{file}.{0,30}?\b(?:needs?|is missing|lacks|should also (?:have|say|list)|wants)(?: (?:an?|another|one more|the|new|also))*(?: (?:line|item|entry))?:? {text}$`, "todo.txt is missing \"buy glue\""),
			on(`^{file} (?:should also have|should also say|also needs|needs also|is still missing|is missing|lacks|needs|wants|should have)(?: (?:an?|another|one more|the|new|also))*(?: (?:line|item|entry))? ?[:：] ?(?P<line>[^‹›]{2,60})$`, "todo.txt should also have: water the ferns"),
			on(`^(?:we're|we are|i'm|i am|we ran|i ran|there's|there is)(?: (?:nearly|almost|all|totally|completely|again))* (?:out of|low on|no|short of|running out of) (?P<line>[\pL ]{2,30}?)(?: (?:left|anymore|again|any more))*[,.;:!-]+ ?(?:so )?(?:please )?(?:add|put|stick|note|write) (?:it|that|some|them)(?: down)? (?:to|on|onto|in)(?: (?:the|my|our))* {file}$`, "we're out of butter, put it on shopping list.txt"),
			on(`^(?:do|na)(?: (?:mého|svého|toho|souboru|seznamu|konec))* {file} (?:připiš|přidej|dopiš|doplň|napiš|zapiš)(?: (?:mi|ještě|také|taky|řádek|text|položku))* (?P<line>[^‹›,;:]{2,60})$`, "Do todo.txt připiš ještě zavolat babičce"),
			on(`(?:在|往|给)\s*{file}\s*(?:里面|里|中|末尾|最后|后面|的)*(?:再)?(?:加上?|添加|追加|补上?|添)(?:一行|一条|一句)?\s*[:：，,]?\s*(?P<line>[^‹›，。]{1,40})$`, "给 todo.txt 再加一条：买牛奶"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			file, ok := n.only()
			text, quoted := m["text"], m["text"] != ""
			if !quoted {
				text = u.verbatim(m["line"])
				if _, plain := u.theText(text); !plain {
					return nil
				}
			}
			if !ok || text == "" || addsUp.has(text) {
				return nil
			}
			return appending{file, text}
		}},
		{tool: writeFile, cues: []cue{
			on(`\b`+write+`\b.{0,40}?{file}(?: (?:with|that|which|it|its|should|just|only|say|says|saying|containing|contain|contains|and|put|write|the|text|words?|content|contents|line|in|inside|as|of|is|to|have|has|read|reads|reading|be|must|would|like|a|single|following|sentence|there)|[,:;.-])* ?{text}$`, "i need a file todo2.txt, it should just say \"nothing to do\""),
			on(`\b`+write+`\b.{0,40}?{text}.{0,40}?\b(?:to|into|in|as|under|inside)\b.{0,30}?{file}`, "please write \"see you\" down for me in a file called bye.txt"),
			on(`^(?:please )?(?:create|make|start|open|write)\b.{0,30}\b(?:file|note|document)\b.{0,20}?\b(?:name|call|title) it {file},? (?:and )?(?:then )?(?:put|write|type|enter) (?P<line>[^‹›"“”]+?) (?:in(?:to)?|inside) (?:it|there)$`, "make a new file, name it sun.txt, and write It is sunny in it"),
			on(`\b`+write+`\b.{0,40}?{file}.{0,60}?\b(?:line|text|code|contents?|statement|command):? (?P<code>[\w.]+\(.*\))$`, "create hello.py that prints hello with the line print(\"hello\")"),
			on(`\b(?:put|write|save|store|type|enter)(?: down)? (?:the|this|these|that|following) `+noun+`:? (?P<line>[^‹›"“”]+?) (?:to|into|in|as|under|inside)(?: (?:a|the|new|file|called|named))* {file}$`, "put the sentence The heating is fixed into status.txt"),
		}, goal: func(u *utterance, n naming, m captures) goal {
			file, ok := n.only()
			if words := strings.ReplaceAll(n.words, "the line", ""); !ok || notNewText.has(words) || len(n.texts) > 1 {
				return nil
			}
			text := m["text"]
			switch {
			case m["code"] != "": // its quotation marks are its own
				text = codeAtEnd.FindString(u.core)
			case text == "":
				text = u.verbatim(m["line"])
			}
			return change{writeFile, arguments{"path": file, "content": text}}
		}},
	}
}

// notNewText are words for something else to do with a text and a file.
var notNewText = newPattern(`\b(?:add|append|replace|change|changed|instead|remove|delete|erase|find|search|mention\w*|line|lines|after|before|end|bottom|top|beginning|start of|count|how many|rename|called ‹text|named ‹text|rather)\b|替换|删除|添加|追加|查找`)

// codeAtEnd is a call of a function, as programs have it.
var codeAtEnd = regexp.MustCompile(`[\w.]+\([^()]*\)$`)

// fromWords takes marks off the end of a text that was told without quotes.
func fromWords(s string) string { return strings.TrimRight(strings.TrimSpace(s), " ,;") }
