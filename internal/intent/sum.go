package intent

import (
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
	{newPattern(`(?:the )?square root of (\d[\d.,]*)`), "sqrt($1)"},
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
		{newPatterns(`^(?P<sum>[\d(√+\-.].*|(?:(?:the |a |one )?(?:half|third|quarter) of|double|twice|triple|polovina z) \d.*|(?:sqrt|abs|round|sin|cos|tan|log|ln|exp|min|max)\(.*)$`),
			func(_ *utterance, m captures) goal { return sum(m["sum"], false) }},
	}...)
}

// sum takes the words for an expression if they are nothing else. Asked tells
// whether they were asked for: 1/2 alone may be anything. Whether the expression
// is well formed is for the calculator to say.
func sum(words string, asked bool) goal {
	s := strings.TrimSpace(words)
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

// simpleSum is a subtraction or division that, when asked for, is meant so.
var simpleSum = regexp.MustCompile(`^(?:\d{1,6}-\d{1,2}|\d{1,2}-\d{1,6}|\d+/\d+)$`)
