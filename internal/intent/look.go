package intent

// What is in a folder, and what a file says, in the words of people who look rather
// than list and read.

const (
	folderSeen = `(?:(?:the|my|our|that|this|your) )*(?P<where>"[^"]+"|[\w./~\\-]+)`
	aLook      = `^(?:look|peek|glance|check|see|show me|show|list|browse|go|explore|inspect|open|give me|display|print|tell me|get me|view|ls|dir|what|what's|whats|what is|what do|which)(?: me)?`
)

// lookRules come after all that knows more of what is meant.
func lookRules() []rule {
	return []rule{
		{newPatterns( // a folder that is called one, or whose name can be nothing else
			aLook+`(?: (?:what's|what is|everything|things|stuff|files|contents?|around|into|inside|in|at|to|through|of|are|is|there|of the|the|i|we|have|got|do|does|lives?|sits?|lies|kept|stored|that's|that is|all|and|list))* `+folderSeen+` (?:folder|directory|dir|subfolder)(?: (?:contain|have|hold|for me|has in it|like))*$`,
			`^(?:look|peek|glance|have a look|take a look)(?: (?:what's|what is))?(?: (?:into|inside|in))+ `+folderSeen+`$`,
			`^what(?:(?:'s| is| are) (?:all|everything|the stuff|the files|lying around|stored|saved|kept|hiding|sitting)| do (?:i|we) (?:have|keep)| have (?:i|we) got| did i (?:put|save|keep))(?: (?:there|lying around|stored|saved|kept))*(?: (?:in|into|inside|under|within))+ `+folderSeen+`(?: (?:folder|directory))?$`,
			`^(?:show me|tell me|see|list|check|let me see|show|find out) (?:what's|what is|what all is)(?: (?:in|inside|under))+ `+folderSeen+`$`, `^what (?:else|all)(?: is| do i have| have i got)?(?: (?:in|inside|under))+ `+folderSeen+`$`, `^(?:the )?(?:(?:directory|folder) )?(?:contents?|files|listing) (?:of|in|inside) `+folderSeen+`$`, `^(?:is|are)(?: the| my)? (?P<where>downloads?|documents?|desktop|photos|pictures|music|videos|[\w.-]+/[\w./-]*) empty$`,
			`^(?:看看|看一下|瞧瞧|列出|显示)\s*(?P<where>[\w./~-]+)\s*(?:里面|里头|里|中|下面|下)(?:都)?有(?:什么|啥|哪些东西|些什么|哪些文件)$`,
			`^(?:is|are) there (?:anything|something|any files|files|any thing)(?: (?:in|inside|under))+ `+folderSeen+`(?: (?:folder|directory))?$`, `^(?:is|are)(?: the| my)? (?P<where>[\w./~-]+) (?:folder |directory )empty$`, `^(?:anything|something) (?:in|inside) `+folderSeen+`(?: (?:folder|directory))?$`,
			`^(?:(?:what's|what is|what do we have|what do i have|what have we got|what are the (?:files|things)|what files are|show me what's|list what's)(?: (?:all|there|right))*|what all is) (?P<here>here|in here|around here|in this (?:folder|directory|place)|there)$`, `^(?:show|list)(?: me)? (?:what's|what is) (?P<here>here|in here|there)$`,
			`^(?:看看|看一下|列出|显示|查看|瞧瞧|打开)?\s*(?P<where>[\w./~-]+)\s*(?:这个|那个)?(?:文件夹|目录)(?:里面|里头|里|中|下面|下)?的?(?:有什么|有哪些|有啥|内容|东西|都有什么|文件|所有文件|有些什么|有什么东西|有哪些文件)?$`,
			`^(?:co|vypiš|ukaž|zobraz|podívej se|jaké soubory|které soubory)(?: mi)?(?: (?:je|jsou|mám|máme|všechno|obsah|soubory|co))*(?: (?:v|ve|do|ze|z|na))?(?: (?:mojí|mé|té|tom))? (?:složce|složky|složku|adresáři|adresáře|adresář) (?P<where>[\pL\d./~_-]+)$`,
		), func(u *utterance, m captures) goal {
			if m["where"] == "" && m["here"] != "" {
				return u.list("", true)
			}
			return u.list(m["where"], true)
		}},
		{newPatterns( // a file in a folder
			`^(?:what|what's|read|show|print|tell|open|see|display|view|i|know|give)(?: .*?)? (?P<file>[\w-]+\.\w{1,5}) (?:in|from|inside|under|that's in)(?: the| my)? (?P<folder>[\w./-]+)(?: (?:folder|directory))?(?: (?:says?|contains?|is about|has|holds|to me|for me))*$`,
			`^(?P<folder>[\w./-]+)(?: folder)?'s (?P<file>[\w-]+\.\w{1,5})$`,
		), func(u *utterance, m captures) goal {
			if !isKnownFile(m["file"]) || isFile(m["folder"]) || thisFolder.has(m["folder"]) {
				return nil
			}
			return document{path: within(m["folder"], m["file"])}
		}},
		{newPatterns( // a file that is to be read, whatever else is said around it
			`^(?:read|show|print|open|display|view|see|cat|recite|present|let me (?:see|read|hear)|tell me|give me|what does|what did|what do|what's (?:in|written|inside|on)|what is (?:in|written|inside|on)|what (?:was|were) in|how does|remind me what's in|put up|go over|look (?:at|into|inside|over))(?: |$)`,
			`^(?:请)?(?:读|看|显示|打开|念|查看|给我看|展示)`, `^(?:přečti|ukaž|otevři|zobraz|vypiš|co (?:je|stojí|píšu|mám))`, `\.\w{1,5}"?(?:,| -)? (?:read|show|open|print) (?:it|that|me)(?: .*)?$`,
		), func(u *utterance, _ captures) goal {
			path := u.fileNamed()
			if path == "" || !isKnownFile(path) || aboutChange.has(u.core) {
				return nil
			}
			return document{path: path}
		}},
	}
}
