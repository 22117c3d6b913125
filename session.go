package loci

import "slices"

// Principal is who is asking: a key plus, where a chat server forwards it, the
// user behind that key. Sessions, memory and grants belong to a principal.
type Principal struct {
	ID    string `json:"id"`    // stable; "owner" for the person who runs loci
	Name  string `json:"name"`  // how to call the person; may be empty
	Owner bool   `json:"owner"` // the person who runs loci
	Email string `json:"email,omitempty"`
	// Rights are what the key allows. An owner without a list has all of them.
	Rights []Right `json:"rights,omitempty"`
	// By is who acts in this principal's place; empty: nobody but itself.
	By string `json:"-"`
}

// Right is something that a key can allow.
type Right string

// The rights. They do not include each other.
const (
	RightChat       Right = "chat"        // talk to models
	RightReadTools  Right = "tools:read"  // have tools look at things
	RightWriteTools Right = "tools:write" // have tools change things, each after a yes
	RightApprove    Right = "approve"     // give that yes
	RightAdmin      Right = "admin"       // everything else: sessions, keys, the audit log
)

// May tells whether a principal has a right.
func (p Principal) May(r Right) bool {
	return p.Owner && p.Rights == nil || slices.Contains(p.Rights, r)
}

// Scope is on whose behalf, and where, a tool runs.
type Scope struct {
	Principal Principal
	Session   string
	Turn      string
	Folders   []string // absolute paths of the folders that may be looked into
	Working   string   // where relative paths start; empty: the first folder
	Page      int      // characters of a page of text that the model's window has room for; 0: any number
	Lang      string   // language of the person's words: "en", "zh" or "cs"
	Model     string   // the session's, for tools that ask one; empty: the default
	// Taint is what the session has read from outside, such as "web example.org";
	// Said is the person's own words in it, newest last.
	Taint []string
	Said  []string
}

// Session is one conversation.
type Session struct {
	ID        string `json:"id"`
	Principal string `json:"principal"`
	Thread    string `json:"thread,omitempty"` // the client's own id of the conversation
	Model     string `json:"model"`
	Title     string `json:"title,omitempty"`
	// Tier, Markup, System, ClientSystem and Tools are frozen when the session starts,
	// so that the prompt's first bytes never change. Folders grows when the
	// person allows one more for this session.
	Tier         Tier   `json:"tier"`
	Markup       Markup `json:"dialect,omitempty"` // how the model was taught to write calls, in the text tier
	System       string `json:"-"`
	ClientSystem string `json:"-"`
	Layout       []Span `json:"-"` // the sections of System
	Sent         Sent   `json:"-"` // what the model was last sent
	// Tools are ours as the model is sent them; in the text tier, where System
	// describes them, they have names only.
	Tools []ToolSpec `json:"-"`
	// ClientTools are the tools that the client runs itself, as the model is
	// offered them, and find_tool behind them where the model may search for more.
	// They are frozen too.
	ClientTools []ToolSpec `json:"-"`
	Folders     []string   `json:"folders,omitempty"`
	Working     string     `json:"working,omitempty"` // where relative paths start; empty: as configured
	// Taint is where from outside the conversation has read, in the order of reading:
	// once something is in it, it stays.
	Taint []string `json:"taint,omitempty"`
	Base  string   `json:"-"` // first node that is still sent; empty: the root
	// Digested is the last node of which long parts are sent in short; empty: none.
	Digested string `json:"-"`
	Head     string `json:"-"` // newest node
	Created  Time   `json:"created"`
	Updated  Time   `json:"updated"`
}

// Span is a named part of a text: so many bytes after the one before it and
// what separates the two.
type Span struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Sent is what a model was last sent in a session. It is not the text, only what
// it takes to find out at the next call what has moved.
type Sent struct {
	Model    string `json:"model,omitempty"`
	System   []Part `json:"system,omitempty"`   // section by section
	Tools    *Part  `json:"tools,omitempty"`    // those that were offered natively
	Messages []Part `json:"messages,omitempty"` // after the system block; a part's name is the role
	Prompt   int    `json:"prompt,omitempty"`   // tokens; 0 where the server did not tell
	Reply    int    `json:"reply,omitempty"`    // tokens that came of it and are part of the next prompt
	// Strays is how many calls in a row were evaluated as if the tools had moved.
	Strays int `json:"strays,omitempty"`
}

// Part is a piece of what was sent, by which it is known again.
type Part struct {
	Name string `json:"n"`
	Size int    `json:"s"` // bytes
	Hash uint64 `json:"h"`
}

// Node is one message in a session's transcript, which is a tree: editing or
// regenerating a reply starts a new branch at its parent.
//
// A node has two sides. Shown is what the client saw, or nil for the steps in
// between that no client sees. Sent is exactly what the model was or will be
// sent for it, volatile tail included; it never changes once written. What does not
// fit the model's window is cut on the way, always at the same place. Unsent
// nodes are between the client and loci alone, such as a question and its
// answer: the model never reads them, and Sent only tells whose words they are.
type Node struct {
	ID      string
	Session string
	Parent  string // empty at the root
	Turn    string
	Shown   *string
	Sent    Message
	Unsent  bool
	// PathHash identifies the shown messages from the root to here, TextHash
	// this one alone; both are zero where Shown is nil. See package transcript.
	PathHash [32]byte
	TextHash [32]byte
	Created  Time
}

// Draft is what a running turn has said so far. It is stored now and then, so
// that little of it is lost if the program stops without warning.
type Draft struct {
	Principal string // whose session it is; set by the store
	Session   string
	Turn      string
	Text      string
	Reasoning string
}

// Batch is what is stored in one transaction. Store gives the events their
// sequence numbers, in order.
type Batch struct {
	Session *Session // inserted or updated; nil: only the session's Head moves to the last node
	Nodes   []Node
	Events  []*Event // all of one session
	// Settle changes the states of questions, Waiting parks the batch's turn at some,
	// and Resume is the turn whose waiting is over. A batch with one of these is on
	// the disk when it is saved.
	Settle  []Settlement
	Waiting *Waiting
	Resume  string
	Grants  []Grant // yeses to be remembered
	// Audit are records for the audit log; those of Settle are made by the store. They
	// are on the disk too.
	Audit []AuditRecord
}

// TurnRequest is what a door hands to the engine.
type TurnRequest struct {
	Request   string // id of the request that brought it, for the log
	Principal Principal
	Session   string // a session id; empty: find it
	Thread    string // the client's id of the conversation; may be empty
	Model     string // empty: the default model
	System    string // the client's own system message
	// Resent says that the client sends the whole conversation each time.
	// History is then that conversation before Message; otherwise it is empty
	// and the session's own transcript counts.
	Resent  bool
	History []Message
	// Message is what the person says. A client that was handed calls sends their
	// Results instead.
	Message Message
	Results []Message
	Tools   []ToolSpec // what the client can run itself
	// ToolChoice is what the client wants of its tools.
	ToolChoice ToolChoice
	Options    Options
	Folders    []string // more folders to allow in this session; owner only
	Working    string   // where relative paths start in a new session; owner only
}
