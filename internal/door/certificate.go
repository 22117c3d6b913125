package door

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
	"log/slog"
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

// Certificate is what proves to clients that they talk to this loci. It follows its
// files.
type Certificate struct {
	names    []string // for which it has to be made; nil: the files are somebody else's
	crt, key string   // the files
	mu       sync.Mutex
	now      *tls.Certificate
	seen     [2]time.Time // of the files
}

// NewCertificate reads the configured certificate, or makes one.
func NewCertificate(c config.Config, p config.Paths) (*Certificate, error) {
	k := &Certificate{crt: c.TLS.Cert, key: c.TLS.Key}
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

// Fingerprint is the SHA-256 of the certificate that holds now.
func (k *Certificate) Fingerprint() string { return config.Fingerprint(k.get().Certificate[0]) }

// Encrypt makes a listener whose connections are encrypted.
func (k *Certificate) Encrypt(l net.Listener) net.Listener {
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12,
		// The limits for slow clients are made for it, and WebSockets need it.
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return k.get(), nil },
	})
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

// get is the certificate that holds now.
func (k *Certificate) get() *tls.Certificate {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// renew makes the certificate if it is loci's own to make, and there is none that
// will hold for a while and for all names. What clients were told to trust does not
// change without need: the addresses of this machine are in it as they were then.
func (k *Certificate) renew() error {
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
func (k *Certificate) create() error {
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
func (k *Certificate) refresh() (changed bool, err error) {
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

// Watch follows the files until ctx ends, renews a certificate of loci's own in time, and
// tells of each change.
func (k *Certificate) Watch(ctx context.Context, logger *slog.Logger, changed func()) {
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
		if leaf := k.get().Leaf; k.names != nil && time.Until(leaf.NotAfter) < renewBefore {
			if err := k.create(); err != nil {
				logger.Error("the certificate could not be renewed", "error", err)
			}
		}
		other, err := k.refresh()
		switch {
		case err != nil && err.Error() != told:
			told = err.Error()
			logger.Error("the certificate stays as it was", "error", err)
		case other:
			told = ""
			logger.Info("the certificate has changed", "fingerprint", k.Fingerprint())
			changed()
		}
	}
}
