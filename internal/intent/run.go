package intent

import (
	"strings"

	"loci"
	"loci/internal/lang"
)

// howToRun is what to say to a request to run something that is no command yet.
var howToRun = lang.Words{
	EN: "I run a command if you give it whole, and ask first. For example:\n- run git status\n- run the command \"wc -l notes.md\"",
	ZH: "请给出完整的命令，我会先询问再运行。例如：\n- 运行 git status\n- 执行命令“wc -l notes.md”",
	CS: "Příkaz spustím, když ho napíšete celý, a předem se zeptám. Například:\n- spusť git status\n- spusť příkaz \"wc -l notes.md\"",
}

// running is the goal of one command, in the person's own words. The tool makes
// words of the line, and the person sees them before anything runs.
type running struct{ line, dir string }

// shellSigns are characters that only a shell understands. In quotes they mean
// nothing, and a script does as well.
const shellSigns = "|&;<>$`*?~\n"

// first is the tool that runs it.
func (running) first() string { return runCommand }

// next runs it, then says what came of it.
func (g running) next(_ *utterance, done []loci.ToolResult) loci.Move {
	if len(done) == 0 {
		args := arguments{"argv": []string{g.line}}
		if strings.ContainsAny(g.line, shellSigns) {
			args = arguments{"script": g.line}
		}
		if g.dir != "" {
			args["dir"] = g.dir
		}
		return changing(runCommand, args)
	}
	return sayChange(done[len(done)-1])
}

// programNames are programs that people name without calling them commands. Others
// than these need the word: to run a marathon is no command.
const programNames = `(?:git|ls|cat|head|tail|wc|grep|find|sort|uniq|diff|du|df|date|pwd|echo|uname|uptime|whoami|id|ps|free|stat|file|tree|which|make|cmake|cargo|go|npm|npx|yarn|pnpm|pip3?|pytest|python3?|node|ruby|perl|bash|sh|gcc|rustc|javac?|mvn|gradle|docker|tar|zip|unzip|sed|awk|jq|curl|wget|rm|cp|mv|mkdir|touch|chmod|ln|\./\S+)`

