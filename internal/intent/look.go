package intent

// What is in a folder, and what a file says, in the words of people who look rather
// than list and read.

// lookRules come after all that knows more of what is meant.
func lookRules() []rule {
	return []rule{
		{phrasesOf("look/a folder"), func(u *utterance, m captures) goal { return u.list(m["where"], true) }},
		{phrasesOf("look/a file in a folder"), func(u *utterance, m captures) goal {
			if !isKnownFile(m["file"]) || isFile(m["folder"]) || thisFolder.has(m["folder"]) {
				return nil
			}
			return document{path: within(m["folder"], m["file"])}
		}},
		{phrasesOf("look/a file to read"), func(u *utterance, _ captures) goal {
			path := u.fileNamed()
			if path == "" || !isKnownFile(path) || aboutChange.has(u.core) {
				return nil
			}
			return document{path: path}
		}},
	}
}
