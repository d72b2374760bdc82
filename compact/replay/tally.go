package replay

import "plimsoll/compact/projection"

// share counts items, and those of them that have a property.
type share struct{ matching, total int }

func (s *share) count(matches bool) {
	s.total++
	if matches {
		s.matching++
	}
}

func (s *share) plus(t share) {
	s.matching += t.matching
	s.total += t.total
}

// tally counts the needs of replies, and those of them that their requests showed. There are two tallies: one of all facts that a
// request shows, and one without the facts that only an index of names shows.
type tally struct {
	references, toolReferences, anchors, written share

	recoverable share    // of the tool references that are not shown: those that recall returns
	debt        float64  // tokens of the messages that hold the references that are not shown
	lookups     []lookup // for all needs that are not shown
}

// lookup is an additional request for a hidden need: a call of recall.
type lookup struct {
	request  float64 // tokens of the request before it
	returned float64 // tokens of recall's result
}

func (t *tally) plus(u tally) {
	t.references.plus(u.references)
	t.toolReferences.plus(u.toolReferences)
	t.anchors.plus(u.anchors)
	t.written.plus(u.written)
	t.recoverable.plus(u.recoverable)
	t.debt += u.debt
	t.lookups = append(t.lookups, u.lookups...)
}

// tally counts the needs of the reply to a request; shows reports whether the request shows a fact.
func (s *score) tally(r *run, i int, messages []projection.Message, shows func(fact int32) bool) tally {
	var t tally
	n := &s.index.needs[i]
	var names, lines []int32 // those that are not shown
	tools := t.countReferences(n.references, shows, &names)
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
	sources := s.lookupMessages(r, names, before)
	for _, m := range sources {
		t.debt += tokens(r.c.messages[m].chars)
	}
	if len(lines) > 0 {
		sources = s.lookupMessages(r, append(names, lines...), before)
	}
	t.lookups = r.lookups(sources)
	return t
}

// countReferences counts references. It appends the facts that are not shown to lost, and returns those of them that only tool
// results contain.
func (t *tally) countReferences(all []reference, shows func(fact int32) bool, lost *[]int32) (tools []int32) {
	for _, ref := range all {
		shown := shows(ref.fact)
		t.references.count(shown)
		if ref.tool {
			t.toolReferences.count(shown)
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
