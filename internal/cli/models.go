package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

func (c *command) models() *cobra.Command {
	cmd := c.list(list{
		use: "models", short: "List the models of all servers, with what is known about them",
		fetch: listModels, why: whyNone, o: app.Options{Say: c.say},
		heading: []string{"MODEL", "CALLS TOOLS", "WINDOW", "READS", "WRITES", "FIRST WORD"},
		empty:   "No models. Start a model server such as Ollama (ollama.com), or run loci up, which fetches a small model.",
		note: "Windows are in tokens and speeds in tokens a second; a token is about four letters of English. " +
			"What is not known yet, loci models probe MODEL finds out.",
		rows: func(data json.RawMessage) (rows [][]string, err error) {
			var models []loci.ModelState
			err = json.Unmarshal(data, &models)
			for _, m := range models {
				rows = append(rows, modelRow(m, c.OutWidth > 0))
			}
			return rows, err
		},
	})
	c.serverFlags(cmd, "backend", "model")
	cmd.AddCommand(c.probe())
	return cmd
}

// whyNone says why there are no models, such as that a server does not answer.
func whyNone(ctx context.Context, s server, list json.RawMessage) string {
	var models []json.RawMessage
	if json.Unmarshal(list, &models) != nil || len(models) > 0 {
		return ""
	}
	// With no model to try out, this fails at once, and tells why.
	e := loci.AsError(s.post(ctx, "/api/agent/models/probe", map[string]string{}, nil))
	if e == nil || e.Code != loci.Unreachable {
		return ""
	}
	return "No models. " + e.Error()
}

// usual is the name of the default model; empty where that is not known yet.
func (s server) usual(ctx context.Context) string {
	var models []loci.ModelState
	if err := s.get(ctx, "/api/agent/models", &models); err != nil {
		return "" // the first message tells what is wrong
	}
	for _, m := range models {
		if m.ID == "loci" && m.Profile != nil {
			return m.Profile.Model
		}
	}
	return ""
}

// modelRow is a model in the list. What is not known is a dash. A person also sees which
// one is the default.
func modelRow(m loci.ModelState, person bool) []string {
	row := []string{plain(m.ID), "-", "-", "-", "-", "-"}
	if m.Embedding {
		row[1] = "never: for search"
	}
	p := m.Profile
	if p == nil {
		return row
	}
	if person && m.ID == "loci" && p.Model != m.ID {
		row[0] += " = " + plain(p.Model)
	}
	row[1], row[2] = tierWords[p.Tier].short, thousands(p.Window)
	if p.Speed.Read > 0 {
		row[3] = pace(p.Speed.Read) + "/s"
	}
	if p.Speed.Write > 0 {
		row[4] = pace(p.Speed.Write) + "/s"
	}
	row[5] = firstWord(*p, brief, "at once")
	return row
}

// tierWords say how tools are used in a tier: in a column, and in a sentence.
var tierWords = map[loci.Tier]struct{ short, long string }{
	loci.TierNative: {"by itself", "the model calls tools by itself"},
	loci.TierText:   {"as text", "the model writes its calls as text, and loci reads them there"},
	loci.TierTiny:   {"through loci", "loci chooses the tools, and the model puts things into words"},
}

// firstWord says after what time an answer begins; a dash where nobody knows. In the tiny
// tier loci answers by itself what it has looked up.
func firstWord(p loci.Profile, words func(time.Duration) string, once string) string {
	wait := p.Speed.FirstToken(loci.UsualPrompt)
	switch {
	case p.Tier == loci.TierTiny:
		return once
	case wait == 0:
		return "-"
	}
	return words(wait)
}

// probe tries a model out.
func (c *command) probe() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "probe [MODEL]",
		Short: "Find out how a model can be used, by a few short calls of it",
		Args:  cobra.MaximumNArgs(1),

		ValidArgsFunction: c.candidates(listModels),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), app.Options{Say: c.say}, func(ctx context.Context, s server) error {
				if c.OutWidth > 0 && !asJSON {
					c.say("Trying the model out, with a few short calls.")
				}
				var p loci.Profile
				ask := map[string]string{"model": strings.Join(args, "")}
				if err := s.post(ctx, "/api/agent/models/probe", ask, &p); err != nil {
					return err
				}
				if asJSON {
					return json.NewEncoder(c.Out).Encode(p)
				}
				_, err := fmt.Fprint(c.Out, describeProfile(p, s.names(p.Server), c.OutWidth))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	c.serverFlags(cmd, "backend", "model")
	return cmd
}

