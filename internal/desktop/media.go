package desktop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"loci"
)

// Action is what a player can be told.
type Action string

// The actions.
const (
	Play       Action = "play"
	Pause      Action = "pause"
	PlayPause  Action = "play_pause"
	Next       Action = "next"
	Previous   Action = "previous"
	Stop       Action = "stop"
	VolumeUp   Action = "volume_up"
	VolumeDown Action = "volume_down"
	VolumeSet  Action = "volume_set"
)

// methods are those of a player, and what has to be possible for each; see the
// interface org.mpris.MediaPlayer2.Player.
var methods = map[Action]struct{ name, can string }{
	Play: {"Play", "CanPlay"}, Pause: {"Pause", "CanPause"}, PlayPause: {"PlayPause", "CanPause"},
	Next: {"Next", "CanGoNext"}, Previous: {"Previous", "CanGoPrevious"}, Stop: {"Stop", "CanControl"},
}

const (
	playerPrefix = "org.mpris.MediaPlayer2."
	playerPath   = dbus.ObjectPath("/org/mpris/MediaPlayer2")
	playerFace   = "org.mpris.MediaPlayer2.Player"
	mostPlayers  = 20                      // that are looked at
	answerFor    = 2 * time.Second         // a player may take to answer
	settleFor    = 1500 * time.Millisecond // and to do what it was told
	volumeStep   = 0.1
)

// State is what a player does. Its texts are the player's own: anything.
type State struct {
	Player  string // the end of its name on the bus, such as vlc
	Status  string // Playing, Paused or Stopped
	Artist  string
	Title   string
	Volume  int  // per cent; -1: it has none
	Done    bool // it was seen to do what it was told
	track   string
	busName string
}

// errNothing is the error where no player is, or none plays.
var errNothing = &loci.ToolError{
	Message:    "Nothing is playing.",
	Suggestion: "Tell the person so; they can start something in a media player first.",
	ForPerson:  "Start something in a media player first.",
}

// Media tells the player what to do: the one that plays, or else one that could. With
// look it only tells which one that is.
func (d Desktop) Media(ctx context.Context, action Action, volume int, look bool) (State, error) {
	conn, err := d.bus(ctx)
	if err != nil {
		return State{}, err
	}
	defer conn.Close() // nothing is waiting to be sent
	s, err := choose(ctx, conn, action)
	if err != nil {
		return s, err
	}
	p := conn.Object(s.busName, playerPath)
	want := target(s, action, volume)
	if m := methods[action]; m.name != "" {
		if can, err := property[bool](ctx, p, m.can); err == nil && !can {
			return s, refuse("Tell the person so.", "The player cannot do that just now (%s).", action)
		}
	} else if s.Volume < 0 {
		return s, refuse("Tell the person so.", "The player has no volume to change.")
	}
	if look {
		return s, nil
	}
	if err := tell(ctx, p, action, want); err != nil {
		return s, refuse("Tell the person so.", "The player did not do it.")
	}
	return settle(ctx, p, s, action, want), nil
}

// HasBus tells whether there is a bus that players could be on.
func (d Desktop) HasBus() bool {
	_, err := d.busAddress()
	return err == nil
}

// busAddress is where the session's bus is.
func (d Desktop) busAddress() (string, error) {
	if runtime.GOOS != "linux" {
		return "", refuse("Tell the person so.", "Media players can be controlled on Linux only.")
	}
	address := d.get("DBUS_SESSION_BUS_ADDRESS")
	if address != "" && !strings.HasPrefix(address, "autolaunch:") {
		return address, nil
	}
	socket := filepath.Join(d.get("XDG_RUNTIME_DIR"), "bus") // where systemd puts it
	if info, err := os.Stat(socket); err != nil || info.Mode()&os.ModeSocket == 0 || d.get("XDG_RUNTIME_DIR") == "" {
		return "", noBus
	}
	return "unix:path=" + dbus.EscapeBusAddressValue(socket), nil
}

// bus connects to the session's bus. It starts none.
func (d Desktop) bus(ctx context.Context) (*dbus.Conn, error) {
	address, err := d.busAddress()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerFor)
	defer cancel()
	conn, err := dbus.Dial(address)
	if err != nil {
		return nil, noBus
	}
	ready := make(chan error, 1)
	go func() { ready <- errors.Join(conn.Auth(nil), conn.Hello()) }()
	select {
	case err = <-ready:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close() // which also ends the goroutine
		return nil, noBus
	}
	return conn, nil
}

