package toolkit

import (
	"fmt"
	"strings"

	"loci/internal/lang"
)

var (
	lineWord   = lang.Counted{One: "line", Many: "lines", ZH: "行", CSOne: "řádku", CSFew: "řádcích", CSAll: "řádcích"}
	fileWord   = lang.Counted{One: "file", Many: "files", ZH: "个文件", CSOne: "soubor", CSFew: "soubory", CSAll: "souborů"}
	inFileWord = lang.Counted{One: "file", Many: "files", ZH: "个文件", CSOne: "souboru", CSFew: "souborech", CSAll: "souborech"}
	folderWord = lang.Counted{One: "folder", Many: "folders", ZH: "个文件夹", CSOne: "složka", CSFew: "složky", CSAll: "složek"}
)

// What a search may have left out.
var (
	skippedFiles = lang.Words{
		EN: "There are too many files: only the first %d were looked at.",
		ZH: "文件太多：只查看了前 %d 个。",
		CS: "Souborů je příliš mnoho: prohlédnuto bylo jen prvních %d.",
	}
	skippedTime = lang.Words{
		EN: "The search took too long and was stopped: the result is incomplete.",
		ZH: "搜索时间过长，已停止：结果不完整。",
		CS: "Hledání trvalo příliš dlouho a bylo zastaveno: výsledek není úplný.",
	}
	skippedText = lang.Words{
		EN: "There is too much text: only a part was searched.",
		ZH: "文本太多：只搜索了一部分。",
		CS: "Textu je příliš mnoho: prohledána byla jen část.",
	}
	skippedLong = lang.Words{
		EN: "A line of over 1 MiB in %s was searched in pieces.",
		ZH: "%s 中有超过 1 MiB 的行，已分段搜索。",
		CS: "Řádek delší než 1 MiB v %s byl prohledán po částech.",
	}
	skippedValues = lang.Words{
		EN: "There are too many different values: only the first %d were counted.",
		ZH: "不同的值太多：只统计了前 %d 个。",
		CS: "Různých hodnot je příliš mnoho: započítáno bylo jen prvních %d.",
	}
	skippedResults = lang.Words{
		EN: "Only %d of %d results are shown.",
		ZH: "只显示 %[2]d 个结果中的 %[1]d 个。",
		CS: "Zobrazeno je jen %d z %d výsledků.",
	}
	skippedLines = lang.Words{
		EN: "Only %d of %d lines are shown.",
		ZH: "只显示 %[2]d 行中的 %[1]d 行。",
		CS: "Zobrazeno je jen %d z %d řádků.",
	}
	skippedGroups = lang.Words{
		EN: "Only %d of %d values are shown.",
		ZH: "只显示 %[2]d 个值中的 %[1]d 个。",
		CS: "Zobrazeno je jen %d z %d hodnot.",
	}
	skippedType = lang.Words{
		EN: "No name ends in .%s here. Types besides endings are file, folder, image, audio, video, document, archive and code.",
		ZH: "没有以 .%s 结尾的文件。除扩展名外，类型有 file、folder、image、audio、video、document、archive 和 code。",
		CS: "Žádné jméno tu nekončí na .%s. Druhy kromě přípon jsou file, folder, image, audio, video, document, archive a code.",
	}
	skippedBinary = lang.Words{
		EN: "Not searched: %d binary files.",
		ZH: "未搜索：%d 个二进制文件。",
		CS: "Neprohledáno, binární soubory: %d.",
	}
	skippedUnreadable = lang.Words{
		EN: "Not readable: %d files or folders.",
		ZH: "无法读取：%d 个文件或文件夹。",
		CS: "Nelze číst, soubory nebo složky: %d.",
	}
	skippedLinks = lang.Words{
		EN: "Not followed: %d links.",
		ZH: "未跟随：%d 个链接。",
		CS: "Nesledováno, odkazy: %d.",
	}
)

// renderFound writes what was found, and what may be missing.
func renderFound(language string, f found) string {
	var text string
	switch {
	case f.Lines != nil:
		text = renderLines(language, f)
	default:
		text = renderNames(language, f)
	}
	if f.asked > 0 { // who says how many knows that there may be more
		f.skip.drop(skippedResults)
	}
	if note := f.skip.In(language); note != "" {
		text += "\n" + note
	}
	return text
}

