package agent

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Agent runs one conversation. Its methods never block; what they ask for is
// carried out by the goroutine of Run, in order, and shows up as updates.
type Agent struct {
	*journal
	inbox   *inbox
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
	compactor *compactor
}

// New returns an agent for a new or a stored conversation. Nothing is written
// before Run. The error says what is missing, or where the stored events break.
func New(o Options) (*Agent, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	log, err := conversation.NewLog(o.Stored.Events)
	if err != nil {
		return nil, err
	}
	set, err := newSettings(o)
	if err != nil {
		return nil, err
	}
	j := &journal{opts: o, updates: updates.NewMailbox(), log: log, settings: set, rules: o.Rules}
	in, shown, lane := newInbox(), &display{journal: j}, llm.NewLane()
	windows := &windowKeeper{
		journal: j, display: shown, inbox: in, askedShort: map[string]bool{}, learned: map[string]conversation.Calibration{},
	}
	a := &Agent{
		journal: j, inbox: in, queue: &queue{updates: j.updates}, display: shown, windows: windows,
		requester: &requester{journal: j, display: shown, inbox: in, lane: lane, answered: map[string]bool{}},
		replies:   &replyKeeper{journal: j, windows: windows, callIDs: map[string]bool{}},
		calls:     &callRunner{journal: j, display: shown, inbox: in},
	}
	a.compactor = newCompactor(j, shown, in, a.queue, windows, lane, a.setIdle)
	windows.room = a.compactor
	a.inspector = &inspector{inbox: in, updates: j.updates, account: a.compactor.schedule.account}
	j.appended = a.fold
	if w, ok := lowered(o.Stored.Events, set.model); ok {
		a.windows.cuts = cutWatch{model: set.model.Name(), before: set.model.Window, lowered: w, said: saidBefore(o.Stored.Events, set.model.Name()), warned: map[string]bool{set.model.Name(): true}}
		a.settings.model.Window, set.model.Window = w, w
	}
	shown.declare()
	a.view = projection.Project(o.Stored.Events)
	a.meter = meter.New(set.model.MeterOptions(o.Rules)).WithPrompt(set.promptSizes()).
		WithView(a.view).WithHistory(o.Stored.Events, set.model.Name())
	shown.fitResults()
	a.note(o.Stored.Events)
	if o.Calibrations != nil {
		a.windows.keeper = newCalibrationKeeper(o.Calibrations, o.Logger)
	}
	if o.Backlog != nil {
		a.queue.backlog = newBacklogKeeper(o.Backlog, o.Logger)
	}
	return a, nil
}

// Meter is how full the window is as the stored events leave it. It is for
// whoever opens a conversation: once Run has begun, updates tell.
func (a *Agent) Meter() meter.Meter { return a.meter }

// Updates is where what happens can be watched. It is closed when Run ends.
func (a *Agent) Updates() *updates.Mailbox { return a.updates }

// Send says something to the model: at once if the conversation is idle,
// otherwise it queues behind the running turn. Blank text is ignored; what is too
// long for the window comes back, and is not recorded.
func (a *Agent) Send(text string) {
	a.inbox.put(func(context.Context) { a.enqueue(queued{text: text}) })
}

// Add says something and asks for no reply: the model is sent it with the next
// message. While a turn runs it waits. Blank text is ignored.
func (a *Agent) Add(text string) {
	a.inbox.put(func(context.Context) { a.enqueue(queued{text: text, quiet: true}) })
}

// Cancel stops the running turn, keeping what arrived, and returns the queued
// messages. Where none runs, or it waits for a summary, it stops that: the turn
// then goes on without. While nothing goes on it does nothing.
func (a *Agent) Cancel() {
	a.inbox.put(func(context.Context) {
		switch c := a.compactor; {
		case a.compactor.writing() && (a.turn == nil || c.held):
			a.compactor.drop(c.job, errCancelled)
			if a.turn != nil {
				return
			}
		case a.turn != nil:
			a.turn.cancel(errCancelled)
			a.display.status(updates.Status{Phase: updates.Stopping})
		}
		a.queue.giveBack()
	})
}

// TakeBack returns the queued messages and lets the running turn go on.
func (a *Agent) TakeBack() {
	a.inbox.put(func(context.Context) { a.queue.giveBack() })
}

// Answer answers the question or the request for approval that a call waits
// for. Answers to anything else are ignored.
func (a *Agent) Answer(callID string, answer conversation.Answer) {
	a.inbox.put(func(context.Context) {
		a.calls.answer(callID, answer)
	})
}

// SwitchModel sends requests to another model, from the next one on.
func (a *Agent) SwitchModel(m llm.Model, p llm.Provider) {
	a.inbox.put(func(ctx context.Context) { a.switchModel(ctx, m, p) })
}

