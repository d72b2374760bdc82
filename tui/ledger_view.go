package tui

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/tui/ledger"
)

// The ledger on the screen.

type ledgerView struct {
	*ledger.Model
	shown uint64 // the newest event of the log shown
	begun bool
}

func (m *Model) slashLedger(string) tea.Cmd {
	if !m.talk.open {
		return m.say(m.refusal(), true)
	}
	if _, open := m.views.top().(*ledgerView); open {
		return nil
	}
	keys := m.options.Keys.Ledger
	return m.open(&ledgerView{Model: ledger.New(ledger.Options{Styles: m.look.ledger(), Keys: &keys})})
}

func (v *ledgerView) gauged() bool   { return true }
func (v *ledgerView) restyle(l look) { v.SetStyles(l.ledger()) }

func (v *ledgerView) renew(m *Model) tea.Cmd {
	newest := uint64(0)
	if n := len(m.talk.log); n > 0 {
		newest = m.talk.log[n-1].Seq
	}
	if v.begun && newest == v.shown {
		return nil
	}
	v.begun, v.shown = true, newest
	v.Show(ledger.Content{Entries: compact.Ledger(m.talk.log), Title: m.talk.Title, Zone: m.zone(), ReadOnly: m.talk.ReadOnly != ""})
	return nil
}
