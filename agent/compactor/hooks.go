package compactor

import (
	"context"
	"errors"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/conversation"
)

// The user's hooks are asked before a compaction and told of it afterwards. Rules:
//
//   - They are asked once for a compaction, before its summary is begun: while the view stays the same, their yes counts.
//   - What they refuse is not made. The planner's next compaction waits until the request has grown, as after a failed one.
//   - At the hard line, and after the server refused a request, a notice overrules their refusal: the conversation goes on.
//   - What they want kept is in the log, where notes and summaries find it.
//   - They are not asked about masks that every request renews, and about the last resort.

// hookGate remembers what the hooks answered.
type hookGate struct {
	allowed bool   // they allowed a compaction by the planner, while the view has this revision
	at      uint64 // the revision
	retryAt int    // size of the request, in tokens, from which on they are asked again after a refusal; 0 without one
	made    []conversation.HookInput
}

// plan asks the planner, and the hooks about what it decides. The plan is empty if they refuse it, or if they are stopped.
func (c *Compactor) plan(ctx context.Context, moment planner.Moment, refused bool) planner.Plan {
	plan := c.schedule.plan(moment, refused)
	if !plan.Acts() && !plan.Prepare || plan.Trigger == planner.TriggerRequest {
		return plan
	}
	g, forced := &c.gate, refused || plan.BlocksRequest || c.journal.OverHardLine()
	switch {
	case g.allowed && g.at == c.journal.Revision():
		return plan
	case !forced && c.journal.Reading().Used < g.retryAt:
		return planner.Plan{}
	}
	about := conversation.HookCompaction{Source: conversation.SourceAuto, Trigger: plan.Trigger, FromTurn: -1, Before: c.journal.Reading().Used}
	if plan.Prepare {
		about.Trigger = planner.TriggerPrepare
	}
	out, err := c.loop.RunHooks(ctx, conversation.HookInput{Moment: conversation.HookBeforeCompaction, Compaction: about})
	switch {
	case err == nil && !out.Refused:
	case err == nil && forced:
		c.journal.Record(ctx, conversation.Notice{Level: conversation.NoticeWarning, Text: "A hook refused the compaction (" +
			out.Reason + "), but the conversation does not fit into the window without it: it is made all the same."})
	default:
		c.backOff(ctx, about, out.Reason, err)
		return planner.Plan{}
	}
	g.allowed, g.at, g.retryAt = true, c.journal.Revision(), 0
	if len(out.Ran) == 0 {
		return plan
	}
	return c.schedule.plan(moment, refused) // commands may have arrived while they ran
}

// backOff records a compaction that the hooks refused, and delays the next one.
func (c *Compactor) backOff(ctx context.Context, about conversation.HookCompaction, reason string, stopped error) {
	used, rules := c.journal.Reading(), c.journal.Rules()
	c.gate.allowed = false
	c.gate.retryAt = planner.NextTry(&rules, about.Before, used.Window.Tokens, used.LoadLine)
	attempt := conversation.Attempt{Source: about.Source, Trigger: about.Trigger, Preset: string(rules.Preset), Outcome: conversation.AttemptFailed,
		Why: "a hook refused it: " + reason, Before: c.journal.Meter().EstimatedTokens(), RetryTokens: c.gate.retryAt}
	if stopped != nil {
		attempt.Outcome, attempt.Why = conversation.AttemptCancelled, "stopped while a hook ran"
	}
	c.journal.Record(ctx, attempt)
}

// refusedByHooks asks the hooks about a compaction that the user or the model asked for, and reports a refusal. Otherwise it
// makes the proposal again, because the log has changed.
func (c *Compactor) refusedByHooks(ctx context.Context, request edit.Request, proposal *edit.Proposal, propose func(edit.Inputs) (edit.Proposal, error)) bool {
	if request.Source == conversation.SourceAuto {
		return false // they were asked about the plan
	}
	ran, failure := c.allowsRequest(ctx, request, proposal.Preview())
	if failure == nil && ran {
		var err error
		if *proposal, err = propose(c.journal.CompactionInputs()); err != nil {
			failure = proposalError(err)
		}
	}
	if failure != nil {
		c.reportRefusal(ctx, request, failure)
	}
	return failure != nil
}

// allowsRequest asks the hooks about a requested compaction, and reports whether any ran. The error says why it is not made.
func (c *Compactor) allowsRequest(ctx context.Context, request edit.Request, p edit.Preview) (ran bool, failure *llm.Error) {
	out, err := c.loop.RunHooks(ctx, conversation.HookInput{Moment: conversation.HookBeforeCompaction, Compaction: conversation.HookCompaction{
		Source: request.Source, Trigger: request.Trigger, FromTurn: p.Range.From, ToTurn: p.Range.To, Before: p.Before, Focus: request.Focus}})
	switch {
	case errors.Is(err, ErrCancelled):
		return true, &llm.Error{Class: llm.Cancelled, Message: "stopped while a hook ran", Hint: nothingChanged}
	case err != nil:
		return true, llm.AsError(err)
	case out.Refused:
		return true, &llm.Error{Class: llm.BadRequest, Message: "a hook refused the compaction: " + out.Reason, Hint: nothingChanged + "; /status lists your hooks"}
	}
	return len(out.Ran) > 0, nil
}

// noteMade keeps a compaction until the hooks can be told of it.
func (c *Compactor) noteMade(request edit.Request, p edit.Preview) {
	c.gate.retryAt = 0
	c.gate.made = append(c.gate.made, conversation.HookInput{Moment: conversation.HookAfterCompaction, Compaction: conversation.HookCompaction{
		Source: request.Source, Trigger: request.Trigger, FromTurn: p.Range.From, ToTurn: p.Range.To, Before: p.Before, After: p.After, Focus: request.Focus}})
}

// tellHooks tells the hooks of the compactions made since. What stops them ends only this.
func (c *Compactor) tellHooks(ctx context.Context) {
	made := c.gate.made
	c.gate.made = nil
	for _, in := range made {
		_, _ = c.loop.RunHooks(ctx, in)
	}
}
