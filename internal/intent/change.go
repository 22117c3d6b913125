package intent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"loci"
	"loci/internal/lang"
)

// Goals that change files. Each ends in one call of a tool that asks the person
// first, so a wrong reading costs a wrong question; but what is asked about must
// be the person's own words, or it is no reading at all. So names and texts are
// taken whole or not, never in part.

// change is the goal of one call that changes a file.
type change struct {
	tool string
	args arguments
}

// first is the tool that changes it.
func (g change) first() string { return g.tool }

// next makes the call, then says what came of it.
func (g change) next(_ *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return changing(g.tool, g.args)
	}
	return sayChange(done[len(done)-1])
}

// changing makes the move that calls a tool with all of its arguments: an empty
// text is one.
func changing(tool string, args arguments) loci.Move {
	raw, err := json.Marshal(args)
	if err != nil { // texts and truth values always marshal
		return letTalk
	}
	return loci.Move{Call: &loci.ToolCall{Name: tool, Arguments: raw}}
}

// sayChange says what came of a change in the words of the tool or the gate, which
// know whether it failed or the person said no.
func sayChange(r loci.ToolResult) loci.Move {
	switch {
	case r.Text != "":
		return loci.Move{Say: r.Text}
	case r.Err != nil:
		return loci.Move{Say: strings.TrimSpace(r.Err.Message + " " + r.Err.ForPerson)}
	}
	return loci.Move{Say: string(r.Data)}
}

// readFirst reads a file for a change that is made of what is there. It gives the
// page, or the move to make instead: before it is read, when it cannot be, and when
// the change is done.
func readFirst(u *utterance, path string, done []loci.ToolResult) (page readResult, instead *loci.Move) {
	var move loci.Move
	switch last := len(done) - 1; {
	case last < 0:
		move = call(readFile, arguments{"path": path})
	case done[last].Call.Name != readFile:
		move = sayChange(done[last])
	case done[last].Err != nil:
		move = say(u, done[last])
	default:
		return decode[readResult](done[last]), nil
	}
	return page, &move
}

// appending is the goal of adding a line to the end of a file: its text is read,
// and written again with the line. What does not come on one page whole is left
// alone. A file that is not there is made, unless another one may be meant.
type appending struct{ path, text string }

// first is the tool that changes the file.
func (appending) first() string { return writeFile }

// next reads, then writes.
func (g appending) next(u *utterance, done []loci.ToolResult) loci.Move {
	page, instead := readFirst(u, g.path, done)
	switch {
	case len(done) == 1 && isMissing(done[0]) && done[0].Err.ForPerson == "":
		return changing(writeFile, arguments{"path": g.path, "content": g.text + "\n"})
	case instead != nil:
		return *instead
	case page.Pages != 1 || strings.ContainsRune(page.Text, '�'):
		return loci.Move{Say: cannotAppend.In(u.Lang, g.path)}
	}
	end := "\n"
	if strings.Contains(page.Text, "\r\n") {
		end = "\r\n"
	}
	text := page.Text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return changing(writeFile, arguments{"path": g.path, "content": text + g.text + end})
}

// isMissing tells whether a call failed because nothing is at the path. Of errors a
// result has the words alone.
func isMissing(r loci.ToolResult) bool {
	return r.Err != nil && strings.HasPrefix(r.Err.Message, "There is no file or folder ")
}

// intoFolder is the goal of moving a file into what is a folder if it is there:
// its name alone does not tell.
type intoFolder struct{ source, folder string }

// first is the tool that moves.
func (intoFolder) first() string { return moveFile }

// next looks whether the folder is there, then moves. Without the folder it looks
// whether the file is: what is named first is missed first.
func (g intoFolder) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(listDir, arguments{"path": g.folder})
	}
	last := done[len(done)-1]
	switch {
	case last.Call.Name != listDir:
		return sayChange(last)
	case len(done) == 1 && last.Err != nil:
		return call(listDir, arguments{"path": g.source})
	case len(done) > 1 && isMissing(last):
		return say(u, last)
	case len(done) > 1:
		return say(u, done[0])
	}
	return changing(moveFile, arguments{"source": g.source, "destination": within(g.folder, g.source)})
}

