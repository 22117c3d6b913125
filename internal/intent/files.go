package intent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loci"
	"loci/internal/lang"
)

var (
	filesWord   = lang.Counted{One: "file", Many: "files", ZH: "个文件", CSOne: "soubor", CSFew: "soubory", CSAll: "souborů"}
	foldersWord = lang.Counted{One: "folder", Many: "folders", ZH: "个文件夹", CSOne: "složka", CSFew: "složky", CSAll: "složek"}
	countedAll  = lang.Words{EN: "%s, counting what is in sub-folders.", ZH: "%s（包括子文件夹中的）。", CS: "%s, včetně podsložek."}
	theFolders  = lang.Words{EN: "Folders in %s: %s", ZH: "%s 中的文件夹：%s", CS: "Složky v %s: %s"}
	noFolders   = lang.Words{EN: "There are no folders in %s.", ZH: "%s 中没有文件夹。", CS: "Ve složce %s žádné složky nejsou."}
	largerThan  = lang.Words{EN: "Larger than %s: %s", ZH: "大于 %s：%s", CS: "Větší než %s: %s"}
	noneLarger  = lang.Words{EN: "No file is larger than %s.", ZH: "没有大于 %s 的文件。", CS: "Žádný soubor není větší než %s."}
)

// theSort are words for an order of files.
const theSort = `(?P<sort>newest|latest|most recent|last changed|oldest|largest|biggest|longest|heaviest|smallest|shortest)`

