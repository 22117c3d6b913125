package redact

import "strings"

// kind says what the name of a member, parameter or attribute tells of its value.
type kind int

const (
	open     kind = iota // nothing
	perhaps              // a secret, if the value looks like one
	text                 // a secret, if it is a text
	password             // a secret
)

// endings are what names of secrets end with, in small letters and without the
// marks between words. Only "tokens" in the plural is a number more often.
var endings = []struct {
	name string
	kind kind
}{
	{"password", password}, {"passwd", password}, {"passphrase", password}, {"pwd", password}, {"secret", password},
	{"token", text}, {"authorization", text}, {"cookie", text}, {"credential", text}, {"credentials", text},
	{"apikey", text}, {"accesskey", text}, {"secretkey", text}, {"privatekey", text}, {"authkey", text}, {"signingkey", text},
	{"encryptionkey", text}, {"masterkey", text}, {"sharedkey", text}, {"subscriptionkey", text}, {"chatkey", text},
	{"key", perhaps}, {"pass", perhaps}, {"auth", perhaps}, {"signature", perhaps}, {"sig", perhaps},
}

// longestName is how much of a name is looked at, from its end, in bytes.
const longestName = 64

// kindOf judges a name, in whatever style it is written.
func kindOf(name string) kind {
	name = name[max(0, len(name)-longestName):]
	var room [longestName]byte
	plain := room[:0]
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			plain = append(plain, c|0x20)
		case c != '-' && c != '_' && c != '.' && c != ' ':
			plain = append(plain, c)
		}
	}
	for _, e := range endings {
		if n := len(plain) - len(e.name); n >= 0 && string(plain[n:]) == e.name {
			return e.kind
		}
	}
	return open
}

// header tells whether a name is that of an HTTP header with a credential, which
// stands before a colon without quotes.
func header(name string) bool {
	for _, h := range []string{"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "apikey", "x-auth-token", "x-goog-api-key"} {
		if strings.EqualFold(name, h) {
			return true
		}
	}
	return false
}

// hides tells whether a value is a secret under a name of some kind.
func (k kind) hides(value string) bool {
	switch {
	case value == "" || strings.HasPrefix(value, Mask):
		return false
	case k == perhaps:
		return random(value)
	}
	return k != open && !empty(value)
}

// empty are the words for no value.
func empty(value string) bool {
	switch value {
	case "null", "nil", "none", "None", "true", "false", "undefined":
		return true
	}
	return false
}

// random tells whether a text looks as if nobody had to remember it: long, with
// a digit, and without blanks.
func random(s string) bool {
	const least = 12
	return len(s) >= least && strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, " \t\r\n")
}
