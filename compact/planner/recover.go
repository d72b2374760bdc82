package planner

import (
	"time"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What makes room when nothing else did, without a model, step by step, each
// only if the one before was not enough:
//
//   - Every result but the newest three becomes a stub.
//   - Results and arguments of the current turn show their ends only, the oldest
//     first, a few thousand characters of each, then fewer.
//   - The oldest units are left out; pins, the newest message of the user and what
//     is being answered stay. The user's first text stays unless it is long and
//     there is not enough room with it.
//
// All are overlays: they can be looked at and undone. What is still too large
// then cannot be sent.

const (
	// ladderResults is how many newest results stay in the first step.
	ladderResults = 3
)

// capChars is how many code points of a text the second step leaves, half from
// each end, in its order.
var capChars = [...]int{4000, 1000}

// capNote is how many code points more a shortened text has at most, for the line
// that says so.
const capNote = 200

// Recover makes room until there is enough of it. The overlays are one epoch,
// without an account; nil if nothing can be done. With ONE's rules it only leaves
// out.
func (c Check) Recover(r preset.Rules) []conversation.Body {
	l := &ladder{planner: newPlanner(&r, &c)}
	switch hard := l.reading.HardLine; {
	case l.reading.LoadLine == 0:
		l.reading.LoadLine = int(preset.DefaultTriggerRatio * l.used) // the window is unknown, and this was too much
	case hard > 0 && l.reading.LoadLine > hard: // J-CLI's threshold may be
		l.reading.LoadLine = int(r.TriggerRatio * l.window)
	}
	if r.Preset.Design().Acts == preset.ActSummariseOld {
		l.drop(float64(l.reading.LoadLine))
		return l.bodies
	}
	l.mask()
	for _, chars := range capChars {
		l.cap(chars)
	}
	if !l.enough() {
		l.drop(l.goal(l.rules.Planner.TargetRatio))
	}
	return l.bodies
}

type ladder struct {
	planner
	bodies []conversation.Body
}

func (l *ladder) estimated() float64 {
	return float64(l.check.Meter.WithView(l.check.View).EstimatedTokens())
}

func (l *ladder) enough() bool { return l.estimated() <= l.goal(l.rules.Planner.EnoughRatio) }

func (l *ladder) add(b conversation.Body) {
	before := l.estimated()
	log, view := l.check.Log, l.check.View
	l.check.Log = conversation.Extend(log, time.Time{}, b)
	l.check.View = projection.Project(l.check.Log)
	if l.estimated() >= before {
		l.check.Log, l.check.View = log, view
		return
	}
	l.bodies = append(l.bodies, b)
}

func (l *ladder) mask() {
	if l.enough() {
		return
	}
	r := *l.rules
	r.Mask.Enabled, r.Mask.KeepTokens, r.Mask.KeepResults = true, 0, ladderResults
	if items := MaskItems(&l.check.View, &r, l.check.Meter, true); len(items) > 0 {
		l.add(MaskOf(r, items))
	}
}

func (l *ladder) cap(chars int) {
	messages := l.check.View.Messages
	if l.enough() || len(messages) == 0 {
		return
	}
	turn, over := messages[len(messages)-1].Turn, l.estimated()-l.goal(l.rules.Planner.EnoughRatio)
	var items []conversation.CapItem
	take := func(event uint64, call string, size conversation.Size) {
		n, left := size.Chars(), chars+capNote
		if n > left && over > 0 {
			items = append(items, conversation.CapItem{Event: event, Call: call, Head: chars / 2, Tail: chars / 2})
			over -= l.check.Meter.Weigh(size) * float64(n-left) / float64(n)
		}
	}
	for i := range messages {
		m := &messages[i]
		if m.Turn != turn || m.State == projection.StatePinned || m.State == projection.StateSummarised || m.State == projection.StateDropped {
			continue
		}
		if m.Role == projection.RoleTool && m.State != projection.StateMasked {
			take(m.Events[0], "", m.Size)
		}
		for _, c := range m.Calls {
			take(m.Events[0], c.ID, c.Size)
		}
	}
	if len(items) > 0 {
		l.add(conversation.Cap{Items: items})
	}
}

func (l *ladder) drop(tokens float64) {
	check, done := *l.check, len(l.bodies)
	l.leaveOut(DropSpans(check.View, check.Meter, tokens))
	enough := max(tokens, l.goal(l.rules.Planner.EnoughRatio))
	first := firstToCover(check.View.Messages, check.Meter)
	if l.estimated() <= enough || first > 0 {
		return
	}
	*l.check, l.bodies = check, l.bodies[:done]
	l.leaveOut(dropSpans(check.View, check.Meter, tokens, first))
}

func (l *ladder) leaveOut(spans []conversation.Span) {
	if len(spans) > 0 {
		l.add(conversation.Drop{Spans: spans})
	}
}
