// Package approval is the words between loci and a person who is asked: the
// question as a chat shows it, the short code that names it, what a message says
// to it, for which of the questions that is an answer, and what is told about them
// afterwards. It keeps nothing.
package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"loci"
	"loci/internal/lang"
	"loci/internal/text"
)

const (
	maxArguments = 20    // shown of a call
	maxValue     = 200   // characters of an argument beside a preview
	maxAlone     = 500   // characters of an argument where there is no preview
	longValue    = 60    // characters of an argument that is told by its length alone if the preview has it
	maxReason    = 300   // characters of why it asks
	maxPreview   = 4_000 // characters of a preview
	maxTaint     = 2_600 // characters of what was read: all that a session names
)

var (
	mayI      = lang.Words{EN: "May I run %s?", ZH: "可以运行 %s 吗？", CS: "Smím spustit %s?"}
	mayIOn    = lang.Words{EN: "May I run %s on %s?", ZH: "可以对 %[2]s 运行 %[1]s 吗？", CS: "Smím spustit %s na %s?"}
	colon     = lang.Words{EN: ": ", ZH: "：", CS: ": "}
	semicolon = lang.Words{EN: "; ", ZH: "；", CS: "; "}
	moreArgs  = lang.Words{EN: "and %d more", ZH: "另有 %d 项", CS: "a další (%d)"}
	tainted   = lang.Words{EN: "This conversation has read from outside: %s. Make sure that this is what you want.", ZH: "本次对话读取过外部内容：%s。请确认这确实是您想要的。", CS: "Tato konverzace četla obsah odjinud: %s. Ověřte, že to opravdu chcete."}
	inPart    = lang.Words{EN: "%s, shown in part", ZH: "%s，仅显示一部分", CS: "%s, zobrazena je část"}
	notShown  = lang.Words{EN: "Not shown: %s.", ZH: "未显示：%s。", CS: "Nezobrazeno: %s."}
	character = lang.Counted{One: "character", Many: "characters", ZH: "个字符", CSOne: "znak", CSFew: "znaky", CSAll: "znaků"}

	answer = lang.Words{
		EN: "Answer **yes** or **no** (code %s). Without an answer by %s nothing happens.",
		ZH: "请回答**是**或**否**（代码 %s）。如果 %s 之前没有回答，就什么都不会做。",
		CS: "Odpovězte **ano** nebo **ne** (kód %s). Bez odpovědi do %s se nic nestane.",
	}
	several = lang.Words{
		EN: "There are %d questions. Answer each with its code.",
		ZH: "共有 %d 个问题，请分别用代码回答。",
		CS: "Počet otázek: %d. Na každou odpovězte jejím kódem.",
	}
	answerEach = lang.Words{
		EN: "Answer **yes %[1]s** or **no %[1]s**, by %[2]s.",
		ZH: "请在 %[2]s 之前回答**是 %[1]s** 或**否 %[1]s**。",
		CS: "Odpovězte **ano %[1]s** nebo **ne %[1]s**, do %[2]s.",
	}
	answerAll = lang.Words{
		EN: "What gets no answer is not done. To answer all at once: **yes to all** or **no to all**.",
		ZH: "没有得到回答的不会执行。也可以一次全部回答：**全部同意**或**全部取消**。",
		CS: "Co zůstane bez odpovědi, se nestane. Na všechny najednou: **ano na všechny** nebo **ne na všechny**.",
	}

	// The same for a reader whose key cannot allow anything.
	onlyRefuse = lang.Words{
		EN: "Your key cannot allow this. It is allowed where loci runs, with `loci approvals yes %s`; here you can answer **no**. Without an answer by %s nothing happens.",
		ZH: "您的密钥无权同意。请在运行 loci 的机器上用 `loci approvals yes %s` 同意；在这里可以回答**否**。如果 %s 之前没有回答，就什么都不会做。",
		CS: "Váš klíč to povolit nemůže. Povolí se tam, kde loci běží, příkazem `loci approvals yes %s`; zde můžete odpovědět **ne**. Bez odpovědi do %s se nic nestane.",
	}
	onlyRefuseEach = lang.Words{
		EN: "Your key cannot allow this. Allow it where loci runs, with `loci approvals yes %[1]s`, or answer **no %[1]s**, by %[2]s.",
		ZH: "您的密钥无权同意。请在 %[2]s 之前，在运行 loci 的机器上用 `loci approvals yes %[1]s` 同意，或回答**否 %[1]s**。",
		CS: "Váš klíč to povolit nemůže. Povolte to tam, kde loci běží, příkazem `loci approvals yes %[1]s`, nebo odpovězte **ne %[1]s**, do %[2]s.",
	}
	onlyRefuseAll = lang.Words{
		EN: "What gets no answer is not done. To refuse all at once: **no to all**.",
		ZH: "没有得到回答的不会执行。也可以一次全部取消：**全部取消**。",
		CS: "Co zůstane bez odpovědi, se nestane. Odmítnout všechny najednou: **ne na všechny**.",
	}
)

