package approval

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// samples are what people type, separated by |, by what it says.
var samples = map[Verdict]string{
	Yes: "yes|Yes!|y|YES.|yep|yeah|yup|ok|OK!|okay|k|sure|of course|go ahead|do it|please do|yes please|yes do it|ok go|👍|👍🏽|✅|✔️|fine|approved|allow|I agree|" +
		"yes yes|\"yes\"|“Yes”|‘yes’|**yes**|_yes_|`yes`|- yes|(yes)|yes...|yes…|yes thanks|yes, now|well, ok|Let’s go|let's go|:+1:|+1|yes 😊|ok 🙏🏻|yes\u00a0please|\ufeffyes|yes\u200b|" +
		"Ｙｅｓ，！|ＯＫ|ＹＥＳ。|Fİne|" +
		"是|是的|好|好的|好吧|可以|行|同意|确认|没问题|嗯|对|允许|执行|继续|请继续|好的，请执行。|好的~|好～|好的!谢谢|嗯嗯|是是是|當然可以|ok的|我同意！|" +
		"ano|Ano!|jo|jojo|jasně|jasne|dobře|dobre|souhlasím|souhlasim|povoluji|můžeš|muzes|udělej to|udelej to|ano prosím|ano, prosim|tak jo|Ano, díky.|jasně že ano|" +
		"ja|Jawohl|klar|gerne|mach das|in Ordnung|In Ordnung!|einverstanden|ja bitte|ja, mach das bitte|natürlich|naturlich|" +
		"да|ДА|Да!|ага|давай|хорошо|конечно|ок|можно|согласен|согласна|разрешаю|да, пожалуйста|да да|ну да|" +
		"sí|Sí|SÍ|si|claro|vale|dale|adelante|por supuesto|de acuerdo|hazlo|¡Sí!|sí por favor|si\u0301|" +
		"oui|Oui !|ouais|d'accord|D’accord|d´accord|vas-y|allez-y|bien sûr|bien sur|ça marche|ca marche|fais-le|oui merci|oui, s'il te plaît|OUİ",
	No: "no|No!|n|nope|no thanks|No, thank you.|don't|don’t|dont|do not|stop|cancel|never|nah|not now|later|wait|no no no|no, stop|don't do it|do not do that|please don't|not ok|NOT OK|" +
		"of course not|i don't agree|no way|👎|❌|🙅‍♂️|no ❌|oh no|don`t|don´t|don\u02bct|don't stop|" +
		"不|不要|不行|不可以|不用|别|取消|否|拒绝|算了|不同意|停|不好|不，谢谢|请不要|不不不|不要执行|别停|不取消|" +
		"ne|Ne!|nechci|nedělej to|nedelej to|zruš to|zrus to|nesouhlasím|no|ne díky|raději ne|ne ano|" +
		"nein|Nein danke|nee|lieber nicht|nicht|bitte nicht|abbrechen|stopp|ja nicht|" +
		"нет|нет нет|НЕТ|не надо|не нужно|отмена|стоп|нельзя|нет, спасибо|не хорошо|не согласен|" +
		"no gracias|No, gracias|cancela|mejor no|cla\u0072o que no|no lo hagas|" +
		"non|Non merci|annule|surtout pas|pas d'accord|bien sûr que non",
	None: "|   |.|!|?|yes?|ok?|好吗？|好吗|no problem|no worries|why not|yes no|no yes|yes, no|да нет|jo no|no jo|ano ne|是不是|好不好|可以不|要不|好不|不都|" +
		"yes please and also rename it|yes, but call it x.md|yes but not now|no, yes|not sure|sure, but later|ok later|yes wait|yes and|yes to|yes code|please|thanks|谢谢|请|prosím|danke|all|to all|全部|все|" +
		"> yes|~~yes~~|ok ~~yes~~|**~~yes~~**|好的~~是~~|~yes|<del>yes</del>|<b>yes</b>|y̶e̶s̶|1. yes|yes;drop|yes=1|/yes|yes/no|[x] yes|no but|ye\u200bs|ye\u00ads|\u202eyes|yes\u202e|" +
		"7F3да|yes ZZZ|yes 1234567|yes 7F3 no 8K2|yes 7F3 not 8K2|yes all but 7F3|yes all except one|" +
		"not all|не все|ne všechno|nicht alle|no todos|alles gut|всё хорошо|да ну|yeah right|уеѕ|año|jasné|no, go ahead|yes \xff|\xff|yes 🙄|🤷|😊|yes or no|don't know|do you mind|" +
		"Answer yes or no (code 7F3). Without an answer by 14:05 nothing happens.|that's ok|I'm fine|yesterday|okra|ja aber|oui mais|sí pero|да но|ano ale|好但是|不太好吗|了|yes please delete nothing",
}

