package intent

import (
	"strings"

	"loci"
	"loci/internal/lang"
)

// unitNames are the units by kind: how much of the base of its kind one is, as
// the calculator takes it, then its names.
var unitNames = map[string][][]string{
	"length": {{"0.001", "mm", "millimeters", "millimetres"}, {"0.01", "cm", "centimeters", "centimetres"}, {"1", "m", "meters", "metres", "meter", "metre"}, {"1000", "km", "kilometers", "kilometres", "kilometer"},
		{"0.0254", "in", "inches", "inch"}, {"0.3048", "ft", "feet", "foot"}, {"0.9144", "yd", "yards", "yard"}, {"1609.344", "mi", "miles", "mile"}},
	"mass":   {{"1", "g", "grams", "gram"}, {"1000", "kg", "kilograms", "kilogram", "kilos", "kilo"}, {"28.349523125", "oz", "ounces", "ounce"}, {"453.59237", "lb", "lbs", "pounds", "pound"}},
	"time":   {{"1", "seconds", "second", "sec"}, {"60", "minutes", "minute", "min"}, {"3600", "hours", "hour"}, {"86400", "days", "day"}, {"604800", "weeks", "week"}, {"31536000", "years", "year"}},
	"data":   {{"1", "bytes", "byte"}, {"1000", "kb", "kilobytes"}, {"1000000", "mb", "megabytes", "megabyte"}, {"1000000000", "gb", "gigabytes", "gigabyte"}, {"1024", "kib"}, {"1048576", "mib"}, {"1073741824", "gib"}},
	"volume": {{"1", "l", "liters", "litres", "liter", "litre"}, {"0.001", "ml", "milliliters"}, {"3.785411784", "gallons", "gallon"}, {"0.2365882365", "cups", "cup"}},
}

// unitOf is what a unit measures, and how much one is.
type unitOf struct{ kind, factor string }

// findUnit finds a unit by name.
func findUnit(name string) (unitOf, bool) {
	name = strings.ToLower(name)
	for kind, all := range unitNames {
		for _, u := range all {
			for _, n := range u[1:] {
				if n == name {
					return unitOf{kind, u[0]}, true
				}
			}
		}
	}
	return unitOf{}, false
}

// unitRules convert between units that measure the same thing.
func unitRules() []rule {
	return []rule{
		{newPatterns(
			`^(?:convert |what(?:'s| is) |how much is )?(?P<n>-?\d+(?:[.,]\d+)?) ?(?P<from>\pL+) (?:to|in|into|as) (?P<to>\pL+)$`,
			`^how many (?P<to>\pL+) (?:are|is|does)?(?: there)? ?(?:in |make )?(?P<n>\d+(?:[.,]\d+)?|an?|one|the) (?P<from>\pL+)(?: have)?$`,
		), func(_ *utterance, m captures) goal {
			from, ok := findUnit(m["from"])
			to, also := findUnit(m["to"])
			if !ok || !also || from.kind != to.kind {
				return nil
			}
			n := m["n"]
			if n[0] != '-' && (n[0] < '0' || n[0] > '9') {
				n = "1"
			}
			n = strings.ReplaceAll(n, ",", ".")
			args := arguments{"expression": n + " * " + from.factor + " / " + to.factor}
			return oneCall{calculate, args, func(u *utterance, r loci.ToolResult) string {
				return converted.In(u.Lang, n, m["from"], decode[sumResult](r).Result, m["to"])
			}}
		}},
		{newPatterns(`^(?:convert |what(?:'s| is) |how much is )?(?P<n>-?\d+(?:[.,]\d+)?) ?(?:°|degrees )?(?P<from>c|f|celsius|fahrenheit) (?:to|in|into|as) (?:°|degrees )?(?P<to>c|f|celsius|fahrenheit)$`),
			func(_ *utterance, m captures) goal {
				n := strings.ReplaceAll(m["n"], ",", ".")
				sum, from, to := "round("+n+" * 9 / 5 + 32, 2)", "°C", "°F"
				if strings.EqualFold(m["from"][:1], "f") {
					sum, from, to = "round(("+n+" - 32) * 5 / 9, 2)", "°F", "°C"
				}
				if strings.EqualFold(m["from"][:1], m["to"][:1]) {
					return nil
				}
				return oneCall{calculate, arguments{"expression": sum}, func(u *utterance, r loci.ToolResult) string {
					return converted.In(u.Lang, n, from, decode[sumResult](r).Result, to)
				}}
			}},
	}
}

var converted = lang.Words{EN: "%s %s = %s %s"}
