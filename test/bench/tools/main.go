// Command tools keeps the scoreboard of tool calls: a scripted model answers in each
// form that models write calls in, rightly and with the faults that are seen in the
// wild, and each product in front of it should run what is a call, leave alone what
// is none, and show the person neither.
//
// The records are in testdata, a file for each dialect, made to be read. loci is the
// real program in front of a real socket; what ran is read from its events and from
// the folder it worked in. Other products answer the same records by a script in
// peers, which hands each call on to this program.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	binary := flag.String("loci", "bin/loci", "the program to try")
	flag.Func("peer", "another product: NAME=COMMAND, whose words are separated by spaces", addPeer)
	only := flag.String("only", "", "records whose name contains this")
	verbose := flag.Bool("v", false, "list what went wrong")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *binary, *only, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "tools:", err)
		os.Exit(1)
	}
}

// run tries all records on all products, and prints the board.
func run(ctx context.Context, binary, only string, verbose bool) error {
	dialects, err := Load()
	if err != nil {
		return err
	}
	for _, d := range dialects {
		d.keep(only)
	}
	own, err := tryLoci(ctx, binary, dialects)
	if err != nil {
		return err
	}
	columns := []column{own}
	for _, p := range peers {
		c, err := p.try(ctx, dialects)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		columns = append(columns, c)
	}
	if verbose {
		for _, c := range columns {
			c.list(dialects)
		}
	}
	printBoard(dialects, columns)
	return nil
}

// keep drops the records whose name does not contain a text.
func (d *Dialect) keep(only string) {
	var some []*Record
	for _, r := range d.Records {
		if strings.Contains(r.ID(), only) {
			some = append(some, r)
		}
	}
	d.Records = some
}

// tryLoci sends every record through each door that is for its dialect. What went
// wrong at one of them went wrong.
func tryLoci(ctx context.Context, binary string, dialects []*Dialect) (column, error) {
	c := column{"loci", map[string]Verdict{}}
	for _, d := range doors {
		home, err := os.MkdirTemp("", "loci-board")
		if err != nil {
			return c, err
		}
		defer os.RemoveAll(home)
		l, err := startLoci(binary, home, d)
		if err != nil {
			return c, err
		}
		for _, dialect := range dialects {
			if !d.dialects(dialect.Name) {
				continue
			}
			for _, r := range dialect.Records {
				if v, seen := c.verdicts[r.ID()]; !seen || v.OK() {
					c.verdicts[r.ID()] = r.Judge(l.try(ctx, r))
				}
			}
		}
		l.stop()
	}
	return c, ctx.Err()
}
