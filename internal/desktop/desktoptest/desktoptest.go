// Package desktoptest starts a real D-Bus daemon for tests, and media players on it that
// are none.
package desktoptest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

// config is a bus for nobody else.
const config = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=SOCKET</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

// Bus starts a daemon and gives its address. Where there is no daemon the test is
// skipped, except with LOCI_TEST_ALL.
func Bus(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		if os.Getenv("LOCI_TEST_ALL") != "" {
			t.Fatal(err)
		}
		t.Skip("this test needs dbus-daemon")
	}
	dir, err := os.MkdirTemp("", "bus") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(file, []byte(strings.Replace(config, "SOCKET", filepath.Join(dir, "s"), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config-file="+file, "--nofork", "--print-address=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// Player is a media player that plays nothing.
type Player struct {
	mu     sync.Mutex
	props  *prop.Properties
	titles []any // of type string; others are nonsense that a player might send
	at     int
	calls  []string
}

const face = "org.mpris.MediaPlayer2.Player"

// Play puts a player on the bus that has some titles.
func Play(t *testing.T, address, name, status string, titles ...any) *Player {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p := &Player{titles: titles}
	const path = "/org/mpris/MediaPlayer2"
	err = conn.ExportMethodTable(map[string]any{
		"Play":      func() *dbus.Error { return p.told("Play", func() { p.set("PlaybackStatus", "Playing") }) },
		"Pause":     func() *dbus.Error { return p.told("Pause", func() { p.set("PlaybackStatus", "Paused") }) },
		"Stop":      func() *dbus.Error { return p.told("Stop", func() { p.set("PlaybackStatus", "Stopped") }) },
		"Next":      func() *dbus.Error { return p.told("Next", func() { p.turn(1) }) },
		"Previous":  func() *dbus.Error { return p.told("Previous", func() { p.turn(-1) }) },
		"PlayPause": func() *dbus.Error { return p.told("PlayPause", p.toggle) },
	}, path, face)
	if err != nil {
		t.Fatal(err)
	}
	p.props, err = prop.Export(conn, path, prop.Map{face: {
		"PlaybackStatus": {Value: status}, "Metadata": {Value: p.metadata()}, "Volume": {Value: 0.5, Writable: true},
		"CanPlay": {Value: true}, "CanPause": {Value: true}, "CanGoNext": {Value: len(titles) > 1}, "CanGoPrevious": {Value: len(titles) > 1}, "CanControl": {Value: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.mpris.MediaPlayer2."+name, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return p
}

// Calls are the methods that were called, in order.
func (p *Player) Calls() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.calls, " ")
}

// told notes a call and does what it asks for a moment later, as players do.
func (p *Player) told(method string, do func()) *dbus.Error {
	p.mu.Lock()
	p.calls = append(p.calls, method)
	p.mu.Unlock()
	go do()
	return nil
}

func (p *Player) set(name string, value any) { p.props.SetMust(face, name, value) }

func (p *Player) toggle() {
	if p.props.GetMust(face, "PlaybackStatus") == "Playing" {
		p.set("PlaybackStatus", "Paused")
	} else {
		p.set("PlaybackStatus", "Playing")
	}
}

func (p *Player) turn(by int) {
	p.mu.Lock()
	p.at = (p.at + by + len(p.titles)) % len(p.titles)
	m := p.metadata()
	p.mu.Unlock()
	p.set("Metadata", m)
}

// metadata describes the title that is on.
func (p *Player) metadata() map[string]dbus.Variant {
	if len(p.titles) == 0 {
		return map[string]dbus.Variant{}
	}
	return map[string]dbus.Variant{
		"xesam:title":  dbus.MakeVariant(p.titles[p.at]),
		"xesam:artist": dbus.MakeVariant([]string{"Smetana"}),
	}
}
