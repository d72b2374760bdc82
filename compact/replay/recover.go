package replay

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// What is lost can be had back where the model can ask for it: some message
// names the event that held it, or its turn, by an id that recall takes, and
// recall gives a text back that holds it.

// recover scores references that a request does not show.
func (s *score) recover(r *run, i int, messages []compact.Message, lost []reference) {
	before := r.c.requests[i].from
	stands := standing(messages)
	for _, ref := range lost {
		if !ref.tool {
			continue
		}
		s.lost.count(r.policy.Recall && slices.ContainsFunc(s.holders(ref.fact, before), func(h int32) bool {
			seq := r.seqs[h]
			return named(stands[seq], seq, r.c.said[h].turn) && s.index.holds(r.recalled(int(h)), ref.fact)
		}))
	}
	s.debt += s.owed(r, lost, before)
}

// holders are the messages before one that hold a fact.
func (s *score) holders(fact int32, before int) []int32 {
	holders := s.index.holders[fact]
	n, _ := slices.BinarySearch(holders, int32(before))
	return holders[:n]
}

// standing tells which message of a request stands for an event.
func standing(messages []compact.Message) map[uint64]*compact.Message {
	out := make(map[uint64]*compact.Message, len(messages))
	for i := range messages {
		for _, seq := range messages[i].Events {
			out[seq] = &messages[i]
		}
	}
	return out
}

// recalled is the text that recall gives back for a message.
func (r *run) recalled(i int) string {
	stored := r.log[r.seqs[i]-1].Body
	if b, ok := stored.(conversation.ToolResult); ok && b.Total > 0 && b.Blob == "" {
		return b.Text // what was cut is not kept
	}
	return strings.Join(pieces(r.c.said[i].body), "\n")
}

// ids as stubs and notes write them, and turns as headings of summaries do.
var idPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b([et][0-9]+(?:-[0-9]+)?)\b|(?i:\bturns?) ([0-9]+)(?:–([0-9]+))?`)
})

// named reports whether what stands for an event names it: by its number, by its
// turn, or, where a result was cut, by the id of its call, which stands beside it.
func named(m *compact.Message, seq uint64, turn int) bool {
	if m == nil {
		return false
	}
	if m.State == compact.StateCapped && m.Overlay == 0 && m.CallID != "" {
		return true
	}
	for _, at := range idPattern().FindAllStringSubmatch(m.Text, -1) {
		if at[1] == "" {
			from := number(at[2])
			to := from
			if at[3] != "" {
				to = number(at[3])
			}
			if from <= turn && turn <= to {
				return true
			}
			continue
		}
		id, ok := conversation.ParseRecallID(at[1])
		n := seq
		if id.Turns {
			n = uint64(turn)
		}
		if ok && id.First <= n && n <= id.Last {
			return true
		}
	}
	return false
}

// number is a number of a turn, -1 if it is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// owed is what recall would have to bring back at least so that nothing is lost,
// in tokens: messages are taken that hold most of what is still missing, of
// several the smallest.
func (s *score) owed(r *run, lost []reference, before int) float64 {
	missing := map[int32]bool{}
	holds := map[int32][]int32{} // by message: the facts
	for _, ref := range lost {
		missing[ref.fact] = true
		for _, h := range s.holders(ref.fact, before) {
			holds[h] = append(holds[h], ref.fact)
		}
	}
	debt := 0.0
	for len(missing) > 0 {
		best, most := int32(-1), 0
		for h, facts := range holds {
			n := 0
			for _, f := range facts {
				if missing[f] {
					n++
				}
			}
			if n == 0 || n < most || n == most && !smaller(r.c, h, best) {
				continue
			}
			best, most = h, n
		}
		if best < 0 {
			break // held by the prompt alone, which is always there
		}
		for _, f := range holds[best] {
			delete(missing, f)
		}
		debt += tokens(r.c.said[best].chars)
	}
	return debt
}

// smaller reports whether one message is to be preferred to another.
func smaller(c *Conversation, a, b int32) bool {
	if b < 0 {
		return true
	}
	if x, y := c.said[a].chars, c.said[b].chars; x != y {
		return x < y
	}
	return a < b
}
