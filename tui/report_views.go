package tui

import (
	"plimsoll/agent/llm"
	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/tui/account"
	"plimsoll/tui/ledger"
	"plimsoll/tui/pane"
)

// The context view on the screen. Its numbers come from the agent, when the log
// changes; its gauge moves with every letter and every token.

type contextView struct {
	*account.Model
	asked  uint64          // the newest event when the breakdown was asked for
	pinned map[uint64]bool // the events that are pinned
	marked uint64          // the revision of which pinned is
}

// openContext opens the context view.
func (v *views) openContext() pane.Action {
	if no := v.cannotOpen(); no != nil {
		return no
	}
	if one, open := v.top().(*contextView); open {
		one.renew(v)
		return nil
	}
	keys := v.env.Keys.Context
	return v.open(&contextView{Model: account.New(account.Options{Styles: v.look.account(), Keys: &keys})})
}

func (c *contextView) gauged() bool   { return false }
func (c *contextView) restyle(l look) { c.SetStyles(l.account()) }

func (c *contextView) renew(v *views) {
	s := v.session
	if n := s.log.newest(); n > c.asked {
		c.asked = n
		s.Session.Inspect()
	} else if c.asked == 0 {
		c.asked = 1
		s.Session.Inspect()
	}
	view := s.load.meter.View()
	if c.pinned == nil || c.marked != view.Revision {
		c.pinned, c.marked = pinnedOf(view), view.Revision
	}
	c.Show(account.Content{
		Account: s.breakdown, Reading: v.reading(), Title: s.Title, Model: s.Model.Name(), Priced: priced(s.Model),
		Cold: s.cacheCold(), ColdAt: s.cache.words(v.env.Now()), Paused: s.paused, ReadOnly: s.ReadOnly != "", Pinned: func(event uint64) bool { return c.pinned[event] },
	})
}

// priced is the date of the prices in use, "" if none are known.
func priced(m llm.Model) string {
	if m.Prices != nil {
		return m.Prices.Date
	}
	return ""
}

// pinnedOf is the events that a view shows because they are pinned.
func pinnedOf(v projection.View) map[uint64]bool {
	pinned := map[uint64]bool{}
	for i := range v.Messages {
		if v.Messages[i].State == projection.StatePinned {
			for _, seq := range v.Messages[i].Events {
				pinned[seq] = true
			}
		}
	}
	return pinned
}

// The log of compactions on the screen.

type ledgerView struct {
	*ledger.Model
	shown uint64 // the newest event of the log shown
	begun bool
}

// openLedger opens the log of compactions.
func (v *views) openLedger() pane.Action {
	if no := v.cannotOpen(); no != nil {
		return no
	}
	if _, open := v.top().(*ledgerView); open {
		return nil
	}
	keys := v.env.Keys.Ledger
	return v.open(&ledgerView{Model: ledger.New(ledger.Options{Styles: v.look.ledger(), Keys: &keys})})
}

func (l *ledgerView) gauged() bool   { return true }
func (l *ledgerView) restyle(k look) { l.SetStyles(k.ledger()) }

func (l *ledgerView) renew(v *views) {
	s := v.session
	newest := s.log.newest()
	if l.begun && newest == l.shown {
		return
	}
	l.begun, l.shown = true, newest
	l.Show(ledger.Content{Entries: inspect.Ledger(s.log), Cache: inspect.CacheUseOf(s.log, s.Model.Sheet().Lives()), Title: s.Title, Zone: v.env.zone(), ReadOnly: s.ReadOnly != ""})
}
