package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loci"
	"loci/internal/embedded"
	"loci/internal/intent"
	"loci/internal/lang"
	"loci/internal/model"
	"loci/internal/model/server"
	"loci/internal/toolcall"
)

// rung is one way from a question to calls.
type rung struct {
	name, from string // from: the rung that its lift is measured to
	answer     func(ctx context.Context, q question) ([]loci.ToolCall, error)
}

// ladder holds the models.
type ladder struct {
	chat   *embedded.Server
	router *intent.Router
	// What was read once, by question: the rungs that retry begin with it.
	free, held map[string]reading
}

// reading is a reply of the model as loci reads it.
type reading struct {
	said  string
	calls []loci.ToolCall
	fault *toolcall.Fault
}

// newLadder starts the embedded models, fetched first where needed.
func newLadder(ctx context.Context, threads int) (_ *ladder, stop func(), err error) {
	dir := os.Getenv("LOCI_TEST_CACHE") // shared with the tests
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, err
		}
		dir = filepath.Join(cache, "loci-test")
	}
	engine := embedded.New(embedded.Config{
		Dir: filepath.Join(dir, "embedded"), LogDir: filepath.Join(dir, "log"), SlotDir: filepath.Join(dir, "slots"), LlamaServer: "none",
	})
	if err := engine.Fetch(ctx); err != nil {
		return nil, nil, err
	}
	chat, err := engine.Start(ctx, embedded.ServerConfig{Kind: embedded.Chat, Threads: threads})
	if err != nil {
		return nil, nil, err
	}
	embed, err := engine.Start(ctx, embedded.ServerConfig{Kind: embedded.Embed, Threads: threads})
	if err != nil {
		return nil, nil, errors.Join(err, chat.Close())
	}
	var backends []server.Backend
	for _, s := range []*embedded.Server{chat, embed} {
		backends = append(backends, server.Backend{URL: s.URL(), Dialect: loci.OpenAI, Key: s.Key(), Kind: server.KindLlamaServer, Name: "bench"})
	}
	hub := model.New(model.Config{Backends: backends, Default: chat.Model()})
	router := intent.New(intent.Config{Embedder: embedder{hub}, Chooser: hub})
	l := &ladder{chat: chat, router: router, free: map[string]reading{}, held: map[string]reading{}}
	return l, func() {
		hub.Close()
		_ = chat.Close()  // a process that has ended is what is wanted
		_ = embed.Close() // the same
	}, nil
}

// rungs are measured from the lowest to the highest.
func (l *ladder) rungs() []rung {
	return []rung{
		{"raw", "", l.raw},
		{"+reading", "raw", onlyCalls(l.freely)},
		{"+constrained", "+reading", onlyCalls(l.constrained)},
		{"+retry", "+constrained", l.retried(l.constrained)},
		{"reading+retry", "+reading", l.retried(l.freely)},
		{"tiny", "+retry", l.tiny},
	}
}

func onlyCalls(read func(context.Context, question) (reading, error)) func(context.Context, question) ([]loci.ToolCall, error) {
	return func(ctx context.Context, q question) ([]loci.ToolCall, error) {
		r, err := read(ctx, q)
		return r.calls, err
	}
}

// raw sends the tools to the server and takes what it says was called, as it is.
func (l *ladder) raw(ctx context.Context, q question) ([]loci.ToolCall, error) {
	specs, err := q.tools()
	if err != nil {
		return nil, err
	}
	var tools []any
	for _, s := range specs {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": s.Name, "description": s.Description, "parameters": s.Parameters}})
	}
	messages := []message{{"user", q.Text}}
	if q.System != "" {
		messages = append([]message{{"system", q.System}}, messages...)
	}
	_, calls, err := l.complete(ctx, map[string]any{"messages": messages, "tools": tools})
	return calls, err
}

// freely describes the tools as loci does to a model without native calls.
func (l *ladder) freely(ctx context.Context, q question) (reading, error) {
	if r, ok := l.free[q.ID]; ok {
		return r, nil
	}
	specs, err := q.tools()
	if err != nil {
		return reading{}, err
	}
	said, _, err := l.complete(ctx, map[string]any{"messages": described(q, toolcall.Describe(loci.MarkupTool, specs)), "stop": toolcall.Stops(loci.MarkupTool)})
	if err != nil {
		return reading{}, err
	}
	l.free[q.ID] = read(toolcall.Restore(said), specs)
	return l.free[q.ID], nil
}

// constrained holds the reply to a call of one of the tools, or of none.
func (l *ladder) constrained(ctx context.Context, q question) (reading, error) {
	if r, ok := l.held[q.ID]; ok {
		return r, nil
	}
	specs, err := q.tools()
	if err != nil {
		return reading{}, err
	}
	r, err := l.hold(ctx, specs, described(q, choice(specs)))
	if err == nil {
		l.held[q.ID] = r
	}
	return r, err
}

