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

// keptResults is how many newest results the first step shows in full.
const keptResults = 3

// capChars are the code points of a text that the second step keeps, half from each end,
// at its first and at its second try.
var capChars = [...]int{4000, 1000}

// capNoteChars is the most code points of the line that says that a text is shortened.
const capNoteChars = 200

// Recover returns the overlays that bring the request well below the load line, or as low
// as possible. They are one epoch, without origin; nil if no text can be shortened. With
// the preset oneclaw it only drops units.
func (c Check) Recover(r preset.Rules) []conversation.Body {
	rec := &recovery{planner: newPlanner(&r, &c)}
	switch hard := rec.reading.HardLine; {
	case rec.reading.LoadLine == 0:
		rec.reading.LoadLine = int(preset.DefaultTriggerRatio * rec.used) // the window is unknown, and the request is too long
	case hard > 0 && rec.reading.LoadLine > hard: // possible with J-CLI's threshold
		rec.reading.LoadLine = int(r.TriggerRatio * rec.window)
	}
	if r.Preset.Design().Action == preset.ActSummariseOld {
		rec.dropUnits(float64(rec.reading.LoadLine))
		return rec.bodies
	}
	rec.maskResults()
	for _, chars := range capChars {
		rec.capTexts(chars)
	}
	if !rec.isEnough() {
		rec.dropUnits(rec.lineShare(rec.rules.Planner.TargetRatio))
	}
	return rec.bodies
}

// recovery is a planner whose log and view include the overlays made so far.
type recovery struct {
	planner
	bodies []conversation.Body
}

func (rec *recovery) estimatedTokens() float64 {
	return float64(rec.check.Meter.WithView(rec.check.View).EstimatedTokens())
}

func (rec *recovery) isEnough() bool {
	return rec.estimatedTokens() <= rec.lineShare(rec.rules.Planner.EnoughRatio)
}

func (rec *recovery) addIfShorter(b conversation.Body) {
	before := rec.estimatedTokens()
	log, view := rec.check.Log, rec.check.View
	rec.check.Log = conversation.Extend(log, time.Time{}, b)
	rec.check.View = projection.Project(rec.check.Log)
	if rec.estimatedTokens() >= before {
		rec.check.Log, rec.check.View = log, view
		return
	}
	rec.bodies = append(rec.bodies, b)
}

func (rec *recovery) maskResults() {
	if rec.isEnough() {
		return
	}
	r := *rec.rules
	r.Mask.Enabled, r.Mask.KeepTokens, r.Mask.KeepResults = true, 0, keptResults
	if items := MaskItems(&rec.check.View, &r, rec.check.Meter, true); len(items) > 0 {
		rec.addIfShorter(MaskOf(r, items))
	}
}

func (rec *recovery) capTexts(chars int) {
	messages := rec.check.View.Messages
	if rec.isEnough() || len(messages) == 0 {
		return
	}
	turn, over := messages[len(messages)-1].Turn, rec.estimatedTokens()-rec.lineShare(rec.rules.Planner.EnoughRatio)
	var items []conversation.CapItem
	shorten := func(event uint64, call string, size conversation.Size) {
		size.Images = conversation.ImageSize{} // a cap keeps them
		n, left := size.Chars(), chars+capNoteChars
		if n > left && over > 0 {
			items = append(items, conversation.CapItem{Event: event, Call: call, Head: chars / 2, Tail: chars / 2})
			over -= rec.check.Meter.TextTokens(size) * float64(n-left) / float64(n)
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
		rec.addIfShorter(conversation.Cap{Items: items})
	}
}

func (rec *recovery) dropUnits(tokens float64) {
	check, done := *rec.check, len(rec.bodies)
	rec.addDrop(DropSpans(check.View, check.Meter, tokens))
	enoughTokens := max(tokens, rec.lineShare(rec.rules.Planner.EnoughRatio))
	first := firstToCover(check.View.Messages, check.Meter)
	if rec.estimatedTokens() <= enoughTokens || first > 0 {
		return
	}
	*rec.check, rec.bodies = check, rec.bodies[:done]
	rec.addDrop(dropSpans(check.View, check.Meter, tokens, first))
}

func (rec *recovery) addDrop(spans []conversation.Span) {
	if len(spans) > 0 {
		rec.addIfShorter(conversation.Drop{Spans: spans})
	}
}
