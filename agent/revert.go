package agent

import (
	"context"

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
	now := compact.Situation{Meter: a.meter, Now: a.opts.Now()}
	r, err := compact.NewReversal(a.log.Events(), a.compaction.rules, now,
		compact.ReversalWish{Redo: d.what == compact.DeedRedo, Epoch: d.epoch}, a.nextSeq())
	if err != nil {
		a.refuse(ctx, w, unmade(err))
		return
	}
	if _, err := a.append(ctx, r.Body); err != nil {
		a.refuse(ctx, w, notMade(err))
		return
	}
	done := Compacted{Epoch: r.Epoch, Undone: !r.Redo, Redone: r.Redo, Source: conversation.SourceManual,
		Preview: compact.Preview{Profile: r.Profile, Range: r.Range, Before: r.Before, After: r.After}}
	a.opts.Logger.Info("compaction", "outcome", d.what, "epoch", done.Epoch, "before", done.Preview.Before, "after", done.Preview.After)
	a.rearm()
	a.dropReverted()
	a.updates.Put(done)
}

// dropReverted gives up the summaries that are being written or wait: the view is no
// longer what they were made for.
func (a *Agent) dropReverted() {
	if a.writing() {
		a.drop(a.compaction.job, errReverted)
	}
	a.dropStale(errReverted, everyJob)
}