func TestRead(t *testing.T) {
	for want, list := range samples {
		for s := range strings.SplitSeq(list, "|") {
			for form, text := range map[string]string{
				"as it is": s, "on a line": s + "\n", "in lines": "\r\n " + s + " \n\n", "in capitals": strings.ToUpper(s), "decomposed": norm.NFD.String(s), "composed": norm.NFC.String(s),
			} {
				if got := Read(text); got.Verdict != want || got.All && want != No || got.Codes != nil {
					t.Errorf("%q (%s): %+v, want verdict %d", text, form, got, want)
				}
			}
		}
	}
}

func TestReadCodes(t *testing.T) {
	for s, want := range map[string]Answer{
		"yes 7F3":                     {Verdict: Yes, Codes: []string{"7F3"}},
		"7F3 yes":                     {Verdict: Yes, Codes: []string{"7F3"}},
		"yes, 7f3":                    {Verdict: Yes, Codes: []string{"7F3"}},
		"yes (7F3)":                   {Verdict: Yes, Codes: []string{"7F3"}},
		"yes `7F3`":                   {Verdict: Yes, Codes: []string{"7F3"}},
		"**yes 7F3**":                 {Verdict: Yes, Codes: []string{"7F3"}},
		"yes #7F3":                    {Verdict: Yes, Codes: []string{"7F3"}},
		"yes ７Ｆ３":                     {Verdict: Yes, Codes: []string{"7F3"}},
		"是7F3":                        {Verdict: Yes, Codes: []string{"7F3"}},
		"同意 7f3，谢谢":                   {Verdict: Yes, Codes: []string{"7F3"}},
		"代码7F3：是":                     {Verdict: Yes, Codes: []string{"7F3"}},
		"да 7К3":                      {Verdict: Yes, Codes: []string{"7K3"}}, // К is Cyrillic
		"ano (kód 7F3)":               {Verdict: Yes, Codes: []string{"7F3"}},
		"yes to 7F3":                  {Verdict: Yes, Codes: []string{"7F3"}},
		"yes with code: 7F3":          {Verdict: Yes, Codes: []string{"7F3"}},
		"y 7F3":                       {Verdict: Yes, Codes: []string{"7F3"}},
		"👍 4k9m2":                     {Verdict: Yes, Codes: []string{"4K9M2"}},
		"no 7F3":                      {Verdict: No, Codes: []string{"7F3"}},
		"ne 7F3, díky":                {Verdict: No, Codes: []string{"7F3"}},
		"don't do it (7F3)":           {Verdict: No, Codes: []string{"7F3"}},
		"否 7F3":                       {Verdict: No, Codes: []string{"7F3"}},
		"yes 7F3 8K2":                 {Verdict: Yes, Codes: []string{"7F3", "8K2"}},
		"yes 7F3, yes 8K2":            {Verdict: Yes, Codes: []string{"7F3", "8K2"}},
		"yes 7F3 and 8K2":             {Verdict: Yes, Codes: []string{"7F3", "8K2"}},
		"7F3: yes\n8K2: yes":          {Verdict: Yes, Codes: []string{"7F3", "8K2"}},
		"yes 7F3 yes 7f3":             {Verdict: Yes, Codes: []string{"7F3"}},
		"да 7F3 и 8K2":                {Verdict: Yes, Codes: []string{"7F3", "8K2"}},
		"no 7F3 und 8K2":              {Verdict: No, Codes: []string{"7F3", "8K2"}},
		"7F3":                         {Codes: []string{"7F3"}},
		"7F3, 8K2!":                   {Codes: []string{"7F3", "8K2"}},
		"please 7F3":                  {Codes: []string{"7F3"}},
		"all 7F3":                     {},
		"yes 7F3 no 8K2":              {},
		"7F3 yes please and also 8K2": {},
		"yes 7fi":                     {Verdict: Yes, Codes: []string{"7FI"}}, // meant as codes: they name nothing
		"yes 123":                     {Verdict: Yes, Codes: []string{"123"}},
		"no f37":                      {Verdict: No, Codes: []string{"F37"}},
		"stop":                        {Verdict: No, Codes: nil, All: true}, // whatever is under way
		"Zruš to!":                    {Verdict: No, Codes: nil, All: true},
		"stop 7F3":                    {Verdict: No, Codes: []string{"7F3"}},
		"everything ok":               {},
		"go to 7F3":                   {},
		"yes to all":                  {Verdict: Yes, Codes: nil, All: true},
		"Yes, all!":                   {Verdict: Yes, Codes: nil, All: true},
		"all yes":                     {Verdict: Yes, Codes: nil, All: true},
		"yes to everything":           {Verdict: Yes, Codes: nil, All: true},
		"alle ja":                     {Verdict: Yes, Codes: nil, All: true},
		"ja zu allem":                 {Verdict: Yes, Codes: nil, All: true},
		"全部同意":                        {Verdict: Yes, Codes: nil, All: true},
		"都同意":                         {Verdict: Yes, Codes: nil, All: true},
		"ano na všechny":              {Verdict: Yes, Codes: nil, All: true},
		"ano, vsechno":                {Verdict: Yes, Codes: nil, All: true},
		"да, на все":                  {Verdict: Yes, Codes: nil, All: true},
		"sí a todo":                   {Verdict: Yes, Codes: nil, All: true},
		"oui à tout":                  {Verdict: Yes, Codes: nil, All: true},
		"no to all":                   {Verdict: No, Codes: nil, All: true},
		"全部取消":                        {Verdict: No, Codes: nil, All: true},
		"ne na všechny":               {Verdict: No, Codes: nil, All: true},
		"yes to all: 7F3, 8K2":        {Verdict: Yes, Codes: []string{"7F3", "8K2"}}, // those, not what may come
	} {
		for _, s := range []string{s, norm.NFD.String(s), s + "\n"} {
			got := Read(s)
			if got.Verdict != want.Verdict || got.All != want.All || !slices.Equal(got.Codes, want.Codes) {
				t.Errorf("%q: %+v, want %+v", s, got, want)
			}
		}
	}
}

