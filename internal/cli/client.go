package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"loci"
	"loci/internal/app"
	"loci/internal/config"
)

// server is a running loci.
type server struct {
	url, key string
	inside   bool // it runs inside this command, and no longer
	own      bool // it uses loci's own model server
	http     *http.Client
}

// runningAt is the loci that another process runs.
func runningAt(run config.Run) server {
	return server{url: run.URL, key: string(run.Key), own: run.Own, http: run.Client()}
}

// names says what a model server is to a person, by its address.
func (s server) names(url string) string {
	if s.own {
		return "loci's own server"
	}
	return url
}

// chatRequest is the body of POST /api/agent/chat.
type chatRequest struct {
	Session string   `json:"session,omitempty"`
	Message string   `json:"message"`
	Model   string   `json:"model,omitempty"`
	Folders []string `json:"folders,omitempty"`
	Working string   `json:"working,omitempty"`
	Stream  *bool    `json:"stream,omitempty"`
}

// sessionPath is the address of a session, whatever a person gave as its id.
func sessionPath(id string) string { return "/api/agent/sessions/" + url.PathEscape(id) }

// connected calls use with the loci that runs, or with one that runs inside
// this command until use returns, built with o.
func (c *command) connected(ctx context.Context, o app.Options, use func(context.Context, server) error) (err error) {
	run, ok, err := config.ReadRun(c.paths)
	if err != nil {
		return err
	}
	if ok {
		c.warnUseless("backends", "listen", "key")
		c.hide.Add(string(run.Key), string(run.ChatKey))
		return use(ctx, runningAt(run))
	}
	if err := c.resolve(ctx); err != nil {
		return err
	}
	log, done, err := c.quiet()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if len(c.flags["listen"]) == 0 {
		c.conf.Listen, c.conf.TLS = "127.0.0.1:0", config.TLS{} // only this command will call it
	}
	bar := c.newBar()
	o.Sources = c.sources()
	o.Config, o.Paths, o.Getenv, o.Logger, o.Progress, o.Hide = c.conf, c.paths, c.Getenv, log, bar.update, c.hide
	a, err := app.New(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	// Whoever is interrupted still has something to tell it.
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- a.Serve(serving) }()
	ad := a.Addresses()
	client := config.Run{Fingerprint: ad.Fingerprint}.Client()
	err = use(ctx, server{url: ad.URL, key: ad.Key, inside: true, own: a.Own(), http: client})
	cancel()
	return errors.Join(err, <-served)
}

// warnUseless says which flags come too late for the loci that runs.
func (c *command) warnUseless(settings ...string) {
	for _, name := range settings {
		if len(c.flags[name]) > 0 {
			c.say("loci: it runs already, so the flag for %s has no effect.", name)
		}
	}
}

// complete has the shell complete a flag with the ids of a list of the loci that
// runs.
func (c *command) complete(cmd *cobra.Command, flag string, fetch fetch) {
	_ = cmd.RegisterFlagCompletionFunc(flag, c.candidates(fetch)) // fails only for a flag that is not there
}

// candidates gives the items of a list that begin as what was typed does: by
// their codes where they have some, otherwise by their ids.
func (c *command) candidates(fetch fetch) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) (found []string, _ cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp
		if err := c.load(); err != nil {
			return nil, directive
		}
		run, ok, err := config.ReadRun(c.paths)
		if err != nil || !ok {
			return nil, directive
		}
		data, err := fetch(cmd.Context(), runningAt(run))
		var list []struct{ ID, Code, Title, Tool string }
		if err != nil || json.Unmarshal(data, &list) != nil {
			return nil, directive
		}
		for _, item := range list {
			name := cmp.Or(item.Code, item.ID)
			if len(name) >= len(begun) && strings.EqualFold(name[:len(begun)], begun) {
				found = append(found, cobra.CompletionWithDesc(name, plain(cmp.Or(item.Title, item.Tool))))
			}
		}
		return found, directive
	}
}

// do sends a request and gives the reply if it is a success.
func (s server) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := s.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, loci.Wrap(loci.Unreachable, err, "loci at %s does not answer.", s.url).WithHint("See whether it is well with: loci doctor")
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, failure(res)
}

// failure reads the error of the agent API.
func failure(res *http.Response) error {
	const most = 1 << 20
	data, err := io.ReadAll(io.LimitReader(res.Body, most))
	if err != nil {
		return err
	}
	var reply struct{ Error *loci.Error }
	if err := json.Unmarshal(data, &reply); err != nil || reply.Error == nil {
		return loci.Errorf(loci.Internal, "loci answered %s.", res.Status)
	}
	return reply.Error
}

func (s server) call(ctx context.Context, method, path string, body, out any) error {
	res, err := s.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if out == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(out)
}

func (s server) get(ctx context.Context, path string, out any) error {
	return s.call(ctx, http.MethodGet, path, nil, out)
}

func (s server) post(ctx context.Context, path string, body, out any) error {
	return s.call(ctx, http.MethodPost, path, body, out)
}
