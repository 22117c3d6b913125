package approval

import (
	"regexp"
	"strings"
)

// What a model said before a question is on the screen already. If it left a fence,
// a comment or a tag open, a chat window would draw the question inside of it, or
// not at all.

var (
	fenceLine = regexp.MustCompile("(?m)^ {0,3}(`{3,}|~{3,})")
	tagForm   = regexp.MustCompile(`(?i)<(/?)([a-z][a-z0-9-]*)(?:\s[^<>]*)?>`)
)

// void are the elements of HTML that have no end.
const void = " area base br col embed hr img input link meta source track wbr "

// Closing is what ends whatever a text has left open; empty for most texts.
func Closing(text string) string {
	closing := ""
	if fence := openFence(text); fence != "" {
		closing += "\n" + fence + "\n"
	}
	if strings.LastIndex(text, "<!--") > strings.LastIndex(text, "-->") {
		closing += "-->"
	}
	closing += openTags(text)
	if strings.Count(text, "$$")%2 == 1 {
		closing += "$$"
	}
	return closing
}

// openFence is the fence of a code block without an end, or empty.
func openFence(text string) string {
	open := ""
	for _, m := range fenceLine.FindAllStringSubmatch(text, -1) {
		switch fence := m[1]; {
		case open == "":
			open = fence
		case fence[0] == open[0] && len(fence) >= len(open):
			open = ""
		}
	}
	return open
}

// openTags ends the elements that have no end, the innermost first.
func openTags(text string) string {
	var open []string
	for _, m := range tagForm.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(m[2])
		switch {
		case strings.Contains(void, " "+name+" "):
		case m[1] == "":
			open = append(open, name)
		default:
			for i := len(open) - 1; i >= 0; i-- {
				if open[i] == name {
					open = append(open[:i], open[i+1:]...)
					break
				}
			}
		}
	}
	closing := ""
	for i := len(open) - 1; i >= 0; i-- {
		closing += "</" + open[i] + ">"
	}
	return closing
}
