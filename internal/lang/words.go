package lang

import (
	"fmt"
	"strings"
)

// Words is one text in each language.
type Words struct{ EN, ZH, CS string }

// In formats the text, as fmt.Sprintf does, in a language given as a tag such
// as "zh-CN"; any other than Chinese and Czech gets English.
func (w Words) In(lang string, args ...any) string {
	if len(args) == 0 { // the text may hold a % of its own
		return w.pick(lang)
	}
	return fmt.Sprintf(w.pick(lang), args...)
}

// pick chooses the text of a language.
func (w Words) pick(lang string) string {
	switch tag := Base(lang); {
	case tag == Chinese && w.ZH != "":
		return w.ZH
	case tag == Czech && w.CS != "":
		return w.CS
	}
	return w.EN
}

// Base is the language of a tag without its region and script: zh for zh-Hant-TW.
func Base(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	return base
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
	noun := Words{c.Many, c.ZH, c.CSAll}
	if n == 1 {
		noun.EN, noun.CS = c.One, c.CSOne
	} else if 2 <= n && n <= 4 {
		noun.CS = c.CSFew
	}
	return fmt.Sprint(n, " ", noun.pick(lang))
}

// byteWord is the unit of small sizes.
var byteWord = Counted{One: "byte", Many: "bytes", ZH: "字节", CSOne: "bajt", CSFew: "bajty", CSAll: "bajtů"}

// SizeForm is the regular expression of what [Size] writes, in any language.
const SizeForm = `\d+(?:\.\d)? (?:[KMGTP]iB|bytes?|字节|bajt[yů]?)`

// Size writes a number of bytes for people: 12 bytes, 5.2 GiB.
func Size(lang string, n int64) string {
	if n < 1024 {
		return byteWord.In(lang, int(n))
	}
	x, unit := float64(n), 0
	for x >= 1023.95 && unit < 5 {
		x /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", x, " KMGTP"[unit])
}
