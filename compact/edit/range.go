package edit

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A range is chosen once, when an overlay is made, and kept as absolute turns
// (S64). Rules:
//
//   - without bounds it is everything but the KeepLast newest turns; an upper
//     bound takes the place of KeepLast
//   - from a time ago is the first turn begun since then, to a time ago the last
//     one begun before: the two meet and never overlap
//   - turns that were rewound are not counted by bounds that count, and cannot be named
//     by those that name
//   - a bound outside the conversation is an error and not moved inside

// Range is a run of turns, both ends included, as absolute 0-based numbers.
type Range struct{ From, To int }

// String names the turns: turn 3, turns 1–7.
func (r Range) String() string { return numbers.Turns(r.From, r.To) }

// RangeOptions is what a range is chosen by.
type RangeOptions struct {
	From     *Bound    // nil: the first turn
	To       *Bound    // nil: the newest turn but KeepLast
	KeepLast int       // newest turns outside the range; counts only without To; negative is 0
	Now      time.Time // what a time ago is counted from
	// AfterLast is the turn after the last one that the compactions in force
	// cover, 0 without one: see AfterLastCompaction.
	AfterLast int
	// Gone tells which turns were rewound; nil: none.
	Gone func(turn int) bool
}

// holds reports whether a turn is in the range.
func (r Range) holds(turn int) bool { return r.From <= turn && turn <= r.To }

// ExtendOver is the smallest range that holds r and overlaps none of the
// existing ranges in part (S64): where one meets r and neither holds the other,
// r grows to both, until none is left. Existing ranges that hold r whole stay
// as they are. Ranges whose ends lie the wrong way round hold nothing and do
// not matter.
func ExtendOver(r Range, existing []Range) Range {
	for grown := true; grown; {
		grown = false
		for _, e := range existing {
			if r.overlapsInPart(e) {
				r = Range{From: min(r.From, e.From), To: max(r.To, e.To)}
				grown = true
			}
		}
	}
	return r
}

// overlapsInPart reports whether two ranges share turns and each has some that
// the other has not.
func (r Range) overlapsInPart(e Range) bool {
	if r.To < e.From || e.To < r.From {
		return false
	}
	return r.From < e.From && r.To < e.To || e.From < r.From && e.To < r.To
}

// ErrNoRange says that bounds leave nothing to compact. Errors that wrap it say
// why, and what to write instead.
var ErrNoRange = errors.New("nothing to compact")

// ResolveRange is the range that bounds mean in a log: both ends are turns that
// were begun and not rewound, From at most To. Every error wraps
// [ErrNoRange].
func ResolveRange(log []conversation.Event, o RangeOptions) (Range, error) {
	begun := turnsBegun(log)
	live := slices.DeleteFunc(slices.Clone(begun), func(t turnStart) bool { return o.Gone != nil && o.Gone(t.turn) })
	switch {
	case len(begun) == 0:
		return Range{}, noRange("this conversation has no messages")
	case len(live) == 0:
		return Range{}, noRange("every turn is undone")
	}
	c := rangeChoice{RangeOptions: o, begun: begun, live: live}
	from, err := c.lower()
	if err != nil {
		return Range{}, err
	}
	to, err := c.upper()
	if err != nil {
		return Range{}, err
	}
	if from > to {
		return Range{}, c.reversed(from, to)
	}
	return Range{From: live[from].turn, To: live[to].turn}, nil
}

// noRange is an ErrNoRange with its reason.
func noRange(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNoRange, fmt.Sprintf(format, args...))
}

// rangeChoice finds the ends of one range, as indices into live.
type rangeChoice struct {
	RangeOptions
	begun []turnStart // all turns, ascending
	live  []turnStart // those not rewound; at least one
}

// lower finds the first turn of the range.
func (c *rangeChoice) lower() (int, error) {
	if c.From == nil {
		return 0, nil
	}
	switch b := *c.From; b.form {
	case boundAgo:
		since := c.Now.Add(-b.ago)
		i := slices.IndexFunc(c.live, func(t turnStart) bool { return !t.at.Before(since) })
		if i < 0 {
			return 0, noRange("--from %s: no turn started since then", b)
		}
		return i, nil
	case boundLast:
		if i := c.afterLast(); i >= 0 {
			return i, nil
		}
		return 0, noRange("--from %s: everything up to turn %d is compacted, and no turn comes after it", b, c.AfterLast-1)
	default:
		return c.named("--from", b)
	}
}

