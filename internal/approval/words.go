package approval

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// kind is what a phrase does in an answer.
type kind int

const (
	unknown kind = iota
	yes
	no
	polite  // says nothing
	all     // means all questions
	link    // belongs to the code that follows it
	unclear // says one thing to some people and another to others
	kinds
)

// vocabulary is the phrases of a language by kind, separated by commas. The
// longest phrase counts: "not ok" is not an "ok". A phrase with marks is known
// without them too. Words that ask, doubt or refuse in part are missing on
// purpose; see unclear for those that would look like something else.
type vocabulary struct{ yes, no, polite, all, link, unclear string }

var vocabularies = []vocabulary{english, chinese, czech, german, russian, spanish, french, signs}

var english = vocabulary{
	yes: "yes, y, yep, yup, yeah, yea, yess, aye, ok, okay, okey, okie, oki, k, kk, sure, sure thing, for sure, of course, " +
		"alright, all right, absolutely, definitely, certainly, affirmative, by all means, fine, fine by me, fine with me, " +
		"sounds good, looks good, looks good to me, lgtm, works for me, ok with me, " +
		"go, go on, go ahead, go for it, let's go, let's do it, do it, do that, do so, do this, please do, you may, you can, " +
		"proceed, continue, carry on, run it, write it, approve, approved, approve it, i approve, allow, allowed, allow it, i allow it, " +
		"accept, accepted, i accept, agree, agreed, i agree, confirm, confirmed, i confirm, granted, permitted",
	no: "no, n, nope, nah, nay, no way, no go, never, never mind, nevermind, forget it, " +
		"don't, dont, do not, don't do it, dont do it, do not do it, don't do that, dont do that, do not do that, " +
		"don't do this, do not do this, don't do so, do not do so, don't you dare, please don't, " +
		"don't go ahead, do not go ahead, don't proceed, do not proceed, don't continue, do not continue, " +
		"don't run it, do not run it, don't write it, do not write it, don't allow it, do not allow it, " +
		"do nothing, stop, stop it, stop that, cancel, cancel it, cancel that, abort, " +
		"deny, denied, decline, declined, i decline, reject, rejected, i reject it, refuse, refused, i refuse, " +
		"disagree, i disagree, i don't agree, i dont agree, i do not agree, i don't approve, i do not approve, i don't allow it, i do not allow it, " +
		"not ok, not okay, not fine, not allowed, not approved, not accepted, not confirmed, not agreed, not now, not yet, " +
		"of course not, absolutely not, certainly not, definitely not, rather not, better not, i'd rather not, " +
		"later, wait, hold on, hold it, skip, skip it, leave it, negative, thanks but no thanks, thanks but no",
	polite:  "please, pls, plz, thanks, many thanks, thank you, thx, ty, cheers, now, then, well, oh, ah, hm, hmm, just, loci",
	all:     "all, to all, for all, all of them, to all of them, everything, to everything, all questions, to all questions",
	link:    "code, the code, with, with code, to, for, and",
	unclear: "all ok, all okay, all fine, just fine, everything ok, everything okay, everything fine, go to",
}

var chinese = vocabulary{
	yes: "是, 是的, 是啊, 好, 好的, 好吧, 好啊, 好呀, 好哒, 好滴, 好嘞, 可以, 可以的, 可以啊, 当然, 当然可以, 當然, 當然可以, " +
		"行, 行的, 行吧, 行啊, 同意, 我同意, 确认, 我确认, 確認, 我確認, 确定, 確定, 没问题, 沒問題, 嗯, 嗯嗯, 对, 对的, 對, 對的, " +
		"允许, 我允许, 允許, 我允許, 批准, 准许, 准許, 授权, 授權, 执行, 執行, 继续, 繼續, 请继续, 请执行, 做吧, 去做吧, 就这么做, 就这样做, 写吧, 要, 要的, ok的",
	no: "不, 不了, 不好, 不要, 不行, 不可以, 不可, 不能, 不用, 不用了, 不是, 不是的, 不对, 不對, 不必, 不必了, 不需要, 不同意, 我不同意, " +
		"不确认, 不確認, 不确定, 不確定, 不允许, 不允許, 我不允许, 不准, 不准许, 不批准, 不授权, 不执行, 不執行, 不继续, 不繼續, 不做, 不写, " +
		"不行的, 不可以的, 不好的, 不要了, 不要做, 不要执行, 不要继续, 不要写, 不要同意, 不想, 别, 別, 别做, 别执行, 别继续, 别写, 别这样, 别这么做, " +
		"取消, 否, 否定, 拒绝, 拒絕, 我拒绝, 算了, 算了吧, 停, 停止, 停下, 停一下, 先不要, 先别, 先不, 暂时不要, 等等, 等一下, 稍后, 以后再说, " +
		"没有, 没, 当然不, 当然不行, 当然不可以, 当然不要, 禁止, 千万不要, 千万别",
	polite:  "请, 請, 谢谢, 謝謝, 多谢, 谢了, 吧, 啊, 呀, 哈, 麻烦, 麻烦了, 您, 你, 那",
	all:     "全部, 都, 全都, 所有, 所有的, 一律, 全部都",
	link:    "代码, 代碼, 编号, 和, 与",
	unclear: "不都, 不全, 不全部, 不是全部, 不是都, 都好, 都行, 要不, 要不要, 好不好, 行不行, 对不对, 是不是",
}

