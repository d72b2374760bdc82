package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A turn is a user message and all that follows: request, reply, calls, results, the next request, until a reply
// has no calls. It ends early when it is stopped, when it fails, or after too many steps. In each case the log can
// be sent again, and the next message starts a new turn.

type turn struct {
	cancel   context.CancelCauseFunc
	hasBegun bool // its message is in the log
	// The compaction that the model asked for with the compact tool, or nil.
	compactRequest *edit.Request
	hasCompacted   bool // the compact tool was already used in this turn
	isPaused       bool // the provider paused the reply: the next request continues it
	wasRefused     bool // the model refused to answer

	takeover
}

// runTurn runs a turn; begin appends the events that start it.
func (a *Agent) runTurn(ctx context.Context, begin func(context.Context) error) {
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &turn{cancel: cancel, takeover: takeover{journal: a.journal, untried: a.fallbacks}}
	a.turn = t
	a.journal.InTurn = true
	err := a.runSteps(turnCtx, begin)
	a.hooks.atTurnEnd(ctx, t, err)
	a.turn = nil
	a.journal.InTurn = false
	if t.wasRefused {
		m, _ := conversation.Newest[conversation.UserMessage](a.journal.Events())
		a.queue.returnToComposer(m.Typed()) // the user may write it differently
	}
	if t.chosenModel != nil {
		a.switchModel(ctx, t.chosenModel.Model, t.chosenModel.Provider)
	}
	a.journal.StoreOverrides(ctx)
	if err == nil {
		a.compactor.CompactAfterTurn(ctx)
	}

	if failure, ok := errors.AsType[*llm.Error](err); ok {
		a.queue.returnToComposer()
		logged := t.hasBegun && failure.Class != llm.NotSaved && failure.Class != llm.Cancelled
		if logged {
			_, err := a.journal.AppendOrPostpone(ctx, conversation.TurnFailed{Class: string(failure.Class), Message: failure.Error(),
				Hint: failure.Hint, Status: failure.Status, Tries: failure.Tries, Duration: failure.Took.Milliseconds()})
			logged = err == nil
		}
		a.journal.Publish(updates.Failed{Err: failure, Logged: logged})
	}
	a.setIdle()
}

// setIdle sets the status to idle, unless messages or operations wait.
func (a *Agent) setIdle() {
	if len(a.queue.messages) == 0 && !a.compactor.HasOperations() {
		a.display.status(updates.Status{Phase: updates.Idle})
	}
}

// runSteps makes requests and runs tool calls until the turn ends. The error is an *Error, or the cause of ctx's end.
func (a *Agent) runSteps(ctx context.Context, begin func(context.Context) error) error {
	if err := begin(ctx); err != nil {
		return err
	}
	a.turn.hasBegun = true
	if err := a.startServers(ctx); err != nil {
		return err
	}
	for range a.maxSteps {
		calls, err := a.step(ctx)
		if err == nil && a.turn.isPaused {
			continue
		}
		if err != nil || len(calls) == 0 {
			return err
		}
		if err := a.calls.runCalls(ctx, calls); err != nil {
			return err
		}
		a.turn.compactRequest = compactRequestOf(calls)
	}
	_, err := a.journal.AppendOrPostpone(ctx, conversation.Notice{
		Level: conversation.NoticeWarning,
		Text:  fmt.Sprintf("The turn was ended after %d requests. Say \"go on\" to continue.", a.maxSteps),
	})
	return err
}

// startServers starts the MCP servers and declares their tools, in the first turn of a run.
func (a *Agent) startServers(ctx context.Context) error {
	if a.servers == nil || a.serversStarted {
		return nil
	}
	err := a.declareServerTools(ctx, false)
	if cause := context.Cause(ctx); cause != nil {
		return cause // the next turn starts what is not running yet
	}
	a.serversStarted = true
	return err
}

