package loci

// Origin says that something in a person's folders has come from outside, by way of
// loci: who reads it, reads what others may have written.
type Origin struct {
	Path string `json:"path"` // real: absolute, without links
	// Source is what became of it, in words that go on from the name, such as "written
	// after reading web page.example".
	Source string `json:"source"`
	// Whole says of a folder that all that is in it counts, and not its name alone.
	Whole     bool   `json:"whole,omitempty"`
	Principal string `json:"principal,omitempty"` // in whose conversation it was
	Session   string `json:"session,omitempty"`
	Time      Time   `json:"time"`
}
