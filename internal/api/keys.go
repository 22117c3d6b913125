package api

import (
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

// agentRevokeKey takes a key back.
func (s *server) agentRevokeKey(w http.ResponseWriter, r *http.Request) error {
	_, err := s.KeyEditor.Revoke(r.Context(), exchangeOf(r).caller.principal, r.PathValue("name"))
	if err != nil {
		return err
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