// declareServerTools declares what the MCP servers offer. In a conversation of which a model has seen a request it does so only
// if the user asked for it.
func (a *Agent) declareServerTools(ctx context.Context, asked bool) error {
	a.display.status(updates.Status{Phase: updates.Starting})
	declare := a.journal.ServerTools(a.servers)
	specs := core.Concurrently(ctx, a.inbox, func() []conversation.ToolSpec { return declare(ctx) })
	bodies, err := a.journal.DeclareServerTools(specs, asked)
	if err != nil { // a schema that is no JSON: the conversation goes on without these tools
		bodies = []conversation.Body{conversation.Notice{Level: conversation.NoticeWarning, Text: err.Error()}}
	}
	a.display.storeTools()
	a.display.showMeter()
	_, err = a.journal.AppendOrPostpone(ctx, bodies...)
	return err
}

// appendMessage appends a user message, and before it the settings that are not in the log yet. A message that can never
// be sent is not recorded.
func (a *Agent) appendMessage(ctx context.Context, text string) error {
	failure := a.journal.Oversized(text)
	if failure != nil && llm.FromServer(a.journal.Model().Window) && a.windows.askWindow(ctx) { // its window may have grown
		failure = a.journal.Oversized(text)
	}
	if failure != nil {
		return failure
	}
	message, ran, err := a.hooks.aboutMessage(ctx, text)
	if err != nil {
		return err
	}
	message = message.WithNote(conversation.JobNote(a.journal.UntoldJobs()))
	if failure := a.journal.Oversized(message.Text); failure != nil {
		a.journal.Postpone(ran...)
		return failure
	}
	bodies, err := a.journal.UnrecordedSettings(ctx)
	if err != nil {
		return core.NotSaved(err)
	}
	_, err = a.journal.Append(ctx, append(append(bodies, message), ran...)...)
	return err
}

// step makes one request, stores the reply, and returns the calls to run. A request that the server refuses as too long is
// shortened and made once more. A request whose thinking the server refuses is made once more without thinking. A fallback
// model that takes over begins anew.
func (a *Agent) step(ctx context.Context) ([]*call, error) {
	for shortened, thinkingDropped := false, false; ; {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		r, err := a.nextRequest(ctx)
		if err != nil {
			return nil, err
		}
		a.display.showMeter()
		answer := a.requester.makeRequest(ctx, r)
		a.windows.checkWindow(ctx, r, answer)
		a.display.showMeter()
		if a.fallBack(ctx, r, answer) {
			shortened, thinkingDropped = false, false
			continue
		}
		calls, err := a.replies.keepReply(ctx, r, answer)
		if answer.err == nil {
			a.turn.isPaused, a.turn.wasRefused = answer.reply.Paused, answer.reply.Refusal != ""
			if a.turn.wasRefused {
				a.compactor.DropSummaries()
			}
			return calls, err
		}
		if err != nil {
			a.journal.Publish(updates.Failed{Err: llm.AsError(err)})
		}
		failure := llm.AsOverflow(answer.err)
		if failure == nil {
			if thinkingDropped || !llm.AsError(answer.err).RefusesThinking || !a.replies.dropThinking(ctx) {
				return nil, answer.err
			}
			thinkingDropped = true
			continue
		}
		tooLong := a.windows.learnFromRefusal(ctx, r, failure, a.compactor.RoomHint(failure))
		if shortened || err != nil || answer.reply.Arrived() {
			return nil, tooLong
		}
		shortened = a.retryShorter(ctx, r)
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if !shortened {
			return nil, tooLong
		}
	}
}

