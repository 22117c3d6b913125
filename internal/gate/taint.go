package gate

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"loci"
	"loci/internal/tool"
)

// astray tells whether a call has to be asked about because the conversation has read
// from outside, and that may be what it is made for.
func (g *Gate) astray(c tool.Case) bool {
	if len(c.Scope.Taint) == 0 || !sink(c.Spec) {
		return false
	}
	return g.cfg.Taint != Relaxed || !wished(c)
}

// sink tells whether a tool is where somebody else's wishes do harm.
func sink(s loci.ToolSpec) bool {
	return s.Irreversible || s.SideEffects == loci.EffectEgress || s.SideEffects == loci.EffectExec
}

// wished tells, for the relaxed mode, whether the person's own words name all that a
// call sends something to, and it can be taken back. A link in what is sent has to be
// theirs too: it is what a letter from outside would have passed on.
func wished(c tool.Case) bool {
	if c.Spec.Irreversible || len(c.Spec.Destinations) == 0 {
		return false
	}
	var args map[string]any
	if json.Unmarshal(c.Arguments, &args) != nil {
		return false
	}
	said := make([]string, len(c.Scope.Said))
	for i, s := range c.Scope.Said {
		said[i] = fold(s)
	}
	named := 0
	for name, value := range args {
		goes := slices.Contains(c.Spec.Destinations, name)
		for _, text := range texts(value) {
			if goes {
				named++
				if !mentioned(said, text) {
					return false
				}
				continue
			}
			for _, link := range links.FindAllString(text, -1) {
				if !mentioned(said, link) {
					return false
				}
			}
		}
	}
	return named > 0
}

// shortest is how many characters a destination must have to be told from a chance.
const shortest = 3

// mentioned tells whether somebody said a destination, as a word of its own: it must
// not be the beginning of another one, nor a part of it.
func mentioned(said []string, what string) bool {
	what = strings.TrimSpace(fold(what))
	if utf8.RuneCountInString(what) < shortest {
		return false
	}
	return slices.ContainsFunc(said, func(s string) bool {
		for from := 0; ; {
			i := strings.Index(s[from:], what)
			if i < 0 {
				return false
			}
			start, end := from+i, from+i+len(what)
			before, _ := utf8.DecodeLastRuneInString(s[:start])
			if !joins(before) && ends(s[end:]) {
				return true
			}
			from = start + 1
			for from < len(s) && !utf8.RuneStart(s[from]) {
				from++
			}
		}
	})
}

// ends tells whether an address is over where the rest of a text begins: a full stop
// ends a sentence, but not a host name.
func ends(rest string) bool {
	rest = strings.TrimLeft(rest, ".,;:!?")
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !joins(r)
}

// joins tells whether a character goes on with an address.
func joins(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("@._-+/%=&#~:", r))
}

// links finds addresses in a text, with or without a scheme.
var links = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]*://|www\.)[^\s<>"'` + "`" + `)\]]+`)

// texts are all strings in a JSON value. A URL stands for itself as it is written.
func texts(value any) (found []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			found = append(found, texts(e)...)
		}
	case map[string]any:
		for name, e := range v {
			found = append(append(found, name), texts(e)...)
		}
	}
	return found
}

// fold makes two spellings of the same address comparable.
func fold(s string) string {
	s = strings.ToLower(norm.NFC.String(s))
	if u, err := url.Parse(s); err == nil && u.Scheme != "" && u.Path == "/" && u.RawQuery == "" {
		s = strings.TrimSuffix(s, "/")
	}
	return s
}
