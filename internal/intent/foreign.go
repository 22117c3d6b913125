package intent

import (
	"strings"
	"unicode"

	"loci/internal/lang"
)

// Languages that loci does not understand here. Words of them would be read as
// names, or left to a model that knows as little: so a request in one of them gets
// one sentence that says so, in the language itself.

const (
	germanOnly  = "Ich verstehe in dieser kleinen Ausgabe nur Englisch, Chinesisch und Tschechisch. Zum Beispiel: “Which files are here?”"
	frenchOnly  = "Dans cette petite version, je ne comprends que l'anglais, le chinois et le tchèque. Par exemple : “Which files are here?”"
	spanishOnly = "En esta versión pequeña solo entiendo inglés, chino y checo. Por ejemplo: “Which files are here?”"
	russianOnly = "В этой маленькой версии я понимаю только английский, китайский и чешский. Например: “Which files are here?”"
)

// tongue is a language that is only recognised.
type tongue struct {
	sure  string // words that are of no language known here; one is enough
	often string // words that two are needed of
	reply string
}

var tongues = []tongue{
	{" datei dateien ordner verzeichnis lösche löschen zeig zeige zeigen welche welcher welches hallo danke bitte öffne lies schreibe schreib suche finde heute gestern uhrzeit steht wieviel ich nicht wie können kannst ",
		" der die das den dem ein eine ist sind was wo wann wer und in im mir mich mit für von zu es gibt hier viele auf aus du hat haben ", germanOnly},
	{" fichier fichiers dossier dossiers quel quelle quels quelles bonjour merci supprime supprimer efface ouvre montre montre-moi donne donne-moi lettre lis écris cherche aujourd'hui combien c'est qu'est-ce est-ce s'il plaît ",
		" le la les un une des de du dans ce cette est sont que qui où et en à sur pour moi mon ma mes il y a te vous ", frenchOnly},
	{" archivo archivos carpeta carpetas qué cuál cuáles cuántos cuántas hola gracias borra borrar elimina muestra muéstrame abre lee escribe busca hoy dónde ",
		" el la los las un una de del en esta este es son hay que y para mi mis por favor está con a ", spanishOnly},
}

// englishWords tell that a sentence is English, whatever it speaks of.
const englishWords = " the a an is are was were what when where which who how why does do did of to my your and or in on for with this that mean means say write read show delete find translate please it me i you there any "

// foreign gives the goal of saying that a language is not understood; nil where it
// may be one that is.
func (u *utterance) foreign() goal {
	if u.Lang != lang.English {
		return nil
	}
	letters, cyrillic := 0, 0
	for _, r := range u.said {
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.Is(unicode.Cyrillic, r) {
			cyrillic++
		}
	}
	if 2*cyrillic > letters {
		return saying{russianOnly}
	}
	// What is in quotes is a name or a text.
	words := strings.FieldsFunc(strings.ToLower(anyQuoted.compiled().ReplaceAllString(u.said, " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '-' && r != '.'
	})
	english := among(words, englishWords)
	for _, t := range tongues {
		sure, often := among(words, t.sure), among(words, t.often)
		if (sure > 0 || often > 1) && 2*sure+often > english {
			return saying{t.reply}
		}
	}
	return nil
}

// anyQuoted is a text in quotation marks.
var anyQuoted = newPattern(inQuotes)

// among counts the different words that are in a list.
func among(words []string, list string) int {
	found := map[string]bool{}
	for _, w := range words {
		if w = strings.Trim(w, ".'-"); strings.Contains(list, " "+w+" ") {
			found[w] = true
		}
	}
	return len(found)
}
