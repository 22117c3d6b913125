package lang

import "testing"

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"What day is it?":                English,
		"今天星期几?":                         Chinese,
		"app.log 里有多少行 ERROR?":           Chinese,
		"Kolik řádků má app.log?":        Czech,
		"Jaký je dnes den?":              Czech,
		"Kolik je hodin?":                Czech,
		"Který je týden?":                Czech,
		"Jaky je dnes den?":              Czech,
		"Co mám v této složce?":          Czech,
		"ktere soubory jsou ve slozce":   Czech,
		"Where is Jake?":                 English,
		"Meet me at the café":            English,
		"The code is in Kolikov's house": English,
		"":                               English,
		"\xff\xfe":                       English,
	} {
		if got := Of(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
