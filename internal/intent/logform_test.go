package intent

import (
	"regexp/syntax"
	"testing"
	"time"
)

// TestExpressionsFit holds the expressions to what search_files takes.
func TestExpressionsFit(t *testing.T) {
	const most = 1000 // bytes, and instructions
	for word, level := range map[string]string{"error": "ERROR", "warnings": `WARN\w*`, "info": "INFO", "debug": "DEBUG", "trace": "TRACE", "notice": "NOTICE", "fatal": "FATAL", "critical": `CRIT\w*`} {
		exprs := []string{byModule(level), ofOtherLevel(level)}
		for _, day := range []time.Time{{}, time.Date(2026, 9, 29, 0, 0, 0, 0, time.UTC)} {
			for _, a := range (report{text: word, where: "logs/", day: day}).attempts(listResult{}) {
				exprs = append(exprs, a["content"].(string))
			}
		}
		for _, e := range exprs {
			re, err := syntax.Parse(e, syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			prog, err := syntax.Compile(re.Simplify())
			if err != nil || len(e) > most || len(prog.Inst) > most {
				t.Errorf("%s: %d bytes, %v", word, len(e), err)
			}
		}
	}
}

func TestFormOf(t *testing.T) {
	for line, want := range map[string]struct {
		name, other string
		known       bool
	}{
		"2026-11-29 10:00 ERROR [auth] x":                             {"auth", "", true},
		"2026-11-29 10:00 [main] ERROR auth - x":                      {"auth", "", true},
		"[2026-11-29 10:00] [auth] ERROR: x":                          {"auth", "", true},
		"2026-11-29 10:00:00.1 ERROR 1 --- [main] com.acme.Pay : x":   {"com.acme.Pay", "", true},
		"2026-11-29 10:00 | ERROR    | mod:func:12 - x":               {"mod", "", true},
		"E1129 14:02:11.000 1 file.go:12] x":                          {"file.go", "", true},
		"[Sat Nov 29 14:02:11.1 2026] [core:error] [pid 1] x":         {"core", "", true},
		"2026/11/29 14:02:11 [error] 123#0: *1 x":                     {"", "", true},
		"2026-11-29 10:00 INFO [auth] ERROR":                          {"", "INFO", true},
		"[INFO] [auth] ERROR is gone":                                 {"", "INFO", true},
		"W1129 14:02:11.000 1 file.go:12] ERROR":                      {"", "W", true},
		`{"level":"warn","module":"auth","msg":"ERROR"}`:              {"", "warn", true},
		`{"module":"auth","level":"error"}`:                           {"auth", "", true},
		"Nov 29 10:00:00 box cron[1]: WARNING no ERROR":               {"", "WARNING", true},
		"Nov 29 10:00:00 box cron[1]: what an ERROR":                  {"cron", "", true},
		"[Sat Nov 29 14:02:11.1 2026] [core:notice] [pid 1] ERROR":    {"", "notice", true},
		`{"level":30,"module":"web","msg":"ERROR"}`:                   {"", "30", true},
		`{"level":50,"module":"web","msg":"x"}`:                       {"web", "", true},
		"I, [2026-11-29T10:00:00.1 #1]  INFO -- web: ERROR":           {"", "INFO", true},
		"E, [2026-11-29T10:00:00.1 #1] ERROR -- web: x":               {"web", "", true},
		"something is an ERROR":                                       {"", "", false},
		"2026-11-29 10:00 I see an ERROR":                             {"", "", false},
		"2026-11-29 10:00:00,1 - shop.cart - ERROR - x":               {"shop.cart", "", true},
		"2026-11-29 10:00:00,1 - shop.cart - WARNING - ERROR is near": {"", "WARNING", true},
	} {
		value := valueIn(line, "ERROR")
		other, known := formOf(value, "ERROR")
		if name := nameOf(value, "ERROR"); name != want.name || other != want.other || known != want.known {
			t.Errorf("%s: %q is of %q, %q, %t", line, value, name, other, known)
		}
	}
}
