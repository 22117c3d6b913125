package app

import (
	"crypto/x509"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loci"
	"loci/internal/config"
)

// trusting is a client that trusts what a PEM file holds, and nothing else.
func trusting(t *testing.T, file string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatal("no certificate in", file)
	}
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.TLSClientConfig.RootCAs = pool
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// A certificate of loci's own lets other machines in encrypted; our commands trust
// that very one, and clients can be told to.
func TestOwnCertificate(t *testing.T) {
	o := options(t, nowhere)
	said := &notes{}
	o.Config.Listen, o.Config.TLS.Kind, o.Config.AllowedHosts, o.Say = "0.0.0.0:0", "self", []string{"loci.example:443"}, said.say
	a := build(t, o)
	serving(t, a)
	ad := a.Addresses()
	if !strings.HasPrefix(ad.URL, "https://127.0.0.1:") || len(ad.Fingerprint) != 95 || ad.Outside != "" && !strings.HasPrefix(ad.Outside, "https://") {
		t.Fatalf("%+v", ad)
	}
	if strings.Contains(said.String(), "nothing on the way") {
		t.Errorf("the person is told: %s", said)
	}
	run, running, err := config.ReadRun(o.Paths)
	if err != nil || !running || run.Fingerprint != ad.Fingerprint || run.URL != ad.URL {
		t.Fatalf("%+v %v", run, err)
	}
	folder := filepath.Dir(o.Paths.Key)
	name := strings.Replace(ad.URL, "127.0.0.1", "localhost", 1)
	for url, client := range map[string]*http.Client{ad.URL: run.Client(), name: trusting(t, filepath.Join(folder, "tls-cert.pem"))} {
		res, err := client.Get(url + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		client.CloseIdleConnections()
		if res.StatusCode != 200 || res.TLS.Version < 0x0303 || res.Proto != "HTTP/1.1" {
			t.Errorf("%s: %d %s", url, res.StatusCode, res.Proto)
		}
	}
	run.Fingerprint = strings.Repeat("0", 64)
	if _, err := run.Client().Get(ad.URL + "/healthz"); err == nil || !strings.Contains(err.Error(), "not the certificate") {
		t.Errorf("another certificate is trusted: %v", err)
	}
	if res, err := http.Get("http" + strings.TrimPrefix(ad.URL, "https") + "/healthz"); err == nil {
		res.Body.Close()
		if res.StatusCode == 200 {
			t.Error("it also answers unencrypted")
		}
	}
	info, err := os.Stat(filepath.Join(folder, "tls-key.pem"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has the mode %v: %v", info.Mode(), err)
	}
}

// Nothing goes to another machine unencrypted unless the person said so for that
// server.
func TestRemoteBackends(t *testing.T) {
	for url, want := range map[string]bool{
		"http://127.0.0.1:1": true, "http://localhost:1": true, "http://[::1]:1/v1": true, "https://models.example/v1": true, "https://192.168.1.20": true,
		"http://192.168.1.20:8080/v1": false, "http://10.0.0.1": false, "http://models.example": false, "http://box:11434": false,
		"http://169.254.1.1": false, "http://localhost.example": false, "http://[fd00::1]:1": false, "http://127.0.0.1.example": false,
	} {
		_, err := configured(config.Config{Backends: []config.Backend{{URL: url}}})
		if (err == nil) != want {
			t.Errorf("%s: %v", url, err)
		}
		if e, ok := errors.AsType[*config.Error](err); err != nil && (!ok || !strings.Contains(e.Err.Hint, "insecure: true") || e.Err.Code != loci.Invalid) {
			t.Errorf("%s: %v", url, err)
		}
		if _, err := configured(config.Config{Backends: []config.Backend{{URL: url, Insecure: true}}}); err != nil {
			t.Errorf("%s, allowed: %v", url, err)
		}
	}
}

// The rights of a made key decide whether folders mean anything for it.
func TestFoldersOfKeys(t *testing.T) {
	c := config.Config{Principals: map[string]config.Rights{
		"key:bot": {Folders: []config.Folder{{Path: "/shared"}}}, "ann@example.com": {Folders: []config.Folder{{Path: "/ann"}}},
		"key:bot/user:9": {Folders: []config.Folder{{Path: "/nine"}}},
	}}
	reads := []loci.Right{loci.RightChat, loci.RightReadTools}
	for name, e := range map[string]struct {
		who  loci.Principal
		want int
	}{
		"may look":                        {loci.Principal{ID: "key:bot", Rights: reads}, 1},
		"may only chat":                   {loci.Principal{ID: "key:bot", Rights: reads[:1]}, 0},
		"another key":                     {loci.Principal{ID: "key:other", Rights: reads}, 0},
		"with somebody's address":         {loci.Principal{ID: "key:other/user:ann", Email: "ann@example.com", Rights: reads[:1]}, 0},
		"a user behind it":                {loci.Principal{ID: "key:bot/user:9", Rights: reads[:1]}, 0},
		"a forwarded user":                {loci.Principal{ID: "user:1", Email: "Ann@example.com", Rights: reads[:1]}, 1},
		"a user who is called like a key": {loci.Principal{ID: "user:key:bot", Rights: reads[:1]}, 0},
	} {
		if got := rights(c, e.who); len(got) != e.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
