package toolkit

import (
	"cmp"
	"encoding/json"
	"path/filepath"

	"loci"
	"loci/internal/argv"
	"loci/internal/confine"
	"loci/internal/lang"
	"loci/internal/tool"
)

// Rule holds a call of run_command against the rules for commands: it is refused by
// one that forbids it, may run unasked, or asks, and why, in the language of the scope.
// A script, the network, and a machine where nothing keeps a command in the allowed
// folders always ask. It runs nothing, and reads no file that a model could have
// written.
func Rule(rules argv.Rules, scope loci.Scope, raw json.RawMessage) (tool.Verdict, string) {
	return ruling(rules, scope, raw, confine.Probe())
}

// ruling is Rule at a level.
func ruling(rules argv.Rules, scope loci.Scope, raw json.RawMessage, level confine.Level) (tool.Verdict, string) {
	ask := func(why lang.Words) (tool.Verdict, string) { return tool.Ask, why.In(scope.Lang) }
	var args commandArgs
	if json.Unmarshal(raw, &args) != nil {
		return ask(unreadable)
	}
	words, err := args.words()
	if err != nil {
		return ask(unreadable)
	}
	rule, denied := rules.Denies(words)
	if args.Script != "" {
		rule, denied = rules.DeniesScript(args.Script)
	}
	switch {
	case denied:
		return tool.Refuse, isDenied.In(scope.Lang, rule)
	case args.Script != "":
		return ask(isScript)
	case args.Network:
		return ask(hasNetwork)
	case level.Landlock == 0 || !level.Filter:
		return ask(notConfined)
	}
	at := argv.Place{Path: confine.Path}
	for _, folder := range scope.Folders {
		at.Folders = append(at.Folders, folder)
		if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
			at.Folders = append(at.Folders, real)
		}
	}
	if len(at.Folders) == 0 {
		return ask(unreadable) // it will not run at all
	}
	at.Dir = cmp.Or(scope.Working, at.Folders[0])
	if filepath.IsAbs(args.Dir) {
		at.Dir = args.Dir
	} else if args.Dir != "" {
		at.Dir = filepath.Join(at.Dir, args.Dir)
	}
	if why := rules.Unasked(words, at); why != nil {
		return tool.Ask, why.In(scope.Lang)
	}
	return tool.Allow, ""
}

// Why a call asks, besides what package argv says.
var (
	unreadable  = lang.Words{EN: "The command cannot be read.", ZH: "无法读懂该命令。", CS: "Příkaz nelze přečíst."}
	isScript    = lang.Words{EN: "It runs a shell script.", ZH: "它会运行 shell 脚本。", CS: "Spouští skript shellu."}
	isDenied    = lang.Words{EN: "The rule %q forbids it.", ZH: "规则 %q 禁止它。", CS: "Zakazuje to pravidlo %q."}
	hasNetwork  = lang.Words{EN: "It wants to use the network.", ZH: "它要使用网络。", CS: "Chce používat síť."}
	notConfined = lang.Words{EN: "Nothing keeps a command in the allowed folders on this machine.", ZH: "这台机器上没有任何东西能把命令限制在允许的文件夹内。", CS: "Na tomto počítači nic neudrží příkaz v povolených složkách."}
)
