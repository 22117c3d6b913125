package toolkit

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"loci"
	"loci/internal/database"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/text"
	"loci/internal/tool"
)

// changeArgs is what change_db takes.
type changeArgs struct {
	Database string `json:"database" jsonschema:"SQLite file or name"`
	Query    string `json:"query" jsonschema:"one statement"`
}

// rowsChanged is what change_db returns.
type rowsChanged struct {
	Database string    `json:"database"`
	Rows     int64     `json:"rows_changed"`
	Verified bool      `json:"verified"` // found when the database was read again
	Undo     bool      `json:"undo"`     // never
	Tables   []touched `json:"tables"`   // those that triggers and foreign keys reach too

	origin string
}

// touched is what happened to the rows of a table.
type touched struct {
	Table    string `json:"table"`
	Inserted int64  `json:"inserted,omitempty"`
	Updated  int64  `json:"updated,omitempty"`
	Deleted  int64  `json:"deleted,omitempty"`
}

// Origin names where from outside the person's folders the result comes.
func (c rowsChanged) Origin() string { return c.origin }

// changeDB is the tool that changes rows of databases.
func changeDB(c Config) tool.Tool {
	handle := func(ctx context.Context, env tool.Env, args changeArgs) (rowsChanged, error) {
		return changeDatabase(ctx, env, args, c.Databases)
	}
	preview := func(ctx context.Context, env tool.Env, args changeArgs) (tool.Preview, error) {
		return previewChange(ctx, env, args, c.Databases)
	}
	return tool.WithPreview(tool.Define(loci.ToolSpec{
		Name: "change_db",
		Description: `Changes rows of a database by one INSERT, UPDATE or DELETE. database is a path or connection; no DROP. ` +
			`Example: {"database": "a.db", "query": "DELETE FROM orders WHERE id = 7"}`,
		SideEffects: loci.EffectWrite,
		Dangerous:   true,
		Files:       true,
		// The rows as they were are not kept, so each change is asked about, wherever the
		// file is and whatever was agreed to before.
		Irreversible: true,
		Timeout:      90 * time.Second,
		Examples: []string{
			"Delete order 7 from the database shop.db.",
			"Set the price of product 3 to 10 in shop.db.",
			"Add a customer named Ann to the table customers in crm.sqlite.",
			"Update the email of user 5 in app.db.",
			"Remove all old entries from the log table of app.sqlite.",
			"Insert a row into expenses in budget.db.",
			"把 shop.db 里 7 号订单删除。",
			"在 crm.sqlite 的客户表中添加一行。",
			"Smaž objednávku 7 z databáze shop.db.",
			"Přidej zákazníka Novák do databáze sklad.sqlite.",
		},
	}, handle, renderChanged), preview)
}

// onChange opens a database for a change. A file has to be in a place that may be
// changed at all.
func onChange[R any](ctx context.Context, env tool.Env, args changeArgs, named map[string]database.Connection, use func(db opened, where string) (R, error)) (R, error) {
	return onDatabase(ctx, env, args.Database, named, func(db opened) (r R, err error) {
		if db.file == nil {
			return use(db, db.origin)
		}
		return atSpot(ctx, env, args.Database, sandbox.Follow, func(s *sandbox.Spot) (r R, err error) {
			info, err := db.file.Stat()
			if err != nil {
				return r, err
			}
			if s.Info() == nil || !os.SameFile(s.Info(), info) {
				return r, fail("Try again.", "%s was moved or replaced just now.", oneLine(text.Clip(args.Database, 200)))
			}
			return use(db, s.Path())
		})
	})
}

// changeDatabase does what change_db promises.
func changeDatabase(ctx context.Context, env tool.Env, args changeArgs, named map[string]database.Connection) (rowsChanged, error) {
	return onChange(ctx, env, args, named, func(db opened, where string) (rowsChanged, error) {
		done, err := db.Change(ctx, args.Query, func(c database.Change) error {
			if err := env.Still(c.Basis); err != nil || db.file == nil {
				return err
			}
			return env.Files.Taint(ctx, where, by(env, "change_db"))
		})
		r := rowsChanged{Database: oneLine(db.Name()), Rows: done.Rows, Verified: done.Verified, Tables: []touched{}, origin: db.origin}
		for _, t := range done.Tables {
			r.Tables = append(r.Tables, touched{oneLine(t.Table), t.Inserted, t.Updated, t.Deleted})
		}
		return r, err
	})
}

// previewChange tells what the change would do.
func previewChange(ctx context.Context, env tool.Env, args changeArgs, named map[string]database.Connection) (tool.Preview, error) {
	return onChange(ctx, env, args, named, func(db opened, where string) (p tool.Preview, err error) {
		would, err := db.Change(ctx, args.Query, nil)
		if err != nil {
			return p, err
		}
		return tool.Preview{Text: foretell(env.Scope.Lang, where, args.Query, would), Basis: would.Basis, Touches: []string{where}}, nil
	})
}

