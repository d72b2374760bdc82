package screen

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"

	"plimsoll/compact/projection"

	"plimsoll/cli/session"
	"plimsoll/cli/setup"
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
//   - a reply shows when it is in the log, not while it arrives

// followEvery is how often the file of a conversation that is followed is looked at.
const followEvery = time.Second

// follower shows a conversation that another program writes.
type follower struct {
	with Needs

	r     *session.Reading
	tail  *storage.Tail
	box   *updates.Mailbox
	rules preset.Rules
	model llm.Model

	told  updates.Elsewhere // last
	asked chan struct{}     // for the account
	stop  context.CancelFunc
	task  sync.WaitGroup
}

// readOnly shows a conversation that another program has open, and follows it. The
// lock is held.
func (h *Host) readOnly(ctx context.Context, id string, locked *storage.LockedError) (tui.Conversation, error) {
	events, report, err := h.with.Resources.Store.Load(ctx, id)
	if err != nil {
		return tui.Conversation{}, err
	}
	f, err := h.follow(ctx, id, events)
	if err != nil {
		return tui.Conversation{}, err
	}
	h.part()
	h.Reading, h.following = id, f
	return tui.Conversation{
		ID: id, Title: session.Title(events), Events: events, Session: spectator{f: f},
		Model: f.model, Meter: f.meter(), Mode: conversation.ModePlan, Following: true, Notes: session.Unread(report),
		ReadOnly: "read only: " + locked.Error() + ". What happens there is shown here. /fork to continue in a copy, /new to start another",
	}, nil
}

// follow begins to follow a conversation behind the events that were read of it.
// Close ends it.
func (h *Host) follow(ctx context.Context, id string, events []conversation.Event) (*follower, error) {
	events = slices.Clip(events) // the screen has them, too
	r := &session.Reading{Store: h.with.Resources.Store, ID: id, Events: events, Said: events, View: projection.Project(events)}
	f := &follower{with: h.with, r: r, box: updates.NewMailbox(), told: updates.Elsewhere{Open: true}, asked: make(chan struct{}, 1)}
	var last conversation.Event
	if n := len(events); n > 0 {
		last = events[n-1]
	}
	f.tail = h.with.Resources.Store.Tail(id, last)
	if err := f.configure(); err != nil {
		return nil, err
	}
	f.model = h.with.Models.OwnersModel(ctx, r.Events)
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	f.stop = stop
	f.task.Go(func() { f.run(life) })
	return f, nil
}

// close ends following and waits for the end.
func (f *follower) close() {
	f.stop()
	f.task.Wait()
}

// run follows until ctx ends or the conversation is deleted.
func (f *follower) run(ctx context.Context) {
	defer f.box.Close()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.asked:
			f.box.Put(updates.Inspected{Account: session.AccountOf(f.rules, f.r, f.model)})
		case <-tick.C:
			if !f.look(ctx) {
				return
			}
		}
	}
}

// look shows what is new; false if there is nothing to follow any more. What is busy
// is looked at again the next time.
func (f *follower) look(ctx context.Context) bool {
	events, err := f.tail.Next(ctx)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		f.tell(updates.Elsewhere{Why: "this conversation was deleted elsewhere; /new starts another"})
		return false
	case errors.Is(err, storage.ErrBusy) || ctx.Err() != nil:
		return true
	case err != nil:
		f.tell(updates.Elsewhere{Why: "read only, and what happens elsewhere cannot be read: " + err.Error()})
		return true
	}
	if len(events) > 0 {
		f.take(ctx, events)
	}
	if f.r.Store.OpenElsewhere(f.r.ID) {
		f.tell(updates.Elsewhere{Open: true, Why: "read only: open in another window, which is followed here. /fork to continue in a copy, /new to start another"})
	} else {
		f.tell(updates.Elsewhere{Why: "no longer open in another window: /resume " + f.r.ID + " takes it over"})
	}
	return true
}

// take shows new events.
func (f *follower) take(ctx context.Context, events []conversation.Event) {
	r := f.r
	r.Events = append(r.Events, events...)
	r.Said, r.View = r.Events, r.View.Extend(r.Events)
	if slices.ContainsFunc(events, func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindConfig }) {
		if err := f.configure(); err != nil {
			f.with.Resources.Logger().Warn("settings of a followed conversation", "conversation", r.ID, "error", err) // the rules so far stay
		}
	}
	f.box.Put(updates.Appended{Events: events})
	before := f.model
	f.model = f.with.Models.OwnersModel(ctx, r.Events) // also for what its owner learned of it
	if m := f.model; m.Name() != before.Name() || m.Window != before.Window || m.MaxOut != before.MaxOut {
		f.box.Put(updates.ModelSwitched{Model: m})
	}
	f.box.Put(updates.Metered{Meter: f.meter()})
}

// tell says who may write the conversation, if that is another answer than the last.
func (f *follower) tell(u updates.Elsewhere) {
	if u == f.told || u.Open && f.told.Open {
		return
	}
	f.told = u
	f.box.Put(u)
}

// configure takes over the settings that the log records.
func (f *follower) configure() error {
	cfg, err := f.with.Settings.ConfigFor(f.r.Events)
	if err == nil {
		f.rules = setup.RulesOf(cfg)
	}
	return err
}

// meter is the meter as the owner has it where the log ends.
func (f *follower) meter() meter.Meter { return session.MeterOf(f.rules, f.r, f.model) }

// spectator is the session of a conversation that is followed: it tells what happens and how full the window is.
type spectator struct {
	nobody
	f *follower
}

func (s spectator) Take(ctx context.Context) ([]updates.Update, error) { return s.f.box.Take(ctx) }

func (s spectator) Inspect() {
	select {
	case s.f.asked <- struct{}{}:
	default: // asked for already
	}
}

// nobody is the session of a conversation that is only read.
type nobody struct{}

func (nobody) Send(string)                        {}
func (nobody) Add(string)                         {}
func (nobody) Cancel()                            {}
func (nobody) TakeBack()                          {}
func (nobody) Rewind(int)                         {}
func (nobody) Answer(string, conversation.Answer) {}
func (nobody) SetMode(conversation.Mode)          {}
func (nobody) Rename(string)                      {}
func (nobody) SetProfile(string)                  {}
func (nobody) Compact(edit.Request)               {}
func (nobody) Preview(edit.Request)               {}
func (nobody) UndoCompaction(uint64)              {}
func (nobody) RedoCompaction()                    {}
func (nobody) RestoreTurns()                      {}
func (nobody) Pin([]uint64, bool)                 {}
func (nobody) Mask([]uint64)                      {}
func (nobody) Inspect()                           {}
func (nobody) Review(string, bool)                {}

func (nobody) Judge(string, []string) (conversation.Offer, error) {
	return conversation.Offer{}, errNothingRuns
}
func (nobody) Rules(context.Context) ([]conversation.Rule, error) { return nil, errNothingRuns }
func (nobody) Revoke(context.Context, conversation.Rule) error    { return errNothingRuns }

var errNothingRuns = errors.New("this conversation is read only; nothing runs in it")
