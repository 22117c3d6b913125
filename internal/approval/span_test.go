package approval

import (
	"strings"
	"testing"

	"loci"
)

// spanSamples are answers that give a yes for a span, separated by |.
var spanSamples = map[loci.GrantSpan]string{
	loci.GrantOnce: "yes, once|yes just this once|only once, yes|ok, this time|yes. This one time.|是，一次|好的，仅此一次|仅一次，可以|ano, jednou|ano, jen tentokrát|ano, jen tentokrat|" +
		"ja, nur einmal|ja, diesmal|да, один раз|sí, una vez|sí, solo una vez|oui, une seule fois",
	loci.GrantMinutes: "yes 30m|yes, 30 m|yes 30min|yes, for 30 minutes|yes for half an hour|30m yes|YES 30M|yes (30m)|yes, **30m**|yes, for the next 30 minutes please|" +
		"是，30分钟|好，半小时|同意，半个小时|可以，三十分钟|ano, 30m|ano, na 30 minut|ano na půl hodiny|ano na pul hodiny|ja, für 30 minuten|ja, fur 30 minuten|ja, eine halbe Stunde|" +
		"да, на полчаса|да, 30 минут|sí, por media hora|sí, 30 minutos|oui, pour une demi-heure|oui, une demi‐heure|oui, pendant 30 minutes",
	loci.GrantSession: "yes, session|yes, this session|yes for this session|yes, in this conversation|for this chat: yes|是，本次会话|同意，在本次会话中|好的，本次对话|ano, v této konverzaci|ano, v teto konverzaci|" +
		"ja, für diese Sitzung|да, для этой сессии|sí, en esta sesión|si, en esta sesion|oui, pour cette session",
	loci.GrantAlways: "yes, always|always yes|Yes! Always!|yes for ever|yes, for good|ok, forever|yes **always**|“yes, always”|是，总是|永远同意|好的，始终|ano, vždy|ano, vzdy|ano, navždy|ano, pokaždé|" +
		"ja, immer|ja, für immer|да, всегда|да навсегда|sí, siempre|si, para siempre|oui, toujours|oui, pour toujours",
}

func TestReadSpans(t *testing.T) {
	for want, list := range spanSamples {
		for s := range strings.SplitSeq(list, "|") {
			for _, text := range []string{s, " " + s + "\n", strings.ToUpper(s)} {
				if a := Read(text); a.Verdict != Yes || a.Span != want || a.Codes != nil || a.All {
					t.Errorf("%q: %+v, want a yes for %q", text, a, want)
				}
			}
		}
	}
}

// TestSpanAlone: a span says nothing without a yes, and nothing beside a no or
// another span.
func TestSpanAlone(t *testing.T) {
	for want, list := range map[loci.GrantSpan]string{ // by the span they name
		"": "always|Always!|30m|for 30 minutes|this session|once|for good|please always|always 7F3|总是|30分钟|本次会话|一次|vždy|na půl hodiny|jednou|immer|всегда|siempre|toujours|" +
			"always please, thanks|always, for all|" +
			"yes, always, 30m|yes once, always|yes, this session, and always|是，总是，一次|ano, vždy, jednou|" +
			"yes, always?|yes, not always|yes, almost always|yes, as always|yes, always and everywhere|yes, 31m|yes, 300m!|yes, for 30 days|yes, for 5 minutes|" +
			"yes, this week|yes, sometimes|yes, for this file always|always remember the milk|yes always no|no yes always|> yes, always|~~yes, always~~|yes, ~~always~~",
	} {
		for s := range strings.SplitSeq(list, "|") {
			a := Read(s)
			if a.Verdict == Yes && len(a.Codes) == 0 || a.Span != want {
				t.Errorf("%q: %+v", s, a)
			}
		}
	}
	for s := range strings.SplitSeq("no, always|never, always|always no|no, for 30 minutes|no, this session|不，总是|ne, vždy|nein, immer|нет, всегда|no, siempre|non, toujours|don't, once", "|") {
		if a := Read(s); a.Verdict == Yes || a.Span != "" {
			t.Errorf("%q: %+v", s, a)
		}
	}
}

