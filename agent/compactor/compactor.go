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

// operation is something to be done at a boundary.
type operation struct {
	what    edit.Op // compact, undo, redo, rewind, or an edit by hand
	request edit.Request
	epoch   uint64   // to undo, 0 for the newest in force
	turn    int      // to rewind to, negative for the newest
	events  []uint64 // to be pinned or masked
}

// Compactor reduces what the model is sent, between the requests of the turn loop.
type Compactor struct {
	journal *core.Journal

	inbox *core.Inbox
	loop  Loop

	operations operations
	job        *job // the summary that is being written, or waits for the user; nil if none does
	held       bool // the owner waits for it

	prepared preparedSummaries

	replan   bool // the planner is asked once more before the next turn
	schedule *scheduler
	writers  *writers
	records  *records
	manual   manualEdits
}

// Loop is what the compactor needs of the turn loop.
type Loop interface {
	// Compacting tells that a compaction is what goes on.
	Compacting()
	// Rest tells that nothing goes on, unless something waits.
	Rest()
	// Messages reports whether messages wait for the turn.
	Messages() bool
	// ShowMessages tells which messages wait, and stores them.
	ShowMessages()
	// GiveBack returns a text to the composer, and the messages that wait.
	GiveBack(text string)
	// Usage is what a request cost, for the log.
	Usage(r llm.Outgoing, rep *llm.Reply) []conversation.Body
	// LearnWindow takes over the window that a server named, in tokens.
	LearnWindow(ctx context.Context, tokens int)
	// LeaveThinking leaves what the model thought so far out of all requests to come.
	LeaveThinking(ctx context.Context)
}

// New returns a compactor of the conversation in a journal, made of the same options.
func New(j *core.Journal, in *core.Inbox, loop Loop, o core.Options) *Compactor {
	p := &scheduler{journal: j, cacheSaved: o.CacheSaved}
	c := &Compactor{
		journal: j, inbox: in, loop: loop,
		schedule: p, writers: &writers{journal: j, inbox: in, retry: o.Retry, find: o.Summarisers, save: o.Transcript}, records: &records{journal: j, loop: loop, schedule: p},
		manual: manualEdits{j},
	}
	p.writing = func() bool { return c.job != nil }
	return c
}

// commit puts a proposal in force: its overlays, and what was spent on them, in one
// transaction. The summaries in it are applied then.
func (c *Compactor) commit(ctx context.Context, proposal *edit.Proposal, w edit.Request, spent []conversation.Body, summaries ...*job) *llm.Error {
	epoch := c.journal.NextSeq() + uint64(len(spent))
	bodies := append(slices.Clone(spent), proposal.Bodies(epoch)...)
	if _, err := c.journal.Append(ctx, bodies...); err != nil {
		return notMade(err)
	}
	for _, j := range summaries {
		j.on(eventCommitted)
	}
	p := proposal.Preview()
	c.journal.Logger().Info("compaction", "outcome", "made", "source", w.Source, "trigger", w.Trigger, "preset", c.journal.Rules().Preset,
		"profile", p.Profile, "epoch", epoch, "overlays", len(bodies)-len(spent), "from_turn", p.Range.From, "to_turn", p.Range.To,
		"before", p.Before, "after", p.After)
	layer := w.Trigger == planner.TriggerRequest
	if !layer { // which makes no room
		c.schedule.rearm()
	}
	c.schedule.askedAt = 0
	c.dropStale()
	c.journal.Tell(updates.Compacted{Epoch: epoch, Preview: p, Source: w.Source, Layer: layer, Trimmed: proposal.DropsOldest() && w.Source != conversation.SourceManual})
	return nil
}