// nextRequest prepares every request, also inside a tool loop. Compactions and changed settings take effect here,
// never in the middle of a stream.
func (a *Agent) nextRequest(ctx context.Context) (llm.Outgoing, error) {
	a.compactor.RunDueOperations(ctx)
	if t := a.turn; t.compactRequest != nil && ctx.Err() == nil {
		request, again := *t.compactRequest, t.hasCompacted
		t.compactRequest, t.hasCompacted = nil, true
		a.compactor.CompactForModel(ctx, request, again)
	}
	if err := a.journal.RecordSettings(ctx); err != nil {
		return llm.Outgoing{}, err
	}
	if err := a.windows.retryInLargerWindow(ctx, a.compactor.CompactBeforeRequest(ctx)); err != nil {
		return llm.Outgoing{}, err
	}
	if err := a.journal.RecordSettings(ctx); err != nil { // settings may have changed meanwhile
		return llm.Outgoing{}, err
	}
	a.journal.ChooseTTL()
	m := a.journal.Model()
	messages, err := projection.Harden(a.journal.View(), m.Caps)
	if err != nil && !(a.turn.isPaused && errors.Is(err, projection.ErrNothingToSend) && len(messages) > 0) {
		return llm.Outgoing{}, &llm.Error{Class: llm.BadRequest, Message: err.Error(), Hint: "send a message first", Err: err}
	}
	r := llm.Outgoing{
		Request:  a.journal.Request(messages),
		Provider: a.journal.Provider(), To: m, Estimate: a.journal.Meter().RequestEstimate(),
		Images: a.journal.Meter().RequestImages(), Revision: a.journal.View().Revision, After: uint64(a.journal.Len()),
	}
	r.MaxTokens = maxTokens(a.journal.Reading(), m.ReplyLimit)
	return r, nil
}

// blindShare is the largest share of a refused request that its last try may have, while the window is unknown.
const blindShare = 0.6

// retryShorter shortens a request that the server refused as too long, and reports whether it is shorter now. It
// compacts first as above the hard line, then by the compactor's ladder of ever stronger steps.
func (a *Agent) retryShorter(ctx context.Context, r llm.Outgoing) bool {
	share := preset.DefaultTriggerRatio
	if !a.journal.Model().Window.IsKnown() {
		share = blindShare
	}
	fits := func() bool {
		return a.journal.Meter().RequestEstimate() <= share*r.Estimate && !a.journal.OverHardLine()
	}
	same := func() bool { return r.To.Name() == a.journal.Model().Name() }
	a.compactor.MakeShorter(ctx, same, fits)
	if !same() {
		return true // the new model may have room for all of it
	}
	if ctx.Err() == nil && !fits() {
		a.compactor.ApplyLadder(ctx, planner.TriggerOverflow, true)
	}
	return a.journal.Meter().RequestEstimate() < r.Estimate
}

// enqueue adds a message to the queue, from which an idle conversation takes it at once. During a turn, a message
// that can never be sent is returned to the composer at once.
func (a *Agent) enqueue(m queued) {
	if strings.TrimSpace(m.text) == "" {
		return
	}
	busy := a.journal.InTurn || a.compactor.Awaiting()
	if err := a.journal.Oversized(m.text); err != nil && busy {
		a.journal.Publish(updates.Returned{Texts: []string{m.text}})
		a.journal.Publish(updates.Failed{Err: err})
		return
	}
	a.queue.messages = append(a.queue.messages, m)
	if busy {
		a.queue.store()
		a.queue.show()
	}
}

// beginRetry repeats the request of the newest turn, without the part of a reply that broke off.
func (a *Agent) beginRetry(ctx context.Context) error {
	broken, needsReply := conversation.NeedsReply(a.journal.Events())
	a.turn.isPaused = needsReply // the newest reply may be complete but paused
	if !needsReply {
		return &llm.Error{Class: llm.BadRequest, Message: "Nothing to send again: your newest message has its reply", Hint: "/undo goes back to it"}
	}
	bodies, err := a.journal.UnrecordedSettings(ctx)
	if err != nil {
		return core.NotSaved(err)
	}
	if broken != 0 {
		bodies = append(bodies, conversation.Rewind{Turn: a.journal.Turns(), Reply: broken, Origin: conversation.Origin{
			Epoch: a.journal.NextSeq() + uint64(len(bodies)), Source: conversation.SourceManual, Trigger: "retry", Why: "sent again without the reply that broke off"}})
	}
	_, err = a.journal.Append(ctx, bodies...)
	return err
}

