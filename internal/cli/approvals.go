package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

// approvals is the command for the questions that wait for an answer.
func (c *command) approvals() *cobra.Command {
	cmd := c.list(list{
		use: "approvals", short: "List the questions that wait for your answer",
		fetch: listApprovals, o: app.Options{NoModels: true},
		empty: "No question waits for an answer.",
		text:  c.listed,
	})
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(c.answerWith("yes", "Allow what a question asks, and see the turn through", true))
	cmd.AddCommand(c.answerWith("no", "Refuse what a question asks, and see the turn through", false))
	cmd.AddCommand(c.grants(), c.revoke())
	return cmd
}

// listed shows the open questions below each other.
func (c *command) listed(data json.RawMessage) (string, error) {
	var open []loci.Approval
	if err := json.Unmarshal(data, &open); err != nil {
		return "", err
	}
	colour := c.Colour && c.OutWidth > 0
	var b strings.Builder
	for _, a := range open {
		words := question(a, colour)
		first, rest, _ := strings.Cut(words, "\n")
		fmt.Fprintf(&b, "%s  %s  (asked %s", plain(a.Code), first, ago(time.Since(a.Asked.Time)))
		if a.Asker != "" {
			b.WriteString(" by " + plain(a.Asker))
		}
		if until := until(a); until != "" {
			b.WriteString(", waits " + until)
		}
		b.WriteString(")\n")
		for line := range strings.Lines(rest) {
			b.WriteString("   " + line)
		}
		b.WriteString("\n")
	}
	if len(open) > 0 {
		code := plain(open[0].Code)
		fmt.Fprintf(&b, "To answer: %s approvals yes %s, or %[1]s approvals no %[2]s\n", c.program(), code)
	}
	return b.String(), nil
}

// ago says in words how long something is past.
func ago(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := int(d / unit.of); {
		case n == 1:
			return "1 " + unit.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
}

// answerWith is a command that answers a question.
func (c *command) answerWith(word, short string, yes bool) *cobra.Command {
	var asJSON bool
	var span string
	cmd := &cobra.Command{
		Use:   word + " CODE",
		Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("which question? Give its code"), c.program() + " approvals, which lists the questions with their codes"}
			}
			return nil
		},
		ValidArgsFunction: c.candidates(listApprovals),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), app.Options{Fetch: true}, func(ctx context.Context, s server) error {
				return c.answer(ctx, s, args[0], answer{yes, loci.GrantSpan(span)}, asJSON)
			})
		},
	}
	if yes {
		cmd.Flags().StringVar(&span, "for", "", "how long it holds for the same thing with the same content: once, 30m, session or always (once where it is not given)")
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the question with its answer as a JSON object, and nothing of the turn")
	return cmd
}

// answer is what a person says to a question.
type answer struct {
	yes  bool
	span loci.GrantSpan // empty: once
}

// answer answers the question with a code or an id. The turn then goes on, and
// the person sees how.
func (c *command) answer(ctx context.Context, s server, which string, said answer, asJSON bool) error {
	open, err := s.approvals(ctx)
	if err != nil {
		return err
	}
	a, err := c.which(open, which)
	if err != nil {
		return err
	}
	if s.inside && a.Asker != "" { // the turn would end with this command, unseen
		return loci.Errorf(loci.Conflict, "A key asked this, and loci does not run, so nothing would come of an answer.").
			WithHint("Start loci, then answer: %s serve", c.program())
	}
	now, err := s.answer(ctx, a, said.yes, said.span)
	if err != nil {
		return err
	}
	if asJSON {
		if s.inside { // the turn has only this command to go on in
			for range s.follow(a)(ctx) { // to its end
			}
		}
		return json.NewEncoder(c.Out).Encode(now)
	}
	word := "Allowed"
	if !said.yes {
		word = "Refused"
	}
	c.say("%s%s: %s", word, lastingFor[said.span], title(a))
	if a.Asker != "" { // what comes of it is that conversation's
		return nil
	}
	t := c.newTalk(s)
	t.guest, t.quiet = true, a.ID
	t.open = slices.DeleteFunc(open, func(o loci.Approval) bool { return o.Turn != a.Turn || o.ID == a.ID })
	return t.run(ctx, s.follow(a))
}

// lastingFor says for how long a yes holds.
var lastingFor = map[loci.GrantSpan]string{
	loci.GrantMinutes: " for 30 minutes", loci.GrantSession: " for this conversation", loci.GrantAlways: " until you take it back",
}

// which finds the question with a code or an id.
func (c *command) which(open []loci.Approval, name string) (found loci.Approval, err error) {
	for _, a := range open {
		switch {
		case a.ID == name:
			return a, nil
		case !strings.EqualFold(a.Code, name):
		case found.ID != "":
			return a, loci.Errorf(loci.Conflict, "Two questions have the code %.40q.", name).
				WithHint("Give the id of one instead: %s approvals --json", c.program())
		default:
			found = a
		}
	}
	if found.ID == "" {
		return found, loci.Errorf(loci.NotFound, "No question with the code %.40q waits for an answer.", name).
			WithHint("See which do: %s approvals", c.program())
	}
	return found, nil
}
