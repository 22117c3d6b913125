package intent

import (
	"strconv"
	"strings"
)

// Words for music and what plays it, for a program, and for a database in a file.
const (
	music    = `(?:music|songs?|tracks?|playback|videos?|films?|movies?|player|sound)`
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
		{"pause", newPatterns(`^pause(?: (?:the|this|that|my))?(?: `+music+`)?$`, `^暂停(?:播放)?(?:一下)?`+musicZH+`?$`, `^(?:pozastav|zapauzuj)(?: `+musicCS+`)?$`)},
		{"play", newPatterns(`^(?:resume|continue|unpause)(?: playing)?(?: (?:the|this|my))? `+music+`$`, `^继续播放`+musicZH+`?$`, `^pokračuj v přehrávání$`)},
		{"next", newPatterns(`^(?:(?:play|skip to|go to)(?: the)? )?next (?:song|track|title|video)$`, `^skip (?:this|the)(?: current)? (?:song|track|title|video)$`, `^(?:播放|切到|放)?下一(?:首|曲)(?:歌曲?)?$`, `^(?:pusť |přehraj )?další (?:skladbu|písničku|píseň|video)$`)},
		{"previous", newPatterns(`^(?:(?:play|skip to|go(?: back)? to)(?: the)? )?(?:previous|last) (?:song|track|title)$`, `^(?:播放|切到|放)?上一(?:首|曲)(?:歌曲?)?$`, `^(?:pusť |přehraj )?předchozí (?:skladbu|písničku|píseň)$`)},
		{"stop", newPatterns(`^stop (?:playing(?: (?:the|my) `+music+`)?|(?:the|my) `+music+`)$`, `^停止(?:播放)?`+musicZH+`$`, `^zastav `+musicCS+`$`)},
		{"volume_up", newPatterns(`^(?:turn|make)(?: up)?(?: the| my)? (?:music|volume|sound|it) (?:up|louder)$`, `^(?:turn up|increase|raise)(?: the)? (?:music|volume|sound)$`, `^(?:调高|增大|提高)音量$`, `^(?:zesil|přidej)(?: (?:hudbu|hlasitost|zvuk))$`)},
		{"volume_down", newPatterns(`^(?:turn|make)(?: the| my)? (?:music|volume|sound|it) (?:down|quieter|lower)$`, `^(?:turn down|decrease|lower|reduce)(?: the)? (?:music|volume|sound)$`, `^(?:调低|减小|降低)音量$`, `^(?:ztiš|ztlum|zeslab)(?: (?:hudbu|hlasitost|zvuk))$`)},
		{"volume_set", newPatterns(`^(?:set|turn|change|put)(?: the| my)?(?: music| player)? volume (?:to|at) (?P<n>\d{1,3})(?: ?%| per ?cent)?$`, `^(?:把)?音量(?:调到|设为|调成)\s*(?P<n>\d{1,3})\s*%?$`, `^nastav hlasitost na (?P<n>\d{1,3})(?: ?%| procent)?$`)},
	} {
		all = append(all, rule{m.patterns, func(_ *utterance, found captures) goal {
			args := arguments{"action": m.action}
			if n, err := strconv.Atoi(found["n"]); err == nil {
				args["volume"] = n
			}
			return oneCall{tool: mediaControl, args: args}
		}})
	}
	return append(all, databaseRules()...)
}

// databaseRules ask for tables and run a query that is written out; then those for
// applications, by name.
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
	}}, {newPatterns(
		`^(?:launch|start|open|run)(?: the| my)? (?:app|application) `+appName+`$`, `^(?:launch|start|open)(?: the| my)? `+appName+` (?:app|application)$`,
		`^(?:open|show)(?: the)?(?: file)? (?P<target>\S+\.\w{1,8}) (?:with|using)(?: the| my)? `+appName+`$`,
		`^(?:启动|打开)应用(?:程序)?\s*`+appName+`$`, `^用\s*`+appName+`\s*打开\s*(?P<target>[\w./~-]+\.\w{1,8})$`,
		`^(?:spusť|otevři) (?:aplikaci|program) `+appName+`$`, `^otevři (?P<target>\S+\.\w{1,8}) (?:v|ve) `+appName+`$`,
	), func(_ *utterance, m captures) goal {
		args := arguments{"app": strings.ToLower(m["app"])}
		if m["target"] != "" {
			args["target"] = m["target"]
		}
		return oneCall{tool: openApp, args: args}
	}}}
}
