package jsonrepair

import (
	"bytes"
	"strings"
)

// mayBePath tells whether the inside of a text begins like a path in Windows: a
// drive (C:\) or a server (\\host).
func mayBePath(raw string) bool {
	if len(raw) < 4 {
		return false
	}
	c := raw[0] | 0x20
	return c >= 'a' && c <= 'z' && raw[1] == ':' && raw[2] == '\\' ||
		raw[0] == '\\' && raw[1] == '\\' && wordAt(raw[2:])
}

// windowsPath tells whether the inside of a text is a path in Windows whose
// backslashes were not doubled. In "C:\temp" every escape is legal, so the text
// as a whole decides: it has nothing but what a path is made of, and it is not
// one word below another, as "A:\nYes" is. It is unsure of a sentence that begins
// with a path.
func windowsPath(raw string) evidence {
	if !mayBePath(raw) || strings.ContainsAny(raw[2:], "/:*?\"<>|") {
		return no
	}
	server := raw[0] == '\\'
	illegal, breaks, single := 0, 0, 0
	for i := 2; i < len(raw); i++ {
		if raw[i] < ' ' {
			return no
		}
		if raw[i] != '\\' {
			continue
		}
		single++
		switch n := escapeLen(raw[i:]); {
		case n == len(`\u0000`), i+1 < len(raw) && raw[i+1] == '\\':
			return no // who writes these knows the rule
		case n == 0:
			illegal++
		case raw[i+1] == 'n' || raw[i+1] == 'r':
			breaks++
		}
	}
	spaces := strings.IndexByte(raw, ' ') >= 0
	switch {
	case illegal > 0 && spaces && illegal < single && !extension(raw):
		return unsure
	case illegal > 0:
		return yes
	case server || spaces || single == breaks && !extension(raw):
		return no
	}
	return yes
}

// extension tells whether a path ends in a dot and a few letters.
func extension(path string) bool {
	i := strings.LastIndexByte(path, '.')
	return i > strings.LastIndexByte(path, '\\') && len(path)-i >= 2 && len(path)-i <= 6
}

// doubled appends raw with its backslashes doubled.
func doubled(dst []byte, raw string) []byte {
	for i := range len(raw) {
		if raw[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, raw[i])
	}
	return dst
}

// doublePaths doubles the backslashes of the Windows paths in valid JSON. It
// returns src itself where there are none.
func doublePaths(src []byte) []byte {
	if !bytes.Contains(src, []byte(`:\`)) {
		return src
	}
	var out []byte
	done := 0
	for i := 0; i < len(src); i++ {
		if src[i] != '"' {
			continue
		}
		from := i + 1
		for i++; src[i] != '"'; i++ {
			if src[i] == '\\' {
				i++
			}
		}
		if raw := src[from:i]; len(raw) > 3 && raw[1] == ':' && windowsPath(string(raw)) == yes {
			out = doubled(append(out, src[done:from]...), string(raw))
			done = i
		}
	}
	if done == 0 {
		return src
	}
	return append(out, src[done:]...)
}
