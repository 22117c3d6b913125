package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
)

const keysPath = "/api/agent/keys"

var listKeys = listAt(keysPath)

// madeKey is a key with its secret, as the server tells it once.
type madeKey struct {
	loci.Key
	Secret string `json:"key"`
}

// apiKeys is the command for the keys that open loci's doors.
func (c *command) apiKeys() *cobra.Command {
	all := list{
		use: "keys", short: "List, make, revoke and replace the keys of clients",
		fetch: listKeys, o: app.Options{NoModels: true},
		heading: []string{"NAME", "USED", "MAY"}, rows: keyRows,
	}
	cmd := c.list(all)
	cmd.SuggestionsMinimumDistance = 2
	all.use, all.short = "list", "List the keys, without their secrets"
	cmd.AddCommand(c.list(all), c.addKey(), c.revokeKey(), c.rotateKey())
	return cmd
}

func keyRows(data json.RawMessage) (rows [][]string, err error) {
	var keys []loci.Key
	err = json.Unmarshal(data, &keys)
	for _, k := range keys {
		used := "never"
		if k.Used != nil {
			used = ago(time.Since(k.Used.Time))
		} else if k.Own() {
			used = "not since loci was started"
		}
		rights := make([]string, len(k.Rights))
		for i, right := range k.Rights {
			rights[i] = string(right)
		}
		rows = append(rows, []string{plain(k.Name), used, plain(strings.Join(rights, ", "))})
	}
	return rows, err
}

// keyCommand is a command that does something to one key.
func (c *command) keyCommand(use, short string, do func(ctx context.Context, s server, name string, asJSON bool) error) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("which key? Give its name"), cmd.CommandPath() + " --help"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.load(); err != nil {
				return err
			}
			return c.connected(cmd.Context(), app.Options{NoModels: true}, func(ctx context.Context, s server) error {
				return do(ctx, s, args[0], asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func (c *command) addKey() *cobra.Command {
	var can []string
	cmd := c.keyCommand("add NAME", "Make a key for one client, and show it this once", func(ctx context.Context, s server, name string, asJSON bool) error {
		var k madeKey
		if err := s.post(ctx, keysPath, map[string]any{"name": name, "can": can}, &k); err != nil {
			return err
		}
		return c.showKey(k, "is made", asJSON)
	})
	cmd.Long = `Make a key for one client, and show it this once. It has conversations of its
own. What it may do is a list of

  chat         talk to models
  tools:read   have tools look at things
  tools:write  have tools change things, each after a yes
  approve      give that yes
  admin        see and make keys, and everything else

and which folders it may look into is said in the configuration:

  principals:
    key:NAME:
      folders: [~/Shared]`
	cmd.Flags().StringSliceVar(&can, "can", []string{string(loci.RightChat)}, "`RIGHTS`, separated by commas")
	return cmd
}

func (c *command) rotateKey() *cobra.Command {
	return c.keyCommand("rotate NAME", "Replace a key: owner, chat, or one that was made", func(ctx context.Context, s server, name string, asJSON bool) error {
		var k madeKey
		if err := s.post(ctx, keyPath(name)+"/rotate", nil, &k); err != nil {
			return err
		}
		return c.showKey(k, "is another one now, and what was open with the old one is closed", asJSON)
	})
}

// showKey shows a new secret: by itself on the standard output, for scripts.
func (c *command) showKey(k madeKey, what string, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.Out).Encode(k)
	}
	if k.Own() {
		c.say("The %s key %s:", plain(k.Name), what)
	} else {
		c.say("The key %s %s. It is shown this once, and kept nowhere:", plain(k.Name), what)
	}
	_, err := fmt.Fprintln(c.Out, plain(k.Secret))
	return err
}

func (c *command) revokeKey() *cobra.Command {
	cmd := c.keyCommand("revoke NAME", "Make a key invalid, and end what is open with it", func(ctx context.Context, s server, name string, asJSON bool) error {
		res, err := s.do(ctx, http.MethodDelete, keyPath(name), nil)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if asJSON {
			return json.NewEncoder(c.Out).Encode(map[string]string{"name": name, "state": "revoked"})
		}
		c.say("The key %s opens nothing any more.", plain(name))
		return nil
	})
	cmd.ValidArgsFunction = c.candidates(func(ctx context.Context, s server) (json.RawMessage, error) {
		var keys []loci.Key
		if err := s.get(ctx, keysPath, &keys); err != nil {
			return nil, err
		}
		var names []map[string]string
		for _, k := range keys {
			if !k.Own() {
				names = append(names, map[string]string{"ID": k.Name})
			}
		}
		return json.Marshal(names)
	})
	return cmd
}

// keyPath is the address of a key, whatever a person gave as its name.
func keyPath(name string) string { return keysPath + "/" + url.PathEscape(name) }
