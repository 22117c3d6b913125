package embedded

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

const (
	slotAge   = 7 * 24 * time.Hour // of a saved cache that is still of use
	slotBytes = 256 << 20          // at most of one on the disk; 8,192 tokens of the chat model are 190 MB
	maxAnswer = 64 << 10           // bytes of what the server says to it
)

// SaveSlot writes what the chat server has in its cache to a file, so that the next
// run need not read the conversation again. The file is for its owner only; it holds
// what the conversation says, and is gone as soon as it was restored. It is an error
// if the server has nothing, or more than fits.
func (s *Server) SaveSlot(ctx context.Context) error {
	if s.task.slots == "" {
		return errors.ErrUnsupported
	}
	name := s.slotName()
	path := filepath.Join(s.task.slots, name)
	var saved struct {
		Tokens int   `json:"n_saved"`
		Bytes  int64 `json:"n_written"`
	}
	err := s.slot(ctx, "save", name, &saved)
	if err == nil {
		err = os.Chmod(path, 0o600) // the folder kept others out until here
	}
	if err == nil && (saved.Tokens == 0 || saved.Bytes > slotBytes) {
		err = fmt.Errorf("%d tokens in %d bytes are not kept", saved.Tokens, saved.Bytes)
	}
	if err != nil {
		err = errors.Join(err, removed(path))
	}
	return err
}

// RestoreSlot gives the chat server what SaveSlot has kept, and tells how many tokens
// that is; 0 where there is nothing that fits this server and is not stale. Whatever
// lies in the folder is deleted.
func (s *Server) RestoreSlot(ctx context.Context) (tokens int, err error) {
	if s.task.slots == "" {
		return 0, errors.ErrUnsupported
	}
	entries, err := os.ReadDir(s.task.slots)
	if err != nil {
		return 0, err
	}
	var restored struct {
		Tokens int `json:"n_restored"`
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Name() == s.slotName() && time.Since(info.ModTime()) < slotAge {
			if err := s.slot(ctx, "restore", e.Name(), &restored); err != nil {
				s.engine.log.Debug("the prompt cache of the last run is not taken", "error", err)
			}
		}
		err = errors.Join(err, removed(filepath.Join(s.task.slots, e.Name())))
	}
	return restored.Tokens, err
}

// EraseSlot makes the chat server forget what it has in its cache.
func (s *Server) EraseSlot(ctx context.Context) error {
	return s.slot(ctx, "erase", "", &struct{}{})
}

// slotName names the file by all that a cache depends on: another model, another
// engine or another window cannot read it.
func (s *Server) slotName() string {
	sum := sha256.New()
	fmt.Fprintln(sum, s.task.model, s.task.window, s.engine.llamaServer)
	for _, p := range s.engine.packages {
		fmt.Fprintln(sum, p.SHA256)
	}
	return "chat-" + hex.EncodeToString(sum.Sum(nil)[:8]) + ".slot"
}

// slot has the server do something with its only slot; see the "slots" part of
// https://github.com/ggml-org/llama.cpp/tree/master/tools/server.
func (s *Server) slot(ctx context.Context, action, file string, answer any) error {
	body, err := json.Marshal(map[string]string{"filename": file})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address()+"/slots/0?action="+action, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.Key())
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // and no proxy
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the engine answers %s to %s: %.200s", resp.Status, action, text)
	}
	return json.Unmarshal(text, answer)
}

// removed deletes a file, which may be gone.
func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
