package arith

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
)

// maxBits bounds exact numbers: about 1,200 digits.
const maxBits = 4096

// number is a value of the calculator: exact as long as only + - * / and whole
// powers made it, so that 0.1 + 0.2 is 0.3, and a float64 after that.
type number struct {
	exact *big.Rat // nil: use float
	float float64
	// percent marks a number written with a percent sign, for "200 + 10%".
	percent bool
}

var (
	errDivision = fail("Check the numbers.", "That divides by zero.")
	errLarge    = fail("Use smaller numbers, or scientific ones such as 1e300.", "The result is too large.")
	errNotReal  = fail("Check the numbers.", "That has no result among the real numbers.")
)

// bounded refuses whole numbers that are too large, and makes a float of
// fractions that are.
func bounded(r *big.Rat) (number, error) {
	if r.Num().BitLen() <= maxBits && r.Denom().BitLen() <= maxBits {
		return number{exact: r}, nil
	}
	if r.IsInt() {
		return number{}, errLarge
	}
	f, _ := r.Float64() // infinite when too large, which float refuses
	return float(f)
}

// float makes a number of a float64 that is finite.
func float(f float64) (number, error) {
	switch {
	case math.IsNaN(f):
		return number{}, errNotReal
	case math.IsInf(f, 0):
		return number{}, errLarge
	}
	return number{float: f + 0}, nil // -0 + 0 is 0
}

// value is the nearest float64.
func (n number) value() float64 {
	if n.exact != nil {
		f, _ := n.exact.Float64()
		return f
	}
	return n.float
}

// isZero reports whether n is exactly zero: a tiny fraction is not.
func (n number) isZero() bool { return n.value() == 0 && (n.exact == nil || n.exact.Sign() == 0) }

// String writes whole numbers in full and all others as the shortest decimal
// that stands for the nearest float64.
func (n number) String() string {
	if n.exact != nil && n.exact.IsInt() {
		return n.exact.Num().String()
	}
	f := n.value()
	if n.exact != nil && (f == 0 || math.IsInf(f, 0)) { // beyond float64, which only an exact fraction can be
		return new(big.Float).SetRat(n.exact).Text('g', 17)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) || n.rounded() {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// rounded reports whether the digits of a number before its point are not all its
// own: float64 has 53 bits for them.
func (n number) rounded() bool {
	return math.Abs(n.value()) >= 1<<53 && (n.exact == nil || !n.exact.IsInt())
}

// apply computes a op b.
func apply(op byte, a, b number) (number, error) {
	if op == '^' {
		return power(a, b)
	}
	if (op == '/' || op == '%') && b.isZero() {
		return number{}, errDivision
	}
	if a.exact == nil || b.exact == nil {
		return applyFloat(op, a.value(), b.value())
	}
	r := new(big.Rat)
	switch op {
	case '+':
		r.Add(a.exact, b.exact)
	case '-':
		r.Sub(a.exact, b.exact)
	case '*':
		r.Mul(a.exact, b.exact)
	case '/':
		r.Quo(a.exact, b.exact)
	case '%':
		// a - b*floor(a/b): the sign of the divisor, as people count on a clock
		r.Quo(a.exact, b.exact)
		r.Mul(b.exact, floorRat(r))
		r.Sub(a.exact, r)
	}
	return bounded(r)
}

// applyFloat computes a op b when one of them is not exact.
func applyFloat(op byte, a, b float64) (number, error) {
	switch op {
	case '+':
		return float(a + b)
	case '-':
		return float(a - b)
	case '*':
		return float(a * b)
	case '/':
		return float(a / b)
	}
	return float(a - b*math.Floor(a/b))
}

// floorRat rounds down; big.Int's Div rounds so for the positive divisors that
// denominators are.
func floorRat(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom()))
}

// power computes a^b, exactly where b is whole and the result not too long.
func power(a, b number) (number, error) {
	if b.exact == nil || a.exact == nil || !b.exact.IsInt() {
		return powerFloat(a, b)
	}
	if a.isZero() && b.exact.Sign() < 0 {
		return number{}, errDivision
	}
	e := new(big.Int).Abs(b.exact.Num())
	num, den := a.exact.Num(), a.exact.Denom()
	bits := max(num.BitLen(), den.BitLen())
	if bits > 1 && (!e.IsInt64() || e.Int64() > 2*maxBits/int64(bits-1)) {
		if a.exact.IsInt() && b.exact.Sign() > 0 {
			return number{}, errLarge
		}
		return powerFloat(a, b)
	}
	if bits <= 1 { // -1, 0 or 1: only whether e is odd matters
		e.And(e, big.NewInt(1)).Add(e, big.NewInt(2))
		if b.exact.Sign() == 0 {
			e.SetInt64(0)
		}
	}
	r := new(big.Rat).SetFrac(new(big.Int).Exp(num, e, nil), new(big.Int).Exp(den, e, nil))
	if b.exact.Sign() < 0 {
		r.Inv(r)
	}
	return bounded(r)
}

