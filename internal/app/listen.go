package app

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"

	psnet "github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"

	"loci"
)

// Addresses is what a client needs to connect.
type Addresses struct {
	URL    string `json:"url"`
	OpenAI string `json:"openai"` // base URL for OpenAI clients
	Ollama string `json:"ollama"` // base URL for Ollama clients
	Key    string `json:"key"`    // the owner's
	Chat   string `json:"-"`      // base URL for clients that cannot send a key
}

// listen opens the configured address and finds out who can reach it there.
func (a *App) listen(ctx context.Context) (err error) {
	address := a.opts.Config.Listen
	if a.listener, err = listen(ctx, address); err != nil {
		return err
	}
	a.undo = append(a.undo, func() error { return ignoreClosed(a.listener.Close()) })
	at := a.listener.Addr().(*net.TCPAddr).AddrPort()
	a.hosts = hosts(address, at)
	if !at.Addr().Unmap().IsLoopback() {
		const warning = "Other machines can reach loci at %s, and nothing on the way to them is encrypted."
		a.opts.Say(warning, address)
		a.opts.Logger.Warn("other machines can reach loci, unencrypted", "listen", address)
	}
	return nil
}

// listen opens an address. An error names the program that holds it, as far as
// the system tells.
func listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, loci.Wrap(loci.Invalid, err, "%.200q is not an address to listen on.", address).WithHint("Write it like 127.0.0.1:5624.")
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		why := holder(port)
		if errno, ok := errors.AsType[syscall.Errno](err); ok && why == "" {
			why = ": " + errno.Error()
		}
		return nil, loci.Wrap(loci.Conflict, err, "loci cannot listen on %s%s.", address, why).
			WithHint("Stop what is there, or choose another port, for example: --listen %s", net.JoinHostPort(host, "0"))
	}
	return l, nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// hosts gives what clients may write as the Host of a request to an address that
// was opened: its name, its number, and where it stands for all addresses of this
// machine, those and the machine's name. An address cannot be forged by the owner
// of a web page's name, and the name is the machine's own.
func hosts(address string, at netip.AddrPort) []string {
	host, _, _ := net.SplitHostPort(address) // it was opened, so it is valid
	names := []string{host, at.Addr().Unmap().String()}
	if at.Addr().IsUnspecified() {
		names = nil
		if name, err := os.Hostname(); err == nil {
			names = append(names, name)
		}
		interfaces, err := net.InterfaceAddrs()
		if err != nil {
			interfaces = nil // then allowed_hosts has to say them
		}
		for _, i := range interfaces {
			if n, ok := i.(*net.IPNet); ok {
				names = append(names, n.IP.String())
			}
		}
	}
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = net.JoinHostPort(name, strconv.Itoa(int(at.Port())))
	}
	return all
}

// Addresses tells where the program listens. Who listens on all addresses is
// reached from this machine at its loopback address.
func (a *App) Addresses() Addresses {
	at := a.listener.Addr().(*net.TCPAddr).AddrPort()
	if at.Addr().IsUnspecified() {
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	url := "http://" + at.String()
	return Addresses{
		URL:    url,
		OpenAI: url + "/v1",
		Ollama: url,
		Key:    a.keys.Owner,
		Chat:   url + "/k/" + a.keys.Chat,
	}
}

// holder tells which program listens on a port, as far as the system tells.
func holder(port string) string {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return ""
	}
	connections, err := psnet.Connections("tcp")
	if err != nil {
		return ""
	}
	for _, c := range connections {
		if c.Status != "LISTEN" || c.Laddr.Port != uint32(number) || c.Pid == 0 {
			continue
		}
		name := "a program"
		if p, err := process.NewProcess(c.Pid); err == nil {
			if n, err := p.Name(); err == nil {
				name = n
			}
		}
		return ": " + name + " (process " + strconv.Itoa(int(c.Pid)) + ") holds the port"
	}
	return ""
}
