package intent

import (
	"slices"
	"strings"
	"unicode"

	"loci"
	"loci/internal/lang"
)

// A model that was made for English alone answers other languages with rubbish that
// looks like words. Talk in one of them gets a sentence of loci's own instead: what loci
// itself understands there, and how to come by a model that knows more.

// otherTongue stands for any language that loci has no words in.
const otherTongue = "other"

var englishOnly = lang.Words{
	EN: "The model behind me knows English only. I myself understand plain requests in English, Chinese and Czech, such as “Which files changed today?” For talk in other languages install Ollama (ollama.com), run ollama pull qwen3:4b, and start loci again.",
	ZH: "我背后的小模型只懂英文，不能用中文聊天。我自己能听懂简单的中文请求，例如“今天修改了哪些文件？”或“现在几点？”想用中文聊天，请安装 Ollama（ollama.com），运行 ollama pull qwen3:4b，然后重新启动 loci。",
	CS: "Model za mnou umí jen anglicky, česky si s vámi nepopovídá. Já sám rozumím prostým českým prosbám, třeba „Které soubory se dnes změnily?“ nebo „Kolik je hodin?“ Na hovor v češtině nainstalujte Ollamu (ollama.com), spusťte ollama pull qwen3:4b a pak znovu loci.",
}

// otherWords are of languages in Latin letters that loci has no words in: Italian,
// Portuguese, Polish, Dutch, Swedish, Danish, Hungarian, Turkish, Romanian, Finnish,
// Indonesian and Vietnamese. None of them is English.
const otherWords = " che cosa sono della nella perché stai sei grazie ciao buongiorno puoi dimmi questo quanto quando dove chi raccontami scrivi una " +
	"você voce não nao são obrigado obrigada olá ola está bom dia uma para qual quem onde porque escreva conte " +
	"jest jak się sie masz dzień dobry proszę prosze czy nie ile gdzie kto dlaczego opowiedz napisz dziękuję dziekuje cześć czesc mi " +
	"hoe gaat het je een niet ik ben jij wat waar waarom goedemorgen dank alsjeblieft schrijf vertel mij van de " +
	"hur mår jag är vad heter och inte tack varför skriv berätta hej hvordan hvad jeg ikke hvorfor fortæl " +
	"hogy vagy mi nem szia köszönöm miért írj mondj egy nasılsın merhaba bir için teşekkürler neden nedir yaz bana " +
	"ce faci este sunt mulțumesc scrie spune mitä kuuluu hei minä olen kiitos kerro miksi apa kabar saya kamu terima kasih selamat pagi tolong xin chào bạn là gì "

// tongue is the language of what was said, as a tag.
func (u *utterance) tongue() string {
	words := anyQuoted.compiled().ReplaceAllString(u.said, " ")
	latin, others, kana := 0, 0, false
	for _, r := range words {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		case !unicode.Is(unicode.Han, r):
			others++
			kana = kana || unicode.Is(unicode.Hiragana, r)
		}
	}
	switch {
	case u.Lang == lang.Chinese && !kana, u.Lang == lang.Czech:
		return u.Lang
	case kana, others > latin:
		return otherTongue
	}
	spoken := strings.FieldsFunc(strings.ToLower(words), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if foreign := among(spoken, otherWords); foreign > 1 && foreign > among(spoken, englishWords) {
		return otherTongue
	}
	return lang.English
}

// speaks tells whether the model can talk in a language.
func (u *utterance) speaks(language string) bool {
	return len(u.Speaks) == 0 || slices.ContainsFunc(u.Speaks, func(tag string) bool { return lang.Base(tag) == language })
}

// spoken keeps talk away from a model that does not know its language.
func (u *utterance) spoken(move loci.Move) loci.Move {
	if move.Talk == nil || move.Talk.Instruction != "" {
		return move
	}
	tongue := u.tongue()
	if u.speaks(tongue) && u.speaks(u.wanted()) {
		return move
	}
	return loci.Move{Say: englishOnly.In(tongue)}
}

// inLanguage asks in English for words in a language, and fromOther for what words of
// another one mean.
var (
	asksWords  = newPattern(`^(?:translate|say|write|tell|sing|answer|reply|respond|speak|talk|explain|describe|give|count|teach me|how (?:do|would|can) (?:you|i|we|one) say|what(?:'s| is)) `) // say hello in German
	inLanguage = newPattern(` (?:in|into|to) (?:(?P<zh>chinese|mandarin|cantonese)|(?P<cs>czech)|(?P<other>` + languages + `))$`)
	fromOther  = newPattern(`^(?:translate|what does) .*[^\x00-\x{24f}\x{2000}-\x{206f}]`) // translate 你好 into English
)

// languages are those that people ask for words in.
const languages = `german|french|spanish|italian|portuguese|polish|slovak|dutch|swedish|danish|norwegian|finnish|hungarian|turkish|romanian|russian|ukrainian|greek|latin|arabic|hebrew|persian|hindi|thai|vietnamese|indonesian|japanese|korean`

// wanted is the language that words are asked for in, as a tag.
func (u *utterance) wanted() string {
	m, ok := inLanguage.match(u.core)
	ok = ok && asksWords.has(u.core)
	switch {
	case ok && m["zh"] != "":
		return lang.Chinese
	case ok && m["cs"] != "":
		return lang.Czech
	case ok, u.Lang == lang.English && fromOther.has(u.core):
		return otherTongue
	}
	return lang.English
}
