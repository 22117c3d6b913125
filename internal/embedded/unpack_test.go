package embedded

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// entry is one file of a hand-made zip.
type entry struct {
	name    string
	mode    fs.FileMode
	content string
}

func unpackThese(t *testing.T, ctx context.Context, entries ...entry) (map[string]string, string, error) {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: time.Unix(1e9, 0)}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	outer := t.TempDir()
	wheel := filepath.Join(outer, "x.whl")
	if err := os.WriteFile(wheel, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(outer, "in")
	err := unpack(ctx, wheel, dir)
	if err := os.Remove(wheel); err != nil {
		t.Fatal(err)
	}
	outside := tree(t, outer)
	for path := range outside {
		if strings.HasPrefix(path, "in/") {
			delete(outside, path)
		}
	}
	if len(outside) > 0 {
		t.Errorf("written outside: %v", outside)
	}
	return tree(t, dir), dir, err
}

func TestUnpack(t *testing.T) {
	got, dir, err := unpackThese(t, t.Context(),
		entry{"a/", fs.ModeDir | 0o755, ""}, entry{"a/b.py", 0o777, "b"}, entry{"c..d/e", 0o644, "e"}, entry{"空/ř", 0o644, "u"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a/b.py": "b", "c..d/e": "e", "空/ř": "u"}, got); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(filepath.Join(dir, "a", "b.py")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestUnpackRefuses(t *testing.T) {
	many := make([]entry, maxEntries+1)
	for i := range many {
		many[i] = entry{strings.Repeat("x", i+1), 0o644, ""}
	}
	for name, entries := range map[string][]entry{
		"parent":       {{"../evil", 0o644, "x"}},
		"deep parent":  {{"a/../../evil", 0o644, "x"}},
		"absolute":     {{"/evil", 0o644, "x"}},
		"backslash":    {{`..\evil`, 0o644, "x"}},
		"link":         {{"a", fs.ModeSymlink | 0o777, "/"}, {"a/evil", 0o644, "x"}},
		"device":       {{"a", fs.ModeDevice | 0o644, ""}},
		"twice":        {{"a", 0o644, "1"}, {"a", 0o644, "2"}},
		"file as path": {{"a", 0o644, "1"}, {"a/b", 0o644, "2"}},
		"empty name":   {{"", 0o644, "x"}},
		"many":         many,
	} {
		if _, _, err := unpackThese(t, t.Context(), entries...); err == nil {
			t.Errorf("%s: unpacked", name)
		}
	}
}

// TestUnpackBoundsTheSize: what counts is what comes out, not what the zip says.
func TestUnpackBoundsTheSize(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	wheel := zipped(t, map[string]string{"x": strings.Repeat("0", 1000)})
	z, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := unpackFile(t.Context(), root, z.File[0], 999); err == nil || n > 1000 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestUnpackStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, _, err := unpackThese(t, ctx, entry{"a", 0o644, "x"}); !errors.Is(err, context.Canceled) || got["a"] != "" {
		t.Errorf("%v %v", got, err)
	}
}

func TestUnpackOfNoZip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.whl")
	if err := os.WriteFile(path, []byte("<html>Welcome to our hotel's network</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unpack(t.Context(), path, path+".d"); !errors.Is(err, zip.ErrFormat) {
		t.Error(err)
	}
}

func TestConvertEmbedderNamesWhatFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "all_minilm_l6_v2"), 0o700); err != nil {
		t.Fatal(err)
	}
	inner := zipped(t, map[string]string{"config.json": "{}", "tokenizer.json": "{}", "model.safetensors": ""})
	if err := os.WriteFile(filepath.Join(dir, "all_minilm_l6_v2", "model.zip"), inner, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := convertEmbedder(embedPackage, dir); err == nil || !strings.Contains(err.Error(), "config.json") {
		t.Error(err)
	}
}
