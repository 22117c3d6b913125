package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"loci"
	"loci/internal/config"
)

const (
	certificateLife = 365 * 24 * time.Hour
	renewBefore     = 30 * 24 * time.Hour // its end
)

// secure gets ready to encrypt what the listener takes, if that is configured, and refuses to open
// loci to other machines otherwise, unless the person says that they want that.
func (a *App) secure(context.Context) (err error) {
	if !a.opts.Config.TLS.On() {
		return a.mayOpen(a.outside)
	}
	if a.cert, err = newCertificate(a.opts.Config, a.opts.Paths); err != nil {
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
	return tls.NewListener(a.listener, &tls.Config{
		MinVersion: tls.VersionTLS12,
		// The limits for slow clients are made for it, and WebSockets need it.
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return a.cert.get(), nil },
	})
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
	return config.Fingerprint(a.cert.get().Certificate[0])
}

// certificate is what proves to clients that they talk to this loci. It follows its
// files.
type certificate struct {
	names    []string // for which it has to be made; nil: the files are somebody else's
	crt, key string   // the files
	mu       sync.Mutex
	now      *tls.Certificate
	seen     [2]time.Time // of the files
}

// newCertificate reads the configured certificate, or makes one.
func newCertificate(c config.Config, p config.Paths) (*certificate, error) {
	k := &certificate{crt: c.TLS.Cert, key: c.TLS.Key}
	wrong := ""
	switch {
	case k.crt != "" && k.key == "":
		wrong = "cert without key"
	case k.crt == "" && k.key != "":
		wrong = "key without cert"
	case k.crt != "" && c.TLS.Kind != "":
		wrong = "files, and self"
	}
	if wrong != "" {
		return nil, &config.Error{File: p.Config, Field: "tls", Err: loci.Errorf(loci.Invalid, "The setting tls has %s.", wrong).
			WithHint("Set both cert and key, or tls: self alone.")}
	}
	if k.crt == "" {
		folder := filepath.Dir(p.Key)
		k.crt, k.key = filepath.Join(folder, "tls-cert.pem"), filepath.Join(folder, "tls-key.pem")
		k.names = certificateNames(c)
	}
	if err := k.renew(); err != nil {
		return nil, err
	}
	_, err := k.refresh()
	return k, err
}

// certificateNames are what clients may call this loci: what it listens on, what the
// configuration allows, and this machine.
func certificateNames(c config.Config) []string {
	host, _, _ := net.SplitHostPort(c.Listen) // it was opened, so it is valid
	names := []string{"localhost", "127.0.0.1", "::1"}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		names = append(names, host)
	}
	for _, h := range c.AllowedHosts {
		if name, _, err := net.SplitHostPort(h); err == nil {
			h = name
		}
		names = append(names, strings.ToLower(h))
	}
	return names
}

func (k *certificate) get() *tls.Certificate {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// renew makes the certificate if it is loci's own to make, and there is none that
// will hold for a while and for all names. What clients were told to trust does not
// change without need: the addresses of this machine are in it as they were then.
func (k *certificate) renew() error {
	if k.names == nil {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(k.crt, k.key)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return badCertificate(k.crt, err)
	}
	if err == nil && time.Until(pair.Leaf.NotAfter) > renewBefore && covers(pair.Leaf, k.names) {
		return nil
	}
	return k.create()
}

func covers(leaf *x509.Certificate, names []string) bool {
	for _, name := range names {
		if leaf.VerifyHostname(name) != nil {
			return false
		}
	}
	return true
}

// create makes a certificate for a year and a key for it. P-256 is what all clients
// know.
func (k *certificate) create() error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	t := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "loci"},
		NotBefore:    time.Now().Add(-time.Hour), // clocks differ
		NotAfter:     time.Now().Add(certificateLife),
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		// Some clients only trust what may sign itself.
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
	}
	for _, name := range append(k.names, machineNames()...) {
		if ip := net.ParseIP(name); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, private.Public(), private)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	return errors.Join(
		config.WritePrivate(k.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})),
		config.WritePrivate(k.crt, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

// machineNames are the name and the addresses that others may know this machine by.
func machineNames() (names []string) {
	if name, err := os.Hostname(); err == nil {
		names = append(names, strings.ToLower(name))
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return names
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			names = append(names, n.IP.String())
		}
	}
	return names
}

// refresh reads the files again if they have changed, and tells so. While they cannot
// be read, what was read before stays.
func (k *certificate) refresh() (changed bool, err error) {
	var seen [2]time.Time
	for i, file := range []string{k.crt, k.key} {
		info, err := os.Stat(file)
		if err != nil {
			return false, badCertificate(file, err)
		}
		seen[i] = info.ModTime()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if seen == k.seen {
		return false, nil
	}
	pair, err := tls.LoadX509KeyPair(k.crt, k.key)
	if err != nil {
		return false, badCertificate(k.crt, err)
	}
	k.now, k.seen = &pair, seen
	return true, nil
}

func badCertificate(file string, err error) error {
	return &config.Error{Field: "tls", Err: loci.Wrap(loci.Invalid, err, "The certificate %s and its key cannot be used: %v.", file, err).
		WithHint("Correct the files; one that loci made is made anew when both are removed.")}
}

// watchCertificate follows the files until ctx ends.
func (a *App) watchCertificate(ctx context.Context) {
	const often = time.Second
	tick := time.NewTicker(often)
	defer tick.Stop()
	told := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if leaf := a.cert.get().Leaf; a.cert.names != nil && time.Until(leaf.NotAfter) < renewBefore {
			if err := a.cert.create(); err != nil {
				a.opts.Logger.Error("the certificate could not be renewed", "error", err)
			}
		}
		changed, err := a.cert.refresh()
		switch {
		case err != nil && err.Error() != told:
			told = err.Error()
			a.opts.Logger.Error("the certificate stays as it was", "error", err)
		case changed:
			told = ""
			a.opts.Logger.Info("the certificate has changed", "fingerprint", a.Fingerprint())
			a.tellOthers()
		}
	}
}
