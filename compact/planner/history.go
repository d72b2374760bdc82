package planner

import (
	"cmp"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// History summarises the earlier compactions and failures of a conversation for the planner.
// The sizes are tokens of a request at that time; 0 means that the event did not happen.
type History struct {
	After    int // after the newest compaction in force that freed space
	UndoneAt int // when the user undid a compaction, since the newest one in force
	FailedAt int // when an automatic compaction failed, since the newest one in force
	// Failures counts the summary requests that failed since the last summary, or since
	// the user compacted, undid a compaction, or changed the model.
	Failures              int
	CompactedSinceFailure bool // a compaction was made without a model since the newest failure
}

// mayAskModel reports whether a compaction may request a summary from a model. One failure
// before the limit, the next compaction is made without a summary; at the limit, all of them.
// The preset jcli cannot compact without a model, so only the limit counts for it.
func (h History) mayAskModel(r *preset.Rules) bool {
	if !r.AsksModelAutomatically() {
		return false
	}
	if r.Preset.Design().Action == preset.ActSummariseAll {
		return h.Failures < r.Planner.Failures
	}
	return h.Failures < r.Planner.Failures-1 || h.Failures < r.Planner.Failures && h.CompactedSinceFailure
}

// Exhausted reports whether so many summary requests failed that automatic compactions make
// no further ones, until the user compacts or undoes, or the model changes.
func (h History) Exhausted(r preset.Rules) bool { return h.Failures >= r.Planner.Failures }

// isForced reports whether an epoch was made because the request was too long, and not to
// save money.
func isForced(origin conversation.Origin) bool {
	return origin.Source == conversation.SourceRecovery || origin.Trigger == TriggerLoadLine || origin.Trigger == TriggerHardLine || origin.Trigger == TriggerOverflow
}

// HistoryOf reads the history of compactions from a log. A summary request that was refused
// before it was sent is not a failure. A manual mask is not a compaction, so making or undoing
// one affects no cooldown.
func HistoryOf(log []conversation.Event) History {
	var history History
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
			history.After = e.Origin.After
		}
	}
	for _, e := range epochs {
		if e.RevertedBy > compaction && !e.IsManualMask() {
			history.UndoneAt, compaction = sizeAtUndo(log, e), e.RevertedBy
		}
	}
	history.FailedAt = sizeAtFailure(log, max(newest, compaction))
	history.Failures, history.CompactedSinceFailure = countFailures(log)
	return history
}

// countFailures counts the summary requests that failed, and reports whether a compaction was
// made without a model since the newest failure.
func countFailures(log []conversation.Event) (failures int, compacted bool) {
	for i := len(log) - 1; i >= 0; i-- {
		switch b := log[i].Body.(type) {
		case conversation.Attempt:
			if b.Outcome == conversation.AttemptFailed && b.Model != "" {
				failures++
			}
		case conversation.Mask, conversation.Cap, conversation.Drop, conversation.Summary:
			origin, _ := conversation.OriginOf(b)
			s, ok := b.(conversation.Summary) // a note has neither text nor policies
			if origin.Source == conversation.SourceManual || ok && (s.Text != "" || s.Policies != nil) {
				return failures, compacted
			}
			compacted = compacted || failures == 0 && isForced(origin)
		case conversation.ModelChanged:
			if changesModel(log, i) {
				return failures, compacted
			}
		case conversation.Revert:
			if !isManualRevert(log, b) {
				return failures, compacted
			}
		}
	}
	return failures, compacted
}

// freesSpace reports whether an epoch was made because the request was too long, or has a
// summary. Other epochs do not delay the next eviction at the load line.
func freesSpace(e conversation.Epoch) bool {
	return isForced(e.Origin) || e.Origin.Trigger == TriggerThreshold || slices.ContainsFunc(e.Overlays, func(o conversation.Event) bool {
		s, ok := o.Body.(conversation.Summary)
		return ok && s.Policies == nil
	})
}

// isManualRevert reports whether a revert undoes a rewind or a pin and not a compaction.
func isManualRevert(log []conversation.Event, b conversation.Revert) bool {
	target := b.Epoch
	target = cmp.Or(target, b.Event)
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

// sizeAtFailure returns the tokens of the request when the newest automatic compaction after
// an epoch failed or was stopped; 0 without such a compaction.
func sizeAtFailure(log []conversation.Event, epoch uint64) int {
	for i := len(log) - 1; i >= 0 && log[i].Seq > epoch; i-- {
		switch b := log[i].Body.(type) {
		case conversation.Attempt:
			if b.Source == conversation.SourceAuto && b.Outcome != conversation.AttemptStale {
				return b.Before
			}
		case conversation.ModelChanged:
			if changesModel(log, i) {
				return 0
			}
		}
	}
	return 0
}

// changesModel reports whether event i of a log, a ModelChanged, names another model and
// not only other properties of the same one.
func changesModel(log []conversation.Event, i int) bool {
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
