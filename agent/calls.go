package agent

import (
	"cmp"
	"context"
	"sync"
	"time"

	"plimsoll/agent/core"
	"plimsoll/agent/updates"
	"plimsoll/compact"
	"plimsoll/conversation"
)

// Calls run in the order of the reply. Neighboring calls that only read and need no approval run at the same time.
// Every other call runs alone. It is reviewed just before it runs, so that the user sees its current effect. The
// results of calls that ran together are one transaction, in call order. Questions to the user are in
// questions.go. When the turn is stopped, the remaining calls get the result "interrupted".

// maxParallel is the largest number of calls that run at the same time.
const maxParallel = 8

// call is a tool call and, later, its outcome.
type call struct {
	conversation.ToolCall
	invalid  bool // the arguments are not a JSON object
	reviewed bool
	review   conversation.Review
	settled  bool // the outcome is set without running the call
	outcome  conversation.Outcome
	duration time.Duration
	turn     int
	asked    bool                    // the hooks before the call ran
	hooks    []conversation.HookRan  // before and after the call
	added    []conversation.HookText // by hooks, to the result
	changed  string                  // the command that the user made of the call's; "" if it was not changed
	note     string                  // of the program to the model, in front of the result, where no cut reaches it
}

// settle sets the outcome of a call that does not run.
func (c *call) settle(status conversation.ResultStatus, text string) {
	c.settled = true
	c.outcome = conversation.Outcome{Status: status, Text: text}
}

type callRunner struct {
	journal   *core.Journal
	display   *display
	inbox     *core.Inbox
	toolbox   core.Toolbox // nil: no tools
	hooks     *hookRunner
	results   core.Results
	questions *questions
	repeats   compact.Repeats // earlier results, by their text
}

// runCalls runs the calls of a reply and appends their results. The error is an
// *Error, or the cause of ctx's end.
func (r *callRunner) runCalls(ctx context.Context, calls []*call) error {
	defer func(all []*call) {
		for _, c := range all {
			r.questions.end(c.ID)
		}
	}(calls)
	for len(calls) > 0 {
		ran, err := r.runNext(ctx, calls)
		rest := calls[ran:]
		if err != nil {
			for _, c := range rest {
				c.settle(conversation.ResultInterrupted, stoppedBefore)
			}
			ran, rest = len(calls), nil
		}
		if err := r.keepResults(ctx, calls[:ran], rest); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		calls = rest
	}
	return nil
}

// runNext runs the next calls and returns their number. The error is the cause of ctx's end.
func (r *callRunner) runNext(ctx context.Context, calls []*call) (ran int, err error) {
	group, err := r.nextGroup(ctx, calls)
	if err != nil {
		return 0, err
	}
	if err := r.askHooks(ctx, group); err != nil {
		return 0, err
	}
	if err := r.questions.decide(ctx, group[0], calls[len(group):]); err != nil {
		return 0, err
	}
	if c := group[0]; !c.reviewed && !c.settled {
		if err := r.reviewChanged(ctx, c); err != nil {
			return 0, err
		}
	}
	r.runGroup(ctx, group)
	return len(group), context.Cause(ctx)
}

// nextGroup reviews calls and returns those that run next: all calls before the first one that cannot run in
// parallel. If the first call cannot, it is returned alone.
func (r *callRunner) nextGroup(ctx context.Context, calls []*call) ([]*call, error) {
	for i, c := range calls {
		if err := r.review(ctx, c); err != nil {
			return nil, err
		}
		if !c.settled && (!c.review.ReadOnly || c.review.Need != conversation.NeedNothing) {
			// If other calls run before it, it is reviewed again just before it runs.
			c.reviewed = i == 0
			return calls[:max(i, 1)], nil
		}
	}
	return calls, nil
}

// review reviews a call once.
func (r *callRunner) review(ctx context.Context, c *call) error {
	if c.reviewed {
		return nil
	}
	c.reviewed = true
	switch {
	case c.invalid:
		c.settle(conversation.ResultError, invalidArguments)
	case r.toolbox == nil:
		c.settle(conversation.ResultError, noTools)
	default:
		c.review = core.Concurrently(ctx, r.inbox, func() conversation.Review { return r.toolbox.Review(ctx, c.ToolCall) })
	}
	return context.Cause(ctx)
}

// reviewChanged has hooks and deny rules see a command that the user changed.
func (r *callRunner) reviewChanged(ctx context.Context, c *call) error {
	if err := r.review(ctx, c); err != nil {
		return err
	}
	if err := r.askHooks(ctx, []*call{c}); err != nil {
		return err
	}
	if !c.settled && c.refusedByPermission() {
		c.settle(conversation.ResultDenied, cmp.Or(c.review.Reason, refused))
	}
	return nil
}

