package replay

import (
	"slices"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// countRecoverable counts names that a request does not show and that stood in results alone
// before a message: whether each can be had back. It can where the model may ask for
// it, a message names the event that held it, or its turn, by an id that recall takes,
// and recall gives a text back that holds it.
func (s *score) countRecoverable(r *run, back *share, before int, messages []projection.Message, lost []int32) {
	standing := map[uint64]int{} // by event: the message that stands for it
	if r.policy.HasRecall && len(lost) > 0 {
		for i := range messages {
			for _, seq := range messages[i].Events {
				standing[seq] = i
			}
		}
	}
	for _, fact := range lost {
		back.count(slices.ContainsFunc(s.holders(fact, before), func(h int32) bool {
			seq, turn := r.seqs[h], r.c.messages[h].turn
			at, stands := standing[seq]
			return stands && s.isNamed(at, &messages[at], seq, turn) && strings.Contains(r.recalled(int(h)), s.index.facts[fact])
		}))
	}
}

// holders are the messages before one that hold a fact.
func (s *score) holders(fact int32, before int) []int32 {
	holders := s.index.holders[fact]
	n, _ := slices.BinarySearch(holders, int32(before))
	return holders[:n]
}

// recalled is the text that recall gives back for a message.
func (r *run) recalled(i int) string {
	stored := r.log[r.seqs[i]-1].Body
	if b, ok := stored.(conversation.ToolResult); ok && b.Total > 0 && b.Blob == "" {
		return b.Text[:conversation.CutMarkerAt(b.Text)] // what was cut is not kept
	}
	return strings.Join(searchTexts(r.c.messages[i].body), "\n")
}

// isNamed reports whether what stands for an event names it: by its number, by its
// turn, or, where a result was cut, by the id of its call, which stands beside it.
func (s *score) isNamed(at int, m *projection.Message, seq uint64, turn int) bool {
	if m.State == projection.StateCapped && m.Overlay == 0 && m.CallID != "" {
		return true
	}
	if s.ids[at] == nil {
		s.ids[at] = idsIn(m.Text)
	}
	return idsMatch(s.ids[at], seq, uint64(turn))
}
