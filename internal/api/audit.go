package api

import (
	"cmp"
	"context"
	"net/http"

	"loci"
)

const (
	auditUsual = 100  // rows of a list where the client does not say
	auditMost  = 1000 // rows of a list
)

// agentAudit lists rows of the audit log, oldest first: those after a number, or else
// the newest. With follow=1 it goes on with those to come, as server-sent events.
func (s *server) agentAudit(w http.ResponseWriter, r *http.Request) error {
	f, err := auditFilter(r)
	if err != nil {
		return err
	}
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	rows := s.Audit.Audit(ctx, f)
	if f.Follow {
		return pour(s, w, r, leave, rows, func(st *stream, e loci.AuditEntry) error { return frame(st, e.N, e) })
	}
	list := []loci.AuditEntry{} // [] rather than null
	for e, err := range rows {
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	return writeJSON(w, list)
}

// auditFilter reads what a client wants to see.
func auditFilter(r *http.Request) (f loci.AuditFilter, err error) {
	q := r.URL.Query()
	f = loci.AuditFilter{
		Session: q.Get("session"), Tool: q.Get("tool"), Kind: loci.AuditKind(q.Get("kind")), State: loci.AuditState(q.Get("state")), Principal: q.Get("principal"),
		Entries: q.Get("entries") == "1", Brief: q.Get("brief") == "1", Follow: q.Get("follow") == "1",
	}
	if err := f.Check(); err != nil {
		return f, err
	}
	after := q.Get("after")
	if f.Follow { // a client that was cut off says where it was
		after = cmp.Or(r.Header.Get("Last-Event-Id"), after)
	}
	if f.After, err = number(after, "after", -1); err != nil {
		return f, err
	}
	limit, err := number(q.Get("limit"), "limit", auditUsual)
	f.Limit = int(min(limit, auditMost))
	if f.Limit == 0 {
		f.Limit = auditUsual
	}
	if f.Follow && f.After >= 0 {
		f.Limit = 0 // nothing may be missing in between
	}
	return f, err
}

// agentAuditVerify reads the whole log and tells what was changed in it.
func (s *server) agentAuditVerify(w http.ResponseWriter, r *http.Request) error {
	report, err := s.Audit.VerifyAudit(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, report)
}
