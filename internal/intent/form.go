package intent

// form is a pattern with words that it fits. A test holds it to them.
type form struct {
	pattern

	example string
}

// forms makes forms of patterns, each with its example after it.
func forms(pairs ...string) []form {
	all := make([]form, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, form{newPattern(pairs[i]), pairs[i+1]})
	}
	return all
}
