package intent

import (
	"path/filepath"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

// What is asked about a paper of the person's own that is not given by its name: the
// log, my notes. The one file that is named like it is meant, if there is one.

// ofPaper is the goal of finding the file of a paper, and then to do something
// about it.
type ofPaper struct {
	paper document
	then  func(path string) goal
}

// first is the tool that finds it.
func (ofPaper) first() string { return searchFiles }

// next looks for the file, and goes on with it.
func (g ofPaper) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(searchFiles, arguments{"name": g.paper.path, "type": "file", "limit": 10})
	}
	if done[0].Err != nil {
		return say(u, done[0])
	}
	paths := g.paper.matching(decode[searchResult](done[0]))
	if g.paper.path == "log" { // a folder of logs may hold other things
		if logs := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return filepath.Ext(p) != ".log" }); len(logs) > 0 {
			paths = logs
		}
	}
	switch len(paths) {
	case 0:
		return loci.Move{Say: noPaper.In(u.Lang, g.paper.called)}
	case 1:
		return g.then(paths[0]).next(u, done[1:])
	}
	return loci.Move{Say: whichOne.In(u.Lang, g.paper.called, len(paths), strings.Join(paths, "\n"))}
}

// paperRules ask for the lines, the size or the time of a paper, and what is to be
// done.
func paperRules() []rule {
	about := func(then func(string) goal, patterns ...string) rule {
		return rule{newPatterns(patterns...), func(u *utterance, m captures) goal {
			g, ok := u.paper(m["what"])
			if !ok || isKnownFile(m["what"]) {
				return nil
			}
			return ofPaper{g, then}
		}}
	}
	const what = `(?P<what>(?:the|my|our) [\pL -]+?)(?: file)?`
	const whatCS = `(?P<what>(?:moje|můj) [\pL -]+?)`
	return []rule{
		about(func(path string) goal { return counting{where: path} },
			`^how many lines (?:does|do|are in|has|have) `+what+`(?: have| has| contain)?$`, `^count(?: the)? lines (?:of|in) `+what+`$`, `^(?:how long is) `+what+`$`, `^kolik řádků (?:má|mají) `+whatCS+`$`),
		about(func(path string) goal {
			return oneCall{searchFiles, arguments{"path": path, "type": "file"}, sizeAndTime}
		},
			`^when (?:was|were|did i)(?: last)? (?:(?:change|edit|modify|write|save) )?`+what+`(?: last)?(?: (?:changed|modified|edited|written|saved|updated))?$`,
			`^how (?:big|large|old) (?:is|are) `+what+`$`, `^kdy (?:se změnily|byly změněny|se změnil) `+whatCS+`$`),
		{newPatterns(
			`^what (?:do|must) i (?:still )?(?:have|need) to do(?: today| next| now)?$`, `^what(?:'s| is) (?:still )?(?:on|in) my (?:to-?do list|to-?do|list)$`, `^what(?:'s| is) (?:still )?(?:left )?to do$`,
			`^我(?:还)?(?:要|需要|得)做(?:什么|哪些事)$`, `^co (?:mám|musím)(?: ještě| dnes| teď)* (?:udělat|dělat|zařídit)$`,
		), func(*utterance, captures) goal { return document{path: "todo", called: "to-do list"} }},
	}
}

// folderSize is the goal of telling how much is in a folder.
type folderSize struct{ path string }

// first is the tool that finds the files.
func (folderSize) first() string { return searchFiles }

