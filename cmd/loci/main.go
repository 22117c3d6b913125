// Command loci is a personal agent between a chat window and a local model.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"loci/internal/cli"
)

// collectAt is how much the heap grows, in percent, until garbage is collected. With
// Go's own 100 a thousand streams at once take a quarter more memory; for the few
// streams of one person the difference cannot be measured.
const collectAt = 50

func main() {
	if os.Getenv("GOGC") == "" { // the person knows better
		debug.SetGCPercent(collectAt)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the program in order; after that the default holds
	// again, so that a second one ends it at once.
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, cli.System(), os.Args[1:]))
}
