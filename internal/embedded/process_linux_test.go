package embedded

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"loci/internal/await"
)

// alive reports whether a process runs; one that ended and waits to be
// collected does not.
func alive(t *testing.T, pid string) bool {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, state, ok := bytes.Cut(stat, []byte(") "))
	return ok && state[0] != 'Z' && state[0] != 'X'
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	if !await.Within(10*time.Second, condition) {
		t.Fatal("does not happen: ", what)
	}
}

func TestWhatTheServerStartedEndsWithIt(t *testing.T) {
	for _, end := range []string{"close", "die"} {
		for _, part := range parts {
			restarted := make(chan string)
			s := start(t, installed(t, part), ServerConfig{Kind: Chat, OnRestart: func(url string) { restarted <- url }})
			pid := get(t, s, "/spawn")
			if !alive(t, pid) {
				t.Fatalf("%s: no grandchild %q", part, pid)
			}
			if end == "close" {
				s.Close()
			} else {
				get(t, s, "/die")
				<-restarted
			}
			eventually(t, "the grandchild ends", func() bool { return !alive(t, pid) })
		}
	}
}

// orphan starts a loci that starts one server, kills loci with SIGKILL, and
// waits for the server to be gone.
func orphan(t *testing.T, args ...string) {
	t.Helper()
	parent := exec.Command(actor(t, t.TempDir(), "loci-parent"), args...)
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		parent.Process.Kill()
		parent.Wait()
		t.Fatal("no server: ", err)
	}
	u, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	answers := func() bool {
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			return false
		}
		c.Close()
		return true
	}
	if !answers() {
		t.Error("the server does not answer while loci lives")
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	parent.Wait()
	eventually(t, "the orphaned server ends", func() bool { return !answers() })
}

func TestNothingIsLeftWhenLociIsKilled(t *testing.T) {
	for _, part := range parts {
		e := installed(t, part)
		server := e.llamaServer
		if server == "" {
			server = "none"
		}
		orphan(t, e.conf.Dir, t.TempDir(), server, e.conf.Python)
	}
}

// TestClosedInputEndsTheServer: the same without the kernel's help, as on
// systems other than Linux.
func TestClosedInputEndsTheServer(t *testing.T) {
	for _, part := range parts {
		e := installed(t, part)
		tk, err := e.task(ServerConfig{Kind: Chat}, "key")
		if err != nil {
			t.Fatal(err)
		}
		s := &Server{engine: e, task: tk, out: openLog(filepath.Join(t.TempDir(), "log"), e.log)}
		defer s.out.close()
		c, err := s.launch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.stdin.Close()
		select {
		case <-c.done:
		case <-time.After(5 * time.Second):
			t.Errorf("%s: goes on after its input was closed", part)
			c.stop()
		}
	}
}

// TestServerLeadsItsOwnGroup: Ctrl-C on the terminal goes to a whole process
// group and must not reach the server before loci has ended its turns.
func TestServerLeadsItsOwnGroup(t *testing.T) {
	s := start(t, installed(t, "python"), ServerConfig{Kind: Chat})
	pid := whoIs(t, s).PID
	group, err := syscall.Getpgid(pid)
	if err != nil || group != pid || group == syscall.Getpgrp() {
		t.Error(fmt.Sprint("group ", group, " of process ", pid, ": ", err))
	}
}

// Orphan is orphan for tests with the real engine.
var Orphan = orphan
