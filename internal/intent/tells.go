package intent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"loci"
)

// lookers are the tools that tell what nobody can know from memory. The date is in
// every prompt, and a sum can be done in the head.
var lookers = []string{listDir, readFile, searchFiles, systemInfo, listProcesses, queryDB}

// longestLook is the length in bytes of a request that is only for a look.
const longestLook = 400

// mayLook is in all words that ask for a look: a name of a file, or a word for what
// there is to look at.
var mayLook = regexp.MustCompile(`(?i)[\pL\d_-]\.[a-z]\w{0,4}\b|[/\\~]` +
	`|\b(?:files?|folders?|director(?:y|ies)|contents?|documents?|disk|drive|processes|running|databases?|tables?|logs?|notes|memory|ram|cpu|computer|machine|uptime|list|(?:in|is|are) here)\b` +
	`|文件|目录|文件夹|内容|文档|磁盘|硬盘|空间|进程|程序|数据库|日志|笔记|内存|电脑|系统|运行|列出|查找|搜索|打开|读` +
	`|soubor|složk|adresář|obsah|dokument|disk|míst|proces|program|běží|databáz|tabul|log|poznám|pamě|počítač|systém|řádk|slov|vypiš|najdi|hledej|otevři|přečti`)

// Tells gives the call that would tell what a person wants to know, by rules alone:
// their words ask for a look at a file that they name, at a folder, or at this machine.
// Words that may be meant otherwise, such as a question about formats of files or
// about a paper whose file would be a guess, are left to the model.
func (r *Router) Tells(s loci.Situation) (loci.ToolCall, bool) {
	if len(s.Text) > longestLook || !mayLook.MatchString(s.Text) { // the rules take a millisecond
		return loci.ToolCall{}, false
	}
	u := r.understand(s)
	if talkOpening.has(u.core) || writes.has(u.core) {
		return loci.ToolCall{}, false
	}
	g := r.ruled(u)
	if _, guessed := g.(recall); g == nil || guessed || !slices.Contains(lookers, g.first()) {
		return loci.ToolCall{}, false
	}
	move := g.next(u, nil)
	if move.Call == nil || !slices.Contains(lookers, move.Call.Name) || !namesFile(*move.Call, s.Text) {
		return loci.ToolCall{}, false
	}
	return *move.Call, true
}

// namesFile tells whether a file that a call reads stands in the words.
func namesFile(c loci.ToolCall, words string) bool {
	if c.Name != readFile && c.Name != queryDB {
		return true
	}
	var args struct{ Path, Database string }
	_ = json.Unmarshal(c.Arguments, &args) // made here
	file := args.Path + args.Database
	return isFile(file) && strings.Contains(strings.ToLower(words), strings.ToLower(file))
}