// noBus is the error for a loci that runs outside a desktop session.
var noBus = &loci.ToolError{
	Message:    "There is no desktop session here, so no media player can be reached.",
	Suggestion: "Tell the person that loci has to run inside their desktop session (D-Bus) for that.",
	ForPerson:  "Start loci inside your desktop session (D-Bus) for that.",
}

// choose finds the player: one that plays comes first, then one that is paused. What
// ends or changes the playing needs one that plays.
func choose(ctx context.Context, conn *dbus.Conn, action Action) (State, error) {
	var names []string
	if err := call(ctx, conn.BusObject(), "org.freedesktop.DBus.ListNames").Store(&names); err != nil {
		return State{}, noBus
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, playerPrefix) })
	slices.Sort(names)
	order := []string{"Playing", "Paused", "Stopped"}
	if action == Pause || action == Stop {
		order = order[:1]
	}
	best, rank := State{}, len(order)
	for _, n := range names[:min(len(names), mostPlayers)] {
		s, err := state(ctx, conn.Object(n, playerPath))
		if r := slices.Index(order, s.Status); err == nil && r >= 0 && r < rank {
			best, rank = s, r
			best.busName, best.Player = n, strings.TrimPrefix(n, playerPrefix)
		}
	}
	if rank == len(order) {
		return State{}, errNothing
	}
	return best, ctx.Err()
}

// call calls a method, with a limit for the answer.
func call(ctx context.Context, o dbus.BusObject, method string, args ...any) *dbus.Call {
	ctx, cancel := context.WithTimeout(ctx, answerFor)
	defer cancel()
	return o.CallWithContext(ctx, method, 0, args...)
}

// property reads a property of a player.
func property[T any](ctx context.Context, p dbus.BusObject, name string) (value T, err error) {
	var v dbus.Variant
	if err := call(ctx, p, "org.freedesktop.DBus.Properties.Get", playerFace, name).Store(&v); err != nil {
		return value, err
	}
	return value, v.Store(&value)
}

// state asks a player what it does.
func state(ctx context.Context, p dbus.BusObject) (s State, err error) {
	if s.Status, err = property[string](ctx, p, "PlaybackStatus"); err != nil {
		return s, err
	}
	if meta, err := property[map[string]dbus.Variant](ctx, p, "Metadata"); err == nil {
		s.Artist, s.Title = words(meta["xesam:artist"]), words(meta["xesam:title"])
		s.track = fmt.Sprint(meta["mpris:trackid"].Value(), s.Artist, s.Title)
	}
	s.Volume = -1
	if v, err := property[float64](ctx, p, "Volume"); err == nil && v >= 0 && v <= 100 {
		s.Volume = percent(v)
	}
	return s, nil
}

// words are the texts in what a player says; it may be anything.
func words(v dbus.Variant) string {
	switch v := v.Value().(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, ", ")
	}
	return ""
}

func percent(v float64) int { return int(math.Round(v * 100)) }

// target is the volume that an action leads to.
func target(s State, action Action, volume int) float64 {
	now := float64(s.Volume) / 100
	switch action {
	case VolumeUp:
		return min(max(now, 1), now+volumeStep)
	case VolumeDown:
		return max(0, now-volumeStep)
	}
	return float64(min(max(volume, 0), 100)) / 100
}

// tell gives a player an order.
func tell(ctx context.Context, p dbus.BusObject, action Action, volume float64) error {
	if m := methods[action]; m.name != "" {
		return call(ctx, p, playerFace+"."+m.name).Err
	}
	return call(ctx, p, "org.freedesktop.DBus.Properties.Set", playerFace, "Volume", dbus.MakeVariant(volume)).Err
}

// settle waits until a player is seen to do what it was told: they answer first and
// act then.
func settle(ctx context.Context, p dbus.BusObject, before State, action Action, volume float64) State {
	ctx, cancel := context.WithTimeout(ctx, settleFor)
	defer cancel()
	last := before
	for {
		if s, err := state(ctx, p); err == nil {
			s.Player, s.busName = before.Player, before.busName
			s.Done = done(before, s, action, volume)
			if last = s; s.Done {
				return s
			}
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// done tells whether an order was followed.
func done(before, now State, action Action, volume float64) bool {
	switch action {
	case Play:
		return now.Status == "Playing"
	case Pause:
		return now.Status == "Paused"
	case PlayPause:
		return now.Status != before.Status
	case Stop:
		return now.Status == "Stopped"
	case Next, Previous:
		return now.track != before.track
	}
	return now.Volume == percent(volume)
}
