package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"loci/internal/fake"
)

// A door is a way to have loci in front of the scripted model.
type door struct {
	tier     string
	dialects func(name string) bool
	path     string // of the backend
}

// doors are those that all records go through: how loci offers tools must make no
// difference to what it understands.
var doors = []door{
	{"native", notOllama, "/v1"},
	{"text", notOllama, "/v1"},
	{"native", isOllama, ""},
}

func (d door) name() string {
	if d.path == "" {
		return "ollama-" + d.tier
	}
	return "openai-" + d.tier
}

func isOllama(name string) bool  { return name == "ollama" }
func notOllama(name string) bool { return name != "ollama" }

// A locus is a running loci in front of a scripted model, with a folder to work in.
type locus struct {
	script   *script
	model    *httptest.Server
	cmd      *exec.Cmd
	url, key string
	folder   string
	clean    bool // the folder is as furnish makes it without more
	stderr   bytes.Buffer
	tools    map[string]json.RawMessage // of tools.json
}

// startLoci runs the program below a folder of its own, with leave to write into the
// folder it works in.
func startLoci(binary, home string, d door) (*locus, error) {
	l := &locus{script: &script{}, folder: filepath.Join(home, "work")}
	m := fake.NewModel()
	m.Answer = l.script.answer
	l.model = httptest.NewServer(m)
	config := filepath.Join(home, "config", "config.yaml")
	text := fmt.Sprintf("folders:\n  - {path: %q, access: write}\n", l.folder)
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	if err := l.readTools(); err != nil {
		return nil, err
	}
	if err := l.furnish(nil); err != nil {
		return nil, err
	}
	l.cmd = exec.Command(binary, "serve", "--json", "--listen", "127.0.0.1:0", "--backend", l.model.URL+d.path)
	l.cmd.Env = []string{"LOCI_HOME=" + home, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=Europe/Prague", "LOCI_USER_NAME=Mira", "LOCI_TIER=" + d.tier}
	l.cmd.Stderr = &l.stderr
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var ready struct{ URL, Key string }
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		l.stop()
		return nil, fmt.Errorf("loci did not start: %w\n%s", err, l.stderr.String())
	}
	l.url, l.key = strings.TrimRight(ready.URL, "/"), ready.Key
	return l, nil
}

func (l *locus) stop() {
	_ = l.cmd.Process.Signal(syscall.SIGTERM) // it may be gone already
	_ = l.cmd.Wait()
	l.model.CloseClientConnections()
	l.model.Close()
}