// foretell says what a change would do, the worst first.
func foretell(language, where, query string, c database.Change) string {
	var b strings.Builder
	for _, t := range c.Tables {
		if t.All() {
			b.WriteString(allRows.In(language, rowWord.In(language, int(t.Of)), oneLine(text.Clip(t.Table, 60))) + "\n")
		}
	}
	if c.About {
		b.WriteString(estimated.In(language) + "\n")
	}
	b.WriteString(wouldChange.In(language, rowWord.In(language, int(c.Rows)), oneLine(where)))
	for _, t := range c.Tables[:min(10, len(c.Tables))] {
		b.WriteString("\n" + oneLine(text.Clip(t.Table, 60)) + ": " + counts(language, touched{t.Table, t.Inserted, t.Updated, t.Deleted}))
		if t.Of > 0 {
			b.WriteString(ofRows.In(language, rowWord.In(language, int(t.Of))))
		}
	}
	if more := len(c.Tables) - 10; more > 0 {
		b.WriteString("\n" + moreLines.In(language, tableWord.In(language, more)))
	}
	if len(c.Beyond) > 0 {
		names := make([]string, len(c.Beyond))
		for i, n := range c.Beyond {
			names[i] = oneLine(text.Clip(n, 80))
		}
		b.WriteString("\n" + setsOff.In(language, some(language, names, 10)))
	}
	b.WriteString("\n" + clipRunes(visible(query), previewRunes))
	left := previewRunes
	for _, s := range c.Samples {
		if s = oneLine(s); len(s) < left {
			b.WriteString("\n" + s)
			left -= len(s)
		}
	}
	b.WriteString("\n" + noUndo.In(language))
	return b.String()
}

// counts says what happened to the rows of a table.
func counts(language string, t touched) string {
	var parts []string
	for _, p := range []struct {
		n    int64
		word lang.Words
	}{
		{t.Deleted, lang.Words{EN: "%d deleted", ZH: "删除 %d", CS: "smazáno %d"}},
		{t.Updated, lang.Words{EN: "%d changed", ZH: "修改 %d", CS: "změněno %d"}},
		{t.Inserted, lang.Words{EN: "%d added", ZH: "新增 %d", CS: "přidáno %d"}},
	} {
		if p.n > 0 {
			parts = append(parts, p.word.In(language, p.n))
		}
	}
	return strings.Join(parts, ", ")
}

// renderChanged says what was changed.
func renderChanged(language string, r rowsChanged) string {
	parts := make([]string, len(r.Tables))
	for i, t := range r.Tables {
		parts[i] = fmt.Sprintf("%s: %s", t.Table, counts(language, t))
	}
	said := lang.Words{EN: "Changed %s in %s.", ZH: "已更改 %s（%s）。", CS: "Změněno: %s v %s."}.In(language, rowWord.In(language, int(r.Rows)), r.Database)
	if len(parts) > 0 {
		said += " " + some(language, parts, 5) + "."
	}
	if !r.Verified {
		said += " " + lang.Words{EN: "It was not found like that when it was read again.", ZH: "重新读取时结果不一致。", CS: "Při novém čtení to tak nebylo."}.In(language)
	}
	return said
}

var (
	allRows = lang.Words{
		EN: "⚠ ALL %s of the table %s: no WHERE keeps any of them as it is.",
		ZH: "⚠ 表的全部 %s（%s）：没有 WHERE 条件保留任何一行。",
		CS: "⚠ VŠECHNO (%s) v tabulce %s: žádné WHERE nic neponechá, jak je.",
	}
	wouldChange = lang.Words{EN: "This changes %s in %s", ZH: "这将更改 %s：%s", CS: "Změní se %s v %s"}
	estimated   = lang.Words{
		EN: "⚠ The numbers are the server's ESTIMATE: it may change more rows, or fewer.",
		ZH: "⚠ 以下数字是服务器的估计值：实际更改的行数可能更多或更少。",
		CS: "⚠ Čísla jsou ODHAD serveru: řádků se může změnit víc i méně.",
	}
	setsOff = lang.Words{
		EN: "It may also set off or change, uncounted: %s.",
		ZH: "它还可能触发或更改（未计数）：%s。",
		CS: "Může také spustit nebo změnit (nespočítáno): %s.",
	}
	ofRows = lang.Words{EN: ", of %s", ZH: "，共 %s", CS: ", celkem %s"}
	noUndo = lang.Words{EN: "It cannot be undone afterwards.", ZH: "之后无法撤销。", CS: "Potom to nepůjde vzít zpět."}
)
