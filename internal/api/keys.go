package api

import (
	"context"
	"net/http"

	"loci"
)

// newKey is a key with its secret, which is shown this once.
type newKey struct {
	loci.Key
	Secret string `json:"key"`
}

// agentKeys lists the keys, without their secrets.
func (s *server) agentKeys(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, s.KeyEditor.Keys())
}

func (s *server) agentAddKey(w http.ResponseWriter, r *http.Request) error {
	var req struct {
		Name string       `json:"name"`
		Can  []loci.Right `json:"can"`
	}
	if err := s.decode(w, r, &req); err != nil {
		return err
	}
	k, secret, err := s.KeyEditor.Add(r.Context(), exchangeOf(r).caller.principal, req.Name, req.Can)
	if err != nil {
		return err
	}
	return writeJSON(w, newKey{k, secret})
}

// agentRevokeKey takes a key back, and stops what it has begun: a turn would
// otherwise go on by itself.
func (s *server) agentRevokeKey(w http.ResponseWriter, r *http.Request) error {
	k, err := s.KeyEditor.Revoke(r.Context(), exchangeOf(r).caller.principal, r.PathValue("name"))
	if err != nil {
		return err
	}
	ctx := context.WithoutCancel(r.Context()) // a key can revoke itself
	gone := loci.Principal{ID: k.Principal}
	sessions, err := s.Library.Sessions(ctx, gone)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		if err := s.Sessions.Stop(ctx, gone, session.ID); err != nil && !loci.IsNotFound(err) {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// agentRotateKey gives a key another secret.
func (s *server) agentRotateKey(w http.ResponseWriter, r *http.Request) error {
	k, secret, err := s.KeyEditor.Rotate(r.Context(), exchangeOf(r).caller.principal, r.PathValue("name"))
	if err != nil {
		return err
	}
	return writeJSON(w, newKey{k, secret})
}
