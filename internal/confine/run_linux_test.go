package confine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"loci"
	"loci/internal/await"
)

// parent is a loci that is killed while a command of its runs.
func parent() {
	dir := os.Args[2]
	_, err := Run(context.Background(), Plan{
		Program: "/bin/sh", Argv: []string{"sh", "-c", "trap '' TERM HUP; echo $$ > pid; setsid sleep 99 & sleep 99"}, Dir: dir, Write: []string{dir},
	})
	fmt.Println(err)
	os.Exit(0)
}

// levels are what is to be had here, and less: a system without namespaces, and one
// whose Landlock is as old as its first version.
func levels(t *testing.T) map[string]Level {
	t.Helper()
	full := Probe()
	if full.Landlock == 0 || !full.Filter {
		skip(t, "this kernel has no Landlock or no system call filter: "+full.String())
	}
	all := map[string]Level{}
	if full.Namespaces {
		all["namespaces"] = full
	} else if os.Getenv("LOCI_TEST_ALL") != "" {
		t.Error("there are no namespaces: ", full.Reason)
	}
	full.Namespaces = false
	all["no namespaces"] = full
	full.Landlock = 1
	all["first Landlock"] = full
	return all
}

// skip skips a test for want of something, or fails it where everything is to be
// tested.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("LOCI_TEST_ALL") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// eachLevel runs a test at each level, side by side.
func eachLevel(t *testing.T, test func(*testing.T, *bench)) {
	atLevels(t, func(t *testing.T, b *bench) {
		t.Parallel()
		test(t, b)
	})
}

// atLevels runs a test at one level after the other.
func atLevels(t *testing.T, test func(*testing.T, *bench)) {
	for name, level := range levels(t) {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, dir := range []string{"in", "read", "out"} {
				if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			b := &bench{t: t, level: level, root: root}
			b.plan = Plan{Dir: root + "/in", Write: []string{root + "/in"}, Read: []string{root + "/read"}, Limits: Limits{Time: 20 * time.Second}}
			b.write("out/secret", "SECRET")
			test(t, b)
		})
	}
}

// bench is folders to run commands in: in, which may be written, read, and out,
// which is closed.
type bench struct {
	t     *testing.T
	level Level
	root  string
	plan  Plan
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) content(name string) string {
	text, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// sh runs a script.
func (b *bench) sh(script string) Result {
	b.t.Helper()
	return b.run("/bin/sh", "sh", "-c", script)
}

// run runs a program.
func (b *bench) run(program string, argv ...string) Result {
	b.t.Helper()
	p := b.plan
	p.Program, p.Argv = program, argv
	r, err := run(b.t.Context(), p, b.level)
	if err != nil {
		b.t.Error(err)
	}
	return r
}

// all is all output of a command.
func all(r Result) string {
	return string(slices.Concat(r.Stdout.Head, r.Stdout.Tail, r.Stderr.Head, r.Stderr.Tail))
}

// python is the interpreter of the system, which can do what a shell cannot.
func python(t *testing.T) string {
	t.Helper()
	const path = "/usr/bin/python3"
	if _, err := os.Stat(path); err != nil {
		skip(t, "there is no "+path)
	}
	return path
}

func TestRunOrdinary(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		b.write("read/notes", "milk\n")
		r := b.sh("cat ../read/notes; echo bread > made; mkdir d; mv made d/; cat d/made; pwd; echo oops >&2; exit 3")
		if r.End != Exited || r.Exit != 3 || string(r.Stdout.Head) != "milk\nbread\n"+b.plan.Dir+"\n" || string(r.Stderr.Head) != "oops\n" || r.Left {
			if b.level.Landlock > 1 { // the first version permits no file to go to another folder
				t.Errorf("%+v\n%s", r, all(r))
			}
		}
		if r := b.sh("kill -SEGV $$"); r.End != Signalled || r.Signal != "SIGSEGV" || r.Exit != -1 {
			t.Errorf("%+v", r)
		}
		if r := b.sh("read x; echo \"<$x>\"; umask; cat /dev/zero | head -c 3 | wc -c; echo gone > /dev/null"); all(r) != "<>\n0077\n3\n" {
			t.Errorf("%s", all(r))
		}
		b.write("in/script", "#!/bin/sh\necho \"$0 $1\"\n")
		if r := b.run(b.root+"/in/script", "./script", "x"); r.Exit != 0 || !strings.Contains(all(r), "script x") {
			t.Errorf("%+v %s", r, all(r))
		}
	})
}

