package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// longest is the length of a secret, in bytes, from which only the plain writings
// are looked for: all together they would take too much memory.
const longest = 4 << 10

// forms gives a secret as it may be written: plainly, inside a JSON or Go string
// (and inside one in another), in a URL, in HTML, and inside Base64.
func forms(v string) []string {
	if len(v) > longest {
		all := append(escaped(v), v)
		slices.Sort(all)
		return slices.Compact(all)
	}
	all := []string{v, html.EscapeString(v)}
	for _, once := range escaped(v) {
		all = append(all, once)
		all = append(all, escaped(once)...)
	}
	for _, e := range []string{url.QueryEscape(v), url.PathEscape(v), url.UserPassword("", v).String()[1:], percentAll(v)} {
		all = append(all, e, lowerEscapes(e))
	}
	all = append(all, base64Forms(v)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// escaped gives a text inside a JSON or Go string.
func escaped(v string) []string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // a string always encodes
	plain := strings.TrimSuffix(b.String(), "\n")
	plain = plain[1 : len(plain)-1]
	full, _ := json.Marshal(v)
	quoted, ascii := strconv.Quote(v), strconv.QuoteToASCII(v)
	return []string{
		plain, string(full[1 : len(full)-1]), strings.ReplaceAll(plain, "/", `\/`), jsonASCII(plain),
		quoted[1 : len(quoted)-1], ascii[1 : len(ascii)-1],
	}
}

// jsonASCII writes the letters of a JSON text that are not ASCII as escapes, as
// Python does.
func jsonASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}

// percentAll escapes for a URL all that RFC 3986 section 2.3 does not call
// unreserved, as JavaScript and Python nearly do.
func percentAll(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// lowerEscapes writes percent escapes with small letters.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// base64Forms gives what Base64 makes of a secret at any place of a longer text
// (RFC 4648, sections 4 and 5). Three bytes become four letters, so there are
// three ways; letters that depend on a neighbour are left out.
func base64Forms(v string) []string {
	var all []string
	for before := range 3 {
		padded := append(make([]byte, before), v...)
		first := (before*8 + 5) / 6 // the first letter of v alone
		last := len(padded) * 8 / 6 // the one after its last
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, e.EncodeToString(padded)[first:last])
		}
	}
	return all
}
