package loci

// ChangeKind says what was done to a file or a folder.
type ChangeKind string

// The kinds of changes. What comes back from the trash is created, like a new file.
const (
	ChangeCreated ChangeKind = "created"
	ChangeWritten ChangeKind = "written" // the content of a file became another one
	ChangeMoved   ChangeKind = "moved"
	ChangeDeleted ChangeKind = "deleted"
)

// Change is something that was done to a person's files and can be taken back, as
// long as nobody has changed them since.
type Change struct {
	ID        string     `json:"id"` // in the order of time
	Kind      ChangeKind `json:"kind"`
	Path      string     `json:"path"`             // absolute, without links; of a move where it was
	To        string     `json:"to,omitempty"`     // of a move: where it went
	Thing     string     `json:"thing"`            // file, folder or link
	Bytes     int64      `json:"bytes"`            // of what was there before, or of what was created
	Things    int        `json:"things,omitempty"` // files and folders in a folder
	Time      Time       `json:"time"`
	Principal string     `json:"principal,omitempty"`
	Session   string     `json:"session,omitempty"`
	Turn      string     `json:"turn,omitempty"`
	Call      string     `json:"call,omitempty"`
	Tool      string     `json:"tool,omitempty"`
	// Undoes is the change that this one took back, and Redoes says that that one had
	// itself taken back another. Undone is the change that took this one back.
	Undoes string `json:"undoes,omitempty"`
	Redoes bool   `json:"redoes,omitempty"`
	Undone string `json:"undone,omitempty"`
}

// Stands tells whether a change is one that "the last change" may mean: it was not
// taken back, and is not itself the taking back of another.
func (c Change) Stands() bool { return c.Undone == "" && (c.Undoes == "" || c.Redoes) }

// Undo is where a change can be taken back.
type Undo struct {
	ID   string `json:"id"`
	Href string `json:"href"` // to POST to
}

// Undo tells where what a call changed can be taken back; nil if it changed
// nothing that can.
func (r ToolResult) Undo() *Undo {
	if r.Change == "" {
		return nil
	}
	return &Undo{ID: r.Change, Href: "/api/agent/changes/" + r.Change + "/undo"}
}
