package replay

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// ids as stubs and notes write them, and turns as headings of summaries do.
var idPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b([et][0-9]+(?:-[0-9]+)?)\b|(?i:\bturns?) ([0-9]+)(?:–([0-9]+))?`)
})

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

// names is what a text names.
type names struct{ events, turns ranges }

// namesIn reads a text, once for a message: a block may stand for thousands.
func namesIn(text string) *names {
	var n names
	for _, at := range idPattern().FindAllStringSubmatch(text, -1) {
		if at[1] == "" {
			from := number(at[2])
			to := from
			if at[3] != "" {
				to = number(at[3])
			}
			n.turns.add(int64(from), int64(to))
			continue
		}
		switch id, ok := conversation.ParseRecallID(at[1]); {
		case !ok:
		case id.Turns:
			n.turns.add(int64(id.First), int64(id.Last))
		default:
			n.events.add(int64(id.First), int64(id.Last))
		}
	}
	n.events.join()
	n.turns.join()
	return &n
}

// ranges are numbers from a first to a last one. Once they are joined they are
// ascending and apart.
type ranges [][2]int64

func (r *ranges) add(first, last int64) {
	if first <= last {
		*r = append(*r, [2]int64{first, last})
	}
}

func (r *ranges) join() {
	slices.SortFunc(*r, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	out := (*r)[:0]
	for _, one := range *r {
		if n := len(out); n > 0 && one[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], one[1])
			continue
		}
		out = append(out, one)
	}
	*r = out
}

// has reports whether a number is in one of joined ranges.
func (r ranges) has(n int64) bool {
	at, found := slices.BinarySearchFunc(r, n, func(one [2]int64, n int64) int { return cmp.Compare(one[0], n) })
	return found || at > 0 && n <= r[at-1][1]
}

// number is a number of a turn, -1 if it is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}
