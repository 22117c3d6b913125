package main

import (
	"fmt"
	"strings"
)

// A column is what a product made of the records, by their names. A record that is
// not there was not tried on it.
type column struct {
	product  string
	verdicts map[string]Verdict
}

// list prints what went wrong.
func (c column) list(dialects []*Dialect) {
	for _, d := range dialects {
		for _, r := range d.Records {
			if v := c.verdicts[r.ID()]; !v.OK() {
				fmt.Printf("%s: %s: %s\n", c.product, r.ID(), v)
			}
		}
	}
	fmt.Println()
}

// A score counts records.
type score struct {
	calls, ran   int // records with a call that shall run, and those where just that ran
	others, left int // records without one, and those where nothing ran
	leaked       int // of both, where markup was shown
	tried        bool
}

func (s *score) add(r *Record, v Verdict) {
	s.tried = true
	switch {
	case r.Runs():
		s.calls++
		if v.Ran == "" {
			s.ran++
		}
	default:
		s.others++
		if v.Ran == "" {
			s.left++
		}
	}
	if v.Leaked != "" {
		s.leaked++
	}
}

// String is a cell of the board.
func (s score) String() string {
	if !s.tried {
		return "–"
	}
	return fmt.Sprintf("%d/%d · %d/%d · %d", s.ran, s.calls, s.left, s.others, s.leaked)
}

// printBoard prints two tables in Markdown, by dialect and by fault.
func printBoard(dialects []*Dialect, columns []column) {
	total := 0
	var titles, faults []string
	often := map[string]int{}
	for _, d := range dialects {
		titles = append(titles, d.Title)
		for _, r := range d.Records {
			total++
			if often[r.fault()]++; often[r.fault()] == 4 {
				faults = append(faults, r.fault())
			}
		}
	}
	fmt.Printf(notes, total)
	printTable("dialect", dialects, columns, titles, func(d *Dialect, r *Record) string { return d.Title })
	fmt.Println()
	const rest = "others"
	printTable("fault", dialects, columns, append(faults, rest), func(_ *Dialect, r *Record) string {
		if often[r.fault()] < 4 {
			return rest
		}
		return r.fault()
	})
}

// notes stand above the board.
const notes = `%d scripted replies. A cell: where a call shall run, how often just that ran · where none shall,
how often nothing ran · how often the person was shown markup.

- Every product has the same tools, by name and schema, and the same model server, by OpenAI's
  protocol (records of Ollama's own protocol are for loci alone). loci counts as right only if
  it is right with its tools offered natively and as text.
- The server hands the model's text on as it is. Servers with a parser for the model's own
  form do better with it, and then these products see native calls.
- Where two outcomes are right, either counts. A product that reads no text for calls leaves
  all of it alone: the second number says something only beside the first.
- The legacy mode of Open WebUI asks the model apart whether to call a tool, and shows that
  reply to nobody.

`

// fault is the kind of fault, without what is special about it.
func (r *Record) fault() string {
	kind, _, _ := strings.Cut(r.Fault, ":")
	return kind
}

// printTable prints a table with a row for each name, and the sum.
func printTable(head string, dialects []*Dialect, columns []column, rows []string, row func(*Dialect, *Record) string) {
	sums := make([]map[string]*score, len(columns))
	counts := map[string]int{}
	for i, c := range columns {
		sums[i] = map[string]*score{"": {}}
		for _, name := range rows {
			sums[i][name] = &score{}
		}
		for _, d := range dialects {
			for _, r := range d.Records {
				if i == 0 {
					counts[row(d, r)]++
				}
				if v, tried := c.verdicts[r.ID()]; tried {
					sums[i][row(d, r)].add(r, v)
					sums[i][""].add(r, v)
				}
			}
		}
	}
	fmt.Printf("| %s | records |", head)
	for _, c := range columns {
		fmt.Printf(" %s |", c.product)
	}
	fmt.Printf("\n|---|---|%s\n", strings.Repeat("---|", len(columns)))
	all := 0
	for _, name := range rows {
		if counts[name] == 0 {
			continue
		}
		fmt.Printf("| %s | %d |", strings.ReplaceAll(name, "|", `\|`), counts[name])
		all += counts[name]
		for i := range columns {
			fmt.Printf(" %s |", sums[i][name])
		}
		fmt.Println()
	}
	fmt.Printf("| **all** | %d |", all)
	for i := range columns {
		fmt.Printf(" **%s** |", sums[i][""])
	}
	fmt.Println()
}
