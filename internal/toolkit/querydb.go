package toolkit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/database"
	"loci/internal/lang"
	"loci/internal/text"
	"loci/internal/tool"
)

const (
	saidRows   = 10 // rows that a person is told
	saidTables = 20 // and tables
)

// queryArgs is what query_db takes.
type queryArgs struct {
	Database string `json:"database" jsonschema:"SQLite file or name"`
	Query    string `json:"query,omitempty" jsonschema:"one SELECT"`
	Limit    int    `json:"limit,omitempty" jsonschema:"rows, 50 if left out"`
}

// answer is what query_db returns.
type answer struct {
	Database string           `json:"database"`
	Note     string           `json:"note,omitempty"`
	More     int              `json:"more_rows,omitempty"` // beyond those given
	Columns  []string         `json:"columns,omitempty"`
	Types    []string         `json:"types,omitempty"`
	Rows     [][]any          `json:"rows,omitzero"`
	Tables   []database.Table `json:"tables,omitzero"`

	origin string
}

// Origin names where from outside the person's folders the answer comes; empty: it is
// from a file in them.
func (a answer) Origin() string { return a.origin }

// queryDB is the tool that reads databases.
func queryDB(c Config) tool.Tool {
	ask := func(ctx context.Context, env tool.Env, args queryArgs) (answer, error) {
		return queryDatabase(ctx, env, args, c.Databases)
	}
	return tool.Define(loci.ToolSpec{
		Name: "query_db",
		Description: `Reads a database: its tables, or rows by one SELECT query. database is a path or connection. Does not change it. ` +
			`Example: {"database": "a.db", "query": "SELECT count(*) FROM orders"}`,
		SideEffects: loci.EffectRead,
		Files:       true,
		Timeout:     45 * time.Second,
		Examples: []string{
			"Which tables are in shop.db?",
			"How many orders are in the database shop.db?",
			"Show the columns of the table users in app.sqlite.",
			"Run SELECT * FROM customers LIMIT 5 on sales.sqlite3.",
			"What is the highest total in the orders table of shop.db?",
			"Look up customer 42 in the work database.",
			"shop.db 数据库里有哪些表？",
			"查询 shop.db 里订单的数量。",
			"Které tabulky jsou v databázi shop.db?",
			"Kolik zákazníků je v databázi sklad.sqlite?",
		},
	}, ask, renderAnswer)
}

// queryDatabase does what query_db promises.
func queryDatabase(ctx context.Context, env tool.Env, args queryArgs, named map[string]database.Connection) (answer, error) {
	return onDatabase(ctx, env, args.Database, named, func(db opened) (a answer, err error) {
		a = answer{Database: oneLine(db.Name()), origin: db.origin}
		if strings.TrimSpace(args.Query) == "" {
			s, err := db.Tables(ctx)
			a.Tables = append([]database.Table{}, s.Tables...)
			if s.More > 0 {
				a.Note = fmt.Sprintf("There are %d tables more.", s.More)
			}
			return a, err
		}
		r, err := db.Query(ctx, args.Query, database.Limit(args.Limit))
		a.Columns, a.Rows, a.More = r.Columns, r.Rows, r.More
		if slices.ContainsFunc(r.Types, func(t string) bool { return t != "" }) {
			a.Types = r.Types
		}
		a.Note = remarks(r)
		return a, err
	})
}

// remarks tells what is not in the rows, for a model.
func remarks(r database.Rows) string {
	var notes []string
	switch {
	case r.Over:
		notes = append(notes, fmt.Sprintf("Only the first %d rows are here; there are over %d more. Use WHERE, or count(*) to count.", len(r.Rows), r.More))
	case r.More > 0:
		notes = append(notes, fmt.Sprintf("Only the first %d rows are here, %d more are not. Use WHERE, LIMIT and OFFSET.", len(r.Rows), r.More))
	}
	if r.Clipped > 0 {
		notes = append(notes, fmt.Sprintf("%d long values are shown in part.", r.Clipped))
	}
	return strings.Join(notes, " ")
}

// opened is a database, and what is known of it besides.
type opened struct {
	database.Database
	file   *os.File // nil: it is on a server
	origin string   // of what it gives; empty: the person's own folders
}

