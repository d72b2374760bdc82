package agent

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"plimsoll/agent/compactor"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// Agent runs one conversation. Its methods never block: the goroutine of Run carries out their commands, in order,
// and publishes the results as updates.
type Agent struct {
	journal *core.Journal
	inbox   *core.Inbox
	ended   chan struct{} // closed when Run has returned
	started atomic.Bool

	// The fields below, and journal, belong to the goroutine of Run.
	turn           *turn // nil while idle
	queue          *queue
	display        *display
	requester      *requester
	replies        *replyKeeper
	calls          *callRunner
	questions      *questions
	windows        *windowKeeper
	inspector      *inspector
	compactor      *compactor.Compactor
	counter        *tokenCounter
	titler         *titler
	warmer         *warmer
	hooks          *hookRunner
	asked          atomic.Int64   // questions of AskUser
	sides          sync.RWMutex   // read-locked by each AskModel
	running        sync.WaitGroup // counts, titles and pings
	retryRequested bool           // Retry was called: the newest request must be made again
	maxSteps       int            // most requests in one turn
	fallbacks      []core.Fallback
	servers        core.ToolServers           // nil without MCP servers
	serversStarted bool                       // in this run
	partial        *conversation.PartialReply // the partial reply that a crash left in storage, or nil
}

// New returns an agent for a new or a stored conversation, and does not change the log. The error names a missing
// option, or the stored event that is invalid.
func New(o core.Options) (*Agent, error) {
	o, err := o.WithDefaults()
	if err != nil {
		return nil, err
	}
	a := &Agent{inbox: &core.Inbox{Wake: make(chan struct{}, 1)}, ended: make(chan struct{}), maxSteps: o.MaxSteps, partial: o.Stored.Partial, fallbacks: o.Fallbacks, servers: o.Servers}
	j, err := core.NewJournal(o, a.observeStored)
	if err != nil {
		return nil, err
	}
	in, disp := a.inbox, &display{journal: j, maxResult: o.Results.MaxChars}
	windows := &windowKeeper{
		journal: j, display: disp, inbox: in, askServer: o.AskWindow, askedAfterUndercount: map[string]bool{},
		calibrations: map[string]conversation.Calibration{}, truncation: truncationWatch{warnedModels: map[string]bool{}},
	}
	a.journal, a.queue, a.display, a.windows = j, &queue{updates: j.Updates}, disp, windows
	a.requester = &requester{journal: j, display: disp, inbox: in, store: o.Log, retry: o.Retry, answeredModels: map[string]bool{}}
	a.replies = &replyKeeper{journal: j, windows: windows, callIDs: map[string]bool{}}
	a.hooks = &hookRunner{journal: j, inbox: in, display: disp, port: o.Hooks, warned: map[string]bool{}}
	a.questions = &questions{journal: j, display: disp, inbox: in, toolbox: o.Toolbox, open: map[string]*question{}}
	a.calls = &callRunner{journal: j, display: disp, inbox: in, toolbox: o.Toolbox, hooks: a.hooks, results: o.Results, questions: a.questions}
	a.compactor = compactor.New(j, in, loop{a}, o)
	windows.compactor = a.compactor
	a.counter = &tokenCounter{journal: j, windows: windows, requester: a.requester, inbox: in, refusedModels: map[string]bool{}}
	a.titler = &titler{Agent: a, asksModel: o.Titles}
	a.warmer = &warmer{Agent: a, isOn: o.KeepWarm, cancel: func() {}}
	a.inspector = &inspector{inbox: in, computing: make(chan struct{}, 1), updates: j.Updates, breakdown: func() func() inspect.Breakdown {
		return a.compactor.Breakdown(j.Rules(), meter.Window{})
	}}
	if w, ok := windowAfterTruncation(o.Stored.Events, j.Model()); ok {
		name := j.Model().Name()
		windows.truncation = truncationWatch{model: name, loweredWindow: w, warnedModels: map[string]bool{name: true}}
		j.UseWindow(w)
	}
	disp.storeTools()
	disp.updateResultCap()
	a.observe(o.Stored.Events)
	if o.Calibrations != nil {
		a.windows.keeper = newCalibrationKeeper(o.Calibrations, o.Logger)
	}
	if o.Backlog != nil {
		a.queue.backlog = newBacklog(o.Backlog, o.Logger)
	}
	return a, nil
}

// Meter is the meter of the stored events, for use before Run. Later values arrive as updates.
func (a *Agent) Meter() meter.Meter { return a.journal.Meter() }

// Updates is the mailbox of the updates. It is closed when Run ends.
func (a *Agent) Updates() *updates.Mailbox { return a.journal.Updates }

// Send sends a message to the model, or queues it while a turn runs. Blank text is ignored. A text that is too
// long for the window returns to the composer and is not recorded.
func (a *Agent) Send(text string) {
	a.inbox.Put(func(context.Context) { a.enqueue(queued{text: text}) })
}