func TestReadBounds(t *testing.T) {
	if got := Read(strings.Repeat("yes ", 50)); got.Verdict != Yes {
		t.Errorf("200 bytes: %+v", got)
	}
	if got := Read(strings.Repeat("yes ", 50) + " "); got.Verdict != None {
		t.Errorf("201 bytes: %+v", got)
	}
}

// TestVocabularies checks the data: each phrase is readable and says one thing,
// with and without its marks; what negates is nowhere a yes.
func TestVocabularies(t *testing.T) {
	names := [...]string{unknown: "unknown", yes: "yes", no: "no", polite: "polite", all: "all", link: "link", unclear: "unclear"}
	found := map[string]kind{}
	for _, v := range vocabularies {
		for k, list := range map[kind]string{yes: v.yes, no: v.no, polite: v.polite, all: v.all, link: v.link, unclear: v.unclear} {
			for phrase := range strings.SplitSeq(list, ",") {
				if list == "" {
					continue
				}
				for _, form := range []string{phrase, unmarked(phrase)} {
					words, ok := split(fold(form))
					key := strings.Join(words, " ")
					if !ok || key == "" || slices.Contains(words, stop) {
						t.Errorf("%q cannot be read", phrase)
					}
					if was, ok := found[key]; ok && was != k {
						t.Errorf("%q is both %s and %s", form, names[was], names[k])
					}
					found[key] = k
					if codeOf(words[0]) != "" {
						t.Errorf("%q begins like a code", phrase)
					}
				}
			}
		}
	}
	negations := strings.Fields("not dont never nicht kein keine не нет ni ne nechci pas jamais non nunca no nein")
	for phrase, k := range found {
		if k != yes {
			continue
		}
		for word := range strings.FieldsSeq(phrase) {
			if slices.Contains(negations, word) || strings.HasPrefix(word, "不") || strings.HasPrefix(word, "别") {
				t.Errorf("%q would be a yes", phrase)
			}
		}
	}
	// A phrase goes with the plain word of its language, before it or after.
	for phrase, k := range found {
		for _, word := range map[kind][]string{yes: {"yes", "ano", "ja", "да", "sí", "oui", "好的，"}, no: {"no", "ne", "nein", "нет", "non", "不，"}}[k] {
			want := map[kind]Verdict{yes: Yes, no: No}[k]
			if found[word+" "+phrase] == unclear {
				continue
			}
			if a, b := Read(word+" "+phrase), Read(phrase+", "+word); a.Verdict != want || b.Verdict != want {
				t.Errorf("%q with %q: %+v, %+v", phrase, word, a, b)
			}
			if a := Read(word + ", " + phrase); a.Verdict != want {
				t.Errorf("%q after %q: %+v", phrase, word, a)
			}
		}
	}
	// No negation before a yes makes another yes.
	for phrase, k := range found {
		for _, word := range append(negations, "不", "别", "don't", "do not", "ani", "ni", "sin", "kein", "ohne", "без", "bez") {
			if k == yes && Read(word+" "+phrase).Verdict == Yes {
				t.Errorf("%q is a yes", word+" "+phrase)
			}
		}
	}
}