func TestSpanWithCodes(t *testing.T) {
	for s, want := range map[string]Answer{
		"yes 7F3 always":             {Verdict: Yes, Codes: []string{"7F3"}, Span: loci.GrantAlways},
		"yes, always, 7F3":           {Verdict: Yes, Codes: []string{"7F3"}, Span: loci.GrantAlways},
		"7F3 yes for 30 minutes":     {Verdict: Yes, Codes: []string{"7F3"}, Span: loci.GrantMinutes},
		"yes 7F3 30m":                {Verdict: Yes, Codes: []string{"7F3"}, Span: loci.GrantMinutes},
		"yes 30m 7F3":                {Verdict: Yes, Codes: []string{"7F3"}, Span: loci.GrantMinutes},
		"yes 7F3 and 8K2, session":   {Verdict: Yes, Codes: []string{"7F3", "8K2"}, Span: loci.GrantSession},
		"yes to all, always":         {Verdict: Yes, All: true, Span: loci.GrantAlways},
		"yes to 7F3, just this once": {Verdict: Yes, Codes: []string{"7F3"}, Span: loci.GrantOnce},
		"是 7F3 总是":                   {Verdict: Yes, Codes: []string{"7F3"}, Span: loci.GrantAlways},
		"ano 7F3 vždy":               {Verdict: Yes, Codes: []string{"7F3"}, Span: loci.GrantAlways},
		"no 7F3 always":              {},
		"7F3 always":                 {},
		"yes 7F3 always once":        {},
	} {
		got := Read(s)
		if got.Verdict != want.Verdict || strings.Join(got.Codes, " ") != strings.Join(want.Codes, " ") || got.All != want.All || got.Span != want.Span {
			t.Errorf("%q: %+v, want %+v", s, got, want)
		}
	}
}

// TestSpanIsNoCode: no code that loci makes is a word for a span.
func TestSpanIsNoCode(t *testing.T) {
	known, _ := spanPhrases()
	for phrase := range known {
		if code := codeOf(phrase); code != "" {
			t.Errorf("%q could be the code %s", phrase, code)
		}
	}
}

// TestMatchSpans: a yes holds only for what its question offers.
func TestMatchSpans(t *testing.T) {
	open := func(code string, spans ...loci.GrantSpan) loci.Approval {
		q := asked(code, "run_command", `{}`, "")
		q.State, q.Grants = loci.ApprovalOpen, spans
		q.Expires = loci.Time{Time: loci.Now().AddDate(1, 0, 0)}
		return q
	}
	lasting := open("7F3", loci.GrantSpans("bound")...)
	once := open("8K2", loci.GrantSpans("")...)
	for _, test := range []struct {
		message string
		asked   []loci.Approval
		picked  int
		words   string
	}{
		{"yes, always", []loci.Approval{lasting}, 1, ""},
		{"yes 30m", []loci.Approval{lasting}, 1, ""},
		{"yes, once", []loci.Approval{once}, 1, ""},
		{"yes", []loci.Approval{once}, 1, ""},
		{"yes, always", []loci.Approval{once}, 0, "only"},
		{"yes, for this session", []loci.Approval{once}, 0, "only"},
		{"yes to all, always", []loci.Approval{lasting, once}, 0, "8K2"}, // none of them, so that nothing is agreed to by half
		{"yes to all, once", []loci.Approval{lasting, once}, 2, ""},
		{"yes 7F3 always", []loci.Approval{lasting, once}, 1, ""},
		{"yes, always", []loci.Approval{lasting, once}, 0, "7F3"},
	} {
		picked, words := Match(Read(test.message), test.asked, "en")
		if len(picked) != test.picked || !strings.Contains(words, test.words) || (words == "") != (test.words == "") {
			t.Errorf("%q: %d picked, %q", test.message, len(picked), words)
		}
	}
}
