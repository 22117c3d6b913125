package app

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"

	"loci"
	"loci/internal/config"
	"loci/internal/door"
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
	l, err := door.Listen(ctx, address)
	if err != nil {
		return err
	}
	a.listener = door.Limit(l, door.MostConnections, door.MostFrom, a.opts.Logger)
	a.undo = append(a.undo, func() error { return ignoreClosed(a.listener.Close()) })
	at := a.listener.Addr().(*net.TCPAddr).AddrPort()
	a.hosts = door.Hosts(address, at)
	a.outside = door.Outside(a.hosts, at)
	return a.secure(ctx)
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
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

// secure gets ready to encrypt what the listener takes, if that is configured, and refuses to open
// loci to other machines otherwise, unless the person says that they want that.
func (a *App) secure(context.Context) (err error) {
	if !a.opts.Config.TLS.On() {
		return a.mayOpen(a.outside)
	}
	if a.cert, err = door.NewCertificate(a.opts.Config, a.opts.Paths); err != nil {
		return err
	}
	if a.outside = strings.Replace(a.outside, "http://", "https://", 1); a.outside != "" {
		a.opts.Say("Other machines can reach loci at %s.", a.outside)
	}
	return nil
}

// doors is the listener as the server uses it.
func (a *App) doors() net.Listener {
	if a.cert == nil {
		return a.listener
	}
	return a.cert.Encrypt(a.listener)
}

// mayOpen says whether other machines may come at an address without encryption; it
// is empty where they cannot.
func (a *App) mayOpen(outside string) error {
	c := a.opts.Config
	switch {
	case outside == "":
		return nil
	case !c.Insecure:
		return &config.Error{Field: "listen", Err: loci.Errorf(loci.Invalid, "loci does not listen on %s: other machines could reach it there, and nothing on the way would be encrypted.", c.Listen).
			WithHint("Set tls: self, or tls with cert and key; or insecure: true, if it may be so.")}
	}
	a.opts.Say("Other machines can reach loci at %s, and nothing on the way to them is encrypted.", outside)
	a.opts.Logger.Warn("other machines can reach loci, unencrypted", "listen", c.Listen)
	return nil
}

// scheme is that of the addresses of this loci.
func (a *App) scheme() string {
	if a.cert != nil {
		return "https://"
	}
	return "http://"
}

// Fingerprint is that of the certificate, empty where nothing is encrypted.
func (a *App) Fingerprint() string {
	if a.cert == nil {
		return ""
	}
	return a.cert.Fingerprint()
}
