package tui

import (
	"plimsoll/compact"
	"plimsoll/tui/ledger"
	"plimsoll/tui/pane"
)

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
	newest := s.newest()
	if l.begun && newest == l.shown {
		return
	}
	l.begun, l.shown = true, newest
	l.Show(ledger.Content{Entries: compact.Ledger(s.log), Title: s.Title, Zone: v.env.zone(), ReadOnly: s.ReadOnly != ""})
}