// SetWindow tells the size of a model's window when it became known late. A
// size from a stronger source stays, and so does the window of another model
// that requests go to now. Model is its name, provider/id.
func (a *Agent) SetWindow(model string, w meter.Window) {
	a.inbox.put(func(ctx context.Context) {
		if model == a.settings.model.Name() && a.windows.setWindow(w) {
			a.recordLimits(ctx)
		}
	})
}

// SetMaxOut tells the largest reply of a model, in tokens, when it became known
// late. That of another model than requests go to is ignored.
func (a *Agent) SetMaxOut(model string, tokens int) {
	a.inbox.put(func(ctx context.Context) {
		if model != a.settings.model.Name() || tokens <= 0 || tokens == a.settings.model.MaxOut {
			return
		}
		a.settings.model.MaxOut = tokens
		a.meter = a.meter.WithMaxOut(tokens)
		a.updates.Put(updates.ModelSwitched{Model: a.settings.model})
		a.display.showMeter()
		a.recordLimits(ctx)
	})
}

// Rename gives the conversation a title. Blank titles are ignored; that of a
// conversation without messages is kept with its first message.
func (a *Agent) Rename(title string) {
	a.inbox.put(func(ctx context.Context) {
		title = llm.OneLine(title)
		if title == "" {
			return
		}
		a.replies.titled = true
		a.keepForLater(ctx, conversation.Renamed{Title: title, By: "user"})
	})
}

// Run owns the conversation until ctx ends. It returns when everything it
// started has ended: nil if all that happened is in the log, otherwise an
// *Error of class NotSaved. It can be called once.
func (a *Agent) Run(ctx context.Context) error {
	if a.started.Swap(true) {
		return errors.New("the agent runs already")
	}
	defer a.updates.Close()
	defer a.windows.keeper.start(ctx)()
	defer a.queue.backlog.start(ctx)()
	a.windows.outdated()
	a.display.showMeter()
	a.resume(ctx)
	a.compactor.schedule.refreshPast()
	for ctx.Err() == nil {
		a.inbox.drain(ctx)
		if a.compactor.runPending(ctx) {
			continue
		}
		if m, ok := a.queue.next(); ok {
			a.deliver(ctx, m)
			continue
		}
		if a.display.busy { // what waited was returned before it began
			a.setIdle()
		}
		select {
		case <-a.inbox.wake:
		case <-ctx.Done():
		}
	}
	a.inbox.drain(ctx)
	if j := a.compactor.job; j != nil {
		a.compactor.drop(j, context.Cause(ctx))
		<-j.done
		a.compactor.finish(ctx, j) // the view stays as it was
	}
	a.compactor.prepared.drop(errUnused, everyJob)
	a.compactor.recordStale(ctx)
	a.inspector.wait()
	a.keepQuiet(ctx)
	a.queue.backlog.end(a.queue.texts())
	a.queue.giveBack()
	if err := a.flush(ctx); err != nil {
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

// fold takes stored events into the view, the meter and what is kept at hand, and
// tells of them.
func (a *Agent) fold(events []conversation.Event) {
	a.note(events)
	a.view = a.view.Extend(a.log.Events())
	a.meter = a.meter.WithView(a.view)
	if slices.ContainsFunc(events, func(e conversation.Event) bool { return regards(e.Body) }) {
		a.compactor.schedule.refreshPast()
	}
	for i, e := range events {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			a.settings.instructions = b
		case conversation.ModelChanged:
			a.settings.changed = b
		case conversation.ConfigChanged:
			maps.Copy(a.settings.recorded, b.Set)
		case conversation.Usage:
			if b.For == conversation.ForReply && b.Model == a.settings.model.Name() {
				a.compactor.writers.previous = nil // the conversation fits into the one in use
			}
			a.windows.foldUsage(events[i:i+1], b)
		}
	}
	a.updates.Put(updates.Appended{Events: events})
	a.display.showMeter()
}

// resume appends what a crash left: answers to calls that were open, and the
// reply that was arriving with what is known of its request, at the time when it
// did: how long the provider's cache has not been used is read from that.
func (a *Agent) resume(ctx context.Context) {
	now := a.opts.Now()
	when := now
	var bodies []conversation.Body
	for _, c := range openCalls(a.log.Events()) {
		bodies = append(bodies, interruptedResult(c, programEnded))
	}
	if p := a.opts.Stored.Partial; p != nil && (p.Text != "" || p.Reasoning != "") {
		bodies = append(bodies, p.Recovered(a.nextSeq()+uint64(len(bodies)))...)
		if n := a.log.Len(); n > 0 && !p.Time.Before(a.log.Events()[n-1].Time) && !p.Time.After(now) {
			when = p.Time // clocks may have been set meanwhile
		}
	}
	if _, err := a.appendAt(ctx, when, bodies...); err != nil {
		a.pending = append(a.pending, bodies...)
		a.updates.Put(updates.Failed{Err: llm.AsError(err)})
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
