// Package toolkit is the tools that loci has built in: for files (list, read,
// search; write, edit, move, delete), databases, commands, media players and
// applications, the machine (system, processes), the clock, and the calculator.
//
// Every tool follows the same plan, which is worth knowing before reading one:
// an arguments struct, whose tags are what the model reads; a result struct,
// small fields first; a function that turns the one into the other; and a
// function that puts the result in words, in English, Chinese and Czech. The
// words matter as much as the data: with a small model they are the reply.
//
// Tools get at files only through [sandbox.Folders]. The four that change files
// are dangerous, so a person is asked first; each has a preview, which does all
// that the call does short of the change itself, and whose basis is the real
// path and the content that it started from. What is deleted goes to the trash.
package toolkit

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"loci"
	"loci/internal/database"
	"loci/internal/desktop"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/tool"
)

// Config bounds the work of a single call. Zero fields have the default.
type Config struct {
	SearchFiles int           // files and folders a search looks at; 20,000
	SearchBytes int64         // bytes a search reads; 1 GiB
	SearchTime  time.Duration // how long a search goes on before it tells what it has; 20 s
	Trash       string        // folder of the journal; empty: nothing is kept, and nothing can be deleted

	Databases map[string]database.Connection // on servers, by the names that a person gave them
	Apps      map[string]desktop.App         // that may be started, likewise
	Desktop   desktop.Desktop
	Writer    Writer // makes edits from instructions; nil: nobody does
}

// All makes every built-in tool.
func All(c Config) []tool.Tool {
	j := &sandbox.Journal{Dir: c.Trash}
	return []tool.Tool{
		tool.WithDoing(listDir(), func(a listArgs) string { return "listing " + cmp.Or(a.Path, ".") }),
		tool.WithDoing(readFile(), func(a readArgs) string { return "reading " + a.Path }),
		tool.WithDoing(searchFiles(c), searching),
		tool.WithDoing(writeFile(j), func(a writeArgs) string { return "writing " + a.Path }),
		tool.WithDoing(editFile(j, c.Writer), func(a editCall) string { return "changing " + a.Path }),
		tool.WithDoing(moveFile(j), func(a moveArgs) string { return "moving " + a.Source + " to " + a.Destination }),
		tool.WithDoing(deleteFile(j), func(a deleteArgs) string { return "deleting " + a.Path }),
		tool.WithDoing(runCommand(), runningCommand),
		tool.WithDoing(systemInfo(), func(systemArgs) string { return "looking at the machine" }),
		tool.WithDoing(listProcesses(), func(processArgs) string { return "looking at what runs" }),
		tool.WithDoing(currentTime(), func(clockArgs) string { return "looking at the clock" }),
		tool.WithDoing(calculate(), func(a calcArgs) string { return "calculating " + a.Expression }),
		tool.WithDoing(queryDB(c), func(a queryArgs) string { return "looking into " + a.Database }),
		tool.WithDoing(changeDB(c), func(a changeArgs) string { return "changing " + a.Database }),
		tool.WithDoing(mediaControl(c), func(a mediaArgs) string { return "telling the player: " + string(a.Action) }),
		tool.WithDoing(openApp(c), func(a appArgs) string { return "opening " + a.App }),
	}
}

// fail makes an error that trying again does not mend.
func fail(suggestion, format string, args ...any) *loci.ToolError {
	return &loci.ToolError{Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
}

// advise makes an error whose advice is as good for a person as for a model.
func advise(advice, format string, args ...any) *loci.ToolError {
	e := fail(advice, format, args...)
	e.ForPerson = advice
	return e
}

// some joins the first n parts, and tells how many more there are.
func some(language string, parts []string, n int) string {
	text := strings.Join(parts[:min(n, len(parts))], ", ")
	if more := len(parts) - n; more > 0 {
		text += lang.Words{EN: " and %d more", ZH: " 等，还有 %d 项", CS: " a další (%d)"}.In(language, more)
	}
	return text
}
