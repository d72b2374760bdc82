package compactor

import (
	"context"
	"errors"
	"slices"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/conversation"
)

// opRestore redoes turns.
const opRestore = edit.Op(updates.EditRestore)

// opRewind undoes turns.
const opRewind edit.Op = "rewind"

// operation is a command of the user or the model that waits for the next boundary.
type operation struct {
	what    edit.Op // compact, undo, redo, rewind, or an edit by hand
	request edit.Request
	epoch   uint64   // to undo, 0 for the newest in force
	turn    int      // to rewind to, negative for the newest
	events  []uint64 // to be pinned or masked
}

// Compactor reduces the view between the requests of the turn loop. It belongs to the owner of the conversation.
type Compactor struct {
	journal *core.Journal

	inbox *core.Inbox
	loop  Loop

	operations []operation // oldest first
	job        *job        // the summary that is being written or reviewed, or nil
	awaiting   bool        // the owner waits for the job

	prepared []*job // written summaries that wait for an eviction, oldest first

	replan   bool // ask the planner again before the next turn
	schedule *scheduler
	writers  *writerChooser
	gate     hookGate
}

// Loop is what the compactor needs of the turn loop.
type Loop interface {
	// ShowCompacting sets the status to compacting.
	ShowCompacting()
	// ShowIdle sets the status to idle, unless commands or messages wait.
	ShowIdle()
	// HasQueued reports whether messages wait for the turn.
	HasQueued() bool
	// ShowQueued shows and stores the messages that wait.
	ShowQueued()
	// ReturnQueued returns a text and the messages that wait to the composer.
	ReturnQueued(text string)
	// Usage is the usage event of a request.
	Usage(r llm.Outgoing, rep *llm.Reply) []conversation.Body
	// LearnWindow uses the window that a server named, in tokens.
	LearnWindow(ctx context.Context, tokens int)
	// RunHooks runs the hooks of a moment and records them. The error is the cause of their end, if they were stopped.
	RunHooks(ctx context.Context, in conversation.HookInput) (conversation.HookOutput, error)
	// DropThinking leaves the thinking of all earlier replies out of later requests.
	DropThinking(ctx context.Context)
}

// New returns the compactor of the conversation in j. The options are those of j.
func New(j *core.Journal, in *core.Inbox, loop Loop, o core.Options) *Compactor {
	c := &Compactor{
		journal: j, inbox: in, loop: loop, schedule: &scheduler{journal: j, cacheSaved: o.CacheSaved},
		writers: &writerChooser{journal: j, inbox: in, retry: o.Retry, findModel: o.Summarisers, saveTranscript: o.Transcript},
	}
	c.schedule.isWriting = func() bool { return c.job != nil }
	return c
}

// commit appends the overlays of a proposal, and the usage spent on them, in one transaction. It marks the
// summaries in the proposal as applied.
func (c *Compactor) commit(ctx context.Context, proposal *edit.Proposal, request edit.Request, usage []conversation.Body, summaries ...*job) *llm.Error {
	epoch := c.journal.NextSeq() + uint64(len(usage))
	bodies := append(slices.Clone(usage), proposal.Bodies(epoch)...)
	if _, err := c.journal.Append(ctx, bodies...); err != nil {
		return storeError(err)
	}
	for _, j := range summaries {
		j.applyEvent(eventCommitted)
	}
	p := proposal.Preview()
	c.journal.Logger.Info("compaction", "outcome", "made", "source", request.Source, "trigger", request.Trigger, "preset", c.journal.Rules().Preset,
		"profile", p.Profile, "epoch", epoch, "overlays", len(bodies)-len(usage), "from_turn", p.Range.From, "to_turn", p.Range.To,
		"before", p.Before, "after", p.After)
	layer := request.Trigger == planner.TriggerRequest
	if !layer { // layers make no room
		c.noteMade(request, p)
		c.schedule.delayModelRequests()
	}
	c.schedule.summaryStartedAt = 0
	c.dropStale()
	c.journal.Publish(updates.Compacted{Epoch: epoch, Preview: p, Source: request.Source, Layer: layer, Trimmed: proposal.DropsOldest() && request.Source != conversation.SourceManual})
	return nil
}

