package lang

import "testing"

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"What day is it?":                         English,
		"今天星期几?":                                  Chinese,
		"app.log 里有多少行 ERROR?":                    Chinese,
		"Kolik řádků má app.log?":                 Czech,
		"Jaký je dnes den?":                       Czech,
		"Kolik je hodin?":                         Czech,
		"Který je týden?":                         Czech,
		"Jaky je dnes den?":                       Czech,
		"Co mám v této složce?":                   Czech,
		"ktere soubory jsou ve slozce":            Czech,
		"Where is Jake?":                          English,
		"Tell me about Karel Čapek and his plays": English,
		"What does 你好 mean in English?":           English,
		"who was Jan Žižka?":                      English,
		"Kdo byl Jan Žižka?":                      Czech,
		"zapiš \"what is it\" do a.txt":           Czech,
		"把 \"what is it about\" 写入 a.txt":         Chinese,
		"the 是什么意思？":                              Chinese,
		"přelož what is it":                       Czech,
		"Meet me at the café":                     English,
		"The code is in Kolikov's house":          English,
		"objednej pizzu":                          Czech,
		"":                                        English,
		"\xff\xfe":                                English,
	} {
		if got := Of(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