// deliver handles a message of the queue: it runs a turn, or only appends a quiet one.
func (a *Agent) deliver(ctx context.Context, m queued) {
	if !m.quiet {
		a.runTurn(ctx, func(ctx context.Context) error {
			if m.on != nil {
				a.turn.chosenModel = &llm.Endpoint{Model: a.journal.Model(), Provider: a.journal.Provider()}
				a.useModel(m.on.Model, m.on.Provider, true)
			}
			if err := a.appendMessage(ctx, m.text); err != nil {
				a.queue.returnToComposer(m.text)
				return err
			}
			a.queue.store() // the text is in the log now
			return nil
		})
		return
	}
	if err := a.appendMessage(ctx, m.text); err != nil {
		a.queue.returnToComposer(m.text)
		a.journal.Publish(updates.Failed{Err: llm.AsError(err)})
	}
	a.queue.store() // it is in the log now, or in the composer
	a.setIdle()
}

// appendQuiet appends the quiet messages of the queue when the agent ends.
func (a *Agent) appendQuiet(ctx context.Context) {
	var left []queued
	messages := a.queue.messages
	before := len(messages)
	a.queue.messages = nil // commands that arrive while hooks run add others
	for _, m := range messages {
		if !m.quiet || a.appendMessage(context.WithoutCancel(ctx), m.text) != nil {
			left = append(left, m)
		}
	}
	a.queue.messages = append(left, a.queue.messages...)
	if len(left) < before {
		a.queue.store()
	}
}

// compactRequestOf is the compaction that the model asked for by a compact call, or nil.
func compactRequestOf(calls []*call) *edit.Request {
	for _, c := range slices.Backward(calls) {
		if c.Name == conversation.ToolCompact && c.outcome.Status == conversation.ResultOK {
			var args struct {
				Focus string `json:"focus"`
			}
			_ = json.Unmarshal([]byte(c.Arguments), &args) // no focus where it is not a text
			return &edit.Request{Focus: llm.OneLine(args.Focus), KeepLast: -1, Source: conversation.SourceTool, Trigger: "compact tool"}
		}
	}
	return nil
}

// loop is the turn loop in the form that the compactor needs.
type loop struct{ *Agent }

// ShowCompacting sets the status to compacting.
func (l loop) ShowCompacting() { l.display.status(updates.Status{Phase: updates.PhaseCompacting}) }

// ShowIdle sets the status to idle, unless messages or operations wait.
func (l loop) ShowIdle() { l.setIdle() }

// HasQueued reports whether messages wait for the turn.
func (l loop) HasQueued() bool { return len(l.queue.messages) > 0 }

// ShowQueued stores and publishes the queue.
func (l loop) ShowQueued() {
	l.queue.store()
	l.queue.show()
}

// ReturnQueued returns a text, and then the queued messages, to the composer.
func (l loop) ReturnQueued(text string) { l.queue.returnToComposer(text) }

// Usage is the usage event of a request.
func (l loop) Usage(r llm.Outgoing, rep *llm.Reply) []conversation.Body {
	return l.windows.usageEvents(r, rep, 0)
}

// LearnWindow uses the window that a server named.
func (l loop) LearnWindow(ctx context.Context, tokens int) { l.windows.learnWindow(ctx, tokens) }

// RunHooks runs the hooks of a moment and records them.
func (l loop) RunHooks(ctx context.Context, in conversation.HookInput) (conversation.HookOutput, error) {
	out, err := l.hooks.run(ctx, in)
	l.hooks.record(ctx, out.Ran)
	return out, err
}

// DropThinking leaves the thinking of the replies so far out of later requests.
func (l loop) DropThinking(ctx context.Context) { l.replies.dropThinking(ctx) }
