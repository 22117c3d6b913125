package intent

import (
	"slices"
	"strconv"
	"strings"

	"loci"
	"loci/internal/lang"
)

// What goes on from the conversation before. Nothing is kept between turns, so
// all of it is read from the messages as they were shown.

var (
	pronoun = newPattern(`(?P<before>^|.* )(?:it|this file|that file|the file|this document|that document|this one|that one|ho|ten soubor|tento soubor|tom souboru|něm|jej|them)(?P<after>$| .*)|^(?P<before>.*?)(?:它|这个文件|该文件|那个文件|这份文件)(?P<after>.*)$`)
	// bareFile is another file, to do the same with.
	bareFile = newPattern(`^(?:(?:what|how) about |and |the same (?:for|with) |now |a co(?: soubor)? |a )?(?P<file>\S.*?)(?: too| as well)?$|^(?:那|那么)\s*(?P<file>.+?)呢?$`)
	// verbFirst is a request in Chinese, which has no space before the name.
	verbFirst = newPattern(`^(?:打开|读|看|查看|显示|念|总结|概括|删除|查找|搜索|找|列出)`)
	nextPage  = newPattern(`^(?:(?:show|read|give|print)(?: me)? )?(?:the )?(?:next page|next|more|rest|page (?P<n>\d{1,4}))(?: of it| please)?$|^(?:continue|go on|read on|keep reading|show more|下一页|继续|第(?P<n>\d{1,4})页|(?:ukaž )?(?:další|dál|pokračuj)(?: stran\pL+)?|(?:ukaž )?stran[au] (?P<n>\d{1,4}))$`)
	// pageHead is how a page of a file begins: its name, and the page.
	pageHead = newPattern(`^(?P<file>[^\n]+?)(?: \((?:page|strana) (?P<n>\d+)(?: (?:of|z) \d+)?\)|（第 (?P<n>\d+) 页[^）]*）)[:：]`)
	// textHead is how a whole text or a summary begins.
	textHead = newPattern(`^(?P<file>[^\n:：]+?)(?: \([^)\n]*\)|（[^）\n]*）)?(?:(?:, |，)[^:：\n]*)?[:：](?:\n|$)`)
	// movedTo tells where a file is now.
	movedTo = newPattern(`^Moved \S+ to (?P<file>\S+)\.$|^已将 \S+ 移到 (?P<file>\S+?)。$|^Přesunuto: \S+ do (?P<file>\S+)\.$`)
	// sentence is words that end in the name of a file.
	sentence = newPattern(` (?:of|in|v|ve|souboru|中) | .* .* `)
	// nameInText is a word that may be the path of a file.
	nameInText = newPattern(`[^\s,:;：，。、（）()"“”„]+`)
)

// followUp gives the goal of words that only mean something after others: "it"
// for a file, the name of another file, the next page. Nil if they do not.
func (r *Router) followUp(u *utterance) goal {
	if m, ok := nextPage.match(u.core); ok {
		return u.turnPage(m["n"])
	}
	if m, ok := otherOne.match(u.said); ok {
		return r.other(u, m)
	}
	if m, ok := bareFile.match(u.core); ok {
		if name, inQuotes := unquote(m["file"]); isKnownFile(name) && (inQuotes || !strings.Contains(name, " ") && !verbFirst.has(name)) {
			return r.sameWith(u, name)
		}
	}
	file, ok := u.spokenOf(6)
	if !ok {
		return nil
	}
	v, ok := u.about(file)
	if !ok {
		return nil
	}
	if g := fitting(r.files, v, v.core); g != nil {
		return g
	}
	return fitting(fileQuestions(), v, v.core)
}

// about gives the utterance with a file in the place of the word for it.
func (u *utterance) about(file string) (*utterance, bool) {
	m, ok := pronoun.match(u.core)
	if !ok {
		return nil, false
	}
	v := *u
	v.core = strings.TrimSpace(m["before"] + " " + quoteName(file) + " " + m["after"])
	return &v, true
}

// quoteName puts a name with spaces into quotation marks, so that the rules see
// where it ends.
func quoteName(file string) string {
	if strings.Contains(file, " ") {
		return `"` + file + `"`
	}
	return file
}

// otherOne is a file that is named by the one that was spoken of: now the other one.
var otherOne = newPattern(`^(?:(?:and|now|then|also|ok|okay|please|show(?: me)?|read(?: me)?|open|(?:what|how) about),? )*(?:the )?(?P<which>other|next|previous) (?:one|file)(?:,? (?:too|as well|please))?$|^(?:(?:a|teď|ukaž|přečti) )*(?:ten |tu )(?P<which>druhý|další|předchozí)(?: soubor)?$|^(?:那|再看|看看|打开)?(?P<which>另一个|下一个|上一个)(?:文件)?呢?$`)

