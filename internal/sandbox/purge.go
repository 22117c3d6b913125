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

	"loci"
	"loci/internal/where"
)

// trashName is the form of what the journal has in it.
var trashName = regexp.MustCompile(`^((\d{8}-\d{6})-[0-9a-f]{8})(?:\.json|\.new)?$`)

// Purge removes for good what has been in the journal longer than Kept, and tells
// how many things and old contents that were. What is in there under a name that the
// journal does not give is left alone, and so is what has another disk mounted in it.
// The note of a change goes last.
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
	old, err := entries(bin, func(t time.Time) bool { return now.Sub(t) > Kept })
	errs := []error{err}
	for _, entry := range old {
		_, missing := bin.Lstat(entry)
		var err error
		if mounted := mountsIn(filepath.Join(where.Real(trash), entry)); len(mounted) > 0 {
			err = fmt.Errorf("something is mounted at %s", mounted[0])
		} else if err = openFolders(bin, entry, device(disk)); err == nil {
			err = bin.RemoveAll(entry)
		}
		if err == nil {
			err = errors.Join(bin.RemoveAll(entry+".new"), bin.RemoveAll(entry+".json"))
		}
		if errs = append(errs, err); err == nil && missing == nil {
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

// MostOld is how many bytes of what was written over are kept at most. What was
// deleted does not count: it stays until its time is over.
const MostOld = 2 << 30

// Trim removes the oldest of what was written over as long as there is more of it
// than most bytes.
func Trim(trash string, most int64) (removed int, err error) {
	j := Journal{trash}
	bin, names, err := j.names()
	if bin == nil || err != nil {
		return 0, err
	}
	defer bin.Close() // each removal was checked
	for _, id := range slices.Backward(names) {
		r, err := readNote(bin, id)
		if err != nil || r.Kind != loci.ChangeWritten {
			continue
		}
		kept, err := bin.Lstat(filepath.Join(id, filepath.Base(r.Path)))
		if err != nil {
			continue
		}
		if most -= kept.Size(); most >= 0 {
			continue
		}
		if err := errors.Join(bin.RemoveAll(id), bin.RemoveAll(id+".json")); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// entries lists the changes of the times that are wanted, oldest first.
func entries(bin *os.Root, want func(time.Time) bool) (ids []string, err error) {
	for d, err := range readNames(bin, ".", func(fs.FileInfo) error { return nil }) {
		if err != nil {
			return ids, err
		}
		form := trashName.FindStringSubmatch(d.Name())
		if form == nil {
			continue
		}
		if t, err := time.Parse(nameTime, form[2]); err == nil && want(t) {
			ids = append(ids, form[1])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
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
