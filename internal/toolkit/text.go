package toolkit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"loci"
	"loci/internal/lang"
	"loci/internal/text"
)

// sniffBytes is how much of a file decides whether it is text.
const sniffBytes = 8000

// openText returns a reader of a file's text in UTF-8, without a byte order
// mark; UTF-16 is decoded where a mark tells of it. A file that is not text is
// an error with its type and size.
func openText(r io.Reader, info fs.FileInfo) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(sniffBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fail("Tell the person that the file cannot be read.", "%s cannot be read.", text.Clip(info.Name(), 200))
	}
	decoder := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = b.Discard(3) // they were just peeked at
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return bufio.NewReaderSize(transform.NewReader(b, decoder.NewDecoder()), 64<<10), nil
	case isBinary(head):
		return nil, errBinary(head, info)
	}
	return b, nil
}

// isBinary reports whether bytes are no text: a NUL is among them, or over one
// in fifty is a control character that no text has. Bytes that are not UTF-8
// do not count: older encodings are text too.
func isBinary(head []byte) bool {
	odd := 0
	for _, c := range head {
		switch {
		case c == 0:
			return true
		case c < 0x20 && !bytes.ContainsRune([]byte("\t\n\v\f\r\b\x1b"), rune(c)), c == 0x7f:
			odd++
		}
	}
	return odd*50 > len(head)
}

// errBinary names a file that is not text by type and size.
func errBinary(head []byte, info fs.FileInfo) *loci.ToolError {
	kind := http.DetectContentType(head)
	if ext := strings.TrimPrefix(filepath.Ext(info.Name()), "."); kind == "application/octet-stream" && ext != "" {
		kind = strings.ToUpper(text.Clip(ext, 10)) + " data"
	}
	return fail("Tell the person what kind of file it is and how large; its content cannot be shown as text.",
		"%s is not text but binary: %s, %s.", text.Clip(info.Name(), 200), kind, lang.Size(lang.English, info.Size()))
}
