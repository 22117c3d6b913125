// Package door is where clients come in: the address that loci listens on, how many
// connections are open there at once, and what proves to clients that it is loci.
package door

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

// Listen opens an address. An error names the program that holds it, as far as
// the system tells.
func Listen(ctx context.Context, address string) (net.Listener, error) {
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

// Hosts gives what clients may write as the Host of a request to an address that
// was opened: its name, its number, and where it stands for all addresses of this
// machine, those and the machine's name. An address cannot be forged by the owner
// of a web page's name, and the name is the machine's own.
func Hosts(address string, at netip.AddrPort) []string {
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

// Outside gives the base URL at which other machines reach an address that was
// opened, empty where it is open to this machine alone. For all addresses of the
// machine it is the first that is no loopback or link-local one, if there is one.
func Outside(hosts []string, at netip.AddrPort) string {
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
