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
	Answer string `json:"answer"`
	Grant  string `json:"grant"`
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
	switch {
	case req.Answer != "yes" && req.Answer != "no":
		return loci.Approval{}, loci.Errorf(loci.Invalid, "The answer must be yes or no.").WithHint(`Send {"answer": "yes"}.`)
	case req.Grant != "" && req.Grant != "once":
		return loci.Approval{}, loci.Errorf(loci.Invalid, "A yes can only be given for once yet, not for %.20q.", req.Grant).WithHint(`Leave "grant" out.`)
	}
	if req.Answer == "yes" {
		if err := c.needs(loci.RightApprove); err != nil {
			return loci.Approval{}, err
		}
	}
	return s.Questions.Answer(ctx, c.principal, id, req.Answer == "yes")
}