// SendOn is Send with another model for this turn. A message that is returned to the composer loses it.
func (a *Agent) SendOn(text string, m llm.Model, p llm.Provider) {
	a.inbox.Put(func(context.Context) { a.enqueue(queued{text: text, on: &llm.Endpoint{Model: m, Provider: p}}) })
}

// Add adds a message without requesting a reply: the model gets it with the next request. While a turn runs, the
// message is queued. Blank text is ignored.
func (a *Agent) Add(text string) {
	a.inbox.Put(func(context.Context) { a.enqueue(queued{text: text, quiet: true}) })
}

// Retry makes the request of the newest turn again if it has no complete reply. The user message is not recorded
// again.
func (a *Agent) Retry() {
	a.inbox.Put(func(context.Context) {
		if a.journal.InTurn {
			a.journal.Publish(updates.Failed{Err: &llm.Error{Class: llm.BadRequest, Message: "A reply is on its way"}})
			return
		}
		a.retryRequested = true
	})
}

// Cancel stops the running turn, keeps the partial reply, and returns the queued messages to the composer. It also
// cancels a Retry that has not begun. While a turn waits for a summary, Cancel stops only the summary, and the turn
// continues. While no turn runs, Cancel stops the summary that is being written.
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
		default:
			a.hooks.stop(compactor.ErrCancelled)
		}
		a.retryRequested = false
		a.queue.returnToComposer()
	})
}

// ReturnQueued returns the queued messages to the composer. The running turn continues.
func (a *Agent) ReturnQueued() {
	a.inbox.Put(func(context.Context) { a.queue.returnToComposer() })
}

// Answer answers the question or the approval request with the ID of its call. It is ignored if the question is not open.
func (a *Agent) Answer(callID string, answer conversation.Answer) {
	a.inbox.Put(func(context.Context) {
		a.questions.answer(callID, answer)
	})
}

// SwitchModel makes the next requests go to another model.
func (a *Agent) SwitchModel(m llm.Model, p llm.Provider) {
	a.inbox.Put(func(ctx context.Context) { a.switchModel(ctx, m, p) })
}

// SetWindow sets the window of the current model when its size becomes known after the start. model is its name,
// provider/id. The call is ignored for another model, or if a more reliable source has set the size.
func (a *Agent) SetWindow(model string, w meter.Window) {
	a.inbox.Put(func(ctx context.Context) {
		if model == a.journal.Model().Name() && a.windows.setWindow(w) {
			a.recordLimits(ctx)
		}
	})
}

// ReplaceWindow sets the window that the user chose for a model. It replaces a size from any other source.
func (a *Agent) ReplaceWindow(model string, w meter.Window) {
	a.inbox.Put(func(ctx context.Context) {
		if model == a.journal.Model().Name() && w != a.journal.Model().Window {
			a.windows.useWindow(w)
			a.recordLimits(ctx)
		}
	})
}

// AddNotice records a notice for the user in the conversation.
func (a *Agent) AddNotice(text string) {
	a.inbox.Put(func(ctx context.Context) {
		a.journal.AppendWhenIdle(ctx, conversation.Notice{Level: conversation.NoticeInfo, Text: text})
	})
}

// Record appends events that have no effect on the conversation, such as the state of a server. Any goroutine may call it.
func (a *Agent) Record(bodies ...conversation.Body) {
	a.inbox.Put(func(ctx context.Context) { a.journal.AppendWhenIdle(ctx, bodies...) })
}

// Append stores events that have no effect on the conversation, also while a turn runs, and waits until they are stored. Any
// goroutine may call it.
func (a *Agent) Append(ctx context.Context, bodies ...conversation.Body) error {
	failed, err := ask(ctx, a, func() error {
		_, err := a.journal.Append(ctx, bodies...)
		return err
	})
	return cmp.Or(failed, err)
}

// DeclareServerTools declares the tools that the servers offer now, in place of those that the conversation has. The next request
// is then read anew in full.
func (a *Agent) DeclareServerTools() {
	a.inbox.Put(func(ctx context.Context) {
		switch {
		case a.servers == nil:
		case a.journal.InTurn:
			a.journal.Publish(updates.Failed{Err: &llm.Error{Class: llm.BadRequest, Message: "The tools can change when the turn has ended"}})
		default:
			if err := a.declareServerTools(ctx, true); err != nil {
				a.journal.Publish(updates.Failed{Err: llm.AsError(err)})
			}
			a.setIdle()
		}
	})
}

// SetMaxOut sets the largest reply of the current model, in tokens, when it becomes known after the start. The call
// is ignored for another model.
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

// Rename sets the title of the conversation. Blank titles are ignored. A conversation without messages records the
// title with its first message.
func (a *Agent) Rename(title string) {
	a.inbox.Put(func(ctx context.Context) {
		title = llm.OneLine(title)
		if title == "" {
			return
		}
		a.replies.hasTitle = true
		a.journal.AppendWhenIdle(ctx, conversation.Renamed{Title: title, By: "user"})
	})
}

