package database

import (
	"strings"
	"testing"
)

func TestSingle(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1":                        "SELECT 1",
		" SELECT 1 ; ;; -- end":           "SELECT 1",
		"/* a;b */ SELECT ';' ;":          "SELECT ';'",
		"SELECT 'it''s; fine'":            "SELECT 'it''s; fine'",
		`SELECT "a;b", [c;d], ` + "`e;f`": `SELECT "a;b", [c;d], ` + "`e;f`",
		"SELECT 1 -- ;\n+ 1":              "SELECT 1 -- ;\n+ 1",
		"SELECT 1 /* ; */":                "SELECT 1",
	} {
		if got, _, err := (dialect{}).single(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"SELECT $$;$$":                    "SELECT $$;$$",
		"SELECT $a$;$$;$a$ ;":             "SELECT $a$;$$;$a$",
		`SELECT E'\';' ;`:                 `SELECT E'\';'`,
		"SELECT 1 /* /* ; */ ; */ + 1":    "SELECT 1 /* /* ; */ ; */ + 1",
		"SELECT a[1] FROM t":              "SELECT a[1] FROM t",
		"SELECT 'a\\' ; -- it is the end": "SELECT 'a\\'",
	} {
		if got, _, err := (dialect{postgres: true}).single(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, _, err := (dialect{}).single("SELECT '" + strings.Repeat("x", maxSQL) + "'"); err == nil {
		t.Error("a huge statement is taken")
	}
}