// dropStale stops a summary that would be stale, or for which there is no
// reason any more: it is paid for no further.
func (c *Compactor) dropStale() {
	j, rules := c.job, c.journal.Rules()
	c.prepared.drop(errOvertaken, func(j *job) bool { return j.overtaken(c.journal) })
	if !rules.Evicts() || !rules.ActsByItself() {
		c.prepared.drop(errNeedless, everyJob)
	}
	if !c.Writing() {
		return
	}
	r := c.journal.Reading()
	switch {
	case j.overtaken(c.journal):
		c.drop(j, errOvertaken)
	case j.state == stateInReview: // it is paid for, and the user reads it
	case j.asked():
	case !rules.ActsByItself(), !rules.Asks() && j.waitsForStep(c.journal.Rules()):
		c.drop(j, errNeedless)
	case j.waitsForStep(c.journal.Rules()) && !j.blocking && (c.journal.Revision() != j.basis.revision || r.NearsLoadLine()): // the next step wants it
	case rules.Preset.Design().Absolute: // its threshold is not a share of the window
	case r.LoadLine == 0 && j.request.Trigger != planner.TriggerOverflow, r.LoadLine > 0 && r.Used <= r.LoadLine:
		c.drop(j, errNeedless)
	}
}

// showForReview shows a summary to the user if he wants to read it.
func (c *Compactor) showForReview(j *job) {
	if c.job != j || j.ended() {
		return
	}
	j.on(eventShown)
	c.journal.Logger().Info("compaction", "outcome", "waits for the user", "source", j.request.Source, "trigger", j.request.Trigger, "duration", j.writer.took)
	c.announceReview()
}

// announceReview tells that a summary waits for the user, if one does.
func (c *Compactor) announceReview() {
	j := c.job
	if j == nil || j.state != stateInReview {
		return
	}
	s, _ := j.proposal.Written() // it is what waits
	c.journal.Tell(updates.Reviewing{
		Text: s.Text, Appendix: s.Appendix, Request: j.request, FromTurn: j.writer.from, ToTurn: j.writer.to, Covers: s.Covers, RequestWaits: c.held,
	})
}

// drop gives a summary up that is being written or waits for the user.
func (c *Compactor) drop(j *job, cause error) {
	shown := j.state == stateInReview
	if j.end(cause); shown {
		c.journal.Tell(updates.Reviewed{})
	}
}

// betweenTurns reports whether an operation waits until no turn runs.
func (d operation) betweenTurns() bool { return d.what == opRewind || d.what == opRestore }

// operations wait for the next boundary, oldest first.
type operations []operation

// add has something done at the next boundary.
func (o *operations) add(d operation) { *o = append(*o, d) }

// due reports whether something waits that can be done now.
func (o operations) due(inTurn bool) bool {
	return len(o) > 0 && (!inTurn || !o[0].betweenTurns())
}

// take takes the oldest.
func (o *operations) take() operation {
	first := (*o)[0]
	*o = (*o)[1:]
	return first
}

// restores reports whether turns that were undone are about to be redone.
func (o operations) restores() bool {
	return slices.ContainsFunc(o, func(d operation) bool { return d.what == opRestore })
}

// WindowChanged takes another window into account.
func (c *Compactor) WindowChanged(w meter.Window) {
	c.schedule.rearmAt = 0 // it was reckoned by another window
	c.dropStale()
	switch p := c.writers.previous; {
	case p != nil && w.Tokens >= p.model.Window.Tokens:
		c.writers.previous = nil
	case p != nil && !c.journal.InTurn() && c.journal.Len() > 0:
		c.replan = true // as when it is known at once
	}
}

// Writing reports whether a summary is being written, or waits for the user.
func (c *Compactor) Writing() bool { return c.job != nil && c.job.pending() }

// announce tells that a summary is being written, or waited for.
func (c *Compactor) announce(held bool) {
	j := c.job
	c.journal.Tell(updates.Compacting{
		Since: j.writer.began, Focus: j.request.Focus, Summary: true, Source: j.request.Source, RequestWaits: held,
	})
}

// dropReverted gives up the summaries that are being written or wait: the view is no
// longer what they were made for.
func (c *Compactor) dropReverted() {
	if c.Writing() {
		c.drop(c.job, errReverted)
	}
	c.prepared.drop(errReverted, everyJob)
}

// ApplyLadder goes down the ladder that needs no model.
func (c *Compactor) ApplyLadder(ctx context.Context, trigger string, refused bool) {
	made := c.made(trigger)
	made.Source = conversation.SourceRecovery
	if bodies := c.schedule.check(planner.MomentRequest, refused).Recover(c.journal.Rules()); len(bodies) > 0 {
		c.overlay(ctx, made, bodies)
	}
}

