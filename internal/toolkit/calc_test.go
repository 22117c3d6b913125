package toolkit

import "testing"

func TestCalculateWords(t *testing.T) {
	b := newBench(t, nil)
	for _, test := range []struct{ lang, expression, want string }{
		{"en", "111 x 222 / 777", "111 x 222 / 777 = 31.714285714285715"},
		{"en", " 2 + 2 = ? ", "2 + 2 = 4"},
		{"en", "3,5 * 1,000", "3,5 * 1,000 = 3500 (3,5 was read as 3.5. 1,000 was read as 1000.)"},
		{"en", "100000000000000000000/3", "100000000000000000000/3 ≈ 3.333333333333333e+19"},
		{"en", "2^100", "2^100 = 1267650600228229401496703205376"},
		{"en", "0x10 + 1", "0x10 + 1 = 17 (0x10 was read as 16.)"},
		{"en", "0 x 10", "0 x 10 = 0"},
		{"cs", "3,5 * 2", "3,5 * 2 = 7 (3,5 se čte jako 3.5.)"},
		{"zh", "1 234 + 1", "1 234 + 1 = 1235 (1 234 理解为 1234。)"},
	} {
		b.lang = test.lang
		if got := b.call("calculate", `{"expression":"`+test.expression+`"}`).Text; got != test.want {
			t.Errorf("%s: %s, want %s", test.lang, got, test.want)
		}
	}
}
