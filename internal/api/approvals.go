package api

import (
	"context"
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

// answerRequest is what a person says to a question.
type answerRequest struct {
	Answer string         `json:"answer"`
	Grant  loci.GrantSpan `json:"grant"`
}

// agentAnswer settles a question. The turn that asked goes on by itself, and is
// told of by its events.
func (s *server) agentAnswer(w http.ResponseWriter, r *http.Request) error {
	var req answerRequest
	if err := s.decode(w, r, &req); err != nil {
		return err
	}
	a, err := s.settle(r.Context(), exchangeOf(r).caller, r.PathValue("id"), req)
	if err != nil {
		return err
	}
	return writeJSON(w, a)
}

// settle answers one of the caller's questions. A no is always theirs to say.
func (s *server) settle(ctx context.Context, c caller, id string, req answerRequest) (loci.Approval, error) {
	if req.Answer != "yes" && req.Answer != "no" {
		return loci.Approval{}, loci.Errorf(loci.Invalid, "The answer must be yes or no.").WithHint(`Send {"answer": "yes"}.`)
	}
	if req.Answer == "yes" {
		if err := c.needs(loci.RightApprove); err != nil {
			return loci.Approval{}, err
		}
	}
	return s.Questions.Answer(ctx, c.principal, id, req.Answer == "yes", req.Grant)
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
