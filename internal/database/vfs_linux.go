package database

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite opens files by name, and follows links in it. Between our look at a name and
// SQLite's, somebody could put another file there. So it gets names like
// /proc/self/fd/7/shop.db, in which 7 is the opened folder, and a VFS of ours (see
// https://www.sqlite.org/vfs.html) that is SQLite's own for Unix but for two things:
// it does not resolve names, and it looks at what was really opened: the database must
// be the file that the sandbox opened, and no file may have a second name elsewhere.

// vfsName is how a connection asks for that VFS.
const vfsName = "loci"

// fileID tells files apart.
type fileID struct{ dev, ino uint64 }

// expected are the files that names must lead to while they are in use.
var expected sync.Map // of names such as /proc/self/fd/7/shop.db to fileID

// unixOpen is the open function of SQLite's own VFS, a C function pointer.
var unixOpen uintptr

// register makes the VFS known to SQLite, once.
var register = sync.OnceValue(func() error {
	tls := libc.NewTLS() // it stays: SQLite keeps what was allocated
	unixName, err := libc.CString("unix")
	if err != nil {
		return err
	}
	own, err := libc.CString(vfsName)
	if err != nil {
		return err
	}
	defer libc.Xfree(tls, unixName)
	base := sqlite3.Xsqlite3_vfs_find(tls, unixName)
	if base == 0 {
		return fmt.Errorf("SQLite has no VFS for Unix")
	}
	size := unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})
	p := libc.Xmalloc(tls, libc.Tsize_t(size))
	if p == 0 {
		return fmt.Errorf("no memory for a VFS")
	}
	vfs := at[sqlite3.Tsqlite3_vfs](p)
	*vfs = *at[sqlite3.Tsqlite3_vfs](base)
	unixOpen = vfs.FxOpen
	vfs.FpNext, vfs.FzName = 0, own
	vfs.FxOpen = cFunc(openChecked)
	vfs.FxFullPathname = cFunc(keepName)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, p, 0); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("register a VFS: SQLite error %d", rc)
	}
	return nil
})

// at is what a C pointer points to.
func at[T any](p uintptr) *T { return (*T)(*(*unsafe.Pointer)(unsafe.Pointer(&p))) }

// cFunc makes a C function pointer of a declared function, in the way of the
// translated SQLite: the address of its code's address.
func cFunc[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

// keepName takes a name as it is, instead of resolving its links.
func keepName(_ *libc.TLS, _, name uintptr, room int32, out uintptr) int32 {
	s := libc.GoString(name)
	if len(s)+1 > int(room) {
		return sqlite3.SQLITE_CANTOPEN
	}
	copy(unsafe.Slice(at[byte](out), room), s+"\x00")
	return sqlite3.SQLITE_OK
}

// openChecked opens a file as SQLite does, and closes it again if it is not the right
// one.
func openChecked(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	var st unix.Stat_t
	if name != 0 && unix.Lstat(libc.GoString(name), &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		return sqlite3.SQLITE_CANTOPEN // to open a pipe could take for ever
	}
	open := *(*func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{unixOpen}))
	rc := open(tls, vfs, name, file, flags, outFlags)
	if rc != sqlite3.SQLITE_OK || name == 0 { // one without a name is temporary
		return rc
	}
	opened := at[sqlite3.TunixFile](file)
	if rightFile(int(opened.Fh), libc.GoString(name), flags) {
		return rc
	}
	methods := at[sqlite3.Tsqlite3_io_methods](opened.FpMethod)
	shut := *(*func(*libc.TLS, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{methods.FxClose}))
	shut(tls, file)
	opened.FpMethod = 0
	return sqlite3.SQLITE_CANTOPEN
}

// rightFile tells whether a descriptor may be read and written as the file of a name.
func rightFile(fd int, name string, flags int32) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink > 1 {
		return false
	}
	if flags&sqlite3.SQLITE_OPEN_MAIN_DB == 0 {
		return true
	}
	want, ok := expected.Load(name)
	return ok && want == idOf(&st)
}

func idOf(st *unix.Stat_t) fileID { return fileID{uint64(st.Dev), st.Ino} }

// place is the folder of an opened file, and the name by which SQLite may open the
// file in it.
type place struct {
	dir  *os.File
	name string // for SQLite
	real string // for people
	id   fileID
}

// placeOf finds where an opened file is.
func placeOf(file *os.File) (*place, error) {
	if err := register(); err != nil {
		return nil, err
	}
	real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil {
		return nil, err
	}
	dir, err := os.OpenFile(filepath.Dir(real), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	p := &place{dir: dir, real: real, id: idOf(&st)}
	p.name = fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(real))
	expected.Store(p.name, p.id)
	return p, nil
}

// check refuses the one file that SQLite opens by itself, without asking openChecked:
// the index of the log, when it has a second name elsewhere. A link it does not follow.
func (p *place) check() error {
	var st unix.Stat_t
	if err := unix.Lstat(p.name+"-shm", &st); err == nil && (st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink > 1) {
		return fmt.Errorf("%s-shm is a link", p.real)
	}
	return nil
}

// Close gives the folder back.
func (p *place) Close() error {
	expected.Delete(p.name)
	return p.dir.Close()
}

// keepLocks makes SQLite's locks last when somebody else in this process, such as a
// search, opens and closes the same file: the system's older kind of lock would be
// lost then (fcntl(2), "Open file description locks"). It has to be said before the
// first database is opened.
var _, keepLocks = sqlite.OFDLocking(true)
