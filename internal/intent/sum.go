package intent

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	// sumWords may stand in an expression beside numbers and signs.
	sumWords = newPattern(`^(?:x|of|z|mod|pi|e|sqrt|abs|round|floor|ceil|min|max|sin|cos|tan|log|ln|exp)$`)
	sumWord  = regexp.MustCompile(`\pL+`)
	// sumSigns are the characters of an expression.
	sumSigns    = regexp.MustCompile(`^[\pL\d\s.,_+\-*/^%×÷·−–²³√()（）=]+$`)
	anyDigit    = regexp.MustCompile(`\d`)
	sumOperator = regexp.MustCompile(`[\d)²³%]\s*(?:[+*/^×÷·−]|\*\*|x|-|%|mod\s)\s*[\d(√\pL.+-]|%\s*(?:of|z)\s*\d|\pL\s*\(|²|³`)
	// signedNumber is numbers with signs that are no sums: dates, phone numbers,
	// versions, fractions of a cup.
	signedNumber = regexp.MustCompile(`^(?:\d{1,4}[-/]\d{1,2}[-/]\d{1,4}|\+?\d{2,4}(?:[- ]\d{2,4})+|\d+(?:\.\d+){2,}|\d+[-/]\d+)$`)
	// setPhrase is a sum by look that everybody takes for something else.
	setPhrase = regexp.MustCompile(`^(?:9/11|24/7|50/50)$`)
)

// spokenSigns turns words for operators into signs, where the calculator does not
// know the words itself.
var spokenSigns = []struct {
	pattern pattern
	sign    string
}{
	{newPattern(`(\d[\d.,]*) ?(?:%|percent|per cent) off(?: of)? (\d[\d.,]*)`), "$2 - $1%"},
	{newPattern(`(?:the )?(?:square root|sqrt|root) of (\d[\d.,]*)`), "sqrt($1)"},
	{newPattern(`sqrt (\d[\d.,]*)`), "sqrt($1)"},
	{newPattern(`half a dozen`), "6"},
	{newPattern(`(\d+) dozen`), "($1 * 12)"},
	{newPattern(`\b(?:two|a couple of) dozen\b`), "24"},
	{newPattern(`\b(?:(?:a|one) )?dozen\b|一打|\btucet\b`), "12"},
	{newPattern(`(?:druhá )?odmocnina z (\d[\d.,]*)`), "sqrt($1)"},
	{newPattern(`(\d[\d.,]*)\s*的平方根`), "sqrt($1)"},
	{newPattern(`(\d[\d.,]*) squared`), "$1^2"},
	{newPattern(`^(?:(?:the |a |one )?half of|polovina z|půlka z) (\d[\d.,]*)$`), "$1 / 2"},
	{newPattern(`^(?:a |one )?third of (\d[\d.,]*)$`), "$1 / 3"},
	{newPattern(`^(?:a |one )?quarter of (\d[\d.,]*)$`), "$1 / 4"},
	{newPattern(`^(?:double|twice|two times|dvojnásobek) (\d[\d.,]*)$`), "$1 * 2"},
	{newPattern(`^(?:triple|three times) (\d[\d.,]*)$`), "$1 * 3"},
	{newPattern(`(\d[\d.,]*)\s*的一半`), "$1 / 2"},
	{newPattern(`(\d[\d.,]*) cubed`), "$1^3"},
	{newPattern(`(\d) ?(?:percent|per cent|procent)(?: |$)`), "$1% "},
	{newPattern(` (?:plus|added to) |\s*加上?\s*`), " + "},
	{newPattern(` (?:minus|less|mínus) |\s*减去?\s*`), " - "},
	{newPattern(` (?:times|multiplied by|krát) |\s*乘以?\s*`), " * "},
	{newPattern(` (?:divided by|over|děleno|lomeno) |\s*除以\s*`), " / "},
	{newPattern(` to the power of | na `), " ^ "},
}