// Reader is who a question is shown to.
type Reader struct {
	Lang string
	Zone *time.Location // for times; nil: this machine's
	// OnlyNo says that a yes of theirs does not count.
	OnlyNo bool
}

// closing is how to answer: by a lone question, by each of several, and after them.
func (r Reader) closing() (one, each, all lang.Words) {
	if r.OnlyNo {
		return onlyRefuse, onlyRefuseEach, onlyRefuseAll
	}
	return answer, answerEach, answerAll
}

// question is a lone question as a chat shows it, in Markdown that also reads
// well as it is. Times are in the zone of the person.
func question(a loci.Approval, to Reader) string {
	how, _, _ := to.closing()
	return join(title("", a, to.Lang), body(a, to.Lang), how.In(to.Lang, a.Code, clock(a, to.Zone)))
}

// Questions is all that a chat is asked at the same time. Of several, each needs
// its code.
func Questions(asked []loci.Approval, to Reader) string {
	blocks := Blocks(asked, to)
	if len(asked) < 2 {
		return join(blocks...)
	}
	_, _, all := to.closing()
	return join(several.In(to.Lang, len(asked)), join(blocks...), all.In(to.Lang))
}

// Blocks are the questions one by one, as [Questions] shows them.
func Blocks(asked []loci.Approval, to Reader) []string {
	if len(asked) == 1 {
		return []string{question(asked[0], to)}
	}
	_, how, _ := to.closing()
	var blocks []string
	for i, a := range asked {
		blocks = append(blocks, join(title(fmt.Sprint(i+1, ". "), a, to.Lang), body(a, to.Lang), how.In(to.Lang, a.Code, clock(a, to.Zone))))
	}
	return blocks
}

// join puts paragraphs together.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}

// plainName is a name that needs no escaping anywhere.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// toolName is the name of a tool as a title shows it.
func toolName(name string) string {
	if plainName.MatchString(name) {
		return "`" + name + "`"
	}
	shown, _ := quote(name, longValue)
	return shown
}

// title is what is asked, in one line: the tool, what it works on, and what else
// it is given.
func title(number string, a loci.Approval, lang string) string {
	asks := mayI.In(lang, toolName(a.Tool))
	if path := argument(a, "path"); path != nil {
		asks = mayIOn.In(lang, toolName(a.Tool), value(path, "", lang))
	}
	return strings.TrimSpace("**" + number + asks + "** " + arguments(a, "path", lang))
}

// argument is one of the arguments of a call; nil if it has none of that name.
func argument(a loci.Approval, name string) json.RawMessage {
	names, values, _ := object(bytes.TrimSpace(a.Arguments))
	if i := slices.Index(names, name); i >= 0 {
		return values[i]
	}
	return nil
}