// TestRealPrograms: what is closed must not be in the way of ordinary work.
func TestRealPrograms(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		b.write("in/a.txt", "b\na\n")
		for program, script := range map[string]string{
			"git":     "git init -q repo && cd repo && cp ../a.txt . && git add . && git status --short && git -c user.name=M -c user.email=m@e commit -q -m x && git log --oneline | grep -q x",
			"tar":     "mkdir t && tar cf t/a.tar a.txt && cd t && tar xf a.tar -m --no-same-permissions && cmp a.txt ../a.txt",
			"sort":    "sort -o a.txt a.txt && head -n 1 a.txt | grep -q a",
			"python3": `/usr/bin/python3 -c 'import ssl, tempfile, subprocess, threading, multiprocessing.pool; f = tempfile.TemporaryFile(); print(subprocess.check_output(["echo", "hi"]))'`,
			"perl":    `perl -e 'use File::Temp; use Socket; print 1'`,
			"gcc":     "echo 'int main(void) { return 0; }' > m.c && gcc -o m m.c && ./m",
			"make":    "printf 'all:\\n\\techo made > out.txt\\n' > Makefile && make -s && cat out.txt",
		} {
			if _, err := exec.LookPath(program); err != nil {
				continue
			}
			if !b.level.Namespaces && (program == "git" || program == "gcc") { // they change modes, by name
				continue
			}
			if r := b.sh("set -e; " + script); r.Exit != 0 || len(r.Stderr.Head) > 0 {
				t.Errorf("%s: %d\n%s", program, r.Exit, all(r))
			}
		}
	})
}

func TestRunCannotStart(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		b.write("in/broken", "#!/no/such/interpreter\n")
		b.write("in/plain", "no program\n")
		for _, program := range []string{"/usr/bin/no-such-program-here", b.root + "/in/broken", b.root + "/in/plain", b.root + "/out/secret", b.root + "/in"} {
			p := b.plan
			p.Program, p.Argv = program, []string{"x"}
			_, err := run(t.Context(), p, b.level)
			if e, ok := errors.AsType[*loci.Error](err); !ok || e.Code != loci.NotFound {
				t.Errorf("%s: %v", program, err)
			}
		}
		for name, p := range map[string]Plan{
			"no words":         {Program: "/bin/sh", Dir: b.root + "/in", Write: b.plan.Write},
			"relative":         {Program: "sh", Argv: []string{"sh"}, Dir: b.root + "/in", Write: b.plan.Write},
			"NUL":              {Program: "/bin/sh", Argv: []string{"sh", "-c", "a\x00b"}, Dir: b.root + "/in", Write: b.plan.Write},
			"starts outside":   {Program: "/bin/sh", Argv: []string{"sh"}, Dir: b.root + "/out", Write: b.plan.Write},
			"starts nowhere":   {Program: "/bin/sh", Argv: []string{"sh"}, Dir: b.root + "/gone", Write: b.plan.Write},
			"relative folder":  {Program: "/bin/sh", Argv: []string{"sh"}, Dir: b.root + "/in", Write: []string{"in"}},
			"starts in secret": {Program: "/bin/sh", Argv: []string{"sh"}, Dir: b.root + "/in", Write: b.plan.Write, Private: []string{b.root + "/in"}},
		} {
			if _, err := run(t.Context(), p, b.level); err == nil {
				t.Errorf("%s: it ran", name)
			}
		}
	})
}

