package redact

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

var benchSecrets = []string{"sk-test-AAAA1111BBBB", "hunter-synthetic", awkward}

// A log line of two hundred bytes with nothing to mask.
func BenchmarkText(b *testing.B) {
	r := New(benchSecrets...)
	line := strings.Repeat("a turn finished: stage=turn state=done steps=3 model=qwen3:4b url=http://127.0.0.1:11434/v1 duration=3s ", 2)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		r.Text(line)
	}
}

// A token of a stream that is relayed.
func BenchmarkStream(b *testing.B) {
	s := New(benchSecrets...).Stream(io.Discard)
	token := []byte(`data: {"id":"x","choices":[{"index":0,"delta":{"content":" word"}}]}` + "\n\n")
	b.ReportAllocs()
	b.SetBytes(int64(len(token)))
	for b.Loop() {
		_, _ = s.Write(token)
	}
}

// A prompt of 100 kB for a server beyond this machine, beside the check that it is JSON.
func BenchmarkPrompt(b *testing.B) {
	k := New(benchSecrets...).Known()
	body, err := json.Marshal(map[string]string{"content": strings.Repeat("Some words of a prompt, and more of them.\n", 2500)})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("masked", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			k.JSON(body)
		}
	})
	b.Run("valid", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			json.Valid(body)
		}
	})
}