// body is what comes between the call and how to answer: why it asks, what the
// session has read, what would change.
func body(a loci.Approval, lang string) string {
	var parts []string
	if reason := prose(a.Reason, maxReason); reason != "" {
		parts = append(parts, reason)
	}
	if a.Taint != "" {
		source, _ := quote(a.Taint, maxTaint)
		parts = append(parts, tainted.In(lang, source))
	}
	if strings.TrimSpace(a.Preview) != "" {
		head, preview := heading(a.Preview)
		if head != "" {
			parts = append(parts, prose(head, maxValue))
		}
		block, cut := fenced(preview, maxPreview)
		parts = append(parts, block)
		if cut > 0 {
			parts = append(parts, notShown.In(lang, character.In(lang, cut)))
		}
	}
	return join(parts...)
}

// heading takes the line that introduces a preview off it: what is below can then be
// copied by itself. It is empty if there is none.
func heading(preview string) (head, rest string) {
	head, rest, ok := strings.Cut(preview, "\n")
	if !ok || !strings.HasSuffix(head, ":") && !strings.HasSuffix(head, "：") {
		return "", preview
	}
	return head, rest
}

// clock is when a question expires, with the date where that is not within a day.
func clock(a loci.Approval, zone *time.Location) string {
	if zone == nil {
		zone = time.Local
	}
	if a.Expires.Sub(a.Asked.Time) >= 24*time.Hour {
		return a.Expires.In(zone).Format("2006-01-02 15:04")
	}
	return a.Expires.In(zone).Format("15:04")
}

// arguments lists what a call was given besides the one that is shown already and
// what the preview has in full, in its order, on one line. What is no JSON object is
// shown as it is.
func arguments(a loci.Approval, shown, lang string) string {
	raw := bytes.TrimSpace(a.Arguments)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	names, values, ok := object(raw)
	if !ok {
		return value(raw, a.Preview, lang)
	}
	var parts []string
	for i, name := range names {
		if name == shown {
			shown = "" // the first one
			continue
		}
		if i == maxArguments {
			parts = append(parts, moreArgs.In(lang, len(names)-i))
			break
		}
		if !plainName.MatchString(name) {
			name, _ = quote(name, longValue)
		}
		if v := value(values[i], a.Preview, lang); v != "" {
			parts = append(parts, name+colon.In(lang)+v)
		}
	}
	return strings.Join(parts, semicolon.In(lang))
}

// object takes a JSON object apart, its members in their order.
func object(raw []byte) (names []string, values []json.RawMessage, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') || !json.Valid(raw) {
		return nil, nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, false
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, nil, false
		}
		names, values = append(names, fmt.Sprint(name)), append(values, v)
	}
	return names, values, true
}

// value is one argument as the line shows it, empty for a long text that the preview
// shows. Where that shows only its beginning, this is said.
func value(raw json.RawMessage, preview, lang string) string {
	s := string(raw)
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &s); err != nil {
			s = string(raw)
		}
	}
	size := utf8.RuneCountInString(s)
	length := character.In(lang, size)
	if size > longValue || strings.Contains(s, "\n") {
		switch begins, whole := shows(preview, s); {
		case whole:
			return ""
		case begins:
			return inPart.In(lang, length)
		}
	}
	most := maxValue
	if preview == "" {
		most = maxAlone
	}
	shown, cut := quote(s, most)
	if cut {
		shown += " (" + length + ")"
	}
	return shown
}

// shows tells whether the shown part of a preview has the beginning of a text,
// and whether it has all of it: its lines in their order, maybe with the marks of
// a diff and other lines between them.
func shows(preview, s string) (begins, whole bool) {
	rest := text.First(preview, maxPreview)
	for line := range strings.Lines(strings.TrimSpace(s)) {
		line = strings.TrimSpace(line)
		begins = begins || strings.Contains(rest, text.First(line, longValue))
		i := strings.Index(rest, line)
		if !begins || i < 0 {
			return begins, false
		}
		rest = rest[i+len(line):]
	}
	return begins, begins
}
