package receipt

import "loci"

// found is the first part that is another than before.
type found struct {
	index int
	label string
}

// compare finds where a prompt stops to begin as the one before, and how many of
// its bytes that one did not have anywhere. A prompt that only goes on, or ends
// earlier, does not break.
func compare(before, now loci.Sent) (broke *found, fresh, total int) {
	old, all := pieces(before), pieces(now)
	had := make(map[loci.Part]int, len(old))
	for _, p := range old {
		had[p.Part]++
	}
	reply := -1 // what the model wrote itself is not new to it
	if answered(before, now) {
		reply = len(all) - len(now.Messages) + len(before.Messages)
	}
	for i, p := range all {
		total += p.Size
		if broke == nil && i < len(old) && p.Part != old[i].Part {
			broke = &found{i, p.label}
		}
		if had[p.Part] > 0 {
			had[p.Part]--
		} else if i != reply {
			fresh += p.Size
		}
	}
	return broke, fresh, total
}

// answered tells whether a prompt has the reply to the one before.
func answered(before, now loci.Sent) bool {
	n := len(before.Messages)
	return len(now.Messages) > n && now.Messages[n].Name == string(loci.Assistant)
}

// same is how many bytes two texts begin with alike.
func same(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
