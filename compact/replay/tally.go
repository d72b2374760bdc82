package replay

import "plimsoll/compact/projection"

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

// tally is what replies needed, and what of that their requests showed. It is counted
// twice: with all that a request shows, and without its indexes of names.
type tally struct {
	all, tool, anchors, written share
	recoverable                 share    // references to results alone that are not shown: those that recall gives back
	debt                        float64  // tokens of what holds the references that are not shown
	lookups                     []lookup // of all that is not shown
}

// lookup is a request more that a reply would have taken.
type lookup struct {
	request  float64 // tokens of the request before it
	returned float64 // tokens that it gives back
}

func (t *tally) plus(u tally) {
	t.all.plus(u.all)
	t.tool.plus(u.tool)
	t.anchors.plus(u.anchors)
	t.written.plus(u.written)
	t.recoverable.plus(u.recoverable)
	t.debt += u.debt
	t.lookups = append(t.lookups, u.lookups...)
}

// tally counts what the reply to a request needed, shown as shows says.
func (s *score) tally(r *run, i int, messages []projection.Message, shows func(fact int32) bool) tally {
	var t tally
	n := &s.index.needs[i]
	var names, lines []int32 // that are not shown
	tools := t.references(n.references, shows, &names)
	for _, facts := range n.anchors {
		before := len(lines)
		for _, f := range facts {
			if !shows(f) {
				lines = append(lines, f)
			}
		}
		t.anchors.count(len(lines) == before)
	}
	for _, f := range n.written {
		if t.written.count(shows(f)); !shows(f) {
			lines = append(lines, f)
		}
	}
	if len(names)+len(lines) == 0 {
		return t
	}
	before := r.c.requests[i].from
	s.countRecoverable(r, &t.recoverable, before, messages, tools)
	owed := s.lookupMessages(r, names, before)
	for _, m := range owed {
		t.debt += tokens(r.c.messages[m].chars)
	}
	if len(lines) > 0 {
		owed = s.lookupMessages(r, append(names, lines...), before)
	}
	t.lookups = r.lookups(owed)
	return t
}

// references counts names. It adds those that are not shown to lost, and gives
// those of them that stood in results alone.
func (t *tally) references(all []reference, shows func(fact int32) bool, lost *[]int32) (tools []int32) {
	for _, ref := range all {
		shown := shows(ref.fact)
		t.all.count(shown)
		if ref.tool {
			t.tool.count(shown)
		}
		if shown {
			continue
		}
		*lost = append(*lost, ref.fact)
		if ref.tool {
			tools = append(tools, ref.fact)
		}
	}
	return tools
}