var czech = vocabulary{
	yes: "ano, jo, jojo, jj, jasně, jasně že jo, jasně že ano, jasan, dobře, dobrá, ok, okej, souhlasím, povoluji, povoluju, povol, povol to, povolit, povoleno, " +
		"můžeš, můžete, smíš, smíte, udělej to, udělejte to, udělej, udělejte, proveď, proveď to, proveďte, proveďte to, " +
		"pokračuj, pokračujte, do toho, klidně, určitě, určitě ano, určitě jo, rozhodně, rozhodně ano, samozřejmě, samozřejmě že ano, v pořádku, " +
		"platí, schvaluji, schvaluju, schváleno, potvrzuji, potvrzuju, potvrdit, zapiš to, zapište to, spusť to, spusťte to, to ano, to jo",
	no: "ne, nee, no, nechci, nechci to, nedělej, nedělej to, nedělejte, nedělejte to, neprováděj, neprováděj to, neprovádějte, neprovádějte to, " +
		"nepokračuj, nepokračujte, zruš, zruš to, zrušte, zrušte to, zrušit, storno, nesouhlasím, nepovoluji, nepovoluju, nepovol, nepovolit, " +
		"nesmíš, nesmíte, nemůžeš, nemůžete, odmítám, odmítnout, zamítám, neschvaluji, neschvaluju, nepotvrzuji, raději ne, radši ne, teď ne, ještě ne, to ne, " +
		"nikdy, v žádném případě, ani náhodou, určitě ne, rozhodně ne, jasně že ne, samozřejmě že ne, nech to, nechte to, nech to být, nechte to být, " +
		"není potřeba, netřeba, později, počkej, počkejte, přestaň, přestaňte, dost, " +
		"ne není v pořádku, není v pořádku, není dobře, ne dobře, ne ano, ne jo, ne v pořádku",
	polite:  "prosím, prosím tě, prosím vás, díky, dík, děkuji, děkuju, tak, teď, hned",
	all:     "vše, všechno, všechny, všem, na vše, na všechno, na všechny",
	link:    "kód, s kódem, na, pro, a",
	unclear: "všechno ok, všechno dobře, všechno v pořádku, vše ok, vše v pořádku, ne všechno, ne vše, ne všechny, ne všem",
}

