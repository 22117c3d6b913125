package intent

import (
	"slices"
	"strconv"
)

// Words for music and what plays it, for a program, and for a database in a file.
const (
	music    = `(?:music|songs?|tracks?|playback|videos?|films?|movies?|player|sound)`
	volume   = `(?:music|volume|sound|audio|song|player|speakers?)`
	musicZH  = `(?:音乐|歌曲?|视频|播放器?)`
	musicCS  = `(?:hudbu|písničku|skladbu|přehrávání|video|film|přehrávač)`
	appName  = `(?P<app>[\w+-]{2,40})`
	dbFile   = `["'“]?(?P<db>[^\s"'“”]+\.(?:db3?|sqlite3?))["'”]?`
	dbFileZH = `(?P<db>[\w./~-]+\.(?:db3?|sqlite3?))`
)

// programRules are for what other programs do: players, applications, databases.
// They come before the rules that say what cannot be done.
func programRules() []rule {
	var all []rule
	for _, m := range []struct {
		action   string
		patterns []pattern
	}{
		{"pause", newPatterns(`^(?:pause|freeze|hold)(?: (?:the|this|that|my|current))* `+music+`(?: (?:for|a) .*)?$`, `^pause(?: it)?$`, `^put (?:the |this |my )?`+music+` on (?:pause|hold)$`, `^(?:把)?`+musicZH+`暂停(?:一下)?$`, `^pause(?: (?:the|this|that|my))?(?: `+music+`)?$`, `^暂停(?:播放)?(?:一下)?`+musicZH+`?$`, `^(?:pozastav|zapauzuj)(?: `+musicCS+`)?$`)},
		{"play", newPatterns(`^(?:start|turn on|switch on)(?: the| my)? (?:music|playback|song)$`, `^play(?: (?:the|my) (?:music|song|video))?$`, `^(?:turn|put|switch)(?: the| my)? music (?:back )?on$`, `^(?:resume|unpause)(?: it)?$`, `^(?:resume|continue|unpause|restart)(?: (?:the|this|my|with))* (?:playing|`+music+`)(?: (?:the|my|`+music+`))*(?: again)?$`, `^(?:you can |keep |go on |carry on |start |continue |resume )+playing(?: (?:the|my|it|that))*(?: `+music+`)?(?: again| now)*$`, `^(?:press|hit) play$`, `^play(?: (?:the|my))?(?: `+music+`)? again$`, `^(?:继续|恢复)(?:播放|放)?`+musicZH+`?$`, `^(?:pokračuj|pusť dál|obnov přehrávání|hraj dál)(?: (?:hudbu|v hudbě))?$`, `^(?:resume|continue|unpause)(?: playing)?(?: (?:the|this|my))? `+music+`$`, `^继续播放`+musicZH+`?$`, `^pokračuj v přehrávání$`)},
		{"next", newPatterns(`^next (?:one|song|track),? (?:please|now)$`, `^(?:skip|next)(?: (?:ahead|forward|to|the|this|that|current|one))* (?:song|track|title|video|tune|one)$`, `^skip (?:it|this|that)$`, `^(?:go|jump|move|switch|take me|change|get me|play|put on|skip|give me)(?: (?:on|over|ahead|forward))*(?: (?:to|me))?(?: the)? (?:next|following|another|a different) (?:song|track|title|video|tune|one)$`, `^(?:i don't like|i hate) this (?:song|track)(?:,| ) ?(?:skip|next)(?: it)?$`, `^(?:跳过|切歌|换一首|下一首|下首歌|切换到下一首).{0,5}$`, `^(?:přeskoč|další)(?: (?:tuhle|tuto|tu|na|další))* (?:skladbu|písničku|píseň|video|skladba|písnička)$`, `^(?:(?:play|skip to|go to)(?: the)? )?next (?:song|track|title|video)$`, `^skip (?:this|the)(?: current)? (?:song|track|title|video)$`, `^(?:播放|切到|放)?下一(?:首|曲)(?:歌曲?)?$`, `^(?:pusť |přehraj )?další (?:skladbu|písničku|píseň|video)$`)},
		{"previous", newPatterns(`^back to the (?:last|previous) (?:song|track|one|title)$`, `^(?:play|put on)(?: that| the)? (?:last )?(?:song|track)(?: one more time| once more| again)$`, `^(?:go|jump|move|switch|take me|skip|play|get me)(?: back)?(?: (?:to|me))?(?: the)? (?:previous|last|one before|prior|preceding|earlier)(?: (?:song|track|title|video|tune|one))?(?: again)?$`, `^(?:previous|last) (?:song|track|one|title)$`, `^(?:go|skip|jump) back (?:a|one) (?:song|track)$`, `^(?:回到|播放|放|切回|切换到)?上一?(?:首|曲|个).{0,3}$`, `^(?:vrať se|zpět|pusť|přehraj)(?: na| k)? (?:předchozí|minulou|předešlou)(?: (?:skladbu|písničku|píseň|skladbě|písničce))?$`, `^(?:(?:play|skip to|go(?: back)? to)(?: the)? )?(?:previous|last) (?:song|track|title)$`, `^(?:播放|切到|放)?上一(?:首|曲)(?:歌曲?)?$`, `^(?:pusť |přehraj )?předchozí (?:skladbu|písničku|píseň)$`)},
		{"stop", newPatterns(`^(?:stop|halt|kill|cut|turn off|shut off|switch off|end|silence)(?: (?:playing|the|this|that|my))* `+music+`$`, `^turn (?:the |my |that )?`+music+` off$`, `^(?:关掉|停掉|停下|关闭)`+musicZH+`$`, `^(?:把)?`+musicZH+`(?:关掉|停掉|停下)$`, `^(?:vypni|zastav|ukonči|stopni)(?: (?:tu|tuhle))? `+musicCS+`$`, `^stop (?:playing(?: (?:the|my) `+music+`)?|(?:the|my) `+music+`)$`, `^停止(?:播放)?`+musicZH+`$`, `^zastav `+musicCS+`$`)},
		{"volume_up", newPatterns(`^volume up$`, `^make(?: the| it)?(?: `+volume+`)?(?: (?:a|little|bit|much|tad|some))* louder$`, `^(?:turn|crank|pump|bring)(?: (?:the|my|this))?(?: `+volume+`| it)(?: up| louder)(?: (?:a|little|bit|some|more|please))*$`, `^(?:turn up|increase|raise|crank up|pump up|boost|up)(?: the| my)? `+volume+`(?: (?:a|little|bit|some))*$`, `^(?:make|play)(?: (?:it|the|this))?(?: `+volume+`)? (?:louder|a bit louder|a little louder)$`, `^(?:a bit |a little |much )?louder$`, `^(?:把)?(?:声音|音量|音乐)(?:调|开|放)(?:大|高|响).{0,3}$`, `^(?:大声|声音大)(?:一)?点.{0,2}$`, `^(?:zesil(?: to| trochu| hudbu| zvuk| hlasitost)*|přidej(?: trochu| na)* (?:hlasitosti?|zvuk))$`, `^(?:turn|make)(?: up)?(?: the| my)? (?:music|volume|sound|it) (?:up|louder)$`, `^(?:turn up|increase|raise)(?: the)? (?:music|volume|sound)$`, `^(?:调高|增大|提高)音量$`, `^(?:zesil|přidej)(?: (?:hudbu|hlasitost|zvuk))$`)},
		{"volume_down", newPatterns(`^volume down$`, `^make(?: the| it)?(?: `+volume+`)?(?: (?:a|little|bit|much|tad|some))* (?:quieter|softer|lower)$`, `^(?:turn|bring|crank|take)(?: (?:the|my|this))?(?: `+volume+`| it) down(?: (?:a|little|bit|some|notch|please))*$`, `^(?:turn down|decrease|lower|reduce|drop)(?: the| my)? `+volume+`(?: (?:a|little|bit|some))*$`, `^(?:make|play)(?: (?:it|the|this))?(?: `+volume+`)? (?:quieter|softer|lower|less loud|a bit quieter)$`, `^(?:a bit |a little |much )?(?:quieter|softer)$`, `^(?:把)?(?:声音|音量|音乐)(?:调|关|放)(?:小|低|轻).{0,3}$`, `^(?:小声|声音小)(?:一)?点.{0,2}$`, `^(?:(?:ztiš|ztlum|zeslab)(?: to| trochu| hudbu| zvuk| hlasitost)*|uber(?: trochu| na)* (?:hlasitosti?|zvuk))$`, `^(?:turn|make)(?: the| my)? (?:music|volume|sound|it) (?:down|quieter|lower)$`, `^(?:turn down|decrease|lower|reduce)(?: the)? (?:music|volume|sound)$`, `^(?:调低|减小|降低)音量$`, `^(?:ztiš|ztlum|zeslab)(?: (?:hudbu|hlasitost|zvuk))$`)},
		{"volume_set", newPatterns(`^(?:lower|raise|reduce|increase|decrease|turn|bring|drop|set|crank)(?: (?:up|down|the|my|it))* `+volume+`(?: volume)?(?: (?:up|down))? (?:to|at) (?P<n>\d{1,3})(?: ?%| per ?cent)?$`, `^(?:set|put|turn)(?: the| my)?(?: `+volume+`)? volume(?: to| at)? (?P<n>\d{1,3}) ?(?:%|per ?cent)?$`, `^(?:set|turn|change|put|bring|make|adjust)(?: (?:the|my|it|up|down))*(?: `+volume+`)?(?: `+volume+`)?(?: up| down)? (?:to|at) (?P<n>\d{1,3}) ?(?:%|per ?cent)$`, `^(?:volume|sound)(?: (?:to|at))? (?P<n>\d{1,3})(?: ?%| per ?cent)?$`, `^(?:把)?(?:声音|音量)(?:调|设|改|设置)(?:到|为|成|至)?\s*(?:百分之)?(?P<n>\d{1,3})\s*%?$`, `^(?:nastav|dej|změň)(?: hlasitost| zvuk)(?: hudby)? na (?P<n>\d{1,3})(?: ?%| procent)?$`, `^(?:set|turn|change|put)(?: the| my)?(?: music| player)? volume (?:to|at) (?P<n>\d{1,3})(?: ?%| per ?cent)?$`, `^(?:把)?音量(?:调到|设为|调成)\s*(?P<n>\d{1,3})\s*%?$`, `^nastav hlasitost na (?P<n>\d{1,3})(?: ?%| procent)?$`)},
	} {
		all = append(all, rule{m.patterns, func(_ *utterance, found captures) goal {
			args := arguments{"action": m.action}
			if n, err := strconv.Atoi(found["n"]); err == nil {
				args["volume"] = n
			}
			return oneCall{tool: mediaControl, args: args}
		}})
	}
	return slices.Concat(all, databaseRules(), questionsOfData(), appRules())
}

