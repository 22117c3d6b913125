package store

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"loci"
	"loci/internal/text"
)

// applicationID marks the file as ours in its header ("loci" in ASCII).
const applicationID = 0x6c6f6369

//go:embed migrations/*.sql
var embedded embed.FS

// migration is one step of the schema. Once released, a step never changes.
type migration struct {
	version int // from the file's name: 0001_what.sql
	name    string
	sql     string
}

// migrations reads the steps in order. They are numbered from 1 without gaps.
func migrations(fsys fs.FS) ([]migration, error) {
	files, err := fs.Glob(fsys, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var steps []migration
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".sql")
		number, _, _ := strings.Cut(name, "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("store: migration %s has no number", name)
		}
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		steps = append(steps, migration{version, name, string(text)})
	}
	slices.SortFunc(steps, func(a, b migration) int { return cmp.Compare(a.version, b.version) })
	for i, m := range steps {
		if m.version != i+1 {
			return nil, fmt.Errorf("store: migration %s should have number %d", m.name, i+1)
		}
	}
	return steps, nil
}

// migrate brings the tables up to date, each step in a transaction of its own
// that also counts up the file's user_version.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := migrations(embedded)
	if err != nil {
		return err
	}
	have, err := db.version(ctx)
	if err != nil {
		return err
	}
	if have > len(steps) {
		return loci.Errorf(loci.Internal, "The database %s was written by a newer loci (its version is %d, this one knows up to %d).",
			text.Clip(db.path, maxEcho), have, len(steps)).
			WithHint("Install the newer loci again, or choose another folder with data_path.")
	}
	if err := db.useLog(ctx); err != nil {
		return err
	}
	// Migrations are rare and must not come back half: they wait for the disk.
	for _, m := range steps[have:] {
		err := db.durably(ctx, func(t *tx) error {
			_, err := t.sql.ExecContext(t.ctx, m.sql+
				fmt.Sprintf("\n;PRAGMA user_version=%d; PRAGMA application_id=%d", m.version, applicationID))
			return db.explain(err)
		})
		if err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
		db.log.Info("database migrated", "migration", m.name)
	}
	return nil
}

// version is the number of the newest step that the file has had, 0 for a new
// file. A database of another program is refused before it is touched.
func (db *DB) version(ctx context.Context) (int, error) {
	var version, id, tables int
	err := db.write.QueryRowContext(ctx, `
		SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version, pragma_application_id`).Scan(&version, &id, &tables)
	if err != nil {
		return 0, db.explain(err)
	}
	// A SQLite file that some other program made has no mark of ours, and most
	// have no version either.
	fresh := version == 0 && id == 0 && tables == 0
	if !fresh && (id != applicationID || version < 1) {
		return 0, loci.Errorf(loci.Internal, "The database %s belongs to another program.", text.Clip(db.path, maxEcho)).
			WithHint("Choose another folder with data_path.")
	}
	return version, nil
}
