package confine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"loci/internal/where"
)

// seal makes the warden's own view of the file systems: read-only but for the folders
// to write, with the private folders covered, and with a /proc that knows the
// sandbox's processes alone. Landlock does not keep anybody from changing the mode,
// the owner or the times of a file; a file system that cannot be written does.
func seal(o *order) error {
	// The kernel takes the sandbox first when there is no memory left. It must be
	// said before /proc is read-only; where it is not permitted, the own limits do.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(strconv.Itoa(900)), 0)
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts cannot be made private: %w", err)
	}
	if err := ownEtc(*o); err != nil {
		return fmt.Errorf("/etc cannot be covered: %w", err)
	}
	folders := slices.Clone(o.Plan.Write)
	if o.Temp != "" {
		folders = append(folders, o.Temp)
	}
	closed := readOnly(o.Plan)
	for _, path := range slices.Concat(folders, pins(folders, slices.Concat(folders, closed, o.Plan.Private)), closed) {
		if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("%s cannot be mounted: %w", path, err)
		}
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}); err != nil {
		return fmt.Errorf("mounts cannot be made read-only: %w", err)
	}
	for _, path := range folders {
		if err := open(path); err != nil {
			return fmt.Errorf("%s cannot be made writable: %w", path, err)
		}
	}
	for _, path := range closed {
		if err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("%s cannot be made read-only: %w", path, err)
		}
	}
	for _, path := range o.Plan.Private {
		if err := unix.Mount("none", path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=4k,mode=000"); err != nil {
			return fmt.Errorf("a private folder cannot be covered: %w", err)
		}
	}
	o.Shm = unix.Mount("none", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=256m,mode=1777") == nil
	// Read-only, because the settings of the kernel in it listen to root by name.
	if err := unix.Mount("none", "/proc", "proc", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc cannot be mounted: %w", err)
	}
	return nil
}

// ownEtc covers /etc with one that has nothing but the settings in it. To be refused a
// file that is there stops many programs; none minds that it is missing.
func ownEtc(o order) error {
	const etc = "/etc"
	for _, path := range slices.Concat(o.Plan.Read, o.Plan.Write, o.Plan.Private, []string{o.Temp}) {
		if path != "" && (where.In(path, etc) || where.In(etc, path)) {
			return nil // somebody wants to see it
		}
	}
	kept := map[string]int{}
	for _, path := range settings {
		if fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil && where.In(path, etc) {
			defer unix.Close(fd)
			kept[path] = fd
		}
	}
	if err := unix.Mount("none", etc, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=64k,mode=755"); err != nil {
		return err
	}
	for path, fd := range kept {
		source := fmt.Sprintf("/proc/self/fd/%d", fd)
		info, err := os.Stat(source)
		if err == nil && info.IsDir() {
			err = os.MkdirAll(path, 0o755)
		} else if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644))
		}
		if err == nil {
			err = unix.Mount(source, path, "", unix.MS_BIND|unix.MS_REC, "")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// pins are the folders on the way from one that may be written to another in it that
// counts by its name: a covered one, a read-only one, one that is allowed itself. The
// outer ones come first. What something is mounted on cannot be moved; else a
// command could move a covered folder, in a folder of its own, to where the next
// command would find it open, or put a link in the place of an allowed one.
func pins(folders, named []string) (paths []string) {
	for _, path := range named {
		for dir := filepath.Dir(path); slices.ContainsFunc(folders, func(f string) bool { return f != dir && where.In(dir, f) }); dir = filepath.Dir(dir) {
			if !slices.Contains(folders, dir) && !slices.Contains(paths, dir) {
				paths = append(paths, dir)
			}
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return paths
}

// open makes a folder writable again, unless it was not outside either. What is
// mounted below it and was read-only before locks all of them at once; then the
// folder alone is made writable.
func open(path string) error {
	writable := &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, writable)
	if err == unix.EPERM {
		err = unix.MountSetattr(unix.AT_FDCWD, path, 0, writable)
	}
	if err == unix.EPERM {
		return nil
	}
	return err
}

// readOnly are the folders that may only be read though they lie in one that may
// be written, the outer ones first.
func readOnly(p Plan) []string {
	paths := slices.DeleteFunc(slices.Clone(p.Read), func(path string) bool {
		return slices.Contains(p.Write, path) || !slices.ContainsFunc(p.Write, func(w string) bool { return where.In(path, w) })
	})
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return paths
}
