package replay

import (
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// What of the recorded model's needs is in the requests. Facts are counted as
// messages come and go: those that a request has in common with the one before
// are not looked at again.

// score sums up one run.
type score struct {
	index  *index
	search *search

	shown   []int32   // by fact: messages of the newest request that hold it
	indexed []int32   // by fact: of them, those that hold it in their index of names alone
	indexes int       // messages of the newest request that have such an index
	held    []holding // by message of the newest request
	names   []*names  // by message of the newest request: what its text names, nil before somebody asks
	stands  []int32   // by event, for the request that is scored: one more than the place of the message
	given   []bool    // by fact: an instruction given so far
	next    int       // first message said whose instructions are not given yet
	known   int       // instructions given so far
	visible int       // of them, those shown

	binding share
	whole   tally
	bare    tally // as if no index of names was there
}

// holding is the facts in a message of a request.
type holding struct {
	facts []int32
	index []int32 // of them, those that only its index of names holds
}

func newScore(ix *index) *score {
	n := len(ix.facts)
	s := &score{index: ix, search: newSearch(ix.finder, n), shown: make([]int32, n), indexed: make([]int32, n), given: make([]bool, n)}
	for _, f := range ix.prompted {
		s.shown[f]++
	}
	return s
}

// request scores a request. The first common messages are those of the one
// before.
func (s *score) request(r *run, i int, messages []projection.Message, common int) {
	for _, h := range s.held[min(common, len(s.held)):] {
		s.add(h, -1)
	}
	s.held, s.names = s.held[:min(common, len(s.held))], s.names[:min(common, len(s.names))]
	for k := len(s.held); k < len(messages); k++ {
		h := s.holding(r, &messages[k])
		s.held, s.names = append(s.held, h), append(s.names, nil)
		s.add(h, 1)
	}
	s.give(r.c.requests[i].from)
	s.binding.has += s.visible
	s.binding.of += s.known
	s.needs(r, i, messages)
}

// add takes a message in, or out again.
func (s *score) add(h holding, by int32) {
	for _, f := range h.facts {
		before := s.shown[f] > 0
		s.shown[f] += by
		if after := s.shown[f] > 0; s.given[f] && before != after {
			if after {
				s.visible++
			} else {
				s.visible--
			}
		}
	}
	for _, f := range h.index {
		s.indexed[f] += by
	}
	if h.index != nil {
		s.indexes += int(by)
	}
}

// give takes in the instructions of messages before one.
func (s *score) give(before int) {
	for ; s.next < before; s.next++ {
		for _, f := range s.index.binding[s.next] {
			s.given[f] = true
			s.known++
			if s.shown[f] > 0 {
				s.visible++
			}
		}
	}
}

// holding is the facts in a message: those of what was said where it says just
// that.
func (s *score) holding(r *run, m *projection.Message) holding {
	if i, ok := r.said(m); ok && says(m, r.c.said[i].body) {
		return holding{facts: s.index.of[i]}
	}
	texts := []string{m.Text}
	for _, c := range m.Calls {
		texts = append(texts, c.Name, c.Arguments)
	}
	h := holding{facts: s.search.facts(texts...)}
	if at := r.indexIn(m); at < len(m.Text) {
		texts[0] = m.Text[:at]
		h.index = without(h.facts, s.search.facts(texts...))
	}
	return h
}

// indexIn is where the index of names of a message begins, in bytes: in a block
// behind everything else, in a result that was cut when it arrived behind what is
// left of it. The length of the text if it has none.
func (r *run) indexIn(m *projection.Message) int {
	switch m.Role {
	case projection.RoleUser:
		return summary.IndexAt(m.Text)
	case projection.RoleTool:
		if i, ok := r.said(m); ok {
			if b, ok := r.log[r.seqs[i]-1].Body.(conversation.ToolResult); ok && b.Total > 0 {
				return conversation.MarkerAt(m.Text)
			}
		}
	}
	return len(m.Text)
}

// without is those of facts that are not among others, not nil.
func without(facts, others []int32) []int32 {
	there := map[int32]bool{}
	for _, f := range others {
		there[f] = true
	}
	out := []int32{}
	for _, f := range facts {
		if !there[f] {
			out = append(out, f)
		}
	}
	return out
}

// said is the message said that a message of a request stands for, if it is one.
func (r *run) said(m *projection.Message) (i int, ok bool) {
	if len(m.Events) != 1 {
		return 0, false
	}
	return r.saidAs(m.Events[0])
}

// saidAs is the message said that an event is.
func (r *run) saidAs(seq uint64) (i int, ok bool) {
	if seq == 0 || seq > uint64(len(r.origin)) || r.origin[seq-1] < 0 {
		return 0, false
	}
	return int(r.origin[seq-1]), true
}

// says reports whether a message is what was said, word for word.
func says(m *projection.Message, body conversation.Body) bool {
	switch b := body.(type) {
	case conversation.UserMessage:
		return m.Role == projection.RoleUser && m.Text == b.Text
	case conversation.ToolResult:
		return m.Role == projection.RoleTool && m.Text == b.Text
	case conversation.AssistantMessage:
		if m.Role != projection.RoleAssistant || m.Text != b.Text || len(m.Calls) != len(b.Calls) {
			return false
		}
		for i := range m.Calls {
			if m.Calls[i].Name != b.Calls[i].Name || m.Calls[i].Arguments != b.Calls[i].Arguments {
				return false
			}
		}
		return true
	}
	return false
}

// needs scores what the reply to a request needed.
func (s *score) needs(r *run, i int, messages []projection.Message) {
	one := s.tally(r, i, messages, func(f int32) bool { return s.shown[f] > 0 })
	s.whole.plus(one)
	if s.indexes > 0 {
		one = s.tally(r, i, messages, func(f int32) bool { return s.shown[f] > s.indexed[f] })
	}
	s.bare.plus(one)
}
