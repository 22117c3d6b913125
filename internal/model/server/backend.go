package server

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"loci"
	"loci/internal/where"
	"loci/internal/wire"
)

// Kind is the program that a backend is.
type Kind string

// The model servers that loci can tell apart. The empty kind is any other.
const (
	KindOllama      Kind = "ollama"
	KindLlamaServer Kind = "llama-server"
	KindLMStudio    Kind = "lm studio"
	KindVLLM        Kind = "vllm"
	KindLocalAI     Kind = "localai"
	KindJan         Kind = "jan"
	KindTextGen     Kind = "text-generation-webui"
	KindKobold      Kind = "koboldcpp"
)

// products says how to name a kind to a person and how to start it.
var products = map[Kind]struct{ name, start string }{
	KindOllama:      {"Ollama", "Start it with: ollama serve"},
	KindLlamaServer: {"llama-server", "Start it with: llama-server -m MODEL.gguf"},
	KindLMStudio:    {"LM Studio", "Start it with: lms server start"},
	KindVLLM:        {"vLLM", "Start it with: vllm serve MODEL"},
	KindLocalAI:     {"LocalAI", "Start it with: local-ai run"},
	KindJan:         {"Jan", "Open Jan and switch on its local API server."},
	KindTextGen:     {"text-generation-webui", "Start it with the flag --api"},
	KindKobold:      {"KoboldCpp", "Start it with: koboldcpp MODEL.gguf"},
}

// String is the product's own spelling of its name, for the beginning of a
// sentence.
func (k Kind) String() string {
	if p, ok := products[k]; ok {
		return p.name
	}
	return "The model server"
}

// ollamaPort is where Ollama listens unless told otherwise.
const ollamaPort = "11434"

// Backend is the address of a model server.
type Backend struct {
	URL     string       // base URL without a slash at the end; ends in /v1 for OpenAI
	Dialect loci.Dialect // empty: not known yet, a Client asks the server
	Key     string       // the backend's own API key; may be empty
	Kind    Kind         // as far as known
	// Name is what to store things under if the address holds for this run of the
	// program only, and Digest is that of the one model it has then; empty: the address.
	Name   string
	Digest string
}

// Stable is what a backend is known by from one run of the program to the next.
func (b Backend) Stable() string { return cmp.Or(b.Name, b.URL) }

// ParseBackend reads a backend's address: a URL, or host, host:port or :port as
// in OLLAMA_HOST. What ends in /v1 speaks OpenAI. Anything else is taken for
// Ollama, but unless it is on Ollama's own port the Client asks first.
func ParseBackend(address string) (Backend, error) {
	text := strings.TrimSpace(address)
	bare := !strings.Contains(text, "://")
	if bare {
		text = "http://" + bracket(text)
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return Backend{}, badAddress(address, "Write it like http://127.0.0.1:11434 or http://127.0.0.1:8080/v1")
	}
	if u.User != nil {
		return Backend{}, badAddress("…@"+u.Host, "Leave the password out of the address; a key has a setting of its own.")
	}
	port := u.Port()
	if port == "" && bare {
		port = ollamaPort
	}
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return Backend{}, badAddress(address, "The port is a number from 1 to 65535.")
	}
	u.Host = hostPort(u.Hostname(), port)
	u.Path = strings.TrimRight(u.Path, "/")
	u.Path = strings.TrimSuffix(u.Path, "/api")
	b := Backend{URL: u.String()}
	if _, err := url.Parse(b.URL); err != nil { // such as a zone that an address cannot spell
		return Backend{}, badAddress(address, "Write it like http://127.0.0.1:11434 or http://127.0.0.1:8080/v1")
	}
	switch {
	case strings.HasSuffix(u.Path, "/v1"):
		b.Dialect = loci.OpenAI
	case port == ollamaPort:
		b.Dialect, b.Kind = loci.Ollama, KindOllama
	}
	return b, nil
}

func badAddress(address, hint string) error {
	return loci.Errorf(loci.Invalid, "%q is not the address of a model server.", wire.Clip(address)).WithHint("%s", hint)
}

// bracket puts an IPv6 address without port into the brackets that a URL needs.
func bracket(host string) string {
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() {
		return "[" + host + "]"
	}
	return host
}

// hostPort joins host and port. A server's listening address (0.0.0.0, ::, or
// nothing) is where it listens, not where it can be called: that is loopback.
func hostPort(host, port string) string {
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	if port == "" {
		return strings.TrimSuffix(net.JoinHostPort(host, ""), ":")
	}
	return net.JoinHostPort(host, port)
}

// root is the URL of the server, without /v1.
func (b Backend) root() string { return strings.TrimSuffix(b.URL, "/v1") }

// Loopback tells whether the backend is on this machine.
func (b Backend) Loopback() bool {
	u, err := url.Parse(b.URL)
	return err == nil && where.Here(u.Hostname())
}

// nearby tells whether a backend is on this machine or its local network, as
// far as its address tells: a private address (RFC 1918, RFC 4193), a name
// without a dot, or one under a suffix that is never registered. No name is
// resolved for it, since that would already tell somebody.
func (b Backend) nearby() bool {
	u, err := url.Parse(b.URL)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if a, err := netip.ParseAddr(host); err == nil {
		a = a.Unmap()
		return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
	}
	if !strings.Contains(host, ".") {
		return net.ParseIP(host) == nil
	}
	for _, suffix := range []string{".local", ".lan", ".home.arpa", ".internal", ".localhost"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// String names the backend to a person, such as "Ollama at http://127.0.0.1:11434".
func (b Backend) String() string {
	return b.Kind.String() + " at " + b.root()
}

// GoString keeps the key out of logs and test output.
func (b Backend) GoString() string { return b.String() }
