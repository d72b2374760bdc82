package edit

import (
	"errors"
	"fmt"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// ErrNothingToUndo says that no compaction is in force.
var ErrNothingToUndo = errors.New("no compaction to undo")

// ErrNothingToRedo says that no compaction was undone since the newest one.
var ErrNothingToRedo = errors.New("no compaction to redo")

// Undo returns the overlay that undoes an epoch; 0 means the newest in force. The error wraps ErrNothingToUndo.
func Undo(log []conversation.Event, epoch uint64) (conversation.Revert, error) {
	for _, e := range slices.Backward(conversation.Epochs(log)) {
		if e.InForce && (epoch == 0 || e.ID == epoch) {
			return conversation.Revert{Epoch: e.ID}, nil
		}
	}
	if epoch != 0 {
		return conversation.Revert{}, fmt.Errorf("%w: compaction %d is not active", ErrNothingToUndo, epoch)
	}
	return conversation.Revert{}, ErrNothingToUndo
}

// Redo returns the overlay that restores the compaction undone last. If another compaction was made since, or none was
// undone, the error wraps ErrNothingToRedo.
func Redo(log []conversation.Event) (conversation.Revert, error) {
	var undone conversation.Epoch
	newest := uint64(0)
	for _, e := range conversation.Epochs(log) {
		if e.InForce {
			newest = max(newest, e.ID)
		}
		if e.RevertedBy > undone.RevertedBy {
			undone = e
		}
	}
	switch {
	case undone.RevertedBy == 0:
		return conversation.Revert{}, ErrNothingToRedo
	case newest > undone.RevertedBy:
		return conversation.Revert{}, fmt.Errorf("%w: another one ran since", ErrNothingToRedo)
	}
	return conversation.Revert{Epoch: undone.RevertedBy, Redoes: undone.ID}, nil
}

// Reversal is an undo or a redo that is computed and not committed.
type Reversal struct {
	Epoch   uint64 // of the compaction that is undone or redone
	Redo    bool
	Profile string // of the compaction
	Range   Range  // of its summaries, the zero range without any
	Before  int    // estimated tokens of a request before it
	After   int    // and after it
	Body    conversation.Revert
}

// ReversalRequest names the compaction to undo or redo: with Redo the one undone last, otherwise Epoch; 0 means the
// newest in force.
type ReversalRequest struct {
	Redo  bool
	Epoch uint64
}

// NewReversal computes a reversal. seq is that of the next event of the log. The error wraps ErrNothingToUndo or
// ErrNothingToRedo.
func NewReversal(
	log []conversation.Event, r preset.Rules, in Inputs, req ReversalRequest, seq uint64,
) (Reversal, error) {
	body, err := Undo(log, req.Epoch)
	if req.Redo {
		body, err = Redo(log)
	}
	if err != nil {
		return Reversal{}, err
	}
	rev := Reversal{Epoch: body.Epoch, Redo: req.Redo}
	why := "undone"
	if req.Redo {
		rev.Epoch, why = body.Redoes, "redone"
	}
	for _, e := range conversation.Epochs(log) {
		if e.ID == rev.Epoch {
			rev.Profile, rev.Range = e.Origin.Profile, turnsCovered(e)
			if e.Origin.Why != "" {
				why += ": " + e.Origin.Why
			}
		}
	}
	body.Origin = conversation.Origin{Epoch: seq, Source: conversation.SourceManual, Trigger: "command",
		Preset: string(r.Preset), Profile: rev.Profile, Why: why}
	view := projection.Project(conversation.Extend(log, in.Now, body))
	rev.Before, rev.After = in.Meter.EstimatedTokens(), in.Meter.WithView(view).EstimatedTokens()
	body.Origin.Before, body.Origin.After = rev.Before, rev.After
	rev.Body = body
	return rev, nil
}

// turnsCovered returns the range of the summaries of an epoch, the zero range without any.
func turnsCovered(e conversation.Epoch) Range {
	r, found := Range{}, false
	for _, o := range e.Overlays {
		if s, ok := o.Body.(conversation.Summary); ok {
			if !found {
				r, found = Range{From: s.FromTurn, To: s.ToTurn}, true
			}
			r.From, r.To = min(r.From, s.FromTurn), max(r.To, s.ToTurn)
		}
	}
	return r
}