// FuzzRead checks that reading is safe: it never fails, folding a text once is
// enough, and nothing is a yes that holds a word from outside the tables, or one
// that is a no by itself.
func FuzzRead(f *testing.F) {
	for _, list := range samples {
		for s := range strings.SplitSeq(list, "|") {
			f.Add(s)
		}
	}
	f.Add("yes ŉ") // folds into an apostrophe
	f.Add("yes 7F3 and 8K2")
	f.Add("全部同意 7F3")
	known := map[string]bool{}
	table, _ := phrases()
	for phrase := range table {
		for word := range strings.FieldsSeq(phrase) {
			known[word] = true
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Read(s)
		folded := fold(s)
		if again := fold(folded); again != folded {
			t.Fatalf("%q folds to %q and that to %q", s, folded, again)
		}
		if len(s) <= longestAnswer && len(folded) <= longestAnswer {
			if again := Read(folded); again.Verdict != got.Verdict || again.All != got.All || !slices.Equal(again.Codes, got.Codes) {
				t.Fatalf("%q: %+v, folded %+v", s, got, again)
			}
		}
		for _, code := range got.Codes {
			if meantAsCode(strings.ToLower(code)) != code {
				t.Fatalf("%q names %q", s, code)
			}
		}
		if got.Verdict != Yes {
			return
		}
		for word := range strings.FieldsFuncSeq(folded, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || r == '\ufe0e' || r == '\ufe0f'
		}) {
			parts := []string{word}
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
				parts = nil
				for _, r := range word {
					if unicode.Is(unicode.Han, r) {
						parts = append(parts, string(r))
					}
				}
			}
			for _, part := range parts {
				if !known[part] && meantAsCode(part) == "" {
					t.Fatalf("%q is a yes with %q in it", s, part)
				}
			}
		}
	})
}
