package tui

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/overlay"
)

// notices are short messages to the user above the composer. Each stands for a while,
// and only where it was shown.
type notices struct {
	text string
	bad  bool
	seq  int // tells an old timer from the newest

	fresh bool  // it is new, about what comes into sight
	about sight // what it stands below; elsewhere it is not shown
}

// sight is what has the keys: a view, and a dialog over it. The zero value is the
// conversation.
type sight struct {
	view   fullView
	dialog overlay.Dialog
}

// notify shows a notice.
func (n *notices) notify(text string, bad bool) tea.Cmd {
	*n = notices{text: text, bad: bad, seq: n.seq + 1, fresh: true}
	return noticeOver(n.seq)
}

// place has a new notice belong to what is in sight.
func (n *notices) place(at sight) {
	if n.fresh {
		n.fresh, n.about = false, at
	}
}

// textAt is the notice, "" without one and where it is about something else than what
// is in sight.
func (n *notices) textAt(at sight) string {
	if n.fresh || n.about == at {
		return n.text
	}
	return ""
}

// over ends a notice, unless a newer one stands there.
func (n *notices) over(seq int) {
	if seq == n.seq {
		n.text = ""
	}
}