// next adds up the sizes of all files, if all of them are told.
func (g folderSize) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(searchFiles, arguments{"path": g.path, "type": "file", "sort": "largest", "limit": mostRows})
	}
	found := decode[searchResult](done[0])
	switch {
	case done[0].Err != nil || found.Files == 0:
		return say(u, done[0])
	case found.Files > len(found.Matches):
		return loci.Move{Say: manyInFolder.In(u.Lang, g.path, filesWord.In(u.Lang, found.Files))}
	}
	var size int64
	var largest []string
	for _, m := range found.Matches {
		if size += m.Size; len(largest) < 3 {
			largest = append(largest, m.Path+" ("+lang.Size(u.Lang, m.Size)+")")
		}
	}
	return loci.Move{Say: inFolderAll.In(u.Lang, strings.TrimRight(g.path, `/\`)+"/", filesWord.In(u.Lang, found.Files), lang.Size(u.Lang, size), strings.Join(largest, ", "))}
}

var (
	inFolderAll  = lang.Words{EN: "%s holds %s, %s in all, counting what is in sub-folders. The largest: %s", ZH: "%s 中有 %s，共 %s（包括子文件夹）。最大的：%s", CS: "%s: %s, celkem %s včetně podsložek. Největší: %s"}
	manyInFolder = lang.Words{EN: "%s holds %s, too many to add up their sizes.", ZH: "%s 中有 %s，太多了，无法计算总大小。", CS: "%s: %s, na součet velikostí je jich příliš mnoho."}
)

// folderRules ask about one folder: how large it is, the lines of all its files, what
// is hidden in it, and what is in it where only its name is said.
func folderRules() []rule {
	return []rule{
		{newPatterns(
			`^how (?:big|large|heavy) is (?P<where>.+)$`, `^(?:what(?:'s| is) )?the (?:total )?size of (?P<where>.+)$`, `^how much space does (?P<where>.+?) (?:take|use|need)(?: up)?$`,
			`^(?P<where>\S+?)\s*(?:这个)?(?:文件夹|目录)(?:有)?多大$`, `^jak velk[áý] je (?P<where>.+)$`,
		), func(u *utterance, m captures) goal {
			if !saysFolderFirst.has(m["where"]) && !strings.HasSuffix(m["where"], "/") && !strings.Contains(u.core, "文件夹") && !strings.Contains(u.core, "目录") {
				return nil
			}
			if path, ok := u.folder(m["where"], true); ok {
				return folderSize{path}
			}
			return nil
		}},
		{newPatterns(
			`^(?:count|how many)(?: the)?(?: number of)? lines(?: are| are there| there are)? (?:in|of|for) (?:all|each|every)(?: one)?(?: of)?(?: the| my)?(?: files?)?(?: (?:in|of|under) (?P<where>.+))?$`,
			`^(?:how many lines (?:does|do) (?:each|every|all) (?:of the )?files?)(?: (?:in|of|under) (?P<where>.+?))?(?: have)?$`,
			`^(?:统计|数一下)\s*(?P<where>\S+?)\s*(?:里面|里|中)(?:所有|每个)文件的行数$`, `^(?:spočítej )?(?:kolik )?řádk[ůy] (?:mají |má )?(?:ve |v )?(?:všech|každý|všechny) soubor\pL+(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal {
			path, ok := u.folder(m["where"], true)
			if !ok || isFile(path) {
				return nil
			}
			return report{where: path, field: "file"}
		}},
		{newPatterns(
			`^(?:show|list|find|display|are there|do i have|which|what)(?: me)?(?: all| any| the| my)* hidden (?:files|things|folders|files and folders)(?: (?:are there|do i have|exist))?(?: (?:in|under) (?P<where>.+))?$`,
			`^(?:显示|列出)?(?:所有)?隐藏(?:的)?文件(?:有哪些)?$`, `^(?:ukaž|vypiš|zobraz)(?: mi)? skryté soubory(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal { return u.find(arguments{"name": ".*"}, m["where"]) }},
		{newPatterns(`^what(?:'s| is| do i have| do we have| have i got)(?: there| stored| saved)? (?:in|inside|under) (?:my )?(?P<where>[\w-]{2,30})$`, `^co (?:mám|máme) (?:v|ve) (?P<where>[\w-]{2,30})$`),
			func(u *utterance, m captures) goal {
				if vagueWord.has(m["where"]) || homeFolder.has(m["where"]) || thisFolder.has(m["where"]) {
					return nil
				}
				return perhapsFolder{m["where"]}
			}},
	}
}

// perhapsFolder is the goal of listing a folder, if there is one of the name; what is
// in anything else is for the model to know.
type perhapsFolder struct{ path string }

// first is the tool that lists.
func (perhapsFolder) first() string { return listDir }

// next lists it, or lets the model talk.
func (g perhapsFolder) next(u *utterance, done []loci.ToolResult) loci.Move {
	switch {
	case len(done) == 0:
		return call(listDir, arguments{"path": g.path})
	case done[0].Err != nil && !done[0].Refused:
		return letTalk
	}
	return say(u, done[0])
}
