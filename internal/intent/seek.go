package intent

import "strings"

// Searches as people put them when they do not think of files named so and so: what
// they want, in any order, and where. Each rule reads one part that narrows a search,
// such as a kind, a text or a time; what leads to it is the same for all.

// seekRules are the searches by kind, by the ending of a name, its beginning, and by
// the text in files.
func seekRules() []rule {
	return []rule{
		{phrasesOf("seek/how many of a kind"), func(u *utterance, m captures) goal { return u.ofKind(m, true) }},
		{phrasesOf("seek/all of a kind"), func(u *utterance, m captures) goal { return u.ofKind(m, false) }},
		{phrasesOf("seek/by extension"), func(u *utterance, m captures) goal {
			return u.find(arguments{"name": "*." + m["extension"]}, m["where"])
		}},
		{phrasesOf("seek/by name"), func(u *utterance, m captures) goal {
			name, _ := unquote(m["name"])
			return u.find(arguments{"name": name}, m["where"])
		}},
		{phrasesOf("seek/by a word in a folder"), func(u *utterance, m captures) goal {
			text, quoted := unquote(m["text"])
			if !quoted && (text != strings.ToUpper(text) || len(text) < 3) {
				return nil
			}
			return u.find(arguments{"content": text}, m["where"])
		}},
		{phrasesOf("seek/by text"), (*utterance).byText},
	}
}

// orderRules are the searches by time, by order, and by a name alone.
func orderRules() []rule {
	return []rule{
		{phrasesOf("seek/by when"), (*utterance).changedWhen},
		{phrasesOf("seek/by age"), func(u *utterance, m captures) goal { return u.byAge("older", m["when"]) }},
		{phrasesOf("seek/in an order"), func(u *utterance, m captures) goal {
			kind := "file"
			if m["kind"] != "" && m["kind"] != "files" {
				if kind = kindOf(m["kind"]); kind == "" {
					return nil
				}
			}
			return u.find(arguments{"type": kind, "sort": sortOf(m["sort"])}, m["where"])
		}},
		{phrasesOf("seek/by size or date"), func(u *utterance, m captures) goal {
			sort := "newest"
			switch strings.ToLower(m["by"]) {
			case "name":
				return u.list(m["where"], true)
			case "size":
				sort = "largest"
			}
			return u.find(arguments{"type": "file", "sort": sort, "limit": 10}, m["where"])
		}},
		{phrasesOf("seek/the first of an order"), (*utterance).firstOf},
		{phrasesOf("seek/by a name alone"), (*utterance).byNameAlone},
	}
}

// byText makes the goal of finding files by what is written in them.
func (u *utterance) byText(m captures) goal {
	text, where := soughtIn(strip(m["text"], inThem), m["where"])
	if everywhere.has(where) {
		where = ""
	}
	if text == "" || vagueWord.has(text) || notSought.has(text) || len(strings.Fields(text)) > 5 {
		return nil
	}
	return u.find(arguments{"content": text}, where)
}

// changedWhen makes the goal of finding files by when they were changed.
func (u *utterance) changedWhen(m captures) goal {
	when := leadsTo.of(m["when"])
	if theLast.has(m["when"]) { // the last week ends today
		when = strings.Replace(strings.ToLower(when), "last", "past", 1)
	}
	after, before := u.days(when, lasts.has(m["when"]))
	if after == "" {
		return nil
	}
	return u.find(arguments{"modified_after": after, "modified_before": before, "type": "file", "sort": "newest"}, m["where"])
}

// firstOf makes the goal of finding the newest, the biggest and so on.
func (u *utterance) firstOf(m captures) goal {
	limit := smallNumbers.or(m["n"], 1)
	if m["n"] == "" && strings.HasSuffix(u.core, "files") {
		limit = 10
	}
	args := arguments{"sort": sortOf(m["sort"]), "limit": limit, "type": "file"}
	where := m["where"]
	switch kind := kindOf(m["kind"]); {
	case kind != "":
		args["type"] = kind
	case homeFolder.has(m["kind"]) && where == "":
		where = m["kind"]
	case m["kind"] != "":
		return nil
	}
	return u.find(args, where)
}

// sortOf is the order that a word such as biggest means; the newest comes first where
// none is known.
func sortOf(word string) string {
	for _, done := range []string{" changed", " modified", " edited"} {
		word = strings.TrimSuffix(word, done)
	}
	return sortOrders.or(word, "newest")
}

// byNameAlone makes the goal of finding what has a name, if that is one.
func (u *utterance) byNameAlone(m captures) goal {
	if readsIt.has(u.core) {
		return nil
	}
	name, _ := unquote(m["name"])
	name = strings.TrimSuffix(strings.TrimSuffix(name, " file"), " document")
	if kindOf(name) != "" || noName.has(name) {
		return nil
	}
	return u.find(arguments{"name": name, "type": kindOf(m["kind"])}, "")
}

// smallNumbers are numbers that people say as words.
var smallNumbers = newLexicon(map[string]int{
	"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "10": 10, "15": 15, "20": 20,
	"a": 1, "one": 1, "two": 2, "couple of": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
	"一": 1, "两": 2, "三": 3, "七": 7,
})

var (
	noName   = wordsOf("seek/no name")
	readsIt  = wordsOf("seek/reads it")
	leadsTo  = rewritten("seek/leads to a day")
	theLast  = wordsOf("seek/the last")
	lasts    = wordsOf("seek/goes on to now")
	whatItIs = wordsOf("seek/what it is")
	areFiles = wordsOf("seek/are files")
)

// ofKind makes the goal of finding, or counting, what is of a kind.
func (u *utterance) ofKind(m captures, count bool) goal {
	kind := kindOf(m["kind"])
	if kind == "" || whatItIs.has(u.core) {
		return nil
	}
	where, ok := u.folder(m["where"], areFiles.has(u.core))
	if !ok {
		return nil
	}
	return oneCall{tool: searchFiles, args: arguments{"path": where, "type": kind, "count": count}}
}
