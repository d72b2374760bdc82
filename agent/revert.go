package agent

import (
	"context"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Taking a compaction back, and bringing it back, is one more overlay with an
// epoch of its own. It costs no request, but it breaks the cached prefix like
// any other.

// revert takes the compaction of an operation back, or brings one back.
func (c *compactor) revert(ctx context.Context, d operation) {
	w := compact.Wish{Source: conversation.SourceManual, Trigger: string(d.what)}
	if err := c.flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	now := compact.Situation{Meter: c.meter, Now: c.opts.Now()}
	r, err := compact.NewReversal(c.log.Events(), c.rules, now,
		compact.ReversalWish{Redo: d.what == compact.DeedRedo, Epoch: d.epoch}, c.nextSeq())
	if err != nil {
		c.records.refuse(ctx, w, unmade(err))
		return
	}
	if _, err := c.append(ctx, r.Body); err != nil {
		c.records.refuse(ctx, w, notMade(err))
		return
	}
	done := Compacted{Epoch: r.Epoch, Undone: !r.Redo, Redone: r.Redo, Source: conversation.SourceManual,
		Preview: compact.Preview{Profile: r.Profile, Range: r.Range, Before: r.Before, After: r.After}}
	c.opts.Logger.Info("compaction", "outcome", d.what, "epoch", done.Epoch, "before", done.Preview.Before, "after", done.Preview.After)
	c.planner.rearm()
	c.dropReverted()
	c.updates.Put(done)
}

// dropReverted gives up the summaries that are being written or wait: the view is no
// longer what they were made for.
func (c *compactor) dropReverted() {
	if c.writing() {
		c.drop(c.job, errReverted)
	}
	c.prepared.drop(errReverted, everyJob)
}
