package screen

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/agent/updates"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// readOnly shows a conversation that another program has open, as it is stored now, with the
// model, window and settings of its owner. The lock is held.
func (h *Host) readOnly(ctx context.Context, id string, locked *storage.LockedError) (tui.Conversation, error) {
	store := h.with.Resources.Store
	events, report, err := store.Load(ctx, id)
	if err != nil {
		return tui.Conversation{}, err
	}
	cfg, err := h.with.Settings.ConfigFor(events)
	if err != nil {
		return tui.Conversation{}, err
	}
	who := ""
	if locked.PID > 0 {
		who = fmt.Sprintf(" (pid %d)", locked.PID)
	}
	r, rules, m := session.NewReading(ctx, store, id, events), setup.RulesOf(cfg), h.with.Models.OwnersModel(ctx, events)
	talk := tui.Conversation{
		ID: id, Title: session.Title(events), Events: events,
		Session: &onlyRead{updates.NewMailbox(), func() inspect.Breakdown { return session.AccountOf(rules, r, m) }},
		Model:   m, Meter: session.MeterOf(rules, r, m), Mode: conversation.ModePlan, Notes: session.Unread(report),
		ReadOnly: "Read-only: open in another window" + who + ". /fork to continue in a copy",
		Draft:    h.draft(ctx, id+tui.ReadDraft),
	}
	h.part()
	h.Reading = id
	return talk, nil
}

// onlyRead is the session of a conversation that is only read: it tells how full the window is, and does nothing else.
type onlyRead struct {
	box     *updates.Mailbox
	account func() inspect.Breakdown
}

func (o *onlyRead) Take(ctx context.Context) ([]updates.Update, error) { return o.box.Take(ctx) }
func (o *onlyRead) Inspect()                                           { o.box.Put(updates.Inspected{Account: o.account()}) }

func (*onlyRead) Send(string)                        {}
func (*onlyRead) Add(string)                         {}
func (*onlyRead) Cancel()                            {}
func (*onlyRead) TakeBack()                          {}
func (*onlyRead) Rewind(int)                         {}
func (*onlyRead) Answer(string, conversation.Answer) {}
func (*onlyRead) SetMode(conversation.Mode)          {}
func (*onlyRead) Rename(string)                      {}
func (*onlyRead) SetProfile(string)                  {}
func (*onlyRead) Compact(edit.Request)               {}
func (*onlyRead) Preview(edit.Request)               {}
func (*onlyRead) UndoCompaction(uint64)              {}
func (*onlyRead) RedoCompaction()                    {}
func (*onlyRead) Retry()                             {}
func (*onlyRead) RestoreTurns()                      {}
func (*onlyRead) Pin([]uint64, bool)                 {}
func (*onlyRead) Mask([]uint64)                      {}
func (*onlyRead) Review(string, bool)                {}

func (*onlyRead) Judge(string, []string) (conversation.Offer, error) {
	return conversation.Offer{}, errNothingRuns
}
func (*onlyRead) Rules(context.Context) ([]conversation.Rule, error) { return nil, errNothingRuns }
func (*onlyRead) Revoke(context.Context, conversation.Rule) error    { return errNothingRuns }

var errNothingRuns = errors.New("this conversation is read only; nothing runs in it")
