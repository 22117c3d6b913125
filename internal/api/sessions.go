package api

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"loci"
)

// agentTools lists what a turn of the caller may use, as an array of ToolSpecs.
func (s *server) agentTools(w http.ResponseWriter, r *http.Request) error {
	tools, err := s.Inspect.Tools(r.Context(), exchangeOf(r).caller.principal)
	if err != nil {
		return err
	}
	return writeJSON(w, append([]loci.ToolSpec{}, tools...))
}

// agentDebug shows the exact context of a session's last model call, for people
// who wonder why the model said what it said.
func (s *server) agentDebug(w http.ResponseWriter, r *http.Request) error {
	session, err := query(r, "session")
	if err != nil {
		return err
	}
	view, err := s.Inspect.Debug(r.Context(), exchangeOf(r).caller.principal, session)
	if err != nil {
		return err
	}
	return writeJSON(w, view)
}

// agentSessions lists the caller's sessions, newest first, without their
// messages: those are events.
func (s *server) agentSessions(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Library.Sessions(r.Context(), exchangeOf(r).caller.principal)
	if err != nil {
		return err
	}
	return writeJSON(w, append([]loci.Session{}, list...)) // [] rather than null
}

// agentSession shows one session.
func (s *server) agentSession(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Library.Session(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, session)
}

// agentRename changes what can be changed of a session: its title.
func (s *server) agentRename(w http.ResponseWriter, r *http.Request) error {
	var req struct {
		Title *string `json:"title"`
	}
	if err := s.decode(w, r, &req); err != nil {
		return err
	}
	if req.Title == nil || utf8.RuneCountInString(*req.Title) > 200 {
		return loci.Errorf(loci.Invalid, "A session needs a title of at most 200 characters.").WithHint(`Send {"title": "…"}.`)
	}
	session, err := s.Editor.Rename(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id"), strings.TrimSpace(*req.Title))
	if err != nil {
		return err
	}
	return writeJSON(w, session)
}

// agentDelete removes a session and everything said in it.
func (s *server) agentDelete(w http.ResponseWriter, r *http.Request) error {
	if err := s.Editor.Delete(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// agentStop interrupts the turn that runs in a session, and withdraws the questions
// that wait there. It succeeds when there is nothing of it, so that a second press of the button does no harm.
func (s *server) agentStop(w http.ResponseWriter, r *http.Request) error {
	if err := s.Sessions.Stop(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// agentFork copies a session, so that a conversation can be tried another way.
func (s *server) agentFork(w http.ResponseWriter, r *http.Request) error {
	var req struct {
		Turn string `json:"turn"`
	}
	if err := s.decode(w, r, &req); err != nil {
		return err
	}
	session, err := s.Editor.Fork(r.Context(), exchangeOf(r).caller.principal, r.PathValue("id"), req.Turn)
	if err != nil {
		return err
	}
	return writeJSON(w, session)
}