func TestFilesOutsideAreClosed(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		if err := os.Symlink("../out", b.root+"/in/link"); err != nil {
			t.Fatal(err)
		}
		b.write("read/notes", "milk")
		for _, script := range []string{
			"cat ../out/secret", "cat link/secret", "ls ../out", "ls " + b.root, "ls /", "ls /home /root", "cat /etc/passwd", "cat /etc/shadow",
			"cat /proc/self/root" + b.root + "/out/secret", "cat /proc/self/cwd/../out/secret", "cat /proc/1/environ", "cat /proc/" + strconv.Itoa(os.Getpid()) + "/environ",
			"/lib64/ld-linux-x86-64.so.2 /bin/cat ../out/secret || /lib/ld-linux-aarch64.so.1 /bin/cat ../out/secret",
			"cp ../out/secret .", "ln ../out/secret hard && cat hard", "mv ../out/secret .", "cat < ../out/secret",
			"echo x > ../out/secret", "echo x >> ../out/secret", "echo x > ../out/new", "rm ../out/secret", "mkdir ../out/d", "ln -s /etc ../out/l", "truncate -s 0 ../out/secret", ": > ../out/secret",
			"chmod 777 ../out/secret", "chmod 777 ../out", "touch -d 2001-01-01 ../out/secret", "chown 1:1 ../out/secret",
			"echo x > ../read/notes", "echo x > ../read/new", "rm ../read/notes", "mv ../read/notes .", "chmod 777 ../read/notes", "touch -d 2001-01-01 ../read/notes",
			"echo x > /tmp/loci-test-escape", "echo x > /usr/loci-test-escape", "echo x > /dev/shm/../loci-test-escape", "cat /dev/mem > /dev/null", "timeout 1 cat /dev/kmsg > /dev/null",
			"echo core > /proc/sys/kernel/core_pattern", "echo 0 > /proc/sys/vm/overcommit_memory", "mknod dev b 254 0 && cat dev", "mknod dev c 1 1 && cat dev",
		} {
			if r := b.sh(script); r.Exit == 0 || strings.Contains(all(r), "SECRET") {
				t.Errorf("%s: %+v\n%s", script, r.Exit, all(r))
			}
		}
		st, err := os.Stat(b.root + "/out/secret")
		if err != nil || b.content("out/secret") != "SECRET" || st.Mode() != 0o700 || time.Since(st.ModTime()) > time.Hour {
			t.Errorf("it was changed: %v %v", st, err)
		}
		if got := b.content("read/notes"); got != "milk" {
			t.Errorf("%q", got)
		}
		for _, path := range []string{"/tmp/loci-test-escape", "/usr/loci-test-escape", "/dev/loci-test-escape"} {
			if _, err := os.Lstat(path); err == nil {
				t.Error(path, os.Remove(path))
			}
		}
	})
}

// TestSystemCalls tries what a shell has no words for.
func TestSystemCalls(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		b.write("in/calls.py", `
import ctypes, ctypes.util, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, number, *args):
    ctypes.set_errno(0)
    if libc.syscall(number, *args) >= 0: print(name, "was possible")
victim = int(sys.argv[1])
out = sys.argv[2].encode()
libc.prctl.restype = ctypes.c_int
x86 = os.uname().machine == "x86_64"
call("io_uring_setup", 425, 8, ctypes.create_string_buffer(256))
call("ptrace", 101 if x86 else 117, 16, victim, 0, 0)
call("process_vm_readv", 310 if x86 else 270, victim, 0, 0, 0, 0, 0)
call("unshare", 272 if x86 else 97, 0x10000000)
call("clone for a user namespace", 56 if x86 else 220, 0x10000000 | 17, 0, 0, 0, 0)
call("clone3", 435, ctypes.create_string_buffer(64), 64)
call("bpf", 321 if x86 else 280, 0, ctypes.create_string_buffer(64), 64)
call("keyctl", 250 if x86 else 219, 0, -3, 1)
call("userfaultfd", 323 if x86 else 282, 1)
call("mount", 165 if x86 else 40, b"none", b"/mnt", b"tmpfs", 0, 0)
call("chroot", 161 if x86 else 51, b".")
call("open by handle", 304 if x86 else 265, -100, 0, 0)
call("ioctl TIOCSTI", 16 if x86 else 29, 0, 0x5412, b"x")
call("truncate", 76 if x86 else 45, out, 0)
call("open to truncate", 257 if x86 else 56, -100, out, os.O_TRUNC, 0)
call("open to truncate oddly", 257 if x86 else 56, -100, out, os.O_TRUNC | 3, 0)
call("chmod", 268 if x86 else 53, -100, out, 0o777)
call("setxattr", 188 if x86 else 5, out, b"user.x", b"1", 1, 0)
call("utimensat", 280 if x86 else 88, -100, out, ctypes.create_string_buffer(32), 0)
if x86:
    call("x32 getpid", 0x40000000 + 39)
    call("x32 socket", 0x40000000 + 41, 2, 1, 0)
print("done")
`)
		r := b.run(python(t), "python3", "calls.py", strconv.Itoa(os.Getpid()), b.root+"/out/secret")
		if all(r) != "done\n" {
			t.Errorf("%+v\n%s", r, all(r))
		}
		if b.content("out/secret") != "SECRET" {
			t.Error("it was emptied")
		}
	})
}

