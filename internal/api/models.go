package api

import (
	"net/http"

	"loci"
)

// agentModels lists the models with what is known about them.
func (s *server) agentModels(w http.ResponseWriter, r *http.Request) error {
	return writeJSON(w, append([]loci.ModelState{}, s.Prober.States(r.Context())...))
}

// agentProbe tries a model out, which takes some seconds, and gives what was found.
func (s *server) agentProbe(w http.ResponseWriter, r *http.Request) error {
	var req struct {
		Model string `json:"model"` // empty: the default
	}
	if err := s.decode(w, r, &req); err != nil {
		return err
	}
	p, err := s.Prober.Probe(r.Context(), req.Model)
	if err != nil {
		return err
	}
	return writeJSON(w, p)
}
