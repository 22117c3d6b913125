// Package arith computes arithmetic expressions as people write them, not as
// programming languages do: "111 x 222 / 777", "15% of 80", "1,234.5 × 2²".
//
// Numbers are exact for as long as that is possible. Only what has no exact
// result, such as a square root, is computed in float64. Everything is bounded:
// the length of an expression, its nesting, and the size of its numbers.
package arith

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"loci"
	"loci/internal/text"
)

const (
	maxExpression = 1_000 // bytes
	maxNesting    = 100
	maxExponent   = 400 // of a number in scientific notation; float64 ends at 308
)

// parser computes an expression while it reads it, by precedence climbing:
// lowest + and -, then * / and %, then the sign, then ^, which goes from right
// to left. A percent sign after a number is a hundredth, and of the left side
// when it is added or subtracted; between two numbers it is the remainder.
type parser struct {
	s       string // what is left to read is s[pos:]
	pos     int
	depth   int
	calls   int         // how many functions' parentheses are open: a comma there separates arguments
	readAs  [][2]string // numbers whose separators could be understood in another way
	spelled string      // the expression as it was given
}

// spelling writes the many signs people use in one way. NFKC makes full-width
// signs, as Chinese keyboards have them, ordinary ones; powers come first
// because NFKC would make plain digits of them.
var (
	powers   = strings.NewReplacer("²", "^(2)", "³", "^(3)")
	spelling = strings.NewReplacer("**", "^", "×", "*", "·", "*", "⋅", "*", "∙", "*", "∗", "*", "÷", "/", "∕", "/", "−", "-", "–", "-", "—", "-")
)

// Result is what an expression comes to.
type Result struct {
	// Value is a decimal number: exact for whole numbers, otherwise the
	// shortest one that stands for the nearest float64.
	Value string
	// Rounded is set where Value has more digits before its point than a float64
	// keeps, and so is near the result and not equal to it.
	Rounded bool
	// ReadAs are the numbers with separators, and hexadecimal ones, as they were
	// written and as they were understood: 1,234 is a thousand to some and one
	// and a bit to others.
	ReadAs [][2]string
}

// Eval computes an expression. Its error is a *loci.ToolError.
func Eval(expression string) (Result, error) {
	p := parser{spelled: expression}
	n, err := p.evaluate(expression)
	if err != nil {
		return Result{}, err
	}
	return Result{n.String(), n.rounded(), p.readAs}, nil
}

// evaluate computes a whole expression.
func (p *parser) evaluate(s string) (number, error) {
	if len(s) > maxExpression {
		return number{}, fail("Split it into parts.", "The expression is too long: %d bytes, at most %d are possible.", len(s), maxExpression)
	}
	p.s = strings.TrimRight(spelling.Replace(norm.NFKC.String(powers.Replace(s))), " \t\n=?")
	if p.s == "" {
		return number{}, p.fault("The expression is empty")
	}
	n, err := p.sum()
	if err == nil && p.peek() != 0 {
		err = p.unexpected()
	}
	return n, err
}

// fail makes an error that trying again does not mend. The advice is as good for
// a person as for a model.
func fail(advice, format string, args ...any) *loci.ToolError {
	return &loci.ToolError{Message: fmt.Sprintf(format, args...), Suggestion: advice, ForPerson: advice}
}

// fault makes the error for something that cannot be read.
func (p *parser) fault(problem string) error {
	return fail("Write an expression with numbers and + - * / ^ ( ), such as (2 + 3) * 4.", "%s in %q.", problem, text.Clip(p.spelled, 200))
}

// unexpected is the error for what stands at the current place.
func (p *parser) unexpected() error {
	p.peek()
	r, _ := utf8.DecodeRuneInString(p.s[p.pos:])
	switch word := p.word(); {
	case p.pos >= len(p.s) && word == "":
		return p.fault("Something is missing at the end")
	case word != "":
		return p.fault("The word \"" + text.Clip(word, 40) + "\" is not known or not possible here")
	case unicode.IsDigit(r):
		return p.fault("An operator is missing before \"" + text.Clip(p.s[p.pos:], 20) + "\"")
	}
	return p.fault("The character \"" + string(r) + "\" is not possible here")
}

// peek skips blanks and returns the next byte; 0 at the end.
func (p *parser) peek() byte {
	for p.pos < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos == len(p.s) {
		return 0
	}
	return p.s[p.pos]
}

// word reads a run of letters; empty if there is none.
func (p *parser) word() string {
	rest := p.s[p.pos:]
	end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(rest)
	}
	p.pos += end
	return strings.ToLower(rest[:end])
}

// take reads one operator of those given; 0 if another thing comes. Words that
// stand for operators count as well ("15 % z 80" is Czech for 15 % of 80).
func (p *parser) take(operators string) byte {
	c := p.peek()
	if c == 0 {
		return 0
	}
	start := p.pos
	switch p.word() {
	case "":
		p.pos++
	case "x", "of", "z":
		c = '*'
	case "mod":
		c = '%'
	}
	if strings.IndexByte(operators, c) < 0 {
		p.pos = start
		return 0
	}
	return c
}

