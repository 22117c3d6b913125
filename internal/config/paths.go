package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"loci"
)

// Paths are the absolute paths of loci's own files and folders.
type Paths struct {
	Config string // config.yaml

	Data  string // folder of the database and of fetched models
	State string // folder of what belongs to a running loci
	Cache string // folder of what can be made again
	Logs  string // folder of the logs

	DB      string // the database
	Lock    string // held while a loci runs
	RunFile string // how to reach the running loci
	Key     string // file of the owner's key
	ChatKey string // file of the key that can only chat

	AuditKey  string // file of the key of the audit log
	AuditHead string // names the log's last row
}

// FindPaths finds the place of each file: under LOCI_HOME where that is set,
// otherwise where the system wants such files, which on Linux is the XDG Base
// Directory Specification. It makes nothing.
func FindPaths(env func(string) string) (Paths, error) {
	return findPaths(runtime.GOOS, env)
}

// findPaths is FindPaths for any system, so that each can be tested on one.
func findPaths(goos string, env func(string) string) (Paths, error) {
	if home := env("LOCI_HOME"); home != "" {
		home, err := filepath.Abs(home)
		if err != nil {
			return Paths{}, noHome(err)
		}
		return layOut(filepath.Join(home, "config"), filepath.Join(home, "data"),
			filepath.Join(home, "state"), filepath.Join(home, "cache")), nil
	}
	var missing error
	// folder is the value of a variable, or a place below the home folder. The
	// XDG specification says to ignore relative values.
	folder := func(name string, below ...string) string {
		if dir := env(name); filepath.IsAbs(dir) {
			return filepath.Join(dir, "loci")
		}
		home := homeFolder(env)
		if !filepath.IsAbs(home) {
			missing = noHome(errors.New("the home folder is not known"))
		}
		return filepath.Join(append(append([]string{home}, below...), "loci")...)
	}
	var p Paths
	switch goos {
	case "windows":
		local := folder("LOCALAPPDATA", "AppData", "Local")
		p = layOut(folder("APPDATA", "AppData", "Roaming"), filepath.Join(local, "data"),
			filepath.Join(local, "state"), filepath.Join(local, "cache"))
	case "darwin":
		support := folder("", "Library", "Application Support")
		p = layOut(support, filepath.Join(support, "data"), filepath.Join(support, "state"),
			folder("", "Library", "Caches"))
	default:
		p = layOut(folder("XDG_CONFIG_HOME", ".config"), folder("XDG_DATA_HOME", ".local", "share"),
			folder("XDG_STATE_HOME", ".local", "state"), folder("XDG_CACHE_HOME", ".cache"))
	}
	return p, missing
}

// noHome is the error for a user without a home folder.
func noHome(cause error) error {
	return loci.Wrap(loci.Invalid, cause, "There is no place for loci's files.").
		WithHint("Set LOCI_HOME to a folder of your own.")
}

// layOut places the files in the four folders.
func layOut(config, data, state, cache string) Paths {
	p := Paths{
		Config:  filepath.Join(config, "config.yaml"),
		Key:     filepath.Join(config, "key"),
		ChatKey: filepath.Join(config, "chat-key"),
		Cache:   cache,

		AuditKey: filepath.Join(config, "audit.key"),
	}
	return p.under(data, state)
}

// under places what belongs into the data and state folders.
func (p Paths) under(data, state string) Paths {
	p.Data, p.DB = data, filepath.Join(data, "loci.db")
	p.State, p.Logs = state, filepath.Join(state, "logs")
	p.Lock, p.RunFile = filepath.Join(state, "lock"), filepath.Join(state, "run.json")
	p.AuditHead = filepath.Join(state, "audit.head")
	return p
}

// For gives the paths with the folders that the configuration asks for.
func (p Paths) For(c Config) Paths {
	data, state := p.Data, p.State
	if c.DataPath != "" {
		data = c.DataPath
	}
	if c.StatePath != "" {
		state = c.StatePath
	}
	return p.under(data, state)
}

// Make makes the folders that are missing, for the user alone.
func (p Paths) Make() error {
	for _, dir := range []string{filepath.Dir(p.Config), p.Data, p.State, p.Cache, p.Logs} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return notWritten("folder", dir, err)
		}
	}
	return nil
}

// writeFile replaces a file as a whole: other processes see the old text or the
// new one, and so does the next start after a crash. The file keeps its mode;
// a new one is for the user alone.
func writeFile(path string, text []byte) (err error) {
	defer func() {
		if err != nil {
			err = notWritten("file", path, err)
		}
	}()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // people keep config.yaml elsewhere and link to it
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	if info, statErr := os.Stat(path); statErr == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// notWritten is the error for a file or folder that cannot be made or changed.
func notWritten(kind, path string, cause error) error {
	reason := cause
	if e, ok := errors.AsType[*fs.PathError](cause); ok {
		reason = e.Err
	}
	return loci.Wrap(loci.Internal, cause, "The %s %s cannot be written: %v.", kind, path, reason).
		WithHint("Make it writable for you, or set LOCI_HOME to another folder.")
}
