package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"loci"
	"loci/internal/approval"
	"loci/internal/text"
)

// agreed reads an answer to a question, and for how long a yes is given; it is clear
// when it is nothing but a yes or a no that the question takes, and names no other
// one. An empty line is a no.
func agreed(answer string, q loci.Approval) (yes bool, span loci.GrantSpan, clear bool) {
	if strings.TrimSpace(answer) == "" {
		return false, "", true
	}
	a := approval.Read(answer)
	other := len(a.Codes) > 1 || len(a.Codes) == 1 && a.Codes[0] != q.Code
	return a.Verdict == approval.Yes, a.Span, a.Verdict != approval.None && !other && approval.Lasts(q, a.Span)
}

// title names what a question is about: the tool, and what it would work on.
func title(a loci.Approval) string {
	words, _ := subject(given(a))
	return strings.TrimSpace(oneLine(a.Tool) + " " + words)
}

// subject says what a call would work on, and by which of its arguments.
func subject(args map[string]string) (words string, by []string) {
	switch {
	case args["source"] != "" && args["destination"] != "":
		return args["source"] + " → " + args["destination"], []string{"source", "destination"}
	case args["path"] != "":
		return args["path"], []string{"path"}
	}
	return "", nil
}

// given are the arguments of a call as they are shown.
func given(a loci.Approval) map[string]string {
	var args map[string]json.RawMessage
	if json.Unmarshal(a.Arguments, &args) != nil {
		return map[string]string{"arguments": oneLine(string(a.Arguments))}
	}
	shown := map[string]string{}
	for name, raw := range args {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		shown[oneLine(name)] = oneLine(text)
	}
	return shown
}

// previewed are the arguments that a preview shows in a better way.
var previewed = []string{"content", "old_text", "new_text", "argv", "script", "query"}

// question shows all that a person has to know to answer, line by line.
func question(a loci.Approval, colour bool) string {
	var b strings.Builder
	b.WriteString(painted(colour, bold, title(a)) + "\n")
	line := func(s string) {
		if s != "" {
			b.WriteString("  " + s + "\n")
		}
	}
	line(oneLine(a.Reason))
	if a.Taint != "" {
		line("This conversation has read from outside: " + oneLine(a.Taint))
	}
	args := given(a)
	_, told := subject(args)
	if a.Preview != "" {
		told = append(told, previewed...)
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(told, name) {
			line(name + ": " + beginning(args[name]))
		}
	}
	b.WriteString(preview(a, colour))
	return b.String()
}

// beginning is as much of an argument as a question shows.
func beginning(s string) string {
	const most = 500
	if n := utf8.RuneCountInString(s); n > most {
		return fmt.Sprintf("%s (%d characters in all)", text.Title(s, most), n)
	}
	return s
}

// preview shows what would change, in colours where it is a diff.
func preview(a loci.Approval, colour bool) string {
	shown := strings.TrimRight(a.Preview, "\r\n")
	if shown == "" {
		return ""
	}
	colour = colour && strings.Contains("\n"+shown, "\n@@")
	var b strings.Builder
	for line := range strings.SplitSeq(shown, "\n") {
		line = escaped(strings.TrimSuffix(line, "\r"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = painted(colour, green, line)
		case strings.HasPrefix(line, "-"):
			line = painted(colour, red, line)
		}
		b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	return b.String()
}

// escaped shows the characters that could hide something, or take hold of a
// terminal, as what they are.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\t' && text.Hidden(r) || unicode.Is(unicode.Zs, r) && r != ' ' && r != '\u3000' {
			b.WriteString(text.Escape(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// oneLine is escaped for what has to stay in its line.
func oneLine(s string) string { return strings.ReplaceAll(escaped(s), "\t", `\t`) }

// until says when a question expires, in a few words.
func until(a loci.Approval) string {
	if a.Expires.IsZero() {
		return ""
	}
	at, form := a.Expires.Local(), "15:04"
	if time.Until(at) > 12*time.Hour {
		form = "2006-01-02 15:04"
	}
	return "until " + at.Format(form)
}

// how tells how a question can be answered later, or from elsewhere.
func (c *command) how(a loci.Approval) string {
	words := fmt.Sprintf("To answer: %s approvals yes %s, or %[1]s approvals no %[2]s", c.program(), a.Code)
	if until := until(a); until != "" {
		words += ", " + until
	}
	return words + "."
}