// baseName is the last part of a path, on any system.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// within is the path that a file has once it is in a folder.
func within(folder, path string) string {
	switch trimmed := strings.TrimRight(folder, `/\`); {
	case trimmed == "" && folder != "":
		return folder[:1] + baseName(path)
	case trimmed == "", trimmed == ".":
		return baseName(path)
	case strings.Contains(folder, `\`) && !strings.Contains(folder, "/"):
		return trimmed + `\` + baseName(path)
	default:
		return trimmed + "/" + baseName(path)
	}
}

var (
	cannotAppend = lang.Words{
		EN: "I can only add to a short text that I can read whole, and %s is none.",
		ZH: "我只能在能完整读取的短文本后添加内容，而 %s 不是。",
		CS: "Přidat umím jen do krátkého textu, který přečtu celý, a %s takový není.",
	}
	nothingSaid = lang.Words{
		EN: "I have not said anything yet that could be saved.",
		ZH: "我还没有说过可以保存的内容。",
		CS: "Zatím jsem neřekl nic, co by se dalo uložit.",
	}
)

var (
	// beforeName are words that call something a file, and are not part of its name.
	beforeName = newPattern(`^(?:(?:(?:the|my|this|that|a|an|ten|tento|můj) )*(?:new )?(?:text )?(?:file|document|soubor|souboru|dokument) (?:(?:called|named|with the name|s názvem|jménem) )?|the |(?:这个|那个|我的)*(?:文件|文档)\s*(?:(?:名为|叫做?)\s*)?)(?P<rest>\S.*)$`)
	// ownName may begin a name, or tell whose file it is.
	ownName = newPattern(`^(?:my|our|your|this|that|a|an|můj|tento|ten) |^(?:我的|这个|那个)`)
	// beforeFolder are words that call something a folder.
	beforeFolder = newPattern(`^(?:(?:the|a|an) )?(?:(?:folder|directory|dir|složky|složku|složka|adresáře|adresář) (?:(?:called|named) )?|(?:文件夹|目录)\s*)?(?P<rest>\S.*)$`)
	afterName    = newPattern(`^(?P<rest>\S+) (?:file|document)$|^(?P<rest>.+?)\s*(?:这个)?(?:文件|文档)$`)
	// saysFolderFirst calls what follows a folder.
	saysFolderFirst = newPattern(`^(?:(?:the|my|a|an|this|that) )*(?:folder|directory|dir|složky|složku|složka|adresáře|adresář) |^(?:the |my )?\S+ (?:folder|directory|dir)$|^(?:文件夹|目录)|(?:文件夹|目录)$`)
	// manyNames is more than a name: an ending with words after it, or a list.
	manyNames = regexp.MustCompile(`\.[A-Za-z]\w{0,7}(?:[\s,;&+:?*]|和|与|跟|及|或|、|，|；)|[,;&|<>*?]|，|、|；`)
	// someWords stand for files, or between them, and are in no name without quotes.
	someWords = newPattern(`(?:^| )(?:and|or|to|into|from|in|if|then|with|as|all|any|every|everything|each|except|but|unless|after|before|when|that|which|nebo|všechn\pL+|každ\pL+|když|pokud|ze?|do|na|ve?|kter\pL+)(?: |$)|^(?:所有|全部|这些|那些)`)
	anyQuote  = regexp.MustCompile("[\"“”„«»「」『』《》`]")
	// quoteMarks are pairs of quotation marks, with what may close each.
	quoteMarks = map[rune]string{'"': `"”`, '“': `”"`, '„': `“”"`, '\'': `'’`, '‘': `’'`, '`': "`", '«': "»", '「': "」", '『': "』", '《': "》"}
)

// literal takes a text out of its quotation marks as it is, spaces included, and
// tells whether it was in any.
func literal(s string) (string, bool) {
	r := []rune(s)
	if len(r) < 2 || !strings.ContainsRune(quoteMarks[r[0]], r[len(r)-1]) {
		return s, false
	}
	for i, c := range r[1 : len(r)-1] { // the mark of another text, or an apostrophe
		if strings.ContainsRune(quoteMarks[r[0]], c) && !(strings.ContainsRune("'’", c) && unicode.IsLetter(r[i+2])) {
			return s, false
		}
	}
	return string(r[1 : len(r)-1]), true
}

