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
	// Outside is the base URL for other machines, empty where they cannot come.
	Outside string `json:"-"`
	// Fingerprint is the SHA-256 of the certificate, empty where nothing is encrypted.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// listen opens the configured address and finds out who can reach it there.
func (a *App) listen(ctx context.Context) (err error) {
	address := a.opts.Config.Listen
	l, err := listen(ctx, address)
	if err != nil {
		return err
	}
	a.listener = limit(l, mostConnections, mostFrom, a.opts.Logger)
	a.undo = append(a.undo, func() error { return ignoreClosed(a.listener.Close()) })
	at := a.listener.Addr().(*net.TCPAddr).AddrPort()
	a.hosts = hosts(address, at)
	a.outside = outside(a.hosts, at)
	return a.secure(ctx)
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

// outside gives the base URL at which other machines reach an address that was
// opened, empty where it is open to this machine alone. For all addresses of the
// machine it is the first that is no loopback or link-local one, if there is one.
func outside(hosts []string, at netip.AddrPort) string {
	if at.Addr().Unmap().IsLoopback() {
		return ""
	}
	if at.Addr().IsUnspecified() {
		for _, h := range hosts {
			if ip, err := netip.ParseAddrPort(h); err == nil && ip.Addr().IsGlobalUnicast() {
				return "http://" + h
			}
		}
	}
	return "http://" + at.String()
}

// Addresses tells where the program listens. Who listens on all addresses is
// reached from this machine at its loopback address.
func (a *App) Addresses() Addresses {
	at := a.listener.Addr().(*net.TCPAddr).AddrPort()
	if at.Addr().IsUnspecified() {
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	owner, chat := a.keys.Secrets()
	ad := At(a.scheme()+at.String(), owner, chat)
	ad.Outside, ad.Fingerprint = a.outside, a.Fingerprint()
	return ad
}

// At gives what a client needs to connect to a loci at a base URL.
func At(url, key, chatKey string) Addresses {
	return Addresses{URL: url, OpenAI: url + "/v1", Ollama: url, Key: key, Chat: url + "/k/" + chatKey}
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
