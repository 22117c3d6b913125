package api

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// Audit gives a row that says in JSON what was asked for.
func (f *fake) Audit(_ context.Context, filter loci.AuditFilter) iter.Seq2[loci.AuditEntry, error] {
	return func(yield func(loci.AuditEntry, error) bool) {
		if filter.Tool == "broken" {
			yield(loci.AuditEntry{}, errors.New("the disk is gone"))
			return
		}
		asked, _ := json.Marshal(filter)
		yield(loci.AuditEntry{AuditRecord: loci.AuditRecord{N: 7, Kind: loci.AuditIntent, Arguments: asked}, Outcome: loci.StateUnknown, Hash: "ab"}, nil)
	}
}

func (f *fake) VerifyAudit(context.Context) (loci.AuditReport, error) {
	return loci.AuditReport{Rows: 7, Last: 7, Head: "ab", Problems: []loci.AuditProblem{{N: 3, Text: "Row 3 is missing."}}}, nil
}

func TestAuditList(t *testing.T) {
	c := newClient(t, newFake())
	for query, want := range map[string]loci.AuditFilter{
		"":                             {After: -1, Limit: 100},
		"?after=0&limit=5000":          {After: 0, Limit: 1000},
		"?limit=0":                     {After: -1, Limit: 100},
		"?session=a&tool=b&kind=key":   {After: -1, Limit: 100, Session: "a", Tool: "b", Kind: loci.AuditKey},
		"?state=unknown":               {After: -1, Limit: 100, State: loci.StateUnknown},
		"?principal=d&entries=1":       {After: -1, Limit: 100, Principal: "d", Entries: true},
		"?brief=1":                     {After: -1, Limit: 100, Brief: true},
		"?follow=1&limit=3":            {After: -1, Limit: 3, Follow: true},
		"?follow=1&after=4&limit=3":    {After: 4, Follow: true},
		"?follow=1&after=4&limit=3#id": {After: 9, Follow: true},
	} {
		query, reconnects := strings.CutSuffix(query, "#id")
		r := request("GET", "/api/agent/audit"+query, "", "Authorization", "Bearer "+ownerKey)
		if reconnects {
			r.Header.Set("Last-Event-Id", "9")
		}
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, r)
		body := w.Body.String()
		if want.Follow {
			var ok bool
			if body, ok = strings.CutPrefix(strings.TrimSpace(body), "id: 7\ndata: "); !ok {
				t.Errorf("%s: %q", query, body)
			}
			body = "[" + body + "]"
		}
		var got []loci.AuditEntry
		if err := json.Unmarshal([]byte(body), &got); err != nil || len(got) != 1 || got[0].Outcome != loci.StateUnknown {
			t.Errorf("%s: %s, %v", query, body, err)
			continue
		}
		var asked loci.AuditFilter
		if err := json.Unmarshal(got[0].Arguments, &asked); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
}

func TestAuditRefuses(t *testing.T) {
	c := newClient(t, newFake())
	for query, want := range map[string]int{"?after=x": 400, "?after=-1": 400, "?limit=x": 400, "?kind=x": 400, "?state=x": 400, "?tool=broken": 500, "?tool=broken&follow=1": 500} {
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, request("GET", "/api/agent/audit"+query, "", "Authorization", "Bearer "+ownerKey))
		if w.Code != want || !strings.Contains(w.Body.String(), `"error"`) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

func TestAuditVerify(t *testing.T) {
	c := newClient(t, newFake())
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, request("GET", "/api/agent/audit/verify", "", "Authorization", "Bearer "+ownerKey))
	want := `{"rows":7,"last":7,"head":"ab","problems":[{"n":3,"text":"Row 3 is missing."}]}`
	if strings.TrimSpace(w.Body.String()) != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
