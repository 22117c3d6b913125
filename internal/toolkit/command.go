package toolkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"loci"
	"loci/internal/argv"
	"loci/internal/confine"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/text"
	"loci/internal/tool"
)

const (
	commandTime    = 30 * time.Second
	commandTimeMax = 600 * time.Second
	commandSlow    = 60 * time.Second // longer is called slow
	subjectRunes   = 200              // characters of a command that a lasting yes is listed with
	commandRunes   = 3_000            // characters that a command may have as a person sees it: a question shows all of it
)

// commandArgs is what run_command takes.
type commandArgs struct {
	Argv     []string `json:"argv,omitempty" jsonschema:"program, then arguments"`
	Script   string   `json:"script,omitempty" jsonschema:"instead: text for sh"`
	Dir      string   `json:"dir,omitempty" jsonschema:"folder to start in"`
	TimeoutS int      `json:"timeout_s,omitempty" jsonschema:"30 if left out, at most 600"`
	Network  bool     `json:"network,omitempty" jsonschema:"needs the Internet"`
}

// RunCommand is the name of the tool that [Rule] is about.
const RunCommand = "run_command"

// runCommand is the tool that runs a program.
func runCommand() tool.Tool {
	return tool.WithPreview(tool.Define(loci.ToolSpec{
		Name: RunCommand,
		Description: `Runs a program in the allowed folders and returns its output. ` +
			`No shell: pipes and > need script. Does not keep running in the background; has no input. dir is a path. ` +
			`Example: {"argv": ["git", "log", "--oneline", "-n", "3"]}`,
		SideEffects: loci.EffectExec,
		Dangerous:   true,
		Files:       true,
		Timeout:     commandTimeMax + 30*time.Second, // the command's own limit comes first
		Examples: []string{
			"Run git status.",
			"Run the tests.",
			"Execute make build in the project folder.",
			"Run the command ls -la.",
			"Show me the output of git log --oneline.",
			"Start the script backup.sh.",
			"What does python3 --version print?",
			"运行 git status。",
			"执行命令 ls -la。",
			"Spusť git status.",
			"Spusť testy v tomto projektu.",
		},
	}, perform, renderRan), previewCommand)
}

// command is a call that was understood: all that is run, and all that a person
// agrees to. It holds nothing that is open, so what runs it need not be the call
// that asked for it.
type command struct {
	argv    []string
	script  string // for sh; empty: argv is run as it is
	program string // absolute path
	dir     string // real path
	limit   time.Duration
	network bool
	reads   bool // it is known only to read, so nothing can be changed by it
	reach   sandbox.Reach
	inputs  []input // what it is told to run
}

// understand makes a command of a call, without running anything.
func understand(ctx context.Context, env tool.Env, args commandArgs) (c command, err error) {
	if runtime.GOOS == "windows" {
		return c, fail("Tell the person which command to run themselves.", "Commands cannot be run on this system.")
	}
	if c.argv, err = args.words(); err != nil {
		return c, err
	}
	if c.script = args.Script; args.Script == "" {
		c.reads = !args.Network && argv.Reads(c.argv)
	}
	c.network = args.Network
	c.limit = commandTime
	if args.TimeoutS != 0 {
		c.limit = min(max(time.Duration(args.TimeoutS)*time.Second, time.Second), commandTimeMax)
	}
	if shown := utf8.RuneCountInString(visible(c.script + wordsShown(c.argv))); shown > commandRunes {
		return c, fail("Write it to a file first, then run that.", "The command is too long to be shown to the person: %d characters, at most %d are possible.", shown, commandRunes)
	}
	if c.dir, err = env.Files.Folder(ctx, cmp.Or(args.Dir, ".")); err != nil {
		return c, err
	}
	c.reach = env.Files.Reach()
	c.reach.Read = append(c.reach.Read, env.Files.Guarded(c.dir)...)
	if c.program, err = c.find(); err != nil {
		return c, err
	}
	c.inputs, err = c.look(ctx)
	return c, err
}

