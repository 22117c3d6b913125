package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
	"loci/internal/wire"
)

const auditAddress = "/api/agent/audit"

// auditFlags are what a person wants to see of the audit log.
type auditFlags struct {
	session, tool, kind, state string
	limit                      int
	after                      int64
	follow, json               bool
}

// audit is the command for the log of what was done.
func (c *command) audit() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show what tools did and who allowed it, and check that nobody changed the record",
		Args:  arguments(noSuchCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.limit < 1 || f.limit > auditLimit {
				return usageError{fmt.Errorf("--limit takes a number from 1 to %d", auditLimit), cmd.CommandPath() + " export, which writes all rows to a file"}
			}
			if err := (loci.AuditFilter{Kind: loci.AuditKind(f.kind), State: loci.AuditState(f.state)}).Check(); err != nil {
				return err
			}
			if !cmd.Flags().Changed("after") {
				f.after = -1
			}
			if err := c.load(); err != nil {
				return err
			}
			if f.follow {
				return c.auditFollow(cmd.Context(), f)
			}
			return c.connected(cmd.Context(), app.Options{NoModels: true, Say: c.say}, func(ctx context.Context, s server) error {
				return c.auditList(ctx, s, f)
			})
		},
	}
	cmd.SuggestionsMinimumDistance = 2
	flags := cmd.Flags()
	flags.BoolVar(&f.follow, "follow", false, "go on with what is added, until Ctrl-C")
	flags.BoolVar(&f.json, "json", false, "print everything, as a JSON array; with --follow an object a line")
	flags.StringVar(&f.session, "session", "", "only of the session with this `ID`")
	flags.StringVar(&f.tool, "tool", "", "only of the tool with this `NAME`")
	flags.StringVar(&f.kind, "kind", "", "only rows of this `KIND`: intent, outcome, refused, answer, grant, key, session or log")
	flags.StringVar(&f.state, "state", "", "only what became of this `STATE`, such as failed, unknown or revoked")
	flags.IntVar(&f.limit, "limit", 50, "at most `N` rows, the newest ones")
	flags.Int64Var(&f.after, "after", 0, "the rows after number `N` instead of the newest ones")
	c.complete(cmd, "session", listSessions)
	cmd.AddCommand(c.auditVerify(), c.auditExport())
	return cmd
}

// auditLimit is the most rows that one request gives.
const auditLimit = 1000

// address is where the rows are that the person wants to see.
func (f auditFlags) address() string {
	q := url.Values{"limit": {strconv.Itoa(f.limit)}}
	if f.after >= 0 {
		q.Set("after", strconv.FormatInt(f.after, 10))
	}
	for name, value := range map[string]string{"session": f.session, "tool": f.tool, "kind": f.kind, "state": f.state} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.follow {
		q.Set("follow", "1")
	}
	if !f.json {
		q.Set("brief", "1")
	}
	return auditAddress + "?" + q.Encode()
}

func (c *command) auditList(ctx context.Context, s server, f auditFlags) error {
	var data json.RawMessage
	if err := s.get(ctx, f.address(), &data); err != nil {
		return err
	}
	if f.json {
		_, err := fmt.Fprintln(c.Out, string(bytes.TrimSpace(data)))
		return err
	}
	var rows []loci.AuditEntry
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	if len(rows) == 0 {
		c.say("%s", f.none())
		return nil
	}
	return c.auditTable(rows)
}

// none is what to tell where there is nothing to show.
func (f auditFlags) none() string {
	if f.session+f.tool+f.kind+f.state != "" || f.after > 0 {
		return "The audit log has nothing of that."
	}
	return "Nothing is in the audit log yet: no tool was used."
}

// auditFollow shows the newest rows and those to come.
func (c *command) auditFollow(ctx context.Context, f auditFlags) error {
	run, ok, err := config.ReadRun(c.paths)
	if err != nil {
		return err
	}
	if !ok {
		return loci.Errorf(loci.Unreachable, "loci does not run, so there is nothing to follow.").
			WithHint("Start it with %s up. What is in the log so far: %[1]s audit", c.program())
	}
	s := runningAt(run)
	show := c.auditLines()
	if f.json {
		show = json.NewEncoder(c.Out).Encode
	}
	for waits := patience; ; {
		before := f.after
		err := s.auditStream(ctx, &f, show)
		switch {
		case ctx.Err() != nil || err == nil:
			return ctx.Err()
		case loci.AsError(err).Code != loci.Unreachable:
			return err
		case f.after > before:
			waits = patience
		}
		if len(waits) == 0 {
			return err
		}
		if err := pause(ctx, waits[0]); err != nil {
			return err
		}
		waits = waits[1:]
	}
}