// steps are where it stands in a listing, from the other; 0: there are two.
var steps = newLexicon(map[string]int{"other": 0, "next": 1, "previous": -1, "druhý": 0, "další": 1, "předchozí": -1, "另一个": 0, "下一个": 1, "上一个": -1})

// whichNamed asks for the name of a file.
var whichNamed = lang.Words{EN: "Which file do you mean? Say its name.", ZH: "您指的是哪个文件？请说出文件名。", CS: "Který soubor myslíte? Řekněte jeho název."}

// other does with another file of the newest listing what was done with one of it. It
// asks where there is no telling which; nil where no file was spoken of.
func (r *Router) other(u *utterance, m captures) goal {
	file, ok := u.spokenOf(2)
	if !ok || made.has(u.lastReply()) {
		return nil
	}
	listed := u.listed()
	i := slices.IndexFunc(listed, func(path string) bool { return path == file || baseName(path) == file })
	step := steps.or(m["which"], 0)
	switch {
	case i >= 0 && step == 0 && len(listed) == 2:
		return r.sameWith(u, listed[1-i])
	case i >= 0 && step != 0 && i+step >= 0 && i+step < len(listed):
		return r.sameWith(u, listed[i+step])
	}
	return saying{whichNamed.In(u.Lang)}
}

// turnPage reads another page of the file whose page was shown last; by default
// the next one.
func (u *utterance) turnPage(number string) goal {
	for _, m := range slices.Backward(u.History) {
		if m.Role != loci.Assistant {
			continue
		}
		head, ok := pageHead.match(m.Content)
		if !ok {
			return nil
		}
		page, err := strconv.Atoi(head["n"])
		if err != nil {
			return nil
		}
		page++
		if n, err := strconv.Atoi(number); err == nil {
			page = n
		}
		return oneCall{tool: readFile, args: arguments{"path": head["file"], "page": page}}
	}
	return nil
}

// sameWith does with another file what was asked for last, or reads it.
func (r *Router) sameWith(u *utterance, file string) goal {
	for i, m := range slices.Backward(u.History) {
		if m.Role != loci.User {
			continue
		}
		before := u.Situation
		before.Text, before.History = m.Content, u.History[:i]
		v := r.understand(before)
		if w, ok := v.about(file); ok {
			v = w
		} else if old := v.fileNamed(); old != "" {
			v.core = strings.Replace(v.core, old, quoteName(file), 1)
		} else {
			break
		}
		if g := fitting(r.rules, v, v.core); g != nil {
			return g
		}
		break
	}
	return document{path: file}
}

// spokenOf is the file that the conversation was about last, in a number of messages
// back. A listing of several is about none, and an example in a sentence of loci's
// own is not spoken of.
func (u *utterance) spokenOf(reach int) (string, bool) {
	const most = 12 // messages that are looked at, those in passing included
	skip := false
	for i, m := range slices.Backward(u.History) {
		if m.Role == loci.Assistant {
			skip = inPassing(m.Content)
		}
		if !skip {
			reach--
		}
		if reach < 0 || i < len(u.History)-most {
			break
		}
		if m.Role == loci.Assistant && isFixed(m.Content) {
			continue
		}
		v := utterance{core: m.Content}
		if m.Role != loci.Assistant {
			if file := v.fileNamed(); file != "" {
				return file, true
			}
			continue
		}
		if moved, ok := movedTo.match(m.Content); ok {
			return moved["file"], true
		}
		for _, head := range []pattern{pageHead, textHead} {
			if h, ok := head.match(m.Content); ok && isKnownFile(h["file"]) && !sentence.has(h["file"]) {
				return h["file"], true
			}
		}
		v.core, _, _ = strings.Cut(m.Content, "\n")
		switch files := v.filesNamed(); len(files) {
		case 0:
		case 1:
			return files[0], true
		default:
			return "", false
		}
	}
	return "", false
}

// filesNamed are the names of files among the words, each once.
func (u *utterance) filesNamed() []string {
	var files []string
	const most = 2000 // bytes that are looked at
	for _, w := range nameInText.compiled().FindAllString(u.core[:min(len(u.core), most)], -1) {
		if w = strings.TrimRight(w, ".?!'"); isKnownFile(w) && !slices.Contains(files, w) {
			files = append(files, w)
		}
	}
	return files
}