// sum reads terms with + and - between them.
func (p *parser) sum() (number, error) {
	if p.depth++; p.depth > maxNesting {
		return number{}, p.fault("There are too many parentheses")
	}
	defer func() { p.depth-- }()
	left, err := p.product()
	for err == nil {
		op := p.take("+-")
		if op == 0 {
			return left, nil
		}
		var right number
		if right, err = p.product(); err != nil {
			break
		}
		if right.percent && !left.percent {
			right, err = apply('*', left, right)
		}
		if err == nil {
			left, err = apply(op, left, right)
		}
	}
	return number{}, err
}

// product reads factors with * / and % between them.
func (p *parser) product() (number, error) {
	left, err := p.signed()
	for err == nil {
		op := p.take("*/%")
		if op == 0 {
			return left, nil
		}
		var right number
		if right, err = p.signed(); err == nil {
			left, err = apply(op, left, right)
		}
	}
	return number{}, err
}

// signed reads signs and what they belong to: -2^2 is -(2^2).
func (p *parser) signed() (number, error) {
	negative := false
	for {
		op := p.take("+-")
		if op == 0 {
			break
		}
		negative = negative != (op == '-')
	}
	n, err := p.power()
	if err != nil || !negative {
		return n, err
	}
	minus, err := apply('-', number{exact: new(big.Rat)}, n)
	minus.percent = n.percent
	return minus, err
}

// power reads a base and its exponent, which may have a sign and a power of its
// own: 2^-3^2 is 2^(-(3^2)).
func (p *parser) power() (number, error) {
	base, err := p.postfix()
	if err != nil || p.take("^") == 0 {
		return base, err
	}
	if p.depth++; p.depth > maxNesting {
		return number{}, p.fault("There are too many powers")
	}
	defer func() { p.depth-- }()
	exponent, err := p.signed()
	if err != nil {
		return number{}, err
	}
	return apply('^', base, exponent)
}

// postfix reads a value with the signs after it.
func (p *parser) postfix() (number, error) {
	n, err := p.primary()
	for err == nil {
		switch {
		case p.peek() == '%' && p.isPercent():
			p.pos++
			if n, err = apply('/', n, number{exact: big.NewRat(100, 1)}); err == nil {
				n.percent = true
			}
		case strings.HasPrefix(p.s[p.pos:], "°"):
			p.pos += len("°")
			n, err = float(n.value() * math.Pi / 180)
		default:
			return n, nil
		}
	}
	return n, err
}

// isPercent tells a percent sign from a remainder: a value follows a
// remainder. Before a minus it is one only if written like "7 % -3".
func (p *parser) isPercent() bool {
	rest := p.s[p.pos+1:]
	next := strings.TrimLeft(rest, " \t\r\n")
	r, _ := utf8.DecodeRuneInString(next)
	switch {
	case next == "":
		return true
	case r == '-' || r == '+':
		apart := p.pos > 0 && p.s[p.pos-1] == ' ' && len(rest) > len(next)
		return !apart || len(next) < 2 || next[1] == ' '
	case unicode.IsLetter(r):
		word := strings.ToLower(next)
		return strings.HasPrefix(word, "of") || strings.HasPrefix(word, "z") || strings.HasPrefix(word, "x") || strings.HasPrefix(word, "mod")
	}
	return !unicode.IsDigit(r) && r != '(' && r != '.' && r != '√'
}

// primary reads a number, a constant, a function or parentheses.
func (p *parser) primary() (number, error) {
	c := p.peek()
	switch {
	case c == '(':
		p.pos++
		n, err := p.sum()
		if err == nil && p.take(")") == 0 {
			err = p.fault("A closing parenthesis is missing")
		}
		n.percent = false
		return n, err
	case '0' <= c && c <= '9' || c == '.':
		return p.number()
	case strings.HasPrefix(p.s[p.pos:], "√"):
		p.pos += len("√")
		if p.depth++; p.depth > maxNesting {
			return number{}, p.fault("There are too many roots")
		}
		defer func() { p.depth-- }()
		n, err := p.primary()
		if err != nil {
			return n, err
		}
		return sqrt([]number{n})
	}
	start := p.pos
	name := p.word()
	if f, ok := functions[name]; ok {
		return p.call(name, f)
	}
	if value, ok := constants[name]; ok {
		return number{float: value}, nil
	}
	p.pos = start
	return number{}, p.unexpected()
}

// call reads the arguments of a function and computes it.
func (p *parser) call(name string, f function) (number, error) {
	if p.take("(") == 0 {
		return number{}, p.fault("Parentheses are missing after " + name)
	}
	p.calls++
	defer func() { p.calls-- }()
	var args []number
	for {
		n, err := p.sum()
		if err != nil {
			return number{}, err
		}
		args = append(args, n)
		if p.take(",;") != 0 {
			continue
		}
		if p.take(")") == 0 {
			return number{}, p.fault("A closing parenthesis is missing")
		}
		break
	}
	if len(args) < f.least || len(args) > f.most {
		return number{}, p.fault("The number of arguments of " + name + " is wrong")
	}
	return f.call(args)
}