// runGroup runs calls at the same time and waits for all of them.
func (r *callRunner) runGroup(ctx context.Context, group []*call) {
	var toRun []*call
	for _, c := range group {
		if !c.settled {
			toRun = append(toRun, c)
		}
	}
	if len(toRun) == 0 {
		return
	}
	r.display.status(updates.Status{Phase: updates.Running})
	core.Concurrently(ctx, r.inbox, func() struct{} {
		inParallel(toRun, func(c *call) { r.runCall(ctx, c) })
		return struct{}{}
	})
}

// runCall runs one call. It is the only code of a turn that runs concurrently with the owner: it reads fields that
// New set, and writes to its call and to the mailbox.
func (r *callRunner) runCall(ctx context.Context, c *call) {
	r.journal.Publish(updates.ToolStarted{CallID: c.ID, Title: cmp.Or(c.review.Title, c.Name)})
	began := r.journal.Now()
	c.outcome = r.toolbox.Run(ctx, c.ToolCall, func(text string) {
		if text != "" {
			r.journal.Publish(updates.ToolOutput{CallID: c.ID, Text: text})
		}
	})
	c.duration = r.journal.Now().Sub(began)
	if r.hooks.port != nil && ctx.Err() == nil {
		out := r.hooks.port.Run(ctx, c.hookInput(conversation.HookAfterTool))
		c.hooks, c.added = append(c.hooks, out.Ran...), append(c.added, out.Added...)
	}
	c.outcome.Text = conversation.WithHookTexts(c.outcome.Text, c.added)
}

// hookInput is what hooks are told of the call.
func (c *call) hookInput(moment string) conversation.HookInput {
	return conversation.HookInput{Moment: moment, Turn: c.turn, Call: c.ToolCall, Status: c.outcome.Status, Text: c.outcome.Text}
}

// askHooks asks the hooks about calls that are about to run, all at once, and sets the outcome of those that they refuse.
// A single call is reviewed again, because files and the mode may have changed meanwhile. The error is the cause of ctx's end.
func (r *callRunner) askHooks(ctx context.Context, group []*call) error {
	var toAsk []*call
	for _, c := range group {
		if r.hooks.port != nil && !c.settled && !c.asked && !c.refusedByPermission() {
			c.asked, c.turn = true, max(0, r.journal.Turns()-1)
			toAsk = append(toAsk, c)
		}
	}
	if len(toAsk) == 0 {
		return nil
	}
	core.Concurrently(ctx, r.inbox, func() struct{} {
		inParallel(toAsk, func(c *call) {
			out := r.hooks.port.Run(ctx, c.hookInput(conversation.HookBeforeTool))
			if c.hooks, c.added = append(c.hooks, out.Ran...), out.Added; out.Refused {
				c.settle(conversation.ResultDenied, refusedByHook+out.Reason)
			}
		})
		return struct{}{}
	})
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if c := group[0]; len(group) == 1 && len(c.hooks) > 0 && !c.settled {
		c.reviewed = false
		return r.review(ctx, c)
	}
	return nil
}

// refusedByPermission reports whether the call will not run, whatever the hooks say.
func (c *call) refusedByPermission() bool {
	switch c.review.Need {
	case conversation.NeedNothing, conversation.NeedApproval, conversation.NeedAnswer:
		return false
	}
	return true
}

// inParallel runs f for calls, at most maxParallel at the same time, and waits for all.
func inParallel(calls []*call, f func(*call)) {
	var all sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for _, c := range calls {
		slots <- struct{}{}
		all.Go(func() {
			f(c)
			<-slots
		})
	}
	all.Wait()
}

// The texts that the model gets in place of a result. They are part of logs, and therefore of requests: a change
// here does not change stored ones.
const (
	programEnded     = "interrupted: the program ended before this call had a result"
	stoppedBefore    = "interrupted: the turn was stopped before this call ran"
	stoppedDuring    = "interrupted: the call was stopped; it printed nothing"
	replyStopped     = "not run: the reply was stopped"
	replyFailed      = "not run: the reply broke off"
	replyTooLong     = "not run: the reply reached its token limit, so this call may be incomplete; use smaller steps"
	replyWithheld    = "not run: the provider withheld the rest of the reply"
	notSavedReply    = "not run: the reply could not be saved"
	invalidArguments = "error: the arguments are not a JSON object, so the call was not run; they are kept under \"_invalid\". Call again with valid JSON"
	noTools          = "error: there are no tools in this conversation"
	nobodyApproves   = "denied: this call needs the user's approval and no user is present; do without it or say what should be done"
	nobodyAnswers    = "no user is present to answer; decide yourself, or say what you need to know"
	refusedByHook    = "denied: a hook refused it: "
	refused          = "denied: this call is not allowed"
	denied           = "denied: the user did not allow this call"
	declined         = "the user did not answer"
	userChanged      = "The user changed the command. This ran instead:\n"
)

