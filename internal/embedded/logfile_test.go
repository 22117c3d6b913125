package embedded

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogFileStaysSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "engine.log")
	l := openLog(path, slog.New(slog.DiscardHandler))
	l.max = 1000
	for i := range 200 {
		fmt.Fprintf(l, "line %03d of the engine\n", i)
	}
	l.close()
	now, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path + ".1")
	if err != nil {
		t.Fatal(err)
	}
	if len(now) > 1000 || len(before) > 1000 {
		t.Errorf("%d and %d bytes", len(before), len(now))
	}
	if both := string(before) + string(now); !strings.HasSuffix(both, "line 199 of the engine\n") || strings.Count(both, "\n") < 40 {
		t.Errorf("what is kept: %q", both)
	}
	// The next run goes on in the same file.
	l = openLog(path, slog.New(slog.DiscardHandler))
	fmt.Fprintln(l, "again")
	l.close()
	if later, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(later, now) || !bytes.HasSuffix(later, []byte("again\n")) {
		t.Errorf("%q, %v", later, err)
	}
}

// TestLogFileNeverFails: the engine must not stop because its log cannot be
// written, but it is said, once.
func TestLogFileNeverFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	l := openLog(filepath.Join(file, "engine.log"), slog.New(slog.NewTextHandler(&said, nil)))
	for range 3 {
		if n, err := l.Write([]byte("cannot open\n")); n != 12 || err != nil {
			t.Errorf("%d %v", n, err)
		}
	}
	l.close()
	if got := strings.Count(said.String(), "the engine's output is not kept"); got != 1 {
		t.Errorf("said %d times: %s", got, said.String())
	}
}

func TestLogFileGivesTheReason(t *testing.T) {
	l := openLog(filepath.Join(t.TempDir(), "l"), slog.New(slog.DiscardHandler))
	defer l.close()
	for output, want := range map[string]string{
		"": "",
		"0.00 I srv: loading\n0.01 E srv: failed to load\n0.02 I srv: exiting\n\n":               "0.01 E srv: failed to load",
		"Traceback (most recent call last):\n  File \"<string>\"\nRuntimeError: no such model\n": "RuntimeError: no such model",
		"Illegal instruction (core dumped)\n\n":                                                  "Illegal instruction (core dumped)",
		strings.Repeat("much was said\n", 5000) + "error: \xff\xfe not text":                     "error: ? not text",
	} {
		l.Write([]byte(output))
		if got := l.reason(); got != want {
			t.Errorf("%.80q gives %q, expected %q", output, got, want)
		}
		if got := l.reason(); got != "" {
			t.Errorf("the same reason twice: %q", got)
		}
	}
}
