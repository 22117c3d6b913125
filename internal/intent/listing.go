package intent

import (
	"strings"

	"loci"
	"loci/internal/lang"
)

// allowedHere names the folders.
var allowedHere = lang.Words{EN: "I may look into: %s", ZH: "我可以查看：%s", CS: "Smím se dívat do: %s"}

// listRules ask what is in a folder. In the first rule the words leave no doubt
// that one is meant; in the second the place itself must look like one, because
// "what is in a good curry?" is built in the same way.
func listRules() []rule {
	return []rule{
		{newPatterns(
			`^pwd$`, `^(?:which|what)(?:'s| is)?(?: the| my)?(?: current| working)? (?:folder|directory)(?: am i in| are we in| is this| do you look in(?:to)?)?$`, `^(?:which|what) (?:folders|directories) (?:can|may) you (?:see|read|look into|access|use)$`,
			`^(?:我|现在)在哪个(?:文件夹|目录)(?:里|中)?$`, `^(?:v (?:jaké|které) (?:složce|adresáři) (?:jsem|jsme))$`,
		), func(u *utterance, _ captures) goal {
			if len(u.Folders) == 0 {
				return oneCall{tool: listDir} // it tells how to allow one
			}
			return saying{allowedHere.In(u.Lang, strings.Join(u.Folders, ", "))}
		}},
		{newPatterns(
			`^(?:ls|dir|ll)(?: -\w+)?(?: (?P<where>.+))?$`,
			`^(?:list|show|display|give|see)(?: me| us)?(?: all| the| my| every)* (?:files|folders|files and folders|directory listing|subfolders)(?: (?:are|that are))?(?: (?:here|there))?(?: (?:in|of|inside|under|from|at) (?P<where>.+))?$`,
			`^(?:which|what) (?:files|folders|documents|subfolders|files and folders)(?: are| are there| do i have| do we have| can you see| exist| live)?(?: (?:here|there))?(?: (?:in|inside|under|at) (?P<where>.+))?$`,
			`^(?:which|what) (?:files|folders|documents) (?:does|do) (?P<where>.+?) (?:contain|have|hold)$`,
			`^what(?:'s| is) here$`, `^(?:show|list)(?: me)? everything$`,
			`^(?:list|show)(?: me)? (?:everything|all|the contents?)(?: that is)?(?: (?:in|of|inside|under) (?P<where>.+))$`,
			// Chinese
			`^(?:列出|显示|查看|看看|看一下|列一下)\s*(?P<where>.*?)\s*(?:里面|里|中|下面|下)?的?(?:所有|全部)?的?文件(?:列表)?$`,
			`^(?P<where>.*?)\s*(?:里面|里|中|下面|下)?(?:都)?有(?:哪些|什么|些什么)文件$`,
			// Czech
			`^(?:ukaž|vypiš|zobraz|seznam)(?: mi)?(?: všechny)? (?:soubory|souborů)(?: (?:tady|tu|zde))?(?: (?:v|ve|ze|z) (?P<where>.+))?$`,
			`^(?:jaké|které) (?:soubory|složky|dokumenty)(?: tu| tady| zde)?(?: jsou| mám| máme)?(?: tu| tady| zde)?(?: (?:v|ve) (?P<where>.+))?$`,
		), func(u *utterance, m captures) goal { return u.list(m["where"], true) }},
		{newPatterns(
			`^what(?:'s| is| do i have| do we have| is there)(?: there| stored| saved)? (?:in|inside|at|under|on) (?P<where>.+)$`,
			`^(?:list|ls|show|display|open|browse|look (?:in|into|inside))(?: me)?(?: (?:the )?(?:contents?|everything) (?:of|in))? (?P<where>.+)$`,
			`^what does (?P<where>.+) contain$`,
			// Chinese
			`^(?:列出|显示|查看|看看|看一下|打开)\s*(?P<where>.+?)\s*(?:里面|里|中|下面|下)?的?(?:所有|全部)?(?:内容|东西)?$`,
			`^(?P<where>.+?)\s*(?:里面|里|中|下面|下)(?:都)?有(?:什么|啥|哪些东西|什么东西)$`,
			// Czech
			`^co (?:je|mám|máme|všechno je) (?:v|ve|uvnitř) (?P<where>.+)$`,
			`^(?:ukaž|vypiš|zobraz|otevři)(?: mi)?(?: obsah)? (?P<where>.+)$`,
		), func(u *utterance, m captures) goal { return u.list(m["where"], false) }},
	}
}

// list makes the goal of listing a folder; nil if the words name none.
func (u *utterance) list(where string, sure bool) goal {
	path, ok := u.folder(where, sure)
	if !ok || isFile(path) {
		return nil
	}
	return contents{path}
}

// contents is the goal of showing what is at a path that does not look like a
// file's, but may be one.
type contents struct{ path string }

// first is the tool that lists.
func (contents) first() string { return listDir }

// next lists, or reads what is no folder.
func (g contents) next(u *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		return call(listDir, arguments{"path": g.path})
	}
	failed, last := done[0], done[len(done)-1]
	switch {
	case failed.Err == nil || failed.Refused || g.path == "" || strings.HasSuffix(g.path, "/") || !u.offers(readFile):
		return say(u, failed)
	case len(done) == 1:
		return call(readFile, arguments{"path": g.path})
	}
	return say(u, last)
}