// onDatabase opens what a person calls a database: a connection of that name, which
// only the owner has, or else a file.
func onDatabase[R any](ctx context.Context, env tool.Env, name string, named map[string]database.Connection, use func(opened) (R, error)) (r R, err error) {
	var db opened
	c, ok := named[name]
	if ok && env.Scope.Principal.Owner {
		db.origin = "database " + name
		db.Database, err = database.Connect(ctx, name, c)
	} else {
		if db.file, _, err = env.Files.Open(ctx, name); err != nil {
			return r, notFound(env, name, named, err)
		}
		defer db.file.Close() // opened for reading
		db.Database, err = database.OpenFile(db.file, name)
	}
	if err != nil {
		return r, err
	}
	defer func() {
		if closing := db.Close(); err == nil && db.file != nil { // of a server, the answer is here already
			err = closing
		}
	}()
	return use(db)
}

// notFound tells about connections, where a name that looks like one is no file.
func notFound(env tool.Env, name string, named map[string]database.Connection, err error) error {
	e, ok := err.(*loci.ToolError)
	if !ok || !env.Scope.Principal.Owner || name == "" || strings.ContainsAny(name, `/\~.:%$`) {
		return err
	}
	list := "none is"
	if len(named) > 0 {
		list = strings.Join(slices.Sorted(maps.Keys(named)), ", ") + " are"
	}
	return fail(e.Suggestion+" Of database servers, "+list+" set up; a person adds one under databases in config.yaml.",
		"There is no file and no database connection %q.", text.Clip(filepath.Base(name), 100))
}

// renderAnswer writes tables or rows, one a line.
func renderAnswer(language string, a answer) string {
	var b strings.Builder
	if a.Tables != nil {
		b.WriteString(tablesSaid.In(language, a.Database, tableWord.In(language, len(a.Tables))))
		for _, t := range a.Tables[:min(saidTables, len(a.Tables))] {
			names := make([]string, len(t.Columns))
			for i, c := range t.Columns {
				names[i] = oneLine(text.Clip(c.Name, 60))
			}
			about := ""
			if t.About {
				about = "~ "
			}
			fmt.Fprintf(&b, "\n%s (%s%s): %s", oneLine(text.Clip(t.Name, 60)), about, rowWord.In(language, int(t.Rows)), some(language, names, 12))
		}
		if more := len(a.Tables) - saidTables; more > 0 {
			b.WriteString("\n" + moreLines.In(language, tableWord.In(language, more)))
		}
		return b.String()
	}
	if len(a.Rows) == 0 {
		return lang.Words{EN: "%s has no such rows.", ZH: "%s 中没有符合的行。", CS: "%s nemá žádné takové řádky."}.In(language, a.Database)
	}
	if len(a.Rows) == 1 && len(a.Columns) == 1 && a.More == 0 { // an answer by itself
		return oneLine(a.Columns[0]) + ": " + said(a.Rows[0][0])
	}
	heads := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		heads[i] = oneLine(c)
	}
	b.WriteString(strings.Join(heads, " | "))
	for _, row := range a.Rows[:min(saidRows, len(a.Rows))] {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = said(v)
		}
		b.WriteString("\n" + text.Clip(strings.Join(cells, " | "), 400))
	}
	if more := len(a.Rows) - min(saidRows, len(a.Rows)) + a.More; more > 0 {
		b.WriteString("\n" + moreLines.In(language, rowWord.In(language, more)))
	}
	return b.String()
}

// said writes a value for people.
func said(v any) string {
	if v == nil {
		return "NULL"
	}
	return cmp.Or(oneLine(text.Clip(fmt.Sprint(v), 100)), "''")
}

var (
	tablesSaid = lang.Words{EN: "%s has %s:", ZH: "%s 有 %s：", CS: "%s má %s:"}
	tableWord  = lang.Counted{One: "table", Many: "tables", ZH: "个表", CSOne: "tabulku", CSFew: "tabulky", CSAll: "tabulek"}
	rowWord    = lang.Counted{One: "row", Many: "rows", ZH: "行", CSOne: "řádek", CSFew: "řádky", CSAll: "řádků"}
)
