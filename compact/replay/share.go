package replay

// share is how many of some things have a property.
type share struct{ has, of int }

func (s *share) count(has bool) {
	s.of++
	if has {
		s.has++
	}
}

func (s *share) plus(t share) {
	s.has += t.has
	s.of += t.of
}

// tally is such counts, of one request or of many.
type tally struct {
	all, tool, anchors, written share
	lost                        share    // references to results alone that are not shown: those that recall gives back
	debt                        float64  // tokens of what holds the references that are not shown
	lookups                     []lookup // of all that is not shown
}

func (t *tally) plus(u tally) {
	t.all.plus(u.all)
	t.tool.plus(u.tool)
	t.anchors.plus(u.anchors)
	t.written.plus(u.written)
	t.lost.plus(u.lost)
	t.debt += u.debt
	t.lookups = append(t.lookups, u.lookups...)
}

// lookup is a request more that a reply would have taken.
type lookup struct {
	request float64 // tokens of the request before it
	given   float64 // tokens that it gives back
}
