package replay

import (
	"slices"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// countRecoverable counts how many lost facts the model could recall. A fact can be recalled if three conditions hold: the
// policy has recall; a message of the request contains an id of the event that held the fact, or of its turn; and
// the text that recall returns for this id contains the fact. Only events before the message at index before count.
func (s *score) countRecoverable(r *run, recoverable *share, before int, messages []projection.Message, lost []int32) {
	messageOf := map[uint64]int{} // by event: the message of the request that contains or replaces it
	if r.policy.HasRecall && len(lost) > 0 {
		for i := range messages {
			for _, seq := range messages[i].Events {
				messageOf[seq] = i
			}
		}
	}
	for _, fact := range lost {
		recoverable.count(slices.ContainsFunc(s.messagesWith(fact, before), func(h int32) bool {
			seq, turn := r.seqs[h], r.c.messages[h].turn
			at, ok := messageOf[seq]
			return ok && s.isNamed(at, &messages[at], seq, turn) && strings.Contains(r.recalled(int(h)), s.index.facts[fact])
		}))
	}
}

// messagesWith returns the recorded messages with a fact, up to the index before.
func (s *score) messagesWith(fact int32, before int) []int32 {
	all := s.index.messagesWith[fact]
	n, _ := slices.BinarySearch(all, int32(before))
	return all[:n]
}

// recalled returns the text that recall would return for a recorded message.
func (r *run) recalled(i int) string {
	stored := r.log[r.seqs[i]-1].Body
	if b, ok := stored.(conversation.ToolResult); ok && b.Total > 0 && b.Blob == "" {
		return b.Text[:conversation.CutMarkerAt(b.Text)] // the part that was cut is not stored
	}
	return strings.Join(searchTexts(r.c.messages[i].body), "\n")
}

// isNamed reports whether the message m, which contains or replaces an event, has an id for recall: the event's number, its
// turn, or, for a cut result, the call id of the message.
func (s *score) isNamed(at int, m *projection.Message, seq uint64, turn int) bool {
	if m.State == projection.StateCapped && m.Overlay == 0 && m.CallID != "" {
		return true
	}
	if s.ids[at] == nil {
		s.ids[at] = idsIn(m.Text)
	}
	return idsMatch(s.ids[at], seq, uint64(turn))
}
