package api

import (
	"net/http"
	"strings"
	"testing"
)

// Events and lines as backends send them.
const (
	ssePiece  = `data: {"id":"x","choices":[{"index":0,"delta":{"content":"Снег"},"finish_reason":null}]}` + "\n\n"
	sseFinish = `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	sseUsage  = `data: {"id":"x","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2},"timings":{"cache_n":236,"prompt_n":1,"prompt_ms":30.958}}` + "\n\n"
	sseDone   = "data: [DONE]\n\n"

	lineText = `{"model":"m","created_at":"t","message":{"role":"assistant","content":"Снег"},"done":false}` + "\n"
	lineCall = `{"model":"m","created_at":"t","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"close","arguments":{"x":1,"done":true}}}]},"done":false}` + "\n"
	lineDone = `{"model":"m","created_at":"t","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":956481680,"eval_count":8}` + "\n"
)

// whole sends a reply past an ending in pieces of a size, and asks.
func whole(contentType, reply string, size int) bool {
	e := newEnding(&http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{"Content-Type": {contentType}}})
	for b := []byte(reply); len(b) > 0; b = b[min(size, len(b)):] {
		e.see(b[:min(size, len(b))])
	}
	return e.whole()
}

// However a reply is cut into pieces, the verdict is the same.
func TestEnding(t *testing.T) {
	context := `"context":[` + strings.Repeat("4093,", 500) + "198]"
	for _, tt := range []struct {
		name, media, reply string
		want               bool
	}{
		{"all marks", typeSSE, ssePiece + sseFinish + sseUsage + sseDone, true},
		{"only [DONE]", typeSSE, ssePiece + sseDone, true},
		{"only a reason", "text/event-stream; charset=utf-8", ssePiece + sseFinish, true},
		{"usage after the reason", typeSSE, ssePiece + sseFinish + sseUsage + sseUsage, true},
		{"null after the reason", typeSSE, sseFinish + ssePiece, true},
		{"spaces", typeSSE, `data: {"choices": [{"delta": {}, "finish_reason": "length"}]}` + "\n\n", true},
		{"CRLF", typeSSE, "data: {}\r\n\r\ndata:[DONE]\r\n\r\n", true},
		{"no mark", typeSSE, ssePiece + ssePiece, false},
		{"usage without a reason", typeSSE, ssePiece + sseUsage, false},
		{"empty reason", typeSSE, `data: {"choices":[{"delta":{},"finish_reason":""}]}` + "\n\n", false},
		{"nothing", typeSSE, "", false},
		{"signs of life", typeSSE, ": ping\n\n: ping\n\n", false},
		{"marks in the text", typeSSE, `data: {"choices":[{"delta":{"content":"\"finish_reason\":\"stop\"\ndata: [DONE]\n"},"finish_reason":null}]}` + "\n\n", false},
		{"cut at a mark in the text", typeSSE, `data: {"choices":[{"delta":{"content":"[DONE]`, false},
		{"cut in the mark", typeSSE, ssePiece + "data: [DON", false},
		{"the backend's error", typeSSE, ssePiece + `data: {"error":{"code":500,"message":"no room"}}` + "\n\n", true},
		{"an error at once", typeSSE, `data: {"error": {"message":"no room"}}` + "\n\n", true},
		{"no error", typeSSE, `data: {"error":null,"choices":[]}` + "\n\n", false},

		{"done", typeNDJSON, lineText + lineDone, true},
		{"done without a line end", typeNDJSON, lineText + strings.TrimSpace(lineDone), true},
		{"a long context", typeNDJSON, strings.Replace(lineDone, `"total`, context+`,"total`, 1), true},
		{"Python", typeNDJSON, `{"message": {"content": ""}, "done": true}` + "\n", true},
		{"loaded", typeNDJSON, `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}` + "\n", true},
		{"no done", typeNDJSON, lineText + lineText, false},
		{"done in a call", typeNDJSON, lineText + lineCall, false},
		{"done in a call, then done", typeNDJSON, lineCall + lineDone, true},
		{"cut in the last line", typeNDJSON, lineText + lineDone[:len(lineDone)-20], false},
		{"no lines", typeNDJSON, "", false},
		{"an error line", typeNDJSON, lineText + `{"error":"runner stopped"}` + "\n", true},
		{"only an error", typeNDJSON, `{"error":"runner stopped"}`, true},

		{"object", typeJSON, `{"a":1}` + "\n", true},
		{"list", typeJSON, `[1]`, true},
		{"half an object", typeJSON, `{"a":"b`, false},
		{"no object", typeJSON, "", false},
		{"anything else", "text/plain", "half a sen", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 7, overlap - 1, overlap, overlap + 1, 1000, 1 << 20} {
				if got := whole(tt.media, tt.reply, size); got != tt.want {
					t.Errorf("in pieces of %d: %v, want %v", size, got, tt.want)
				}
			}
		})
	}
}

// No part of a stream is taken for the whole.
func TestEndingCutAnywhere(t *testing.T) {
	for _, e := range []struct {
		media, reply string
		from         int // bytes after which it is complete
	}{
		{typeSSE, ssePiece + sseFinish + sseUsage + sseDone, len(ssePiece) + strings.Index(sseFinish, `:"s`) + len(`:"s`)},
		{typeNDJSON, lineText + lineText + lineDone, 2*len(lineText) + len(lineDone) - 1},
	} {
		for i := range len(e.reply) + 1 {
			if got := whole(e.media, e.reply[:i], 50); got != (i >= e.from) {
				t.Fatalf("%s cut after %q: %v", e.media, e.reply[:i], got)
			}
		}
	}
}

func FuzzEnding(f *testing.F) {
	f.Add(ssePiece+sseFinish, 5)
	f.Add(lineCall+lineDone, 64)
	f.Fuzz(func(t *testing.T, reply string, size int) {
		size = 1 + (size&0x7fffffff)%200
		// Space between a name and its value is looked over only up to a point.
		if strings.Contains(reply, "  ") || strings.Contains(reply, "::") {
			return
		}
		for _, media := range []string{typeSSE, typeNDJSON, typeJSON} {
			if a, b := whole(media, reply, size), whole(media, reply, 1+2*size); a != b {
				t.Errorf("%s %q: %v in pieces of %d, else %v", media, reply, a, size, b)
			}
		}
	})
}

// BenchmarkEnding measures what watching costs for a token and for a full buffer.
func BenchmarkEnding(b *testing.B) {
	for name, piece := range map[string]string{"token": ssePiece, "32KiB": strings.Repeat(ssePiece, 400)[:32<<10]} {
		b.Run(name, func(b *testing.B) {
			e := newEnding(&http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{"Content-Type": {typeSSE}}})
			p := []byte(piece)
			b.ReportAllocs()
			for b.Loop() {
				e.see(p)
			}
		})
	}
}