// words are the words of the command of a call. Models write a command line where
// a list of words is wanted; it is taken if no shell is needed to read it.
func (a commandArgs) words() ([]string, error) {
	switch {
	case a.Script != "" && len(a.Argv) > 0:
		return nil, fail("Give one of the two.", "There are both argv and script.")
	case strings.ContainsRune(a.Script+strings.Join(a.Argv, ""), 0):
		return nil, fail("Leave the NUL out.", "There is a NUL character in the command.")
	case a.Script != "":
		return []string{"sh", "-c", a.Script}, nil
	case len(a.Argv) == 0 || strings.TrimSpace(a.Argv[0]) == "":
		return nil, fail(`Give the program and its arguments, such as {"argv": ["ls", "-la"]}.`, "There is no command to run.")
	case len(a.Argv) > 1 || !strings.ContainsAny(a.Argv[0], " \t\r\n\"'`\\$|&;<>()*?"):
		return a.Argv, nil
	}
	words, err := argv.Split(a.Argv[0])
	if s, ok := errors.AsType[*argv.Syntax](err); ok {
		return nil, fail("Give it as script instead of argv if a shell is needed, otherwise as a list of words.", "The command cannot be run without a shell: there is %s.", s.What)
	}
	return words, err
}

// find finds the program: a plain name among the system's, a path from where the
// command starts.
func (c command) find() (string, error) {
	name := c.argv[0]
	shown := oneLine(text.Clip(name, 100))
	if !strings.ContainsRune(name, filepath.Separator) {
		program, err := argv.Find(name, confine.Path)
		if err == nil {
			return program, nil
		}
		if _, err := os.Lstat(filepath.Join(c.dir, name)); err == nil {
			return "", fail(`Write "./" before its name to run the file of that name in the folder.`, "There is no program named %s on this system.", shown)
		}
		return "", fail("Check its name; if it is right, tell the person that it is not installed.", "There is no program named %s on this system.", shown)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.dir, name)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fail("Use list_dir to see what is there.", "There is no program %s.", shown)
	case err != nil || !info.Mode().IsRegular():
		return "", fail("Use list_dir to see what is there.", "%s is not a program.", shown)
	case info.Mode().Perm()&0o111 == 0:
		return "", fail("Run it with its interpreter, such as sh or python3, or have the person make it executable.", "%s is not executable.", shown)
	}
	return name, nil
}

// plan is the command for the sandbox.
func (c command) plan() confine.Plan {
	p := confine.Plan{
		Program: c.program, Argv: c.argv, Dir: c.dir, Network: c.network, Pinned: c.files(),
		Private: c.reach.Private, Limits: confine.Limits{Time: c.limit},
	}
	if p.Write, p.Read = c.reach.Write, c.reach.Read; c.reads {
		p.Write, p.Read = nil, c.reach.Folders()
	}
	return p
}

// slow tells whether the command may go on for longer than a person waits without
// wondering.
func (c command) slow() bool {
	return c.limit > commandSlow || argv.Builds(c.argv[0]) || slices.Contains(slowPrograms, c.argv[0])
}

var slowPrograms = strings.Fields("pip pip3 apt apt-get dnf yum pacman brew docker podman ffmpeg rsync scp wget curl rustc gcc g++ clang latexmk pdflatex convert magick")

// perform does what run_command promises. A command that takes long is waited for;
// what would let it go on as a job is to hand the command over here.
func perform(ctx context.Context, env tool.Env, args commandArgs) (ran, error) {
	c, err := understand(ctx, env, args)
	if err == nil {
		err = env.Still(c.basis())
	}
	if err != nil {
		return ran{}, err
	}
	r, err := confine.Run(ctx, c.plan())
	if err != nil {
		return ran{}, err
	}
	if r.End == confine.Cancelled {
		return ran{}, fmt.Errorf("run_command: %w", context.Canceled)
	}
	return c.report(r), nil
}

// previewCommand shows what would be run, where, and what it could do.
func previewCommand(ctx context.Context, env tool.Env, args commandArgs) (tool.Preview, error) {
	c, err := understand(ctx, env, args)
	if err != nil {
		return tool.Preview{}, err
	}
	p := tool.Preview{Text: c.describe(env.Scope.Lang, confine.Probe()), Basis: c.basis()}
	if c.lasts() {
		p.Binding, p.Subject = p.Basis, text.Title(wordsShown(c.argv), subjectRunes)
	}
	if !c.reads {
		p.Touches = c.reach.Write // it could change anything in them
	}
	return p, nil
}

// The sentences of a preview.
var (
	runsIn     = lang.Words{EN: "Run in %s:", ZH: "在 %s 中运行：", CS: "Spustit v %s:"}
	runsScript = lang.Words{EN: "Run this shell script in %s:", ZH: "在 %s 中运行以下 shell 脚本：", CS: "Spustit v %s tento skript shellu:"}
	programIs  = lang.Words{EN: "The program is %s.", ZH: "程序是 %s。", CS: "Program je %s."}
	includes   = lang.Words{EN: "The yes holds for these files as they are now: %s.", ZH: "同意仅针对这些文件的当前内容：%s。", CS: "Souhlas platí pro tyto soubory v nynější podobě: %s."}
	mayRead    = lang.Words{EN: "It can read the allowed folders and change nothing.", ZH: "它可以读取允许的文件夹，但不能更改任何内容。", CS: "Může číst povolené složky a nic měnit."}
	mayChange  = lang.Words{EN: "It can change anything in the allowed folders, and nothing elsewhere.", ZH: "它可以更改允许的文件夹中的任何内容，但不能更改其他地方。", CS: "Může měnit cokoli v povolených složkách a nic jinde."}
	mayAll     = lang.Words{
		EN: "Nothing confines it on this machine (%s): it can do whatever you can.",
		ZH: "这台机器上没有任何东西限制它（%s）：您能做的它都能做。",
		CS: "Na tomto počítači ho nic neomezuje (%s): může všechno, co vy.",
	}
	mayNearly = lang.Words{
		EN: "Only part of the sandbox works on this machine (%s): it may be able to read or change what lies outside the allowed folders.",
		ZH: "这台机器上只有部分沙箱有效（%s）：它可能读取或更改允许的文件夹以外的内容。",
		CS: "Na tomto počítači funguje jen část sandboxu (%s): může být schopen číst nebo měnit i to, co je mimo povolené složky.",
	}
	offline  = lang.Words{EN: "It has no network.", ZH: "它没有网络。", CS: "Nemá síť."}
	online   = lang.Words{EN: "It has the network: it can send what it reads anywhere.", ZH: "它有网络：它读到的内容可以发送到任何地方。", CS: "Má síť: co přečte, může poslat kamkoli."}
	layers   = lang.Words{EN: "Sandbox: %s.", ZH: "沙箱：%s。", CS: "Sandbox: %s."}
	atMost   = lang.Words{EN: "It is stopped after %s.", ZH: "%s 后将被停止。", CS: "Za %s bude zastaven."}
	takeLong = lang.Words{EN: "This may take long.", ZH: "这可能需要较长时间。", CS: "Může to trvat dlouho."}
	secWord  = lang.Counted{One: "second", Many: "seconds", ZH: "秒", CSOne: "sekundu", CSFew: "sekundy", CSAll: "sekund"}
)

// describe tells a person what they would agree to.
func (c command) describe(language string, level confine.Level) string {
	var b strings.Builder
	if c.script != "" {
		b.WriteString(runsScript.In(language, oneLine(c.dir)) + "\n" + indented(visible(strings.TrimRight(unixEnds(c.script), "\n"))) + "\n")
	} else {
		b.WriteString(runsIn.In(language, oneLine(c.dir)) + "\n" + indented(wordsShown(c.argv)) + "\n" + programIs.In(language, oneLine(c.program)) + "\n")
	}
	if names := c.inputNames(); len(names) > 0 {
		b.WriteString(includes.In(language, some(language, names, 8)) + "\n")
	}
	var parts []string
	switch {
	case level.None():
		parts = append(parts, mayAll.In(language, cmp.Or(oneLine(level.Reason), "-")))
	case level.Landlock == 0:
		parts = append(parts, mayNearly.In(language, level))
	case c.reads:
		parts = append(parts, mayRead.In(language))
	default:
		parts = append(parts, mayChange.In(language))
	}
	if network := level.Filter || level.Namespaces; c.network || !network {
		parts = append(parts, online.In(language))
	} else {
		parts = append(parts, offline.In(language))
	}
	parts = append(parts, atMost.In(language, secWord.In(language, int(c.limit/time.Second))))
	if c.slow() {
		parts = append(parts, takeLong.In(language))
	}
	if !level.None() {
		parts = append(parts, layers.In(language, level))
	}
	b.WriteString(strings.Join(parts, " "))
	return b.String()
}

// indented sets lines off from what loci says about them.
func indented(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// wordsShown writes words as one line: what has a blank or a sign of a shell in it is
// in quotes, and what cannot be seen is written as its number.
func wordsShown(words []string) string {
	var shown []string
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`|&;<>()[]{}*?#~!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		shown = append(shown, oneLine(w))
	}
	return strings.Join(shown, " ")
}

// runningCommand says what a call does, for a person who watches.
func runningCommand(a commandArgs) string {
	words, err := a.words()
	if err != nil {
		return "running a command"
	}
	c := command{argv: words, script: a.Script, limit: time.Duration(a.TimeoutS) * time.Second}
	doing := "running " + text.Title(wordsShown(words), 60)
	if a.Script != "" {
		doing = "running the script " + text.Title(oneLine(a.Script), 60)
	}
	if c.slow() {
		doing += " (this may take long)"
	}
	return doing
}