// runRules read a command that is to be run: what follows the word command, stands
// in quotes, or begins with the name of a program.
func runRules() []rule {
	return []rule{
		{newPatterns( // in a folder
			`^(?:run|execute|start|launch|try|do|call)(?: the| my)?(?: shell| terminal)?(?: command)?:? (?P<line>`+"`[^`]+`"+`|"[^"]+"|`+programNames+`(?: .+?)?),? (?:(?:in|inside|from|within|under)(?: the| my)? (?P<dir>[\w./~-]+) (?P<called>folder|directory|dir)|(?:inside|from within|from inside|within)(?: the)? (?P<dir>[\w./~-]+)|in (?P<dir>\.{0,2}/[\w./~-]*|[\w.~-]+/[\w./~-]*))$`,
			`^(?:in|inside|from)(?: the| my)? (?P<dir>[\w./~-]+)(?: (?P<called>folder|directory|dir))?,? (?:run|execute|start|launch)(?: the command)?:? (?P<line>`+"`[^`]+`"+`|"[^"]+"|`+programNames+`(?: .+)?)$`,
			`^在\s*(?P<dir>[\w./~-]+)\s*(?:文件夹|目录)?(?:里面|里|中|下面|下)?(?:运行|执行)(?:命令)?\s*(?P<line>`+programNames+`(?: .+)?)$`, `^(?:spusť|proveď)(?: mi)?(?: příkaz)? (?P<line>`+programNames+`(?: .+?)?) (?:ve?|z) (?:složce|adresáři|složky) (?P<dir>[\w./~-]+)$`,
		), func(u *utterance, m captures) goal {
			line, _ := unquote(u.verbatim(m["line"]))
			if isFile(m["dir"]) || vagueWord.has(m["dir"]) {
				return nil
			}
			return running{line: line, dir: m["dir"]}
		}},
		{newPatterns( // a line as it would be typed
			`^(?P<line>(?:git|npm|cargo|docker|pip3?|yarn|pnpm|go|kubectl|systemctl|apt|brew) (?:status|log|diff|add|commit|push|pull|fetch|clone|branch|checkout|switch|merge|rebase|stash|show|tag|init|blame|install|i|run|test|build|start|ci|audit|list|ps|images|logs|exec|stop|version|vet|mod|fmt|get|check|update|freeze|reset|restore|remote|clippy|doc|env)(?: [\w./:=@~^'"*+-]+)*)$`,
			`^(?P<line>(?:python3?|node|bash|sh|ruby|perl|deno|bun) [\w./-]+\.\w+(?: .*)?)$`, `^(?P<line>(?:touch|mkdir|chmod|cp|du|wc|head|tail|tar|ps|stat|tree|uname|curl|wget|ln|diff|whoami|sort|uniq|grep|find|make|echo|pytest|sed|awk|jq|ping|ssh)(?: -{1,2}[\w=-]+)+(?: \S+)*)$`, `^(?P<line>\./\S+(?: .*)?)$`,
		), func(u *utterance, m captures) goal {
			if !u.offers(runCommand) || inSentence.has(m["line"]) || u.endsInQuestion() {
				return nil
			}
			return running{line: strings.TrimSpace(u.verbatim(m["line"]))}
		}},
		{newPatterns(
			"^(?:run|execute|start)(?: this| the| a)?(?: shell| terminal)?(?: command| program)?:? (?P<quoted>[`\"'“].+[`\"'”])$",
			`^(?:run|execute)(?: this| the)?(?: shell| terminal)? command:? (?P<line>\S.*)$`,
			`^(?:run|execute) (?P<line>`+programNames+`(?: .+)?)$`,
			"^(?:运行|执行)(?:一下)?(?:这个|以下)?(?:命令|程序)?[：:]?\\s*(?P<quoted>[`\"'“].+[`\"'”])$",
			`^(?:运行|执行)(?:一下)?(?:这个|以下)?命令[：:]?\s*(?P<line>[\w./].*)$`,
			`^(?:运行|执行)\s*(?P<line>`+programNames+`(?: .+)?)$`,
			"^(?:spusť|spusťte|proveď)(?: mi)?(?: tento)?(?: příkaz| program)?:? (?P<quoted>[`\"'“„].+[`\"'”“])$",
			`^(?:spusť|spusťte|proveď)(?: mi)?(?: tento)? příkaz:? (?P<line>\S.*)$`,
			`^(?:spusť|spusťte|proveď)(?: mi)? (?P<line>`+programNames+`(?: .+)?)$`,
		), func(u *utterance, m captures) goal {
			line := m["line"]
			if m["quoted"] != "" {
				var ok bool
				if line, ok = literal(m["quoted"]); !ok {
					return nil
				}
			}
			if line = strings.TrimSpace(u.verbatim(line)); line == "" {
				return nil
			}
			return running{line: line}
		}},
		{newPatterns(
			`^(?:run|execute)(?: the| a| my| this| these)?(?: \pL+)? (?:scripts?|commands?|tests?|program|build)$`, `^(?:run|execute) \S+\.(?:sh|py|js|rb|pl)$`,
			`^(?:运行|执行)(?:这个|一个)?(?:命令|脚本|测试|程序|\S+\.(?:sh|py))$`, `^(?:spusť|proveď)(?: mi)? (?:příkaz|skript|testy?|\S+\.(?:sh|py))$`,
		), func(u *utterance, _ captures) goal {
			if !u.offers(runCommand) {
				return nil
			}
			return shrug{saying{howToRun.In(u.Lang)}}
		}},
	}
}

// inSentence are words by which a line is none that would be typed.
var inSentence = newPattern(` (?:is|are|was|the|a|an|my|me|i|you|it|does|and|or|please|what|how|why|of|for|to)(?: |$)`)
