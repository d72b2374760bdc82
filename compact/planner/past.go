package planner

import (
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// Past is what earlier compactions of a conversation left behind, for the planner.
type Past struct {
	After  int // tokens of a request right after the newest compaction in force that made room, 0 without one
	Undone int // tokens of a request when the user undid a compaction, 0 if they did not since the newest one in force
	Tried  int // tokens of a request when an automatic compaction failed, 0 if none did since the newest one in force
	// Failures is how many requests to a model failed since the last summary, or since
	// the user compacted, undid a compaction, or changed the model.
	Failures int
	Settled  bool // a compaction was made without a model since the newest failure
}

// asks reports whether a compaction may ask a model. After the last failure but one the
// next compaction does without, after the last all of them do. JCL cannot do without.
// No compaction asks where the rules want summaries only on request.
func (p Past) asks(r *preset.Rules) bool {
	if !r.Asks() {
		return false
	}
	if r.Preset.Design().Acts == preset.ActSummariseAll {
		return p.Failures < r.Planner.Failures
	}
	return p.Failures < r.Planner.Failures-1 || p.Failures < r.Planner.Failures && p.Settled
}

// Exhausted reports whether no automatic compaction asks a model any more, until the
// user acts or the model changes.
func (p Past) Exhausted(r preset.Rules) bool { return p.Failures >= r.Planner.Failures }

// forced reports whether an epoch was made because there was no room, and not to
// save money.
func forced(m conversation.Origin) bool {
	return m.Source == conversation.SourceRecovery || m.Trigger == TriggerLoadLine || m.Trigger == TriggerHardLine || m.Trigger == TriggerOverflow
}

// PastOf reads what earlier compactions left behind from a log. A request that was
// refused before a model was asked is no failure of a model. A mask by hand is no
// compaction: undoing it delays none, and making it does not end such a delay.
func PastOf(log []conversation.Event) Past {
	var past Past
	epochs, newest, pass := conversation.Epochs(log), uint64(0), uint64(0)
	for _, e := range epochs {
		if !e.InForce {
			continue
		}
		newest = e.ID
		if !e.IsManualMask() {
			pass = e.ID
		}
		if makesRoom(e) {
			past.After = e.Origin.After
		}
	}
	for _, e := range epochs {
		if e.RevertedBy > pass && !e.IsManualMask() {
			past.Undone, pass = undoneAt(log, e), e.RevertedBy
		}
	}
	past.Tried = triedAt(log, max(newest, pass))
	past.Failures, past.Settled = failuresOf(log)
	return past
}

// failuresOf counts the requests to a model that failed, and reports
// whether a compaction was made without a model since the newest of them.
func failuresOf(log []conversation.Event) (failures int, settled bool) {
	for i := len(log) - 1; i >= 0; i-- {
		switch b := log[i].Body.(type) {
		case conversation.Attempt:
			if b.Outcome == conversation.AttemptFailed && b.Model != "" {
				failures++
			}
		case conversation.Mask, conversation.Cap, conversation.Drop, conversation.Summary:
			made, _ := conversation.OriginOf(b)
			if made.Source == conversation.SourceManual || wroteText(b) {
				return failures, settled
			}
			settled = settled || failures == 0 && forced(made)
		case conversation.ModelChanged:
			if anotherModel(log, i) {
				return failures, settled
			}
		case conversation.Revert:
			if !steers(log, b) {
				return failures, settled
			}
		}
	}
	return failures, settled
}

// wroteText reports whether an overlay holds a text that a model wrote, or policies
// that somebody asked for: a note needs neither.
func wroteText(b conversation.Body) bool {
	s, ok := b.(conversation.Summary)
	return ok && (s.Text != "" || s.Policies != nil)
}

// makesRoom reports whether an epoch was made because there was no room, or holds
// a summary. Another one says nothing of when the load line is reached again.
func makesRoom(e conversation.Epoch) bool {
	return forced(e.Origin) || e.Origin.Trigger == TriggerThreshold || slices.ContainsFunc(e.Overlays, func(o conversation.Event) bool {
		s, ok := o.Body.(conversation.Summary)
		return ok && s.Policies == nil
	})
}

// steers reports whether a revert is about turns or pins, and no act on a
// compaction.
func steers(log []conversation.Event, b conversation.Revert) bool {
	about := b.Epoch
	if about == 0 {
		about = b.Event
	}
	i := conversation.IndexOf(log, about)
	if i < 0 {
		return false
	}
	switch log[i].Body.(type) {
	case conversation.Rewind, conversation.Pin, conversation.Unpin:
		return true
	}
	return false
}

// triedAt is the tokens of a request when a pass that nobody asked for came to
// nothing after an epoch, or was stopped; 0 if none was.
func triedAt(log []conversation.Event, epoch uint64) int {
	for i := len(log) - 1; i >= 0 && log[i].Seq > epoch; i-- {
		switch b := log[i].Body.(type) {
		case conversation.Attempt:
			if b.Source == conversation.SourceAuto && b.Outcome != conversation.AttemptStale {
				return b.Before
			}
		case conversation.ModelChanged:
			if anotherModel(log, i) {
				return 0
			}
		}
	}
	return 0
}

// anotherModel reports whether event i of a log changes the model, and not only
// what is known of it.
func anotherModel(log []conversation.Event, i int) bool {
	now, _ := log[i].Body.(conversation.ModelChanged) // by the caller
	for i--; i >= 0; i-- {
		if before, ok := log[i].Body.(conversation.ModelChanged); ok {
			return before.Name() != now.Name()
		}
	}
	return true
}

// undoneAt is the tokens of a request right after an epoch was undone; where
// nobody wrote them down, before it was made.
func undoneAt(log []conversation.Event, e conversation.Epoch) int {
	for _, o := range slices.Backward(log) {
		if b, ok := o.Body.(conversation.Revert); ok && conversation.EpochOf(o) == e.RevertedBy && b.Origin.After > 0 {
			return b.Origin.After
		}
	}
	return e.Origin.Before
}
