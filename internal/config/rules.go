package config

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// rule is the form that a text has to have.
type rule struct {
	want string // completes "but … is expected"
	// check gives the text in the form to keep, and whether it follows the rule.
	check func(d *decoder, s string) (string, bool)
}

// rules are what the tag "is" can name.
var rules = map[string]rule{
	"address": {"an address such as 127.0.0.1:5624", plain(isAddress)},
	"url":     {"a URL such as http://127.0.0.1:11434, without a name or password in it,", plain(isURL)},
	"origin":  {"an origin such as https://chat.example", plain(isOrigin)},
	"host":    {"a host name such as loci.example, with or without a port,", plain(isHost)},
	"zone":    {"a time zone such as Europe/Prague", plain(isZone)},
	"path":    {"an absolute path, or one that starts with ~,", expandPath},
	"family":  {"the name of a model family, such as qwen2,", lower},
	"person":  {"an id or an e-mail address", lowerAddress},
}

// plain makes the check of a rule that keeps the text as it is.
func plain(ok func(string) bool) func(*decoder, string) (string, bool) {
	return func(_ *decoder, s string) (string, bool) { return s, ok(s) }
}

// lower keeps a name in lower case, since it is looked up without regard to it.
func lower(_ *decoder, s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	return s, s != ""
}

// lowerAddress does so for e-mail addresses only: two ids that differ in case
// may be two people.
func lowerAddress(d *decoder, s string) (string, bool) {
	if strings.Contains(s, "@") {
		return lower(d, s)
	}
	s = strings.TrimSpace(s)
	return s, s != ""
}

// isAddress allows an empty host, which means every address of the machine.
func isAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && isPort(port)
}

// isPort allows 0, which means a free one.
func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// isURL refuses passwords in URLs: URLs are logged, keys are not.
func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// isOrigin wants what browsers send (RFC 6454, section 6.1): no path, not even
// a slash.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isURL(s) && u.Path == ""
}

// isHost wants one name. A pattern such as *.example would let in every name
// that somebody can make there.
func isHost(s string) bool {
	if host, port, err := net.SplitHostPort(s); err == nil {
		return host != "" && isPort(port)
	}
	return !strings.ContainsAny(s, "/:@?#* \t")
}

// isZone asks the time zone database of the machine.
func isZone(s string) bool {
	_, err := time.LoadLocation(s)
	return err == nil
}

// expandPath makes a path absolute. A relative one is taken from where the
// program was started, but only when it was given there: in a file it would
// mean another folder at every start.
func expandPath(d *decoder, s string) (string, bool) {
	folder := ""
	if d.file == "" {
		folder, _ = os.Getwd() // without it a relative path is refused
	}
	return expand(s, d.home, folder)
}

// Expand makes absolute what a person wrote as a path: ~ is their home folder,
// and what is relative lies in folder, which may be empty. False: it cannot be
// made absolute, as the home folder of somebody else.
func Expand(path, folder string, env func(string) string) (string, bool) {
	return expand(path, homeFolder(env), folder)
}

// expand is Expand where the home folder is known.
func expand(path, home, folder string) (string, bool) {
	rest, tilde := strings.CutPrefix(path, "~")
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path), true
	case tilde && home != "" && (rest == "" || os.IsPathSeparator(rest[0])):
		return filepath.Join(home, rest), true
	case tilde || folder == "":
		return "", false
	}
	return filepath.Join(folder, path), true
}