// databaseRules ask for tables and run a query that is written out.
func databaseRules() []rule {
	return []rule{{newPatterns(
		`^(?:which|what)(?: all)? tables (?:are|exist|do (?:i|we) have)(?: there)?(?: in| inside)?(?: the| my)?(?: database)? `+dbFile+`$`,
		`^(?:show|list|describe|give)(?: me)?(?: the| all| its)* (?:tables|schema|structure|columns)(?: and columns)?(?: in| of| from)(?: the| my)?(?: database)? `+dbFile+`$`,
		`^(?:数据库)?\s*`+dbFileZH+`\s*(?:数据库)?(?:里|中|里面)?(?:有哪些表|有什么表|的表)$`, `^(?:列出|显示)(?:数据库)?\s*`+dbFileZH+`\s*(?:里|中)?的?(?:所有)?表$`,
		`^(?:které|jaké) tabulky (?:jsou|má)(?: v| ve)?(?: databázi| databáze)? `+dbFile+`$`, `^(?:ukaž|vypiš)(?: mi)? tabulky(?: v| ve| z| ze)?(?: databázi| databáze)? `+dbFile+`$`,
	), func(_ *utterance, m captures) goal {
		return oneCall{tool: queryDB, args: arguments{"database": m["db"]}}
	}}, {newPatterns(
		`^(?:run |execute |query )?(?P<sql>(?i:select|with) .+) (?:on|in|against)(?: the)?(?: database)? `+dbFile+`$`,
		`^(?:in|on)(?: the)?(?: database)? `+dbFile+`,? (?:run|execute)?:? ?(?P<sql>(?i:select|with) .+)$`,
	), func(_ *utterance, m captures) goal {
		return oneCall{tool: queryDB, args: arguments{"database": m["db"], "query": m["sql"]}}
	}}}
}