var german = vocabulary{
	yes: "ja, jawohl, jep, jo, klar, na klar, klar doch, gerne, gern, ja gerne, mach das, mach es, mach, machen sie das, machen sie es, mach weiter, " +
		"in ordnung, einverstanden, okay, gut, natürlich, selbstverständlich, sicher, aber sicher, ja natürlich, genehmigt, genehmige ich, erlaubt, " +
		"ich stimme zu, zustimmen, bestätigt, bestätigen, ich bestätige, weiter, fortfahren, ausführen, du darfst, sie dürfen, du kannst, sie können, passt, " +
		"los, nur zu, tu das, tu es, leg los",
	no: "nein, nee, nö, ne, nicht, lieber nicht, bitte nicht, besser nicht, ja nicht, auf keinen fall, keinesfalls, niemals, nie, " +
		"abbrechen, abbruch, brich ab, stopp, halt, nicht machen, mach das nicht, mach es nicht, mach nicht, machen sie das nicht, nicht ausführen, nicht weiter, nicht fortfahren, " +
		"tu das nicht, tu es nicht, nicht gut, nicht ok, nicht okay, nicht in ordnung, nicht einverstanden, nicht erlaubt, nicht genehmigt, nicht bestätigt, " +
		"natürlich nicht, selbstverständlich nicht, sicher nicht, klar nicht, du darfst nicht, sie dürfen nicht, du darfst das nicht, das darfst du nicht, " +
		"ich stimme nicht zu, nicht zustimmen, ablehnen, abgelehnt, ich lehne ab, verboten, später, jetzt nicht, noch nicht, warte, warten, lass es, lass das, lassen sie das, vergiss es, passt nicht",
	polite:  "bitte, danke, danke schön, vielen dank, jetzt, dann",
	all:     "alle, allen, alles, zu allem, zu allen, für alle, allem",
	link:    "mit code, der code, und, zu, für, bei",
	unclear: "alles ok, alles okay, alles gut, alles klar, alles in ordnung, nicht alle, nicht alles, nicht allen, nicht sicher",
}

var russian = vocabulary{
	yes: "да, ага, угу, да да, давай, давайте, хорошо, ладно, конечно, да конечно, разумеется, безусловно, ок, окей, можно, можешь, можете, " +
		"согласен, согласна, я согласен, я согласна, разрешаю, я разрешаю, подтверждаю, одобряю, одобрено, выполняй, выполняйте, выполнить, " +
		"сделай, сделай это, сделайте, сделайте это, делай, делайте, продолжай, продолжайте, продолжить, валяй, вперёд",
	no: "нет, неа, не, не надо, не нужно, не стоит, не хочу, не делай, не делай этого, не делай это, не делайте, не делайте этого, не выполняй, не выполняйте, не продолжай, не продолжайте, " +
		"отмена, отмени, отмените, отменить, отменяй, стоп, стой, нельзя, ни в коем случае, никогда, конечно нет, конечно не надо, разумеется нет, " +
		"не согласен, не согласна, я не согласен, я не согласна, не разрешаю, я не разрешаю, не подтверждаю, не одобряю, запрещаю, отказ, отказываюсь, отклонить, " +
		"не сейчас, потом, позже, подожди, подождите, хватит, не хорошо, нехорошо, не ок, не можно, не можешь, лучше не надо, лучше нет, лучше не, пока нет, пока не надо",
	polite:  "пожалуйста, спасибо, ну, тогда, сейчас, же, благодарю",
	all:     "всё, все, всем, на всё, на все, всех, для всех",
	link:    "код, с кодом, на, для, и",
	unclear: "всё хорошо, все хорошо, всё ок, всё можно, не все, не всё, не всем, да ну, да ладно, ну ну, ну да конечно",
}

var spanish = vocabulary{
	yes: "sí, si, claro, claro que sí, vale, dale, adelante, por supuesto, de acuerdo, estoy de acuerdo, hazlo, hágalo, okay, okey, está bien, seguro, " +
		"perfecto, procede, proceda, continúa, continúe, sigue, acepto, aceptar, apruebo, aprobado, confirmo, confirmado, permitido, permitir, autorizo, autorizado, puedes, puede, por supuesto que sí",
	no: "no, nop, no gracias, cancela, cancelar, cancélalo, cancele, mejor no, claro que no, por supuesto que no, de ninguna manera, ni hablar, nunca, jamás, " +
		"no lo hagas, no lo haga, no hagas nada, no quiero, no procedas, no continúes, no sigas, no puedes, no puede, no está bien, no vale, no estoy de acuerdo, de acuerdo no, " +
		"no acepto, no apruebo, no aprobado, no confirmo, no autorizo, no permitido, no permitir, rechazo, rechazar, rechazado, niego, denegar, denegado, " +
		"ahora no, todavía no, aún no, más tarde, luego, espera, espere, para, detente, alto, déjalo, olvídalo",
	polite:  "por favor, gracias, muchas gracias, ahora, pues, entonces",
	all:     "todo, todos, todas, a todo, a todos, a todas",
	link:    "código, el código, con código, con el código, a",
	unclear: "todo ok, todo perfecto, todo está bien, no todo, no todos, no todas, no a todo, no a todos, no seguro, no estoy seguro",
}

