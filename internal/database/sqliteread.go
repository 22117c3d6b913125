package database

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// Tables describes the tables and views of a file.
func (f *file) Tables(ctx context.Context) (schema Schema, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readFor, errSlow(readFor))
	defer cancel()
	err = f.reading(ctx, func(s session) error {
		schema = Schema{} // the second time
		rows, err := s.QueryContext(ctx, `SELECT name, type = 'view' FROM pragma_table_list
			WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
		if err != nil {
			return err
		}
		all, err := scan(rows, func(t *Table) []any { return []any{&t.Name, &t.View} })
		if err != nil {
			return err
		}
		schema.Tables = all[:min(maxTables, len(all))]
		schema.More = len(all) - len(schema.Tables)
		for i := range schema.Tables {
			if err := describe(ctx, s, &schema.Tables[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return schema, stopped(ctx, err)
}

// describe adds the columns of a table and the number of its rows. A view that does
// not work any more has none.
func describe(ctx context.Context, s session, t *Table) error {
	rows, err := s.QueryContext(ctx, `SELECT i.name, i.type, i.pk > 0, i."notnull", coalesce(k."table" || '.' || coalesce(k."to", '?'), '')
		FROM pragma_table_xinfo(?1) i LEFT JOIN pragma_foreign_key_list(?1) k ON k."from" = i.name COLLATE NOCASE
		WHERE i.hidden <> 1 GROUP BY i.cid ORDER BY i.cid LIMIT ?2`, t.Name, maxColumns)
	if err != nil {
		return tolerate(ctx, t, err)
	}
	t.Columns, err = scan(rows, func(c *Column) []any { return []any{&c.Name, &c.Type, &c.Key, &c.NotNull, &c.Refers} })
	if err != nil || t.View { // to count a view can take for ever
		return tolerate(ctx, t, err)
	}
	err = s.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+ident(t.Name)+" LIMIT ?)", countedTo+1).Scan(&t.Rows)
	if t.Rows > countedTo {
		t.Rows, t.About = countedTo, true
	}
	return tolerate(ctx, t, err)
}

// tolerate lets a table be described in part, unless the time is over.
func tolerate(ctx context.Context, t *Table, err error) error {
	if err != nil {
		t.About = true
	}
	return ctx.Err()
}

// scan reads all rows into a list.
func scan[T any](rows *sql.Rows, fields func(*T) []any) (all []T, err error) {
	defer rows.Close() // its error is that of rows.Err
	for rows.Next() {
		var t T
		if err := rows.Scan(fields(&t)...); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, rows.Err()
}

// ident writes a name so that it can be nothing else.
func ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Query runs one statement that reads.
func (f *file) Query(ctx context.Context, text string, limit Limit) (found Rows, err error) {
	statement, err := sqliteStatement(text)
	if err != nil {
		return found, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readFor, errSlow(readFor))
	defer cancel()
	err = f.reading(ctx, func(s session) error {
		columns, err := s.compile(statement)
		if err != nil {
			return err
		}
		found = newRows(limit, len(columns))
		for _, c := range columns {
			found.column(c.Name, c.DeclType)
		}
		rows, err := s.QueryContext(ctx, plain(statement, columns))
		if err := s.verdict(err); err != nil {
			return err
		}
		defer rows.Close() // its error is that of rows.Err
		cells, ptrs := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			ptrs[i] = &cells[i]
		}
		for rows.Next() {
			if found.full() {
				if !found.count() {
					return nil
				}
				continue
			}
			if err := rows.Scan(ptrs...); err != nil {
				return err
			}
			found.add(cells)
		}
		return rows.Err()
	})
	return found, stopped(ctx, err)
}

// sqliteStatement is the one statement in a text; it needs no values from elsewhere.
func sqliteStatement(text string) (string, error) {
	statement, parts, err := dialect{}.single(text)
	if err == nil && slices.ContainsFunc(parts, func(t token) bool { return t.kind == symbol && strings.Contains("?:@$", t.text) }) {
		err = errParameters
	}
	return statement, err
}

// compile lets SQLite compile a statement of the model's, asks the guard, and gives
// the columns of its result.
func (s session) compile(statement string) (columns []sqlite.ColumnInfo, err error) {
	s.begin()
	err = s.Raw(func(c any) error {
		columns, err = c.(interface {
			ColumnInfo(query string) ([]sqlite.ColumnInfo, error)
		}).ColumnInfo(statement)
		return err
	})
	return columns, s.verdict(err)
}

// plain keeps the driver from making times of texts: it does so for columns whose
// declared type is that of a date, and then nobody knows how the text was written. A
// plus in front of a column changes nothing but that it has no declared type.
func plain(statement string, columns []sqlite.ColumnInfo) string {
	dates := false
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		switch strings.ToUpper(c.DeclType) {
		case "DATE", "DATETIME", "TIMESTAMP":
			dates = true
		}
		names[i] = ident("c" + strings.Repeat("_", i)) // short, and no two alike
		values[i] = "+" + names[i]
	}
	if !dates {
		return statement
	}
	return "WITH " + `"loci rows"(` + strings.Join(names, ",") + ") AS (" + statement + "\n) SELECT " + strings.Join(values, ",") + ` FROM "loci rows"`
}

// stopped tells why a statement did not end, where its time was over.
func stopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(ctx.Err(), context.DeadlineExceeded) && cause != nil {
		return cause
	}
	return ctx.Err()
}
