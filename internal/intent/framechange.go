package intent

import (
	"regexp"
	"strings"
)

// changeFrames ask for a change of a file as a whole.
func changeFrames() []frame {
	return []frame{
		{tool: deleteFile, kind: "changes/delete", goal: func(u *utterance, n naming, m captures) goal {
			if len(n.files) != 1 || n.names(textSign) {
				return nil
			}
			file := m["file"]
			if m["folder"] != "" {
				if hasSeparator(file) {
					return nil
				}
				file = within(m["folder"], file)
			}
			return u.deletion(quoteName(file))
		}},
		{tool: moveFile, kind: "changes/rename", goal: func(u *utterance, n naming, m captures) goal {
			if len(n.files) != 2 || n.names(textSign) || notRenamed.has(n.words) {
				return nil
			}
			return u.rename(quoteName(m["file"]), quoteName(m["to"]))
		}},
		{tool: moveFile, kind: "changes/move", goal: func(u *utterance, n naming, m captures) goal {
			if len(n.files) != 1 || n.names(textSign) || notMoved.has(n.words) {
				return nil
			}
			return u.move(quoteName(m["file"]), "folder "+m["folder"])
		}},
		{tool: listDir, kind: "changes/move to a bare name", goal: func(u *utterance, n naming, m captures) goal {
			if len(n.files) != 1 || n.names(textSign, folderSign) || vagueWord.has(m["bare"]) || someWords.has(m["bare"]) || notMoved.has(n.words) || thisFolder.has(m["bare"]) || noFolderName.has(m["bare"]) {
				return nil
			}
			return u.move(quoteName(m["file"]), m["bare"])
		}},
	}
}

var (
	// notRenamed are other things to do with two files.
	notRenamed = newPattern(`\b(?:copy|copies|compare|diff|merge|append|concat\w*|same|difference|between|both|and then|backup)\b|复制|比较|对比|合并|kopír|porovnej`)
	// notMoved are words by which a file stays where it is.
	notMoved = newPattern(`\b(?:copy|copies|backup|find|search|look|list|show|read|what|which|line|word|text|mention\w*)\b|复制|查找|kopír|najdi|najít`)
)

// textFrames ask for a text in a file.
func textFrames() []frame {
	return []frame{
		{tool: readFile, kind: "edits/more lines", goal: func(u *utterance, n naming, m captures) goal {
			file, ok := n.only()
			text, quoted := m["text"], m["text"] != ""
			if !quoted {
				text = u.verbatim(m["line"])
				if _, plain := u.theText(text); !plain {
					return nil
				}
			}
			if !ok || text == "" || addsUp.has(text) {
				return nil
			}
			return appending{file, text}
		}},
		{tool: writeFile, kind: "edits/new text", goal: func(u *utterance, n naming, m captures) goal {
			file, ok := n.only()
			if words := strings.ReplaceAll(n.words, "the line", ""); !ok || notNewText.has(words) || len(n.texts) > 1 {
				return nil
			}
			text := m["text"]
			switch {
			case m["code"] != "": // its quotation marks are its own
				text = codeAtEnd.FindString(u.core)
			case text == "":
				text = u.verbatim(m["line"])
			}
			return change{writeFile, arguments{"path": file, "content": text}}
		}},
	}
}

// notNewText are words for something else to do with a text and a file.
var notNewText = newPattern(`\b(?:add|append|replace|change|changed|instead|remove|delete|erase|find|search|mention\w*|line|lines|after|before|end|bottom|top|beginning|start of|count|how many|rename|called ‹text|named ‹text|rather)\b|替换|删除|添加|追加|查找`)

// codeAtEnd is a call of a function, as programs have it.
var codeAtEnd = regexp.MustCompile(`[\w.]+\([^()]*\)$`)

// fromWords takes marks off the end of a text that was told without quotes.
func fromWords(s string) string { return strings.TrimRight(strings.TrimSpace(s), " ,;") }
