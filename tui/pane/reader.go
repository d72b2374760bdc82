package pane

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Reader is a full-screen page of lines that scrolls; while the keys are asked for they stand in its place.
type Reader struct {
	Page
	helping bool
}

// ReaderKeys are the keys of a Reader.
type ReaderKeys struct {
	Help, Close key.Binding
	Moves       Moves
}

// Helping reports whether the keys are shown.
func (r *Reader) Helping() bool { return r.helping }

// Reset shows the beginning of the page.
func (r *Reader) Reset() { *r = Reader{} }

// Update scrolls so many lines, shows the keys or closes, and reports whether the message was for it. To close the keys leads
// back to the page.
func (r *Reader) Update(msg tea.Msg, keys ReaderKeys, lines, height int) (Action, bool) {
	k, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.Matches(k, keys.Help), key.Matches(k, keys.Close) && r.helping:
		*r = Reader{helping: !r.helping}
		return nil, true
	case key.Matches(k, keys.Close):
		return Closed{}, true
	}
	return nil, r.Page.Update(msg, keys.Moves, lines, height)
}
