package toolkit

import (
	"context"
	"strings"

	"loci"
	"loci/internal/lang"
	"loci/internal/tool"
	"loci/internal/toolkit/arith"
)

// calcArgs is what calculate takes.
type calcArgs struct {
	Expression string `json:"expression" jsonschema:"arithmetic"`
}

// calculation is what calculate returns. The result is text because a JSON
// number would lose the digits of large whole numbers in most readers.
type calculation struct {
	Expression string `json:"expression"` // as it was given
	Result     string `json:"result"`     // see arith.Result
	Rounded    bool   `json:"rounded,omitempty"`
	Note       string `json:"note,omitempty"`

	readAs [][2]string
}

// calculate is the tool for arithmetic, which small models get wrong.
func calculate() tool.Tool {
	return tool.Define(loci.ToolSpec{
		Name: "calculate",
		Description: `Computes arithmetic: + - * / ^ %, parentheses, "15% of 80", ` +
			`sqrt abs round floor ceil min max sin cos tan (radians) log ln exp, pi, e. ` +
			`Does not convert units; takes no path. ` +
			`Example: {"expression": "111 x 222 / 777"}`,
		SideEffects: loci.EffectNone,
		Examples: []string{
			"What is 111 x 222 / 777?",
			"How much is 15% of 80?",
			"Calculate (2 + 3) * 4.",
			"What is the square root of 2?",
			"Add 12.5 and 7.25.",
			"2^64",
			"How much is 1,200 plus 21 %?",
			"计算 12 × 34。",
			"25 的平方根是多少？",
			"Kolik je 12 krát 34?",
			"Spočítej 15 % z 80.",
		},
	}, compute, renderCalculation)
}

// compute does what calculate promises.
func compute(_ context.Context, _ tool.Env, args calcArgs) (calculation, error) {
	r, err := arith.Eval(args.Expression)
	if err != nil {
		return calculation{}, err
	}
	c := calculation{Expression: strings.TrimSpace(args.Expression), Result: r.Value, Rounded: r.Rounded, readAs: r.ReadAs}
	c.Note = c.note(lang.English)
	return c, nil
}

// note tells how numbers with separators were understood.
func (c calculation) note(language string) string {
	var notes []string
	for _, r := range c.readAs {
		notes = append(notes, lang.Words{EN: "%s was read as %s.", ZH: "%s 理解为 %s。", CS: "%s se čte jako %s."}.In(language, r[0], r[1]))
	}
	return strings.Join(notes, " ")
}

// renderCalculation writes the equation with the expression as it was given.
func renderCalculation(language string, c calculation) string {
	sign := " = "
	if c.Rounded {
		sign = " ≈ "
	}
	text := strings.TrimRight(c.Expression, " =?？") + sign + c.Result
	if note := c.note(language); note != "" {
		text += " (" + note + ")"
	}
	return text
}