// Run owns the conversation until ctx ends, and returns when everything it started has ended. The error is nil if
// all events are in the log, otherwise an *Error of class NotSaved. It can be called once.
func (a *Agent) Run(ctx context.Context) error {
	if a.started.Swap(true) {
		return errors.New("the agent runs already")
	}
	defer close(a.ended)
	defer a.journal.Updates.Close()
	a.windows.keeper.start(ctx)
	defer a.windows.keeper.finish(ctx)
	a.queue.backlog.start(ctx)
	defer a.queue.backlog.finish(ctx)
	a.windows.storeServerWindow()
	a.display.showMeter()
	a.resume(ctx)
	a.compactor.Begin()
	for ctx.Err() == nil {
		if a.inbox.Drain(ctx); a.retryRequested || len(a.queue.messages) > 0 || a.compactor.HasOperations() {
			a.warmer.cancel()
		}
		if a.compactor.RunWhileIdle(ctx) {
			continue
		}
		if a.retryRequested {
			a.retryRequested = false
			a.runTurn(ctx, a.beginRetry)
			continue
		}
		if m, ok := a.queue.next(); ok {
			a.deliver(ctx, m)
			continue
		}
		if a.display.isBusy() { // Cancel or ReturnQueued emptied the queue
			a.setIdle()
		}
		a.titler.idle(ctx)
		select {
		case <-a.inbox.Wake:
		case <-a.counter.idle(ctx, &a.running):
		case <-a.warmer.idle(ctx):
		case <-ctx.Done():
		}
	}
	a.running.Wait()
	a.sides.Lock() // what they cost is in the inbox
	a.inbox.Drain(ctx)
	a.sides.Unlock()
	a.compactor.End(ctx)
	a.inspector.running.Wait()
	a.appendQuiet(ctx)
	a.queue.backlog.end(a.queue.texts())
	a.queue.returnToComposer()
	if err := a.journal.Flush(ctx); err != nil {
		return err
	}
	return nil
}

// FreeTokens is the number of free tokens in the window, -1 if its size is unknown. Any goroutine may call it.
func (a *Agent) FreeTokens() int { return int(a.display.freeTokens.Load()) }

// ArrivalCap is the cap on a tool result at the time it arrives. Any goroutine may call it.
func (a *Agent) ArrivalCap() conversation.ArrivalCap { return *a.display.resultCap.Load() }

// DeclaredTools lists the tools in the requests, and their tokens as the gauge shows them. Any goroutine may call it.
func (a *Agent) DeclaredTools() (tools []conversation.ToolSpec, tokens int) {
	return *a.display.tools.Load(), int(a.display.toolTokens.Load())
}

// observe updates the state for titles, call IDs and repeated results with new events.
func (a *Agent) observe(events []conversation.Event) {
	a.replies.observe(events)
	for _, e := range events {
		a.calls.repeats.Note(e)
	}
}

// observeStored updates all state that is derived from the log with newly stored events, and publishes them.
func (a *Agent) observeStored(events []conversation.Event) {
	a.observe(events)
	a.compactor.Observe(events)
	for i, e := range events {
		if b, ok := e.Body.(conversation.Usage); ok {
			if b.Purpose == conversation.PurposeReply && b.Model == a.journal.Model().Name() {
				a.compactor.ForgetPreviousModel() // the conversation fits the current model
			}
			a.windows.learnFromUsage(events[i:i+1], b)
		}
	}
	a.journal.Publish(updates.Appended{Events: events})
	a.display.showMeter()
}

// resume completes a conversation after a crash. It appends results for calls without one, and the partial reply with
// its usage event. These events get the time of the crash, from which the age of the provider's cache is computed.
func (a *Agent) resume(ctx context.Context) {
	now := a.journal.Now()
	when := now
	var bodies []conversation.Body
	for _, c := range openCalls(a.journal.Events()) {
		bodies = append(bodies, interruptedResult(c, programEnded+continueHint(a.journal.Events(), c.ID)))
		if c.Name == conversation.ToolRunCommand {
			bodies = append(bodies, conversation.Checkpoint{By: c.Name, Unknown: true})
		}
	}
	if p := a.partial; p != nil && (p.Text != "" || p.Reasoning != "") {
		bodies = append(bodies, p.RecoveredBodies(a.journal.NextSeq()+uint64(len(bodies)))...)
		if n := a.journal.Len(); n > 0 && !p.Time.Before(a.journal.Events()[n-1].Time) && !p.Time.After(now) {
			when = p.Time // any other time shows that the clock was changed
		}
	}
	if _, err := a.journal.AppendAt(ctx, when, bodies...); err != nil {
		a.journal.Postpone(bodies...)
		a.journal.Publish(updates.Failed{Err: llm.AsError(err)})
	}
}

// continueHint names the sub-conversation that a call started, so that it can go on; "" for a call without one.
func continueHint(events []conversation.Event, callID string) string {
	for _, t := range conversation.Tasks(events) {
		if t.Call == callID {
			return ". Its sub-conversation is kept; a call of task with continue " + t.Conversation + " goes on with it"
		}
	}
	return ""
}

// openCalls lists the calls without a result, in order.
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
