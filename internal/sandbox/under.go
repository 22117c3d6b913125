package sandbox

import "slices"

// Under gives the rules of somebody within those of the owner: what is closed, may not
// be changed or comes from others for the owner is so for everybody, and nobody is
// given more than the owner has where the owner's rules say something. What they set
// free for the owner is not free for others.
func (rs Rules) Under(owner Rules) Rules {
	owner = owner.real()
	var found Rules
	for _, r := range rs.real() {
		if access := owner.at(r.Path).Access; owner.say(r.Path) && rank(access) < rank(r.Access) {
			r.Access = access
		}
		r.Outside = r.Outside || owner.foreign(r.Path) != ""
		found = append(found, r)
	}
	for _, r := range owner {
		if r.Access == Never || r.Access == ReadOnly || r.Outside {
			if r.Access == Free {
				r.Access = AskFirst
			}
			found = append(found, r)
		}
	}
	return found
}

// say tells whether one of real rules is about a real path.
func (rs Rules) say(path string) bool {
	return slices.ContainsFunc(rs, func(r Rule) bool { return insideFolded(path, r.Path) })
}
