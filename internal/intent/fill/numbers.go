package fill

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// numberWords are the words of numbers that are written out.
var numberWords = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// scales are words that make the number before them larger.
var scales = map[string]float64{"dozen": 12, "hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9}

// signs say that the number after them is below zero, where none is before them.
var signs = strings.Fields("minus negative - − –")

// readNumber reads the whole of a number: 5, $1,000, 8%, 16th, 70kg, 1.5 million, minus
// 5, twenty one, two hundred and five.
func (s *sentence) readNumber(i int) {
	if i < s.numbered {
		return
	}
	start, below := i, false
	if slices.Contains(signs, s.lower(i)) && (i == 0 || i != s.numbered) && i+1 < len(s.words) && !s.words[i].ends {
		start, below = i+1, true
	}
	sp, ok := s.digits(start)
	if !ok {
		sp, ok = s.writtenOut(start)
	}
	if !ok {
		return
	}
	if below {
		sp.number, sp.text = -sp.number, "-"+sp.text
	}
	sp.start, sp.cue, s.numbered = i, i, sp.end
	sp.index, sp.kind = len(s.spans), aNumber
	s.spans = append(s.spans, sp)
}

// digits reads a number in digits, with the word for its scale.
func (s *sentence) digits(i int) (sp span, ok bool) {
	m := numberForm.FindStringSubmatch(s.lower(i))
	if m == nil {
		return sp, false
	}
	text := m[1]
	if whole, part, comma := strings.Cut(text, ","); comma && len(part) < 3 {
		text = whole + "." + part // as most of Europe writes it
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		return sp, false
	}
	sp = span{text: m[1], end: i + 1, number: n}
	switch unit := m[2]; unit {
	case "", "%", "st", "nd", "rd", "th":
	case "bn":
		sp.number *= 1e9
	case "k":
		if strings.HasSuffix(s.words[i].text, "k") { // 5K may be kelvins
			sp.number *= 1e3
			break
		}
		sp.unit = unit
	default:
		sp.unit = unit
	}
	if i+1 < len(s.words) && !s.words[i].ends {
		next := s.lower(i + 1)
		sp.percent = strings.HasPrefix(next, "percent")
		if by, isScale := scales[next]; isScale {
			sp.number *= by
			sp.end++
		}
	}
	sp.percent = sp.percent || m[2] == "%"
	sp.number = rounded(sp.number)
	return sp, true
}

// rounded takes away what comes of counting in binary.
func rounded(n float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64)
	if err != nil {
		return n
	}
	return r
}

// writtenOut reads the longest row of words that is one number. A word that cannot go on
// begins another: "two three".
func (s *sentence) writtenOut(i int) (sp span, ok bool) {
	total, group, last, smallest := 0.0, 0.0, math.Inf(1), math.Inf(1)
	end := i
	for k := i; k < len(s.words); k++ {
		for part := range strings.SplitSeq(s.lower(k), "-") {
			n, isNumber := numberWords[part]
			by, isScale := scales[part]
			switch {
			case part == "and" && k == end && last >= 100 && !math.IsInf(last, 1):
				continue
			case part == "a" && k == i && k+1 < len(s.words) && scales[s.lower(k+1)] > 0:
				group, last = 1, 1
				continue
			case isNumber && (math.IsInf(last, 1) || n < 10 && n > 0 && (last >= 20 && last < 100) || last >= 100 && n > 0):
				group, last = group+n, n
			case isScale && by <= 100 && group > 0 && last < 100:
				group, last = group*by, by
			case isScale && by > 100 && group > 0 && by < smallest:
				total, group, last, smallest = total+group*by, 0, by, by
			default:
				return s.spelled(i, end, total+group)
			}
			end = k + 1
		}
		if s.words[k].ends {
			break
		}
	}
	return s.spelled(i, end, total+group)
}

func (s *sentence) spelled(start, end int, n float64) (span, bool) {
	if end == start {
		return span{}, false
	}
	return span{text: strings.ToLower(s.joined(start, end)), end: end, number: n, written: true}, true
}

// lower is a word in small letters.
func (s *sentence) lower(i int) string { return strings.ToLower(s.words[i].text) }
