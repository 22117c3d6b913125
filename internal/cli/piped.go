package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"loci"
)

// isPiped tells whether a standard input is a pipe, or a file that nobody has begun to
// read: a loop of the shell that reads one line by line has, and the rest is the loop's.
func isPiped(in *os.File) bool {
	info, err := in.Stat()
	switch {
	case err != nil:
		return false
	case info.Mode().IsRegular():
		at, err := in.Seek(0, io.SeekCurrent)
		return err == nil && at == 0
	}
	return info.Mode()&os.ModeNamedPipe != 0
}

// question gives the text to ask: the words of the command line, below them what was
// piped in, or for "-" alone what was piped in.
func (c *command) question(ctx context.Context, args []string) (text string, err error) {
	awaited := len(args) > 0 && args[len(args)-1] == "-"
	if awaited {
		args = args[:len(args)-1]
	}
	text = strings.Join(args, " ")
	switch worded := strings.TrimSpace(text) != ""; {
	case awaited && !worded:
		text, err = c.piped(ctx, maxTyped, "Ask about a part of it.")
	case worded && (awaited || c.Piped && c.comes(ctx, text)):
		text, err = c.about(ctx, text)
	}
	if err == nil && strings.TrimSpace(text) == "" {
		return "", usageError{fmt.Errorf("what is the question?"), fmt.Sprintf(`%s ask "What day is it?", or from a file: %[1]s ask - <FILE`, c.program())}
	}
	return text, err
}

// maxMaterial is how much can be piped in below a question, in bytes: more than most
// models of a person's own read.
const maxMaterial = 300_000

// about puts what was piped in below the words, marked as a document that a client added:
// it may come from anywhere, and is no words of the person's.
func (c *command) about(ctx context.Context, words string) (string, error) {
	material, err := c.piped(ctx, maxMaterial, "Put it into a file in a folder that models may look into, and ask about that file.")
	if err != nil || strings.TrimSpace(material) == "" {
		return words, err
	}
	material = sourceMark.ReplaceAllString(strings.TrimRight(material, "\r\n"), "< $1")
	return fmt.Sprintf("%s\n\n<source id=\"1\" name=\"standard input\">\n%s\n</source>", words, material), nil
}

// sourceMark is what looks in the material like the end or the beginning of a document.
// loci looks for the last end, but a model stops at the first.
var sourceMark = regexp.MustCompile(`(?i)<(/\s*source|source id=)`)

// piped reads the standard input to its end.
func (c *command) piped(ctx context.Context, most int, otherwise string) (string, error) {
	data, err := io.ReadAll(io.LimitReader(untilDone{ctx, c.in}, int64(most)+1))
	switch {
	case err != nil:
		return "", loci.Errorf(loci.Internal, "The standard input cannot be read: %w.", err)
	case len(data) > most:
		return "", loci.Errorf(loci.Invalid, "The standard input is longer than %s.", megabytes(int64(most))).WithHint("%s", otherwise)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return "", loci.Errorf(loci.Invalid, "What comes on the standard input is no text.").WithHint("Give the name of a file instead, in a folder that models may look into.")
	}
	return string(data), nil
}

// How long a program that pipes something in may take to begin: where the words speak of
// what is to come, and where they do not, so that a script or service that leaves its
// standard input open hardly waits.
const (
	unhurried = 3 * time.Second
	briefly   = 500 * time.Millisecond
)

// pointing is in words that are about something which they do not name.
var pointing = regexp.MustCompile(`(?i)\b(?:this|these|that|those|it|its|them|here|above|below|following|attached|input|stdin|piped` +
	`|summari[sz]e|explain|translate|review|proofread|rewrite|rephrase|shorten|extract|tl;?dr` +
	`|the (?:texts?|pages?|logs?|diff|patch|changes|output|files?|code|documents?|article|messages?|mails?|letter|errors?|data|list|table|lines|report))\b` +
	`|这|那|它|以下|下面|上面|总结|概括|翻译|解释|内容` +
	`|(?:^|[^\pL])(?:to|toto|tohle|tento|tato|tyto|tuto|těchto|tomto|ten|ta|ty|tady|zde|níže|výše|následující\pL*|shrň(?:te)?|vysvětli(?:te)?|přelož(?:te)?|oprav(?:te)?|zkrať(?:te)?)(?:[^\pL]|$)`)

// comes waits until there is something on the standard input, or its end. Nobody may
// have meant to pipe anything in, and what a program was started with may never end: so
// the question does not wait for ever, unless somebody sees that it waits.
func (c *command) comes(ctx context.Context, words string) bool {
	patience := briefly
	if pointing.MatchString(words) {
		patience = unhurried
	}
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	switch err := c.in.comes(soon); {
	case err == nil || ctx.Err() != nil:
		return true // who reads hears what is wrong
	case c.Watched:
		c.say("loci: waiting for what is piped in; Ctrl-C ends that. To ask without it: %s ask … </dev/null", c.program())
		return true
	}
	c.say("loci: nothing came on the standard input within %v, so the question goes without it. To wait for it: %s ask … -", patience, c.program())
	return false
}
