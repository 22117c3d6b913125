package toolkit

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/desktop"
	"loci/internal/lang"
	"loci/internal/text"
	"loci/internal/tool"
)

// appArgs is what open_app takes.
type appArgs struct {
	App    string `json:"app" jsonschema:"its name"`
	Target string `json:"target,omitempty" jsonschema:"path to open"`
}

// started is what open_app returns.
type started struct {
	App     string   `json:"app"`
	PID     int      `json:"pid"`
	Command []string `json:"command"`
}

// openApp is the tool that starts applications of the person's list.
func openApp(c Config) tool.Tool {
	handle := func(ctx context.Context, env tool.Env, args appArgs) (started, error) {
		l, err := launchOf(ctx, env, args, c.Apps)
		if err == nil {
			err = env.Still(l.basis)
		}
		if err != nil {
			return started{}, err
		}
		pid, err := c.Desktop.Start(ctx, l.argv)
		return started{App: oneLine(args.App), PID: pid, Command: l.argv}, err
	}
	preview := func(ctx context.Context, env tool.Env, args appArgs) (tool.Preview, error) {
		l, err := launchOf(ctx, env, args, c.Apps)
		form := lang.Words{EN: "This starts a program, which goes on by itself:\n%s", ZH: "这将启动一个独立运行的程序：\n%s", CS: "Spustí se program, který poběží dál sám:\n%s"}
		return tool.Preview{Text: form.In(env.Scope.Lang, clipRunes(lineOf(l.argv), 2*previewRunes)), Basis: l.basis, Binding: l.basis, Subject: clipRunes(lineOf(l.argv), 200)}, err
	}
	return tool.WithPreview(tool.Define(loci.ToolSpec{
		Name:    "open_app",
		Dormant: len(c.Apps) == 0,
		Description: `Starts an application that the person listed. target is a path to open. Runs no other commands. ` +
			`Example: {"app": "editor", "target": "notes.md"}`,
		SideEffects: loci.EffectExec,
		Dangerous:   true,
		Files:       true,
		Timeout:     20 * time.Second,
		Examples: []string{
			"Open the editor.",
			"Start Firefox.",
			"Open notes.md in the editor.",
			"Launch the calculator app.",
			"Show photo.jpg in the image viewer.",
			"Open my browser.",
			"打开浏览器。",
			"用编辑器打开 notes.md。",
			"Otevři prohlížeč.",
			"Spusť editor se souborem notes.md.",
		},
	}, handle, renderStarted), preview)
}

// launch is a program that is about to be started.
type launch struct {
	argv  []string
	basis string // the line, and the state of the file that it is given
}

// launchOf makes the line that starts an application.
func launchOf(ctx context.Context, env tool.Env, args appArgs, apps map[string]desktop.App) (l launch, err error) {
	app, ok := apps[args.App]
	if !ok {
		return l, errNoApp(args.App, apps)
	}
	target, state := args.Target, ""
	switch {
	case target == "":
	case desktop.IsURL(target):
		err = app.CheckURL(target)
	default:
		target, state, err = realTarget(ctx, env, target)
	}
	if err != nil {
		return l, err
	}
	l.argv, err = app.Argv(target)
	l.basis = lineOf(l.argv) + state
	return l, err
}

// realTarget finds the real path of a file or folder that may be looked into, and what
// tells it from another one.
func realTarget(ctx context.Context, env tool.Env, target string) (real, state string, err error) {
	loc, err := env.Files.Resolve(target)
	if err != nil {
		return "", "", err
	}
	var info fs.FileInfo
	if env.Files.IsDir(target) {
		_, _, err = env.Files.ReadDir(ctx, target) // refuses what is closed
	} else {
		f, opened, openErr := env.Files.Open(ctx, target)
		if info, err = opened, openErr; err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return "", "", err
	}
	if real, err = filepath.EvalSymlinks(loc.Path()); err != nil {
		return "", "", fail("Look where it is now.", "%s was moved just now.", oneLine(text.Clip(target, 200)))
	}
	if info != nil {
		state = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	return real, state, nil
}

// errNoApp lists the applications that there are, and tells how to add one.
func errNoApp(name string, apps map[string]desktop.App) error {
	const how = "in config.yaml, as apps: {editor: {command: [gedit]}}"
	e := fail("Tell the person that they can list applications "+how+".", "No application is set up to be opened.")
	if e.ForPerson = "List applications " + how + "."; len(apps) > 0 {
		list := strings.Join(slices.Sorted(maps.Keys(apps)), ", ")
		e = fail("Use one of those names, or tell the person that they can add more "+how+".",
			"There is no application %q; there are: %s.", text.Clip(name, 60), text.Clip(list, 300))
		e.ForPerson = "Add it " + how + "."
	}
	return e
}

// lineOf writes a command so that each argument can be told from the next.
func lineOf(argv []string) string {
	parts := make([]string, len(argv))
	for i, a := range argv {
		if parts[i] = oneLine(a); strings.ContainsAny(a, " \t\n\"'\\") || parts[i] != a {
			parts[i] = fmt.Sprintf("%q", a)
		}
	}
	return strings.Join(parts, " ")
}

// renderStarted says what was started.
func renderStarted(language string, s started) string {
	return lang.Words{EN: "Started %s (process %d).", ZH: "已启动 %s（进程 %d）。", CS: "Spuštěno: %s (proces %d)."}.In(language, s.App, s.PID)
}