var french = vocabulary{
	yes: "oui, ouais, ouaip, ouip, d'accord, je suis d'accord, vas-y, allez-y, bien sûr, bien sûr que oui, ça marche, ça me va, fais-le, faites-le, okay, entendu, " +
		"volontiers, certainement, absolument, évidemment, parfait, continue, continuez, procède, procédez, j'accepte, accepter, accepté, " +
		"j'approuve, approuvé, je confirme, confirmer, confirmé, j'autorise, autorisé, autoriser, tu peux, vous pouvez, c'est bon, c'est d'accord",
	no: "non, nan, ne, non merci, annule, annuler, annulez, annule ça, surtout pas, certainement pas, absolument pas, bien sûr que non, pas du tout, jamais, jamais de la vie, " +
		"pas d'accord, je ne suis pas d'accord, je suis pas d'accord, ne fais pas ça, ne le fais pas, ne le faites pas, ne fais rien, fais pas ça, n'y va pas, vas-y pas, " +
		"ne continue pas, ne continuez pas, je n'accepte pas, je n'approuve pas, je ne confirme pas, je n'autorise pas, pas autorisé, pas approuvé, " +
		"tu ne peux pas, tu peux pas, vous ne pouvez pas, ça ne marche pas, ça marche pas, ça me va pas, ça ne me va pas, c'est pas bon, ce n'est pas bon, " +
		"refuse, refuser, refusé, je refuse, rejeter, rejeté, arrête, arrêtez, plutôt pas, mieux vaut pas, pas maintenant, pas encore, plus tard, attends, attendez, laisse tomber, évidemment pas, évidemment que non",
	polite:  "merci, merci beaucoup, s'il te plaît, s'il vous plaît, stp, svp, maintenant, alors",
	all:     "tout, tous, toutes, à tout, à tous, pour tous, pour tout",
	link:    "le code, avec le code, et, à, pour",
	unclear: "tout est bon, c'est bon merci, c'est bon non merci",
}

// signs are no language's own.
var signs = vocabulary{
	yes:    "👍, 👌, ✅, ✔, ☑, 🆗, 💯, +1",
	no:     "👎, ❌, ✖, 🚫, ⛔, 🛑, 🙅, ✋",
	polite: "🙂, 😊, 😀, 😃, 😄, 😁, 😉, 😎, 🤗, 🥰, 😍, 🙏, 🎉, 🚀, ❤, 💪, 🤝, 🙌, 👏, ✨, ⭐, 🌟, 🔥, ♂, ♀",
	link:   "+",
}

// halting are the words for no that mean whatever is under way, not one question.
var halting = sync.OnceValue(func() map[string]bool {
	const list = "stop, stop it, stop that, cancel, cancel it, cancel that, abort, 取消, 停, 停止, 停下, 停一下, " +
		"zruš, zruš to, zrušte, zrušte to, zrušit, storno, přestaň, přestaňte, dost, abbrechen, abbruch, brich ab, stopp, halt, " +
		"отмена, отмени, отмените, отменить, отменяй, стоп, стой, хватит, cancela, cancelar, cancélalo, cancele, para, detente, alto, " +
		"annule, annuler, annulez, annule ça, arrête, arrêtez, 🛑, ✋"
	table := map[string]bool{}
	for phrase := range strings.SplitSeq(list, ",") {
		for _, form := range []string{phrase, unmarked(phrase)} {
			words, _ := split(fold(form))
			table[strings.Join(words, " ")] = true
		}
	}
	return table
})

// phrases is all vocabularies in one table, by the words of a phrase as split
// gives them, and the number of words in the longest.
var phrases = sync.OnceValues(func() (table map[string]kind, longest int) {
	table = map[string]kind{}
	for _, v := range vocabularies {
		for k, list := range map[kind]string{yes: v.yes, no: v.no, polite: v.polite, all: v.all, link: v.link, unclear: v.unclear} {
			for phrase := range strings.SplitSeq(list, ",") {
				for _, form := range []string{phrase, unmarked(phrase)} {
					if words, _ := split(fold(form)); len(words) > 0 {
						table[strings.Join(words, " ")] = k
						longest = max(longest, len(words))
					}
				}
			}
		}
	}
	return table, longest
})

// unmarked is a text without the marks on its letters, as people type it who
// have no keyboard for them.
func unmarked(s string) string {
	bare, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), s)
	if err != nil {
		return s
	}
	return bare
}
