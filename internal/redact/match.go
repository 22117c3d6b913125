package redact

import (
	"cmp"
	"slices"
	"strings"
)

// matcher finds any of many words in one pass over a text (A. V. Aho and M. J.
// Corasick, Efficient string matching, 1975).
type matcher struct {
	nodes []node
	root  [256]int32 // the node after one byte; 0: none
}

// node is a beginning of a word. Node 0 is the empty one.
type node struct {
	child  int32 // the first of its continuations; 0: none
	next   int32 // the next continuation of the same beginning; 0: none
	fail   int32 // the longest other beginning that it ends with
	depth  int32 // its length in bytes
	match  int32 // the length of the longest word that it ends with; 0: none
	hold   int32 // the length of the longest beginning it ends with that can go on
	letter byte  // its last
}

// newMatcher makes a matcher for words that are not empty.
func newMatcher(words []string) *matcher {
	m := &matcher{nodes: make([]node, 1)}
	for _, w := range words {
		m.add(w)
	}
	for c := m.nodes[0].child; c != 0; c = m.nodes[c].next {
		m.root[m.nodes[c].letter] = c
	}
	m.link()
	return m
}

func (m *matcher) add(word string) {
	at := int32(0)
	for i := range len(word) {
		c := m.nodes[at].child
		for c != 0 && m.nodes[c].letter != word[i] {
			c = m.nodes[c].next
		}
		if c == 0 {
			c = int32(len(m.nodes))
			m.nodes = append(m.nodes, node{next: m.nodes[at].child, depth: int32(i + 1), letter: word[i]})
			m.nodes[at].child = c
		}
		at = c
	}
	m.nodes[at].match = int32(len(word))
}

// link finds, shorter beginnings first, where to go on when a word does not.
func (m *matcher) link() {
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for c := m.nodes[at].child; c != 0; c = m.nodes[c].next {
			if at != 0 {
				m.nodes[c].fail = m.step(m.nodes[at].fail, m.nodes[c].letter)
			}
			if m.nodes[c].match == 0 {
				m.nodes[c].match = m.nodes[m.nodes[c].fail].match
			}
			m.nodes[c].hold = m.nodes[c].depth
			if m.nodes[c].child == 0 {
				m.nodes[c].hold = m.nodes[m.nodes[c].fail].hold
			}
			queue = append(queue, c)
		}
	}
}

// step gives the node after one more byte: the longest beginning of a word that
// the text so far ends with.
func (m *matcher) step(at int32, b byte) int32 {
	for at != 0 {
		for c := m.nodes[at].child; c != 0; c = m.nodes[c].next {
			if m.nodes[c].letter == b {
				return c
			}
		}
		at = m.nodes[at].fail
	}
	return m.root[b]
}

// find appends the parts of a text that are words, in order; those that overlap
// or touch are one. What stands before an ellipsis counts if it is the beginning
// of a word: a text that was cut for an error may end in half a key.
func (m *matcher) find(s string, found []span) []span {
	if m == nil {
		return found
	}
	at := int32(0)
	for i := range len(s) {
		if at != 0 && (s[i] == '.' || s[i] == ellipsis[0]) && m.nodes[at].depth >= Shortest && cutAt(s[i:]) {
			found = join(found, span{i - int(m.nodes[at].depth), i})
		}
		at = m.step(at, s[i])
		if n := int(m.nodes[at].match); n > 0 {
			found = join(found, span{i + 1 - n, i + 1})
		}
	}
	return found
}

const ellipsis = "…"

// cutAt tells whether a text begins with the mark of a cut.
func cutAt(s string) bool { return strings.HasPrefix(s, ellipsis) || strings.HasPrefix(s, "...") }

// join appends a part that ends behind all others, and takes in those that it
// overlaps.
func join(found []span, p span) []span {
	for len(found) > 0 && found[len(found)-1].to >= p.from {
		p.from = min(p.from, found[len(found)-1].from)
		found = found[:len(found)-1]
	}
	return append(found, p)
}

// merge puts parts in order and makes one of those that overlap.
func merge(parts []span) []span {
	slices.SortFunc(parts, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	kept := parts[:1]
	for _, p := range parts[1:] {
		if last := &kept[len(kept)-1]; p.from <= last.to {
			last.to = max(last.to, p.to)
		} else {
			kept = append(kept, p)
		}
	}
	return kept
}
