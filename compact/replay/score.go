package replay

import (
	"slices"

	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// The score counts how many of the recorded model's needs the requests contain. It keeps a count of messages for each fact and
// updates it from request to request: only messages after the common prefix are searched.

// score is the score of one run.
type score struct {
	index *index

	shown      []int32                   // by fact: number of messages of the newest request with it
	indexed    []int32                   // by fact: number of those that have it only in their index of names
	indexes    int                       // messages of the newest request with such an index
	perMessage []messageFacts            // by message of the newest request
	ids        [][]conversation.RecallID // by message of the newest request: the recall ids in its text, nil until they are needed
	refused    bool                      // the newest request is above the window, so nothing in it counts; false if everything is sent
	next       int                       // first recorded message that is not in binding
	binding    binding                   // what the messages so far oblige later replies to

	needs tally
}

type messageFacts struct {
	facts []int32
	index []int32 // those that occur only in its index of names; nil if it has no index
}

func newScore(ix *index) *score {
	n := len(ix.facts)
	s := &score{index: ix, shown: make([]int32, n), indexed: make([]int32, n)}
	for _, f := range ix.inPrompt {
		s.shown[f]++
	}
	return s
}

// scoreRequest scores a request. common is how many of its first messages equal those of the previous request.
func (s *score) scoreRequest(r *run, i int, messages []projection.Message, common int) {
	for _, h := range s.perMessage[min(common, len(s.perMessage)):] {
		s.addFacts(h, -1)
	}
	s.perMessage, s.ids = s.perMessage[:min(common, len(s.perMessage))], s.ids[:min(common, len(s.ids))]
	for k := len(s.perMessage); k < len(messages); k++ {
		h := s.factsIn(r, &messages[k])
		s.perMessage, s.ids = append(s.perMessage, h), append(s.ids, nil)
		s.addFacts(h, 1)
	}
	for ; s.next < r.c.requests[i].from; s.next++ {
		s.binding.add(s.index.binding[s.next])
	}
	s.refused = r.overflowed && (r.policy.Decide != nil || r.policy.Transform != nil)
	s.countNeeds(r, i, messages, s.countBinding())
}

// addFacts adds by, 1 or -1, to the counts of the facts of a message.
func (s *score) addFacts(h messageFacts, by int32) {
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

// factsIn finds the facts in a message. For a recorded message that is sent unchanged they are known.
func (s *score) factsIn(r *run, m *projection.Message) messageFacts {
	texts := textsOf(m.Text, m.Calls)
	if i, ok := r.messageIndex(m); ok && slices.Equal(texts, searchTexts(r.c.messages[i].body)) {
		return messageFacts{facts: s.index.inMessage[i]}
	}
	h := messageFacts{facts: s.index.finder.find(texts...)}
	if at := r.indexOffset(m); at < len(m.Text) {
		texts[0] = m.Text[:at]
		h.index = without(h.facts, s.index.finder.find(texts...))
	}
	return h
}

func textsOf(text string, calls []conversation.ToolCall) []string {
	texts := []string{text}
	for _, c := range calls {
		texts = append(texts, c.Name, c.Arguments)
	}
	return texts
}

// indexOffset returns the byte at which the index of names of a message begins. In a note or summary the index is at the
// end, in a cut tool result after the rest of its text. Without an index it returns the length of the text.
func (r *run) indexOffset(m *projection.Message) int {
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

// without returns the facts that are not among others. It never returns nil.
func without(facts, others []int32) []int32 {
	excluded := map[int32]bool{}
	for _, f := range others {
		excluded[f] = true
	}
	return slices.DeleteFunc(append([]int32{}, facts...), func(f int32) bool { return excluded[f] })
}

// messageIndex returns the index of the recorded message that a message of a request contains or replaces, if it is exactly one.
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
