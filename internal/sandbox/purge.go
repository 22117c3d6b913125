package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// trashName is the form of what the trash has in it.
var trashName = regexp.MustCompile(`^((\d{8}-\d{6})-[0-9a-f]{8})(?:\.json)?$`)

// Purge removes for good what has been in the trash longer than Kept. What is in
// there under a name that the trash does not give is left alone, and so is what
// has another disk mounted in it. The note where a thing came from goes last.
func Purge(trash string, now time.Time) (removed int, err error) {
	bin, err := os.OpenRoot(trash)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // nothing was ever deleted
	}
	if err != nil {
		return 0, err
	}
	defer bin.Close() // each removal was checked
	disk, err := bin.Stat(".")
	if err != nil {
		return 0, err
	}
	old, err := outdated(bin, now)
	errs := []error{err}
	for _, entry := range old {
		_, missing := bin.Lstat(entry)
		var err error
		if mounted := mountsIn(filepath.Join(realOf(trash), entry)); len(mounted) > 0 {
			err = fmt.Errorf("something is mounted at %s", mounted[0])
		} else if err = openFolders(bin, entry, device(disk)); err == nil {
			err = bin.RemoveAll(entry)
		}
		if err == nil {
			err = bin.RemoveAll(entry + ".json")
		}
		if errs = append(errs, err); err == nil && missing == nil {
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

// outdated lists the entries of the trash that were there long enough.
func outdated(bin *os.Root, now time.Time) (entries []string, err error) {
	for d, err := range readNames(bin, ".", func(fs.FileInfo) error { return nil }) {
		if err != nil {
			return entries, err
		}
		form := trashName.FindStringSubmatch(d.Name())
		if form == nil {
			continue
		}
		if t, err := time.Parse(nameTime, form[2]); err == nil && now.Sub(t) > Kept {
			entries = append(entries, form[1])
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries), nil
}

// openFolders makes all folders below an entry ones that can be emptied. A folder
// on another disk is an error.
func openFolders(bin *os.Root, entry string, disk uint64) error {
	for todo := []string{entry}; len(todo) > 0; {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		info, err := bin.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			continue
		}
		if err != nil {
			return err
		}
		if device(info) != disk {
			return fmt.Errorf("%s is on another disk", dir)
		}
		if mode := info.Mode().Perm(); mode&0o700 != 0o700 {
			if err := bin.Chmod(dir, mode|0o700); err != nil {
				return err
			}
		}
		for d, err := range readNames(bin, dir, func(fs.FileInfo) error { return nil }) {
			if err != nil {
				return err
			}
			if d.IsDir() {
				todo = append(todo, filepath.Join(dir, d.Name()))
			}
		}
	}
	return nil
}
