package agent

import (
	"context"
	"errors"
	"sync/atomic"

	"plimsoll/agent/compactor"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// Agent runs one conversation. Its methods never block; what they ask for is
// carried out by the goroutine of Run, in order, and shows up as updates.
type Agent struct {
	journal *core.Journal
	inbox   *core.Inbox
	started atomic.Bool

	// From here on, and journal, owned by the goroutine of Run.
	turn      *turn // nil while idle
	queue     *queue
	display   *display
	requester *requester
	replies   *replyKeeper
	calls     *callRunner
	windows   *windowKeeper
	inspector *inspector
	compactor *compactor.Compactor
	counter   *tokenCounter
	titler    *titler
	retry     bool // the newest request is to be made again
	maxSteps  int  // requests in one turn
	fallbacks []core.Fallback
	partial   *conversation.PartialReply // that a crash left, nil if none
}

// New returns an agent for a new or a stored conversation. Nothing is written
// before Run. The error says what is missing, or where the stored events break.
func New(o core.Options) (*Agent, error) {
	o, err := o.WithDefaults()
	if err != nil {
		return nil, err
	}
	a := &Agent{inbox: core.NewInbox(), maxSteps: o.MaxSteps, partial: o.Stored.Partial, fallbacks: o.Fallbacks}
	j, err := core.NewJournal(o, a.fold)
	if err != nil {
		return nil, err
	}
	in, shown := a.inbox, &display{journal: j, maxResult: o.Results.MaxChars}
	windows := &windowKeeper{
		journal: j, display: shown, inbox: in, ask: o.AskWindow, askedShort: map[string]bool{}, learned: map[string]conversation.Calibration{},
	}
	a.journal, a.queue, a.display, a.windows = j, &queue{updates: j.Updates()}, shown, windows
	a.requester = &requester{journal: j, display: shown, inbox: in, store: o.Log, retry: o.Retry, answered: map[string]bool{}}
	a.replies = &replyKeeper{journal: j, windows: windows, callIDs: map[string]bool{}}
	a.calls = &callRunner{journal: j, display: shown, inbox: in, toolbox: o.Toolbox, results: o.Results}
	a.compactor = compactor.New(j, in, loop{a}, o)
	windows.room = a.compactor
	a.counter = &tokenCounter{journal: j, windows: windows, requester: a.requester, inbox: in, refused: map[string]bool{}}
	a.titler = &titler{journal: j, inbox: in, named: o.Titles, usage: windows.usage}
	a.inspector = &inspector{inbox: in, one: make(chan struct{}, 1), updates: j.Updates(), account: a.compactor.Breakdown}
	if w, ok := lowered(o.Stored.Events, j.Model()); ok {
		name := j.Model().Name()
		windows.cuts = cutWatch{model: name, lowered: w, warned: map[string]bool{name: true}}
		j.UseWindow(w)
	}
	shown.declare()
	shown.fitResults()
	a.note(o.Stored.Events)
	if o.Calibrations != nil {
		a.windows.keeper = newCalibrationKeeper(o.Calibrations, o.Logger)
	}
	if o.Backlog != nil {
		a.queue.backlog = newBacklog(o.Backlog, o.Logger)
	}
	return a, nil
}

// Meter is how full the window is as the stored events leave it. It is for
// whoever opens a conversation: once Run has begun, updates tell.
func (a *Agent) Meter() meter.Meter { return a.journal.Meter() }

// Updates is where what happens can be watched. It is closed when Run ends.
func (a *Agent) Updates() *updates.Mailbox { return a.journal.Updates() }

// Send says something to the model: at once if the conversation is idle,
// otherwise it queues behind the running turn. Blank text is ignored; what is too
// long for the window comes back, and is not recorded.
func (a *Agent) Send(text string) {
	a.inbox.Put(func(context.Context) { a.enqueue(queued{text: text}) })
}

// Add says something and asks for no reply: the model is sent it with the next
// message. While a turn runs it waits. Blank text is ignored.
func (a *Agent) Add(text string) {
	a.inbox.Put(func(context.Context) { a.enqueue(queued{text: text, quiet: true}) })
}

// Retry makes the request of the newest turn again, where it has no whole reply: its message is not said twice.
func (a *Agent) Retry() {
	a.inbox.Put(func(context.Context) {
		if a.journal.InTurn() {
			a.journal.Publish(updates.Failed{Err: &llm.Error{Class: llm.BadRequest, Message: "A reply is on its way"}})
			return
		}
		a.retry = true
	})
}

// Cancel stops the running turn, keeping what arrived, and returns the queued
// messages; a request that waits to be made again is not made. Where none runs, or it waits for a summary, it stops that: the turn
// then goes on without. While nothing goes on it does nothing.
func (a *Agent) Cancel() {
	a.inbox.Put(func(context.Context) {
		switch c := a.compactor; {
		case c.HasPendingSummary() && (a.turn == nil || c.Awaiting()):
			c.Cancel()
			if a.turn != nil {
				return
			}
		case a.turn != nil:
			a.turn.cancel(compactor.ErrCancelled)
			a.display.status(updates.Status{Phase: updates.Stopping})
		}
		a.retry = false
		a.queue.giveBack()
	})
}

// TakeBack returns the queued messages and lets the running turn go on.
func (a *Agent) TakeBack() {
	a.inbox.Put(func(context.Context) { a.queue.giveBack() })
}

// Answer answers the question or the request for approval that a call waits
// for. Answers to anything else are ignored.
func (a *Agent) Answer(callID string, answer conversation.Answer) {
	a.inbox.Put(func(context.Context) {
		a.calls.answer(callID, answer)
	})
}

// SwitchModel sends requests to another model, from the next one on.
func (a *Agent) SwitchModel(m llm.Model, p llm.Provider) {
	a.inbox.Put(func(ctx context.Context) { a.switchModel(ctx, m, p) })
}

// SetWindow tells the size of a model's window when it became known late. A
// size from a stronger source stays, and so does the window of another model
// that requests go to now. Model is its name, provider/id.
func (a *Agent) SetWindow(model string, w meter.Window) {
	a.inbox.Put(func(ctx context.Context) {
		if model == a.journal.Model().Name() && a.windows.setWindow(w) {
			a.recordLimits(ctx)
		}
	})
}

// ReplaceWindow puts the window of a model in force that the user says, whatever was known of it.
func (a *Agent) ReplaceWindow(model string, w meter.Window) {
	a.inbox.Put(func(ctx context.Context) {
		if model == a.journal.Model().Name() && w != a.journal.Model().Window {
			a.windows.useWindow(w)
			a.recordLimits(ctx)
		}
	})
}

// Tell says something to the user that stays in the conversation.
func (a *Agent) Tell(text string) {
	a.inbox.Put(func(ctx context.Context) {
		a.journal.KeepForLater(ctx, conversation.Notice{Level: conversation.NoticeInfo, Text: text})
	})
}

// SetMaxOut tells the largest reply of a model, in tokens, when it became known
// late. That of another model than requests go to is ignored.
func (a *Agent) SetMaxOut(model string, tokens int) {
	a.inbox.Put(func(ctx context.Context) {
		if model != a.journal.Model().Name() || tokens <= 0 || tokens == a.journal.Model().MaxOut {
			return
		}
		a.journal.UseMaxOut(tokens)
		a.journal.Publish(updates.ModelSwitched{Model: a.journal.Model()})
		a.display.showMeter()
		a.recordLimits(ctx)
	})
}

// Rename gives the conversation a title. Blank titles are ignored; that of a
// conversation without messages is kept with its first message.
func (a *Agent) Rename(title string) {
	a.inbox.Put(func(ctx context.Context) {
		title = llm.OneLine(title)
		if title == "" {
			return
		}
		a.replies.titled = true
		a.journal.KeepForLater(ctx, conversation.Renamed{Title: title, By: "user"})
	})
}

// Run owns the conversation until ctx ends. It returns when everything it
// started has ended: nil if all that happened is in the log, otherwise an
// *Error of class NotSaved. It can be called once.
func (a *Agent) Run(ctx context.Context) error {
	if a.started.Swap(true) {
		return errors.New("the agent runs already")
	}
	defer a.journal.Updates().Close()
	a.windows.keeper.start(ctx)
	defer a.windows.keeper.finish(ctx)
	a.queue.backlog.start(ctx)
	defer a.queue.backlog.finish(ctx)
	a.windows.remember()
	a.display.showMeter()
	a.resume(ctx)
	a.compactor.Begin()
	for ctx.Err() == nil {
		a.inbox.Drain(ctx)
		if a.compactor.RunPending(ctx) {
			continue
		}
		if a.retry {
			a.retry = false
			a.runTurn(ctx, a.sendAgain)
			continue
		}
		if m, ok := a.queue.next(); ok {
			a.deliver(ctx, m)
			continue
		}
		if a.display.busy { // what waited was returned before it began
			a.setIdle()
		}
		a.counter.idle(ctx)
		a.titler.idle(ctx)
		select {
		case <-a.inbox.Wake:
		case <-ctx.Done():
		}
	}
	a.titler.wait()
	a.inbox.Drain(ctx)
	a.compactor.End(ctx)
	a.inspector.running.Wait()
	a.counter.wait()
	a.keepQuiet(ctx)
	a.queue.backlog.end(a.queue.texts())
	a.queue.giveBack()
	if err := a.journal.Flush(ctx); err != nil {
		return err
	}
	return nil
}

// Free is how many tokens of the window nothing fills yet, -1 if the window is
// unknown. It may be called from any goroutine.
func (a *Agent) Free() int { return int(a.display.free.Load()) }

// ArrivalCap is how a result that arrives now is cut. It may be called from any
// goroutine.
func (a *Agent) ArrivalCap() conversation.ArrivalCap { return *a.display.arrival.Load() }

// Declared are the names of the tools that the model is given. It may be called from
// any goroutine.
func (a *Agent) Declared() []string { return *a.display.declared.Load() }

// note keeps at hand what events say.
func (a *Agent) note(events []conversation.Event) {
	a.replies.note(events)
	for _, e := range events {
		a.calls.repeats.Note(e)
	}
}

// fold takes stored events into what is kept at hand, and tells of them.
func (a *Agent) fold(events []conversation.Event) {
	a.note(events)
	a.compactor.Observe(events)
	for i, e := range events {
		if b, ok := e.Body.(conversation.Usage); ok {
			if b.Purpose == conversation.PurposeReply && b.Model == a.journal.Model().Name() {
				a.compactor.ForgetPreviousModel() // the conversation fits into the one in use
			}
			a.windows.foldUsage(events[i:i+1], b)
		}
	}
	a.journal.Publish(updates.Appended{Events: events})
	a.display.showMeter()
}

// resume appends what a crash left: answers to calls that were open, and the
// reply that was arriving with what is known of its request, at the time when it
// did: how long the provider's cache has not been used is read from that.
func (a *Agent) resume(ctx context.Context) {
	now := a.journal.Now()
	when := now
	var bodies []conversation.Body
	for _, c := range openCalls(a.journal.Events()) {
		bodies = append(bodies, interruptedResult(c, programEnded))
	}
	if p := a.partial; p != nil && (p.Text != "" || p.Reasoning != "") {
		bodies = append(bodies, p.RecoveredBodies(a.journal.NextSeq()+uint64(len(bodies)))...)
		if n := a.journal.Len(); n > 0 && !p.Time.Before(a.journal.Events()[n-1].Time) && !p.Time.After(now) {
			when = p.Time // clocks may have been set meanwhile
		}
	}
	if _, err := a.journal.AppendAt(ctx, when, bodies...); err != nil {
		a.journal.Postpone(bodies...)
		a.journal.Publish(updates.Failed{Err: llm.AsError(err)})
	}
}

// openCalls are the calls without a result, in order.
func openCalls(events []conversation.Event) []conversation.ToolCall {
	var open []conversation.ToolCall
	for _, u := range conversation.Units(events) {
		if !u.Open {
			continue
		}
		answered := map[string]bool{}
		for _, i := range u.Events {
			if r, ok := events[i].Body.(conversation.ToolResult); ok {
				answered[r.CallID] = true
			}
		}
		reply, _ := events[u.Events[0]].Body.(conversation.AssistantMessage) // only replies have calls
		for _, c := range reply.Calls {
			if !answered[c.ID] {
				open = append(open, c)
			}
		}
	}
	return open
}