// fileNamed is the one file that the words name, with the spaces in its name
// where it is in quotes; empty if there is none, or several.
func (u *utterance) fileNamed() string {
	if path := u.path(); isKnownFile(path) {
		return path
	}
	if files := u.filesNamed(); len(files) == 1 {
		return files[0]
	}
	return ""
}

var (
	// knownEnding are the endings of files that people have. Names of products and
	// abbreviations end like files too.
	knownEnding = newPattern(`\.(?:txt|text|md|markdown|rst|log|out|csv|tsv|json|jsonl|xml|ya?ml|toml|ini|conf|cfg|env|html?|css|tex|rtf|pdf|docx?|odt|xlsx?|ods|pptx?|odp|epub|png|jpe?g|gif|svg|webp|mp3|mp4|wav|mov|avi|zip|tar|gz|7z|go|py|js|ts|java|c|h|cpp|rs|rb|php|sh|sql|bat|ps1|ics|eml|bak)$`)
	product     = newPattern(`^(?:node|vue|next|react|three|d3|express|nuxt|angular|ember|backbone|chart|p5|moment|socket|asp|discord|alpine|solid)\.(?:js|net|io|ts)$`)
)

// isKnownFile tells whether words are surely the name of a file, wherever they
// stand.
func isKnownFile(s string) bool {
	return s != "" && isFile(s) && (knownEnding.has(s) || extensionless.MatchString(s)) && !product.has(s)
}

var (
	// sumAfter goes on from a result with an operator.
	sumAfter = newPattern(`^(?:then |now )?(?P<op>times|multiplied by|multiply(?: it| that)? by|plus|add|minus|subtract|less|divided by|divide(?: it| that)? by|over|to the power of|krát|plus|mínus|děleno|乘以?|加上?|减去?|除以|[*/^×÷]|[+\-] )\s*(?P<rest>[\d(√.].*)$`)
	// powerAfter raises a result.
	powerAfter = newPattern(`^(?P<op>squared|cubed|halved|doubled|half of (?:that|it)|double (?:that|it))$`)
	operators  = []struct {
		pattern pattern
		sign    string
	}{
		{newPattern(`^(?:times|multipl.*|krát|乘以?|[*×])$`), "*"}, {newPattern(`^(?:plus|add|加上?|\+)$`), "+"},
		{newPattern(`^(?:minus|subtract|less|mínus|减去?|-)$`), "-"}, {newPattern(`^(?:divide.*|over|děleno|除以|[/÷])$`), "/"}, {newPattern(`^(?:to the power of|\^)$`), "^"},
	}
	powers   = map[string]string{"squared": "^ 2", "cubed": "^ 3", "halved": "/ 2", "half of that": "/ 2", "half of it": "/ 2", "doubled": "* 2", "double that": "* 2", "double it": "* 2"}
	shownSum = newPattern(`^[^\n]* [=≈] (?P<result>-?[\d.]+(?:e[+-]?\d+)?)(?: \(.*\))?$`)
	whichSum = lang.Words{EN: "Which number do you mean? Write the whole sum, such as 12 * 3.", ZH: "您指的是哪个数？请写出完整的算式，例如 12 * 3。", CS: "Které číslo myslíte? Napište celý příklad, třeba 12 * 3."}
)

// sumAfterRules go on from the last sum of the conversation: "times 2".
func sumAfterRules() []rule {
	return []rule{
		{[]pattern{sumAfter}, func(u *utterance, m captures) goal {
			op := strings.ToLower(m["op"])
			for _, o := range operators {
				if !o.pattern.has(op) {
					continue
				}
				if last, ok := u.lastSum(); ok {
					return oneCall{tool: calculate, args: arguments{"expression": last + " " + o.sign + " " + m["rest"]}}
				}
				if len(op) > 2 && op != "over" && op != "add" && op != "less" {
					return saying{whichSum.In(u.Lang)}
				}
			}
			return nil
		}},
		{[]pattern{powerAfter}, func(u *utterance, m captures) goal {
			if last, ok := u.lastSum(); ok {
				return oneCall{tool: calculate, args: arguments{"expression": last + " " + powers[strings.ToLower(m["op"])]}}
			}
			return nil
		}},
	}
}

// lastSum is the newest result that the calculator gave in this conversation.
func (u *utterance) lastSum() (string, bool) {
	for _, m := range slices.Backward(u.History) {
		if m.Role != loci.Assistant {
			continue
		}
		if sum, ok := shownSum.match(m.Content); ok {
			if strings.HasPrefix(sum["result"], "-") {
				return "(" + sum["result"] + ")", true
			}
			return sum["result"], true
		}
	}
	return "", false
}
