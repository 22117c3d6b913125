package loci

import "encoding/json"

// Ask is what a person has to agree to before a call may run.
type Ask struct {
	Preview string // what would change: a diff, or the beginning of what would be written
	Reason  string // why it asks
	// Touches names what the call would change, such as the paths of files: two calls
	// that touch the same cannot be agreed to at once, as one changes what the other
	// was previewed from.
	Touches []string
	// Fingerprint identifies the call together with all that the preview was made
	// from. A yes holds only as long as it stays the same.
	Fingerprint string
	// Binding identifies what a lasting yes would hold for: the tool, the real path or
	// the command, and the content; Subject says it in words. They are empty where a
	// yes holds only once.
	Binding string
	Subject string
	Taint   []string // why it asks again, or what the person should know
}

// Approval is a question that waits for a person's answer.
type Approval struct {
	ID        string          `json:"id"`
	Code      string          `json:"code"` // short, to be typed: 7F3
	Session   string          `json:"session"`
	Turn      string          `json:"turn"`
	Call      string          `json:"call"` // id of the call that waits
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Preview   string          `json:"preview"`
	Reason    string          `json:"reason"`
	Taint     string          `json:"taint,omitempty"` // where from outside the session has read
	Question  string          `json:"question"`        // all of it in words, as a chat shows it
	State     ApprovalState   `json:"state"`
	Asked     Time            `json:"asked"`
	Expires   Time            `json:"expires"`
	// Grants are the spans that a yes can be given for.
	Grants []GrantSpan `json:"grants,omitempty"`
	// Asker is whose conversation asks, where it is not that of the reader of a list.
	Asker string `json:"asker,omitempty"`

	Principal   string `json:"-"` // who may answer
	Fingerprint string `json:"-"`
	Binding     string `json:"-"` // see Ask
	Subject     string `json:"-"`
}

// ApprovalState is what became of a question.
type ApprovalState string

// An approval is open until it is answered, expires, or is withdrawn because
// the conversation went another way. A yes is used up when the effect begins; until
// then it can be taken back.
const (
	ApprovalOpen      ApprovalState = "open"
	ApprovalYes       ApprovalState = "yes"
	ApprovalNo        ApprovalState = "no"
	ApprovalExpired   ApprovalState = "expired"
	ApprovalWithdrawn ApprovalState = "withdrawn"
	ApprovalUsed      ApprovalState = "used"
)

// Settlement moves a question from one state to another. It is a Conflict error
// if the question is not in the first one.
type Settlement struct {
	ID       string
	From, To ApprovalState
	By       string // who did it in the place of whom was asked; empty: nobody else
}

// ApprovalAnswered is the payload of EventApprovalAnswered. The payload of
// EventApprovalAsked is the Approval.
type ApprovalAnswered struct {
	ID     string        `json:"id"`
	Code   string        `json:"code"`
	Answer ApprovalState `json:"answer"` // yes, no, expired or withdrawn
}

// Expired tells whether the question's time is over, whether or not that was
// noticed yet.
func (a Approval) Expired() bool { return !Now().Before(a.Expires.Time) }

// Waiting is a turn that has stopped at questions. It goes on when all of them
// are answered, in this process or in a later one.
type Waiting struct {
	Session string
	Turn    string
	Node    string          // the node that shows the questions
	State   json.RawMessage // what the engine needs to go on
	// Approvals are the questions, in the order of their calls. To store a turn
	// that waits already, only new ones are given.
	Approvals []Approval
}

// Open are the questions that still wait for an answer.
func (w Waiting) Open() []Approval {
	return w.those(func(a Approval) bool { return a.State == ApprovalOpen && !a.Expired() })
}

// Undone are the questions whose calls can still be kept from running: the open
// ones, and those with a yes that is not used.
func (w Waiting) Undone() []Approval {
	return w.those(func(a Approval) bool { return a.State == ApprovalOpen || a.State == ApprovalYes })
}

func (w Waiting) those(fit func(Approval) bool) []Approval {
	var found []Approval
	for _, a := range w.Approvals {
		if fit(a) {
			found = append(found, a)
		}
	}
	return found
}
