package database

import (
	"regexp"
	"slices"
	"strings"
)

// The server decides what a statement does: reading happens in a read-only
// transaction. Some things reach past a transaction, though: functions, of which the
// server is asked (see pglook.go), and what is refused here by its name.

var (
	readingWords  = []string{"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN"}
	changingWords = []string{"INSERT", "UPDATE", "DELETE", "MERGE", "WITH"}
)

// closedCalls are functions that touch the server's files and programs, its other
// sessions and its settings, that wait, or that run a text as a statement. One that
// ends in an underscore stands for all that begin so. See
// https://www.postgresql.org/docs/current/functions-admin.html.
var closedCalls = []string{
	"pg_read_", "pg_ls_", "pg_stat_file", "pg_file_", "lo_", "loread", "lowrite", "pg_logdir_ls", "pg_current_logfile",
	"dblink", "dblink_", "crosstab", "crosstabn", "crosstab2", "crosstab3", "crosstab4", "crosstab_", "connectby", "xpath_table",
	"query_to_xml", "query_to_xml_", "query_to_xmlschema", "cursor_to_xml", "cursor_to_xmlschema", "xslt_process", "ts_stat", "ts_rewrite",
	"set_config", "setval", "pg_sleep", "pg_sleep_", "pg_notify", "pg_advisory_", "pg_try_advisory_",
	"pg_terminate_backend", "pg_cancel_backend", "pg_reload_conf", "pg_rotate_logfile", "pg_rotate_logfile_", "pg_promote",
	"pg_switch_", "pg_create_", "pg_drop_", "pg_copy_", "pg_logical_", "pg_replication_", "pg_sync_", "pg_wal_replay_",
	"pg_backup_", "pg_start_backup", "pg_stop_backup", "pg_stat_reset", "pg_stat_reset_", "pg_stat_statements_reset",
	"pg_log_", "pg_import_", "pg_export_snapshot", "pg_extension_config_dump", "pg_execute_", "plpgsql_call_handler",
}

// closedTables hold passwords, or read files of the server.
var closedTables = []string{
	"pg_authid", "pg_shadow", "pg_user_mapping", "pg_user_mappings", "_pg_user_mappings", "user_mapping_options", "pg_subscription",
	"pg_file_settings", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_backend_memory_contexts",
}

// permitted tells whether a statement may be sent to a server.
func permitted(parts []token, change bool) error {
	first := begins(parts)
	if first == "EXPLAIN" {
		if first = begins(afterExplain(parts)); change {
			return errNoChange
		}
		if !slices.Contains(readingWords[:4], first) && !slices.Contains(changingWords, first) {
			return errStructure("EXPLAIN of " + quote(first))
		}
		first = "EXPLAIN" // the server does not run a change in a read-only transaction
	}
	switch reads, changes := slices.Contains(readingWords, first), slices.Contains(changingWords, first); {
	case !reads && !changes:
		return errStructure(quote(first))
	case change && !changes:
		return errNoChange
	case !change && !reads:
		return errReads(first)
	}
	for i, p := range parts {
		if err := permittedPart(parts, i, strings.ToLower(p.text)); err != nil {
			return err
		}
	}
	return nil
}

// plainNumber is a number that nothing is written against: servers do not agree on what
// 1e'x' and 1a$b$ are.
var plainNumber = regexp.MustCompile(`^(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(\.[0-9_]*)?([eE][0-9_]*)?)$`)

// begins is the word that a statement begins with. A SELECT may stand in brackets.
func begins(parts []token) string {
	for _, p := range parts {
		if p.text != "(" {
			return p.text
		}
	}
	return ""
}

// afterExplain leaves out EXPLAIN and its options.
func afterExplain(parts []token) []token {
	depth := 0
	for i, p := range parts[1:] {
		switch {
		case p.text == "(":
			if depth == 0 && i > 0 {
				return parts[1+i:]
			}
			depth++
		case p.text == ")":
			depth--
		case depth == 0 && p.text != "ANALYZE" && p.text != "ANALYSE" && p.text != "VERBOSE":
			return parts[1+i:]
		}
	}
	return nil
}

// permittedPart looks at one piece of a statement.
func permittedPart(parts []token, i int, lower string) error {
	p := parts[i]
	at := func(j int) token {
		if 0 <= j && j < len(parts) {
			return parts[j]
		}
		return token{}
	}
	next := at(i + 1)
	switch {
	case p.kind == literal && next.kind == literal && i+1 < len(parts):
		return refuse("Write it as one text.", "The statement has two texts with nothing between them. Nothing was done.")
	case p.kind == symbol && '0' <= p.text[0] && p.text[0] <= '9' && (!plainNumber.MatchString(p.text) || next.start == p.end && next.text == "$" ||
		strings.ContainsAny(p.text[len(p.text)-1:], "eE") && !strings.HasPrefix(p.text, "0x") && !strings.HasPrefix(p.text, "0X") && next.text != "+" && next.text != "-"):
		return refuse("Put spaces around numbers.", "Something is written against a number in the statement: %s. Nothing was done.", quote(p.text))
	case p.kind == symbol && '0' <= p.text[0] && p.text[0] <= '9' && next.kind == literal && i+1 < len(parts):
		return refuse("Put an operator between a number and a text.", "A text stands right after a number in the statement. Nothing was done.")
	case p.kind != word && p.kind != name:
		return nil
	}
	switch {
	case p.text == "U" && p.kind == word && at(i+1).text == "&" && at(i+1).start == p.end && at(i+2).start == at(i+1).end:
		return refuse("Write names and texts as they are.", "The statement has a name or text with escapes (U&). Nothing was done.")
	case p.text == "INTO" && p.kind == word && at(i-1).text != "INSERT" && at(i-1).text != "MERGE":
		return errStructure("SELECT INTO")
	case slices.Contains(closedTables, lower):
		return errStructure("Reading " + quote(lower))
	}
	return nil
}
