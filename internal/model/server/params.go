package server

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"loci"
)

// Params is the number of weights of a listed model, as far as its description
// or else its name tells; 0 where neither does.
func Params(m loci.ModelInfo) int64 {
	return cmp.Or(paramsOf(m.Parameters), paramsOf(m.ID))
}

// countOf writes a number of parameters the way servers do: 134.52M, 7.62B.
func countOf(n int64) string {
	unit, div := "M", 1e6
	if n >= 1e9 {
		unit, div = "B", 1e9
	}
	return strconv.FormatFloat(math.Round(float64(n)/div*100)/100, 'f', -1, 64) + unit
}

var sizePattern = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)([mb])(?:$|[^a-z0-9])`)

// paramsOf reads a number of parameters from text such as 134.52M or from a
// model's name such as SmolLM2-135M-Instruct; 0 where there is none.
func paramsOf(text string) int64 {
	m := sizePattern.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	if strings.EqualFold(m[2], "m") {
		return int64(n * 1e6)
	}
	return int64(n * 1e9)
}
