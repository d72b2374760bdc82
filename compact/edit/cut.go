package edit

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"plimsoll/conversation"
)

// A conversation can go on from a point of its past, in a copy. Rules:
//
//   - no call stands without its result: the cut moves back to where the unit
//     that it falls into begins
//   - what came behind the cut but says how events before it are shown comes
//     along, behind them: masks, caps and policies with the events that lie before
//     it, summaries and drops only if all that they cover does
//   - only what is in force comes along; it keeps its order, and the overlays of
//     one epoch stay one
//   - turns that were rewound behind the cut are there again if the cut lies
//     among them: a cut there means to go on from there

// CutBefore returns the events of a log before one, by its Seq, and the overlays
// that a copy of them needs behind them, to show them as the log does. Their epochs
// are right if they are the very next events of the copy. It is total.
func CutBefore(log []conversation.Event, before uint64) (kept []conversation.Event, behind []conversation.Body) {
	units := conversation.Units(log)
	at := sort.Search(len(log), func(i int) bool { return log[i].Seq >= before })
	for _, u := range slices.Backward(units) {
		if u.Events[0] < at && u.Events[len(u.Events)-1] >= at {
			at = u.Events[0]
		}
	}
	kept = log[:at:at]
	if at == 0 || at == len(log) {
		return kept, nil
	}
	c := carrier{log: log, units: units, at: at, kept: kept, epochs: map[uint64]uint64{}, seqs: map[uint64]uint64{}}
	inForce := append(conversation.OverlaysInForce(log), conversation.RevertsInForce(log)...)
	slices.Sort(inForce)
	for _, i := range inForce {
		if i >= at {
			c.carry(i)
		}
	}
	return kept, c.out
}

type carrier struct {
	log   []conversation.Event
	units []conversation.Unit
	at    int // index of the first event that stays behind
	kept  []conversation.Event
	out   []conversation.Body

	epochs map[uint64]uint64 // of the log -> of the copy
	seqs   map[uint64]uint64 // of overlays that came along
}

func (c *carrier) carry(i int) {
	e := c.log[i]
	body, ok := c.about(i)
	if !ok {
		return
	}
	next := c.kept[len(c.kept)-1].Seq + 1 + uint64(len(c.out))
	made, _ := conversation.OriginOf(body) // in force, so it has one
	made.Epoch = conversation.EpochOf(e)
	if made.Epoch >= c.log[c.at].Seq { // else it belongs to an epoch that is kept
		if _, begun := c.epochs[made.Epoch]; !begun {
			c.epochs[made.Epoch] = next
		}
		made.Epoch = c.epochs[made.Epoch]
	}
	c.seqs[e.Seq] = next
	c.out = append(c.out, conversation.WithOrigin(body, made))
}

// about is the overlay at an index as far as it speaks of what is kept; false if
// it does not.
func (c *carrier) about(i int) (conversation.Body, bool) {
	switch b := c.log[i].Body.(type) {
	case conversation.Cap:
		b.Items = keep(b.Items, func(x conversation.CapItem) bool { return c.has(x.Event) })
		return b, len(b.Items) > 0
	case conversation.Mask:
		b.Items = keep(b.Items, func(x conversation.MaskItem) bool { return c.has(x.Event) })
		return b, len(b.Items) > 0
	case conversation.Pin:
		b.Events = keep(b.Events, c.has)
		return b, len(b.Events) > 0
	case conversation.Unpin:
		b.Events = keep(b.Events, c.has)
		return b, len(b.Events) > 0
	case conversation.Drop:
		return b, c.whole(b.Spans)
	case conversation.Summary:
		return c.summary(b)
	case conversation.Rewind:
		return b, c.takes(i, b)
	case conversation.Revert:
		return c.revert(b)
	}
	return nil, false
}

func keep[T any](list []T, is func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !is(x) })
}

func (c *carrier) has(seq uint64) bool { return conversation.IndexOf(c.kept, seq) >= 0 }

// whole reports whether spans cover something, and nothing that is not kept.
func (c *carrier) whole(spans []conversation.Span) bool {
	return len(spans) > 0 && !slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Last >= c.log[c.at].Seq })
}

// summary is a summary in the copy. A text says what was said on both sides of a
// cut; policies are about each event for itself.
func (c *carrier) summary(b conversation.Summary) (conversation.Body, bool) {
	b.Parents = keep(b.Parents, func(seq uint64) bool { return c.has(seq) || c.seqs[seq] != 0 })
	for i, seq := range b.Parents {
		if moved := c.seqs[seq]; moved != 0 {
			b.Parents[i] = moved
		}
	}
	if b.Policies == nil {
		return b, c.whole(b.Spans)
	}
	last := c.kept[len(c.kept)-1]
	b.Spans = keep(b.Spans, func(s conversation.Span) bool { return s.First <= last.Seq })
	for i := range b.Spans {
		b.Spans[i].Last = min(b.Spans[i].Last, last.Seq)
	}
	b.ToTurn = min(b.ToTurn, last.Turn)
	return b, len(b.Spans) > 0
}

// takes reports whether a rewind takes something back of what is kept, and nothing
// that stood right behind it.
func (c *carrier) takes(i int, b conversation.Rewind) bool {
	some := false
	for _, u := range c.units {
		switch first := u.Events[0]; {
		case !b.Removes(u.Turn, c.log[first].Seq) || first >= i:
		case first >= c.at:
			return false
		default:
			some = true
		}
	}
	return some
}

// revert is a revert in the copy: what it takes back there is what is kept. The
// rest did not come along.
func (c *carrier) revert(b conversation.Revert) (conversation.Body, bool) {
	if b.Redoes >= c.log[c.at].Seq {
		b.Redoes = c.epochs[b.Redoes]
	}
	about := slices.ContainsFunc(c.kept, func(e conversation.Event) bool {
		_, overlay := conversation.OriginOf(e.Body)
		return overlay && (b.Epoch != 0 && conversation.EpochOf(e) == b.Epoch || b.Epoch == 0 && e.Seq == b.Event)
	})
	return b, about
}

// ErrNoTurn says that a log has no such turn. Errors that wrap it say which there
// are.
var ErrNoTurn = errors.New("there is no such turn")

// TurnStart is the Seq of the event that a turn begins with. A negative turn counts
// back from the last one, as bounds of ranges do, and past those that were taken
// back, which can be named all the same. The error wraps ErrNoTurn.
func TurnStart(log []conversation.Event, turn int) (uint64, error) {
	gone := conversation.RewoundBy(log)
	var starts, live []conversation.Event // the first message of every turn
	for i, e := range log {
		if _, ok := e.Body.(conversation.UserMessage); !ok || len(starts) > 0 && starts[len(starts)-1].Turn == e.Turn {
			continue
		}
		starts = append(starts, e)
		if gone == nil || gone[i] == 0 {
			live = append(live, e)
		}
	}
	if len(starts) == 0 {
		return 0, fmt.Errorf("%w: there are no messages yet", ErrNoTurn)
	}
	if back := len(live) - 1 + turn; turn < 0 {
		if back < 0 {
			return 0, fmt.Errorf("%w: %d lies before the first of %d", ErrNoTurn, turn, len(live))
		}
		return live[back].Seq, nil
	}
	for _, e := range starts {
		if e.Turn == turn {
			return e.Seq, nil
		}
	}
	return 0, fmt.Errorf("%w: %d, of %d to %d", ErrNoTurn, turn, starts[0].Turn, starts[len(starts)-1].Turn)
}
