package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"loci"
)

// maxFile is the size from which a file is taken for something else, in bytes.
const maxFile = 128 << 10

// Sources are where settings come from, the later ones winning.
type Sources struct {
	// File is the path of config.yaml; there need not be one.
	File string
	// Env gives the value of an environment variable, "" where it is not set,
	// like os.Getenv. Needed.
	Env func(string) string
	// Flags has the texts of command-line flags by the name of the setting,
	// such as "timeouts.connect". A list has one text for each item; of several
	// texts for anything else, the last one counts. Folders are added to those of
	// the other sources.
	Flags map[string][]string
}

// FoldersFile is the file whose folders count; empty where the variable replaces them.
func (s Sources) FoldersFile() string {
	if s.File == "" || s.Env("LOCI_ALLOW") != "" {
		return ""
	}
	return s.File
}

// Load reads the settings. An error is an *Error, unless the file cannot be
// read at all.
func Load(s Sources) (Config, []Warning, error) {
	c := Default()
	home := homeFolder(s.Env)
	warnings, err := loadFile(&c, s.File, home)
	if err != nil {
		return Config{}, warnings, err
	}
	for f, v := range settings(&c) {
		if name := f.env(); name != "" && s.Env(name) != "" {
			d := &decoder{source: name, home: home}
			if items := split(s.Env(name), v); len(items) > 0 {
				err = d.texts(items, v, f)
			}
		}
		if texts := s.Flags[f.name]; len(texts) > 0 && err == nil {
			d := &decoder{source: "the flag for " + f.name, home: home}
			before := c.Folders
			err = d.texts(texts, v, f)
			if f.name == "folders" {
				c.addFolders(before)
			}
		}
		if err != nil {
			return Config{}, warnings, err
		}
	}
	if len(s.Flags["folders"]) > 0 && len(s.Flags["working_folder"]) == 0 {
		c.WorkingFolder = c.Folders[0].Path
	}
	return c, warnings, c.checkAliases(s.File)
}

// addFolders adds the folders of a weaker source: who allows one more does not
// mean to close the others.
func (c *Config) addFolders(weaker []Folder) {
	for _, f := range weaker {
		if !slices.Contains(c.Folders, f) {
			c.Folders = append(c.Folders, f)
		}
	}
}

// checkAliases refuses aliases that lead back to themselves.
func (c *Config) checkAliases(file string) error {
	for _, name := range slices.Sorted(maps.Keys(c.Aliases)) {
		seen := map[string]bool{}
		for at, ok := name, true; ok; at, ok = c.Aliases[at] {
			if seen[at] {
				e := loci.Errorf(loci.Invalid, "The alias %s stands for itself: the aliases go round in a circle.", echo(at)).
					WithHint("Let one of them name a model: see aliases in %s.", file)
				return &Error{File: file, Field: "aliases", Err: e}
			}
			seen[at] = true
		}
	}
	return nil
}

// homeFolder is what ~ stands for, "" where it is not known.
func homeFolder(env func(string) string) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	return env(name)
}

// loadFile puts what a file says into c. There need not be one.
func loadFile(c *Config, path, home string) ([]Warning, error) {
	d := &decoder{file: path, home: home}
	text, mode, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root, err := d.parse(text)
	if err != nil {
		return nil, err
	}
	if err := d.checkVersion(root); err != nil {
		return nil, err
	}
	if err := d.node(root, reflect.ValueOf(c).Elem(), field{}); err != nil {
		return nil, err
	}
	if len(c.plain()) > 0 && mode.Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		d.warnings = append(d.warnings, Warning{File: path, Text: "has keys in it, but others can read it; run chmod 600 on it, or store the keys with loci secret set."})
	}
	return d.warnings, nil
}

// readFile reads config.yaml, without the byte order mark that some editors
// put in front. It never waits: a pipe in its place is no configuration.
func readFile(path string) ([]byte, fs.FileMode, error) {
	if path == "" {
		return nil, 0, fs.ErrNotExist
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, err
		}
		return nil, 0, unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, 0, unreadable(path, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it is larger than %d kB", maxFile>>10)
	}
	if err != nil {
		return nil, 0, unreadable(path, err)
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), info.Mode(), nil
}

// unreadable is the error for a file that cannot be read at all.
func unreadable(path string, cause error) error {
	reason := cause
	if e, ok := errors.AsType[*fs.PathError](cause); ok {
		reason = e.Err
	}
	e := loci.Wrap(loci.Invalid, cause, "The file %s cannot be read: %v.", path, reason).
		WithHint("Make it a readable file, or move it away to get the defaults.")
	return &Error{File: path, Err: e}
}

// checkVersion refuses a file for a newer loci before anything else in it can
// be taken for a mistake.
func (d *decoder) checkVersion(root ast.Node) error {
	entries, ok := root.(ast.MapNode)
	if !ok {
		return nil
	}
	for it := entries.MapRange(); it.Next(); {
		text, ok := scalarText(it.Value())
		if it.Key().GetToken().Value != "version" || !ok {
			continue
		}
		if v, err := strconv.Atoi(text); err != nil || v < 1 || v > Version {
			err := d.fail(it.Value(), field{name: "version"},
				fmt.Sprintf("version is %s, but this loci knows versions up to %d", echo(text), Version))
			err.Err.Hint = "Install the newer loci, or write the file anew."
			return err
		}
	}
	return nil
}
