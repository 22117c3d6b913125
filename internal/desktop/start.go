package desktop

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"loci"
	"loci/internal/text"
)

// App is an application that may be started.
type App struct {
	Command []string // program and arguments
	URLs    bool     // it may be given an http or https address
}

// variables are those of the environment that a desktop program needs; it gets no
// others, for they may hold keys.
var variables = []string{
	"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "HOME", "LANG", "PATH",
	"XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "USER", "LOGNAME", // without these some do not find their screen or their settings
}

// quickly is how long a start is watched: a program that cannot work ends at once.
const quickly = 300 * time.Millisecond

// Argv is the line that starts an application, with the program's whole path.
func (a App) Argv(target string) ([]string, error) {
	if len(a.Command) == 0 {
		return nil, refuse("Tell the person to give it a command under apps in config.yaml.", "The application has no command.")
	}
	path, err := exec.LookPath(a.Command[0])
	if err != nil || !filepath.IsAbs(path) {
		return nil, refuse("Tell the person to correct its command under apps in config.yaml.", "The program %q is not on this machine.", text.Clip(a.Command[0], 200))
	}
	argv := append([]string{path}, a.Command[1:]...)
	if target != "" {
		if strings.HasPrefix(target, "-") { // a program would take it for an option
			return nil, refuse("Leave the target out.", "A target cannot begin with -.")
		}
		argv = append(argv, target)
	}
	return argv, nil
}

// IsURL tells whether a target is meant as an address.
func IsURL(target string) bool {
	scheme, _, ok := strings.Cut(target, ":")
	return ok && len(scheme) > 1 && strings.IndexFunc(scheme, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+.-", r)
	}) < 0
}

// CheckURL refuses all addresses but those of web pages, and these where the
// application takes none.
func (a App) CheckURL(target string) error {
	u, err := url.Parse(target)
	switch {
	case !a.URLs:
		return refuse("Give it a file or folder, or tell the person: urls: true under apps in config.yaml would allow web addresses.", "This application is not set up to be given addresses.")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsFunc(target, func(r rune) bool { return unicode.IsSpace(r) || text.Hidden(r) }):
		return refuse("Give it the address of a web page, such as https://example.com/.", "%q is not the address of a web page.", text.Clip(target, 150))
	}
	return nil
}

// Start starts a program that goes on by itself, and tells its process number. One that
// fails at once is an error.
func (d Desktop) Start(ctx context.Context, argv []string) (pid int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	cmd := exec.Command(argv[0], argv[1:]...) // not of this context: it outlives the call
	cmd.Env = []string{}
	for _, name := range variables {
		if v := d.get(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	if cmd.Dir = d.get("HOME"); cmd.Dir != "" {
		if _, err := os.Stat(cmd.Dir); err != nil {
			cmd.Dir = "/"
		}
	}
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return 0, &loci.ToolError{Message: "The application could not be started.", Suggestion: "Tell the person to look at its command under apps in config.yaml."}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // it has to be waited for by somebody, however long it runs
	select {
	case err = <-ended:
	case <-time.After(quickly):
	case <-ctx.Done(): // it runs all the same
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return 0, refuse("Tell the person so; the command is under apps in config.yaml.", "The application ended at once: %v.", e)
	}
	return cmd.Process.Pid, nil
}
