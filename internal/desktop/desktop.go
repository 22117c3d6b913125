// Package desktop is what loci can do with the other programs of the person's desktop:
// tell a media player to play, pause or go on (see [Desktop.Media]), and start an
// application that the person listed (see [Start]).
//
// Players are reached over the session's D-Bus by the interface that they share, MPRIS
// (https://specifications.freedesktop.org/mpris-spec/latest/). What they say of
// themselves, a title for instance, comes from anywhere and is not to be trusted.
package desktop

import (
	"fmt"
	"os"

	"loci"
)

// Desktop is the person's session on this machine.
type Desktop struct {
	Getenv func(string) string // nil: os.Getenv
}

// get looks up an environment variable.
func (d Desktop) get(name string) string {
	if d.Getenv == nil {
		return os.Getenv(name)
	}
	return d.Getenv(name)
}

// refuse makes an error that trying again does not mend.
func refuse(suggestion, format string, args ...any) *loci.ToolError {
	return &loci.ToolError{Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
}
