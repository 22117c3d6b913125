// Command loci is a personal agent between a chat window and a local model.
package main

import (
	"context"
	"os"
	"os/signal"

	"loci/internal/cli"
	"loci/internal/confine"
)

func main() {
	confine.Main() // does not return in the helpers that commands are run by
	ctx, stop := signal.NotifyContext(context.Background(), cli.Ends()...)
	// The first signal ends the program in order; after that the default holds
	// again, so that a second one ends it at once.
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, cli.System(), os.Args[1:]))
}
