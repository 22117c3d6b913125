package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"loci"
	"loci/internal/text"
	"loci/internal/where"
)

const (
	connectFor = 5 * time.Second
	mostRow    = 16 << 20 // bytes of one message of the server, such as a row
)

// server is a PostgreSQL database that was connected to.
type server struct {
	conn     *pgconn.PgConn
	name     string
	writable bool
}

// Connect connects to a named PostgreSQL database.
func Connect(ctx context.Context, name string, c Connection) (Database, error) {
	config, err := settings(name, c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectFor)
	defer cancel()
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, errConnect(name, err)
	}
	return &server{conn, name, c.Writable}, nil
}

// settings makes the driver's settings of a connection. Nothing of the address is in
// an error: it has a password in it.
func settings(name string, c Connection) (*pgconn.Config, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, errSetting(name, "its url is no address such as postgres://user:password@host/name")
	}
	config, err := pgconn.ParseConfig(c.URL)
	if err != nil {
		return nil, errSetting(name, "its url cannot be understood")
	}
	if q := u.Query(); !q.Has("sslmode") && slices.ContainsFunc(ways(config), func(w *pgconn.FallbackConfig) bool { return !isLocal(w.Host) }) {
		q.Set("sslmode", "require")
		u.RawQuery = q.Encode()
		if config, err = pgconn.ParseConfig(u.String()); err != nil {
			return nil, errSetting(name, "its url cannot be understood")
		}
	}
	for _, w := range ways(config) {
		if w.TLSConfig == nil && !isLocal(w.Host) {
			return nil, errSetting(name, "it would go to another machine unencrypted; its url needs sslmode=require, or better verify-full")
		}
	}
	config.ConnectTimeout = connectFor
	config.BuildFrontend = limitedFrontend
	for setting, value := range map[string]string{
		"application_name":                    "loci",
		"default_transaction_read_only":       "on",
		"standard_conforming_strings":         "on", // a backslash in a text is a backslash
		"statement_timeout":                   fmt.Sprint(readFor.Milliseconds()),
		"lock_timeout":                        "5000",
		"idle_in_transaction_session_timeout": "60000",
		"DateStyle":                           "ISO",
		"client_encoding":                     "UTF8",
	} {
		config.RuntimeParams[setting] = value
	}
	return config, nil
}

// limitedFrontend keeps a single huge value from filling the memory.
func limitedFrontend(r io.Reader, w io.Writer) *pgproto3.Frontend {
	f := pgproto3.NewFrontend(r, w)
	f.SetMaxBodyLen(mostRow)
	return f
}

// ways are all the ways in which a connection may be made.
func ways(c *pgconn.Config) []*pgconn.FallbackConfig {
	return append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
}

// isLocal tells whether what is sent to a host stays on this machine.
func isLocal(host string) bool {
	network, _ := pgconn.NetworkAddress(host, 1)
	return network == "unix" || where.Here(host)
}

// errSetting is the error for a connection that is not set up right.
func errSetting(name, what string) error {
	e := refuse("Tell the person to correct it in config.yaml.", "The database connection %s cannot be used: %s.", quote(name), what)
	e.ForPerson = "Correct databases in config.yaml."
	return e
}

// errConnect tells why there is no connection.
func errConnect(name string, err error) error {
	what, retry := "the server does not answer", true
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch what, retry = "the server refuses it ("+e.Code+")", false; e.Code {
		case "28P01", "28000":
			what = "the server does not accept its user and password"
		case "3D000":
			what = "the server has no database of that name"
		case "53300", "57P03":
			what, retry = "the server is too busy", true
		}
	} else if strings.Contains(err.Error(), "tls") || strings.Contains(err.Error(), "TLS") || strings.Contains(err.Error(), "x509") {
		what, retry = "no encrypted connection could be made", false
	}
	return &loci.ToolError{
		Message: fmt.Sprintf("The database %s cannot be reached: %s.", quote(name), what), CanRetry: retry,
		Suggestion: "Tell the person; the connection is set up under databases in config.yaml.",
		ForPerson:  "Look at the server, and at databases in config.yaml.",
	}
}

// Name is the name of the connection.
func (s *server) Name() string { return s.name }

// Close ends the connection.
func (s *server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.conn.Close(ctx)
}

// run runs a statement of ours and gives its rows as texts.
func (s *server) run(ctx context.Context, sql string, args ...string) (*pgconn.Result, error) {
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	r := s.conn.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	return r, r.Err
}

// explain puts the server's errors in words for a model.
func (s *server) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*loci.ToolError](err); ok {
		return err
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok && ctx.Err() != nil:
		return stopped(ctx, err)
	case !ok && !s.conn.IsClosed():
		return err
	case !ok:
		return &loci.ToolError{Message: fmt.Sprintf("The connection to the database %s was lost.", quote(s.name)), CanRetry: true,
			Suggestion: "Ask for less, or look at how things are now.", ForPerson: "Look at the server."}
	}
	switch e.Code {
	case "57014":
		return errSlow(readFor)
	case "25006":
		return errReads(text.Clip(e.Message, maxEcho))
	case "42601":
		if strings.Contains(e.Message, "multiple commands") {
			return refuse("Make one call for each statement.", "There is more than one statement; only one is run at a time. Nothing was done.")
		}
	case "55P03", "40P01", "40001":
		return &loci.ToolError{Message: "Somebody else is changing these rows just now. Nothing was changed.", CanRetry: true, Suggestion: "Try again in a moment.", ForPerson: "Try again in a moment."}
	case "42501":
		return refuse("Tell the person that this user of the database may not do that.", "The server says: %s", text.Clip(e.Message, maxEcho))
	}
	return refuse(suggestion(e.Message), "The server says: %s", text.Clip(said(e), maxEcho))
}

// said is what the server says of a mistake, without what it may repeat of its data: a
// value in a table could be written to be read here. Errors of class 42 repeat the
// statement and the names of tables alone. See
// https://www.postgresql.org/docs/current/errcodes-appendix.html.
func said(e *pgconn.PgError) string {
	message := e.Message
	switch {
	case strings.HasPrefix(e.Code, "42"):
		return message
	case strings.HasPrefix(e.Code, "P0"): // a function's own words
		message = "a function refuses it"
	}
	if i := strings.IndexAny(message, `":`); i >= 0 {
		message = strings.TrimSpace(message[:i])
	}
	if e.ConstraintName != "" {
		message += " " + e.ConstraintName
	}
	return message + " (" + e.Code + ")"
}