// powerFloat computes a^b when it cannot be exact, or would be too long.
func powerFloat(a, b number) (number, error) {
	if a.isZero() && b.value() < 0 {
		return number{}, errDivision
	}
	return float(math.Pow(a.value(), b.value()))
}

// function is what a name with parentheses computes.
type function struct {
	least, most int // arguments
	call        func(args []number) (number, error)
}

var functions = map[string]function{
	"sqrt":  {1, 1, sqrt},
	"abs":   {1, 1, exactly(func(r *big.Rat) *big.Rat { return new(big.Rat).Abs(r) }, math.Abs)},
	"floor": {1, 1, exactly(floorRat, math.Floor)},
	"ceil": {1, 1, exactly(func(r *big.Rat) *big.Rat {
		f := floorRat(new(big.Rat).Neg(r))
		return f.Neg(f)
	}, math.Ceil)},
	"round": {1, 2, round},
	"min":   {1, 100, func(args []number) (number, error) { return extreme(args, -1), nil }},
	"max":   {1, 100, func(args []number) (number, error) { return extreme(args, 1), nil }},
	"sin":   {1, 1, circle(math.Sin)},
	"cos":   {1, 1, circle(math.Cos)},
	"tan":   {1, 1, circle(math.Tan)},
	"ln":    {1, 1, func(args []number) (number, error) { return logarithm(args[0], math.Log) }},
	"exp":   {1, 1, func(args []number) (number, error) { return float(math.Exp(args[0].value())) }},
	"log": {1, 2, func(args []number) (number, error) {
		n, err := logarithm(args[0], math.Log10)
		if err != nil || len(args) == 1 {
			return n, err
		}
		base, err := logarithm(args[1], math.Log10)
		if err != nil {
			return n, err
		}
		return apply('/', n, base)
	}},
}

var constants = map[string]float64{"pi": math.Pi, "π": math.Pi, "e": math.E}

// exactly makes a function that keeps exact numbers exact.
func exactly(rat func(*big.Rat) *big.Rat, fl func(float64) float64) func([]number) (number, error) {
	return func(args []number) (number, error) {
		if args[0].exact != nil {
			return bounded(rat(args[0].exact))
		}
		return float(fl(args[0].float))
	}
}

// circle makes a function of an angle in radians. What is left of rounding pi
// is taken for zero: sin(pi) is 0 and not 1.2e-16.
func circle(fl func(float64) float64) func([]number) (number, error) {
	return func(args []number) (number, error) {
		f := fl(args[0].value())
		if math.Abs(f) < 1e-15 && math.Abs(args[0].value()) > 1 {
			f = 0
		}
		return float(f)
	}
}

// logarithm computes fl where it exists.
func logarithm(n number, fl func(float64) float64) (number, error) {
	if n.value() <= 0 {
		return number{}, errNotReal
	}
	return float(fl(n.value()))
}

// sqrt is exact for squares of whole numbers.
func sqrt(args []number) (number, error) {
	n := args[0]
	if n.value() < 0 {
		return number{}, errNotReal
	}
	if n.exact != nil && n.exact.IsInt() {
		root := new(big.Int).Sqrt(n.exact.Num())
		if new(big.Int).Mul(root, root).Cmp(n.exact.Num()) == 0 {
			return number{exact: new(big.Rat).SetInt(root)}, nil
		}
	}
	return float(math.Sqrt(n.value()))
}

// round rounds half away from zero, to a number of decimals if there are two
// arguments.
func round(args []number) (number, error) {
	digits := 0.0
	if len(args) == 2 {
		digits = args[1].value()
	}
	if digits != math.Trunc(digits) || math.Abs(digits) > 300 {
		return number{}, fail("Write round(x, 2).", "round takes a whole number of decimals, at most 300.")
	}
	r := args[0].exact
	if r == nil {
		r = new(big.Rat)
		r.SetFloat64(args[0].float)
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(math.Abs(digits))), nil))
	if digits < 0 {
		scale.Inv(scale)
	}
	scaled := new(big.Rat).Mul(new(big.Rat).Abs(r), scale)
	scaled = floorRat(scaled.Add(scaled, big.NewRat(1, 2)))
	scaled.Quo(scaled, scale)
	if r.Sign() < 0 {
		scaled.Neg(scaled)
	}
	return bounded(scaled)
}

// extreme is the smallest (sign -1) or largest (sign 1) of the arguments.
func extreme(args []number, sign int) number {
	best := args[0]
	for _, n := range args[1:] {
		order := cmp.Compare(n.value(), best.value())
		if n.exact != nil && best.exact != nil {
			order = n.exact.Cmp(best.exact)
		}
		if order == sign {
			best = n
		}
	}
	return best
}