// upper finds the last turn of the range.
func (c *rangeChoice) upper() (int, error) {
	if c.To == nil {
		keep := max(0, c.KeepLast)
		if keep >= len(c.live) {
			return 0, noRange("nothing is older than %s", c.kept())
		}
		return len(c.live) - 1 - keep, nil
	}
	switch b := *c.To; b.form {
	case boundAgo:
		before := c.Now.Add(-b.ago)
		i := lastIndex(c.live, func(t turnStart) bool { return t.at.Before(before) })
		if i < 0 {
			return 0, noRange("--to %s: no turn started before then", b)
		}
		return i, nil
	case boundLast:
		if i := c.afterLast(); i >= 0 {
			return i, nil
		}
		return len(c.live) - 1, nil // no turn comes after it: the newest
	default:
		return c.named("--to", b)
	}
}

// afterLast is the first turn behind what the compactions in force cover, -1
// without one.
func (c *rangeChoice) afterLast() int {
	return slices.IndexFunc(c.live, func(t turnStart) bool { return t.turn >= c.AfterLast })
}

// named finds the turn that a number names, from the start or from the end.
func (c *rangeChoice) named(flag string, b Bound) (int, error) {
	if b.form == boundBack {
		if b.turn < len(c.live) {
			return len(c.live) - 1 - b.turn, nil
		}
		return 0, noRange("%s %s lies before the first turn: %s", flag, b, c.extent())
	}
	is := func(t turnStart) bool { return t.turn == b.turn }
	if i := slices.IndexFunc(c.live, is); i >= 0 {
		return i, nil
	}
	if slices.ContainsFunc(c.begun, is) {
		return 0, noRange("%s %s: turn %d has been undone; %s", flag, b, b.turn, c.extent())
	}
	return 0, noRange("%s %s: there is no turn %d; %s", flag, b, b.turn, c.extent())
}

// extent says which turns there are.
func (c *rangeChoice) extent() string {
	return fmt.Sprintf("the turns are %d to %d", c.live[0].turn, c.live[len(c.live)-1].turn)
}

// kept names the turns that KeepLast leaves out.
func (c *rangeChoice) kept() string {
	return "the " + numbers.Count(c.KeepLast, "newest turn") + ", kept whole unless you say --keep-last 0"
}

// reversed says why a range whose ends lie the wrong way round holds nothing.
// It has a lower bound: no turn comes before the first.
func (c *rangeChoice) reversed(from, to int) error {
	first := fmt.Sprintf("--from %s (turn %d)", c.From, c.live[from].turn)
	if c.To == nil {
		return noRange("%s is among %s", first, c.kept())
	}
	return noRange("%s comes after --to %s (turn %d)", first, c.To, c.live[to].turn)
}

// lastIndex is the index of the last element that satisfies is, -1 if none does.
func lastIndex[T any](all []T, is func(T) bool) int {
	for i := len(all) - 1; i >= 0; i-- {
		if is(all[i]) {
			return i
		}
	}
	return -1
}

// SummaryRanges are the ranges of the summaries in force that are texts.
func SummaryRanges(log []conversation.Event) []Range {
	var out []Range
	for _, s := range projection.Summaries(log) {
		out = append(out, Range{From: s.FromTurn, To: s.ToTurn})
	}
	return out
}

// Spans are the events of the turns of a range, as runs by Seq that begin and
// end at events the model is sent, usually one. Turns for which gone is true
// were rewound and are left out, as is a unit that is open or that reaches
// out of the range; gone may be nil. Nil if nothing is left.
func (r Range) Spans(log []conversation.Event, gone func(turn int) bool) []conversation.Span {
	const covered, left = 1, 2
	state := make([]uint8, len(log)) // 0 for events that belong to no unit
	for _, u := range conversation.Units(log) {
		outside := func(i int) bool {
			turn := log[i].Turn
			return !r.holds(turn) || gone != nil && gone(turn)
		}
		s := uint8(covered)
		if u.Open || slices.ContainsFunc(u.Events, outside) {
			s = left
		}
		for _, i := range u.Events {
			state[i] = s
		}
	}
	var spans []conversation.Span
	running := false
	for i, s := range state {
		switch seq := log[i].Seq; {
		case s == left:
			running = false
		case s == covered && running:
			spans[len(spans)-1].Last = seq
		case s == covered:
			spans = append(spans, conversation.Span{First: seq, Last: seq})
			running = true
		}
	}
	return spans
}