// renderLines tells of matching lines.
func renderLines(language string, f found) string {
	what := f.args.Content
	if what == "" {
		what = f.args.GroupBy
	}
	var b strings.Builder
	switch {
	case *f.Lines == 0 && f.only != "":
		return lang.Words{EN: "%s does not occur in %s.", ZH: "%[2]s 中没有 %[1]s。", CS: "%s se v %s nevyskytuje."}.In(language, what, f.only)
	case *f.Lines == 0:
		return lang.Words{EN: "%s does not occur in any file.", ZH: "没有文件包含 %s。", CS: "%s se nevyskytuje v žádném souboru."}.In(language, what)
	case len(f.Matches) == 1:
		verb := lang.Words{EN: "%s occurs in %s of %s", ZH: "%[3]s 中有 %[2]s包含 %[1]s", CS: "%s je na %s souboru %s"}
		b.WriteString(verb.In(language, what, lineWord.In(language, *f.Lines), f.Matches[0].Path))
		if f.Times > *f.Lines {
			b.WriteString(lang.Words{EN: ", %d times", ZH: "，共 %d 次", CS: ", celkem %d×"}.In(language, f.Times))
		}
	default:
		verb := lang.Words{EN: "%s occurs in %s of %s", ZH: "%[3]s中有 %[2]s包含 %[1]s", CS: "%s je na %s v %s"}
		b.WriteString(verb.In(language, what, lineWord.In(language, *f.Lines), inFileWord.In(language, f.Files)))
	}
	rest := f.details()
	if len(rest) == 0 {
		return b.String() + lang.Words{EN: ".", ZH: "。", CS: "."}.In(language)
	}
	b.WriteString(lang.Words{EN: ":", ZH: "：", CS: ":"}.In(language) + "\n" + strings.Join(rest, "\n"))
	return b.String()
}

// details are the groups, or the lines, or the files with their counts.
func (f found) details() []string {
	var rest []string
	for _, g := range f.Groups {
		rest = append(rest, fmt.Sprintf("%s: %d", g.Value, g.Lines))
	}
	if f.Groups != nil {
		return rest
	}
	for _, m := range f.Matches {
		switch {
		case len(m.Hits) > 0:
			for _, h := range m.Hits {
				rest = append(rest, fmt.Sprintf("%s:%d: %s", m.Path, h.Line, strings.TrimSpace(h.Text)))
			}
		case len(f.Matches) > 1:
			rest = append(rest, fmt.Sprintf("%s: %d", m.Path, m.Lines))
		}
	}
	return rest
}

// renderNames tells of files and folders found by name, date or type.
func renderNames(language string, f found) string {
	if f.Files+f.Folders == 0 {
		return lang.Words{EN: "No file or folder matches.", ZH: "没有匹配的文件或文件夹。", CS: "Nic takového tu není."}.In(language)
	}
	var counts []string
	if f.Files > 0 {
		counts = append(counts, fileWord.In(language, f.Files))
	}
	if f.Folders > 0 {
		counts = append(counts, folderWord.In(language, f.Folders))
	}
	if f.asked == 1 && f.args.Sort != "" && len(f.Matches) == 1 {
		return superlatives[f.args.Sort].In(language) + f.name(language, f.Matches[0])
	}
	text := strings.Join(counts, lang.Words{EN: " and ", ZH: "，", CS: " a "}.In(language))
	if f.args.Count {
		return text + lang.Words{EN: ".", ZH: "。", CS: "."}.In(language)
	}
	parts := make([]string, len(f.Matches))
	for i, m := range f.Matches {
		parts[i] = f.name(language, m)
	}
	return text + ": " + some(language, parts, searchLimit)
}

// name is a file with its size and time, or a folder.
func (f found) name(language string, m match) string {
	if m.Type != "file" {
		return m.Path
	}
	return m.Path + " (" + lang.Size(language, m.Size) + ", " + m.Modified.In(f.zone).Format("2006-01-02 15:04") + ")"
}

// superlatives begin the answer to who asked for one thing in an order.
var superlatives = map[string]lang.Words{
	"name":    {EN: "The first by name: ", ZH: "按名称第一个：", CS: "První podle jména: "},
	"newest":  {EN: "The newest: ", ZH: "最新的：", CS: "Nejnovější: "},
	"oldest":  {EN: "The oldest: ", ZH: "最旧的：", CS: "Nejstarší: "},
	"largest": {EN: "The largest: ", ZH: "最大的：", CS: "Největší: "},
}