func TestPrivileges(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		r := b.sh("grep -E '^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status; ls /proc/self/fd")
		got := all(r)
		for _, want := range []string{"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
			if b.level.Namespaces && !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if b.level.Namespaces && !strings.HasSuffix(got, "0\n1\n2\n3\n") { // 3 is the folder that is listed
			t.Errorf("files were inherited:\n%s", got)
		}
	})
}

// TestSymlinkDoesNotOpenPrivate: a folder of loci itself inside an allowed one.
func TestPrivateFolderInsideAnAllowedOne(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		b.write("in/.config/loci/key", "SECRET")
		b.write("in/.config/other", "other")
		b.write("in/top/file", "file")
		if err := os.Symlink(".config/loci", b.root+"/in/alias"); err != nil {
			t.Fatal(err)
		}
		b.plan.Dir = b.root + "/in/top"
		b.plan.Private = []string{b.root + "/in/.config/loci", b.root + "/in/.cache/loci", b.root + "/elsewhere"}
		for _, script := range []string{
			"cat ../.config/loci/key", "ls ../.config/loci/key", "cat ../alias/key", "echo x > ../.config/loci/config.yaml", "mkdir ../.config/loci/d",
			"rm -r ../.config/loci", "mv ../.config/loci ../away && cat ../away/key", "mv ../.config ../away && cat ../away/loci/key",
			"echo x > ../.cache/loci/new", "rmdir ../.cache/loci", "cp -r ../.config/loci . && cat loci/key",
		} {
			r := b.sh(script)
			if lists := strings.HasPrefix(script, "ls") && !b.level.Namespaces; r.Exit == 0 && !lists || strings.Contains(all(r), "SECRET") {
				t.Errorf("%s: %d %s", script, r.Exit, all(r))
			}
		}
		if b.content("in/.config/loci/key") != "SECRET" {
			t.Error("it was changed")
		}
		if r := b.sh("cat file ../.config/other && echo y > file && cat file"); all(r) != "fileothery\n" {
			t.Errorf("what lies beside is closed too: %s", all(r))
		}
		if _, err := os.Stat(b.root + "/elsewhere"); err == nil {
			t.Error("a private folder was made that is in no allowed one")
		}
	})
}

// TestNestedFolderStaysInPlace: what is allowed by its name must not become another.
func TestNestedFolderStaysInPlace(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		if !b.level.Namespaces {
			t.Skip("a folder that may be written may be emptied; only a mount holds what is in it")
		}
		b.write("in/a/nested/file", "file")
		b.plan.Write = append(b.plan.Write, b.root+"/in/a/nested")
		for _, script := range []string{"mv a/nested away", "mv a away", "rm -r a; test ! -d a", "mv a/nested/file . && rmdir a/nested"} {
			if r := b.sh(script); r.Exit == 0 {
				t.Errorf("%s: %s", script, all(r))
			}
		}
		if info, err := os.Lstat(b.root + "/in/a/nested"); err != nil || !info.IsDir() {
			t.Error(info, err)
		}
	})
}

func TestReadOnlyInsideWritable(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		b.write("in/kept/notes", "milk")
		b.write("in/work/file", "")
		b.plan.Read = append(b.plan.Read, b.root+"/in/kept")
		b.plan.Dir = b.root + "/in/work"
		if r := b.sh("cat ../kept/notes; echo x > file && cat file; echo y > ../kept/notes || rm ../kept/notes || mv ../kept . || echo kept"); string(r.Stdout.Head) != "milkx\nkept\n" || b.content("in/kept/notes") != "milk" {
			t.Errorf("%s", all(r))
		}
	})
}

