package planner

import (
	"time"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Recovery shortens a request that is too long, without a model and in these steps, each
// only if the ones before did not free enough:
//
//   - All results but the newest three become stubs.
//   - Results and arguments of the current turn are cut to their ends, the oldest first,
//     to a few thousand characters each, then to fewer.
//   - The oldest units are dropped. Pins, the newest user message and the last unit stay.
//     The user's first message stays unless it is long and the rest does not free enough.
//
// All steps are overlays, so the user can see and undo them. A request that is still too
// long cannot be sent.

// recoverResults is how many newest results stay in the first step.
const recoverResults = 3

// capChars are the code points of a text that the second step keeps, half from each end,
// at its first and at its second try.
var capChars = [...]int{4000, 1000}

// capNote is the most code points of the line that says that a text is shortened.
const capNote = 200

// Recover returns the overlays that bring the request well below the load line, or as far
// as possible. They are one epoch, without origin; nil if nothing can be shortened. With
// ONE's rules it only drops units.
func (c Check) Recover(r preset.Rules) []conversation.Body {
	l := &recovery{planner: newPlanner(&r, &c)}
	switch hard := l.reading.HardLine; {
	case l.reading.LoadLine == 0:
		l.reading.LoadLine = int(preset.DefaultTriggerRatio * l.used) // the window is unknown, and the request is too long
	case hard > 0 && l.reading.LoadLine > hard: // possible with J-CLI's threshold
		l.reading.LoadLine = int(r.TriggerRatio * l.window)
	}
	if r.Preset.Design().Action == preset.ActSummariseOld {
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

// recovery is a planner whose log and view include the overlays made so far.
type recovery struct {
	planner
	bodies []conversation.Body
}

func (l *recovery) estimated() float64 {
	return float64(l.check.Meter.WithView(l.check.View).EstimatedTokens())
}

func (l *recovery) enough() bool { return l.estimated() <= l.goal(l.rules.Planner.EnoughRatio) }

func (l *recovery) add(b conversation.Body) {
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

func (l *recovery) mask() {
	if l.enough() {
		return
	}
	r := *l.rules
	r.Mask.Enabled, r.Mask.KeepTokens, r.Mask.KeepResults = true, 0, recoverResults
	if items := MaskItems(&l.check.View, &r, l.check.Meter, true); len(items) > 0 {
		l.add(MaskOf(r, items))
	}
}

func (l *recovery) cap(chars int) {
	messages := l.check.View.Messages
	if l.enough() || len(messages) == 0 {
		return
	}
	turn, over := messages[len(messages)-1].Turn, l.estimated()-l.goal(l.rules.Planner.EnoughRatio)
	var items []conversation.CapItem
	shorten := func(event uint64, call string, size conversation.Size) {
		n, left := size.Chars(), chars+capNote
		if n > left && over > 0 {
			items = append(items, conversation.CapItem{Event: event, Call: call, Head: chars / 2, Tail: chars / 2})
			over -= l.check.Meter.TextTokens(size) * float64(n-left) / float64(n)
		}
	}
	for i := range messages {
		m := &messages[i]
		if m.Turn != turn || m.State == projection.StatePinned || m.State == projection.StateSummarised || m.State == projection.StateDropped {
			continue
		}
		if m.Role == projection.RoleTool && m.State != projection.StateMasked {
			shorten(m.Events[0], "", m.Size)
		}
		for _, c := range m.Calls {
			shorten(m.Events[0], c.ID, c.Size)
		}
	}
	if len(items) > 0 {
		l.add(conversation.Cap{Items: items})
	}
}

func (l *recovery) drop(tokens float64) {
	check, done := *l.check, len(l.bodies)
	l.addDrop(DropSpans(check.View, check.Meter, tokens))
	enough := max(tokens, l.goal(l.rules.Planner.EnoughRatio))
	first := firstToCover(check.View.Messages, check.Meter)
	if l.estimated() <= enough || first > 0 {
		return
	}
	*l.check, l.bodies = check, l.bodies[:done]
	l.addDrop(dropSpans(check.View, check.Meter, tokens, first))
}

func (l *recovery) addDrop(spans []conversation.Span) {
	if len(spans) > 0 {
		l.add(conversation.Drop{Spans: spans})
	}
}