// dropStale discards summaries that are stale or no longer needed, so that no more is paid for them.
func (c *Compactor) dropStale() {
	j, rules := c.job, c.journal.Rules()
	for _, j := range c.prepared {
		switch {
		case j.isOvertaken(c.journal):
			j.end(errOvertaken)
		case !rules.EvictsAutomatically() || !rules.ActsAutomatically():
			j.end(errNotNeeded)
		}
	}
	if !c.HasPendingSummary() {
		return
	}
	r := c.journal.Reading()
	switch {
	case j.isOvertaken(c.journal):
		c.discard(j, errOvertaken)
	case j.state == stateInReview: // it is already paid for, and the user reads it
	case j.joinedBy != "" || j.request.Source == conversation.SourceManual || j.request.Source == conversation.SourceTool: // somebody asked for it
	case !rules.ActsAutomatically(), !rules.AsksModelAutomatically() && j.waitsForEviction(c.journal.Rules()):
		c.discard(j, errNotNeeded)
	case j.waitsForEviction(c.journal.Rules()) && !j.blocking && (c.journal.Revision() != j.basis.revision || r.IsNearLoadLine()): // the next eviction needs it
	case rules.Preset.Design().AbsoluteLoadLine: // its threshold is not a share of the window
	case r.LoadLine == 0 && j.request.Trigger != planner.TriggerOverflow, r.LoadLine > 0 && r.Used <= r.LoadLine:
		c.discard(j, errNotNeeded)
	}
}

// showForReview shows a written summary to the user, unless the job was discarded or replaced. The goroutine of the
// job puts this call into the inbox.
func (c *Compactor) showForReview(j *job) {
	if c.job != j || j.ended() {
		return
	}
	j.applyEvent(eventShown)
	c.journal.Logger.Info("compaction", "outcome", "waits for the user", "source", j.request.Source, "trigger", j.request.Trigger, "duration", j.writer.duration)
	c.announceReview()
}

// announceReview publishes the summary that is in review, if there is one.
func (c *Compactor) announceReview() {
	j := c.job
	if j == nil || j.state != stateInReview {
		return
	}
	s, _ := j.proposal.Written() // a job in review has a text
	c.journal.Publish(updates.Reviewing{
		Text: s.Text, Appendix: s.Appendix, Request: j.request, FromTurn: j.writer.from, ToTurn: j.writer.to, Covers: s.Covers, RequestWaits: c.awaiting,
	})
}

// discard ends the summary that is being written or reviewed.
func (c *Compactor) discard(j *job, cause error) {
	shown := j.state == stateInReview
	if j.end(cause); shown {
		c.journal.Publish(updates.Reviewed{})
	}
}

// hasDueOperation reports whether the oldest operation can run now: turns are rewound and restored between two turns only.
func (c *Compactor) hasDueOperation() bool {
	if len(c.operations) == 0 {
		return false
	}
	oldest := c.operations[0].what
	return !c.journal.InTurn || oldest != opRewind && oldest != opRestore
}

// WindowChanged adapts to a new window of the model.
func (c *Compactor) WindowChanged(w meter.Window) {
	c.schedule.modelMayAskAt = 0 // it was computed for the old window
	c.dropStale()
	switch p := c.writers.previous; {
	case p != nil && w.Tokens >= p.Model.Window.Tokens:
		c.writers.previous = nil
	case p != nil && !c.journal.InTurn && c.journal.Len() > 0:
		c.replan = true // as after a switch to a model with a known window
	}
}

// HasPendingSummary reports whether a summary is being written or reviewed.
func (c *Compactor) HasPendingSummary() bool { return c.job != nil && c.job.pending() }

// announceWriting publishes that a summary is being written, and whether a request waits for it.
func (c *Compactor) announceWriting(requestWaits bool) {
	j := c.job
	c.journal.Publish(updates.Compacting{
		Since: j.writer.startedAt, Summary: true, Source: j.request.Source, RequestWaits: requestWaits,
		FromTurn: j.writer.from, ToTurn: j.writer.to,
	})
}

// DropSummaries discards all summaries after an undo or a rewind: the view that they were written from no longer
// exists.
func (c *Compactor) DropSummaries() {
	if c.HasPendingSummary() {
		c.discard(c.job, errReverted)
	}
	for _, j := range c.prepared {
		j.end(errReverted)
	}
}

