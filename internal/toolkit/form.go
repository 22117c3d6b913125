package toolkit

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"loci/internal/text"
)

// form is how the text of a file is written down: what a change of the text must
// leave as it is.
type form struct {
	mark  string            // the bytes before the text that tell of the encoding
	codec encoding.Encoding // nil: the bytes are the text
	ascii bool              // the encoding is not known: only ASCII can be put in
	modes bool              // there are escapes after which ASCII bytes are other letters (ISO 2022)
	ends  string            // of most lines: "\n", "\r\n" or "\r"; empty: there are none
	mixed bool              // not all lines have those
}

// forms are the encodings that a file can tell of, by their marks.
var forms = []form{
	{mark: "\xef\xbb\xbf"},
	{mark: "\xff\xfe", codec: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{mark: "\xfe\xff", codec: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
}

// readText gives the text of a file and its form. Putting the text back into the
// form gives the same bytes again. A file that is not text is an error. Where
// lines end with nothing but a carriage return, the text has line feeds instead.
func readText(raw []byte, info fs.FileInfo) (string, form, error) {
	head := raw[:min(len(raw), sniffBytes)]
	var f form
	if i := slices.IndexFunc(forms, func(f form) bool { return bytes.HasPrefix(raw, []byte(f.mark)) }); i >= 0 {
		f = forms[i]
	}
	content := string(raw[len(f.mark):])
	if f.codec != nil {
		var err error
		if content, err = f.codec.NewDecoder().String(content); err != nil {
			return "", f, errBinary(head, info)
		}
		if back, err := f.write(content); err != nil || !bytes.Equal(back, raw) {
			return "", f, errBinary(head, info)
		}
	} else if isBinary(head) {
		return "", f, errBinary(head, info)
	}
	if strings.IndexByte(content, 0) >= 0 { // among them UTF-32, whose mark begins like that of UTF-16
		return "", f, errBinary(head, info)
	}
	f.ascii = !utf8.ValidString(content)
	f.modes = strings.Contains(content, "\x1b$")
	lines, windows := strings.Count(content, "\n"), strings.Count(content, "\r\n")
	switch {
	case lines == 0 && strings.Contains(content, "\r"):
		f.ends, content = "\r", strings.ReplaceAll(content, "\r", "\n")
	case windows > lines-windows:
		f.ends = "\r\n"
	case lines > 0:
		f.ends = "\n"
	}
	f.mixed = windows > 0 && windows < lines
	return content, f, nil
}

// write gives the bytes of a text in the form.
func (f form) write(content string) ([]byte, error) {
	if f.ends == "\r" {
		content = strings.ReplaceAll(content, "\n", "\r")
	}
	if f.codec != nil {
		var err error
		if content, err = f.codec.NewEncoder().String(content); err != nil {
			return nil, err
		}
	}
	return []byte(f.mark + content), nil
}

// splits tells whether to change a text at a place could cut a letter in two. In
// the encodings of Chinese and Japanese the second half of a letter may be an
// ASCII byte, and is then not what it looks like. Those from 0x40 on may be one,
// and in one encoding the digits.
func (f form) splits(content string, at int) bool {
	return f.modes || f.ascii && at > 0 && content[at-1] >= utf8.RuneSelf && (content[at] >= 0x40 || '0' <= content[at] && content[at] <= '9')
}

// fits refuses text that cannot be put into a file whose encoding is not known.
func (f form) fits(path string, texts ...string) error {
	for _, t := range texts {
		if f.ascii && !isASCII(t) {
			return advise("Use letters without accents, or convert the file to UTF-8 first.",
				"%s is not in UTF-8, so only ASCII can be put into it.", oneLine(text.Clip(path, 200)))
		}
	}
	return nil
}

// like gives a new text for a file the line ends that most of its lines had.
func (f form) like(content string) string {
	content = strings.TrimPrefix(content, "\ufeff") // the file has its own mark, or none
	switch f.ends {
	case "\n", "\r":
		return unixEnds(content)
	case "\r\n":
		return strings.ReplaceAll(unixEnds(content), "\n", "\r\n")
	}
	return content
}

// endNames are the names of line ends.
var endNames = map[string]string{"\n": "LF", "\r\n": "CRLF", "\r": "CR"}

// unixEnds makes all line ends the same.
func unixEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// countLines is how many lines a text has; the last one need not have an end.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
