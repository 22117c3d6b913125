package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The programs that the package runs are played by the test binary itself,
// called by another name. Impersonate, called first in TestMain, plays the part
// and reports false where there is none to play.
func Impersonate() bool {
	switch name := filepath.Base(os.Args[0]); {
	case strings.HasPrefix(name, "python"):
		fakePython(os.Args[1:])
	case name == "llama-server":
		fakeLlamaServer(os.Args[1:])
	case name == "loci-parent":
		fakeLoci(os.Args[1:])
	default:
		return false
	}
	return true
}

// actor puts the test binary into dir under the given name.
func actor(t *testing.T, dir, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector's exit takes a second
	path := filepath.Join(dir, name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// fakePython answers the probe with FAKE_PYTHON (JSON), downloads as FAKE_PIP
// says, and runs the launcher's protocol.
func fakePython(args []string) {
	switch {
	case args[0] == "-c":
		fmt.Println(strings.ReplaceAll(os.Getenv("FAKE_PYTHON"), "SELF", os.Args[0]))
	case strings.Join(args[:3], " ") == "-m pip download":
		fakePip(args[3:])
	default:
		fakeLauncher()
	}
}

// goodPython is the probe's answer of an interpreter that will do.
func goodPython(m machine) string {
	name := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[m.arch]
	return fmt.Sprintf(`{"version":[3,12],"path":"SELF","name":"cpython","machine":%q,"abi3":true,"pip":true,"libc":"glibc 2.36","openmp":true}`, name)
}

// fakePip does what FAKE_PIP says, after noting in FAKE_PIP_LOG what was asked.
// Wheels come from the folder FAKE_WHEELS.
func fakePip(args []string) {
	flags := flag.NewFlagSet("pip", flag.ExitOnError)
	for _, name := range []string{"no-deps", "require-hashes", "no-cache-dir", "no-input", "disable-pip-version-check"} {
		flags.Bool(name, false, "")
	}
	for _, name := range []string{"only-binary", "progress-bar", "retries", "timeout"} {
		flags.String(name, "", "")
	}
	requirements, dest := flags.String("r", "", ""), flags.String("d", "", "")
	flags.Parse(args)
	wanted, err := os.ReadFile(*requirements)
	must(err)
	name, _, _ := strings.Cut(string(wanted), "==")
	note, err := os.OpenFile(os.Getenv("FAKE_PIP_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	must(err)
	fmt.Fprint(note, string(wanted))
	must(note.Close())
	if said, ok := strings.CutPrefix(os.Getenv("FAKE_PIP"), "fail:"); ok {
		fmt.Fprintln(os.Stderr, said)
		os.Exit(1)
	}
	wheel, err := os.ReadFile(filepath.Join(os.Getenv("FAKE_WHEELS"), name+".whl"))
	must(err)
	switch os.Getenv("FAKE_PIP") {
	case "nothing":
		return
	case "other":
		wheel = append(wheel, 0)
	case "slow", "hang": // half the file in the temporary folder, the rest when allowed
		half := filepath.Join(os.Getenv("TMPDIR"), name+".whl")
		must(os.WriteFile(half, wheel[:len(wheel)/2], 0o600))
		for range time.Tick(time.Millisecond) {
			if _, err := os.Stat(os.Getenv("FAKE_PIP_GO")); err == nil {
				break
			}
		}
	}
	must(os.WriteFile(filepath.Join(*dest, name+"-1-py3-none-any.whl"), wheel, 0o600))
}

// fakeLauncher speaks launch.py's protocol.
func fakeLauncher() {
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	must(err)
	var spec struct {
		Key, Model string
		Params     struct{ Port int }
	}
	must(json.Unmarshal([]byte(line), &spec))
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	serve(spec.Params.Port, spec.Key)
}

func fakeLlamaServer(args []string) {
	port := 0
	for i, a := range args {
		if a == "--port" {
			port, _ = strconv.Atoi(args[i+1])
		}
	}
	serve(port, os.Getenv("LLAMA_API_KEY"))
}

// serve is a model server without a model. FAKE_SERVER may make it misbehave;
// a file named FAKE_BROKEN keeps it from starting.
func serve(port int, key string) {
	if path := os.Getenv("FAKE_BROKEN"); path != "" {
		if _, err := os.Stat(path); err == nil {
			fmt.Println("main: loading\nmain: error: the model file is broken\nmain: exiting")
			os.Exit(1)
		}
	}
	switch os.Getenv("FAKE_SERVER") {
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "mute":
		<-make(chan int)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	must(err)
	fmt.Println("listening")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {})
	mux.HandleFunc("GET /v1/die", func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("error: told to die")
		os.Exit(3)
	})
	mux.HandleFunc("GET /v1/self", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(self{os.Args, key, os.Getpid(), os.Getenv("LOCI_KEY"), os.Getenv("GOMP_SPINCOUNT")})
	})
	mux.HandleFunc("GET /v1/spawn", func(w http.ResponseWriter, r *http.Request) {
		cmd := exec.Command("/bin/sh", "-c", "trap '' TERM; while :; do read x; done")
		in, err := cmd.StdinPipe() // stays open: the shell waits
		must(err)
		must(cmd.Start())
		spawned = append(spawned, in)
		fmt.Fprint(w, cmd.Process.Pid)
	})
	must(http.Serve(l, mux))
}

var spawned []io.Closer

// self is what the fake server tells of itself.
type self struct {
	Args   []string
	Key    string
	PID    int
	Secret string
	Spin   string
}

// fakeLoci starts one server as loci would, prints its URL and waits to be
// killed. Its arguments are the data folder, the log folder, LlamaServer and
// Python.
func fakeLoci(args []string) {
	e := New(Config{Dir: args[0], LogDir: args[1], LlamaServer: args[2], Python: args[3]})
	s, err := e.Start(context.Background(), ServerConfig{Kind: Chat, Window: 512})
	must(err)
	fmt.Println(s.URL())
	<-make(chan int)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