// ApplyLadder makes room without a model: a ladder is a list of steps, each of which reduces the request more. refused
// says that the server refused the request.
func (c *Compactor) ApplyLadder(ctx context.Context, trigger string, refused bool) {
	origin := c.originOf(trigger)
	origin.Source = conversation.SourceRecovery
	if bodies := c.schedule.check(planner.MomentRequest, refused).Recover(c.journal.Rules()); len(bodies) > 0 {
		c.applyOverlays(ctx, origin, bodies)
	}
}

// applyOverlays commits overlays as one epoch. If they save nothing or cannot be stored, nothing is changed.
func (c *Compactor) applyOverlays(ctx context.Context, origin conversation.Origin, bodies []conversation.Body) {
	request := edit.Request{Source: origin.Source, Trigger: origin.Trigger}
	if err := c.journal.Flush(ctx); err != nil {
		c.reportRefusal(ctx, request, err)
		return
	}
	proposal, err := edit.ProposeOverlays(c.journal.Events(), c.journal.Rules(), c.journal.CompactionInputs(), origin, bodies...)
	if err != nil {
		c.reportRefusal(ctx, request, proposalError(err))
		return
	}
	if err := c.commit(ctx, &proposal, request, nil); err != nil {
		c.reportRefusal(ctx, request, err)
	}
}

// hasPrepared reports whether a prepared summary covers some of the spans.
func (c *Compactor) hasPrepared(spans []conversation.Span) bool {
	return slices.ContainsFunc(c.prepared, func(j *job) bool { return j.state == stateReady && j.proposal.Covers(spans) })
}

func (j *job) isStale() bool { return j.state != stateReady }

// recordStale records the prepared summaries that are no longer ready, and removes them.
func (c *Compactor) recordStale(ctx context.Context) {
	for _, j := range c.prepared {
		if j.isStale() {
			c.recordGivenUp(ctx, j, nil)
		}
	}
	c.prepared = slices.DeleteFunc(c.prepared, (*job).isStale)
}

// reportRefusal reports that a compaction was not made. A request of the model goes into the log, too, because the user
// does not see it.
func (c *Compactor) reportRefusal(ctx context.Context, request edit.Request, e *llm.Error) {
	c.journal.Logger.Info("compaction", "outcome", "refused", "source", request.Source, "class", e.Class)
	if request.Source == conversation.SourceTool {
		c.journal.Record(ctx, conversation.Attempt{
			Source: request.Source, Trigger: request.Trigger, Preset: string(c.journal.Rules().Preset), Profile: request.Profile,
			Outcome: conversation.AttemptFailed, Why: e.Message, Before: c.journal.Meter().EstimatedTokens(),
		})
	}
	c.journal.Publish(updates.CompactionFailed{Err: e, Request: request})
}

// usageOf returns the usage events of a job, and passes on what its requests taught about the model.
func (c *Compactor) usageOf(ctx context.Context, j *job) []conversation.Body {
	var usage []conversation.Body
	for _, s := range j.writer.requests {
		usage = append(usage, c.loop.Usage(s.request, s.reply)...)
	}
	for _, b := range usage {
		if u, ok := b.(conversation.Usage); ok {
			j.writer.tokens += max(0, u.Prompt) + max(0, u.Completion)
			if u.CostUSD != nil {
				if j.writer.cost == nil {
					j.writer.cost = new(float64)
				}
				*j.writer.cost += *u.CostUSD
			}
		}
	}
	same := j.writer.model.Name() == c.journal.Model().Name()
	if n := j.writer.learnedWindow; n > 0 && same {
		c.loop.LearnWindow(ctx, n)
	}
	if j.writer.thinkingRefused && same && j.writer.base.ThinkingAfter == c.journal.ThinkingAfter() {
		c.loop.DropThinking(ctx)
	}
	return usage
}

