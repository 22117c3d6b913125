package arith

import (
	"errors"
	"strings"
	"testing"

	"loci"
	"loci/internal/text"
)

func TestEval(t *testing.T) {
	for expression, want := range map[string]string{
		"111 x 222 / 777":              "31.714285714285715",
		"111 × 222 ÷ 777 =":            "31.714285714285715",
		"1+2*3":                        "7",
		"(1+2)*3":                      "9",
		"2 - 3 - 4":                    "-5",
		"100 / 10 / 5":                 "2",
		"-2^2":                         "-4",
		"(-2)^2":                       "4",
		"2^3^2":                        "512",
		"2**10":                        "1024",
		"2^-2":                         "0.25",
		"2^0.5":                        "1.4142135623730951",
		"2^64":                         "18446744073709551616",
		"12345678901234567890 * 10":    "123456789012345678900",
		"0.1 + 0.2":                    "0.3",
		"1/3*3":                        "1",
		"10/4":                         "2.5",
		"1e3 + 1":                      "1001",
		"1.5E-3":                       "0.0015",
		"2e":                           `error: "e"`,
		"15% of 80":                    "12",
		"15 % z 80":                    "12",
		"200 + 10%":                    "220",
		"200 - 10% - 5":                "175",
		"10% + 5%":                     "0.15",
		"50% * 80":                     "40",
		"10%":                          "0.1",
		"17 % 5":                       "2",
		"17%5":                         "2",
		"7 % -3":                       "-2",
		"-7 mod 3":                     "2",
		"7.5 % 2":                      "1.5",
		"1,234,567.5 + 1":              "1234568.5",
		"1 234 567 + 1":                "1234568",
		"1\u00a0234 + 1":               "1235",
		"1_000 + 1'000":                "2000",
		"3,5 * 2":                      "7",
		"max(1,234)":                   "234",
		"min(3; 1,5; 2)":               "1",
		"1.234,5":                      "error: two things",
		"1,234,5":                      "error: two things",
		"１２＋（３）":                       "15",
		"6 · 7":                        "42",
		"8 − 3":                        "5",
		"3² + √16":                     "13",
		"3²456":                        "error: operator",
		"sqrt(2)":                      "1.4142135623730951",
		"sqrt(144)":                    "12",
		"sqrt(-1)":                     "error: real",
		"abs(-3.5)":                    "3.5",
		"round(2.5)":                   "3",
		"round(-2.5)":                  "-3",
		"round(2.345, 2)":              "2.35",
		"round(1234, -2)":              "1200",
		"floor(-1.5)":                  "-2",
		"ceil(-1.5)":                   "-1",
		"ceil(1.2) + floor(exp(1))":    "4",
		"sin(pi)":                      "0",
		"cos(60°)":                     "0.5000000000000001",
		"log(1000)":                    "3",
		"log(8, 2)":                    "3",
		"ln(e)":                        "1",
		"ln(0)":                        "error: real",
		"exp(0)":                       "1",
		"exp(1000)":                    "error: too large",
		"1/0":                          "error: zero",
		"5 % 0":                        "error: zero",
		"0^-1":                         "error: zero",
		"9^9^9":                        "error: too large",
		"1^999999999999":               "1",
		"(-1)^999999999999":            "-1",
		"0^999999999999":               "0",
		"0.5^5000":                     "0",
		"1e400 * 1e400 * 1e400":        "1" + strings.Repeat("0", 1200),
		"1e401":                        "error: exponent",
		"1e999999999999999999999":      "error: exponent",
		"":                             "error: empty",
		"2 +":                          "error: missing at the end",
		"(2":                           "error: parenthesis",
		"2)":                           "error: \")\"",
		"2 3":                          "error: operator",
		"2(3)":                         "error: \"(\"",
		"foo(3)":                       "error: \"foo\"",
		"sqrt 3":                       "error: Parentheses",
		"sqrt(1, 2)":                   "error: arguments",
		"2½":                           "error: ⁄",
		"; rm -rf /":                   "error: \";\"",
		strings.Repeat("(", 200):       "error: too many parentheses",
		strings.Repeat("2^", 200):      "error: too many powers",
		strings.Repeat("√", 200):       "error: too many roots",
		strings.Repeat("1+", 600):      "error: too long",
		strings.Repeat("-", 500) + "1": "1",
	} {
		t.Run(text.Clip(expression, 40), func(t *testing.T) {
			got, err := Eval(expression)
			if problem, ok := strings.CutPrefix(want, "error: "); ok {
				e, ok := errors.AsType[*loci.ToolError](err)
				if !ok || !strings.Contains(e.Message, problem) || e.CanRetry || e.Suggestion == "" {
					t.Fatalf("%q = %v, %v; want an error about %q", expression, got.Value, err, problem)
				}
				if len(e.Message) > 400 {
					t.Errorf("the error is %d bytes long", len(e.Message))
				}
				return
			}
			if err != nil || got.Value != want {
				t.Errorf("%q = %s, %v; want %s", expression, got.Value, err, want)
			}
		})
	}
}

func FuzzEval(f *testing.F) {
	for _, seed := range []string{"111 x 222 / 777", "15% of 80", "2^3^-2", "max(1,2;3)", "1,234.5e-3%2", "√(2)²", "sin(30°)", "((((", "9^9^9^9", "0.1^4000", "-(-1)%", "1e400^7"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		c, err := Eval(expression)
		if err != nil {
			if e, ok := errors.AsType[*loci.ToolError](err); !ok || len(e.Message) > 1200 {
				t.Errorf("%q: %T %v", expression, err, err)
			}
			return
		}
		if c.Value == "" || len(c.Value) > 1300 || strings.ContainsAny(c.Value, "NI") {
			t.Errorf("%q = %q", expression, c.Value)
		}
	})
}

func BenchmarkEval(b *testing.B) {
	for b.Loop() {
		if _, err := Eval("111 x 222 / 777"); err != nil {
			b.Fatal(err)
		}
	}
}
