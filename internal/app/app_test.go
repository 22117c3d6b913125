package app

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"loci"
	"loci/internal/config"
	"loci/internal/fake"
)

// serving runs a until the test ends, or stop is called, which gives the error.
func serving(t *testing.T, a *App) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- a.Serve(ctx) }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-served
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return stop
}

// ask sends one request on a connection of its own and gives what comes back.
func ask(t *testing.T, method, url, key, host, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close, req.Host = true, host
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func TestServe(t *testing.T) {
	m := fake.NewModel(fake.Reply{Text: "Good day."})
	o := options(t, m.Ollama(t))
	a, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, running, err := config.ReadRun(o.Paths); !running || err != nil {
		t.Errorf("whoever is told that it is ready does not find it: %v", err)
	}
	stop := serving(t, a)
	ad := a.Addresses()
	status, body := ask(t, http.MethodPost, ad.OpenAI+"/chat/completions", ad.Key, "", `{"model":"loci","messages":[{"role":"user","content":"Hello"}]}`)
	if status != http.StatusOK || !strings.Contains(body, "Good day.") {
		t.Errorf("%d %s", status, body)
	}
	if got := m.Last().Messages[0].Content; !strings.Contains(got, "Mira") || !strings.Contains(got, "Europe/Prague") {
		t.Errorf("the model is told: %s", got)
	}
	if status, _ := ask(t, http.MethodGet, ad.Chat+"/v1/models", "", "", ""); status != http.StatusOK {
		t.Errorf("the address for chat answers %d", status)
	}
	if status, _ := ask(t, http.MethodGet, ad.OpenAI+"/models", "wrong", "", ""); status != http.StatusUnauthorized {
		t.Errorf("a wrong key is answered %d", status)
	}
	if name, notes := a.Model(t.Context()); name != "fake" || len(notes) > 0 {
		t.Errorf("the model is %q: %q", name, notes)
	}
	run, running, err := config.ReadRun(o.Paths)
	if err != nil || !running || run.URL != ad.URL || string(run.Key) != ad.Key || ad.Chat != ad.URL+"/k/"+string(run.ChatKey) || run.PID != os.Getpid() {
		t.Errorf("run file: %v %v %v", run, running, err)
	}
	if err := stop(); err != nil {
		t.Error("Serve ends with", err)
	}
	for range 2 {
		if err := a.Close(); err != nil {
			t.Error("Close gives", err)
		}
	}
	if _, running, err := config.ReadRun(o.Paths); running || err != nil {
		t.Errorf("after the end: %v, %v", running, err)
	}
	o.Config.Listen = strings.TrimPrefix(ad.URL, "http://")
	build(t, o) // the port, the lock and the database are free again
}

func TestModelNotes(t *testing.T) {
	server := fake.NewModel().Ollama(t)
	for tier, want := range map[loci.Tier]string{"tiny": "too small to choose tools", "text": "writes them as text", "native": ""} {
		o := options(t, server)
		o.Config.Tier = tier
		name, notes := build(t, o).Model(t.Context())
		if note := strings.Join(notes, " "); name != "fake" || !strings.Contains(note, want) || want == "" && note != "" {
			t.Errorf("%s: %q: %q", tier, name, note)
		}
	}
	a := build(t, options(t, nowhere))
	if name, notes := a.Model(t.Context()); name != "" || !strings.Contains(strings.Join(notes, " "), "127.0.0.1:9") {
		t.Errorf("%q: %q", name, notes)
	}
}

func TestSecondInstance(t *testing.T) {
	o := options(t, nowhere)
	a := build(t, o)
	serving(t, a)
	if status, _ := ask(t, http.MethodGet, a.Addresses().URL+"/healthz", "", "", ""); status != http.StatusOK {
		t.Fatal("the first one is not healthy")
	}
	_, err := New(t.Context(), o)
	if e := loci.AsError(err); e == nil || e.Code != loci.Conflict || !strings.Contains(e.Message, a.Addresses().URL) || e.Hint == "" {
		t.Errorf("the second one: %v", err)
	}
	if status, _ := ask(t, http.MethodGet, a.Addresses().URL+"/healthz", "", "", ""); status != http.StatusOK {
		t.Error("the second one has harmed the first")
	}
}

// The owner's key can be the person's own; else it is made once and stays.
func TestKeys(t *testing.T) {
	o := options(t, nowhere)
	first := build(t, o)
	made := first.Addresses().Key
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := build(t, o)
	if key := second.Addresses().Key; key != made || len(key) < 16 {
		t.Error("the key has changed")
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	o.Config.Key = "a-key-of-my-own-making"
	if key := build(t, o).Addresses().Key; key != "a-key-of-my-own-making" {
		t.Error("the configured key is not used")
	}
}

// What is stored can be listed without a model server, and none is looked for.
func TestNoModels(t *testing.T) {
	o := options(t, nowhere)
	said := &notes{}
	o.Config.Backends, o.NoModels, o.Fetch, o.Say = nil, true, true, said.say
	a := build(t, o)
	serving(t, a)
	ad := a.Addresses()
	if status, body := ask(t, http.MethodGet, ad.URL+"/api/agent/tools", ad.Key, "", ""); status != http.StatusOK || !strings.Contains(body, "read_file") {
		t.Errorf("%d %s", status, body)
	}
	if said.String() != "" {
		t.Errorf("it looked for models: %s", said)
	}
}

func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := options(t, nowhere)
	o.Config.Listen = l.Addr().String()
	_, err = New(t.Context(), o)
	e := loci.AsError(err)
	if e == nil || e.Code != loci.Conflict || !strings.Contains(e.Message, l.Addr().String()) ||
		!strings.Contains(e.Message, strconv.Itoa(os.Getpid())) || !strings.Contains(e.Hint, "--listen") {
		t.Errorf("%v", err)
	}
	if n := strings.Count(e.Message, "address already in use"); n > 1 {
		t.Errorf("the cause is told %d times: %s", n, e.Message)
	}
	o.Config.Listen = "127.0.0.1:0"
	build(t, o) // nothing was left open
}

// Whoever listens on all addresses is reached under each of them, and under no
// other name; the person is told.
func TestBeyondLoopback(t *testing.T) {
	o := options(t, nowhere)
	said := &notes{}
	o.Config.Listen, o.Say, o.Logger = "0.0.0.0:0", said.say, said.logger()
	o.Config.AllowedHosts = []string{"loci.example"}
	_, err := New(t.Context(), o)
	if e, ok := errors.AsType[*config.Error](err); !ok || !strings.Contains(e.Error(), "encrypted") || !strings.Contains(e.Err.Hint, "tls: self") {
		t.Fatalf("without a word about encryption: %v", err)
	}
	o.Config.Insecure = true
	a := build(t, o)
	serving(t, a)
	url := a.Addresses().URL
	port := url[strings.LastIndexByte(url, ':'):]
	if url != "http://127.0.0.1"+port {
		t.Errorf("from this machine it is reached at %s", url)
	}
	outside := a.Addresses().Outside
	if status, body := ask(t, http.MethodGet, strings.Replace(outside, "0.0.0.0", "127.0.0.1", 1)+"/healthz", "", "", ""); status != http.StatusOK {
		t.Errorf("at %s: %d %s", outside, status, body)
	}
	if run, running, err := config.ReadRun(o.Paths); !running || err != nil || run.URL != url {
		t.Errorf("other commands reach it at %s: %v, %v", run.URL, running, err)
	}
	if text := said.String(); strings.Count(text, "Other machines can reach loci at "+outside+",") != 1 || !strings.Contains(text, "level=WARN") {
		t.Errorf("the person is told: %s", text)
	}
	want := map[string]int{
		"127.0.0.1" + port: 200, "localhost" + port: 200, "loci.example": 200,
		"attacker.example" + port: 421, "203.0.113.7" + port: 421,
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		want[net.JoinHostPort(i.(*net.IPNet).IP.String(), port[1:])] = 200
	}
	for host, status := range want {
		if got, body := ask(t, http.MethodGet, url+"/healthz", "", host, ""); got != status {
			t.Errorf("as %s: %d, want %d: %s", host, got, status, body)
		}
	}
}

// The name that was given as the address to listen on is one to be called by.
func TestListenByName(t *testing.T) {
	o := options(t, nowhere)
	said := &notes{}
	o.Say = said.say
	for _, address := range []string{"127.0.0.2:0", "localhost:0"} {
		o.Config.Listen = address
		a, err := New(t.Context(), o)
		if err != nil {
			t.Skip("this machine has no such address:", err)
		}
		stop := serving(t, a)
		url := a.Addresses().URL
		host, _, _ := strings.Cut(address, ":")
		for _, h := range []string{"", host + url[strings.LastIndexByte(url, ':'):]} {
			if got, body := ask(t, http.MethodGet, url+"/healthz", "", h, ""); got != 200 {
				t.Errorf("%s as %q: %d %s", address, h, got, body)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	if said.String() != "" {
		t.Errorf("a loopback address is warned about: %s", said)
	}
}

// Damage that a crash left is looked for at the next start, and told.
func TestDamageIsTold(t *testing.T) {
	o := options(t, nowhere)
	damage(t, o)
	if err := os.WriteFile(o.Paths.DB+"-wal", []byte("left by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	said := &notes{}
	o.Say, o.Logger = said.say, said.logger()
	a, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	a.own.Wait()
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if text := said.String(); !strings.Contains(text, "damaged") || !strings.Contains(text, "level=ERROR") {
		t.Errorf("the person is told: %s", text)
	}
}

// damage makes a database with a page that makes no sense.
func damage(t *testing.T, o Options) {
	t.Helper()
	a, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", o.Paths.DB)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var number int // of a page that nothing reads at the start
	if err := db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'node_text'").Scan(&number); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(o.Paths.DB)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	copy(data[(number-1)*page:], bytes.Repeat([]byte{0x5a}, page))
	if err := os.WriteFile(o.Paths.DB, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNothingStaysOpen(t *testing.T) {
	o := options(t, nowhere)
	if err := os.MkdirAll(o.Paths.DB, 0o700); err != nil { // a folder where the database should be
		t.Fatal(err)
	}
	if _, err := New(t.Context(), o); err == nil {
		t.Fatal("a folder is taken for a database")
	}
	if err := os.Remove(o.Paths.DB); err != nil {
		t.Fatal(err)
	}
	build(t, o)
	if _, err := os.Stat(filepath.Join(o.Paths.Data, "loci.db")); err != nil {
		t.Error(err)
	}
}
