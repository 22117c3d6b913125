package secret

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"loci"
	"loci/internal/text"
)

// The kinds of references. Any other text is the secret itself.
const (
	Stored  = "secret" // secret:NAME: in the Store
	EnvVar  = "env"    // env:NAME: an environment variable
	File    = "file"   // file:PATH: a file, or file:PATH#NAME: a variable of an .env file
	Command = "cmd"    // cmd:PROGRAM ARGUMENTS: what a program prints
)

// Reference says where a secret is.
type Reference struct{ Kind, What string }

// Parse tells whether a text is a reference.
func Parse(s string) (Reference, bool) {
	kind, what, ok := strings.Cut(s, ":")
	switch kind {
	case Stored, EnvVar, File, Command:
		return Reference{kind, strings.TrimSpace(what)}, ok
	}
	return Reference{}, false
}

// String is the reference as far as it may be shown: of a command only the
// program, since people put passwords into arguments.
func (r Reference) String() string {
	what := r.What
	if r.Kind == Command {
		if argv, err := words(what); err == nil && len(argv) > 0 {
			what = argv[0]
		} else {
			what = ""
		}
		if what != r.What {
			what += " …"
		}
	}
	return r.Kind + ":" + text.Clip(what, 200)
}

// Sources are where references lead.
type Sources struct {
	Store *Store
	Dir   string              // the configuration folder, in which commands run
	Env   func(string) string // gives environment variables, as os.Getenv does
	Home  string              // what ~ stands for; empty: not known
	// Closed are the folders that no file and no program may come from: those that
	// models can change.
	Closed []string
	// Patience is how long a command may run; 0: 10 seconds.
	Patience time.Duration
}

// Resolve gets the secret that a reference stands for. Note says what is unwise
// about it, and is mostly empty. An error is a *loci.Error that completes "the
// setting refers to … : "; it names what is missing and never a value.
func (s Sources) Resolve(ctx context.Context, r Reference) (value, note string, err error) {
	switch r.Kind {
	case Stored:
		value, err = s.Store.Get(ctx, r.What)
	case EnvVar:
		value, err = s.variable(r.What)
	case File:
		value, note, err = s.file(r.What)
	case Command:
		value, err = s.command(ctx, r.What)
	}
	if err == nil && value == "" {
		err = loci.Errorf(loci.Invalid, "It is empty.").WithHint("Put the secret there.")
	}
	if err == nil && (!utf8.ValidString(value) || strings.ContainsRune(value, 0)) {
		err = loci.Errorf(loci.Invalid, "It is not a text.").WithHint("A secret is text in UTF-8 without zero bytes.")
	}
	if err != nil {
		return "", "", err
	}
	return value, note, nil
}

// variable gives an environment variable.
func (s Sources) variable(name string) (string, error) {
	if !isVariable(name) {
		return "", loci.Errorf(loci.Invalid, "%q cannot be the name of an environment variable.", text.Clip(name, 200)).
			WithHint("Write it like env:API_KEY")
	}
	value := s.Env(name)
	if value == "" {
		return "", loci.Errorf(loci.NotFound, "The environment variable %s is not set.", name).
			WithHint("Set it where loci is started.")
	}
	return value, nil
}

// file gives a file, or a variable of one.
func (s Sources) file(what string) (value, note string, err error) {
	path, name := what, ""
	if i := strings.LastIndexByte(what, '#'); i >= 0 && isVariable(what[i+1:]) {
		path, name = what[:i], what[i+1:]
	}
	path, ok := s.absolute(path)
	if !ok {
		return "", "", loci.Errorf(loci.Invalid, "The path is not absolute.").
			WithHint("Write it like file:/run/secrets/key or file:~/.config/app/.env#API_KEY")
	}
	if err := s.closed(path); err != nil {
		return "", "", err
	}
	data, mode, err := read(path)
	if err != nil {
		return "", "", err
	}
	if mode.Perm()&0o007 != 0 && mode.Perm()&0o200 != 0 && os.PathSeparator == '/' {
		note = "others on this machine can read the file; run chmod 600 on it"
	}
	if name == "" {
		return trimLine(string(data)), note, nil
	}
	all, err := variables(string(data))
	if err != nil {
		return "", "", loci.Errorf(loci.Invalid, "The file %s is no .env file: %w.", path, err).
			WithHint("Each line is NAME=value, a comment, or empty.")
	}
	value, ok = all[name]
	if !ok {
		return "", "", loci.Errorf(loci.NotFound, "The file %s has no variable %s.", path, name).
			WithHint("Add a line %s=… to it.", name)
	}
	return value, note, nil
}

// read reads a file of ordinary size. It opens nothing that could block or never
// end.
func read(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	var data []byte
	if err == nil {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			defer f.Close()
			data, err = io.ReadAll(io.LimitReader(f, MaxValue+1))
		}
	}
	if err == nil && len(data) > MaxValue {
		err = errors.New("it is too large to be a secret")
	}
	if err != nil {
		reason := err
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			reason = e.Err
		}
		return nil, 0, loci.Wrap(loci.NotFound, err, "The file %s cannot be read: %v.", path, reason).
			WithHint("Make it a file that you can read, or correct the path.")
	}
	return data, info.Mode(), nil
}

// closed refuses what lies where models may change it.
func (s Sources) closed(path string) error {
	if !leadsThrough(path, s.Closed) {
		return nil
	}
	return loci.Errorf(loci.Forbidden, "%s is in a folder that models may look into.", path).
		WithHint("Move it elsewhere: what is in such a folder never configures loci.")
}

// absolute is a path with ~ in full; false where it is not absolute.
func (s Sources) absolute(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && s.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		path = filepath.Join(s.Home, rest)
	}
	// Not cleaned: behind a link, .. is the parent of where it leads.
	return path, filepath.IsAbs(path)
}

// trimLine takes one line end off the end.
func trimLine(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }
