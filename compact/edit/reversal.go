package edit

import (
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Taking a compaction back, and bringing it back, is one more overlay with an
// epoch of its own. Its account is the same on the screen and on the command line.

// Reversal is an undo or a redo worked out and not made yet.
type Reversal struct {
	Epoch   uint64 // of the compaction it is about
	Redo    bool
	Profile string // of the compaction
	Range   Range  // of its summaries, the zero range without any
	Before  int    // estimated tokens of a request as it is
	After   int    // and as it would be
	Body    conversation.Revert
}

// ReversalRequest says what is to be reversed: with Redo the compaction that was
// undone last, otherwise Epoch, or with 0 the newest in force.
type ReversalRequest struct {
	Redo  bool
	Epoch uint64
}

// NewReversal works a reversal out for a log whose next event gets the Seq. The
// error wraps ErrNothingToUndo or ErrNothingToRedo.
func NewReversal(log []conversation.Event, r preset.Rules, s Inputs, w ReversalRequest, seq uint64) (Reversal, error) {
	body, err := Undo(log, w.Epoch)
	if w.Redo {
		body, err = Redo(log)
	}
	if err != nil {
		return Reversal{}, err
	}
	rev := Reversal{Epoch: body.Epoch, Redo: w.Redo}
	why := "undone"
	if w.Redo {
		rev.Epoch, why = body.Redoes, "redone"
	}
	for _, e := range conversation.Epochs(log) {
		if e.ID == rev.Epoch {
			rev.Profile, rev.Range = e.Made.Profile, turnsCovered(e)
			if e.Made.Why != "" {
				why += ": " + e.Made.Why
			}
		}
	}
	body.Made = conversation.Made{Epoch: seq, Source: conversation.SourceManual, Trigger: "command", Preset: string(r.Preset),
		Profile: rev.Profile, Why: why}
	rev.Before, rev.After = s.Meter.EstimatedTokens(), s.Meter.WithView(projection.Project(conversation.Extend(log, s.Now, body))).EstimatedTokens()
	body.Made.Before, body.Made.After = rev.Before, rev.After
	rev.Body = body
	return rev, nil
}

// turnsCovered is the range of the summaries of an epoch, the zero range
// without any.
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
