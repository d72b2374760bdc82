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

// A conversation that is open elsewhere is read here, and followed: what its owner
// adds to the log appears here soon after. Rules:
//
//   - nothing is written, and the file is opened only when it changed
//   - model, window and settings are the owner's, as the log has them; the flags of
//     this run say nothing about them
//   - a reply shows as far as it is stored, while it arrives
//   - once nobody has the conversation open any more, opening it again takes it over

// How often the file of a conversation that is followed is looked at: usually, and just
// after something happened.
const (
	followEvery  = time.Second
	followSooner = time.Second / 4
)

// follower shows a conversation that another program writes.
type follower struct {
	with Needs

	r     *session.Reading
	tail  *storage.Tail
	box   *updates.Mailbox
	rules preset.Rules
	model llm.Model

	told  updates.Elsewhere // last
	half  updates.Delta     // what is shown of the reply that is arriving
	asked chan struct{}     // for the account
	stop  context.CancelFunc
	task  sync.WaitGroup
}

// readOnly shows a conversation that another program has open, and follows it. The
// lock is held.
func (h *Host) readOnly(ctx context.Context, id string, locked *storage.LockedError) (tui.Conversation, error) {
	store := h.with.Resources.Store
	events, report, err := store.Load(ctx, id)
	if err != nil {
		return tui.Conversation{}, err
	}
	own := slices.Clip(events) // the screen has them, too
	f := &follower{with: h.with, r: session.NewReading(ctx, store, id, own), box: updates.NewMailbox(), told: followed(locked.PID), asked: make(chan struct{}, 1)}
	var last conversation.Event
	if n := len(events); n > 0 {
		last = events[n-1]
	}
	f.tail = store.Tail(id, last)
	if err := f.configure(); err != nil {
		return tui.Conversation{}, err
	}
	f.model = h.with.Models.OwnersModel(ctx, own)
	talk := tui.Conversation{
		ID: id, Title: session.Title(events), Events: events, Session: spectator{f},
		Model: f.model, Meter: f.meter(), Mode: conversation.ModePlan, Notes: session.Unread(report),
		ReadOnly: f.told.Why, Elsewhere: f.told,
	}
	h.leave()
	h.Reading, h.following = id, f
	talk.Draft = h.draft(ctx, id, true)
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	f.stop = stop
	f.task.Go(func() { f.run(life) })
	return talk, nil
}

// followed says that a process has the conversation open, 0 for an unknown one.
func followed(pid int) updates.Elsewhere {
	who := ""
	if pid > 0 {
		who = fmt.Sprintf(" (pid %d)", pid)
	}
	return updates.Elsewhere{Open: true, Why: "Read-only: open in another window" + who + ". /fork to continue in a copy"}
}

// close ends following and waits for the end.
func (f *follower) close() {
	f.stop()
	f.task.Wait()
}

// run follows until ctx ends or the conversation is deleted.
func (f *follower) run(ctx context.Context) {
	defer f.box.Close()
	tick := time.NewTimer(followSooner) // a reply may be arriving
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.asked:
			f.box.Put(updates.Inspected{Account: session.AccountOf(f.rules, f.r, f.model)})
		case <-tick.C:
			next := f.look(ctx)
			if next == 0 {
				return
			}
			tick.Reset(next)
		}
	}
}

// look shows what is new, and returns when to look again, 0 if there is nothing to follow
// any more. Who has the conversation open is asked first: what was stored before its end
// is there then.
func (f *follower) look(ctx context.Context) time.Duration {
	open := f.r.Store.IsOpenElsewhere(f.r.ID)
	events, err := f.tail.Next(ctx)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		f.tell(updates.Elsewhere{Why: "This conversation was deleted in the other window. /new to start another"})
		return 0
	case errors.Is(err, storage.ErrBusy) || ctx.Err() != nil:
		return followSooner
	case err != nil:
		f.tell(updates.Elsewhere{Why: "Read-only, and what happens in the other window cannot be read: " + err.Error()})
		return followEvery
	}
	if len(events) > 0 {
		f.take(ctx, events)
	}
	news := f.arrives() || len(events) > 0
	if open {
		f.tell(followed(f.r.Store.OwnerPID(f.r.ID)))
	} else {
		f.tell(updates.Elsewhere{Closed: true, Why: "The other window closed. /resume " + f.r.ID + " to continue here"})
	}
	if news {
		return followSooner
	}
	return followEvery
}

