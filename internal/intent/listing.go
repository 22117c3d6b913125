package intent

// listRules ask what is in a folder. In the first rule the words leave no doubt
// that one is meant; in the second the place itself must look like one, because
// "what is in a good curry?" is built in the same way.
func listRules() []rule {
	return []rule{
		{newPatterns(
			`^(?:ls|dir|ll)(?: -\w+)?(?: (?P<where>.+))?$`,
			`^(?:list|show|display|give|see)(?: me| us)?(?: all| the| my| every)* (?:files|folders|files and folders|directory listing|subfolders)(?: (?:are|that are))?(?: (?:here|there))?(?: (?:in|of|inside|under|from|at) (?P<where>.+))?$`,
			`^(?:which|what) (?:files|folders|documents|subfolders|files and folders)(?: are| are there| do i have| do we have| can you see| exist| live)?(?: (?:here|there))?(?: (?:in|inside|under|at) (?P<where>.+))?$`,
			`^(?:which|what) (?:files|folders|documents) (?:does|do) (?P<where>.+?) (?:contain|have|hold)$`,
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
	return oneCall{listDir, arguments{"path": path}}
}