func TestEnvironmentIsClean(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		r := b.run("/usr/bin/env", "env")
		var names []string
		for line := range strings.Lines(all(r)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			names = append(names, name)
			if name == "HOME" {
				if _, err := os.Stat(value); err == nil {
					t.Errorf("%s is still there", value)
				}
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != "HOME LANG PATH TERM TMPDIR" {
			t.Error(got)
		}
		if r := b.sh(`cd && echo x > a && mkdir -p d/e && echo y > d/e/f && chmod 0 d/e d && test "$HOME" = "$TMPDIR" && echo $HOME`); r.Exit != 0 && b.level.Namespaces {
			t.Errorf("%+v %s", r, all(r))
		} else if _, err := os.Stat(strings.TrimSpace(all(r))); err == nil {
			t.Error("the temporary folder is still there")
		}
	})
}

// signalled starts a process outside that a command might want to end.
func victim(t *testing.T) *exec.Cmd {
	t.Helper()
	c := exec.Command("sleep", "99")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
	return c
}

func TestSignalsToOthers(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		if !b.level.Namespaces && b.level.Landlock < 6 {
			t.Skip("neither a PID namespace nor a Landlock that knows signals")
		}
		v := victim(t)
		r := b.sh(fmt.Sprintf("kill -9 %d; kill -9 -1; sleep 0; echo", v.Process.Pid))
		if err := v.Process.Signal(syscall.Signal(0)); err != nil || alive(v.Process.Pid) == false {
			t.Errorf("%v %+v", err, r)
		}
	})
}

// alive tells whether a process runs; one that waits to be collected does not.
func alive(pid int) bool {
	p, ok := look(pid)
	return ok && !p.dead
}

// listeners count what arrives at an address of every kind.
type listeners struct {
	tcp  net.Listener
	udp  net.PacketConn
	unix net.Listener
	gram net.PacketConn
	abst net.Listener
	came chan string
}

func listen(t *testing.T, dir string) *listeners {
	t.Helper()
	l := &listeners{came: make(chan string, 100)}
	var errs [5]error
	l.tcp, errs[0] = net.Listen("tcp", "127.0.0.1:0")
	l.udp, errs[1] = net.ListenPacket("udp", "127.0.0.1:0")
	l.unix, errs[2] = net.Listen("unix", dir+"/s")
	l.gram, errs[3] = net.ListenPacket("unixgram", dir+"/g")
	l.abst, errs[4] = net.Listen("unix", "@loci-test"+dir)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{}, 5)
	for kind, s := range map[string]net.Listener{"tcp": l.tcp, "unix": l.unix, "abstract": l.abst} {
		go func() {
			for c, err := s.Accept(); err == nil; c, err = s.Accept() {
				c.Close()
				l.came <- kind
			}
			done <- struct{}{}
		}()
	}
	for kind, s := range map[string]net.PacketConn{"udp": l.udp, "unixgram": l.gram} {
		go func() {
			for _, _, err := s.ReadFrom(make([]byte, 10)); err == nil; _, _, err = s.ReadFrom(make([]byte, 10)) {
				l.came <- kind
			}
			done <- struct{}{}
		}()
	}
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{l.tcp, l.udp, l.unix, l.gram, l.abst} {
			c.Close()
		}
		for range 5 {
			<-done
		}
	})
	return l
}

// callers tries to reach every listener, and says which send did not fail.
const callers = `
import socket, sys
tcp, udp, path, gram, abstract = sys.argv[1:]
def attempt(kind, do):
    try: do(); print(kind)
    except OSError as e: pass
def pair(kind):
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    for s in (a, b):
        for do in (lambda: s.sendto(b"x", gram), lambda: s.sendmsg([b"x"], [], 0, gram), lambda: s.connect(gram), lambda: s.send(b"x"), lambda: s.connect(path)):
            try: do()
            except OSError: pass
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", int(tcp)), 2))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(udp))))
attempt("unix", lambda: socket.socket(socket.AF_UNIX).connect(path))
attempt("unixgram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", gram))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\0" + abstract[1:]))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).sendto(b"x", ("127.0.0.1", 0)))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).bind(("lo", 0)))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("alg", lambda: socket.socket(38, 5))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15))
attempt("datagrams", lambda: pair(socket.SOCK_DGRAM))
attempt("pair", lambda: pair(socket.SOCK_SEQPACKET))
attempt("pair", lambda: pair(socket.SOCK_STREAM))
a, b = socket.socketpair()
a.send(b"ok"); print(b.recv(2).decode())
`

