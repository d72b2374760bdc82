package replay

import (
	"slices"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What is lost can be had back where the model can ask for it: some message
// names the event that held it, or its turn, by an id that recall takes, and
// recall gives a text back that holds it.

// recover counts names that a request does not show and that stood in results
// alone before a message: whether each can be had back.
func (s *score) recover(r *run, back *share, before int, messages []projection.Message, lost []int32) {
	if r.policy.Recall && len(lost) > 0 {
		s.stand(messages, len(r.log))
	}
	for _, fact := range lost {
		back.count(r.policy.Recall && slices.ContainsFunc(s.holders(fact, before), func(h int32) bool {
			return s.named(messages, r.seqs[h], r.c.said[h].turn) && s.index.holds(r.recalled(int(h)), fact)
		}))
	}
}

// holders are the messages before one that hold a fact.
func (s *score) holders(fact int32, before int) []int32 {
	holders := s.index.holders[fact]
	n, _ := slices.BinarySearch(holders, int32(before))
	return holders[:n]
}

// stand notes which message of a request stands for each of so many events.
func (s *score) stand(messages []projection.Message, events int) {
	if cap(s.stands) <= events {
		s.stands = make([]int32, 2*events+1)
	}
	s.stands = s.stands[:events+1]
	clear(s.stands)
	for i := range messages {
		for _, seq := range messages[i].Events {
			if seq <= uint64(events) {
				s.stands[seq] = int32(i + 1)
			}
		}
	}
}

// recalled is the text that recall gives back for a message.
func (r *run) recalled(i int) string {
	stored := r.log[r.seqs[i]-1].Body
	if b, ok := stored.(conversation.ToolResult); ok && b.Total > 0 && b.Blob == "" {
		return b.Text[:conversation.MarkerAt(b.Text)] // what was cut is not kept
	}
	return strings.Join(pieces(r.c.said[i].body), "\n")
}

// named reports whether what stands for an event names it: by its number, by its
// turn, or, where a result was cut, by the id of its call, which stands beside it.
func (s *score) named(messages []projection.Message, seq uint64, turn int) bool {
	at := s.stands[seq] - 1
	if at < 0 {
		return false
	}
	m := &messages[at]
	if m.State == projection.StateCapped && m.Overlay == 0 && m.CallID != "" {
		return true
	}
	if s.names[at] == nil {
		s.names[at] = namesIn(m.Text)
	}
	return s.names[at].events.has(int64(seq)) || s.names[at].turns.has(int64(turn))
}