// arrives shows how far the reply is that is arriving, and reports whether that is news.
func (f *follower) arrives() bool {
	half, _ := f.tail.Partial()
	before := f.half
	f.half = updates.Delta{Text: half.Text, Reasoning: half.Reasoning}
	if f.half == before {
		return false
	}
	text, more := strings.CutPrefix(half.Text, before.Text)
	thought, further := strings.CutPrefix(half.Reasoning, before.Reasoning)
	if !more || !further { // its request was tried again
		f.box.Put(updates.Discarded{})
		text, thought = half.Text, half.Reasoning
	}
	if text != "" || thought != "" {
		f.box.Put(updates.Delta{Text: text, Reasoning: thought})
	}
	return true
}

// take shows new events.
func (f *follower) take(ctx context.Context, events []conversation.Event) {
	r := f.r
	r.Events = append(r.Events, events...)
	r.Said, r.View = r.Events, r.View.Extend(r.Events)
	has := func(k conversation.Kind) bool {
		return slices.ContainsFunc(events, func(e conversation.Event) bool { return e.Body.Kind() == k })
	}
	if has(conversation.KindConfig) {
		if err := f.configure(); err != nil {
			f.with.Resources.Logger().Warn("settings of a followed conversation", "conversation", r.ID, "error", err) // the rules so far stay
		}
	}
	f.box.Put(updates.Appended{Events: events})
	if has(conversation.KindAssistant) {
		f.half = updates.Delta{} // it took the place of what was shown
	}
	before := f.model
	f.model = f.with.Models.OwnersModel(ctx, r.Events) // also for what its owner learned of it
	if m := f.model; m.Name() != before.Name() || m.Window != before.Window || m.MaxOut != before.MaxOut {
		f.box.Put(updates.ModelSwitched{Model: m})
	}
	f.box.Put(updates.Metered{Meter: f.meter()})
}

// tell says who may write the conversation, if that is another answer than the last.
func (f *follower) tell(u updates.Elsewhere) {
	if u == f.told {
		return
	}
	f.told = u
	f.box.Put(u)
}

// configure takes over the settings that the log records.
func (f *follower) configure() error {
	cfg, err := f.with.Settings.ConfigFor(f.r.Events)
	if err == nil {
		f.rules = cfg.Rules()
	}
	return err
}

// meter is the meter as the owner has it where the log ends.
func (f *follower) meter() meter.Meter { return session.MeterOf(f.rules, f.r, f.model) }

// spectator is the session of a conversation that is followed: it tells what happens and how full the window is, and does
// nothing.
type spectator struct{ f *follower }

func (s spectator) Take(ctx context.Context) ([]updates.Update, error) { return s.f.box.Take(ctx) }

func (s spectator) Inspect() {
	select {
	case s.f.asked <- struct{}{}:
	default: // asked for already
	}
}

func (spectator) Send(string)                        {}
func (spectator) Add(string)                         {}
func (spectator) Cancel()                            {}
func (spectator) TakeBack()                          {}
func (spectator) Rewind(int)                         {}
func (spectator) Answer(string, conversation.Answer) {}
func (spectator) SetMode(conversation.Mode)          {}
func (spectator) Rename(string)                      {}
func (spectator) SetProfile(string)                  {}
func (spectator) Compact(edit.Request)               {}
func (spectator) Preview(edit.Request)               {}
func (spectator) UndoCompaction(uint64)              {}
func (spectator) RedoCompaction()                    {}
func (spectator) Retry()                             {}
func (spectator) RestoreTurns()                      {}
func (spectator) Pin([]uint64, bool)                 {}
func (spectator) Mask([]uint64)                      {}
func (spectator) Review(string, bool)                {}

func (spectator) Judge(string, []string) (conversation.Offer, error) {
	return conversation.Offer{}, errReadOnly
}
func (spectator) Rules(context.Context) ([]conversation.Rule, error) { return nil, errReadOnly }
func (spectator) Revoke(context.Context, conversation.Rule) error    { return errReadOnly }
