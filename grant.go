package loci

// GrantSpan is for how long a yes holds.
type GrantSpan string

// The spans. Once is a yes to the very call that was asked about; the others hold
// for calls that would do the same to the same thing.
const (
	GrantOnce    GrantSpan = "once"
	GrantMinutes GrantSpan = "30m"
	GrantSession GrantSpan = "session"
	GrantAlways  GrantSpan = "always"
)

// GrantSpans are those that a yes can be given for, by what a lasting one would hold
// for: what is bound to nothing that could come again is for once.
func GrantSpans(binding string) []GrantSpan {
	if binding == "" {
		return []GrantSpan{GrantOnce}
	}
	return []GrantSpan{GrantOnce, GrantMinutes, GrantSession, GrantAlways}
}

// Grant is a yes that is remembered.
type Grant struct {
	ID        string    `json:"id"`
	Principal string    `json:"-"`
	Session   string    `json:"session,omitempty"` // of GrantSession: the one it holds in
	Approval  string    `json:"approval"`
	Tool      string    `json:"tool"`
	Subject   string    `json:"subject"` // what it is for, in words: a path, or a command
	Span      GrantSpan `json:"grant"`
	Given     Time      `json:"given"`
	Expires   *Time     `json:"expires,omitempty"` // nil: when it is taken back
	Used      int       `json:"used"`              // how often it has let a call through
	// Asker is whose it is, where that is somebody whom the reader answers for.
	Asker string `json:"asker,omitempty"`
	By    string `json:"-"` // who gave it in the principal's place; empty: nobody else
	// Binding identifies the tool, what it works on and with what content; see
	// Ask.Binding.
	Binding string `json:"-"`
}