// recordGivenUp records and publishes why a summary was given up.
func (c *Compactor) recordGivenUp(ctx context.Context, j *job, usage []conversation.Body) {
	e, outcome := failureOf(j.cause, j.writer.timeLimit)
	took := c.journal.Now().Sub(j.writer.startedAt)
	if j.writer.duration > 0 {
		took = j.writer.duration // without the time of the review
	}
	c.journal.Logger.Info("compaction", "outcome", outcome, "source", j.request.Source, "trigger", j.request.Trigger, "preset", j.writer.preset,
		"profile", j.proposal.Profile, "class", e.Class, "status", e.Status, "requests", len(j.writer.requests), "duration", took)
	if name := j.writer.preset.Design().SummaryLog; name != "" && outcome == conversation.AttemptFailed {
		c.journal.Logger.Error(name + " failed: " + string(e.Class)) // the message may quote the conversation
	}
	attempt := conversation.Attempt{
		Source: j.request.Source, Trigger: j.request.Trigger, Preset: string(j.writer.preset), Profile: j.proposal.Profile,
		Outcome: outcome, Why: e.Message, Before: c.journal.Meter().EstimatedTokens(), Duration: took.Milliseconds(),
	}
	if errors.Is(j.cause, context.Canceled) {
		attempt.Before = 0 // the program ended: the next one may try at once
	}
	if len(j.writer.requests) > 0 { // without a request no model failed
		attempt.Model = j.writer.model.Name()
		attempt.Tokens, attempt.CostUSD = j.writer.tokens, j.writer.cost
	}
	if automatic := attempt.Source == conversation.SourceAuto && outcome == conversation.AttemptFailed && attempt.Model != ""; automatic {
		if j.request.Trigger == planner.TriggerPrepare { // otherwise the eviction needs no summary, or the next one waits
			now, rules := c.journal.Reading(), c.journal.Rules()
			attempt.RetryTokens = planner.NextTry(&rules, attempt.Before, now.Window.Tokens, now.LoadLine)
		}
		attempt.Paused = c.schedule.history.Failures+1 >= c.journal.Rules().Planner.Failures
	}
	c.journal.Record(ctx, append(slices.Clone(usage), attempt)...)
	c.schedule.delayModelRequests()
	if j.joinedBy == conversation.SourceManual {
		j.request.Source = j.joinedBy
	}
	c.journal.Publish(updates.CompactionFailed{Err: e, Request: j.request})
}

// A compaction is made between requests: at once while idle, otherwise before the next request of the turn. Rules:
//
//   - Operations run in the order of their arrival. One that needs no model does not wait for a summary that is
//     being written: if it changes the view under the summary, the summary is discarded.
//   - The overlays of one proposal are one transaction. If it cannot be stored, nothing is changed, and nothing is
//     tried again.

// RunDueOperations runs between two requests, while nothing streams and no tool runs: it applies a summary that is written,
// and runs the operations that wait.
func (c *Compactor) RunDueOperations(ctx context.Context) {
	for ctx.Err() == nil {
		if c.job != nil && c.job.ended() {
			c.applySummary(ctx)
		}
		c.recordStale(ctx)
		if !c.hasDueOperation() {
			return
		}
		d := c.operations[0]
		c.operations = c.operations[1:]
		switch d.what {
		case edit.OpCompact:
			c.compact(ctx, d.request)
		case opRewind:
			c.rewind(ctx, d.turn)
		case edit.OpUndo, edit.OpRedo:
			c.revert(ctx, d)
		default:
			c.applyEdit(ctx, d)
		}
	}
}

// compact makes the compaction that a request asks for.
func (c *Compactor) compact(ctx context.Context, request edit.Request) {
	if err := c.journal.Flush(ctx); err != nil {
		c.reportRefusal(ctx, request, err)
		return
	}
	propose := func(now edit.Inputs) (edit.Proposal, error) {
		return edit.NewProposal(c.journal.Events(), c.journal.Rules(), now, request)
	}
	proposal, err := propose(c.journal.CompactionInputs())
	switch {
	case err != nil:
		c.reportRefusal(ctx, request, proposalError(err))
	case c.refusedByHooks(ctx, request, &proposal, propose):
	case proposal.Job != nil && c.commitPrepared(ctx, request, proposal.Spans):
	case proposal.Job != nil:
		j := &job{request: request, propose: propose, blocking: request.Source != conversation.SourceManual || !c.journal.Rules().Auto.Background}
		if err := c.startJob(ctx, j); err != nil {
			j.end(err)
			c.recordGivenUp(ctx, j, nil)
		}
	default:
		if err := c.commit(ctx, &proposal, request, nil); err != nil {
			c.reportRefusal(ctx, request, err)
		}
	}
}