// overlay puts overlays in force as one epoch. Where they save nothing or cannot
// be stored nothing is changed.
func (c *Compactor) overlay(ctx context.Context, made conversation.Origin, bodies []conversation.Body) {
	w := edit.Request{Source: made.Source, Trigger: made.Trigger}
	if err := c.journal.Flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	proposal, err := edit.ProposeOverlays(c.journal.Events(), c.journal.Rules(), c.journal.Situation(), made, bodies...)
	if err != nil {
		c.records.refuse(ctx, w, unmade(err))
		return
	}
	if err := c.commit(ctx, &proposal, w, nil); err != nil {
		c.records.refuse(ctx, w, err)
	}
}

// preparedSummaries are written and wait for a step, oldest first.
type preparedSummaries []*job

// covers reports whether a summary that still counts covers some of spans.
func (p preparedSummaries) covers(spans []conversation.Span) bool {
	return slices.ContainsFunc(p, func(j *job) bool { return j.state == stateReady && j.proposal.Covers(spans) })
}

// drop has summaries no longer count, for a reason.
func (p preparedSummaries) drop(why error, stale func(*job) bool) {
	for _, j := range p {
		if stale(j) {
			j.end(why)
		}
	}
}

// stale are those that no longer count.
func (p preparedSummaries) stale() []*job {
	return slices.DeleteFunc(slices.Clone(p), func(j *job) bool { return j.state == stateReady })
}

// everyJob is any summary.
func everyJob(*job) bool { return true }

// recordStale records the summaries that no longer count.
func (c *Compactor) recordStale(ctx context.Context) {
	for _, j := range c.prepared.stale() {
		c.records.giveUp(ctx, j, nil)
	}
	c.prepared = slices.DeleteFunc(c.prepared, func(j *job) bool { return j.state != stateReady })
}

// records puts into the log, and tells, what came of compactions that are not in force.
type records struct {
	journal  *core.Journal
	loop     Loop
	schedule *scheduler
}

// refuse tells that a compaction was not made. What the model asked for is on
// record, because nobody sees it ask.
func (r *records) refuse(ctx context.Context, w edit.Request, e *llm.Error) {
	r.journal.Logger().Info("compaction", "outcome", "refused", "source", w.Source, "class", e.Class)
	if w.Source == conversation.SourceTool {
		r.fail(ctx, conversation.Attempt{
			Source: w.Source, Trigger: w.Trigger, Preset: string(r.journal.Rules().Preset), Profile: w.Profile,
			Outcome: conversation.AttemptFailed, Why: e.Message, Before: r.journal.Meter().EstimatedTokens(),
		})
	}
	r.journal.Tell(updates.CompactionFailed{Err: e, Request: w})
}

// fail records a failed compaction, with what was spent on it.
func (r *records) fail(ctx context.Context, attempt conversation.Attempt, spent ...conversation.Body) {
	if _, err := r.journal.Keep(ctx, append(slices.Clone(spent), attempt)...); err != nil {
		r.journal.Tell(updates.Failed{Err: llm.AsError(err)})
	}
}

// usageOf is what the requests of a job cost, for the log.
func (r *records) usageOf(ctx context.Context, j *job) []conversation.Body {
	var spent []conversation.Body
	for _, s := range j.writer.spent {
		spent = append(spent, r.loop.Usage(s.request, s.reply)...)
	}
	for _, b := range spent {
		if u, ok := b.(conversation.Usage); ok {
			j.writer.tokens += max(0, u.Prompt) + max(0, u.Completion)
			if u.CostUSD != nil {
				sum := *u.CostUSD
				if j.writer.cost != nil {
					sum += *j.writer.cost
				}
				j.writer.cost = &sum
			}
		}
	}
	same := j.writer.model.Name() == r.journal.Model().Name()
	if n := j.writer.learned; n > 0 && same {
		r.loop.LearnWindow(ctx, n)
	}
	if j.writer.left && same && j.writer.base.ThinkingAfter == r.journal.ThinkingAfter() {
		r.loop.LeaveThinking(ctx)
	}
	return spent
}