// whyNotRun is the reason why the calls of a reply do not run, "" if they run.
func whyNotRun(stop conversation.StopReason) string {
	switch stop {
	case conversation.StopEnd, conversation.StopCalls:
		return ""
	case conversation.StopLength:
		return replyTooLong
	case conversation.StopFiltered:
		return replyWithheld
	case conversation.StopCancelled, conversation.StopInterrupted:
		return replyStopped
	}
	return replyFailed
}

// interruptedResult is the result of a call that did not run to its end.
func interruptedResult(c conversation.ToolCall, why string) conversation.ToolResult {
	return conversation.ToolResult{CallID: c.ID, Tool: c.Name, Status: conversation.ResultInterrupted, Text: why}
}

// keepResults appends the results of the done calls as one transaction. If that fails the turn ends, and the rest of
// the calls get results, too.
func (r *callRunner) keepResults(ctx context.Context, done, rest []*call) error {
	var bodies []conversation.Body
	var blobErr error
	done[0].note = conversation.JobNote(r.journal.UntoldJobs())
	for i, c := range done {
		result, err := r.result(ctx, c, r.journal.NextSeq()+uint64(i))
		if err != nil {
			blobErr = err
		}
		bodies = append(bodies, result)
	}
	for _, c := range done { // after the results, whose numbers follow from their order
		bodies = append(append(bodies, c.outcome.Events...), r.hooks.events(c.hooks)...)
	}
	if blobErr != nil {
		bodies, rest = append(bodies, abandonedResults(rest)...), nil
	}
	if _, err := r.journal.AppendOrPostpone(ctx, bodies...); err != nil {
		r.journal.Postpone(abandonedResults(rest)...)
		return err
	}
	if blobErr != nil {
		return core.NotSaved(blobErr)
	}
	return nil
}

// abandonedResults are the results of calls that do not run because the reply could not be saved.
func abandonedResults(calls []*call) []conversation.Body {
	var bodies []conversation.Body
	for _, c := range calls {
		bodies = append(bodies, interruptedResult(c.ToolCall, notSavedReply))
	}
	return bodies
}

// result is the event of a call's outcome. It has the text as the model is shown it, and the hash of a blob with the
// full text. If the blob cannot be stored, the result has no hash, and the error says why.
func (r *callRunner) result(ctx context.Context, c *call, seq uint64) (conversation.ToolResult, error) {
	text := conversation.Clean(c.outcome.Text)
	result := conversation.ToolResult{
		CallID: c.ID, Tool: c.Name, Status: cmp.Or(c.outcome.Status, conversation.ResultOK), Detail: c.outcome.Detail,
		Images: c.outcome.Images, Duration: c.duration, Ran: c.changed,
	}
	if c.changed != "" {
		text = userChanged + c.changed + "\n\n" + text
	}
	if text == "" && result.Status == conversation.ResultInterrupted {
		text = stoppedDuring
	}
	if c.note != "" {
		text = conversation.Clean(c.note) + "\n\n" + text
	}
	recall := ""
	if r.results.KeepFull && conversation.HasTool(*r.display.tools.Load(), conversation.ToolRecall) {
		recall = conversation.RecallID{First: seq, Last: seq}.String()
	}
	result.Text, result.Total = r.display.resultCap.Load().Apply(text, recall)
	result.Repeats = r.repeatedSeq(result)
	if result.Total == 0 || !r.results.KeepFull {
		return result, nil
	}
	blob, err := r.journal.PutBlob(ctx, conversation.Beginning(text, r.results.Ceiling))
	result.Blob = blob
	return result, err
}

// repeatedSeq is the Seq of an earlier result with the same text that the view shows in full. It is 0 if no result
// matches, or if the rules do not replace repeated results by pointers.
func (r *callRunner) repeatedSeq(result conversation.ToolResult) uint64 {
	if !r.journal.Rules().Preset.Design().OwnFeatures {
		return 0
	}
	result.Size = conversation.Measure(result.Text)
	view := r.journal.View()
	if seq := r.repeats.Of(result); seq != 0 && view.ShowsInFull(seq, result.Text) {
		return seq
	}
	return 0
}
