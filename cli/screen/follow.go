package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"

	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// A conversation that another program has open is shown read-only, and events that the program appends to its log appear
// here soon after. Rules:
//
//   - nothing is written, and the file is opened only when it changed
//   - model, window and settings are those of the log; flags of this run do not change them
//   - while a reply arrives, the part that is stored is shown
//   - once the other program closes the conversation, it can be opened here for writing

// Time between reads of the file: normally, and just after it changed.
const (
	pollInterval     = time.Second
	fastPollInterval = time.Second / 4
)

// follower shows a conversation that another program writes.
type follower struct {
	deps *session.Agents

	snapshot *session.Snapshot
	tail     *storage.Tail
	mailbox  *updates.Mailbox
	rules    preset.Rules
	model    llm.Model

	running         func() bool           // reports whether it runs as a task; nil: it is not a task
	status          updates.OpenElsewhere // as it was shown last
	shownReply      updates.Delta         // the shown part of the arriving reply
	inspectRequests chan struct{}         // the screen asks for the breakdown
	stop            context.CancelFunc
	task            sync.WaitGroup
}

// readOnly shows a conversation that another program has open, and follows it. The caller holds h.mu.
func (h *Host) readOnly(ctx context.Context, id string, locked *storage.LockedError) (tui.Conversation, error) {
	opened, f, err := h.follow(ctx, id, openElsewhere(locked.PID), nil)
	if err != nil {
		return tui.Conversation{}, err
	}
	h.leaveConversation()
	h.shown = shown{ReadOnlyID: id, follower: f}
	return opened, nil
}

// follow follows a stored conversation whose state is status. running reports whether it runs as a task, nil for another one.
func (h *Host) follow(ctx context.Context, id string, status updates.OpenElsewhere, running func() bool) (tui.Conversation, *follower, error) {
	store := h.deps.Resources.Store
	events, report, err := store.Load(ctx, id)
	if err != nil {
		return tui.Conversation{}, nil, err
	}
	copied := slices.Clip(events) // so that an append does not write into the slice of the screen
	f := &follower{deps: h.deps, snapshot: session.NewSnapshot(ctx, store, id, copied), mailbox: updates.NewMailbox(), status: status, running: running, inspectRequests: make(chan struct{}, 1)}
	var last conversation.Event
	if n := len(events); n > 0 {
		last = events[n-1]
	}
	f.tail = store.Tail(id, last)
	if err := f.configure(); err != nil {
		return tui.Conversation{}, nil, err
	}
	f.model = h.deps.Models.RecordedModel(ctx, copied)
	opened := tui.Conversation{
		ID: id, Title: session.Title(events), Events: events, Session: readOnlySession{f},
		Model: f.model, Meter: f.meter(), Mode: conversation.ModePlan, Notes: session.DamageNotes(report),
		ReadOnly: f.status.Why, Elsewhere: f.status, Draft: h.draft(ctx, id, true),
	}
	runCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	f.stop = stop
	f.task.Go(func() { f.run(runCtx) })
	return opened, f, nil
}

// taskStatus is the state of a task: it runs, or has ended.
func taskStatus(runs bool) updates.OpenElsewhere {
	if runs {
		return updates.OpenElsewhere{Open: true, Task: true, Why: "Read-only: the task runs"}
	}
	return updates.OpenElsewhere{Closed: true, Task: true, Why: "The task has ended"}
}

// openElsewhere is the update that process pid has the conversation open; pid is 0 for an unknown one.
func openElsewhere(pid int) updates.OpenElsewhere {
	who := ""
	if pid > 0 {
		who = fmt.Sprintf(" (pid %d)", pid)
	}
	return updates.OpenElsewhere{Open: true, Why: "Read-only: open in another window" + who + ". /fork to continue in a copy"}
}

// close stops run and waits for it.
func (f *follower) close() {
	f.stop()
	f.task.Wait()
}

// run follows until ctx ends or the conversation is deleted.
func (f *follower) run(ctx context.Context) {
	defer f.mailbox.Close()
	tick := time.NewTimer(fastPollInterval) // a reply may be arriving
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.inspectRequests:
			f.mailbox.Put(updates.Inspected{Breakdown: session.BreakdownOf(f.rules, f.snapshot, f.model)})
		case <-tick.C:
			next := f.poll(ctx)
			if next == 0 {
				return
			}
			tick.Reset(next)
		}
	}
}

// poll shows new events, and returns the time until the next poll, 0 if the conversation was deleted. It checks for the
// other program before it reads: if that has ended, everything it stored is read.
func (f *follower) poll(ctx context.Context) time.Duration {
	open := f.running != nil && f.running() || f.snapshot.Store.IsOpenElsewhere(f.snapshot.ID)
	events, err := f.tail.Next(ctx)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		f.setStatus(updates.OpenElsewhere{Why: "This conversation was deleted in the other window. /new to start another"})
		return 0
	case errors.Is(err, storage.ErrBusy) || ctx.Err() != nil:
		return fastPollInterval
	case err != nil:
		f.setStatus(updates.OpenElsewhere{Why: "Read-only, and what happens in the other window cannot be read: " + err.Error()})
		return pollInterval
	}
	if len(events) > 0 {
		f.showEvents(ctx, events)
	}
	changed := f.showPartialReply() || len(events) > 0
	switch {
	case f.running != nil:
		f.setStatus(taskStatus(open))
	case open:
		f.setStatus(openElsewhere(f.snapshot.Store.OwnerPID(f.snapshot.ID)))
	default:
		f.setStatus(updates.OpenElsewhere{Closed: true, Why: "The other window closed. /resume " + f.snapshot.ID + " to continue here"})
	}
	if changed {
		return fastPollInterval
	}
	return pollInterval
}

