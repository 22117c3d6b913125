package transcript

import (
	"crypto/sha256"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"loci"
)

// What chat clients add to a reply when they show it, or leave out when they
// send it back: thoughts and folded details. RE2 has no backtracking, so these
// are safe on any text.
var decoration = regexp.MustCompile(`(?s)<think>.*?</think>|<thinking>.*?</thinking>|<details[^>]*>.*?</details>`)

// normal is a shown text as it is compared: without reasoning and folded
// details, in Unicode form NFC, with LF line ends, and trimmed.
func normal(text string) string {
	if strings.Contains(text, "<") {
		text = decoration.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return strings.TrimSpace(norm.NFC.String(text))
}

// TextHash identifies a shown message: its role and normal text.
func TextHash(m loci.Message) [32]byte {
	h := sha256.New()
	h.Write([]byte(m.Role))
	h.Write([]byte{0})
	h.Write([]byte(normal(m.Content)))
	return [32]byte(h.Sum(nil))
}

// PathHash identifies a shown path from the path before it and the hash of its
// last message, so that one lookup finds a whole conversation.
func PathHash(path, text [32]byte) [32]byte {
	return sha256.Sum256(append(path[:], text[:]...))
}

// chain gives the path hash after each message of a history.
func chain(history []loci.Message) [][32]byte {
	hashes := make([][32]byte, len(history))
	var path [32]byte
	for i, m := range history {
		path = PathHash(path, TextHash(m))
		hashes[i] = path
	}
	return hashes
}
