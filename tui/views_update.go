package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/tui/pane"
)

// What happens in the conversation, and what was read, goes to the views that are about it.

// update gives an update to the views that are about it.
func (v *views) update(u agent.Update) pane.Action {
	switch u := u.(type) {
	case agent.Previewed:
		v.showPreview(u)
	case agent.Reviewing:
		if v.review != nil {
			v.review.Show(v.reviewContent())
		}
	case agent.Reviewed:
		v.closeReview()
	}
	return nil
}

// arrived gives a view what was read for it.
func (v *views) arrived(msg tea.Msg) pane.Action {
	switch msg := msg.(type) {
	case requestMsg, fullMsg:
		v.read(msg)
	case copyMsg:
		return v.copied(msg)
	case searchMsg:
		return v.search(msg)
	case foundMsg:
		v.showHits(msg)
	case summaryEditedMsg:
		if msg.err != nil {
			return missing{msg.err}
		}
		msg.view.SetText(msg.text)
	}
	return nil
}

// redoKey is what redoes a compaction where one is: the key of the view in sight, or
// the command. Elsewhere the snackbar is not shown, as the key does something else there.
func (v *views) redoKey() string {
	b := key.Binding{}
	switch v.top().(type) {
	case *historyView:
		b = v.env.Keys.History.Redo
	case *ledgerView:
		b = v.env.Keys.Ledger.Redo
	}
	return named(b, "/redo-compact")
}

// reset closes what was about a conversation that is closed; nil keeps nothing.
func (v *views) reset(kept *searchView) {
	v.previews, v.review = nil, nil
	if kept == nil {
		v.closeAll()
		return
	}
	v.closeAllBut(kept)
}
