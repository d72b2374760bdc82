package replay

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"plimsoll/conversation"
)

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

// ids as stubs and notes write them, and turns as headings of summaries do.
var idPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b([et][0-9]+(?:-[0-9]+)?)\b|(?i:\bturns?) ([0-9]+)(?:–([0-9]+))?`)
})

// number is a number of a turn, -1 if it is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}