// retried asks once more after a fault, constrained, with the fault.
func (l *ladder) retried(first func(context.Context, question) (reading, error)) func(context.Context, question) ([]loci.ToolCall, error) {
	return func(ctx context.Context, q question) ([]loci.ToolCall, error) {
		r, err := first(ctx, q)
		if err != nil || r.fault == nil || len(r.calls) > 0 {
			return r.calls, err
		}
		specs, err := q.tools()
		if err != nil {
			return nil, err
		}
		messages := append(described(q, choice(specs)), message{"assistant", r.said},
			message{"user", toolcall.Output(loci.ToolResult{Err: r.fault.ToolError()})})
		r, err = l.hold(ctx, specs, messages)
		return r.calls, err
	}
}

// hold makes a call of the model whose reply fits the tools' schemas.
func (l *ladder) hold(ctx context.Context, specs []loci.ToolSpec, messages []message) (reading, error) {
	said, _, err := l.complete(ctx, map[string]any{
		"messages":        messages,
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "call", "schema": callSchema(specs)}},
	})
	if err != nil {
		return reading{}, err
	}
	var none struct{ Name string }
	if json.Unmarshal([]byte(said), &none) == nil && none.Name == noTool {
		return reading{said: said}, nil
	}
	return read(said, specs), nil
}

// noTool is what a constrained model calls when nothing fits.
const noTool = "none"

// choice describes the tools to a model whose reply is held to JSON.
func choice(specs []loci.ToolSpec) string {
	return "Call the tool that answers the request. Reply with JSON: {\"name\": the tool, \"arguments\": {…}}. If no tool fits, reply {\"name\": \"" + noTool + "\"}.\nTools:\n" + toolcall.Lines(specs)
}

// callSchema is the JSON Schema of a call of one of the tools, or of none. It is written
// by hand, because a grammar follows the order of the members: the name comes first.
func callSchema(specs []loci.ToolSpec) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"anyOf":[`)
	for _, s := range specs {
		fmt.Fprintf(&b, `{"type":"object","properties":{"name":{"const":%q},"arguments":%s},"required":["name","arguments"],"additionalProperties":false},`, s.Name, s.Parameters)
	}
	fmt.Fprintf(&b, `{"type":"object","properties":{"name":{"const":%q}},"required":["name"],"additionalProperties":false}]}`, noTool)
	return json.RawMessage(b.String())
}

// tiny has the Router decide. What it decides with fixed words calls nothing.
func (l *ladder) tiny(ctx context.Context, q question) ([]loci.ToolCall, error) {
	specs, err := q.tools()
	if err != nil {
		return nil, err
	}
	move, err := l.router.Next(ctx, loci.Situation{Text: q.Text, Lang: lang.Of(q.Text), Tools: specs, Model: l.chat.Model(), Params: 135_000_000, Now: time.Now()})
	if err != nil || move.Call == nil {
		return nil, err
	}
	return []loci.ToolCall{*move.Call}, nil
}

// embedder embeds with the hub's only embedding model.
type embedder struct{ hub *model.Hub }

// Embed gives one vector for each text, and what made them.
func (e embedder) Embed(ctx context.Context, texts []string) (vectors [][]float32, model string, err error) {
	return e.hub.Vectors(ctx, texts)
}

// read reads a reply with what reads those of every model.
func read(said string, specs []loci.ToolSpec) reading {
	r := toolcall.NewReader(specs)
	r.Write(said)
	_, calls, fault := r.Close()
	return reading{said, calls, fault}
}

// message is a message of the OpenAI protocol.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// described is the conversation with the tools in the system message.
func described(q question, tools string) []message {
	system := tools
	if q.System != "" {
		system = q.System + "\n\n" + tools
	}
	return []message{{"system", system}, {"user", q.Text}}
}

// complete makes one call of the model, straight to its server.
func (l *ladder) complete(ctx context.Context, body map[string]any) (said string, calls []loci.ToolCall, err error) {
	const mostTokens = 100 // nearly all right calls have fewer
	body["model"], body["temperature"], body["max_tokens"], body["cache_prompt"] = l.chat.Model(), 0, mostTokens, true
	raw, err := json.Marshal(body)
	if err != nil {
		return "", nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.chat.URL()+"/chat/completions", bytes.NewReader(raw))
	if err != nil {
		return "", nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.chat.Key())
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return "", nil, err
	}
	if res.StatusCode != http.StatusOK {
		// What the server cannot do is a wrong answer, and no end of the measurement:
		// such as a grammar that it makes nothing of, or a call that it cannot read.
		return fmt.Sprintf("(%s: %.200s)", res.Status, data), nil, nil
	}
	var reply struct {
		Choices []struct {
			Message struct {
				Content   string `json:"content"`
				ToolCalls []struct {
					Function struct{ Name, Arguments string } `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return "", nil, err
	}
	if len(reply.Choices) == 0 {
		return "", nil, fmt.Errorf("no reply: %.200s", data)
	}
	m := reply.Choices[0].Message
	for _, c := range m.ToolCalls {
		calls = append(calls, loci.ToolCall{Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
	}
	return m.Content, calls, nil
}
