package edit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Range is a run of turns, both ends included, as absolute 0-based numbers.
type Range struct{ From, To int }

// String names the turns: turn 3, turns 1–7.
func (r Range) String() string { return numbers.Turns(r.From, r.To) }

// RangeOptions are the bounds for [ResolveRange], and what it needs besides the log.
type RangeOptions struct {
	From     *Bound    // nil: the first turn
	To       *Bound    // nil: all but the KeepLast newest
	KeepLast int       // newest turns outside the range; ignored with To; negative is 0
	Now      time.Time // base of bounds such as 5h
	// FirstUncompacted is the first turn after all that are compacted: see [AfterLastCompaction].
	FirstUncompacted int
	// Rewound reports whether a turn was rewound; nil: no turn was.
	Rewound func(turn int) bool
}

// ExtendOver returns the smallest range that contains r and partly overlaps no existing range
// (JP's RFD 064): while one overlaps r and neither contains the other, r grows to include it.
func ExtendOver(r Range, existing []Range) Range {
	for grown := true; grown; {
		grown = false
		for _, e := range existing {
			overlap := r.From <= e.To && e.From <= r.To
			if overlap && (r.From < e.From && r.To < e.To || e.From < r.From && e.To < r.To) {
				r = Range{From: min(r.From, e.From), To: max(r.To, e.To)}
				grown = true
			}
		}
	}
	return r
}

// ErrNoRange is the error if bounds leave nothing to compact. Errors that wrap it give
// the reason and the valid turns.
var ErrNoRange = errors.New("nothing to compact")

// RangeError is an error about turns, which count from 0 in Error. It wraps [ErrNoRange].
type RangeError struct {
	format string
	args   []any
}

type turnNumber int // an argument to which Counting adds the number of the first turn

func noRange(format string, args ...any) error { return &RangeError{format, args} }

func (e *RangeError) Error() string { return e.Counting(0) }

func (e *RangeError) Unwrap() error { return ErrNoRange }

// Counting returns the text of the error with turns counted from first: people count from 1.
func (e *RangeError) Counting(first int) string {
	args := slices.Clone(e.args)
	for i, a := range args {
		switch a := a.(type) {
		case turnNumber:
			args[i] = int(a) + first
		case Range:
			args[i] = numbers.Turns(a.From+first, a.To+first)
		case *Bound:
			if args[i] = *a; a.kind == boundTurn {
				args[i] = a.turn + first
			}
		}
	}
	return ErrNoRange.Error() + ": " + fmt.Sprintf(e.format, args...)
}

// ResolveRange returns the range of turns that bounds mean in a log (JP's RFD 064). Both ends are turns
// of the log that are not rewound, and From is at most To. For a time, From is the first turn
// since then and To the last turn before. A bound outside the conversation is an error. Every
// error wraps [ErrNoRange].
func ResolveRange(log []conversation.Event, o RangeOptions) (Range, error) {
	starts := turnStarts(log)
	live := slices.DeleteFunc(slices.Clone(starts), func(t turnStart) bool { return o.Rewound != nil && o.Rewound(t.turn) })
	switch {
	case len(starts) == 0:
		return Range{}, noRange("this conversation has no messages")
	case len(live) == 0:
		return Range{}, noRange("every turn is undone")
	}
	from, to := 0, len(live)-1-max(0, o.KeepLast)
	var err error
	if o.From != nil {
		if from, err = o.findTurn(false, *o.From, live); err != nil {
			return Range{}, err
		}
	}
	if o.To != nil {
		if to, err = o.findTurn(true, *o.To, live); err != nil {
			return Range{}, err
		}
	}
	switch {
	case from <= to:
		return Range{From: live[from].turn, To: live[to].turn}, nil
	case o.To != nil:
		return Range{}, noRange("--from %v (turn %d) comes after --to %v (turn %d)", o.From, turnNumber(live[from].turn), o.To, turnNumber(live[to].turn))
	}
	kept := "the " + numbers.Count(o.KeepLast, "newest turn") + ", kept whole unless you say --keep-last 0"
	if o.From == nil {
		return Range{}, noRange("nothing is older than %s", kept)
	}
	return Range{}, noRange("--from %v (turn %d) is among %s", o.From, turnNumber(live[from].turn), kept)
}

// findTurn returns the turn that a bound means, as an index into the turns that are not rewound. to: the bound is To.
func (o RangeOptions) findTurn(to bool, b Bound, live []turnStart) (int, error) {
	flag := map[bool]string{false: "--from", true: "--to"}[to]
	i, last := -1, len(live)-1
	switch b.kind {
	case boundFromEnd:
		i = last - b.turn
	case boundAfterCompacted:
		i = slices.IndexFunc(live, func(t turnStart) bool { return t.turn >= o.FirstUncompacted })
		if i < 0 && to {
			i = last
		} else if i < 0 {
			return 0, noRange("%s %v: everything up to turn %d is compacted, and no turn comes after it", flag, &b, turnNumber(o.FirstUncompacted-1))
		}
	case boundAgo:
		since := o.Now.Add(-b.ago)
		i = slices.IndexFunc(live, func(t turnStart) bool { return !t.at.Before(since) })
		if i < 0 && to {
			i = last
		} else if to {
			i--
		}
	default:
		i = slices.IndexFunc(live, func(t turnStart) bool { return t.turn == b.turn })
	}
	if i < 0 {
		return 0, noRange("%s %v names no turn; the turns are %d to %d", flag, &b, turnNumber(live[0].turn), turnNumber(live[last].turn))
	}
	return i, nil
}

type turnStart struct {
	turn int
	at   time.Time
}

// turnStarts returns the turns of a log in ascending order. A log without a user message
// has no turns.
func turnStarts(log []conversation.Event) []turnStart {
	var turns []turnStart
	seen, hasUserMessage := map[int]bool{}, false
	for _, e := range log {
		if !conversation.IsMessage(e.Body) {
			continue
		}
		_, user := e.Body.(conversation.UserMessage)
		if hasUserMessage = hasUserMessage || user; !seen[e.Turn] {
			seen[e.Turn] = true
			turns = append(turns, turnStart{turn: e.Turn, at: e.Time})
		}
	}
	if !hasUserMessage {
		return nil
	}
	slices.SortFunc(turns, func(a, b turnStart) int { return cmp.Compare(a.turn, b.turn) })
	return turns
}

// SummaryRanges returns the ranges of the current summaries with text.
func SummaryRanges(log []conversation.Event) []Range {
	var out []Range
	for _, s := range projection.Summaries(log) {
		out = append(out, Range{From: s.FromTurn, To: s.ToTurn})
	}
	return out
}

// Spans returns the events of the turns of a range as runs of consecutive events, usually one,
// that begin and end at messages. It leaves out rewound turns, units with open calls and units that
// are only partly in the range. rewound may be nil. The result is nil without any event.
func (r Range) Spans(log []conversation.Event, rewound func(turn int) bool) []conversation.Span {
	const covered, excluded = 1, 2
	state := make([]uint8, len(log)) // 0 for events that belong to no unit
	for _, u := range conversation.Units(log) {
		outside := func(i int) bool {
			turn := log[i].Turn
			return turn < r.From || turn > r.To || rewound != nil && rewound(turn)
		}
		s := uint8(covered)
		if u.Open || slices.ContainsFunc(u.Events, outside) {
			s = excluded
		}
		for _, i := range u.Events {
			state[i] = s
		}
	}
	var spans []conversation.Span
	running := false
	for i, s := range state {
		switch seq := log[i].Seq; {
		case s == excluded:
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
