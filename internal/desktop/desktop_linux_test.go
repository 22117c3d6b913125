package desktop_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"loci"
	"loci/internal/desktop"
	"loci/internal/desktop/desktoptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// on is a desktop whose environment is only this.
func on(env ...string) desktop.Desktop {
	return desktop.Desktop{Getenv: func(name string) string {
		for _, e := range env {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value
			}
		}
		return ""
	}}
}

const busEnv = "DBUS_SESSION_BUS_ADDRESS="

func TestMedia(t *testing.T) {
	bus := desktoptest.Bus(t)
	idle := desktoptest.Play(t, bus, "aaa", "Stopped", "Nothing")
	p := desktoptest.Play(t, bus, "vlc.instance1", "Playing", "Vltava", "Šárka", 7)
	d := on(busEnv + bus)
	for _, tt := range []struct {
		action desktop.Action
		volume int
		status string
		title  string
		level  int
	}{
		{desktop.Next, 0, "Playing", "Šárka", 50},
		{desktop.Next, 0, "Playing", "", 50}, // a title that is none
		{desktop.Previous, 0, "Playing", "Šárka", 50},
		{desktop.VolumeUp, 0, "Playing", "Šárka", 60},
		{desktop.VolumeDown, 0, "Playing", "Šárka", 50},
		{desktop.VolumeSet, 130, "Playing", "Šárka", 100},
		{desktop.VolumeUp, 0, "Playing", "Šárka", 100},
		{desktop.VolumeSet, 0, "Playing", "Šárka", 0},
		{desktop.VolumeDown, 0, "Playing", "Šárka", 0},
		{desktop.PlayPause, 0, "Paused", "Šárka", 0},
		{desktop.PlayPause, 0, "Playing", "Šárka", 0},
		{desktop.Pause, 0, "Paused", "Šárka", 0},
		{desktop.Play, 0, "Playing", "Šárka", 0},
		{desktop.Stop, 0, "Stopped", "Šárka", 0},
	} {
		looked, err := d.Media(t.Context(), tt.action, tt.volume, true)
		if err != nil || looked.Player != "vlc.instance1" || looked.Done {
			t.Errorf("%s: %+v, %v", tt.action, looked, err)
		}
		s, err := d.Media(t.Context(), tt.action, tt.volume, false)
		if err != nil || !s.Done || s.Status != tt.status || s.Title != tt.title || s.Volume != tt.level || s.Artist != "Smetana" {
			t.Errorf("%s: %+v, %v", tt.action, s, err)
		}
	}
	if got := p.Calls(); got != "Next Next Previous PlayPause PlayPause Pause Play Stop" {
		t.Errorf("the player was told: %s", got)
	}
	if got := idle.Calls(); got != "" {
		t.Errorf("the other player was told: %s", got)
	}
	isPlain(t, d, desktop.Pause, "Nothing is playing.")
	isPlain(t, d, desktop.Next, "cannot do that") // the one that comes first has one title
}

// isPlain checks an error that a person understands.
func isPlain(t *testing.T, d desktop.Desktop, action desktop.Action, want string) {
	t.Helper()
	_, err := d.Media(t.Context(), action, 0, false)
	e, ok := errors.AsType[*loci.ToolError](err)
	if !ok || e.CanRetry || e.Suggestion == "" || !strings.Contains(e.Message, want) {
		t.Errorf("%s: %v", action, err)
	}
}

func TestNothingPlays(t *testing.T) {
	isPlain(t, on(busEnv+desktoptest.Bus(t)), desktop.Play, "Nothing is playing.")
}

// Without a session's bus none is started, and one that does not answer holds nobody up.
func TestNoBus(t *testing.T) {
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	silent, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan struct{})
	go func() {
		defer close(held)
		if c, err := silent.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}()
	for name, d := range map[string]desktop.Desktop{
		"nothing set":  on(),
		"no socket":    on("XDG_RUNTIME_DIR=" + dir),
		"autolaunch":   on(busEnv + "autolaunch:"),
		"gone":         on(busEnv + "unix:path=" + dir + "/gone"),
		"no address":   on(busEnv + "nonsense"),
		"never speaks": on(busEnv + "unix:path=" + dir + "/s"),
	} {
		start := time.Now()
		if isPlain(t, d, desktop.Play, "no desktop session"); time.Since(start) > 30*time.Second {
			t.Errorf("%s takes %v", name, time.Since(start))
		}
	}
	<-held
	_ = silent.Close()
}

// A program that is started goes on by itself, in a session of its own, and knows of
// the environment only what it needs.
func TestStart(t *testing.T) {
	dir := t.TempDir()
	pipe, gate := filepath.Join(dir, "out"), filepath.Join(dir, "gate")
	script := filepath.Join(dir, "app")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n{ cut -d' ' -f6 /proc/$$/stat; echo $$; env; pwd; } >"+pipe+"\nread x <"+gate+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, gate} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	argv, err := desktop.App{Command: []string{script}}.Argv("")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := on("HOME="+dir, "DISPLAY=:7", "PATH="+os.Getenv("PATH"), "LOCI_KEY=s3cret", "LD_PRELOAD=/evil").Start(t.Context(), argv)
	if err != nil || pid <= 0 {
		t.Fatal(pid, err)
	}
	f, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	for s := bufio.NewScanner(f); s.Scan(); {
		lines = append(lines, s.Text())
	}
	text := strings.Join(lines, "\n")
	if len(lines) < 3 || lines[0] != lines[1] || !strings.Contains(text, "DISPLAY=:7") || !strings.HasSuffix(text, dir) || strings.Contains(text, "s3cret") || strings.Contains(text, "evil") {
		t.Errorf("%s", text)
	}
	if err := os.WriteFile(gate, []byte("\n"), 0); err != nil { // it ends, and is waited for
		t.Fatal(err)
	}
}

func TestIsURL(t *testing.T) {
	for target, want := range map[string]bool{
		"https://a": true, "file:///x": true, "javascript:1": true, "mailto:a@b": true, "notes.md": false, "a/b:c": false, "./a:b": false, "C:x": false, "": false, ":x": false, "žluť:x": false,
	} {
		if desktop.IsURL(target) != want {
			t.Errorf("%q", target)
		}
	}
}