// sumRules ask for a sum, in words or by writing nothing else.
func sumRules() []rule {
	return append(sumAfterRules(), []rule{
		{newPatterns(
			// English and Czech
			`^(?:what(?:'s| is| are| does)|how much(?: is| are| does)|calculate|compute|work out|evaluate|solve|add up|kolik je|kolik dělá|spočítej|spočti|vypočítej|vypočti) (?P<sum>.+?)(?: (?:equal|equals|make|come to))?$`,
			// Chinese
			`^(?:计算|算一?下|算|求)(?:一下)?\s*(?P<sum>.+?)(?:等于)?(?:多少|几)?$`,
			`^(?P<sum>.+?)\s*(?:=|等于|是|得)\s*(?:多少|几)$`,
		), func(_ *utterance, m captures) goal { return sum(m["sum"], true) }},
		{newPatterns(`^(?P<sum>[\d(√+\-.].*|(?:the )?(?:square root|average|mean|sum|total|product|difference) (?:of|between) \d.*|(?:the )?sqrt (?:of )?\d.*|(?:half |two )?(?:a |one )?dozen .*|(?:druhá )?odmocnina z \d.*|(?:průměr|součet|součin|rozdíl) .*|(?:(?:the |a |one )?(?:half|third|quarter) of|double|twice|triple|polovina z) \d.*|(?:sqrt|abs|round|sin|cos|tan|log|ln|exp|min|max)\(.*)$`),
			func(_ *utterance, m captures) goal { return sum(m["sum"], false) }},
	}...)
}

// sum takes the words for an expression if they are nothing else. Asked tells
// whether they were asked for: 1/2 alone may be anything. Whether the expression
// is well formed is for the calculator to say.
func sum(words string, asked bool) goal {
	s := listSum(strings.TrimSpace(words))
	for _, w := range spokenSigns {
		s = w.pattern.compiled().ReplaceAllString(s, w.sign)
	}
	s = strings.Trim(s, " =")
	if len(s) > 500 || !sumSigns.MatchString(s) || !anyDigit.MatchString(s) || !sumOperator.MatchString(s) {
		return nil
	}
	if setPhrase.MatchString(s) || signedNumber.MatchString(s) && (!asked || !simpleSum.MatchString(s)) {
		return nil
	}
	for _, w := range sumWord.FindAllString(s, -1) {
		if !sumWords.has(w) {
			return nil
		}
	}
	return oneCall{tool: calculate, args: arguments{"expression": s}}
}

var (
	// sumOfList is one operation on several numbers.
	sumOfList = newPattern(`^(?:the )?(?P<op>average|mean|sum|total|product|difference|průměr|součet|součin|rozdíl)(?: value)? (?:of|between|z|čísel|mezi) (?:the )?(?:numbers? )?(?P<list>[\d\s.,\-−and]+|[\d\s.,\-−a]+)$|^(?P<list>[\d\s.,，、\-−和与]+?)\s*的(?:算术)?(?P<op>平均数|平均值|平均|和|总和|积|乘积|差)$`)
	// listBreak stands between two numbers of a list. A comma without a space may
	// be a part of one.
	listBreak = regexp.MustCompile(`,?\s+(?:and|a)\s+|[,，]\s+|\s*[、和与]\s*|\s+`)
	listSigns = newLexicon(map[string]string{"product": " * ", "součin": " * ", "积": " * ", "乘积": " * ", "difference": " - ", "rozdíl": " - ", "差": " - "})
)

// listSum writes one operation on several numbers, such as the average of 10, 20
// and 30, as an expression.
func listSum(words string) string {
	m, ok := sumOfList.match(words)
	if !ok {
		return words
	}
	numbers := listBreak.Split(m["list"], -1)
	if len(numbers) == 1 {
		numbers = strings.Split(m["list"], ",")
	}
	op := bare(m["op"])
	s := strings.Join(numbers, listSigns.or(op, " + "))
	switch op {
	case "average", "mean", "prumer", "平均数", "平均值", "平均":
		return fmt.Sprintf("(%s) / %d", s, len(numbers))
	case "difference", "rozdil", "差": // how far apart they are, whichever is said first
		return "abs(" + s + ")"
	}
	return s
}

// simpleSum is a subtraction or division that, when asked for, is meant so.
var simpleSum = regexp.MustCompile(`^(?:\d{1,6}-\d{1,2}|\d{1,2}-\d{1,6}|\d+/\d+)$`)