// giveUp records and tells why a summary is not in force.
func (r *records) giveUp(ctx context.Context, j *job, spent []conversation.Body) {
	e, outcome := ended(j.cause, j.writer.limit)
	took := r.journal.Now().Sub(j.writer.began)
	if j.writer.took > 0 {
		took = j.writer.took // without the user's reading
	}
	r.journal.Logger().Info("compaction", "outcome", outcome, "source", j.request.Source, "trigger", j.request.Trigger, "preset", j.writer.preset,
		"profile", j.proposal.Profile, "class", e.Class, "status", e.Status, "requests", len(j.writer.spent), "duration", took)
	if name := j.writer.preset.Design().SummaryLog; name != "" && outcome == conversation.AttemptFailed {
		r.journal.Logger().Error(name + " failed: " + string(e.Class)) // the message may quote the conversation
	}
	attempt := conversation.Attempt{
		Source: j.request.Source, Trigger: j.request.Trigger, Preset: string(j.writer.preset), Profile: j.proposal.Profile,
		Outcome: outcome, Why: e.Message, Before: r.journal.Meter().EstimatedTokens(), Duration: took.Milliseconds(),
	}
	if errors.Is(j.cause, context.Canceled) {
		attempt.Before = 0 // the program ended: the next one may try at once
	}
	if len(j.writer.spent) > 0 { // otherwise no model is to blame
		attempt.Model = j.writer.model.Name()
		attempt.Tokens, attempt.CostUSD = j.writer.tokens, j.writer.cost
	}
	if automatic := attempt.Source == conversation.SourceAuto && outcome == conversation.AttemptFailed && attempt.Model != ""; automatic {
		if j.request.Trigger == planner.TriggerPrepare { // others are made without it, or wait for the next step
			now, rules := r.journal.Reading(), r.journal.Rules()
			attempt.RetryTokens = planner.NextTry(&rules, attempt.Before, now.Window.Tokens, now.LoadLine)
		}
		attempt.Paused = r.schedule.past.Failures+1 >= r.journal.Rules().Planner.Failures
	}
	r.fail(ctx, attempt, spent...)
	r.schedule.rearm()
	if j.joined == conversation.SourceManual {
		j.request.Source = j.joined
	}
	r.journal.Tell(updates.CompactionFailed{Err: e, Request: j.request})
}

// A compaction is made between requests: at once while idle, otherwise before
// the turn's next request. Rules:
//
//   - What is asked for is done in the order it was asked for. What needs no model
//     does not wait for a summary that is being written: if that is then no longer
//     about what the model sees, it is given up.
//   - The overlays of one proposal are one transaction. Where it cannot be stored,
//     nothing is in force and nothing waits to be.

// Boundary is where nothing streams and no tool runs: a summary that is written
// is taken in, and what waits is done.
func (c *Compactor) Boundary(ctx context.Context) {
	for ctx.Err() == nil {
		if c.job != nil && c.job.ended() {
			c.applySummary(ctx)
		}
		c.recordStale(ctx)
		if !c.operations.due(c.journal.InTurn()) {
			return
		}
		c.execute(ctx, c.operations.take())
	}
}

