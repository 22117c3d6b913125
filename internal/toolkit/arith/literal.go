package arith

import (
	"math/big"
	"strconv"
	"strings"

	"loci/internal/text"
)

// number reads a number with the separators that people write: 1,234.5 and
// 1 234,5 and 1_000. A comma before exactly three digits separates thousands,
// before another number of digits it is the decimal sign, and between the
// arguments of a function it separates these.
func (p *parser) number() (number, error) {
	start := p.pos
	if n, ok, err := p.hexadecimal(); ok || err != nil {
		return n, err
	}
	whole := p.digits()
	for len(whole) > 0 && p.thousands(start) {
		p.pos++
		whole += p.digits()
	}
	fraction := ""
	if p.at(0) == '.' || p.at(0) == ',' && p.calls == 0 && isDigit(p.at(1)) && !strings.Contains(p.s[start:p.pos], ",") {
		p.pos++
		fraction = p.digits()
	}
	if whole+fraction == "" {
		return number{}, p.fault("A point without digits is no number")
	}
	exponent, err := p.exponent()
	if err != nil {
		return number{}, err
	}
	plain := whole
	if fraction != "" {
		plain += "." + fraction
	}
	written := p.s[start:p.pos]
	if strings.ContainsAny(written, ", ") {
		p.readAs = append(p.readAs, [2]string{written, plain})
	}
	r, ok := new(big.Rat).SetString("0" + plain + "e" + strconv.Itoa(exponent))
	if !ok {
		return number{}, p.fault("A number cannot be read")
	}
	n, err := bounded(r)
	if err == nil && (p.at(0) == '.' || p.at(0) == ',' && p.calls == 0) {
		err = p.fault("The separators of \"" + text.Clip(p.s[start:], 40) + "\" could mean two things")
	}
	return n, err
}

// hexadecimal reads 0x1f: with no space between, the x is no multiplication.
func (p *parser) hexadecimal() (n number, ok bool, err error) {
	if p.at(0) != '0' || p.at(1)|0x20 != 'x' || !isHex(p.at(2)) {
		return number{}, false, nil
	}
	start := p.pos
	for p.pos += len("0x"); isHex(p.at(0)); p.pos++ {
	}
	value, ok := new(big.Int).SetString(p.s[start+len("0x"):p.pos], 16)
	if !ok || value.BitLen() > maxBits {
		return number{}, false, errLarge
	}
	p.readAs = append(p.readAs, [2]string{p.s[start:p.pos], value.String()})
	return number{exact: new(big.Rat).SetInt(value)}, true, nil
}

// isHex reports whether c is a digit to the base of 16.
func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// at is the byte so far ahead; 0 beyond the end.
func (p *parser) at(ahead int) byte {
	if p.pos+ahead < len(p.s) {
		return p.s[p.pos+ahead]
	}
	return 0
}

// isDigit reports whether c is an ASCII digit; NFKC has made all others so.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digits reads a run of digits; an underscore or apostrophe between two does
// not count.
func (p *parser) digits() string {
	var b strings.Builder
	for isDigit(p.at(0)) || (p.at(0) == '_' || p.at(0) == '\'') && b.Len() > 0 && isDigit(p.at(1)) {
		if isDigit(p.at(0)) {
			b.WriteByte(p.at(0))
		}
		p.pos++
	}
	return b.String()
}

// thousands reports whether a separator and exactly three digits come, after
// at most three digits at the number's start.
func (p *parser) thousands(start int) bool {
	sep := p.at(0)
	if sep != ' ' && (sep != ',' || p.calls > 0) {
		return false
	}
	first := strings.IndexByte(p.s[start:p.pos], sep)
	if first < 0 {
		first = p.pos - start
	}
	if first > 3 || strings.ContainsAny(p.s[start:p.pos], ", _'") && !strings.Contains(p.s[start:p.pos], string(sep)) {
		return false
	}
	return isDigit(p.at(1)) && isDigit(p.at(2)) && isDigit(p.at(3)) && !isDigit(p.at(4))
}

// exponent reads e+12; 0 if there is none.
func (p *parser) exponent() (int, error) {
	start := p.pos
	if p.at(0)|0x20 != 'e' {
		return 0, nil
	}
	p.pos++
	sign := 1
	if p.at(0) == '-' || p.at(0) == '+' {
		if p.at(0) == '-' {
			sign = -1
		}
		p.pos++
	}
	digits := p.digits()
	if digits == "" { // the e is something else
		p.pos = start
		return 0, nil
	}
	value, err := strconv.Atoi(digits)
	if err != nil || value > maxExponent {
		return 0, p.fault("An exponent is too large")
	}
	return sign * value, nil
}
