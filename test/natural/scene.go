package natural

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the databases of the scene
)

// Scene is the folder that the requests speak of.
type Scene struct {
	Files []struct {
		Path    string `json:"path"`
		DaysOld int    `json:"days_old"`
		Text    string `json:"text"`
		Size    int    `json:"size"` // bytes; filled up with zeros. 0: the text alone
	} `json:"files"`
	Folders   []string          `json:"folders"`   // empty ones
	Databases map[string]string `json:"databases"` // statements that make them, by path
}

// LoadScene reads the scene from the folder that the requests are in.
func LoadScene(dir string) (s Scene, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "natural_scene.json"))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// Lay makes the files of the scene in a folder, as old at now as they are to be.
func (s Scene) Lay(dir string, now time.Time) error {
	for _, f := range s.Files {
		path, text := filepath.Join(dir, f.Path), f.Text
		if f.Size > len(text) {
			text += strings.Repeat("\x00", f.Size-len(text))
		}
		at := now.AddDate(0, 0, -f.DaysOld).Add(-time.Hour)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644), os.Chtimes(path, at, at)); err != nil {
			return err
		}
	}
	for _, f := range s.Folders {
		if err := os.MkdirAll(filepath.Join(dir, f), 0o755); err != nil {
			return err
		}
	}
	for name, statements := range s.Databases {
		if err := makeDatabase(filepath.Join(dir, name), statements); err != nil {
			return err
		}
	}
	return nil
}

func makeDatabase(path, statements string) error {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	_, err = db.Exec(statements)
	return errors.Join(err, db.Close())
}
