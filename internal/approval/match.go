package approval

import (
	"slices"

	"loci"
)

// Match finds which of the questions that a turn asked an answer is for, all of whose
// codes are among them. Where it is for none of them, or it is not clear for which,
// words are what to tell the person instead.
func Match(a Answer, asked []loci.Approval, lang string) (picked []loci.Approval, words string) {
	w := loci.Waiting{Approvals: asked}
	open := w.Open()
	switch {
	case len(a.Codes) > 0:
		picked = Coded(a.Codes, asked)
	case a.Verdict == No && a.All: // also what has a yes and has not begun
		picked = w.Undone()
	case a.Verdict == Yes && len(open) > 1 && !a.All:
		return nil, which(Codes(open), lang)
	default:
		picked = open
	}
	if len(picked) == 0 { // it comes too late
		return nil, Told(asked[len(asked)-1], lang)
	}
	for _, q := range picked {
		if !Takes(q, a.Verdict) {
			return nil, Told(q, lang)
		}
		if !Lasts(q, a.Span) {
			return nil, onlyOnce.In(lang, q.Code)
		}
	}
	return picked, ""
}

// Takes tells whether an answer to a question counts still: until its effect begins,
// a yes can be taken back.
func Takes(q loci.Approval, v Verdict) bool {
	return q.State == loci.ApprovalOpen && !q.Expired() || q.State == loci.ApprovalYes && v == No
}

// Lasts tells whether a yes to a question can be given for a span.
func Lasts(q loci.Approval, span loci.GrantSpan) bool {
	return span == "" || slices.Contains(q.Grants, span)
}

// Coded are the questions that have one of the codes.
func Coded(codes []string, asked []loci.Approval) []loci.Approval {
	return slices.DeleteFunc(slices.Clone(asked), func(q loci.Approval) bool { return !slices.Contains(codes, q.Code) })
}

// Codes are those of the questions, in their order.
func Codes(asked []loci.Approval) []string {
	list := make([]string, len(asked))
	for i, q := range asked {
		list[i] = q.Code
	}
	return list
}