func (l *locus) readTools() error {
	b, err := testdata.ReadFile("testdata/tools.json")
	if err != nil {
		return err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	l.tools = map[string]json.RawMessage{}
	for _, t := range list {
		var named struct{ Name string }
		if err := json.Unmarshal(t, &named); err != nil {
			return err
		}
		l.tools[named.Name] = t
	}
	return nil
}

// things is what is in the folder before each record.
var things = map[string]string{
	"README.md": "# Boat\n", "a.txt": "old\n", "a (1).txt": "one\n", "it's.txt": "its\n",
	"notes/plan.md": "1. Paint the boat.\n", "docs/guide.md": "Guide.\n", "笔记/计划.md": "计划。\n",
	"colors.txt": "red green\nred\n", "report.md": "old text\n", "long.txt": strings.Repeat("A line of a long text, which has many of them.\n", 400),
}

// furnish puts the folder in order, with more files.
func (l *locus) furnish(more map[string]string) error {
	if l.clean && len(more) == 0 {
		return nil
	}
	l.clean = len(more) == 0
	if err := os.RemoveAll(l.folder); err != nil {
		return err
	}
	for _, files := range []map[string]string{things, more} {
		for name, text := range files {
			p := filepath.Join(l.folder, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// try has loci's model answer as the record says.
func (l *locus) try(ctx context.Context, r *Record) (o Outcome) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err := l.furnish(r.files)
	if err == nil {
		l.script.begin(r)
		if len(r.Tools) > 0 {
			err = l.client(ctx, r, &o)
		} else {
			err = l.turn(ctx, r, &o)
		}
		o.Told = l.script.end()
	}
	if err == nil {
		err = l.checkFolder(r, o.Calls)
	}
	if err != nil {
		o.Error = err.Error()
	}
	l.clean = l.clean && err == nil && len(o.Calls) == 0
	return o
}

// turn is a message at loci's own door.
func (l *locus) turn(ctx context.Context, r *Record, o *Outcome) error {
	body, err := l.post(ctx, "/api/agent/chat", map[string]any{"message": r.User})
	if err != nil {
		return err
	}
	defer body.Close()
	return frames(body, func(data []byte) error { return o.event(data) })
}

// event notes what an event of a turn tells.
func (o *Outcome) event(data []byte) error {
	var e struct {
		Type string
		Data struct {
			Text, Tool string
			Arguments  map[string]any
			Result     struct {
				Call struct {
					Name      string
					Arguments json.RawMessage // of a call that was not let through, maybe no object
				}
				Error   any
				Refused bool
			}
			Error struct{ Message string }
		}
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("the event %s: %w", data, err)
	}
	switch e.Type {
	case "delta", "message", "notice", "turn.waiting":
		o.Shown += e.Data.Text
		if e.Type != "delta" {
			o.Shown += "\n"
		}
	case "tool.finished":
		if c := e.Data.Result; c.Error == nil && !c.Refused {
			call, err := parseCall(c.Call.Name + " " + string(c.Call.Arguments))
			if err != nil {
				return err
			}
			o.Calls = append(o.Calls, call)
		}
	case "approval.asked":
		o.Calls = append(o.Calls, Call{e.Data.Tool, e.Data.Arguments})
	case "turn.finished":
		o.Shown += e.Data.Error.Message
	}
	return nil
}

// client is a request that brings tools of its own.
func (l *locus) client(ctx context.Context, r *Record, o *Outcome) error {
	var tools []any
	for _, name := range r.Tools {
		tools = append(tools, map[string]any{"type": "function", "function": l.tools[name]})
	}
	body, err := l.post(ctx, "/v1/chat/completions", map[string]any{
		"model": "fake", "stream": true, "tools": tools, "messages": []any{map[string]string{"role": "user", "content": r.User}},
	})
	if err != nil {
		return err
	}
	defer body.Close()
	return frames(body, func(data []byte) error { return o.chunk(data) })
}

// chunk notes what a piece of a chat completion brings.
func (o *Outcome) chunk(data []byte) error {
	if string(data) == "[DONE]" {
		return nil
	}
	var c struct {
		Choices []struct {
			Delta struct {
				Content   string
				ToolCalls []struct {
					Index    int
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
		Error any
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("the chunk %s: %w", data, err)
	}
	if c.Error != nil {
		return fmt.Errorf("the stream ends with %v", c.Error)
	}
	for _, choice := range c.Choices {
		o.Shown += choice.Delta.Content
		for _, t := range choice.Delta.ToolCalls {
			call, err := parseCall(t.Function.Name + " " + t.Function.Arguments)
			if err != nil {
				return err
			}
			o.Calls = append(o.Calls, call)
		}
	}
	return nil
}

func (l *locus) post(ctx context.Context, path string, body any) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url+path, strings.NewReader(text(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		return nil, fmt.Errorf("%s: %s", res.Status, b)
	}
	return res.Body, nil
}

// frames reads the data of server-sent events, until a turn waits or the end.
func frames(body io.Reader, each func([]byte) error) error {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			if err := each(bytes.TrimSpace(data)); err != nil {
				return err
			}
			if bytes.Contains(data, []byte(`"type":"turn.waiting"`)) {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// checkFolder holds the folder against the calls: what ran has its effect, and
// nothing else has changed.
func (l *locus) checkFolder(r *Record, calls []Call) error {
	want := map[string]string{}
	for _, files := range []map[string]string{things, r.files} {
		for name, text := range files {
			want[name] = text
		}
	}
	for _, c := range calls {
		path, _ := c.Arguments["path"].(string)
		switch c.Tool {
		case "write_file":
			want[path], _ = c.Arguments["content"].(string)
		case "edit_file":
			before, _ := c.Arguments["old_text"].(string)
			after, _ := c.Arguments["new_text"].(string)
			times := 1
			if c.Arguments["replace_all"] == true {
				times = -1
			}
			want[path] = strings.Replace(want[path], before, after, times)
		}
	}
	err := filepath.WalkDir(l.folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(l.folder, p)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if w, ok := want[filepath.ToSlash(name)]; !ok || w != string(text) {
			return fmt.Errorf("%s was changed to %.60q", name, text)
		}
		delete(want, filepath.ToSlash(name))
		return nil
	})
	if err == nil && len(want) > 0 {
		err = fmt.Errorf("gone: %v", slices.Sorted(func(yield func(string) bool) {
			for name := range want {
				if !yield(name) {
					return
				}
			}
		}))
	}
	return err
}
