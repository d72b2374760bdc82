package replay

import (
	"plimsoll/compact"
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
	held    [][]int32 // by message of the newest request: the facts in it
	names   []*names  // by message of the newest request: what its text names, nil before somebody asks
	stands  []int32   // by event, for the request that is scored: one more than the place of the message
	given   []bool    // by fact: an instruction given so far
	next    int       // first message said whose instructions are not given yet
	known   int       // instructions given so far
	visible int       // of them, those shown

	all, tool, anchors, written, binding share
	lost                                 share // references to results alone that are not shown: those that recall gives back
	debt                                 float64
}

// share is how many of some things have a property.
type share struct{ has, of int }

func (s *share) count(has bool) {
	s.of++
	if has {
		s.has++
	}
}

func newScore(ix *index) *score {
	s := &score{index: ix, search: newSearch(ix.finder, len(ix.facts)), shown: make([]int32, len(ix.facts)), given: make([]bool, len(ix.facts))}
	for _, f := range ix.prompted {
		s.shown[f]++
	}
	return s
}

// request scores a request. The first common messages are those of the one
// before.
func (s *score) request(r *run, i int, messages []compact.Message, common int) {
	for _, facts := range s.held[min(common, len(s.held)):] {
		for _, f := range facts {
			s.add(f, -1)
		}
	}
	s.held, s.names = s.held[:min(common, len(s.held))], s.names[:min(common, len(s.names))]
	for k := len(s.held); k < len(messages); k++ {
		facts := s.factsIn(r, &messages[k])
		s.held, s.names = append(s.held, facts), append(s.names, nil)
		for _, f := range facts {
			s.add(f, 1)
		}
	}
	s.give(r.c.requests[i].from)
	s.binding.has += s.visible
	s.binding.of += s.known
	s.needs(r, i, messages)
}

func (s *score) add(f, by int32) {
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

// factsIn is the facts in a message: those of what was said where it says just
// that.
func (s *score) factsIn(r *run, m *compact.Message) []int32 {
	if i, ok := r.said(m); ok && says(m, r.c.said[i].body) {
		return s.index.of[i]
	}
	texts := []string{m.Text}
	for _, c := range m.Calls {
		texts = append(texts, c.Name, c.Arguments)
	}
	return s.search.facts(texts...)
}

// said is the message said that a message of a request stands for, if it is one.
func (r *run) said(m *compact.Message) (i int, ok bool) {
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
func says(m *compact.Message, body conversation.Body) bool {
	switch b := body.(type) {
	case conversation.UserMessage:
		return m.Role == compact.RoleUser && m.Text == b.Text
	case conversation.ToolResult:
		return m.Role == compact.RoleTool && m.Text == b.Text
	case conversation.AssistantMessage:
		if m.Role != compact.RoleAssistant || m.Text != b.Text || len(m.Calls) != len(b.Calls) {
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
func (s *score) needs(r *run, i int, messages []compact.Message) {
	n := &s.index.needs[i]
	var lost []reference
	for _, ref := range n.references {
		shown := s.shown[ref.fact] > 0
		s.all.count(shown)
		if ref.tool {
			s.tool.count(shown)
		}
		if !shown {
			lost = append(lost, ref)
		}
	}
	for _, facts := range n.anchors {
		all := true
		for _, f := range facts {
			all = all && s.shown[f] > 0
		}
		s.anchors.count(all)
	}
	for _, f := range n.written {
		s.written.count(s.shown[f] > 0)
	}
	if len(lost) > 0 {
		s.recover(r, i, messages, lost)
	}
}