// filesRules ask how many files there are, which is the largest, or for all of
// them. They come before the rules that find files by other marks, whose patterns
// take almost any word.
func filesRules() []rule {
	return []rule{
		{newPatterns( // how many
			`^(?:how many|count|count all|number of|count the number of)(?: of)?(?: the| my| all)* (?:(?P<kind>\.?[\w]+) )?(?P<what>files|folders|directories|documents|subfolders|images|pictures|photos|videos)(?: (?:are|do|does|is|there|i have|i|have|we have|you see|exist|got|in total))*(?: (?:here|there))*(?: (?:in|inside|under) (?P<where>.+?))?(?: (?:have|contain))?$`,
			`^(?:我|这里|这儿)?(?P<where>.*?)\s*(?:里面|里|中|下)?(?:一共|总共|共)?有多少个?(?P<what>文件夹|文件|目录|图片|照片)$`,
			`^kolik (?:je |mám |tu je |tu mám |tady je |tady mám )?(?P<what>souborů|složek|obrázků|fotek|dokumentů)(?: tu| tady| zde| je| mám)*(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal { return u.howMany(m) }},
		{newPatterns( // folders alone
			`^(?:which|what|list|show|show me|list all|what are)(?: the| all| my)* (?:folders|directories|subfolders|subdirectories|sub-folders)(?: (?:do i have|do we have|are there|exist|are|can you see|have i got))*(?: (?:here|there))?(?: (?:in|under|inside) (?P<where>.+))?$`,
			`^(?:列出|显示)?(?:我|这里|这儿)?(?:都)?有(?:哪些|什么)(?:文件夹|目录)$`, `^(?:列出|显示)(?:所有)?(?:的)?(?:文件夹|目录)$`,
			`^(?:jaké|které|ukaž|vypiš)(?: mi)?(?: tu| tady)? (?:složky|adresáře)(?: tu| tady| zde| jsou| mám| máme)*(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal {
			path, ok := u.folder(m["where"], true)
			if !ok {
				return nil
			}
			return oneCall{listDir, arguments{"path": path}, foldersOnly}
		}},
		{newPatterns( // everything, sub-folders included
			`^(?:list|show|find|display|print)(?: me)?(?: all| the| my| every| of)* files(?: here)?(?: (?:in|of|under) (?P<where>.+?))? (?:recursively|and (?:all )?sub-?folders|including (?:all )?sub-?folders|in all (?:sub-?)?folders|with sub-?folders)$`,
			`^(?:recursively )?(?:list|show|find)(?: me)?(?: all| the)* files recursively(?: (?:in|of|under) (?P<where>.+))?$`, `^find all(?: my)? files(?: (?:in|under) (?P<where>.+))?$`, `^(?:recursively list|list recursively)(?: .*)?$`,
			`^(?:递归)?列出所有(?:子文件夹(?:中|里)的)?文件$`, `^(?:vypiš|ukaž) (?:všechny )?soubory (?:rekurzivně|včetně podsložek|i v podsložkách)$`,
		), func(u *utterance, m captures) goal { return u.find(arguments{"type": "file"}, m["where"]) }},
		{newPatterns( // larger than
			`^(?:(?:which|what|find|show|list|are there|is there|do i have|give|get|any)(?: me)?(?: any| all| the| my| of)* ?)?(?:(?:large|big|huge|really|very) )*(?:files?|anything|something|things?|stuff|everything|documents?|downloads?),?(?: (?:here|in here|there))?(?: (?:that|which))?(?:'s| is| are| takes?(?: up)?| weighs?| has| have)? ?(?:bigger|larger|more|greater|over|above|heavier)(?: than)? (?P<n>\d+(?:[.,]\d+)?) ?(?P<unit>b|bytes?|k|kb|kib|kilobytes?|m|mb|mib|megabytes?|g|gb|gib|gigabytes?)(?: (?:in|under) (?P<where>.+))?$`,
			`^(?:哪些|有哪些|查找|找出)?(?:大于|超过|大過)\s*(?P<n>\d+(?:\.\d+)?)\s*(?P<unit>b|kb|k|mb|m|gb|g)\s*的文件$`, `^(?:které |jaké |najdi )?soubory(?: jsou)? větší než (?P<n>\d+(?:[.,]\d+)?) ?(?P<unit>b|kb|mb|gb)(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal { return u.largerThan(m) }},
		{newPatterns( // the newest, the largest
			`^(?:(?:what|which)(?:'s| is| are| was)?|(?:show|find|list|give|get)(?: me)?)?(?: ?the| my)* ?`+theSort+` (?P<many>files?|documents?|notes?)(?: (?:here|i have|there is|do i have|(?:in|of|under) (?P<where>.+)))?$`,
			`^(?:which|what)(?: of (?:my|the|these))? (?P<many>files?|documents?)(?: here)? (?:is|are|was)(?: the)? `+theSort+`(?: (?:one|here|file|(?:in|of|under) (?P<where>.+)))?$`,
			`^(?:which|what) (?P<many>file) (?:takes?|uses?|needs?)(?: up)?(?: the)? (?P<sort>most)(?: disk)? space$`, `^(?:which|what) (?P<many>file) did i (?:change|edit|write|modify) (?P<sort>last)$`,
			// Chinese
			`^(?:哪个|什么)(?:文件|文档)(?:是)?(?P<sort>最新|最大|最小|最旧|最老)(?:的)?$`, `^(?P<sort>最新|最大|最小|最旧|最老)的(?:文件|文档)(?:是)?(?:哪个|什么|哪些)?$`,
			// Czech
			`^(?:jaký je |který je |ukaž )?(?P<sort>nejnovější|největší|nejmenší|nejstarší) soubor(?: tu| tady)?$`, `^(?:který|jaký) soubor(?: tu| tady)? je(?: tu| tady)? (?P<sort>nejnovější|největší|nejmenší|nejstarší)$`,
		), func(u *utterance, m captures) goal {
			limit := 1
			if strings.HasSuffix(m["many"], "s") {
				limit = 10
			}
			if smallest.has(m["sort"]) {
				return u.smallest(limit, m["where"])
			}
			return u.find(arguments{"type": "file", "sort": sortOrders.or(m["sort"], ""), "limit": limit}, m["where"])
		}},
	}
}

var (
	smallest    = newPattern(`^(?:smallest|shortest|最小|nejmenší)$`)
	theSmallest = lang.Words{EN: "The smallest: %s", ZH: "最小的：%s", CS: "Nejmenší: %s"}
	tooMany     = lang.Words{EN: "There are too many files (%d) to tell which is the smallest. Name a folder.", ZH: "文件太多（%d 个），无法找出最小的。请指定一个文件夹。", CS: "Souborů je příliš mnoho (%d), nejmenší z nich nepoznám. Řekněte složku."}
)

// smallest makes the goal of naming the smallest files: the last ones by size, if
// all of them are shown.
func (u *utterance) smallest(limit int, where string) goal {
	path, ok := u.folder(where, true)
	if !ok {
		return nil
	}
	return oneCall{searchFiles, arguments{"path": path, "type": "file", "sort": "largest", "limit": 200}, func(u *utterance, r loci.ToolResult) string {
		found := decode[searchResult](r)
		if found.Files > len(found.Matches) {
			return tooMany.In(u.Lang, found.Files)
		}
		var names []string
		for _, f := range slices.Backward(found.Matches) {
			if names = append(names, fmt.Sprintf("%s (%s)", f.Path, lang.Size(u.Lang, f.Size))); len(names) == limit {
				break
			}
		}
		if len(names) == 0 {
			return ""
		}
		return theSmallest.In(u.Lang, strings.Join(names, ", "))
	}}
}

// countedKinds are the things that are counted, as types of search_files.
var countedKinds = newLexicon(map[string]string{
	"files": "file", "documents": "document", "文件": "file", "souborů": "file", "dokumentů": "document",
	"folders": "folder", "directories": "folder", "subfolders": "folder", "文件夹": "folder", "目录": "folder", "složek": "folder",
	"images": "image", "pictures": "image", "photos": "image", "图片": "image", "照片": "image", "obrázků": "image", "fotek": "image", "videos": "video",
})

// howMany makes the goal of counting files or folders.
func (u *utterance) howMany(m captures) goal {
	kind := countedKinds.or(m["what"], "")
	if m["kind"] != "" {
		if kind = kindOf(strings.ToLower(m["kind"])); kind == "" {
			return nil
		}
	}
	path, ok := u.folder(m["where"], !strings.Contains(m["where"], " "))
	if !ok {
		return nil
	}
	return oneCall{searchFiles, arguments{"path": path, "type": kind, "count": true}, func(u *utterance, r loci.ToolResult) string {
		found := decode[searchResult](r)
		number := filesWord.In(u.Lang, found.Files)
		if kind == "folder" {
			number = foldersWord.In(u.Lang, found.Folders)
		}
		return countedAll.In(u.Lang, number)
	}}
}

// foldersOnly names the folders of a listing.
func foldersOnly(u *utterance, r loci.ToolResult) string {
	list := decode[listResult](r)
	var names []string
	for _, e := range list.Entries {
		if e.Type == "folder" {
			names = append(names, e.Name+"/")
		}
	}
	if len(names) == 0 {
		return noFolders.In(u.Lang, list.Path)
	}
	return theFolders.In(u.Lang, list.Path, strings.Join(names, ", "))
}

// largerThan makes the goal of naming the files above a size.
func (u *utterance) largerThan(m captures) goal {
	n, err := strconv.ParseFloat(strings.ReplaceAll(m["n"], ",", "."), 64)
	path, ok := u.folder(m["where"], true)
	if err != nil || !ok {
		return nil
	}
	unit := strings.ToLower(m["unit"])
	size := int64(n * []float64{1, 1 << 10, 1 << 20, 1 << 30}[max(0, strings.Index("bkmg", unit[:1]))])
	return oneCall{searchFiles, arguments{"path": path, "type": "file", "sort": "largest", "limit": 200}, func(u *utterance, r loci.ToolResult) string {
		var names []string
		for _, f := range decode[searchResult](r).Matches {
			if f.Size > size {
				names = append(names, fmt.Sprintf("%s (%s)", f.Path, lang.Size(u.Lang, f.Size)))
			}
		}
		if len(names) == 0 {
			return noneLarger.In(u.Lang, lang.Size(u.Lang, size))
		}
		return largerThan.In(u.Lang, lang.Size(u.Lang, size), strings.Join(names, ", "))
	}}
}
