package config

import (
	"fmt"
	"log/slog"
)

// hidden is what is shown in place of a key.
const hidden = "[hidden]"

// Secret is a text that must not be shown, such as a key. However it is
// printed, logged or encoded, hidden comes out; string(s) is the text itself. In a
// configuration it may be a reference to the text; see [Config.Resolve].
type Secret string

// String hides the text.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// Format hides the text for every verb of package fmt.
func (s Secret) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), s.String())
}

// MarshalText hides the text in JSON, YAML and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the text in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
