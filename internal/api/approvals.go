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
		Answer string `json:"answer"`
		Grant  string `json:"grant"`
	}
	if err := s.decode(w, r, &req); err != nil {
		return err
	}
	switch {
	case req.Answer != "yes" && req.Answer != "no":
		return loci.Errorf(loci.Invalid, "The answer must be yes or no.").WithHint(`Send {"answer": "yes"}.`)
	case req.Grant != "" && req.Grant != "once":
		return loci.Errorf(loci.Invalid, "A yes can only be given for once yet, not for %.20q.", req.Grant).WithHint(`Leave "grant" out.`)
	}
	a, err := s.Questions.Answer(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id"), req.Answer == "yes")
	if err != nil {
		return err
	}
	return writeJSON(w, a)
}