func (c *Compactor) execute(ctx context.Context, d operation) {
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

// compact makes the compaction that was asked for.
func (c *Compactor) compact(ctx context.Context, w edit.Request) {
	if err := c.journal.Flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	propose := func(now edit.Inputs) (edit.Proposal, error) {
		return edit.NewProposal(c.journal.Events(), c.journal.Rules(), now, w)
	}
	proposal, err := propose(c.journal.Situation())
	switch {
	case err != nil:
		c.records.refuse(ctx, w, unmade(err))
	case proposal.Job != nil && c.commitPrepared(ctx, w, proposal.Spans):
	case proposal.Job != nil:
		j := &job{request: w, work: propose, blocking: w.Source != conversation.SourceManual || !c.journal.InBackground()}
		if err := c.start(ctx, j); err != nil {
			j.end(err)
			c.records.giveUp(ctx, j, nil)
		}
	default:
		if err := c.commit(ctx, &proposal, w, nil); err != nil {
			c.records.refuse(ctx, w, err)
		}
	}
}

// applyEdit does by hand what an operation says, and tells what came of it.
func (c *Compactor) applyEdit(ctx context.Context, d operation) {
	edited := updates.Edited{What: updates.Edit(d.what), Events: d.events}
	if made, err := c.manual.overlay(ctx, d); err != nil {
		edited.Err = err
	} else {
		edited.Before, edited.After = made.Before, made.After
		c.dropStale()
	}
	c.journal.Logger().Info("steered", "what", edited.What, "events", len(edited.Events), "failed", edited.Err != nil, "before", edited.Before, "after", edited.After)
	c.journal.Tell(edited)
}

// rewind undoes turns, between two turns.
func (c *Compactor) rewind(ctx context.Context, turn int) {
	if err := c.journal.Flush(ctx); err != nil {
		c.journal.Tell(updates.Failed{Err: err})
		return
	}
	first, text := c.manual.turnToRewind(turn, false)
	if first < 0 {
		c.journal.Tell(updates.Failed{Err: noSuchTurn()})
		return
	}
	made := conversation.Origin{Epoch: c.journal.NextSeq(), Source: conversation.SourceManual, Trigger: string(opRewind)}
	if _, err := c.journal.Append(ctx, conversation.Rewind{Origin: made, Turn: first}); err != nil {
		c.journal.Tell(updates.Failed{Err: llm.AsError(err)})
		return
	}
	c.dropReverted()
	c.loop.GiveBack(text)
}

// Undoing a compaction, and redoing it, is one more overlay with its own
// epoch. It costs no request, but it breaks the cached prefix like
// any other.

// revert undoes the compaction of an operation, or redoes one.
func (c *Compactor) revert(ctx context.Context, d operation) {
	w := edit.Request{Source: conversation.SourceManual, Trigger: string(d.what)}
	if err := c.journal.Flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	now := edit.Inputs{Meter: c.journal.Meter(), Now: c.journal.Now()}
	r, err := edit.NewReversal(c.journal.Events(), c.journal.Rules(), now,
		edit.ReversalRequest{Redo: d.what == edit.OpRedo, Epoch: d.epoch}, c.journal.NextSeq())
	if err != nil {
		c.records.refuse(ctx, w, unmade(err))
		return
	}
	if _, err := c.journal.Append(ctx, r.Body); err != nil {
		c.records.refuse(ctx, w, notMade(err))
		return
	}
	done := updates.Compacted{Epoch: r.Epoch, Undone: !r.Redo, Redone: r.Redo, Source: conversation.SourceManual,
		Preview: edit.Preview{Profile: r.Profile, Range: r.Range, Before: r.Before, After: r.After}}
	c.journal.Logger().Info("compaction", "outcome", d.what, "epoch", done.Epoch, "before", done.Preview.Before, "after", done.Preview.After)
	c.schedule.rearm()
	c.dropReverted()
	if done.Undone {
		done.Next = c.schedule.check(c.journal.Moment(), false).Forecast(c.journal.Rules()).At
	}
	c.journal.Tell(done)
}

// evictForModel makes room for the model, which asked for it where rules want no model
// to be asked.
func (c *Compactor) evictForModel(ctx context.Context, w edit.Request) {
	plan := c.schedule.check(c.journal.Moment(), false).EvictNow(c.journal.Rules(), w.Trigger)
	if plan.Note == nil {
		c.records.refuse(ctx, w, unmade(edit.ErrNothingToGain))
		return
	}
	made := c.made(w.Trigger)
	made.Source = w.Source
	c.overlay(ctx, made, plan.WithoutSummary().Masks)
}

// made is how an overlay of a trigger comes about.
func (c *Compactor) made(trigger string) conversation.Origin {
	made := conversation.Origin{Source: conversation.SourceAuto, Trigger: trigger, Preset: string(c.journal.Rules().Preset)}
	if trigger == planner.TriggerOverflow {
		made.Source = conversation.SourceRecovery
	}
	return made
}

// logMicro logs that a plan hides old results, and how many, under the name that the design gives that.
func (c *Compactor) logMicro(plan planner.Plan) {
	name := c.journal.Rules().Preset.Design().MaskLog
	if n := plan.MaskedItems(); n > 0 && name != "" {
		c.journal.Logger().Info(name+" triggered", "compacted", n)
	}
}
