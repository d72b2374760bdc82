package replay

import (
	"slices"

	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// What of the recorded model's needs is in the requests. Facts are counted as
// messages come and go: those that a request has in common with the one before
// are not looked at again.

// score sums up one run.
type score struct {
	index *index

	shown      []int32                   // by fact: messages of the newest request that hold it
	indexed    []int32                   // by fact: of them, those that hold it in their index of names alone
	indexes    int                       // messages of the newest request that have such an index
	perMessage []messageFacts            // by message of the newest request
	ids        [][]conversation.RecallID // by message of the newest request: those in its text, nil before somebody asks
	next       int                       // first message said whose instructions are not given yet
	given      []int32                   // instructions given so far

	instructions share
	full         tally
	withoutIndex tally // as if no index of names was there
}

// messageFacts is the facts in a message of a request.
type messageFacts struct {
	facts []int32
	index []int32 // of them, those that only its index of names holds
}

func newScore(ix *index) *score {
	n := len(ix.facts)
	s := &score{index: ix, shown: make([]int32, n), indexed: make([]int32, n)}
	for _, f := range ix.prompted {
		s.shown[f]++
	}
	return s
}

// request scores a request. The first common messages are those of the one
// before.
func (s *score) request(r *run, i int, messages []projection.Message, common int) {
	for _, h := range s.perMessage[min(common, len(s.perMessage)):] {
		s.count(h, -1)
	}
	s.perMessage, s.ids = s.perMessage[:min(common, len(s.perMessage))], s.ids[:min(common, len(s.ids))]
	for k := len(s.perMessage); k < len(messages); k++ {
		h := s.factsIn(r, &messages[k])
		s.perMessage, s.ids = append(s.perMessage, h), append(s.ids, nil)
		s.count(h, 1)
	}
	for ; s.next < r.c.requests[i].from; s.next++ {
		s.given = append(s.given, s.index.instructions[s.next]...)
	}
	for _, f := range s.given {
		s.instructions.count(s.shown[f] > 0)
	}
	s.scoreNeeds(r, i, messages)
}

// count takes a message in, or out again.
func (s *score) count(h messageFacts, by int32) {
	for _, f := range h.facts {
		s.shown[f] += by
	}
	for _, f := range h.index {
		s.indexed[f] += by
	}
	if h.index != nil {
		s.indexes += int(by)
	}
}

// factsIn is the facts in a message: those of what was said where it says just
// that.
func (s *score) factsIn(r *run, m *projection.Message) messageFacts {
	if i, ok := r.messageIndex(m); ok && repeatsMessage(m, r.c.messages[i].body) {
		return messageFacts{facts: s.index.inMessage[i]}
	}
	texts := []string{m.Text}
	for _, c := range m.Calls {
		texts = append(texts, c.Name, c.Arguments)
	}
	h := messageFacts{facts: s.index.finder.find(texts...)}
	if at := r.indexIn(m); at < len(m.Text) {
		texts[0] = m.Text[:at]
		h.index = without(h.facts, s.index.finder.find(texts...))
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
		if i, ok := r.messageIndex(m); ok {
			if b, ok := r.log[r.seqs[i]-1].Body.(conversation.ToolResult); ok && b.Total > 0 {
				return conversation.CutMarkerAt(m.Text)
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
	return slices.DeleteFunc(append([]int32{}, facts...), func(f int32) bool { return there[f] })
}

// messageIndex is the message said that a message of a request stands for, if it is one.
func (r *run) messageIndex(m *projection.Message) (i int, ok bool) {
	if len(m.Events) != 1 {
		return 0, false
	}
	seq := m.Events[0]
	if seq == 0 || seq > uint64(len(r.origin)) || r.origin[seq-1] < 0 {
		return 0, false
	}
	return int(r.origin[seq-1]), true
}

// repeatsMessage reports whether a message is what was said, word for word.
func repeatsMessage(m *projection.Message, body conversation.Body) bool {
	switch b := body.(type) {
	case conversation.UserMessage:
		return m.Role == projection.RoleUser && m.Text == b.Text
	case conversation.ToolResult:
		return m.Role == projection.RoleTool && m.Text == b.Text
	case conversation.AssistantMessage:
		return m.Role == projection.RoleAssistant && m.Text == b.Text && slices.EqualFunc(m.Calls, b.Calls, func(x, y conversation.ToolCall) bool {
			return x.Name == y.Name && x.Arguments == y.Arguments
		})
	}
	return false
}

// scoreNeeds scores what the reply to a request needed.
func (s *score) scoreNeeds(r *run, i int, messages []projection.Message) {
	one := s.tally(r, i, messages, func(f int32) bool { return s.shown[f] > 0 })
	s.full.plus(one)
	if s.indexes > 0 {
		one = s.tally(r, i, messages, func(f int32) bool { return s.shown[f] > s.indexed[f] })
	}
	s.withoutIndex.plus(one)
}
