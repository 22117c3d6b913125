package api

import (
	"net/http"
	"strconv"

	"loci"
)

const (
	fewChanges  = 100    // listed where nobody says how many
	mostChanges = 10_000 // listed at most
)

// agentChanges lists what was done to files, the newest first, of one session with
// ?session=, and at most ?limit= of it.
func (s *server) agentChanges(w http.ResponseWriter, r *http.Request) error {
	limit := fewChanges
	if given := r.URL.Query().Get("limit"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 1 || n > mostChanges {
			return loci.Errorf(loci.Invalid, "limit is not a number from 1 to %d.", mostChanges)
		}
		limit = n
	}
	list, err := s.Changes.Changes(r.Context(), exchangeOf(r).caller.principal, r.URL.Query().Get("session"), limit)
	if err != nil {
		return err
	}
	return writeJSON(w, append([]loci.Change{}, list...)) // [] rather than null
}

// agentUndo takes a change back, and answers with the change that this is: it can
// be taken back in its turn.
func (s *server) agentUndo(w http.ResponseWriter, r *http.Request) error {
	done, err := s.Changes.Undo(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, done)
}
