package tui

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/tui/account"
)

// The context view on the screen. Its numbers come from the agent, when the log
// changes; its gauge moves with every letter and every token.

type accountView struct {
	*account.Model
	asked  uint64          // the newest event when the account was asked for
	pinned map[uint64]bool // the events that are pinned
	marked uint64          // the revision of which pinned is
}

func (m *Model) slashContext(string) tea.Cmd {
	if !m.talk.open {
		return m.say(m.refusal(), true)
	}
	if v, open := m.views.top().(*accountView); open {
		return v.renew(m)
	}
	keys := m.options.Keys.Context
	return m.open(&accountView{Model: account.New(account.Options{Styles: m.look.account(), Keys: &keys})})
}

func (v *accountView) gauged() bool   { return false }
func (v *accountView) restyle(l look) { v.SetStyles(l.account()) }

func (v *accountView) renew(m *Model) tea.Cmd {
	if n := len(m.talk.log); n > 0 && m.talk.log[n-1].Seq > v.asked {
		v.asked = m.talk.log[n-1].Seq
		m.talk.Session.Inspect()
	} else if v.asked == 0 {
		v.asked = 1
		m.talk.Session.Inspect()
	}
	view := m.talk.meter.View()
	if v.pinned == nil || v.marked != view.Revision {
		v.pinned, v.marked = pinnedOf(view), view.Revision
	}
	v.Show(account.Content{
		Account: m.talk.account, Reading: m.reading(), Title: m.talk.Title, Model: m.talk.Model.Name(), Priced: m.priced(),
		Cold: m.cacheCold(), ColdAt: m.coldClock(), Paused: m.talk.paused, ReadOnly: m.talk.ReadOnly != "", Pinned: func(event uint64) bool { return v.pinned[event] },
	})
	return nil
}

// priced is the date of the prices in use, "" if none are known.
func (m *Model) priced() string {
	if p := m.talk.Model.Prices; p != nil {
		return p.Date
	}
	return ""
}

// pinnedOf is the events that a view shows because they are pinned.
func pinnedOf(v compact.View) map[uint64]bool {
	pinned := map[uint64]bool{}
	for i := range v.Messages {
		if v.Messages[i].State == compact.StatePinned {
			for _, seq := range v.Messages[i].Events {
				pinned[seq] = true
			}
		}
	}
	return pinned
}
