package replay

import "plimsoll/compact/projection"

// What one reply needed, and what of that a request showed. It is counted twice:
// with all that a request shows, and without its indexes of names.

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
		shown := shows(f)
		if t.written.count(shown); !shown {
			lines = append(lines, f)
		}
	}
	if len(names)+len(lines) == 0 {
		return t
	}
	before := r.c.requests[i].from
	s.recover(r, &t.lost, before, messages, tools)
	owed := s.owed(r, names, before)
	for _, m := range owed {
		t.debt += tokens(r.c.said[m].chars)
	}
	if len(lines) > 0 {
		owed = s.owed(r, append(names, lines...), before)
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
