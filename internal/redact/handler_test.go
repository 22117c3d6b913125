package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// late tells what it is when it is asked.
type late struct{ says string }

func (l late) LogValue() slog.Value {
	return slog.GroupValue(slog.String("says", l.says), slog.Int("n", 1))
}

// inside hides its text from JSON, but not from fmt.
type inside struct {
	Shown  string
	hidden string
}

const canary = "hunter-synthetic"

func TestHandler(t *testing.T) {
	r := New(canary)
	var nothing *json.SyntaxError // an error that is nil
	for name, log := range map[string]func(*slog.Logger){
		"message":        func(l *slog.Logger) { l.Info("it is " + canary) },
		"debug":          func(l *slog.Logger) { l.Debug("x", "a", canary) },
		"text":           func(l *slog.Logger) { l.Info("x", "a", "of "+canary+" kind") },
		"error":          func(l *slog.Logger) { l.Error("x", "error", fmt.Errorf("wrapped: %w", errors.New(canary))) },
		"group":          func(l *slog.Logger) { l.Info("x", slog.Group("g", slog.Group("h", "a", canary))) },
		"with":           func(l *slog.Logger) { l.With("a", canary).Info("x") },
		"with group":     func(l *slog.Logger) { l.WithGroup("g").With("a", late{canary}).Info("x") },
		"late":           func(l *slog.Logger) { l.Warn("x", "a", late{canary}) },
		"struct":         func(l *slog.Logger) { l.Info("x", "a", inside{Shown: canary}) },
		"pointer":        func(l *slog.Logger) { l.Info("x", "a", &inside{Shown: canary}) },
		"hidden in one":  func(l *slog.Logger) { l.Info("x", "a", inside{hidden: canary}) },
		"map":            func(l *slog.Logger) { l.Info("x", "a", map[string]any{"b": []string{canary}}) },
		"JSON":           func(l *slog.Logger) { l.Info("x", "a", json.RawMessage(`{"a":"`+canary+`"}`)) },
		"bytes":          func(l *slog.Logger) { l.Info("x", "a", []byte(canary)) },
		"panic":          func(l *slog.Logger) { l.Info("x", "panic", any(inside{Shown: canary})) },
		"attribute name": func(l *slog.Logger) { l.Info("x", canary, 1) },
		"by name":        func(l *slog.Logger) { l.Info("x", "api_key", "other "+canary[:3], "a", canary) },
		"in a header":    func(l *slog.Logger) { l.Info("x", "a", map[string][]string{"Authorization": {"Bearer " + canary}}) },
	} {
		for form, make := range map[string]func(*bytes.Buffer) slog.Handler{
			"JSON": func(b *bytes.Buffer) slog.Handler {
				return slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})
			},
			"text": func(b *bytes.Buffer) slog.Handler {
				return slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})
			},
		} {
			var b bytes.Buffer
			log(slog.New(r.Handler(make(&b))))
			if got := b.String(); strings.Contains(got, canary) || !strings.Contains(got, Mask) {
				t.Errorf("%s as %s: %s", name, form, got)
			}
		}
	}
	var b bytes.Buffer
	l := slog.New(r.Handler(slog.NewJSONHandler(&b, nil)))
	l.Info("plain", "n", 1, "t", time.Second, "none", nil, "error", error(nothing), "ok", late{"fine"}, "token", "", "password", 1234)
	for _, want := range []string{`"n":1`, `"t":1000000000`, `"none":null`, `"ok":{"says":"fine","n":1}`, `"token":""`, `"password":"[hidden]"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %s", b.String(), want)
		}
	}
}

func TestHandlerCostsNothing(t *testing.T) {
	h := New(canary).Handler(slog.DiscardHandler)
	rec := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	rec.AddAttrs(slog.String("stage", "request"), slog.Int("status", 200), slog.Duration("duration", 3), slog.String("route", "POST /v1/chat/completions"))
	if n := testing.AllocsPerRun(100, func() { _ = h.Handle(context.Background(), rec) }); n > 1 { // the closure over the record's attributes
		t.Errorf("%v allocations", n)
	}
}