// verbatim finds words in what the person wrote, with the spaces, the ends of lines
// and the apostrophes that they wrote.
func (u *utterance) verbatim(words string) string {
	parts := strings.Fields(words)
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(regexp.QuoteMeta(p), "'", "['’]")
	}
	re, err := regexp.Compile(strings.Join(parts, `\s+`))
	if err != nil || len(parts) == 0 { // quoted words always compile
		return words
	}
	if found := re.FindString(norm.NFC.String(u.Text)); found != "" {
		return found
	}
	return words
}

// cutName asks for a file whose name without quotes may begin with new: it is not
// written to one of a shorter name.
func cutName() rule {
	return rule{newPatterns(
		`^(?:write|put|save|store|note|enter)(?: down)? .+ (?:to|into|in|as|onto) (?P<the>(?:an?|the) )?(?P<new>(?:new |text )+)(?P<file>[^\s"'“”/~][^\s"'“”]*(?: [^\s"'“”]+)*)$`,
		`^(?:create|make|write|save|start) (?P<the>(?:an?|the) )?(?P<new>(?:new |text )+)(?P<file>(?:file|document|text)\.\w+)(?: .*)?$`,
	), func(u *utterance, m captures) goal {
		if !isFile(m["file"]) || saysFile.has(m["file"]) || strings.Contains(m["file"], ":") || m["the"] != "" && !justFile.has(m["file"]) {
			return nil
		}
		return saying{quotesAround.In(u.Lang, m["new"]+" "+m["file"], m["file"])}
	}}
}

// justFile is a name that may be cut out of one with a space.
var justFile = newPattern(`^(?:file|document|text)\.`)

// quotesAround asks for quotes around a name.
var quotesAround = lang.Words{
	EN: "A name with a space needs quotes: say whether the file is \"%[1]s\" or \"%[2]s\", and I change nothing until then.",
	ZH: "带空格的文件名需要加引号：请说明文件是“%[1]s”还是“%[2]s”，在此之前我不会修改任何内容。",
	CS: "Název s mezerou patří do uvozovek: řekněte, zda je to soubor \"%[1]s\", nebo \"%[2]s\"; do té doby nic neměním.",
}

// theFile reads the name of one file that is to change. It is stricter than the
// reading of a file to look at: nothing is left out of a name but the word file,
// and a name with spaces must have no other word beside it.
func (u *utterance) theFile(words string) (string, bool) {
	words = strings.TrimSpace(words)
	if name, ok := literal(words); ok {
		name = strings.TrimSpace(name)
		return name, name != "" && !strings.ContainsAny(name, "*?\n") && !strings.HasSuffix(name, "/")
	}
	named := saysFile.has(words)
	name := words
	if m, ok := beforeName.match(name); ok {
		name = m["rest"]
	}
	if m, ok := afterName.match(name); ok {
		name, named = m["rest"], false // the oldest file has no name here
	}
	if inner, ok := literal(name); ok {
		return u.theFile(`"` + inner + `"`)
	}
	switch {
	case slices.Contains([]string{"", ".", "..", "~"}, baseName(name)): // no file, but what one is in
		return "", false
	case anyQuote.MatchString(name), manyNames.MatchString(name), strings.HasSuffix(name, "/"), saysFolderFirst.has(words), name == words && ownName.has(name):
		return "", false
	case strings.Contains(name, " "):
		return name, isFile(name) && !someWords.has(name)
	case webAddress.MatchString(name), vagueWord.has(name), someWords.has(name):
		return "", false
	}
	return name, isPath(name) || named
}

// theFolder reads a folder that a file is to go to. Sure tells that it can be
// nothing else.
func (u *utterance) theFolder(words string) (path string, sure, ok bool) {
	words = strings.TrimSpace(words)
	if thisFolder.has(words) && words != "" {
		return ".", true, true
	}
	called := saysFolderFirst.has(words)
	name, inQuotes := unquote(strip(words, beforeFolder, folderTail, folderZH))
	switch {
	case name == "", !inQuotes && (anyQuote.MatchString(name) || manyNames.MatchString(name) || strings.Contains(name, " ") || vagueWord.has(name)):
		return "", false, false
	}
	end := baseName(name)
	return name, called || end == "" || end == ".." || end == "." || name == "~" || slices.Contains(u.Folders, name), true
}

// lastReply is what the person was told last.
func (u *utterance) lastReply() string {
	for _, m := range slices.Backward(u.History) {
		if m.Role == loci.Assistant {
			return m.Content
		}
	}
	return ""
}