// describeProfile says line by line what was found out about a model, and where that is.
// Lines are broken at a width; 0: never.
func describeProfile(p loci.Profile, where string, width int) string {
	const indent = 17
	var b strings.Builder
	line := func(name, format string, args ...any) {
		words := wrap(fmt.Sprintf(format, args...), width-indent)
		fmt.Fprintf(&b, "  %-15s%s\n", name, strings.Join(words, "\n"+strings.Repeat(" ", indent)))
	}
	fmt.Fprintf(&b, "%s at %s\n", plain(p.Model), plain(where))
	line("tier", "%s: %s. %s", p.Tier, tierWords[p.Tier].long, plain(p.Reason))
	line("window", "%s tokens", thousands(p.Window))
	line("native calls", "%s", natively(p))
	if p.Text != loci.Unknown || p.Tier == loci.TierText {
		line("calls as text", "%s", worded(p.Text, "yes, best as "+dialect(p.Markup), "none that can be read", "not tried, taught as "+dialect(p.Markup)))
	}
	line("JSON schema", "%s", schema(p))
	line("stop words", "%s", worded(p.Stopping, "end a reply", "are ignored by its server", "not known"))
	line("roles", "%s", roles(p))
	line("thinks", "%s", map[bool]string{true: "yes", false: "no"}[p.Think])
	if len(p.Speaks) > 0 {
		line("talks in", "%s", plain(strings.Join(p.Speaks, ", ")))
	}
	line("speed", "%s", speed(p.Speed))
	if words := firstWord(p, inWords, "mostly at once: what loci looks up, it answers with by itself"); words != "-" {
		line("first word", "%s", words)
	}
	return b.String()
}

// wrap breaks a text into lines of so many characters at its spaces. A width that is
// too small for words breaks nothing.
func wrap(s string, width int) (lines []string) {
	const least = 20
	for width >= least && utf8.RuneCountInString(s) > width {
		at := strings.LastIndexByte(s[:len(string([]rune(s)[:width+1]))], ' ')
		if at <= 0 {
			break
		}
		lines, s = append(lines, s[:at]), s[at+1:]
	}
	return append(lines, s)
}

// natively says whether a model calls tools through its server.
func natively(p loci.Profile) string {
	if p.Native == loci.Unknown && p.Tier != loci.TierNative {
		return "not possible, its server says"
	}
	return worded(p.Native, "yes", "no, or not well", "its server says so")
}

// worded says a finding in words.
func worded(f loci.Finding, yes, no, unknown string) string {
	switch f {
	case loci.Yes:
		return yes
	case loci.No:
		return no
	}
	return unknown
}

// dialect shows how a call is written.
func dialect(m loci.Markup) string {
	switch m {
	case loci.MarkupToolCall:
		return "<tool_call>{…}</tool_call>"
	case loci.MarkupJSON:
		return "a fenced JSON object"
	case loci.MarkupReAct:
		return "Action and Action Input"
	}
	return "<tool>name(…)</tool>"
}

// schema says who sees to it that a reply has a form.
func schema(p loci.Profile) string {
	if p.Constrain == loci.No {
		return "not held by its server; " + worded(p.Schema, "the model keeps to one by itself", "the model does not keep to one", "nor is it known of the model")
	}
	return worded(p.Constrain, "held by its server", "", "not known")
}

// roles says which conversations a model takes.
func roles(p loci.Profile) string {
	var refused []string
	if p.System == loci.No {
		refused = append(refused, "no system message")
	}
	if p.Systems == loci.No && p.System != loci.No {
		refused = append(refused, "a system message only at the beginning")
	}
	if p.Alternate == loci.Yes {
		refused = append(refused, "user and assistant only in turns")
	}
	if len(refused) > 0 {
		return strings.Join(refused, ", ") + "; loci sees to it"
	}
	if p.System == loci.Unknown || p.Systems == loci.Unknown {
		return "not known"
	}
	return "any"
}

// speed says how fast a model is, as far as that is known.
func speed(s loci.Speed) string {
	var parts []string
	if s.Read > 0 {
		parts = append(parts, "reads "+pace(s.Read))
	}
	if s.Write > 0 {
		parts = append(parts, "writes "+pace(s.Write))
	}
	if len(parts) == 0 {
		return "not known"
	}
	return strings.Join(parts, ", ") + " tokens a second"
}

// pace is a number with as many digits as mean something.
func pace(rate float64) string {
	if rate < 10 {
		return strconv.FormatFloat(rate, 'f', 1, 64)
	}
	return thousands(int(rate + 0.5))
}

// brief is a time without more digits than mean something.
func brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return "< 1 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// inWords is about how long a wait for the usual prompt is.
func inWords(d time.Duration) string {
	words := "within a second"
	switch seconds := int(d.Seconds() + 0.5); {
	case seconds >= 120:
		words = fmt.Sprintf("after about %.0f minutes", d.Minutes())
	case seconds > 1:
		words = fmt.Sprintf("after about %d seconds", seconds)
	case d > time.Second:
		words = "after about a second"
	}
	return fmt.Sprintf("%s, with the usual prompt of %d tokens", words, loci.UsualPrompt)
}

// thousands writes a number with a comma after each three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