// TestNetworkIsClosed: nothing reaches a listener outside without the network, and
// with it the Internet's two do. UNIX sockets stay closed either way: see the
// package comment.
func TestNetworkIsClosed(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		l := listen(t, b.root+"/in")
		b.write("in/call.py", callers)
		argv := []string{"python3", "call.py",
			strconv.Itoa(l.tcp.Addr().(*net.TCPAddr).Port), strconv.Itoa(l.udp.LocalAddr().(*net.UDPAddr).Port),
			b.root + "/in/s", b.root + "/in/g", l.abst.Addr().String()}
		if r := b.run(python(t), argv...); all(r) != "pair\npair\nok\n" {
			t.Errorf("without the network: %+v\n%s", r, all(r))
		}
		if len(l.came) > 0 {
			t.Errorf("%s came through", <-l.came)
		}
		b.plan.Network = true
		if r := b.run(python(t), argv...); all(r) != "tcp\nudp\npair\npair\nok\n" {
			t.Errorf("with the network: %+v\n%s", r, all(r))
		}
		got := []string{<-l.came, <-l.came}
		slices.Sort(got)
		if fmt.Sprint(got) != "[tcp udp]" || len(l.came) > 0 {
			t.Error(got, len(l.came))
		}
	})
}

// marked counts the processes, of whoever, whose first argument is a mark.
func marked(mark string) (n int) {
	for _, p := range processes() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if err == nil && !p.dead && strings.Contains(string(line), mark) {
			n++
		}
	}
	return n
}

// TestDeadlineKillsTheWholeTree: whatever a command does to outlive its time.
func TestDeadlineKillsTheWholeTree(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		mark := fmt.Sprintf("9%d.%d", os.Getpid()%10000, time.Now().Nanosecond())
		var wait sync.WaitGroup
		b.plan.Limits.Time = time.Second
		for name, script := range map[string]string{
			"background":    "sleep $T & setsid sleep $T & sleep $T",
			"trap":          "trap '' TERM INT HUP; sleep $T; sleep $T; sleep $T",
			"daemon":        "(setsid sh -c 'trap \"\" TERM; (sleep $T &) ; exec sleep $T' &) ; sleep $T",
			"stopped":       "sleep $T & kill -STOP $!; setsid nohup sleep $T & kill -STOP $$",
			"closed output": "exec >&- 2>&-; setsid sleep $T & sleep $T",
		} {
			wait.Go(func() {
				began := time.Now()
				r := b.sh("T=" + mark + "; export T; " + script)
				if took := time.Since(began); r.End != Timeout || took > 3*time.Second { // the second itself, and two more
					t.Errorf("%s: %+v after %v", name, r, took)
				}
			})
		}
		wait.Wait()
		if n := marked(mark); n > 0 {
			t.Errorf("%d processes are left", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		p := b.plan
		p.Program, p.Argv, p.Limits.Time = "/bin/sh", []string{"sh", "-c", "setsid sleep " + mark + " & sleep " + mark}, time.Minute
		if r, err := run(ctx, p, b.level); err != nil || r.End != Cancelled || marked(mark) > 0 {
			t.Errorf("%+v %v", r, err)
		}
	})
}

func TestSurvivorsOfTheCommandAreKilled(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		mark := fmt.Sprintf("8%d.%d", os.Getpid()%10000, time.Now().Nanosecond())
		r := b.sh("sleep " + mark + " & (setsid sh -c 'trap \"\" TERM; sleep " + mark + "; sleep " + mark + "' &) ; echo started")
		if r.End != Exited || r.Exit != 0 || all(r) != "started\n" || !r.Left || marked(mark) > 0 || r.Took > 5*time.Second {
			t.Errorf("%+v %s %d", r, all(r), marked(mark))
		}
	})
}

// TestParentIsKilled: nothing goes on without loci.
func TestParentIsKilled(t *testing.T) {
	if Probe().None() {
		skip(t, "nothing confines a command here")
	}
	dir := t.TempDir()
	c := exec.Command("/proc/self/exe", "as a parent", dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command starts", func() bool { raw, _ := os.ReadFile(dir + "/pid"); return len(raw) > 0 })
	ours := func() (n int) {
		for _, p := range processes() {
			if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.pid)); err == nil && cwd == dir && !p.dead {
				n++
			}
		}
		return n
	}
	if ours() == 0 {
		t.Error("the command does not run")
	}
	_, _ = c.Process.Kill(), c.Wait()
	eventually(t, "the command ends", func() bool { return ours() == 0 })
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	if !await.Within(10*time.Second, condition) {
		t.Fatal("does not happen: ", what)
	}
}

