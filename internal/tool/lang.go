package tool

import (
	"fmt"
	"strings"
)

// Words is one text in each language that tools render in.
type Words struct{ EN, ZH, CS string }

// In formats the text, as fmt.Sprintf does, in a language given as a tag such as "zh-CN"; any other
// than Chinese and Czech gets English.
func (w Words) In(lang string, args ...any) string {
	if len(args) == 0 { // the text may hold a % of its own
		return w.pick(lang)
	}
	return fmt.Sprintf(w.pick(lang), args...)
}

// pick chooses the text of a language.
func (w Words) pick(lang string) string {
	tag, _, _ := strings.Cut(strings.ToLower(lang), "-")
	switch {
	case tag == "zh" && w.ZH != "":
		return w.ZH
	case tag == "cs" && w.CS != "":
		return w.CS
	}
	return w.EN
}

// Counted is a counted noun: English and Chinese as in Words, and the three
// forms that Czech has, for 1, for 2 to 4, and for all other numbers.
type Counted struct {
	One, Many           string // English
	ZH                  string
	CSOne, CSFew, CSAll string
}

// In writes the number with the noun.
func (c Counted) In(lang string, n int) string {
	word := Words{c.Many, c.ZH, c.CSAll}
	if n == 1 {
		word.EN, word.CS = c.One, c.CSOne
	} else if 2 <= n && n <= 4 {
		word.CS = c.CSFew
	}
	space := " "
	if word.pick(lang) == c.ZH {
		space = ""
	}
	return fmt.Sprint(n, space, word.pick(lang))
}
