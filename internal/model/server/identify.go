package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"loci"
	"loci/internal/wire"
)

// identity is what a server turned out to be. The port alone tells little:
// llama-server, LocalAI and Open WebUI share 8080, and people move them.
type identity struct {
	kind    Kind
	dialect loci.Dialect
	version string
	problem string // why it cannot be used; empty when it can
}

// What a person is told about a server that cannot be used.
const (
	problemSelf     = "is loci itself"
	problemKey      = "asks for a key"
	problemNoModels = "has no model yet"
	problemOther    = "is not a model server"
	problemAway     = "is not on this machine or its network; to use it, name it as a backend"
)

// fingerprint tells a kind of server by something only it answers. Owner is
// what it writes as owned_by in its list of models; path with sign, a piece of
// the answer, is asked where that list does not tell.
type fingerprint struct {
	kind    Kind
	owner   string
	path    string
	sign    string
	version string // member of the answer that holds the version
	// versionPath is asked for the version where path does not have it.
	versionPath string
}

// fingerprints are in the order to ask: KoboldCpp also answers like Ollama and
// like llama-server, and many programs answer /version.
var fingerprints = []fingerprint{
	{kind: KindKobold, owner: "koboldcpp", path: "/api/extra/version", sign: `KoboldCpp`, version: "version"},
	{kind: KindOllama, owner: "library", path: "/api/tags", sign: `"models"`, version: "version", versionPath: "/api/version"},
	{kind: KindLlamaServer, owner: "llamacpp", path: "/props", sign: `"default_generation_settings"`, version: "build_info"},
	{kind: KindLMStudio, owner: "organization_owner", path: "/api/v0/models", sign: `"data"`},
	{kind: KindLocalAI, path: "/readyz", version: "version", versionPath: "/version"},
	{kind: KindTextGen, path: "/v1/internal/model/info", sign: `"model_name"`},
	{kind: KindVLLM, owner: "vllm", path: "/version", sign: `"version"`, version: "version"},
}

// matches tells whether an answer to path is the one expected. LocalAI's is
// empty or OK, whereas a web page answers every path alike.
func (f fingerprint) matches(a answer) bool {
	if a.status != http.StatusOK {
		return false
	}
	body := bytes.TrimSpace(a.body)
	if f.sign == "" {
		return len(body) == 0 || string(body) == "OK"
	}
	return json.Valid(body) && bytes.Contains(body, []byte(f.sign))
}

// answer is a reply to a question about the server itself.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask fetches a path of the server.
func (c *Client) ask(ctx context.Context, path string) (answer, error) {
	g, resp, err := c.open(ctx, call{method: http.MethodGet, url: c.Backend().root() + path, purpose: loci.PurposeProbe}, false)
	if err != nil {
		return answer{}, err
	}
	defer g.Close()
	body, err := g.whole(maxReply)
	if err != nil {
		return answer{}, err
	}
	return answer{resp.StatusCode, resp.Header, body}, nil
}

// identify finds out what kind of server answers. It fails if none does; an
// answer that is not that of a model server is a problem, not a failure.
func (c *Client) identify(ctx context.Context) (identity, error) {
	list, err := c.ask(ctx, "/v1/models")
	if err != nil {
		return identity{}, err
	}
	if list.header.Get(instanceHeader) != "" {
		return identity{problem: problemSelf}, nil
	}
	id := identity{dialect: loci.OpenAI}
	owners, listed := ownersOf(list)
	found := c.match(ctx, owners)
	switch {
	case found.kind != "":
		id.kind = found.kind
		id.version = c.version(ctx, found)
	case list.status == http.StatusUnauthorized || list.status == http.StatusForbidden:
		id.problem = problemKey
	case !listed:
		id.problem = problemOther
	}
	if id.kind == KindOllama {
		id.dialect = loci.Ollama
	}
	return id, nil
}

// match finds the fingerprint of the server, first in its list of models, which
// costs nothing, then by asking path after path. An answer that does not come
// is no match.
func (c *Client) match(ctx context.Context, owners string) fingerprint {
	for _, f := range fingerprints {
		if f.owner != "" && owners == f.owner {
			return f
		}
	}
	for _, f := range fingerprints {
		if a, err := c.ask(ctx, f.path); err == nil && f.matches(a) {
			return f
		}
	}
	return fingerprint{}
}

// version asks a server for its version; empty where it does not tell.
func (c *Client) version(ctx context.Context, f fingerprint) string {
	if f.version == "" {
		return ""
	}
	path := f.path
	if f.versionPath != "" {
		path = f.versionPath
	}
	a, err := c.ask(ctx, path)
	if err != nil {
		return ""
	}
	var members map[string]json.RawMessage
	var version string
	if json.Unmarshal(a.body, &members) == nil && json.Unmarshal(members[f.version], &version) == nil {
		return wire.Clip(version)
	}
	return ""
}

// ownersOf gives the owner of the first listed model, and whether the answer
// is a list of models at all.
func ownersOf(a answer) (owner string, listed bool) {
	var list struct {
		Data []struct {
			Owner string `json:"owned_by"`
		} `json:"data"`
	}
	if a.status != http.StatusOK || json.Unmarshal(a.body, &list) != nil || list.Data == nil {
		return "", false
	}
	if len(list.Data) > 0 {
		owner = list.Data[0].Owner
	}
	if strings.HasPrefix(a.header.Get("Server"), "llama.cpp") {
		owner = "llamacpp"
	}
	return owner, true
}

// settle makes sure that the backend's dialect is known, asking the server if
// its address does not tell. Several calls may ask at once; they find the same.
func (c *Client) settle(ctx context.Context) (Backend, error) {
	b := c.Backend()
	if b.Dialect != "" {
		return b, nil
	}
	id, err := c.identify(ctx)
	if err != nil {
		return b, err
	}
	if id.problem == problemOther || id.problem == problemSelf {
		return b, loci.Errorf(loci.Refused, "What answers at %s %s.", b.root(), id.problem).
			WithHint("Set the backend to the address of a model server.")
	}
	return c.learn(id), nil
}

// learn remembers what identify found.
func (c *Client) learn(id identity) Backend {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.identified = true
	if c.backend.Kind == "" {
		c.backend.Kind = id.kind
	}
	if c.backend.Dialect == "" {
		c.backend.Dialect = id.dialect
		if id.dialect == loci.OpenAI {
			c.backend.URL += "/v1"
		}
	}
	return c.backend
}

// kind makes sure that the backend's kind is known as far as it can be. A
// server beyond the local network is not asked around: it gets the requests of
// its protocol and no others.
func (c *Client) kind(ctx context.Context) Kind {
	c.mu.Lock()
	b, known := c.backend, c.identified
	c.mu.Unlock()
	if b.Kind != "" || known || !b.nearby() {
		return b.Kind
	}
	id, err := c.identify(ctx)
	if err != nil {
		return ""
	}
	return c.learn(id).Kind
}
