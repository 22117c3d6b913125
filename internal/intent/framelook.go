package intent

import "strings"

// search makes the goal of a search in a folder that is named.
func search(args arguments, where string) goal {
	args["path"] = where
	return oneCall{tool: searchFiles, args: args}
}

// searchFrames ask for files by what is in them, their size, age or name.
func searchFrames() []frame {
	return []frame{
		{tool: searchFiles, kind: "files/text in a folder", goal: func(u *utterance, _ naming, m captures) goal {
			if vagueWord.has(m["what"]) || kindOf(m["what"]) != "" || notSought.has(m["what"]) || len(strings.Fields(m["what"])) > 4 {
				return nil
			}
			return search(arguments{"content": m["what"]}, m["folder"])
		}},
		{tool: searchFiles, kind: "files/text anywhere", goal: func(u *utterance, n naming, m captures) goal {
			if n.names(fileSign, folderSign, pageSign) || vagueWord.has(m["what"]) || notSought.has(m["what"]) || kindOf(m["what"]) != "" || len(strings.Fields(m["what"])) > 4 || talkOpening.has(u.core) {
				return nil
			}
			return search(arguments{"content": m["what"]}, "")
		}},
		{tool: searchFiles, kind: "files/how often a text is there", goal: func(_ *utterance, n naming, m captures) goal {
			file, ok := n.only()
			if !ok || vagueWord.has(m["what"]) {
				return nil
			}
			return search(arguments{"content": m["what"], "count": true}, file)
		}},
		{tool: searchFiles, kind: "files/where a file is", goal: func(_ *utterance, n naming, m captures) goal {
			if file, ok := n.only(); ok && !n.names(folderSign, textSign) {
				return search(arguments{"name": file}, "")
			}
			return nil
		}},
		{tool: searchFiles, kind: "files/groups of lines", goal: func(_ *utterance, n naming, m captures) goal {
			file, ok := n.only()
			field := fieldNames.or(m["field"], strings.ToLower(m["field"]))
			if _, known := fieldForms[field]; !ok || !known {
				return nil
			}
			return counting{where: file, field: field}
		}},
		{tool: searchFiles, kind: "files/by size and age in a folder", goal: func(_ *utterance, n naming, m captures) goal {
			if n.names(fileSign, textSign) {
				return nil
			}
			return search(arguments{"sort": sortOrders.or(m["sort"], map[bool]string{true: "largest", false: "newest"}[m["sort"] == ""]), "type": "file", "limit": 10}, m["folder"])
		}},
		{tool: searchFiles, kind: "files/a name with a number", goal: func(_ *utterance, n naming, m captures) goal {
			if n.names(fileSign, folderSign) {
				return nil
			}
			return search(arguments{"name": m["number"]}, "")
		}},
	}
}

// lookFrames ask for what is in a folder, a database or a file.
func lookFrames() []frame {
	return []frame{
		{tool: listDir, kind: "files/what is in a folder", goal: func(u *utterance, n naming, m captures) goal {
			if m["bare"] != "" && (n.names(fileSign, folderSign) || noFolderName.has(m["bare"]) || vagueWord.has(m["bare"]) || notAPlace.has(m["bare"])) || n.names(fileSign, textSign) {
				return nil
			}
			if m["folder"] != "" {
				return u.list(m["folder"], true)
			}
			return u.list(m["bare"], true)
		}},
		{tool: queryDB, kind: "files/tables of a database", goal: func(_ *utterance, n naming, m captures) goal {
			if len(n.files) > 1 {
				return nil
			}
			return oneCall{tool: queryDB, args: arguments{"database": m["db"]}}
		}},
		{tool: readFile, kind: "files/what a file says", goal: func(u *utterance, n naming, _ captures) goal {
			file, ok := n.only()
			if !ok || n.names(textSign, folderSign, pageSign) || notARead.has(n.words) || aboutChange.has(u.core) {
				return nil
			}
			if officeFile.has(file) {
				return saying{notYetPaper.In(u.Lang, baseName(strings.TrimSuffix(file, file[strings.LastIndex(file, "."):])))}
			}
			return document{path: file}
		}},
	}
}

