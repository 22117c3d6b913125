// Command bfcl measures how many questions of the Berkeley Function-Calling Leaderboard
// (Patil et al., version 4) the embedded chat model answers with the right call, rung by
// rung: what its server makes of it alone, and what each thing that loci adds lifts.
//
//	raw         the tools go to llama-server, and only native calls count
//	+reading    the tools are described in the prompt, and a call counts in any form that
//	            loci reads
//	+constrained a JSON Schema of the offered tools, or none, holds the reply
//	+retry      a call that cannot be read is asked for once more, with the fault
//	reading+retry the same for the free form, with a constrained retry
//	tiny        the runtime chooses by the nearest descriptions, and takes the arguments
//	            from the person's words; the model is not asked
//
// The questions are no part of this project; without them it says so and ends. All calls
// of the model are at temperature 0. A sample has odd questions only, because some bounds
// of the tiny tier were found on even ones.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

func main() {
	dir := flag.String("questions", questionsDir(), "folder of the leaderboard's files")
	counts := flag.String("n", "simple_python=100,multiple=60,irrelevance=80", "questions of each category; 0: all")
	only := flag.String("rungs", "", "rungs to measure, separated by commas; empty: all")
	threads := flag.Int("threads", 0, "of each model; 0: as loci starts it. On a busy machine one is faster than several that wait for each other")
	verbose := flag.Bool("v", false, "print what each question failed on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *dir, *counts, *only, *threads, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "bfcl:", err)
		os.Exit(1)
	}
}

// questionsDir is where the leaderboard's files are looked for: LOCI_BFCL, or beside the
// project.
func questionsDir() string {
	if dir := os.Getenv("LOCI_BFCL"); dir != "" {
		return dir
	}
	for _, dir := range []string{"../shared/data/bfcl", "../../../../shared/data/bfcl"} {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	return "../shared/data/bfcl"
}

// column is a category and what is asked of it.
type column struct {
	name      string
	of        int // questions that there are
	questions []question
}

// columns reads "category=count,…".
func columns(dir, counts string) (all []column, err error) {
	for part := range strings.SplitSeq(counts, ",") {
		name, count, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(count)
		if err != nil {
			return nil, fmt.Errorf("-n %s: %w", part, err)
		}
		qs, err := load(dir, name)
		if err != nil {
			return nil, err
		}
		all = append(all, column{name, len(qs), sample(qs, n)})
	}
	return all, nil
}

func run(ctx context.Context, dir, counts, only string, threads int, verbose bool) error {
	cols, err := columns(dir, counts)
	if err != nil {
		return err
	}
	l, stop, err := newLadder(ctx, threads)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("SmolLM2-135M, temperature 0. Right, of")
	for _, c := range cols {
		fmt.Printf(" %s %d (of %d)", c.name, len(c.questions), c.of)
	}
	fmt.Printf("\n| rung | %s | all | lift | time |\n|---|%s---|---|---|\n", strings.Join(names(cols), " | "), strings.Repeat("---|", len(cols)))
	before := map[string]float64{}
	for _, r := range l.rungs() {
		if only != "" && !strings.Contains(","+only+",", ","+r.name+",") {
			continue
		}
		began := time.Now()
		var cells []string
		right, asked := 0, 0
		for _, c := range cols {
			n := 0
			for _, q := range c.questions {
				calls, err := r.answer(ctx, q)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", r.name, q.ID, err)
				}
				if err := check(q, calls); err == nil {
					n++
				} else if verbose {
					fmt.Fprintf(os.Stderr, "%s %s %.200q: %v\n", r.name, q.ID, q.Text, err)
				}
			}
			cells = append(cells, fmt.Sprintf("%.1f %%", 100*share(n, len(c.questions))))
			right, asked = right+n, asked+len(c.questions)
		}
		all := 100 * share(right, asked)
		before[r.name] = all
		lift := "–"
		if from, known := before[r.from]; known {
			lift = fmt.Sprintf("%+.1f to %s", all-from, r.from)
		}
		fmt.Printf("| %s | %s | %.1f %% | %s | %s |\n", r.name, strings.Join(cells, " | "), all, lift, time.Since(began).Round(time.Second))
	}
	return nil
}

func names(cols []column) (all []string) {
	for _, c := range cols {
		all = append(all, c.name)
	}
	return all
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
