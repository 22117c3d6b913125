package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"loci/internal/where"
)

// The rights of Landlock; see landlock(7). What is not named in write is not given
// to anybody, such as making device files.
const (
	see   = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	read  = see | unix.LANDLOCK_ACCESS_FS_EXECUTE
	write = read | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO
	ofFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// settings are what programs read of the system before they do anything else. The
// lists of users are not among them, nor anything that may hold a secret: owners of
// files are shown as numbers.
var settings = []string{
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld-musl-x86_64.path", "/etc/ld-musl-aarch64.path",
	"/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
	"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/locale.conf", "/etc/os-release", "/etc/debian_version",
	"/etc/alternatives", "/etc/mime.types", "/etc/magic", "/etc/fonts", "/etc/terminfo", "/etc/papersize",
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted",
	"/etc/ca-certificates", "/etc/crypto-policies", "/etc/perl", "/etc/python3", "/etc/python3.9", "/etc/python3.10", "/etc/python3.11", "/etc/python3.12", "/etc/python3.13", "/etc/python3.14",
	"/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk", "/etc/ImageMagick-6", "/etc/ImageMagick-7",
	"/sys/devices/system/cpu", "/sys/devices/system/node",
}

// unhidden are files that programs do without, but do not bear to be refused. They are
// allowed where /etc cannot be covered.
var unhidden = []string{"/etc/gitconfig", "/etc/wgetrc", "/etc/inputrc", "/etc/profile", "/etc/bash.bashrc"}

// machine is what /proc says of the machine, for where it also shows the processes
// of others.
var machine = []string{"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/loadavg", "/proc/version", "/proc/filesystems", "/proc/sys/kernel/osrelease", "/proc/sys/vm/overcommit_memory"}

// devices are the devices that any program may use.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// landlockVersion is the version of the kernel's interface, 0 without Landlock.
func landlockVersion() int {
	v, _, err := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != 0 {
		return 0
	}
	return int(v)
}

// rules is a set of them that is being made.
type rules struct {
	fd      int
	handled uint64 // the rights that are denied but for the rules
}

// restrict leaves the thread the folders of the plan and what programs need of the
// system. Rights that an old kernel does not know are left out, as the level says;
// see filter for what stands in for them.
func restrict(o order) error {
	if o.Level.Landlock == 0 {
		return nil
	}
	system, err := realPaths(programs, false) // /lib is often a link, and what is closed is known by its real path
	if err != nil {
		return err
	}
	r, err := newRules(o)
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	for _, list := range []struct {
		rights uint64
		paths  []string
	}{
		{read, around(system, o, o.Plan.Private)}, {see, settings}, {see | unix.LANDLOCK_ACCESS_FS_WRITE_FILE, devices},
		{see, substitutes(o)}, {write, ownFolders(o)},
		{read, around(o.Plan.Read, o, o.Plan.Private)},
		{write, around(o.Plan.Write, o, slices.Concat(o.Plan.Private, readOnly(o.Plan)))},
	} {
		for _, path := range list.paths {
			if err := r.allow(path, list.rights); err != nil {
				return fmt.Errorf("landlock: %s: %w", path, err)
			}
		}
	}
	if _, _, e := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); e != 0 {
		return fmt.Errorf("landlock: %w", e)
	}
	return unix.Close(r.fd)
}

// newRules begins a set that denies all that the kernel can deny.
func newRules(o order) (rules, error) {
	v := o.Level.Landlock
	attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_REFER - 1} // the first version's thirteen rights
	size := unsafe.Sizeof(attr.Handled_access_fs)
	for since, right := range map[int]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if v >= since {
			attr.Handled_access_fs |= right
		}
	}
	if v >= 4 {
		size = unsafe.Offsetof(attr.Scoped)
		if !o.Plan.Network {
			attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if v >= 6 {
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if e != 0 {
		return rules{}, e
	}
	return rules{int(fd), attr.Handled_access_fs}, nil
}

// allow permits what lies at and below a path. What is not there needs nothing.
func (r rules) allow(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.handled, Parent_fd: int32(fd)}
	if _, _, e := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); e != 0 {
		return e
	}
	return nil
}

// substitutes are what may be read because it is the sandbox's own, or because it
// cannot be.
func substitutes(o order) []string {
	if o.Level.Namespaces {
		return []string{"/proc"} // it knows the sandbox's processes alone
	}
	return append(slices.Concat(machine, unhidden), fmt.Sprintf("/proc/%d", os.Getpid()))
}

// ownFolders are the command's own.
func ownFolders(o order) []string {
	if o.Shm {
		return []string{o.Temp, "/dev/shm"}
	}
	return []string{o.Temp}
}

// around lists what is to be allowed so that folders are, but for the holes in them.
// A rule holds for all that lies below, and none takes anything away. So where the
// holes are not covered by mounts, the folders on the way to them are not allowed,
// only what is in these beside the holes: they cannot be listed, and nothing can be
// put directly in them.
func around(folders []string, o order, holes []string) (paths []string) {
	for _, folder := range folders {
		if o.Level.Namespaces {
			paths = append(paths, folder)
		} else {
			paths = append(paths, beside(folder, holes)...)
		}
	}
	return paths
}

// beside is what lies in a folder and neither is one of the holes nor on the way to it.
func beside(folder string, holes []string) (paths []string) {
	if slices.ContainsFunc(holes, func(h string) bool { return where.In(folder, h) }) {
		return nil
	}
	if !slices.ContainsFunc(holes, func(h string) bool { return where.In(h, folder) }) {
		return []string{folder}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // what cannot be listed cannot be told apart
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if e.Type()&fs.ModeSymlink == 0 { // a rule would be for what it leads to
			paths = append(paths, beside(path, holes)...)
		}
	}
	return paths
}
