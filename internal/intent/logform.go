package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Where a line of a log says how bad it is. A line has its level at one place, after
// its time or by a key; the same word in what it tells is no level: a line of the
// level INFO may say that there was no ERROR. What module a line is of is told by
// the same forms, each line by its own, so a folder may hold logs of many programs.

// levelNames are the words for levels at the place of one, by the form that
// [levels] has for them.
var levelNames = []string{"TRACE", "DEBUG", "INFO", "NOTICE", "WARN\\w*", "ERROR", "FATAL", "CRIT\\w*"}

// Parts of the expression for the place of a level. Names are kept short, because
// search_files takes expressions of 1,000 bytes.
const (
	// lineHead is what stands before the level: no words, but times, numbers and
	// what is in brackets; Ruby has a letter before the bracket.
	lineHead = `^(?:[^\pL\[{"]|[a-z], \[|T|Z|UTC|CES?T|(?:[a-z]{3} )?[a-z]{3}[ /-]+\d|\[[^\[\]]*\])*?`
	aName    = `(\pL[\w./-]*)`
	// afterLevel is where a name follows the level: 12 --- [main] com.acme.Pay :,
	// [auth], auth - , (auth), auth: , -- auth: , :auth:.
	afterLevel = `\s+\d+ ---(?: *\[[^\]]*\])+ ` + aName + `\s+:|[^\w\[]*\[` + aName + `\]|\]?\s+(?:-- |\()?` + aName + `(?: - |\)|(?:\[\d+\])?:\s)|\s*[|:]\s*` + aName + `\s*[|:]`
	// sysLog is the beginning of a line of syslog, up to the program.
	sysLog = `^(?:[a-z]{3} +\d+ [\d:]+|\d{4}-\S+) \S+ `
	// beforeLevel may stand before the level of a line, and aProgram before that of
	// one of syslog.
	beforeLevel = `(?:[\w.-]+(?: - |\.))?\[?(?:\w+:)?`
	aProgram    = `[\w./-]+(?:\[\d+\])?: \[?`
	// levelKey is the key before a level.
	levelKey  = `^.*?\b(?:le?ve?l|severity)"?[=:] ?"?`
	moduleKey = `\b(?:mod(?:ule)?|component|logger|service|source)"?[=:] ?"?([^\s",;}\]]+)`
)

// shortLetter is the letter that klog has for a level.
var shortLetter = map[string]string{"INFO": "I", "WARN\\w*": "W", "ERROR": "E", "FATAL": "F"}

// otherLevels is the expression for all levels but one.
func otherLevels(level string) string {
	others := slices.DeleteFunc(slices.Clone(levelNames), func(n string) bool { return n == level })
	return `((?:` + strings.ToLower(strings.Join(others, "|")) + `)\W)`
}

// levelNumber is the number that pino has for a level.
var levelNumber = map[string]string{"TRACE": "1", "DEBUG": "2", "INFO": "3", "WARN\\w*": "4", "ERROR": "5", "FATAL": "6"}

// afterKey is a level after its key, in letters or as a number.
func afterKey(level string) string {
	if n := levelNumber[level]; n != "" {
		return `(?:` + strings.ToLower(level) + `|` + n + `0)\b`
	}
	return strings.ToLower(level) + `\b`
}

// orNumber adds the numbers of other levels, as pino has them after the key.
func orNumber(others, level string) string {
	return strings.TrimSuffix(others, ")") + `|[` + strings.ReplaceAll("123456", levelNumber[level], "") + `]0[,}])`
}

// ofOtherLevel are expressions, each with one group, for lines whose level is not
// the given one.
func ofOtherLevel(level string) string {
	others := otherLevels(level)
	exprs := []string{lineHead + beforeLevel + others, `(?:` + levelKey + `|` + sysLog + aProgram + `)` + orNumber(others, level)}
	if letter := shortLetter[level]; letter != "" {
		exprs = append(exprs, `^(`+strings.ReplaceAll(`[IWEF]`, letter, "")+`\d{4} )[\d:.]`)
	}
	return `(?i:` + strings.Join(exprs, "|") + `)`
}

// byModule is the expression for search_files that groups lines with the word of a
// level by module: of lines of this level the name of the module, if they tell it;
// of lines of another level this level and the mark after it; and of lines whose
// form is not known the word with the mark before it, which no name begins with.
func byModule(level string) string {
	l := strings.ToLower(level) + `\b`
	others := otherLevels(level)
	exprs := []string{
		lineHead + `(?:(?:\[[^\]]*\]\W{0,3})?\[?` + l + `(?:` + afterLevel + `|.*?` + moduleKey + `)|\[` + aName + `\]\W{0,3}` + l +
			`|` + aName + `(?: - |\.)` + l + `|\[(\w+):` + l + `|\[?` + l + `|` + beforeLevel + others + `)`,
		`(?:` + levelKey + `|` + sysLog + aProgram + `)` + orNumber(others, level),
		sysLog + aName + `(?:\[\d+\])?: `,
		`^.*?` + moduleKey,
		levelKey + afterKey(level),
		`^.*?(\W` + strings.ToLower(level) + `)`,
	}
	if letter := shortLetter[level]; letter != "" {
		exprs = append([]string{`^` + letter + `\d{4} [\d:.]+ +\d+ ` + aName + `:\d+\]`, `^(` + strings.ReplaceAll(`[IWEF]`, letter, "") + `\d{4} )[\d:.]`}, exprs...)
	}
	return `(?i:` + strings.Join(exprs, "|") + `)`
}

// noDate is the expression for lines that surely have no date, for a value that is
// empty: what digits they have are of no more than three and make no date. Of those
// that begin with a month and a day it has the month.
const noDate = `^\W{0,3}(?:(?i:[a-z]{3,9}),? )?(?:\d\d? )?(?i:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*) +\d|^(?:\D|\d{1,3}(?:[^\d./-]|$))*$`

// valueIn is what byModule has of a line.
func valueIn(line, level string) string {
	found := moduleOf(level).FindStringSubmatch(line)
	for _, value := range found[min(1, len(found)):] {
		if value != "" {
			return value
		}
	}
	return ""
}

// moduleOf is the expression of byModule, made once for each level.
var moduleOf = func() func(level string) *regexp.Regexp {
	made := map[string]pattern{}
	for _, level := range levelNames {
		made[level] = pattern{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(byModule(level)) })}
	}
	return func(level string) *regexp.Regexp { return made[level].compiled() }
}()

// formOf tells what a value of byModule says of the lines that have it: the level
// that they are of if it is another one, and whether their form is known.
func formOf(value, level string) (other string, known bool) {
	word := strings.Trim(value, " :|-,;.()[]<>\"'\t/=")
	if m := klogValue.FindStringSubmatch(value); m != nil {
		return m[1], true
	}
	if pinoValue.MatchString(value) {
		return word, true
	}
	switch form, ok := levels.of(word); {
	case !ok:
		return "", true
	case form != level:
		return word, true
	}
	return "", word == value // the mark before it says that it may stand anywhere
}

// klogValue is what byModule has of a line of klog that is of another level.
var klogValue = regexp.MustCompile(`^([IWEF])\d{4} $`)

// pinoValue is what byModule has of a line of pino that is of another level.
var pinoValue = regexp.MustCompile(`^[1-6]0[,}]$`)

// nameOf is the module in a value of byModule; empty where it is none.
func nameOf(value, level string) string {
	_, isLevel := levels.of(value)
	if other, known := formOf(value, level); other != "" || !known || isLevel {
		return ""
	}
	return strings.TrimRight(value, ".-/")
}
