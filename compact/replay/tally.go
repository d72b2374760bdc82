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

// missing returns the share without the property.
func (s share) missing() Ratio { return ratio(float64(s.total-s.matching), float64(s.total)) }

// tally counts the needs of replies, and those of them that their requests showed.
type tally struct {
	references, toolReferences, anchors, written share
	toolInPlace                                  share // of the tool references: those that more than an index of names shows
	instructions                                 share
	silent                                       share // of what binds later replies, and whose loss nothing tells: see binding.go
	served                                       share // replies with all needs in place

	recoverable share    // of the tool references that are not in place: those that recall returns
	lookups     []lookup // for all needs that are not in place
}

// lookup is an additional request for a need that is not in place: a call of recall.
type lookup struct {
	request  float64 // tokens of the request before it
	returned float64 // tokens of recall's result
}

func (t *tally) plus(u tally) {
	t.references.plus(u.references)
	t.toolReferences.plus(u.toolReferences)
	t.toolInPlace.plus(u.toolInPlace)
	t.anchors.plus(u.anchors)
	t.written.plus(u.written)
	t.instructions.plus(u.instructions)
	t.silent.plus(u.silent)
	t.served.plus(u.served)
	t.recoverable.plus(u.recoverable)
	t.lookups = append(t.lookups, u.lookups...)
}

func (s *score) shows(fact int32) bool { return !s.refused && s.shown[fact] > 0 }

// inPlace reports whether more than an index of names shows a fact.
func (s *score) inPlace(fact int32) bool { return !s.refused && s.shown[fact] > s.indexed[fact] }

// countNeeds counts the needs of the reply to a request. demands went out of view with it; each is looked up once.
func (s *score) countNeeds(r *run, i int, messages []projection.Message, demands []int32) {
	t, n := &s.needs, &s.index.needs[i]
	var owed, tools []int32 // facts that are not in place, and tool references among them
	for _, ref := range n.references {
		shown := s.shows(ref.fact)
		t.references.count(shown)
		if ref.tool {
			t.toolReferences.count(shown)
			inPlace := s.inPlace(ref.fact)
			t.toolInPlace.count(inPlace)
			if !inPlace {
				tools = append(tools, ref.fact)
			}
		}
		if !s.inPlace(ref.fact) {
			owed = append(owed, ref.fact)
		}
	}
	for _, facts := range n.anchors {
		before := len(owed)
		for _, f := range facts {
			if !s.shows(f) {
				owed = append(owed, f)
			}
		}
		t.anchors.count(len(owed) == before)
	}
	for _, f := range n.written {
		if t.written.count(s.shows(f)); !s.shows(f) {
			owed = append(owed, f)
		}
	}
	t.served.count(len(owed) == 0 && !s.refused)
	if owed = append(owed, demands...); len(owed) == 0 {
		return
	}
	before := r.c.requests[i].from
	if !s.refused {
		s.countRecoverable(r, &t.recoverable, before, messages, tools)
	}
	t.lookups = append(t.lookups, r.lookups(s.lookupMessages(r, owed, before))...)
}
