package edit

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"plimsoll/conversation"
)

// A fork continues a conversation from an earlier point, in a copy of its log. Rules:
//
//   - No tool call is kept without its result: a cut inside a unit moves back to the
//     start of the unit.
//   - Overlays after the cut that change how kept events are shown are copied, after
//     those events. Masks, caps, pins and policies are reduced to the kept events;
//     a summary or a drop is copied only if all its events are kept.
//   - Only overlays in force are copied. They keep their order, and the overlays of
//     one epoch stay one epoch.
//   - A rewind after the cut is not copied if the cut lies among the turns that it
//     removed: the user forks there to continue from these turns.

// CutBefore returns the events of a log before the Seq, and the overlays that a copy
// appends to them so that it shows them as the log does. The epochs of the overlays are
// right if they are the very next events of the copy. It accepts any Seq.
func CutBefore(log []conversation.Event, before uint64) (kept []conversation.Event, overlays []conversation.Body) {
	units := conversation.Units(log)
	cutIndex := sort.Search(len(log), func(i int) bool { return log[i].Seq >= before })
	for _, u := range slices.Backward(units) {
		if u.Events[0] < cutIndex && u.Events[len(u.Events)-1] >= cutIndex {
			cutIndex = u.Events[0]
		}
	}
	kept = log[:cutIndex:cutIndex]
	if cutIndex == 0 || cutIndex == len(log) {
		return kept, nil
	}
	copier := overlayCopier{log: log, units: units, cutIndex: cutIndex, kept: kept, epochs: map[uint64]uint64{}, seqs: map[uint64]uint64{}}
	inForce := append(conversation.OverlaysInForce(log), conversation.RevertsInForce(log)...)
	slices.Sort(inForce)
	for _, i := range inForce {
		if i >= cutIndex {
			copier.copyOverlay(i)
		}
	}
	return kept, copier.copied
}

// overlayCopier copies overlays from after the cut to the end of the copied log.
type overlayCopier struct {
	log      []conversation.Event
	units    []conversation.Unit
	cutIndex int // index of the first event that is not kept
	kept     []conversation.Event
	copied   []conversation.Body

	epochs map[uint64]uint64 // epoch in the log -> epoch in the copy
	seqs   map[uint64]uint64 // Seq of a copied overlay in the log -> in the copy
}

func (c *overlayCopier) copyOverlay(i int) {
	e := c.log[i]
	body, ok := c.reducedToKept(i)
	if !ok {
		return
	}
	next := c.kept[len(c.kept)-1].Seq + 1 + uint64(len(c.copied))
	origin, _ := conversation.OriginOf(body) // every overlay has an origin
	origin.Epoch = conversation.EpochOf(e)
	if origin.Epoch >= c.log[c.cutIndex].Seq { // else it belongs to a kept epoch
		if _, begun := c.epochs[origin.Epoch]; !begun {
			c.epochs[origin.Epoch] = next
		}
		origin.Epoch = c.epochs[origin.Epoch]
	}
	c.seqs[e.Seq] = next
	c.copied = append(c.copied, conversation.WithOrigin(body, origin))
}

// reducedToKept returns the overlay at an index, reduced to the kept events; false if it
// concerns none of them.
func (c *overlayCopier) reducedToKept(i int) (conversation.Body, bool) {
	switch b := c.log[i].Body.(type) {
	case conversation.Cap:
		b.Items = filter(b.Items, func(x conversation.CapItem) bool { return c.isKept(x.Event) })
		return b, len(b.Items) > 0
	case conversation.Mask:
		b.Items = filter(b.Items, func(x conversation.MaskItem) bool { return c.isKept(x.Event) })
		return b, len(b.Items) > 0
	case conversation.Pin:
		b.Events = filter(b.Events, c.isKept)
		return b, len(b.Events) > 0
	case conversation.Unpin:
		b.Events = filter(b.Events, c.isKept)
		return b, len(b.Events) > 0
	case conversation.Drop:
		return b, c.allKept(b.Spans)
	case conversation.Summary:
		return c.copySummary(b)
	case conversation.Rewind:
		return b, c.rewindsOnlyKept(i, b)
	case conversation.Revert:
		return c.copyRevert(b)
	}
	return nil, false
}

func filter[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !keep(x) })
}

func (c *overlayCopier) isKept(seq uint64) bool { return conversation.IndexOf(c.kept, seq) >= 0 }

func (c *overlayCopier) allKept(spans []conversation.Span) bool {
	return len(spans) > 0 && !slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Last >= c.log[c.cutIndex].Seq })
}

// copySummary returns a summary for the copy. A text cannot be divided at the cut; policies
// can, because they apply to each event separately.
func (c *overlayCopier) copySummary(b conversation.Summary) (conversation.Body, bool) {
	b.Parents = filter(b.Parents, func(seq uint64) bool { return c.isKept(seq) || c.seqs[seq] != 0 })
	for i, seq := range b.Parents {
		if moved := c.seqs[seq]; moved != 0 {
			b.Parents[i] = moved
		}
	}
	if b.Policies == nil {
		return b, c.allKept(b.Spans)
	}
	last := c.kept[len(c.kept)-1]
	b.Spans = filter(b.Spans, func(s conversation.Span) bool { return s.First <= last.Seq })
	for i := range b.Spans {
		b.Spans[i].Last = min(b.Spans[i].Last, last.Seq)
	}
	b.ToTurn = min(b.ToTurn, last.Turn)
	return b, len(b.Spans) > 0
}

// rewindsOnlyKept reports whether a rewind at an index removes kept units and no others.
func (c *overlayCopier) rewindsOnlyKept(i int, b conversation.Rewind) bool {
	removesKept := false
	for _, u := range c.units {
		switch first := u.Events[0]; {
		case !b.Removes(u.Turn, c.log[first].Seq) || first >= i:
		case first >= c.cutIndex:
			return false
		default:
			removesKept = true
		}
	}
	return removesKept
}

// copyRevert returns a revert for the copy; false unless it undoes a kept overlay, because
// overlays that were undone after the cut are not copied.
func (c *overlayCopier) copyRevert(b conversation.Revert) (conversation.Body, bool) {
	if b.Redoes >= c.log[c.cutIndex].Seq {
		b.Redoes = c.epochs[b.Redoes]
	}
	undoesKept := slices.ContainsFunc(c.kept, func(e conversation.Event) bool {
		_, isOverlay := conversation.OriginOf(e.Body)
		return isOverlay && (b.Epoch != 0 && conversation.EpochOf(e) == b.Epoch || b.Epoch == 0 && e.Seq == b.Event)
	})
	return b, undoesKept
}

// ErrNoTurn says that a log has no such turn. Errors that wrap it name the turns that
// the log has.
var ErrNoTurn = errors.New("there is no such turn")

// TurnStart returns the Seq of the first event of a turn. A negative turn counts back
// from the last one, as bounds of ranges do, and skips rewound turns; the number of a
// rewound turn is valid. The error wraps ErrNoTurn.
func TurnStart(log []conversation.Event, turn int) (uint64, error) {
	rewound := conversation.RewoundBy(log)
	var starts, live []conversation.Event // the first message of every turn
	for i, e := range log {
		if _, ok := e.Body.(conversation.UserMessage); !ok || len(starts) > 0 && starts[len(starts)-1].Turn == e.Turn {
			continue
		}
		starts = append(starts, e)
		if rewound == nil || rewound[i] == 0 {
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
