package agent

import (
	"context"
	"math"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Taking a compaction back, and bringing it back, is one more overlay with an
// epoch of its own. It costs no request, but it breaks the cached prefix like
// any other.

// revert takes the compaction of a deed back, or brings one back.
func (a *Agent) revert(ctx context.Context, d deed) {
	w := compact.Wish{Source: conversation.SourceManual, Trigger: string(d.what)}
	if err := a.flush(ctx); err != nil {
		a.refuse(ctx, w, err)
		return
	}
	log := a.log.Events()
	body, err := compact.Undo(log, d.epoch)
	if d.what == compact.DeedRedo {
		body, err = compact.Redo(log)
	}
	if err != nil {
		a.refuse(ctx, w, unmade(err))
		return
	}
	done := Compacted{Epoch: body.Epoch, Undone: body.Redoes == 0, Redone: body.Redoes != 0}
	if done.Redone {
		done.Epoch = body.Redoes
	}
	seq := a.nextSeq()
	body.Made, done.Preview = a.reversal(body, done, seq)
	if _, err := a.append(ctx, body); err != nil {
		a.refuse(ctx, w, notMade(err))
		return
	}
	a.opts.Logger.Info("compaction", "outcome", d.what, "epoch", done.Epoch, "before", done.Preview.Before, "after", done.Preview.After)
	a.rearm()
	if a.compaction.job != nil {
		a.compaction.job.stop(errReverted)
	}
	a.updates.Put(done)
}

// reversal is the account of a revert that is about to be appended, and the
// same for the eye.
func (a *Agent) reversal(body conversation.Revert, done Compacted, seq uint64) (conversation.Made, compact.Preview) {
	log := a.log.Events()
	then := compact.Project(append(log, conversation.Event{Seq: seq, Turn: a.log.Turn(), Time: a.opts.Now(), Body: body}))
	made := conversation.Made{
		Epoch: seq, Source: conversation.SourceManual, Trigger: "command", Preset: string(a.compaction.rules.Preset),
		Before: tokens(a.meter), After: tokens(a.meter.WithView(then)), Why: "taken back",
	}
	if done.Redone {
		made.Why = "brought back"
	}
	p := compact.Preview{Before: made.Before, After: made.After}
	for _, e := range compact.Epochs(log) {
		if e.ID != done.Epoch {
			continue
		}
		made.Profile, p.Profile = e.Made.Profile, e.Made.Profile
		if e.Made.Why != "" {
			made.Why += ": " + e.Made.Why
		}
		p.Range = turnsCovered(e)
	}
	return made, p
}

// turnsCovered is the range of the summaries of an epoch, the zero range
// without any.
func turnsCovered(e compact.Epoch) compact.Range {
	r, found := compact.Range{}, false
	for _, o := range e.Overlays {
		if s, ok := o.Body.(conversation.Summary); ok {
			if !found {
				r, found = compact.Range{From: s.FromTurn, To: s.ToTurn}, true
			}
			r.From, r.To = min(r.From, s.FromTurn), max(r.To, s.ToTurn)
		}
	}
	return r
}

// tokens is the estimate of a request in whole tokens, whatever was reported:
// so what was and what will be compare.
func tokens(m compact.Meter) int { return int(math.Round(m.CalibratedEstimate())) }
