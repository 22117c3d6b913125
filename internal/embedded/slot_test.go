package embedded_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"loci/internal/embedded"
	"loci/internal/embedded/embeddedtest"
)

// What the chat model has read is there again after a restart, kept from others in the
// meantime, and in no file any longer.
func TestSlotOverRestart(t *testing.T) {
	engine := embeddedtest.Engine(t)
	dir, err := embeddedtest.Dir()
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "The box with number %d stands on shelf %d.\n", i, i*7%13)
	}
	start := func() *embedded.Server {
		s, err := engine.Start(t.Context(), embedded.ServerConfig{Kind: embedded.Chat})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	saved := func() []string {
		files, err := filepath.Glob(filepath.Join(dir, "slots", "chat-*"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	first := start()
	if _, err := first.RestoreSlot(t.Context()); err != nil { // what another run left
		t.Fatal(err)
	}
	cold, evaluated, _ := read(t, first, lines.String())
	began := time.Now()
	if err := first.SaveSlot(t.Context()); err != nil {
		t.Fatal(err)
	}
	saving := time.Since(began)
	files := saved()
	if len(files) != 1 {
		t.Fatalf("there are %q", files)
	}
	info, err := os.Stat(files[0])
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	first.Close()

	second := start()
	began = time.Now()
	tokens, err := second.RestoreSlot(t.Context())
	restoring := time.Since(began)
	if err != nil || tokens < evaluated || len(saved()) != 0 {
		t.Errorf("%d tokens were restored, %v; left are %q", tokens, err, saved())
	}
	warm, again, reused := read(t, second, lines.String())
	if again > 16 || reused < evaluated*9/10 {
		t.Errorf("%d tokens were read again, %d were there", again, reused)
	}
	t.Logf("%d tokens, %d kB: read in %v, saved in %v, restored in %v, the rest read in %v", tokens, info.Size()>>10, cold, saving, restoring, warm)

	if err := second.EraseSlot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.SaveSlot(t.Context()); err == nil || len(saved()) != 0 {
		t.Errorf("what was forgotten is saved: %v, %q", err, saved())
	}
}

// read has a server read a prompt, and tells what that took.
func read(t *testing.T, s *embedded.Server, prompt string) (took time.Duration, evaluated, reused int) {
	t.Helper()
	var reply struct {
		Timings struct {
			PromptN  int     `json:"prompt_n"`
			CacheN   int     `json:"cache_n"`
			PromptMS float64 `json:"prompt_ms"`
		}
	}
	post(t, s, "/chat/completions", map[string]any{"messages": []map[string]string{{"role": "user", "content": prompt}}, "max_tokens": 1}, &reply)
	return time.Duration(reply.Timings.PromptMS * float64(time.Millisecond)), reply.Timings.PromptN, reply.Timings.CacheN
}