// applyEdit makes a manual edit and publishes the result.
func (c *Compactor) applyEdit(ctx context.Context, d operation) {
	edited := updates.Edited{What: updates.Edit(d.what), Events: d.events}
	if origin, err := c.applyManual(ctx, d); err != nil {
		edited.Err = err
	} else {
		edited.Before, edited.After = origin.Before, origin.After
		c.dropStale()
	}
	c.journal.Logger.Info("steered", "what", edited.What, "events", len(edited.Events), "failed", edited.Err != nil, "before", edited.Before, "after", edited.After)
	c.journal.Publish(edited)
}

// rewind undoes turns, between two turns.
func (c *Compactor) rewind(ctx context.Context, turn int) {
	if err := c.journal.Flush(ctx); err != nil {
		c.journal.Publish(updates.Failed{Err: err})
		return
	}
	first, text := c.turnToRewind(turn, false)
	if first < 0 {
		c.journal.Publish(updates.Failed{Err: noSuchTurn()})
		return
	}
	origin := conversation.Origin{Epoch: c.journal.NextSeq(), Source: conversation.SourceManual, Trigger: string(opRewind)}
	if _, err := c.journal.Append(ctx, conversation.Rewind{Origin: origin, Turn: first}); err != nil {
		c.journal.Publish(updates.Failed{Err: llm.AsError(err)})
		return
	}
	c.DropSummaries()
	c.loop.ReturnQueued(text)
}

// An undo or a redo of a compaction is one more overlay with its own epoch. It costs no request, but like any
// compaction it breaks the cached prefix.

// revert undoes or redoes a compaction.
func (c *Compactor) revert(ctx context.Context, d operation) {
	request := edit.Request{Source: conversation.SourceManual, Trigger: string(d.what)}
	if err := c.journal.Flush(ctx); err != nil {
		c.reportRefusal(ctx, request, err)
		return
	}
	now := edit.Inputs{Meter: c.journal.Meter(), Now: c.journal.Now()}
	r, err := edit.NewReversal(c.journal.Events(), c.journal.Rules(), now,
		edit.ReversalRequest{Redo: d.what == edit.OpRedo, Epoch: d.epoch}, c.journal.NextSeq())
	if err != nil {
		c.reportRefusal(ctx, request, proposalError(err))
		return
	}
	if _, err := c.journal.Append(ctx, r.Body); err != nil {
		c.reportRefusal(ctx, request, storeError(err))
		return
	}
	done := updates.Compacted{Epoch: r.Epoch, Undone: !r.Redo, Redone: r.Redo, Source: conversation.SourceManual,
		Preview: edit.Preview{Profile: r.Profile, Range: r.Range, Before: r.Before, After: r.After}}
	c.journal.Logger.Info("compaction", "outcome", d.what, "epoch", done.Epoch, "before", done.Preview.Before, "after", done.Preview.After)
	c.schedule.delayModelRequests()
	c.DropSummaries()
	if done.Undone {
		done.Next = c.schedule.check(c.journal.Moment(), false).Forecast(c.journal.Rules()).AtTokens
	}
	c.journal.Publish(done)
}

// evictForModel evicts the oldest messages on the model's request, under rules that let no model write summaries.
func (c *Compactor) evictForModel(ctx context.Context, request edit.Request) {
	plan := c.schedule.check(c.journal.Moment(), false).EvictNow(c.journal.Rules(), request.Trigger)
	if plan.Note == nil {
		c.reportRefusal(ctx, request, proposalError(edit.ErrNothingToGain))
		return
	}
	origin := c.originOf(request.Trigger)
	origin.Source = request.Source
	c.applyOverlays(ctx, origin, plan.WithoutSummary().Masks)
}

// originOf is the origin of the overlays of an automatic compaction.
func (c *Compactor) originOf(trigger string) conversation.Origin {
	origin := conversation.Origin{Source: conversation.SourceAuto, Trigger: trigger, Preset: string(c.journal.Rules().Preset)}
	if trigger == planner.TriggerOverflow {
		origin.Source = conversation.SourceRecovery
	}
	return origin
}

// logMicro logs how many old results a plan hides, under the name that the design has for that.
func (c *Compactor) logMicro(plan planner.Plan) {
	name := c.journal.Rules().Preset.Design().MaskLog
	if n := plan.MaskedItems(); n > 0 && name != "" {
		c.journal.Logger.Info(name+" triggered", "compacted", n)
	}
}
