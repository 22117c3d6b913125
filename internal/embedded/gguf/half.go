package gguf

import "math"

// half converts to IEEE 754 binary16, rounding to nearest, ties to even: the
// same bits that ggml's own conversion gives.
func half(f float32) uint16 {
	const (
		manBits   = 23
		halfBits  = 10
		rebias    = 127 - 15
		infinity  = 0x7c00
		quietNaN  = 0x7e00
		underflow = -10 // exponents below this round to zero
	)
	// binary32 has 8 bits of exponent and 23 of fraction, binary16 5 and 10.
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	exp := int(b>>manBits&0xff) - rebias
	man := b & (1<<manBits - 1)
	switch {
	case b&^(1<<31) > 0xff<<manBits:
		return sign | quietNaN
	case exp >= 31:
		return sign | infinity
	case exp < underflow:
		return sign
	case exp <= 0: // a subnormal: the leading one becomes part of the fraction
		return sign | roundShift(man|1<<manBits, manBits-halfBits+1-exp)
	default: // a carry out of the fraction raises the exponent, up to infinity
		return sign | roundShift(uint32(exp)<<manBits|man, manBits-halfBits)
	}
}

// roundShift is v >> n, rounded to nearest even.
func roundShift(v uint32, n int) uint16 {
	out, rest, tie := v>>n, v&(1<<n-1), uint32(1)<<(n-1)
	if rest > tie || rest == tie && out&1 == 1 {
		out++
	}
	return uint16(out)
}