// showPartialReply shows the stored part of the reply that is arriving, and reports whether it changed.
func (f *follower) showPartialReply() bool {
	partial := f.tail.Partial()
	before := f.shownReply
	f.shownReply = updates.Delta{Text: partial.Text, Reasoning: partial.Reasoning}
	if f.shownReply == before {
		return false
	}
	text, continuesText := strings.CutPrefix(partial.Text, before.Text)
	thought, continuesReasoning := strings.CutPrefix(partial.Reasoning, before.Reasoning)
	if !continuesText || !continuesReasoning { // the request was retried
		f.mailbox.Put(updates.Discarded{})
		text, thought = partial.Text, partial.Reasoning
	}
	if text != "" || thought != "" {
		f.mailbox.Put(updates.Delta{Text: text, Reasoning: thought})
	}
	return true
}

func (f *follower) showEvents(ctx context.Context, events []conversation.Event) {
	snapshot := f.snapshot
	snapshot.Events = append(snapshot.Events, events...)
	snapshot.WithPartial, snapshot.View = snapshot.Events, snapshot.View.Extend(snapshot.Events)
	hasKind := func(k conversation.Kind) bool {
		return slices.ContainsFunc(events, func(e conversation.Event) bool { return e.Body.Kind() == k })
	}
	if hasKind(conversation.KindConfig) {
		if err := f.configure(); err != nil {
			f.deps.Resources.Logger().Warn("settings of a followed conversation", "conversation", snapshot.ID, "error", err) // the earlier rules stay in use
		}
	}
	f.mailbox.Put(updates.Appended{Events: events})
	if hasKind(conversation.KindAssistant) {
		f.shownReply = updates.Delta{} // the complete reply replaces the partial one
	}
	oldModel := f.model
	f.model = f.deps.Models.RecordedModel(ctx, snapshot.Events) // also its window, which the other program may have learned
	if m := f.model; m.Name() != oldModel.Name() || m.Window != oldModel.Window || m.MaxOut != oldModel.MaxOut {
		f.mailbox.Put(updates.ModelSwitched{Model: m})
	}
	f.mailbox.Put(updates.Metered{Meter: f.meter()})
}

// setStatus shows whether the other program has the conversation open, if that changed.
func (f *follower) setStatus(u updates.OpenElsewhere) {
	if u == f.status {
		return
	}
	f.status = u
	f.mailbox.Put(u)
}

// configure applies the settings that the log records.
func (f *follower) configure() error {
	cfg, err := f.deps.Settings.ConfigFor(f.snapshot.Events)
	if err == nil {
		f.rules = cfg.Rules()
	}
	return err
}

// meter is the meter of the other program at the end of the log.
func (f *follower) meter() meter.Meter { return session.MeterOf(f.rules, f.snapshot, f.model) }

// readOnlySession is the session of a followed conversation: it delivers updates and ignores all commands.
type readOnlySession struct{ f *follower }

func (s readOnlySession) Take(ctx context.Context) ([]updates.Update, error) {
	return s.f.mailbox.Take(ctx)
}

func (s readOnlySession) Inspect() {
	select {
	case s.f.inspectRequests <- struct{}{}:
	default: // a request is already waiting
	}
}

func (readOnlySession) Send(string)                        {}
func (readOnlySession) Add(string)                         {}
func (readOnlySession) Cancel()                            {}
func (readOnlySession) ReturnQueued()                      {}
func (readOnlySession) Rewind(int)                         {}
func (readOnlySession) Answer(string, conversation.Answer) {}
func (readOnlySession) SetMode(conversation.Mode)          {}
func (readOnlySession) Rename(string)                      {}
func (readOnlySession) SetProfile(string)                  {}
func (readOnlySession) Compact(edit.Request)               {}
func (readOnlySession) Preview(edit.Request)               {}
func (readOnlySession) UndoCompaction(uint64)              {}
func (readOnlySession) RedoCompaction()                    {}
func (readOnlySession) Retry()                             {}
func (readOnlySession) RestoreTurns()                      {}
func (readOnlySession) Pin([]uint64, bool)                 {}
func (readOnlySession) Mask([]uint64)                      {}
func (readOnlySession) Review(string, bool)                {}

func (readOnlySession) CheckRules(string, []string) (conversation.Offer, error) {
	return conversation.Offer{}, errReadOnly
}
func (readOnlySession) Rules(context.Context) ([]conversation.Rule, error) { return nil, errReadOnly }
func (readOnlySession) Revoke(context.Context, conversation.Rule) error    { return errReadOnly }