// TestLimits is not run side by side: without namespaces, processes are counted for
// the user, whoever started them.
func TestLimits(t *testing.T) {
	atLevels(t, func(t *testing.T, b *bench) {
		py := python(t)
		b.plan.Limits = Limits{Time: 20 * time.Second, Memory: 256 << 20, Processes: 50, FileSize: 1 << 20, Files: 50}
		if r := b.run(py, "python3", "-c", "x = bytearray(1 << 30)"); r.Exit != 1 || !strings.Contains(all(r), "MemoryError") {
			t.Errorf("memory of one: %+v %s", r, all(r))
		}
		if r := b.run(py, "python3", "-c", "import os\nfor i in range(6):\n  if os.fork() == 0: break\nx = b'x' * (100 << 20)\nimport time; time.sleep(15)"); r.End != Memory {
			t.Errorf("memory of all: %+v %s", r, all(r))
		}
		if r := b.sh("head -c 2000000 /dev/zero > big; wc -c < big; ulimit -c -n"); !strings.Contains(all(r), "1048576") {
			t.Errorf("file size: %+v %s", r, all(r))
		}
		if r := b.run(py, "python3", "-c", "f=[]\ntry:\n  while True: f.append(open('/dev/null'))\nexcept OSError as e: print(len(f) < 50, e)"); !strings.HasPrefix(all(r), "True") {
			t.Errorf("files: %s", all(r))
		}
		b.plan.Limits.Time = 2 * time.Second
		began := time.Now()
		r := b.sh(":(){ :|:& };:; wait")
		if time.Since(began) > 5*time.Second {
			t.Errorf("fork bomb: %+v after %v", r, time.Since(began))
		}
		if r := b.run(py, "python3", "-c", "import os, time\nn = 0\ntry:\n  for n in range(5000):\n    if os.fork() == 0: time.sleep(20)\nexcept OSError: pass\nprint(n)"); r.End != Processes {
			if n, err := strconv.Atoi(strings.TrimSpace(all(r))); err != nil || n > 60 {
				t.Errorf("processes: %v %d %.300s", r.End, r.Exit, all(r))
			}
		}
	})
}

// TestOutputIsCapped: a command that never stops to write takes no memory of loci's.
func TestOutputIsCapped(t *testing.T) {
	eachLevel(t, func(t *testing.T, b *bench) {
		b.plan.Limits = Limits{Time: time.Second, Output: 1 << 16}
		for _, argv := range [][]string{{"/usr/bin/yes", "yes"}, {"/bin/cat", "cat", "/dev/zero"}} {
			before := resident(t)
			r := b.run(argv[0], argv[1:]...)
			if r.End != Timeout || r.Stdout.Size() < 1<<22 || len(r.Stdout.Head) != 1<<15 || len(r.Stdout.Tail) != 1<<15 {
				t.Errorf("%v: %v, %d bytes", argv, r.End, r.Stdout.Size())
			}
			if grown := resident(t) - before; grown > 16<<20 {
				t.Errorf("%v: %d bytes more are in use, after %d of output", argv, grown, r.Stdout.Size())
			}
		}
	})
}

// resident is the memory that this process uses, in bytes.
func resident(t *testing.T) int64 {
	t.Helper()
	p, ok := look(os.Getpid())
	if !ok {
		t.Fatal("no memory")
	}
	return p.memory
}

// TestAsAnOrdinaryUser runs all of this again as somebody else than root.
func TestAsAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("everything here ran as an ordinary user already")
	}
	own, err := os.MkdirTemp("/tmp", "loci-confine-") // where others than root may go too
	if err == nil {
		err = os.Chown(own, 65534, 65534)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(own)
	c := exec.Command("/proc/self/exe", "-test.run=^Test", "-test.skip=TestAsAnOrdinaryUser", "-test.timeout=200s")
	c.Dir, c.Env = own, append(os.Environ(), "TMPDIR="+own, "HOME="+own)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestHelperAloneDoesNothing(t *testing.T) {
	for _, word := range []string{wardenWord, heraldWord} {
		c := exec.Command("/proc/self/exe", word)
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "nothing alone") {
			t.Errorf("%s: %v %s", word, err, out)
		}
	}
}