var (
	// notAPlace are words with which other questions begin.
	notAPlace = newPattern(`^(?:hey|hello|and|but|well|okay|sorry|please|thanks|dinner|lunch|today|tomorrow|weekend|plans?|weather|news|life|love|advice|ideas?|tips?|options?|choices?|question|music|work out|sleep|health|money|time|free time|general|theory|practice|mind|stock|store|life)$`)
	// notARead wants something else of a file.
	notARead = newPattern(`\b(?:delete|remove|erase|rename|move|replace|change|edit|write|append|add|put|copy|create|save|fix|correct|insert|send|mail|upload|download|run|execute|if|would|should|could i delete|where|how many|how often|count|compare|convert|translate|sort|before|after i|don't|do not|never|without)\b|删除|修改|替换|移动|改名|复制|(?:smaž|přejmenuj|přesuň|změň|nahraď|přidej|zkopíruj)`)
)

// factFrames ask about this machine and the time.
func factFrames() []frame {
	part := func(p string) func(*utterance, naming, captures) goal {
		return func(u *utterance, n naming, _ captures) goal {
			if len(n.things) > 0 || asksHow.has(u.core) || talkOpening.has(u.core) {
				return nil
			}
			return oneCall{tool: systemInfo, args: arguments{"part": p}}
		}
	}
	return []frame{
		{tool: systemInfo, kind: "facts/by its words: uptime", goal: part("uptime")},
		{tool: systemInfo, kind: "facts/by its words: memory", goal: part("memory")},
		{tool: systemInfo, kind: "facts/by its words: disk", goal: part("disk")},
		{tool: systemInfo, kind: "facts/by its words: cpu", goal: part("cpu")},
		{tool: listProcesses, kind: "facts/all that runs", goal: func(u *utterance, n naming, _ captures) goal {
			if len(n.things) > 0 {
				return nil
			}
			return oneCall{tool: listProcesses}
		}},
		{tool: listProcesses, kind: "facts/one that runs", goal: func(_ *utterance, _ naming, m captures) goal {
			return oneCall{tool: listProcesses, args: arguments{"name": strings.ToLower(m["name"])}}
		}},
		{tool: currentTime, kind: "facts/time elsewhere", goal: func(u *utterance, n naming, m captures) goal {
			if len(n.things) > 0 || notATime.has(u.core) {
				return nil
			}
			zone := cityZones.or(m["zone"], m["zone"])
			return oneCall{tool: currentTime, args: arguments{"part": "time", "zone": zone}}
		}},
	}
}

// manyZones are countries and regions with one time.
const manyZones = `japan|china|india|germany|france|spain|italy|england|britain|the uk|uk|poland|california|hawaii|korea|thailand|nyc|new york city`

// notATime asks for something else about a place.
var notATime = newPattern(`\b(?:weather|flight|fly|hotel|visit|travel|trip|best time|good time|time zone history|time to (?:go|visit|travel|move)|warm|cold|rain|snow|restaurant|live|capital|population|tour|how long)\b.*\b(?:in|to|for)\b.*$|\b(?:weather|flights?|hotels?|best time|good time|history|last time|first time|next time|every time|have a good|had a)\b`)

// tableFrame asks for what is in a table of a database.
func tableFrame() frame {
	return frame{tool: queryDB, kind: "files/one table", goal: func(_ *utterance, n naming, m captures) goal {
		if len(n.files) > 0 || noName.has(m["table"]) || vagueWord.has(m["table"]) || n.names(textSign) {
			return nil
		}
		return oneCall{tool: queryDB, args: arguments{"database": m["db"], "query": "SELECT * FROM " + m["table"]}}
	}}
}
