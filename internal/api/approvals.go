package api

import (
	"net/http"

	"loci"
)

// agentApprovals lists the caller's open questions, oldest first.
func (s *server) agentApprovals(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Questions.Approvals(r.Context(), exchangeOf(r).caller.principal)
	if err != nil {
		return err
	}
	return writeJSON(w, append([]loci.Approval{}, list...)) // [] rather than null
}

// agentAnswer settles a question. The turn that asked goes on by itself, and is
// told of by its events.
func (s *server) agentAnswer(w http.ResponseWriter, r *http.Request) error {
	var req struct {
		Answer string         `json:"answer"`
		Grant  loci.GrantSpan `json:"grant"`
	}
	if err := s.decode(w, r, &req); err != nil {
		return err
	}
	if req.Answer != "yes" && req.Answer != "no" {
		return loci.Errorf(loci.Invalid, "The answer must be yes or no.").WithHint(`Send {"answer": "yes"}.`)
	}
	a, err := s.Questions.Answer(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id"), req.Answer == "yes", req.Grant)
	if err != nil {
		return err
	}
	return writeJSON(w, a)
}

// agentGrants lists the caller's yeses that hold on, oldest first.
func (s *server) agentGrants(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Questions.Grants(r.Context(), exchangeOf(r).caller.principal)
	if err != nil {
		return err
	}
	return writeJSON(w, append([]loci.Grant{}, list...)) // [] rather than null
}

// agentRevoke takes one of them back.
func (s *server) agentRevoke(w http.ResponseWriter, r *http.Request) error {
	if err := s.Questions.Revoke(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
