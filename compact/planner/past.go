package planner

import (
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// Past is what the planner needs to know of earlier compactions and failures. The sizes are
// tokens of a request at that time; 0 means that it did not happen.
type Past struct {
	After  int // right after the newest compaction in force that freed space
	Undone int // when the user undid a compaction, since the newest one in force
	Tried  int // when an automatic compaction failed, since the newest one in force
	// Failures counts the summary requests that failed since the last summary, or since
	// the user compacted, undid a compaction, or changed the model.
	Failures int
	Settled  bool // a compaction was made without a model since the newest failure
}

// mayAskModel reports whether a compaction may request a summary. One failure before the limit
// the next compaction is made without, and at the limit all of them are. JCL always needs a
// model. The rules may also allow summaries only on request.
func (p Past) mayAskModel(r *preset.Rules) bool {
	if !r.AsksModelAutomatically() {
		return false
	}
	if r.Preset.Design().Action == preset.ActSummariseAll {
		return p.Failures < r.Planner.Failures
	}
	return p.Failures < r.Planner.Failures-1 || p.Failures < r.Planner.Failures && p.Settled
}

// Exhausted reports whether so many summaries failed that no automatic compaction requests
// another one until the user acts or the model changes.
func (p Past) Exhausted(r preset.Rules) bool { return p.Failures >= r.Planner.Failures }

// forced reports whether an epoch was made because the request was too long, and not to
// save money.
func forced(m conversation.Origin) bool {
	return m.Source == conversation.SourceRecovery || m.Trigger == TriggerLoadLine || m.Trigger == TriggerHardLine || m.Trigger == TriggerOverflow
}

// PastOf reads the state after earlier compactions from a log. A summary request that was
// refused before it was sent is not a failure. A manual mask is not a compaction: its undo
// starts no cooldown, and a new one ends none.
func PastOf(log []conversation.Event) Past {
	var past Past
	epochs, newest, compaction := conversation.Epochs(log), uint64(0), uint64(0)
	for _, e := range epochs {
		if !e.InForce {
			continue
		}
		newest = e.ID
		if !e.IsManualMask() {
			compaction = e.ID
		}
		if freesSpace(e) {
			past.After = e.Origin.After
		}
	}
	for _, e := range epochs {
		if e.RevertedBy > compaction && !e.IsManualMask() {
			past.Undone, compaction = sizeAtUndo(log, e), e.RevertedBy
		}
	}
	past.Tried = sizeAtFailure(log, max(newest, compaction))
	past.Failures, past.Settled = failuresOf(log)
	return past
}

// failuresOf counts the summary requests that failed, and reports whether a compaction was
// made without a model since the newest failure.
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
			if !isManualRevert(log, b) {
				return failures, settled
			}
		}
	}
	return failures, settled
}

// wroteText reports whether an overlay has a summary that a model wrote, or policies: a
// note has neither.
func wroteText(b conversation.Body) bool {
	s, ok := b.(conversation.Summary)
	return ok && (s.Text != "" || s.Policies != nil)
}

// freesSpace reports whether an epoch was made because the request was too long, or has a
// summary. Other epochs do not delay the next step at the load line.
func freesSpace(e conversation.Epoch) bool {
	return forced(e.Origin) || e.Origin.Trigger == TriggerThreshold || slices.ContainsFunc(e.Overlays, func(o conversation.Event) bool {
		s, ok := o.Body.(conversation.Summary)
		return ok && s.Policies == nil
	})
}

// isManualRevert reports whether a revert undoes a rewind or a pin and not a compaction.
func isManualRevert(log []conversation.Event, b conversation.Revert) bool {
	target := b.Epoch
	if target == 0 {
		target = b.Event
	}
	i := conversation.IndexOf(log, target)
	if i < 0 {
		return false
	}
	switch log[i].Body.(type) {
	case conversation.Rewind, conversation.Pin, conversation.Unpin:
		return true
	}
	return false
}

// sizeAtFailure returns the tokens of the request when an automatic compaction failed or
// was stopped after an epoch; 0 if none was.
func sizeAtFailure(log []conversation.Event, epoch uint64) int {
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

// anotherModel reports whether event i of a log, a ModelChanged, names another model and
// not only other properties of the same one.
func anotherModel(log []conversation.Event, i int) bool {
	now, _ := log[i].Body.(conversation.ModelChanged) // the caller checked the type
	for i--; i >= 0; i-- {
		if before, ok := log[i].Body.(conversation.ModelChanged); ok {
			return before.Name() != now.Name()
		}
	}
	return true
}

// sizeAtUndo returns the tokens of the request right after an epoch was undone; if they
// are not recorded, those before it was made.
func sizeAtUndo(log []conversation.Event, e conversation.Epoch) int {
	for _, o := range slices.Backward(log) {
		if b, ok := o.Body.(conversation.Revert); ok && conversation.EpochOf(o) == e.RevertedBy && b.Origin.After > 0 {
			return b.Origin.After
		}
	}
	return e.Origin.Before
}
