package intent

import "strings"

// appNames are applications that people name without calling them one.
const appNames = `firefox|chrome|chromium|safari|edge|opera|brave|browser|web browser|spotify|calculator|calc|libreoffice|openoffice|writer|excel|word|powerpoint|outlook|thunderbird|gimp|inkscape|blender|vlc|audacity|steam|discord|slack|zoom|teams|telegram|signal|whatsapp|skype|vs ?code|visual studio code|sublime|notepad|gedit|kate|emacs|vim|editor|text editor|terminal|console|file manager|nautilus|finder|explorer|settings|control panel|camera|calendar app|music player|media player|itunes|obs|kodi|krita|darktable|okular|evince|pdf viewer|image viewer|obsidian|postman|dbeaver|virtualbox|docker desktop`

// appWords are the names of applications in Chinese and Czech.
var appWords = newLexicon(map[string]string{
	"浏览器": "browser", "计算器": "calculator", "编辑器": "editor", "终端": "terminal", "火狐": "firefox",
	"prohlížeč": "browser", "kalkulačku": "calculator", "kalkulačka": "calculator", "editor": "editor", "terminál": "terminal", "přehrávač": "player",
})

// appRules start an application by its name, perhaps with a file. What is started is
// asked about first, and one that the person has not set up is told so.
func appRules() []rule {
	return []rule{{newPatterns(
		`^(?:open|show|edit|view|start)(?: me)?(?: the)?(?: file)? (?P<target>"[^"]+"|\S+\.\w{1,8}) (?:with|using|in|by)(?: the| my)? (?P<app>[\w+-]{2,40})(?: (?:app|application|program))?$`,
		`^use(?: the)? (?P<app>[\w+-]{2,40}) to (?:open|show|edit|view)(?: the)?(?: file)? (?P<target>\S+\.\w{1,8})$`,
		`^用\s*(?P<app>[\w+-]{2,40}|\p{Han}{2,4}?)\s*(?:来)?打开\s*(?P<target>[^\s，。]+\.\w{1,8})$`,
		`^(?:otevři|spusť|ukaž)(?: mi)?(?: soubor)? (?P<target>\S+\.\w{1,8}) (?:v|ve|pomocí|s|se) (?P<app>[\w+-]{2,40})$`,
	), func(u *utterance, m captures) goal {
		target, _ := unquote(m["target"])
		if vagueWord.has(m["app"]) || !isFile(target) || isFile(m["app"]) || homeFolder.has(m["app"]) {
			return nil
		}
		return u.start(m["app"], target)
	}}, {newPatterns(
		`^(?:launch|start|open|run)(?: up)?(?: the| my)? (?:app|application|program)(?: called| named)? (?P<app>[\w+-]{2,40})$`,
		`^(?:launch|start|open|run)(?: up)?(?: the| my)? (?P<app>[\w+-]{2,40}) (?:app|application|program)$`,
		`^(?:launch|start|open|run)(?: up)?(?: the| my| a)? (?P<app>`+appNames+`)(?: (?:up|now|again|browser|player|editor|app|application|program|on my (?:computer|desktop)))*$`,
		`^(?:bring up|pull up|get|use|switch to|i need(?: to use)?|i want(?: to use)?|i'd like to use|start using|go to|boot|fire up)(?: me)?(?: the| my| a)? (?P<app>`+appNames+`)(?: (?:up|running|going|started|open|app|application|program|now))*$`,
		`^(?:launch|start up) (?P<app>[\w+-]{3,40})$`, // no other meaning is near
		`^(?:请)?(?:启动|打开|运行|开启|开一下|打开一下)(?:应用(?:程序)?|程序|软件)?\s*(?P<app>`+appNames+`|浏览器|计算器|编辑器|终端|火狐)(?:浏览器|软件|程序|应用)?$`, `^(?:启动|打开)应用(?:程序)?\s*(?P<app>[\w+-]{2,40})$`,
		`^(?:spusť|otevři|zapni|pusť|spustit|otevřít)(?: mi)?(?: aplikaci| program)? (?P<app>`+appNames+`|prohlížeč|kalkulačku|editor|terminál|přehrávač)$`, `^(?:spusť|otevři) (?:aplikaci|program) (?P<app>[\w+-]{2,40})$`,
	), func(u *utterance, m captures) goal {
		if noApp.has(m["app"]) {
			return nil
		}
		return u.start(m["app"], "")
	}}}
}

// noApp is what may be started and is no application.
var noApp = newPattern(`^(?:over|now|again|here|it|this|that|them|something|all|everything|timer|recording|talking|with|from|me|in|at)$`)

// start makes the goal of starting an application.
func (u *utterance) start(app, target string) goal {
	args := arguments{"app": strings.ToLower(appWords.or(app, app)), "target": target}
	return oneCall{tool: openApp, args: args}
}
