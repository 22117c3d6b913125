package server

import (
	"fmt"
	"strings"
	"testing"

	"loci"
)

func TestParseBackend(t *testing.T) {
	for address, want := range map[string]Backend{
		"http://127.0.0.1:11434":        {URL: "http://127.0.0.1:11434", Dialect: loci.Ollama, Kind: KindOllama},
		"http://127.0.0.1:11434/":       {URL: "http://127.0.0.1:11434", Dialect: loci.Ollama, Kind: KindOllama},
		"http://127.0.0.1:11434/api":    {URL: "http://127.0.0.1:11434", Dialect: loci.Ollama, Kind: KindOllama},
		"http://127.0.0.1:11434/v1":     {URL: "http://127.0.0.1:11434/v1", Dialect: loci.OpenAI},
		"http://127.0.0.1:8080/v1/":     {URL: "http://127.0.0.1:8080/v1", Dialect: loci.OpenAI},
		"http://127.0.0.1:8080":         {URL: "http://127.0.0.1:8080"},
		"https://models.example/ollama": {URL: "https://models.example/ollama"},
		"https://api.example/v1":        {URL: "https://api.example/v1", Dialect: loci.OpenAI},
		"127.0.0.1:8080":                {URL: "http://127.0.0.1:8080"},
		"localhost:8080/v1":             {URL: "http://localhost:8080/v1", Dialect: loci.OpenAI},
		// OLLAMA_HOST
		"0.0.0.0":           {URL: "http://127.0.0.1:11434", Dialect: loci.Ollama, Kind: KindOllama},
		"0.0.0.0:1234":      {URL: "http://127.0.0.1:1234"},
		":9000":             {URL: "http://127.0.0.1:9000"},
		"box":               {URL: "http://box:11434", Dialect: loci.Ollama, Kind: KindOllama},
		" box:80 ":          {URL: "http://box:80"},
		"[::]:11434":        {URL: "http://[::1]:11434", Dialect: loci.Ollama, Kind: KindOllama},
		"::1":               {URL: "http://[::1]:11434", Dialect: loci.Ollama, Kind: KindOllama},
		"[::1]":             {URL: "http://[::1]:11434", Dialect: loci.Ollama, Kind: KindOllama},
		"http://0.0.0.0":    {URL: "http://127.0.0.1"},
		"https://box/v1":    {URL: "https://box/v1", Dialect: loci.OpenAI},
		"http://[fe80::1]/": {URL: "http://[fe80::1]"},
	} {
		got, err := ParseBackend(address)
		if err != nil || got != want {
			t.Errorf("%q: %+v %v, want %+v", address, got.URL, err, want.URL)
		}
	}
	for _, address := range []string{"", "://", "ftp://x", "http://", "http://x?y=1", "http://x#y", "http://u:p@x", "x:0", "x:65536", "x:abc", "http://x y", "/v1", "http:///v1", "\x00"} {
		if b, err := ParseBackend(address); loci.AsError(err) == nil || loci.AsError(err).Code != loci.Invalid {
			t.Errorf("%q: %v %v", address, b, err)
		}
	}
	_, err := ParseBackend("http://user:secret@x")
	if strings.Contains(fmt.Sprint(err), "secret") {
		t.Errorf("a password in an error: %v", err)
	}
}

func FuzzParseBackend(f *testing.F) {
	for _, s := range []string{"http://127.0.0.1:11434", "::1", ":1", "[::1%25lo]:80/v1", "x/v1/api", "::%25\xfa0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		b, err := ParseBackend(address)
		if err != nil {
			if loci.AsError(err).Code != loci.Invalid {
				t.Fatal(err)
			}
			return
		}
		again, err := ParseBackend(b.URL)
		if err != nil || again != b {
			t.Fatalf("%q → %+v → %+v, %v", address, b, again, err)
		}
	})
}

func TestLoopbackAndNearby(t *testing.T) {
	for address, want := range map[string][2]bool{
		"localhost":           {true, true},
		"127.0.0.2":           {true, true},
		"::1":                 {true, true},
		"[::ffff:127.0.0.1]":  {true, true},
		"192.168.1.5":         {false, true},
		"box":                 {false, true},
		"box.local":           {false, true},
		"8.8.8.8":             {false, false},
		"localhost.evil.test": {false, false},
		"127.0.0.1.nip.io":    {false, false},
		"api.openai.com":      {false, false},
	} {
		b, err := ParseBackend(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{b.Loopback(), b.nearby()}; got != want {
			t.Errorf("%s: loopback, nearby = %v, want %v", address, got, want)
		}
	}
}

// TestProxy makes sure that what is on this machine is not asked for through a
// proxy, and that the purpose of a call stays on this machine.
func TestProxy(t *testing.T) {
	if c := client(t, "127.0.0.1:1/v1", ""); c.transport.Proxy != nil {
		t.Error("loopback goes through a proxy")
	}
	if c := client(t, "https://api.example/v1", ""); c.transport.Proxy == nil {
		t.Error("a remote server does not go through the proxy of the environment")
	}
}

func TestKeyStaysSecret(t *testing.T) {
	b := Backend{URL: "http://x/v1", Key: "top-secret"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if s := fmt.Sprintf(format, b); strings.Contains(s, "top-secret") {
			t.Errorf("%s: %s", format, s)
		}
	}
}

// FuzzAnswers reads what a server may say about itself and its models.
func FuzzAnswers(f *testing.F) {
	for _, name := range []string{"llama_models.json", "llama_props.json", "ollama_tags.json", "ollama_show.json"} {
		f.Add(recorded(f, name))
	}
	f.Add(`{"data":[{"id":"x","meta":{"n_params":-1}},null,7]}`)
	f.Fuzz(func(t *testing.T, body string) {
		a := answer{status: 200, body: []byte(body)}
		ownersOf(a)
		for _, p := range fingerprints {
			p.matches(a)
		}
		for id, e := range entriesOf([]byte(body)) {
			m := loci.ModelInfo{ID: id}
			e.complete(&m)
			if n := paramsOf(m.Parameters); n < 0 {
				t.Errorf("%d parameters", n)
			}
		}
		if modelfileWindow(body) < 0 || paramsOf(body) < 0 || len(familyOf(body)) > len(body) {
			t.Error("out of range")
		}
	})
}