// auditStream shows rows as long as a connection holds, and keeps where it is.
func (s server) auditStream(ctx context.Context, f *auditFlags, show func(any) error) error {
	res, err := s.do(ctx, http.MethodGet, f.address(), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	for frame, err := range wire.Events(res.Body, wire.DefaultMaxLine) {
		if err != nil {
			return loci.Wrap(loci.Unreachable, err, "The connection to loci at %s broke off.", s.url)
		}
		if frame.Type == "error" {
			_, err := event(frame)
			return err
		}
		var row loci.AuditEntry
		if err := json.Unmarshal([]byte(frame.Data), &row); err != nil {
			return err
		}
		f.after = row.N
		if err := show(row); err != nil {
			return err
		}
	}
	return loci.Errorf(loci.Unreachable, "The connection to loci at %s broke off.", s.url).WithHint("It may have been stopped.")
}

func (c *command) auditVerify() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that nothing in the log was changed, left out or added by others",
		Args:  arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), app.Options{NoModels: true}, func(ctx context.Context, s server) error {
				var report loci.AuditReport
				if err := s.get(ctx, auditAddress+"/verify", &report); err != nil {
					return err
				}
				return c.verdict(report, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as a JSON object")
	return cmd
}

// verdict tells what verifying found. What was changed is a failure.
func (c *command) verdict(r loci.AuditReport, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(c.Out).Encode(r); err != nil {
			return err
		}
	} else if err := c.sentences(r); err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return failed(loci.ExitFailure)
	}
	return nil
}

func (c *command) sentences(r loci.AuditReport) error {
	if len(r.Problems) == 0 && r.Rows == 0 {
		_, err := fmt.Fprintln(c.Out, "The audit log is empty, and nothing was taken out of it.")
		return err
	}
	if len(r.Problems) == 0 {
		_, err := fmt.Fprintf(c.Out, "The audit log is as it was written: %s, up to hash %.16s….\n", count(r.Rows, "row"), r.Head)
		return err
	}
	bad := count(int64(len(r.Problems)+r.More), "problem")
	if _, err := fmt.Fprintf(c.Out, "%s in %s:\n", painted(c.Colour && c.OutWidth > 0, red, "The audit log is not as it was written: "+bad), count(r.Rows, "row")); err != nil {
		return err
	}
	for _, p := range r.Problems {
		if _, err := fmt.Fprint(c.Out, labelled(c.OutWidth, 2, "- ", oneLine(p.Text))); err != nil {
			return err
		}
	}
	if r.More > 0 {
		_, err := fmt.Fprintf(c.Out, "- … and %d more.\n", r.More)
		return err
	}
	return nil
}

// count says how many there are of something.
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (c *command) auditExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write the whole log with its hashes as JSON lines, for other programs to check",
		Args:  arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), app.Options{NoModels: true, Say: c.say}, func(ctx context.Context, s server) error {
				if len(args) == 0 || args[0] == "-" {
					_, err := s.exportAudit(ctx, c.Out)
					return err
				}
				return c.exportTo(ctx, s, args[0])
			})
		},
	}
}

// exportTo writes a new file, whole or not at all: an older export may be what
// somebody wants to compare with.
func (c *command) exportTo(ctx context.Context, s server, path string) (err error) {
	if full, ok := config.Expand(path, c.Folder, c.Getenv); ok {
		path = full
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return loci.Errorf(loci.Conflict, "%s is there already.", path).WithHint("Give another name, or move it away.")
	}
	if err != nil {
		return loci.Errorf(loci.Internal, "The export cannot be written: %w.", err)
	}
	rows, err := s.exportAudit(ctx, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	c.say("Wrote %s to %s.", count(int64(rows), "row"), path)
	return nil
}

// exportAudit writes all rows, a line each.
func (s server) exportAudit(ctx context.Context, w io.Writer) (rows int, err error) {
	for after := int64(0); ; {
		var page []json.RawMessage
		if err := s.get(ctx, fmt.Sprintf("%s?after=%d&limit=%d&entries=1", auditAddress, after, auditLimit), &page); err != nil {
			return rows, err
		}
		for _, line := range page {
			var row struct{ N int64 }
			if err := json.Unmarshal(line, &row); err != nil {
				return rows, err
			}
			if _, err := fmt.Fprintf(w, "%s\n", line); err != nil {
				return rows, err
			}
			after = row.N
		}
		if rows += len(page); len(page) < auditLimit {
			return rows, nil
		}
	}
}
