package database

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"loci/internal/text"
)

const (
	mostRows  = 500       // rows that are given at most
	usualRows = 50        // and where nothing is asked for
	mostBytes = 12 << 10  // bytes of all cells together
	mostCell  = 400       // characters of one cell
	mostMore  = 1_000_000 // rows beyond them that are counted
)

// Limit bounds what a query gives.
type Limit int // rows; 0: 50

// Rows is what a query gave.
type Rows struct {
	Columns []string
	Types   []string // as declared; empty where nothing is
	Rows    [][]any  // of nil, bool, int64, float64 and string
	More    int      // rows beyond those
	Over    bool     // and there may be yet more
	Clipped int      // cells that are shown in part

	limit, bytes int
}

// newRows makes a result for so many columns.
func newRows(limit Limit, columns int) Rows {
	n := int(limit)
	if n <= 0 {
		n = usualRows
	}
	return Rows{Columns: make([]string, 0, columns), Rows: [][]any{}, limit: min(n, mostRows)}
}

// column adds a column's name.
func (r *Rows) column(name, typ string) {
	r.Columns, r.Types = append(r.Columns, text.Clip(name, 100)), append(r.Types, strings.ToLower(text.Clip(typ, 40)))
	r.bytes += len(name)
}

// full tells whether no row more fits.
func (r *Rows) full() bool { return len(r.Rows) >= r.limit || r.bytes >= mostBytes }

// count counts a row that did not fit; false: it is enough.
func (r *Rows) count() bool {
	r.More++
	r.Over = r.More >= mostMore
	return !r.Over
}

// add adds a row, with long cells clipped.
func (r *Rows) add(cells []any) {
	row := make([]any, len(cells))
	for i, c := range cells {
		row[i] = r.cell(c)
		if s, ok := row[i].(string); ok {
			r.bytes += len(s)
		}
		r.bytes += 8
	}
	r.Rows = append(r.Rows, row)
}

// cell makes a value fit for JSON.
func (r *Rows) cell(v any) any {
	switch v := v.(type) {
	case nil, bool, int64:
		return v
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return v
	case []byte:
		return r.clip(fmt.Sprintf("<%d bytes: %x>", len(v), v[:min(len(v), 16)]))
	case string:
		return r.clip(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return r.clip(fmt.Sprint(v))
}

// clip shortens a text, and counts that.
func (r *Rows) clip(s string) string {
	short := text.First(s, mostCell)
	if short != s {
		r.Clipped++
		short += fmt.Sprintf("… (%d characters)", utf8.RuneCountInString(s))
	}
	return strings.ToValidUTF8(short, "\ufffd")
}

// show writes a row on a line, for people.
func show(cells []any) string {
	parts := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case nil:
			parts[i] = "NULL"
		case string:
			parts[i] = strconv.Quote(text.Clip(c, 60))
		case []byte:
			parts[i] = fmt.Sprintf("<%d bytes>", len(c))
		default:
			parts[i] = fmt.Sprint(c)
		}
	}
	return "(" + text.Clip(strings.Join(parts, ", "), 200) + ")"
}
